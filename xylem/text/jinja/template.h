// A parsed Jinja template.
//
//   Template hello = Template::parse("Hello {{ name }}!", "hello.jinja");
//   std::string text = hello.render({{"name", "World"}}, now);
//
// It is Jinja2 3.1 in transformers' configuration: a sandbox without mutating methods, trim_blocks
// and lstrip_blocks, loopcontrols, `generation`, and `tojson` that is Python's json.dumps. Not
// offered: loading other templates, autoescaping, `self`, the global lipsum and the filters pprint,
// random, urlize and wordwrap.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "xylem/text/jinja/ast.h"
#include "xylem/text/jinja/limits.h"

namespace xylem::text::jinja {

// Immutable after parse: any number of threads may render it.
class Template {
 public:
  // kInvalidArgument, "name:line: what, expected", for syntax errors. name stands in messages.
  static Template parse(std::string_view source, std::string name);

  // context is an object: its keys are the template's variables, in order. kInvalidArgument with
  // the template's own text when it calls raise_exception; "name:line: what" when it fails
  // otherwise; kResourceExhausted over the limits.
  std::string render(const nlohmann::ordered_json& context, std::chrono::local_seconds now,
                     const Limits& limits = {}) const;

 private:
  std::string name_;
  Body body_;
  std::vector<std::string> names_;  // by symbol
};

}  // namespace xylem::text::jinja
