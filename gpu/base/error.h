// SPDX-License-Identifier: Apache-2.0
// The exception type of engine and core, and Result<T> for the functions that ui and app call.
// Thread: any; an Error may be thrown and caught on different threads.
#pragma once

#include <new>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace strata {

enum class ErrorCode {
  // The caller passed a value that is out of range
  InvalidArgument,
  // A project file or model is invalid
  InvalidProject,
  // Any other input file is invalid
  InvalidFile,
  ShapeMismatch,
  // This build or device does not support the op, element type or option
  UnsupportedOp,
  OutOfMemory,
  DeviceFailure,
  // Reading or writing a file failed, for example because the disk is full
  IoFailure,
  // A loss or value became NaN or infinite
  NonFinite,
  // The user requested a stop, which is not a failure
  Stopped,
  // Strata has a bug
  Internal,
};

const char* errorCodeName(ErrorCode code);

/// An error with a code, a subject and a message. The subject is the layer, node, file or field
/// with the problem, so that the window can select it. The message has the form "what is wrong
/// (expected X, got Y). What to do."
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, std::string subject, const std::string& message,
        std::source_location where = std::source_location::current())
      : std::runtime_error(message), m_code(code), m_subject(std::move(subject)), m_where(where) {}
  ErrorCode code() const { return m_code; }
  const std::string& subject() const { return m_subject; }
  const std::source_location& where() const { return m_where; }
  /// Returns "SUBJECT: message", the line that the user sees.
  std::string line() const { return m_subject.empty() ? what() : m_subject + ": " + what(); }

 private:
  ErrorCode m_code;
  std::string m_subject;
  std::source_location m_where;
};

/// Throws Error(Internal) if `condition` is false. Release builds check the condition, too.
void require(bool condition, const char* invariant,
             std::source_location where = std::source_location::current());

/// Calls `work`, which compiles something, and returns its result. If `work` throws std::bad_alloc,
/// throws an OutOfMemory error with this subject instead.
template <class Work>
decltype(auto) withMemoryFor(const std::string& subject, Work&& work) {
  try {
    return std::forward<Work>(work)();
  }
  catch (const std::bad_alloc&) {
    throw Error(
        ErrorCode::OutOfMemory, subject,
        "there is not enough memory to compile it. Use a smaller batch or network, or close other "
        "programs.");
  }
}

/// Holds a value or an Error. Its members are named as in std::expected. value() throws the Error
/// if there is no value.
template <class T>
class Result {
 public:
  Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}
  bool has_value() const { return m_state.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& value() & {
    rethrow();
    return std::get<0>(m_state);
  }
  const T& value() const& {
    rethrow();
    return std::get<0>(m_state);
  }
  T&& value() && {
    rethrow();
    return std::get<0>(std::move(m_state));
  }
  T& operator*() { return std::get<0>(m_state); }
  const T& operator*() const { return std::get<0>(m_state); }
  T* operator->() { return &std::get<0>(m_state); }
  const T* operator->() const { return &std::get<0>(m_state); }
  const Error& error() const { return std::get<1>(m_state); }
  T value_or(T other) const { return has_value() ? std::get<0>(m_state) : std::move(other); }

 private:
  void rethrow() const {
    if (!has_value()) throw std::get<1>(m_state);
  }
  std::variant<T, Error> m_state;
};

template <>
class Result<void> {
 public:
  Result() = default;
  Result(Error error) : m_error(std::move(error)) {}
  bool has_value() const { return !m_error; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const { return *m_error; }

 private:
  std::optional<Error> m_error;
};

}  // namespace strata
