// The error by which a template refuses its input.
#pragma once

#include "xylem/base/error.h"

namespace xylem::text::jinja {

// raise_exception(text): what() is the text and nothing else.
class RaisedByTemplate : public Error {
 public:
  explicit RaisedByTemplate(const std::string& text) : Error(ErrorCode::kInvalidArgument, text) {}
};

}  // namespace xylem::text::jinja
