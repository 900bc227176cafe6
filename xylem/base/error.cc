#include "xylem/base/error.h"

namespace xylem {

const char* error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid argument";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kFailedPrecondition:
      return "failed precondition";
    case ErrorCode::kResourceExhausted:
      return "resource exhausted";
    case ErrorCode::kDataLoss:
      return "data loss";
    case ErrorCode::kUnimplemented:
      return "unimplemented";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "unknown";
}

}  // namespace xylem
