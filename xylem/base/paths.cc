#include "xylem/base/paths.h"

#include "xylem/base/env.h"

namespace xylem {

std::string setup_folder() { return XYLEM_DEPS; }

std::string data_folder() {
  if (std::optional<std::string> base = env("XDG_DATA_HOME")) return *base + "/xylem";
  return env("HOME").value_or("") + "/.local/share/xylem";
}

}  // namespace xylem
