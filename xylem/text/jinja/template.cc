#include "xylem/text/jinja/template.h"

#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/text/jinja/globals.h"
#include "xylem/text/jinja/json.h"
#include "xylem/text/jinja/parser.h"
#include "xylem/text/utf8.h"

namespace xylem::text::jinja {

Template Template::parse(std::string_view source, std::string name) {
  if (const size_t valid = valid_utf8_prefix(source); valid != source.size()) {
    fail(ErrorCode::kInvalidArgument, "{}: byte {} is not UTF-8, expected a text file", name,
         valid);
  }
  Template parsed;
  Parser parser(source, name);
  parsed.body_ = parser.parse();
  parsed.names_ = parser.take_names();
  parsed.name_ = std::move(name);
  return parsed;
}

std::string Template::render(const nlohmann::ordered_json& context, std::chrono::local_seconds now,
                             const Limits& limits) const {
  Runtime rt(limits, now);
  try {
    Scope& outermost = *rt.heap().make<Scope>(nullptr);
    for (Symbol symbol = 0; symbol < names_.size(); ++symbol) {
      if (const auto found = context.find(names_[symbol]); found != context.end()) {
        outermost.set(rt, symbol, from_json(rt, *found));
      } else if (const Function* global = globals().find(names_[symbol])) {
        outermost.set(rt, symbol, rt.heap().make<FunctionObject>(global, Value()));
      }
    }
    Scope& scope = *rt.heap().make<Scope>(&outermost);
    body_.execute(rt, scope);
    return rt.output().take();
  } catch (const RaisedByTemplate&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}:{}: {}", name_, rt.line, error.what()));
  }
}

}  // namespace xylem::text::jinja
