#include "xylem/io/safetensors_dtype.h"

#include <array>

namespace xylem::io {
namespace {

// The order is that of the enumeration in Hugging Face's library.
constexpr std::array kDtypes = {
    SafetensorsDtype{"BOOL", 8, DType::kBool, 0},
    SafetensorsDtype{"F4", 4, std::nullopt, 1},
    SafetensorsDtype{"F6_E2M3", 6, std::nullopt, 2},
    SafetensorsDtype{"F6_E3M2", 6, std::nullopt, 3},
    SafetensorsDtype{"U8", 8, DType::kU8, 4},
    SafetensorsDtype{"I8", 8, DType::kS8, 5},
    SafetensorsDtype{"F8_E5M2", 8, DType::kF8E5M2, 6},
    SafetensorsDtype{"F8_E4M3", 8, DType::kF8E4M3FN, 7},
    SafetensorsDtype{"F8_E8M0", 8, std::nullopt, 8},
    SafetensorsDtype{"F8_E4M3FNUZ", 8, std::nullopt, 9},
    SafetensorsDtype{"F8_E5M2FNUZ", 8, std::nullopt, 10},
    SafetensorsDtype{"I16", 16, DType::kS16, 11},
    SafetensorsDtype{"U16", 16, DType::kU16, 12},
    SafetensorsDtype{"F16", 16, DType::kF16, 13},
    SafetensorsDtype{"BF16", 16, DType::kBF16, 14},
    SafetensorsDtype{"I32", 32, DType::kS32, 15},
    SafetensorsDtype{"U32", 32, DType::kU32, 16},
    SafetensorsDtype{"F32", 32, DType::kF32, 17},
    SafetensorsDtype{"C64", 64, std::nullopt, 18},
    SafetensorsDtype{"F64", 64, DType::kF64, 19},
    SafetensorsDtype{"I64", 64, DType::kS64, 20},
    SafetensorsDtype{"U64", 64, DType::kU64, 21},
};

}  // namespace

const SafetensorsDtype* safetensors_dtype(std::string_view word) {
  for (const SafetensorsDtype& entry : kDtypes) {
    if (entry.word == word) return &entry;
  }
  return nullptr;
}

const SafetensorsDtype* safetensors_dtype(DType dtype) {
  for (const SafetensorsDtype& entry : kDtypes) {
    if (entry.dtype == dtype) return &entry;
  }
  return nullptr;
}

}  // namespace xylem::io
