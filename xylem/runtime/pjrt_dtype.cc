#include "xylem/runtime/pjrt_dtype.h"

#include <array>
#include <utility>

#include "xylem/base/error.h"

namespace xylem::runtime {
namespace {

constexpr std::array<std::pair<DType, PJRT_Buffer_Type>, 17> kTypes = {{
    {DType::kBool, PJRT_Buffer_Type_PRED},
    {DType::kS4, PJRT_Buffer_Type_S4},
    {DType::kS8, PJRT_Buffer_Type_S8},
    {DType::kS16, PJRT_Buffer_Type_S16},
    {DType::kS32, PJRT_Buffer_Type_S32},
    {DType::kS64, PJRT_Buffer_Type_S64},
    {DType::kU4, PJRT_Buffer_Type_U4},
    {DType::kU8, PJRT_Buffer_Type_U8},
    {DType::kU16, PJRT_Buffer_Type_U16},
    {DType::kU32, PJRT_Buffer_Type_U32},
    {DType::kU64, PJRT_Buffer_Type_U64},
    {DType::kF8E4M3FN, PJRT_Buffer_Type_F8E4M3FN},
    {DType::kF8E5M2, PJRT_Buffer_Type_F8E5M2},
    {DType::kBF16, PJRT_Buffer_Type_BF16},
    {DType::kF16, PJRT_Buffer_Type_F16},
    {DType::kF32, PJRT_Buffer_Type_F32},
    {DType::kF64, PJRT_Buffer_Type_F64},
}};

}  // namespace

PJRT_Buffer_Type to_pjrt(DType dtype) {
  for (auto [ours, theirs] : kTypes) {
    if (ours == dtype) return theirs;
  }
  return PJRT_Buffer_Type_INVALID;
}

DType from_pjrt(int type) {
  for (auto [ours, theirs] : kTypes) {
    if (theirs == type) return ours;
  }
  fail(ErrorCode::kUnimplemented,
       "a device buffer has the PJRT element type {}, which has no "
       "counterpart here",
       type);
}

}  // namespace xylem::runtime
