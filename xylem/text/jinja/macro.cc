#include "xylem/text/jinja/macro.h"

#include <algorithm>

#include "xylem/base/error.h"

namespace xylem::text::jinja {
namespace {

std::optional<Value> take_named(CallArgs& args, std::string_view name) {
  const auto found = std::find_if(args.named.begin(), args.named.end(),
                                  [&](const auto& argument) { return argument.first == name; });
  if (found == args.named.end()) return std::nullopt;
  Value value = std::move(found->second);
  args.named.erase(found);
  return value;
}

std::string shown_name(const MacroDefinition& macro) {
  return macro.name.empty() ? "a call block" : "macro '" + macro.name + "'";
}

}  // namespace

Value Macro::call(Runtime& rt, CallArgs args) {
  const int line = rt.line;
  InnerScope scope(rt, scope_);
  bind(rt, *scope, std::move(args));
  OutputCapture capture(rt);
  definition_.body.execute(rt, *scope);
  rt.line = line;
  return capture.take();
}

void Macro::bind(Runtime& rt, Scope& scope, CallArgs args) {
  const auto& parameters = definition_.parameters;
  rt.heap().work(args.positional.size() + args.named.size());
  std::vector<bool> given(parameters.size(), false);
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::optional<Value> value;
    if (i < args.positional.size()) {
      value = std::move(args.positional[i]);
    } else {
      value = take_named(args, parameters[i].name);
    }
    given[i] = value.has_value();
    if (!given[i]) {
      value = rt.undefined("parameter '" + parameters[i].name + "' was not provided");
    }
    scope.set(rt, parameters[i].symbol, std::move(*value));
  }
  bind_special(rt, scope, args);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (given[i] || parameters[i].fallback == nullptr) continue;
    scope.set(rt, parameters[i].symbol, parameters[i].fallback->evaluate(rt, scope));
  }
}

void Macro::bind_special(Runtime& rt, Scope& scope, CallArgs& args) {
  const size_t count = definition_.parameters.size();
  if (definition_.uses_caller) {
    auto caller = take_named(args, "caller");
    scope.set(rt, definition_.caller, caller ? *caller : rt.undefined("No caller defined"));
  }
  if (definition_.uses_kwargs) {
    std::vector<Dict::Entry> entries;
    for (auto& [name, value] : args.named) entries.emplace_back(rt.string(name), std::move(value));
    scope.set(rt, definition_.kwargs, rt.dict(std::move(entries)));
  } else if (!args.named.empty()) {
    fail(ErrorCode::kInvalidArgument, "{} takes no keyword argument '{}'", shown_name(definition_),
         args.named.front().first);
  }
  if (definition_.uses_varargs) {
    Values extra;
    for (size_t i = count; i < args.positional.size(); ++i) {
      extra.push_back(std::move(args.positional[i]));
    }
    scope.set(rt, definition_.varargs, rt.tuple(std::move(extra)));
  } else if (args.positional.size() > count) {
    fail(ErrorCode::kInvalidArgument, "{} takes not more than {} arguments, {} given",
         shown_name(definition_), count, args.positional.size());
  }
}

std::optional<Value> Macro::attribute(Runtime& rt, std::string_view name) {
  if (name == "name" && !definition_.name.empty()) return rt.string(definition_.name);
  if (name == "name") return Value();
  if (name == "caller") return definition_.uses_caller;
  if (name == "catch_kwargs") return definition_.uses_kwargs;
  if (name == "catch_varargs") return definition_.uses_varargs;
  if (name != "arguments") return std::nullopt;
  Values names;
  for (const MacroParameter& parameter : definition_.parameters) {
    names.push_back(rt.string(parameter.name));
  }
  return rt.tuple(std::move(names));
}

void Macro::repr(Runtime& rt, TextBuilder& out) {
  out.append("<Macro ");
  if (definition_.name.empty()) {
    out.append("anonymous");
  } else {
    write_repr(rt, rt.string(definition_.name), out);
  }
  out.append(">");
}

}  // namespace xylem::text::jinja
