#include "xylem/base/cpu.h"

#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <utility>

#include "xylem/base/env.h"
#include "xylem/base/error.h"

namespace xylem {
namespace {

// The kernel must grant the tile registers to the process before their first use.
bool request_amx() {
  constexpr int kTileData = 18;  // XFEATURE_XTILEDATA
  return ::syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, kTileData) == 0;
}

// GCC 12 has no name for AMX in __builtin_cpu_supports: leaf 7, EDX bits 22, 24, 25.
bool has_amx() {
  unsigned a = 7, b = 0, c = 0, d = 0;
  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  constexpr unsigned kNeeded = (1u << 22) | (1u << 24) | (1u << 25);
  return (d & kNeeded) == kNeeded && request_amx();
}

std::vector<CpuLevel> detect_levels() {
  __builtin_cpu_init();
  std::vector<CpuLevel> levels;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2")) {
    fail(ErrorCode::kUnavailable, "this processor lacks AVX2, FMA or BMI2, which Xylem needs");
  }
  levels.push_back(CpuLevel::kAvx2);
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl")) {
    return levels;
  }
  levels.push_back(CpuLevel::kAvx512);
  if (!__builtin_cpu_supports("avx512vnni")) return levels;
  levels.push_back(CpuLevel::kAvx512Vnni);
  if (!__builtin_cpu_supports("avx512bf16")) return levels;
  levels.push_back(CpuLevel::kAvx512Bf16);
  if (has_amx()) levels.push_back(CpuLevel::kAmx);
  return levels;
}

CpuLevel level_from_environment() {
  std::optional<std::string> name = env("XYLEM_CPU_LEVEL");
  if (!name) return cpu_levels().back();
  for (CpuLevel level : cpu_levels()) {
    if (cpu_level_name(level) == *name) return level;
  }
  fail(ErrorCode::kInvalidArgument,
       "XYLEM_CPU_LEVEL={} is not a level of this machine (avx2, avx512, avx512vnni, avx512bf16, "
       "amx; "
       "highest "
       "here: {})",
       *name, cpu_level_name(cpu_levels().back()));
}

CpuLevel& current_level() {
  static CpuLevel level = level_from_environment();
  return level;
}

std::string cpuinfo_field(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind(key, 0) != 0) continue;
    size_t colon = line.find(": ");
    return colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return "";
}

}  // namespace

const std::vector<CpuLevel>& cpu_levels() {
  static const std::vector<CpuLevel> kLevels = detect_levels();
  return kLevels;
}

CpuLevel cpu_level() { return current_level(); }

void set_cpu_level(CpuLevel level) { current_level() = level; }

std::string_view cpu_level_name(CpuLevel level) {
  constexpr std::array<std::string_view, 5> kNames = {"avx2", "avx512", "avx512vnni", "avx512bf16",
                                                      "amx"};
  return kNames[static_cast<size_t>(level)];
}

std::string cpu_description() {
  std::string flags = " " + cpuinfo_field("flags") + " ";
  std::string text = cpuinfo_field("model name");
  for (const char* flag : {"avx2", "fma", "avx_vnni", "avx512f", "avx512bw", "avx512_vnni",
                           "avx512_bf16", "avx512_fp16", "amx_int8", "amx_bf16"}) {
    if (flags.find(std::string(" ") + flag + " ") != std::string::npos) {
      text += std::string(" ") + flag;
    }
  }
  return text;
}

}  // namespace xylem
