// Times our GEMM on request, so that gemm.py can alternate it with its peer. Reads lines
// "f32|bf16 SIZE THREADS REPETITIONS" from standard input and answers each with the median seconds
// of a product of two square matrices, c in the type of a and b. "cpu" answers with the processor.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "xylem/base/cpu.h"
#include "xylem/kernels/cpu/gemm.h"

namespace {

using xylem::DType;

// Aligned to cache lines, as the arrays of both sides are.
struct Free {
  void operator()(char* p) const { std::free(p); }
};
using Memory = std::unique_ptr<char, Free>;

Memory random_matrix(DType dtype, int64_t n) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  const int64_t size = dtype == DType::kF32 ? 4 : 2;
  const auto bytes = static_cast<size_t>((n * n * size + 63) / 64 * 64);
  Memory memory(static_cast<char*>(std::aligned_alloc(64, bytes)));
  for (int64_t i = 0; i < n * n; ++i) {
    const float value = normal(random);
    const uint16_t half = xylem::float_to_bf16(value);
    std::memcpy(memory.get() + i * size,
                size == 4 ? static_cast<const void*>(&value) : static_cast<const void*>(&half),
                static_cast<size_t>(size));
  }
  return memory;
}

// Operands are made once a size: requests for it come again and again.
struct Problem {
  Problem(DType dtype, int64_t n)
      : dtype(dtype),
        n(n),
        a(random_matrix(dtype, n)),
        b(random_matrix(dtype, n)),
        c(random_matrix(dtype, n)) {}

  double median_seconds(xylem::ThreadPool& pool, int repetitions) {
    std::vector<double> seconds;
    for (int i = 0; i < repetitions + 1; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      xylem::kernels::gemm(n, n, n, {a.get(), dtype, n}, {b.get(), dtype, n}, {c.get(), dtype, n},
                           pool);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
      if (i > 0) seconds.push_back(taken.count());  // the first warms up
    }
    std::nth_element(seconds.begin(), seconds.begin() + repetitions / 2, seconds.end());
    return seconds[repetitions / 2];
  }

  DType dtype;
  int64_t n;
  Memory a, b, c;
};

}  // namespace

int main() {
  std::unique_ptr<Problem> problem;
  std::unique_ptr<xylem::ThreadPool> pool;
  for (std::string line; std::getline(std::cin, line);) {
    if (line == "cpu") {
      std::printf("%s\n", xylem::cpu_description().c_str());
      std::fflush(stdout);
      continue;
    }
    std::istringstream words(line);
    std::string type;
    int64_t n = 0;
    int threads = 0, repetitions = 0;
    words >> type >> n >> threads >> repetitions;
    if (!words || n < 1 || threads < 1 || repetitions < 1) {
      std::fprintf(stderr, "expected: f32|bf16 SIZE THREADS REPETITIONS, got: %s\n", line.c_str());
      return 2;
    }
    const DType dtype = type == "f32" ? DType::kF32 : DType::kBF16;
    if (!problem || problem->n != n || problem->dtype != dtype) {
      problem = std::make_unique<Problem>(dtype, n);
    }
    if (!pool || pool->size() != threads) pool = std::make_unique<xylem::ThreadPool>(threads);
    std::printf("%.9f\n", problem->median_seconds(*pool, repetitions));
    std::fflush(stdout);
  }
  return 0;
}
