#include "xylem/cli/command.h"

namespace xylem::cli {

const std::vector<AddCommand>& commands() {
  static const std::vector<AddCommand> kCommands = {
      add_chat,     add_generate, add_bench,   add_inspect, add_tokenize,
      add_template, add_logits,   add_devices, add_plugins, add_compile,
  };
  return kCommands;
}

}  // namespace xylem::cli
