// Memory that kernels work in: one buffer a thread and purpose, kept between calls so that calls
// allocate nothing once the sizes have been seen.
#pragma once

#include <cstddef>
#include <cstdint>

namespace xylem::kernels {

// Buffers that must not be the same although one thread may hold both.
enum class Scratch : uint8_t { kRows, kPanels, kOwn, kCount };

// At least `bytes`, aligned to a cache line, of undefined content; valid until this thread's next
// call for the same purpose. Throws std::bad_alloc.
char* scratch(Scratch purpose, int64_t bytes);

}  // namespace xylem::kernels
