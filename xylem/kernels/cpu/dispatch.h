// Run-time choice of instruction set for the kernels of cpu/isa/*.inc. Each .inc file is compiled
// once a level (see xylem_isa_sources in cmake/xylem.cmake) with XYLEM_ISA naming the level, and
// defines its functions in `namespace xylem::kernels::XYLEM_ISA`. The portable side declares them
// for all levels and picks one at each call:
//
//   XYLEM_FOR_EACH_ISA(void scale(float* x, int64_t n, float by);)        // in foo_isa.h
//   void scale(float* x, int64_t n, float by) { XYLEM_DISPATCH(scale)(x, n, by); }  // in foo.cc
//
// An .inc file must keep whatever it defines inside its level's namespace or static, and must not
// call inline functions of other headers (std::min, std::vector members, fmt): the linker keeps
// one copy of those, which could hold instructions that an older machine lacks.
#pragma once

#include "xylem/base/cpu.h"

// The declarations in the namespace of every level. Use inside namespace xylem::kernels.
#define XYLEM_FOR_EACH_ISA(...) \
  namespace avx2 {              \
  __VA_ARGS__                   \
  }                             \
  namespace avx512 {            \
  __VA_ARGS__                   \
  }                             \
  namespace avx512vnni {        \
  __VA_ARGS__                   \
  }                             \
  namespace amx {               \
  __VA_ARGS__                   \
  }

// The function of that name at the current level, read anew on each use: set_cpu_level switches.
#define XYLEM_DISPATCH(function)                                                          \
  ::xylem::kernels::pick_level(&avx2::function, &avx512::function, &avx512vnni::function, \
                               &amx::function)

namespace xylem::kernels {

template <typename Function>
Function* pick_level(Function* avx2, Function* avx512, Function* avx512vnni, Function* amx) {
  switch (cpu_level()) {
    case CpuLevel::kAvx2:
      return avx2;
    case CpuLevel::kAvx512:
      return avx512;
    case CpuLevel::kAvx512Vnni:
    case CpuLevel::kAvx512Bf16:  // its one extra is in gemm_bf16.inc
      return avx512vnni;
    case CpuLevel::kAmx:
      break;
  }
  return amx;
}

}  // namespace xylem::kernels
