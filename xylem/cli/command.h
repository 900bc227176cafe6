// The subcommands of `xylem`: one file each, and one line in commands.cc.
#pragma once

#include <vector>

namespace CLI {
class App;
}

namespace xylem::cli {

// Adds the subcommand to the program; its callback runs it.
using AddCommand = void (*)(CLI::App& program);

const std::vector<AddCommand>& commands();

void add_bench(CLI::App& program);
void add_chat(CLI::App& program);
void add_compile(CLI::App& program);
void add_devices(CLI::App& program);
void add_generate(CLI::App& program);
void add_inspect(CLI::App& program);
void add_logits(CLI::App& program);
void add_plugins(CLI::App& program);
void add_template(CLI::App& program);
void add_tokenize(CLI::App& program);

}  // namespace xylem::cli
