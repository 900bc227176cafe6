// jit: a function of trees traced once per argument signature and compiled; later calls skip
// tracing.
//
//   auto step = jit([](const State& s, const Array& x) { return update(s, x); },
//                   {.donate = {0}});
//   state = step(state, x);      // state's buffers are reused; the old state is gone
//
// A traced function runs once: side effects and host reads (item()) inside it do not.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "xylem/core/emitter.h"
#include "xylem/core/tree.h"
#include "xylem/runtime/executable.h"

namespace xylem {

struct JitOptions {
  std::vector<int64_t> donate = {};  // argument numbers whose buffers the call may reuse
  std::string name = "jit";
};

// A function of flat arrays, lowered and compiled for one signature.
class CompiledFunction {
 public:
  using Function = std::function<std::vector<Array>(const std::vector<Array>&)>;

  // Traces `f` on placeholders like `arguments`. `donated` are flat argument indices.
  static std::shared_ptr<CompiledFunction> trace(const Function& f,
                                                 const std::vector<Aval>& arguments,
                                                 const std::vector<int64_t>& donated,
                                                 const LowerOptions& options,
                                                 const std::string& name);

  // Runs; the arguments must have the signature's avals (not checked again here).
  std::vector<Array> call(std::span<const Array> arguments);

  const std::vector<Aval>& results() const { return program_.signature.results; }
  const std::string& text() const { return program_.text; }
  // Compiles now, if it has not been; call() does at its first use.
  const std::shared_ptr<runtime::Executable>& executable();

 private:
  void check_donations(std::span<const Array> arguments) const;
  void mark_donated(std::span<const Array> arguments) const;

  Program program_;  // its arguments after the placeholders are the captured constants
  std::vector<Array> captured_;
  size_t parameter_count_ = 0;
  std::string name_;
  std::shared_ptr<runtime::Executable> executable_;
  std::shared_ptr<runtime::Client> client_;  // that executable_ was compiled for
};

bool any_traced(const std::vector<Array>& leaves);
std::vector<Aval> avals_of(const std::vector<Array>& leaves);
bool have_avals(const std::vector<Array>& leaves, const std::vector<Aval>& avals);

template <typename F>
class Jit {
 public:
  Jit(F f, JitOptions options) : f_(std::move(f)), options_(std::move(options)) {}

  template <typename... Args>
  auto operator()(const Args&... args) {
    using Result = std::decay_t<decltype(f_(args...))>;
    Flat flat;
    (append(args, flat), ...);
    if (any_traced(flat.leaves)) return Result(f_(args...));  // part of an outer trace
    Entry& entry = find_or_trace(flat, args...);
    std::vector<Array> results = entry.function->call(flat.leaves);
    size_t next = 0;
    return unflatten(std::any_cast<const Result&>(entry.prototype), results, next);
  }

  // The compiled function for these arguments, for inspection and for callers that keep flat
  // argument lists.
  template <typename... Args>
  std::shared_ptr<CompiledFunction> lower(const Args&... args) {
    Flat flat;
    (append(args, flat), ...);
    return find_or_trace(flat, args...).function;
  }

  // Signatures traced so far.
  size_t cache_size() const { return entries_.size(); }

 private:
  // The arguments of one call.
  struct Flat {
    std::vector<Array> leaves;
    std::vector<size_t> ends;        // index after each argument's last leaf
    std::vector<int64_t> structure;  // of all the trees
  };
  struct Entry {
    std::vector<Aval> avals;
    std::vector<int64_t> structure;
    LowerOptions options;
    std::shared_ptr<CompiledFunction> function;
    std::any prototype;  // the result tree of the trace
  };

  template <typename T>
  static void append(const T& tree, Flat& flat) {
    append_leaves(tree, flat.leaves);
    append_structure(tree, flat.structure);
    flat.ends.push_back(flat.leaves.size());
  }

  std::vector<int64_t> donated_leaves(const std::vector<size_t>& ends) const {
    std::vector<int64_t> donated;
    for (int64_t argument : options_.donate) {
      size_t a = static_cast<size_t>(argument);
      if (a >= ends.size()) {
        fail(ErrorCode::kInvalidArgument, "[jit] donated argument {} of {} takes {} arguments",
             argument, options_.name, ends.size());
      }
      for (size_t i = a == 0 ? 0 : ends[a - 1]; i < ends[a]; ++i) {
        donated.push_back(static_cast<int64_t>(i));
      }
    }
    return donated;
  }

  template <typename... Args>
  Entry& find_or_trace(const Flat& call, const Args&... args) {
    LowerOptions options = lower_options();
    for (Entry& entry : entries_) {
      if (entry.structure == call.structure && entry.options == options &&
          have_avals(call.leaves, entry.avals)) {
        return entry;
      }
    }
    using Result = std::decay_t<decltype(f_(args...))>;
    std::vector<Aval> avals = avals_of(call.leaves);
    Entry entry{avals, call.structure, options, nullptr, {}};
    auto flat = [&](const std::vector<Array>& placeholders) {
      size_t next = 0;
      Result result = std::apply(f_, std::tuple<Args...>{unflatten(args, placeholders, next)...});
      entry.prototype = result;
      return flatten(result);
    };
    entry.function =
        CompiledFunction::trace(flat, avals, donated_leaves(call.ends), options, options_.name);
    entries_.push_back(std::move(entry));
    return entries_.back();
  }

  static LowerOptions lower_options();

  F f_;
  JitOptions options_;
  std::vector<Entry> entries_;
};

LowerOptions jit_lower_options();

template <typename F>
LowerOptions Jit<F>::lower_options() {
  return jit_lower_options();
}

template <typename F>
Jit<std::decay_t<F>> jit(F&& f, JitOptions options = {}) {
  return Jit<std::decay_t<F>>(std::forward<F>(f), std::move(options));
}

}  // namespace xylem
