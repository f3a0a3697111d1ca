// SPDX-License-Identifier: Apache-2.0
#include "types/engine_options.h"

#include "types/run.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace colibri {
namespace {

constexpr std::string_view numericsNames[]{"reproducible", "scalar"};
constexpr std::string_view kvNames[]{"f32", "f16"};
constexpr std::string_view activationsNames[]{"q8", "f32"};
constexpr std::string_view isaNames[]{"auto", "scalar", "avx2", "avx512"};
constexpr std::string_view routingNames[]{"live", "table"};
constexpr std::string_view breakerNames[]{"zero", "fatal"};
constexpr std::string_view loadNames[]{"auto", "lazy", "populate"};
constexpr std::string_view stopNames[]{"paused", "max_tokens", "end_of_text", "context_full", "cancelled"};

std::span<const std::string_view> namesOf(Numerics)
{
    return numericsNames;
}
std::span<const std::string_view> namesOf(KvType)
{
    return kvNames;
}
std::span<const std::string_view> namesOf(Activations)
{
    return activationsNames;
}
std::span<const std::string_view> namesOf(Isa)
{
    return isaNames;
}
std::span<const std::string_view> namesOf(RoutingSource)
{
    return routingNames;
}
std::span<const std::string_view> namesOf(Breaker)
{
    return breakerNames;
}
std::span<const std::string_view> namesOf(LoadMode)
{
    return loadNames;
}

} // namespace

std::string_view name(Numerics value)
{
    return numericsNames[static_cast<std::size_t>(value)];
}
std::string_view name(KvType value)
{
    return kvNames[static_cast<std::size_t>(value)];
}
std::string_view name(Activations value)
{
    return activationsNames[static_cast<std::size_t>(value)];
}
std::string_view name(Isa value)
{
    return isaNames[static_cast<std::size_t>(value)];
}
std::string_view name(RoutingSource value)
{
    return routingNames[static_cast<std::size_t>(value)];
}
std::string_view name(Breaker value)
{
    return breakerNames[static_cast<std::size_t>(value)];
}
std::string_view name(StopReason value)
{
    return stopNames[static_cast<std::size_t>(value)];
}
std::string_view name(LoadMode value)
{
    return loadNames[static_cast<std::size_t>(value)];
}

template <class T>
std::optional<T> optionNamed(std::string_view text)
{
    const auto names = namesOf(T{});
    const auto found = std::ranges::find(names, text);
    return found == names.end() ? std::nullopt : std::optional(static_cast<T>(found - names.begin()));
}

template <class T>
std::vector<std::string> optionNames()
{
    const auto names = namesOf(T{});
    return {names.begin(), names.end()};
}

#define COLIBRI_OPTION(T)                                                                                              \
    template std::optional<T> optionNamed<T>(std::string_view);                                                        \
    template std::vector<std::string> optionNames<T>();
COLIBRI_OPTION(Numerics)
COLIBRI_OPTION(KvType)
COLIBRI_OPTION(Activations)
COLIBRI_OPTION(Isa)
COLIBRI_OPTION(RoutingSource)
COLIBRI_OPTION(Breaker)
COLIBRI_OPTION(LoadMode)
#undef COLIBRI_OPTION

} // namespace colibri
