// What the processor can do. Kernels are compiled for each level and chosen at run time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xylem {

// Levels of instruction sets, each including those before it.
enum class CpuLevel {
  kAvx2,        // AVX2, FMA, F16C, BMI2
  kAvx512,      // AVX-512 F, BW, DQ, VL
  kAvx512Vnni,  // int8 dot products
  kAvx512Bf16,  // bf16 dot products
  kAmx,         // AMX tiles with int8 and bf16
};

// Every level that this machine can run, lowest first. An Error when it lacks even AVX2.
const std::vector<CpuLevel>& cpu_levels();
// The level that kernels use: the highest, unless
// XYLEM_CPU_LEVEL=avx2|avx512|avx512vnni|avx512bf16|amx or set_cpu_level says otherwise.
CpuLevel cpu_level();
// For tests and benchmarks: a level out of cpu_levels().
void set_cpu_level(CpuLevel level);
std::string_view cpu_level_name(CpuLevel level);
// Model name and the flags that matter here: names the machine in benchmarks and cache keys.
std::string cpu_description();

}  // namespace xylem
