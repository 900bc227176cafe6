// xylem inspect: what a weight file or a model folder holds.
#include "xylem/io/inspect.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "xylem/cli/command.h"
#include "xylem/models/catalogue.h"

namespace xylem::cli {

void add_inspect(CLI::App& program) {
  auto path = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand(
      "inspect", "Show metadata, tensors, types and sizes of a file or a folder.");
  command->add_option("FILE", *path, "a .gguf or .safetensors file, a model folder, or a name")
      ->required();
  command->add_flag("--json", *json, "one JSON object");
  command->callback([path, json] {
    fmt::print("{}", io::inspect(models::resolve_model(*path),
                                 *json ? io::InspectStyle::kJson : io::InspectStyle::kText));
  });
}

}  // namespace xylem::cli
