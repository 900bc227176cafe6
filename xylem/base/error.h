// Errors of the whole project: one exception type with a code and one clear sentence.
//
//   if (rank != 2) fail(ErrorCode::kInvalidArgument, "[matmul] rank is {}, expected 2", rank);
//
// The command line prints what() and exits with 1; the server maps the code to an HTTP status.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace xylem {

enum class ErrorCode {
  kInvalidArgument,     // the caller's input is wrong
  kNotFound,            // a file, tensor, plugin or name does not exist
  kFailedPrecondition,  // right input at the wrong time or on the wrong object
  kResourceExhausted,   // memory, pages or disk space
  kDataLoss,            // a file is truncated or corrupt
  kUnimplemented,       // a valid request that this build cannot serve
  kUnavailable,         // a device or network does not answer
  kCancelled,
  kInternal,  // a bug of ours or of a plugin
};

// The code's name, for example "invalid argument".
const char* error_code_name(ErrorCode code);

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

// Throws an Error whose message is formatted as by fmt::format.
template <typename... Args>
[[noreturn]] void fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace xylem
