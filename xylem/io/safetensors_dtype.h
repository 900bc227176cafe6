// The element types of the safetensors format.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "xylem/base/dtype.h"

namespace xylem::io {

struct SafetensorsDtype {
  std::string_view word;       // as in the header: "BF16", "F8_E4M3"
  uint32_t bits;               // of one element
  std::optional<DType> dtype;  // nothing where this build has no such type
  int rank;                    // Hugging Face's writer puts higher ranks (wider types) first
};

// Null when the format has no such type.
const SafetensorsDtype* safetensors_dtype(std::string_view word);
const SafetensorsDtype* safetensors_dtype(DType dtype);

}  // namespace xylem::io
