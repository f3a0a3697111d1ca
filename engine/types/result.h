// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace colibri {

/// The kind of an error, for programs. People read Error::message().
enum class Errc : std::uint8_t {
    NotFound, ///< a file or folder does not exist
    Io, ///< the operating system refused to read, write or map
    Malformed, ///< a file breaks its format's rules
    Truncated, ///< a file ends before its content does
    Mismatch, ///< two statements about the same thing differ (shape and size, config and tensor)
    Unsupported, ///< legal, but not something this program can do
    OutOfRange, ///< a value that the caller gave lies outside of what is allowed
    OutOfMemory, ///< the planner's sum could not be had from the system
    Cancelled, ///< the caller asked to stop; neither success nor failure
    Lost, ///< a mapped file shrank or its disk failed while it was in use
    NonFinite, ///< a NaN or infinity where the caller asked to stop at one
};

/// What went wrong, where and why. Values are put into the text where the error is made.
struct Error {
    Errc code = Errc::Malformed;
    std::string what; ///< what could not be done: "read the header"
    std::string file; ///< the file it concerns, as the user would name it; empty: none
    std::optional<std::uint64_t> offset; ///< byte offset in `file`; empty: the whole file
    std::string why; ///< field, value and rule: "tensors[3].size is 12, shape [2, 4] of f32 needs 32"

    /// "what, file at offset N: why", leaving out what is empty.
    std::string message() const;
};

/// A value or an Error. Nothing in the engine throws on bad input.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value)
        : m_state(std::in_place_index<0>, std::move(value))
    {
    }
    Result(Error error)
        : m_state(std::in_place_index<1>, std::move(error))
    {
    }

    explicit operator bool() const { return m_state.index() == 0; }
    T& value() { return std::get<0>(m_state); }
    const T& value() const { return std::get<0>(m_state); }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    Error& error() { return std::get<1>(m_state); }
    const Error& error() const { return std::get<1>(m_state); }

private:
    std::variant<T, Error> m_state;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error)
        : m_error(std::move(error))
    {
    }

    explicit operator bool() const { return !m_error; }
    Error& error() { return *m_error; }
    const Error& error() const { return *m_error; }

private:
    std::optional<Error> m_error;
};

} // namespace colibri
