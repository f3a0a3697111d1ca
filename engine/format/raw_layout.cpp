// SPDX-License-Identifier: Apache-2.0
#include "format/raw_layout.h"

#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace colibri {
namespace {

constexpr std::string_view what = "tell the layout of a raw export from its size";
constexpr std::uint64_t maxSide = UINT32_MAX;

/// What a dtype's export looks like when nothing else is said.
struct Convention {
    DType dtype;
    Layout layout;
    bool bias;
    bool guessed; ///< tried when the dtype is not known
};
constexpr std::array<Convention, 3> conventions{{{DType::F16, Layout::RowMajor, true, true},
    {DType::F32, Layout::ColumnMajor, false, true}, {DType::BF16, Layout::RowMajor, true, false}}};

/// What stands in front of the weights in the layouts that are not read yet.
struct Header {
    std::uint64_t bytes;
    std::string_view name;
};
constexpr std::array<Header, 3> headers{{{16, "a 16-byte header (older layout 3)"},
    {24, "the struct expert_t with natural padding, 24 bytes (older layout 4)"},
    {20, "the packed struct expert_t, 20 bytes (older layout 4)"}}};

std::uint64_t squareRoot(std::uint64_t value)
{
    auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(value)));
    while (root > 0 && (root > maxSide || root * root > value))
        --root;
    while (root < maxSide && (root + 1) * (root + 1) <= value)
        ++root;
    return root;
}

std::vector<RawReading> readingsToTry(const RawKnowledge& known)
{
    std::vector<RawReading> readings;
    for (const Convention& row : conventions)
        if (known.dtype ? *known.dtype == row.dtype : row.guessed)
            readings.push_back({row.dtype, known.layout.value_or(row.layout), known.bias.value_or(row.bias), 0, 0});
    return readings;
}

bool needs(const RawReading& reading, std::uint64_t elements)
{
    const std::uint64_t columns = std::uint64_t{reading.in} + (reading.bias ? 1 : 0);
    return reading.in && reading.out && columns <= elements / reading.out && columns * reading.out == elements;
}

/// Sets the sides that are 0 so that the matrix is square, or as a quotient of what is known.
bool solveSides(RawReading& reading, const RawKnowledge& known, std::uint64_t elements, bool square)
{
    const std::uint64_t bias = reading.bias ? 1 : 0;
    std::uint64_t in = known.in;
    std::uint64_t out = known.out;
    if (!in && !out)
        in = out = square ? squareRoot(elements) : 0;
    else if (!out)
        out = square ? in : elements / (in + bias);
    else if (!in)
        in = square ? out : elements / out - (elements / out ? bias : 0);
    if (in > maxSide || out > maxSide)
        return false;
    reading.in = static_cast<std::uint32_t>(in);
    reading.out = static_cast<std::uint32_t>(out);
    return needs(reading, elements);
}

std::vector<RawReading> solutions(std::uint64_t size, const RawKnowledge& known, bool square)
{
    std::vector<RawReading> found;
    for (RawReading reading : readingsToTry(known))
        if (size % elementBytes(reading.dtype) == 0
            && solveSides(reading, known, size / elementBytes(reading.dtype), square))
            found.push_back(reading);
    return found;
}

std::vector<RawReading> solutions(std::uint64_t size, const RawKnowledge& known)
{
    auto found = solutions(size, known, true);
    return found.empty() ? solutions(size, known, false) : found;
}

/// As `--raw` takes it.
std::string optionText(const RawReading& reading)
{
    return "in=" + std::to_string(reading.in) + ",out=" + std::to_string(reading.out)
        + ",dtype=" + std::string(name(reading.dtype)) + ",layout=" + std::string(name(reading.layout))
        + ",bias=" + (reading.bias ? "true" : "false");
}

std::string side(std::uint32_t known, std::string_view letter)
{
    return known ? std::to_string(known) : std::string(letter);
}

/// "f16 row_major with bias, 2 * (h * h + h) bytes (h = 511 gives 523264, h = 512 gives 525312)".
std::string attemptText(const RawReading& reading, std::uint64_t size, const RawKnowledge& known)
{
    const bool free = !known.in && !known.out;
    const std::string in = side(known.in, free ? "h" : "in");
    const std::string out = side(known.out, free ? "h" : "out");
    std::string text = std::string(name(reading.dtype)) + " " + std::string(name(reading.layout))
        + (reading.bias ? " with bias, " : " without bias, ") + std::to_string(elementBytes(reading.dtype)) + " * ("
        + out + " * " + in + (reading.bias ? " + " + out : "") + ") bytes";
    if (!free)
        return text;
    const std::uint64_t bytes = elementBytes(reading.dtype);
    const std::uint64_t below = squareRoot(size / bytes);
    const auto sizeAt = [&](std::uint64_t h) { return std::to_string(bytes * h * (h + (reading.bias ? 1 : 0))); };
    return text + " (h = " + std::to_string(below) + " gives " + sizeAt(below) + ", h = " + std::to_string(below + 1)
        + " gives " + sizeAt(below + 1) + ")";
}

Error noReading(std::uint64_t size, const RawKnowledge& known, const std::string& file)
{
    for (const Header& header : headers)
        if (size > header.bytes && !solutions(size - header.bytes, known, true).empty())
            return {Errc::Unsupported, std::string(what), file, {},
                std::to_string(size) + " bytes fit behind " + std::string(header.name)
                    + ", which this version does not read"};
    std::string tried;
    for (const RawReading& reading : readingsToTry(known))
        tried += (tried.empty() ? "" : "; ") + attemptText(reading, size, known);
    return {Errc::Mismatch, std::string(what), file, {},
        std::to_string(size) + " bytes fit none of: " + tried
            + "; say what it is with --raw in=N,out=N,dtype=D,layout=L,bias=true|false"};
}

Error manyReadings(std::uint64_t size, const std::vector<RawReading>& found, const std::string& file)
{
    std::string texts;
    for (const RawReading& reading : found)
        texts += (texts.empty() ? "--raw " : " or --raw ") + optionText(reading);
    return {Errc::Mismatch, std::string(what), file, {},
        std::to_string(size) + " bytes fit more than one reading; say which it is with " + texts};
}

} // namespace

Result<RawReading> solveRawLayout(std::uint64_t size, const RawKnowledge& known, const std::string& file)
{
    if (readingsToTry(known).empty())
        return Error{Errc::Unsupported, std::string(what), file, {},
            "dtype is " + std::string(name(*known.dtype)) + ", raw exports hold f32, f16 or bf16"};
    const auto found = solutions(size, known);
    if (found.size() > 1)
        return manyReadings(size, found, file);
    return found.empty() ? Result<RawReading>(noReading(size, known, file)) : found.front();
}

} // namespace colibri
