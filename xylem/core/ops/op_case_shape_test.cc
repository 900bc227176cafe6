// Runners of the text cases: creation, shapes, gather and scatter, indexing.
#include <sstream>

#include "xylem/core/ops/op_case.h"

namespace xylem {
namespace {

std::vector<Array> run_full(const OpCase& c) {
  if (c.text("value").find_first_of(".einf") != std::string::npos) {
    return {full(c.list("shape"), c.real("value", 0), c.dtype("dtype"))};
  }
  if (c.dtype("dtype") == DType::kU64) {
    return {full(c.list("shape"), std::stoull(c.text("value")), DType::kU64)};
  }
  return {full(c.list("shape"), c.integer("value", 0), c.dtype("dtype"))};
}

std::vector<Array> run_dynamic_update_slice(const OpCase& c) {
  std::vector<Array> arrays = c.arrays();
  return {dynamic_update_slice(arrays.at(0), arrays.at(1), {arrays.begin() + 2, arrays.end()})};
}

std::vector<Array> run_dynamic_slice(const OpCase& c) {
  std::vector<Array> arrays = c.arrays();
  return {dynamic_slice(arrays.at(0), {arrays.begin() + 1, arrays.end()}, c.list("sizes"))};
}

GatherDims dims_of(const OpCase& c) {
  return {c.list("offset_axes"), c.list("collapsed_axes"), c.list("start_axes"), c.list("x_batch"),
          c.list("index_batch")};
}

IndexMode mode_of(const OpCase& c, IndexMode missing) {
  if (!c.has("mode")) return missing;
  return c.text("mode") == "fill" ? IndexMode::kFill : IndexMode::kClip;
}

std::vector<Array> run_gather(const OpCase& c) {
  return {
      gather(c.array(0), c.array(1), dims_of(c), c.list("sizes"), mode_of(c, IndexMode::kClip))};
}

std::vector<Array> run_scatter(const OpCase& c) {
  return {scatter(c.array(0), c.array(1), c.array(2), dims_of(c), combiner_of(c),
                  mode_of(c, IndexMode::kFill))};
}

std::vector<Array> run_take_along_axis(const OpCase& c) {
  return {
      take_along_axis(c.array(0), c.array(1), c.integer("axis", 0), mode_of(c, IndexMode::kClip))};
}

std::vector<Array> run_put_along_axis(const OpCase& c) {
  return {put_along_axis(c.array(0), c.array(1), c.array(2), c.integer("axis", 0), combiner_of(c),
                         mode_of(c, IndexMode::kFill))};
}

const AddOps kCreation = {
    {"full", run_full},
    {"zeros",
     [](const OpCase& c) { return std::vector<Array>{zeros(c.list("shape"), c.dtype("dtype"))}; }},
    {"ones",
     [](const OpCase& c) { return std::vector<Array>{ones(c.list("shape"), c.dtype("dtype"))}; }},
    {"iota",
     [](const OpCase& c) {
       return std::vector<Array>{iota(c.list("shape"), c.integer("axis", 0), c.dtype("dtype"))};
     }},
    {"arange",
     [](const OpCase& c) {
       return std::vector<Array>{arange(c.integer("n", 0), c.dtype("dtype"))};
     }},
};

const AddOps kShape = {
    {"reshape",
     [](const OpCase& c) { return std::vector<Array>{reshape(c.array(0), c.list("shape"))}; }},
    {"transpose",
     [](const OpCase& c) { return std::vector<Array>{transpose(c.array(0), c.list("axes"))}; }},
    {"swapaxes",
     [](const OpCase& c) {
       return std::vector<Array>{swapaxes(c.array(0), c.integer("a", 0), c.integer("b", 0))};
     }},
    {"moveaxis",
     [](const OpCase& c) {
       return std::vector<Array>{moveaxis(c.array(0), c.integer("from", 0), c.integer("to", 0))};
     }},
    {"expand_dims",
     [](const OpCase& c) {
       return std::vector<Array>{expand_dims(c.array(0), c.integer("axis", 0))};
     }},
    {"squeeze",
     [](const OpCase& c) { return std::vector<Array>{squeeze(c.array(0), c.list("axes"))}; }},
    {"broadcast_to",
     [](const OpCase& c) { return std::vector<Array>{broadcast_to(c.array(0), c.list("shape"))}; }},
    {"broadcast_in_dim",
     [](const OpCase& c) {
       return std::vector<Array>{broadcast_in_dim(c.array(0), c.list("shape"), c.list("dims"))};
     }},
    {"concatenate",
     [](const OpCase& c) {
       return std::vector<Array>{concatenate(c.arrays(), c.integer("axis", 0))};
     }},
    {"stack",
     [](const OpCase& c) { return std::vector<Array>{stack(c.arrays(), c.integer("axis", 0))}; }},
    {"split",
     [](const OpCase& c) {
       return split(c.array(0), c.integer("parts", 1), c.integer("axis", 0));
     }},
    {"split_sizes",
     [](const OpCase& c) {
       return split_sizes(c.array(0), c.list("sizes"), c.integer("axis", 0));
     }},
    {"pad",
     [](const OpCase& c) {
       return std::vector<Array>{
           pad(c.array(0), c.list("low"), c.list("high"), c.real("value", 0), c.list("interior"))};
     }},
    {"slice",
     [](const OpCase& c) {
       return std::vector<Array>{
           slice(c.array(0), c.list("starts"), c.list("limits"), c.list("strides"))};
     }},
    {"slice_axis",
     [](const OpCase& c) {
       return std::vector<Array>{slice_axis(c.array(0), c.integer("axis", 0), c.integer("start", 0),
                                            c.integer("limit", 0))};
     }},
    {"flip", [](const OpCase& c) { return std::vector<Array>{flip(c.array(0), c.list("axes"))}; }},
    {"roll",
     [](const OpCase& c) {
       return std::vector<Array>{roll(c.array(0), c.integer("shift", 0), c.integer("axis", 0))};
     }},
    {"repeat",
     [](const OpCase& c) {
       return std::vector<Array>{repeat(c.array(0), c.integer("count", 1), c.integer("axis", 0))};
     }},
};

// "1 ::2 ... new #1": #k is input k.
std::vector<Index> indices_of(const OpCase& c) {
  std::vector<Index> where;
  std::istringstream words(c.text("where"));
  for (std::string word; words >> word;) {
    if (word == "...") {
      where.emplace_back(kEllipsis);
    } else if (word == "new") {
      where.emplace_back(kNewAxis);
    } else if (word[0] == '#') {
      where.emplace_back(c.array(static_cast<size_t>(std::stoi(word.substr(1)))));
    } else if (word.find(':') == std::string::npos) {
      where.emplace_back(std::stoll(word));
    } else {
      std::vector<std::optional<int64_t>> parts;
      std::istringstream list(word + ":");
      for (std::string part; std::getline(list, part, ':');) {
        parts.push_back(part.empty() ? std::nullopt : std::optional<int64_t>(std::stoll(part)));
      }
      where.emplace_back(Slice(parts.at(0), parts.at(1), parts.at(2).value_or(1)));
    }
  }
  return where;
}

OpRunner at_runner(Combiner combiner) {
  return [combiner](const OpCase& c) {
    At places = at(c.array(0), indices_of(c), mode_of(c, IndexMode::kFill));
    return std::vector<Array>{places.update(combiner, c.inputs.back())};
  };
}

const AddOps kIndexing = {
    {"index",
     [](const OpCase& c) {
       return std::vector<Array>{index(c.array(0), indices_of(c), mode_of(c, IndexMode::kClip))};
     }},
    {"at_set", at_runner(Combiner::kSet)},
    {"at_add", at_runner(Combiner::kAdd)},
    {"at_multiply", at_runner(Combiner::kMultiply)},
    {"at_min", at_runner(Combiner::kMin)},
    {"at_max", at_runner(Combiner::kMax)},
    {"take",
     [](const OpCase& c) {
       return std::vector<Array>{
           take(c.array(0), c.array(1), c.integer("axis", 0), mode_of(c, IndexMode::kClip))};
     }},
    {"dynamic_slice", run_dynamic_slice},
    {"dynamic_update_slice", run_dynamic_update_slice},
    {"gather", run_gather},
    {"scatter", run_scatter},
    {"take_along_axis", run_take_along_axis},
    {"put_along_axis", run_put_along_axis},
};

}  // namespace
}  // namespace xylem
