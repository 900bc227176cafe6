// Inside the runtime layer: how its files call the PJRT C API.
//
//   XYLEM_PJRT_ARGS(PJRT_Buffer_Destroy_Args, args);
//   args.buffer = buffer;
//   plugin.check(plugin.api()->PJRT_Buffer_Destroy(&args), "cannot free a buffer");
#pragma once

#include <pjrt_c_api.h>

#include <cstddef>
#include <cstring>

#include "xylem/runtime/plugin.h"

// A zeroed argument struct that says the size this header knows. A plugin newer than the header
// leaves fields beyond that size alone; an older one reads only its own.
#define XYLEM_PJRT_ARGS(type, name) \
  type name{};                      \
  name.struct_size = type##_STRUCT_SIZE

// Whether the plugin is new enough to have this function, and has it.
#define XYLEM_PJRT_HAS(plugin, function)                                               \
  ((plugin).api()->struct_size >= offsetof(PJRT_Api, function) + sizeof(void (*)()) && \
   (plugin).api()->function != nullptr)

namespace xylem::runtime {

// The number in an enum that the plugin wrote: a newer plugin's may be none of this header's.
template <typename Enum>
int raw_enum(const Enum& value) {
  static_assert(sizeof(Enum) == sizeof(int));
  int number;
  std::memcpy(&number, &value, sizeof number);
  return number;
}

// Reads `count` named values; `values` may come from a plugin whose structs are longer than ours.
NamedValues read_named_values(const PJRT_NamedValue* values, size_t count);

}  // namespace xylem::runtime
