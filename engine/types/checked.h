// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace colibri {

/// a * b and a + b in 64 bits; empty when the result does not fit. Every size that comes from a file goes through
/// these.
constexpr std::optional<std::uint64_t> checkedMultiply(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result))
        return std::nullopt;
    return result;
}

constexpr std::optional<std::uint64_t> checkedAdd(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t result = 0;
    if (__builtin_add_overflow(a, b, &result))
        return std::nullopt;
    return result;
}

/// The product of all dimensions, 1 for none.
constexpr std::optional<std::uint64_t> checkedProduct(std::span<const std::uint64_t> dimensions)
{
    std::optional<std::uint64_t> product = 1;
    for (const std::uint64_t dimension : dimensions) {
        product = checkedMultiply(*product, dimension);
        if (!product)
            return std::nullopt;
    }
    return product;
}

/// `value` rounded up to a multiple of `step` (a power of two); empty when that does not fit.
constexpr std::optional<std::uint64_t> checkedRoundUp(std::uint64_t value, std::uint64_t step)
{
    const auto sum = checkedAdd(value, step - 1);
    return sum ? std::optional(*sum & ~(step - 1)) : std::nullopt;
}

} // namespace colibri
