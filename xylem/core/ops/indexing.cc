#include "xylem/core/ops/indexing.h"

#include <algorithm>
#include <cstdlib>

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/creation.h"
#include "xylem/core/ops/shape.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

// `count` elements of an axis, from `start` on.
struct Range {
  int64_t start, step, count;
};

// An index taken apart: ranges cut every axis first, then arrays pick along some axes of what is
// left, then axes that are integers go and new ones come.
struct Plan {
  std::vector<Range> ranges;     // one an axis of x
  std::vector<int64_t> picked;   // axes with index arrays ...
  std::vector<Array> picks;      // ... and those, wrapped
  std::vector<int64_t> layout;   // other axes of the result: of x, or -1
  size_t pick_place = 0;         // where in layout the picks' axes go
  std::vector<int64_t> dropped;  // axes taken away by integers
  bool whole = true;             // the ranges leave x as it is
};

template <typename T>
bool holds(const Index& entry) {
  return std::holds_alternative<T>(entry.value());
}

Range resolve(const char* op, const Slice& slice, int64_t size, Loc loc) {
  if (slice.step == 0) op_error(op, loc, "a slice's step is 0");
  bool forward = slice.step > 0;
  auto bound = [&](const std::optional<int64_t>& given, int64_t missing) {
    if (!given) return missing;
    int64_t at = *given < 0 ? *given + size : *given;
    return forward ? std::clamp<int64_t>(at, 0, size) : std::clamp<int64_t>(at, -1, size - 1);
  };
  int64_t start = bound(slice.start, forward ? 0 : size - 1);
  int64_t stop = bound(slice.stop, forward ? size : -1);
  int64_t length = forward ? stop - start : start - stop;
  int64_t count = length <= 0 ? 0 : (length - 1) / std::abs(slice.step) + 1;
  return {count == 0 ? 0 : start, slice.step, count};
}

bool is_mask(const Index& entry) {
  const Array* array = std::get_if<Array>(&entry.value());
  return array != nullptr && array->dtype() == DType::kBool;
}

int64_t axes_named(const Index& entry) {
  if (is_mask(entry)) return std::get<Array>(entry.value()).ndim();
  return holds<NewAxis>(entry) || holds<Ellipsis>(entry) ? 0 : 1;
}

// The positions where a known mask is true, one index array an axis.
std::vector<Array> true_positions(const Array& mask) {
  std::vector<uint8_t> values = mask.to_vector<uint8_t>();
  std::vector<std::vector<int32_t>> positions(mask.shape().size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    size_t rest = i;
    for (size_t d = mask.shape().size(); d-- > 0;) {
      size_t size = static_cast<size_t>(mask.shape()[d]);
      positions[d].push_back(static_cast<int32_t>(rest % size));
      rest /= size;
    }
  }
  std::vector<Array> arrays;
  for (const std::vector<int32_t>& list : positions) arrays.push_back(array<int32_t>(list));
  return arrays;
}

void check_mask(const char* op, const Array& mask, const Array& x, int64_t axis, Loc loc) {
  if (mask.is_traced()) {
    op_error(op, loc, "the mask {} is traced: how many elements it picks is not known; use where",
             mask.aval().text());
  }
  if (mask.ndim() == 0) op_error(op, loc, "a mask of 0 dimensions picks from no axis");
  for (int64_t size : mask.shape()) {
    if (size != x.shape()[static_cast<size_t>(axis)]) {
      op_error(op, loc, "the mask {} does not fit dimension {} of {}", mask.aval().text(), axis,
               x.aval().text());
    }
    ++axis;
  }
}

// One entry an axis of x, besides new axes: masks become index arrays, the ellipsis whole slices.
std::vector<Index> expand(const char* op, const Array& x, const std::vector<Index>& where,
                          Loc loc) {
  int64_t named = 0, ellipses = 0;
  for (const Index& entry : where) {
    named += axes_named(entry);
    ellipses += holds<Ellipsis>(entry) ? 1 : 0;
  }
  if (ellipses > 1) op_error(op, loc, "two ellipses: the axes that each stands for are not known");
  if (named > x.ndim()) op_error(op, loc, "{} indices for {}", named, x.aval().text());
  std::vector<Index> entries;
  int64_t axis = 0;
  auto add_whole = [&] {
    entries.insert(entries.end(), static_cast<size_t>(x.ndim() - named), Slice());
    axis += x.ndim() - named;
  };
  for (const Index& entry : where) {
    if (holds<Ellipsis>(entry)) {
      add_whole();
    } else if (is_mask(entry)) {
      const Array& mask = std::get<Array>(entry.value());
      check_mask(op, mask, x, axis, loc);
      for (const Array& list : true_positions(mask)) entries.emplace_back(list);
      axis += mask.ndim();
    } else {
      entries.push_back(entry);
      axis += axes_named(entry);
    }
  }
  if (ellipses == 0) add_whole();
  return entries;
}

int64_t checked_integer(const char* op, int64_t value, const Array& x, int64_t axis, Loc loc) {
  int64_t size = x.shape()[static_cast<size_t>(axis)];
  if (value < -size || value >= size) {
    op_error(op, loc, "{} is out of range for dimension {} of {}", value, axis, x.aval().text());
  }
  return value < 0 ? value + size : value;
}

// Builds the plan entry by entry. Beside arrays, integers pick like arrays of 0 dimensions (NumPy).
class Planner {
 public:
  Planner(const char* op, const Array& x, bool with_arrays, Loc loc)
      : op_(op), x_(x), with_arrays_(with_arrays), loc_(loc) {}

  void add(const Index& entry) {
    if (holds<NewAxis>(entry)) {
      add_plain(-1);
    } else if (const Slice* slice = std::get_if<Slice>(&entry.value())) {
      Range range = resolve(op_, *slice, size(), loc_);
      add_plain(axis_);
      add_range(range);
    } else if (const int64_t* integer = std::get_if<int64_t>(&entry.value())) {
      int64_t at = checked_integer(op_, *integer, x_, axis_, loc_);
      if (with_arrays_) return add_pick(scalar(at, DType::kS32, loc_));
      plan_.dropped.push_back(axis_);
      add_range({at, 1, 1});
    } else {
      add_array(std::get<Array>(entry.value()));
    }
  }

  Plan take() {
    if (apart_) plan_.pick_place = 0;
    return std::move(plan_);
  }

 private:
  int64_t size() const { return x_.shape()[static_cast<size_t>(axis_)]; }

  void add_range(Range range) {
    plan_.whole = plan_.whole && range.start == 0 && range.step == 1 && range.count == size();
    plan_.ranges.push_back(range);
    ++axis_;
  }

  void add_plain(int64_t axis) {
    plan_.layout.push_back(axis);
    after_pick_ = !plan_.picked.empty();
  }

  void add_array(const Array& indices) {
    if (!is_integer(indices.dtype())) {
      op_error(op_, loc_, "{} cannot index, expected integers or bool", indices.aval().text());
    }
    add_pick(wrap_indices(indices, size(), op_, loc_));
  }

  void add_pick(Array indices) {
    if (plan_.picked.empty()) plan_.pick_place = plan_.layout.size();
    apart_ = apart_ || after_pick_;
    plan_.picked.push_back(axis_);
    plan_.picks.push_back(std::move(indices));
    add_range({0, 1, size()});
  }

  const char* op_;
  const Array& x_;
  bool with_arrays_;
  Loc loc_;
  Plan plan_;
  int64_t axis_ = 0;
  bool after_pick_ = false, apart_ = false;
};

Plan make_plan(const char* op, const Array& x, const std::vector<Index>& where, Loc loc) {
  std::vector<Index> entries = expand(op, x, where, loc);
  Planner planner(op, x, std::any_of(entries.begin(), entries.end(), holds<Array>), loc);
  for (const Index& entry : entries) planner.add(entry);
  return planner.take();
}

std::vector<int64_t> backward_axes(const Plan& plan) {
  std::vector<int64_t> axes;
  for (size_t d = 0; d < plan.ranges.size(); ++d) {
    if (plan.ranges[d].step < 0) axes.push_back(static_cast<int64_t>(d));
  }
  return axes;
}

// First element of the range in memory, and the distance between elements.
int64_t low_end(const Range& r) {
  return r.step > 0 || r.count == 0 ? r.start : r.start + (r.count - 1) * r.step;
}

Array cut(const Array& x, const Plan& plan, Loc loc) {
  if (plan.whole) return x;
  std::vector<int64_t> starts, limits, strides;
  for (const Range& r : plan.ranges) {
    int64_t step = std::abs(r.step);
    starts.push_back(low_end(r));
    limits.push_back(r.count == 0 ? low_end(r) : low_end(r) + (r.count - 1) * step + 1);
    strides.push_back(step);
  }
  Array out = slice(x, starts, limits, strides, loc);
  std::vector<int64_t> backward = backward_axes(plan);
  return backward.empty() ? out : flip(out, backward, loc);
}

// The inverse: x with `part` in the places that cut() reads.
Array paste(const Array& x, const Array& part, const Plan& plan, Loc loc) {
  if (plan.whole) return part;
  if (part.size() == 0) return x;
  std::vector<int64_t> low, high, interior;
  for (size_t d = 0; d < plan.ranges.size(); ++d) {
    const Range& r = plan.ranges[d];
    int64_t step = std::abs(r.step);
    low.push_back(low_end(r));
    interior.push_back(step - 1);
    high.push_back(x.shape()[d] - (low_end(r) + (r.count - 1) * step + 1));
  }
  std::vector<int64_t> backward = backward_axes(plan);
  Array forward = backward.empty() ? part : flip(part, backward, loc);
  Array mask = pad(full(part.shape(), true, DType::kBool, loc), low, high, 0, interior, loc);
  return where(mask, pad(forward, low, high, 0, interior, loc), x, loc);
}

// The picks as a gather from what cut() gives.
struct Pick {
  Array indices;  // [..., number of picked axes]
  GatherDims dims;
  Shape sizes;
  size_t kept_before = 0;  // axes of x in front of the picks' axes
};

Pick make_pick(const char* op, const Shape& cut_shape, const Plan& plan, Loc loc) {
  Pick pick;
  Shape shape;
  for (const Array& indices : plan.picks) {
    shape = broadcast_shapes(shape, indices.shape(), op, loc);
  }
  std::vector<Array> parts;
  for (const Array& indices : plan.picks) {
    parts.push_back(expand_dims(broadcast_to(indices, shape, loc), -1, loc));
  }
  pick.indices = concatenate(parts, -1, loc);
  pick.dims.collapsed_axes = pick.dims.start_axes = plan.picked;
  pick.sizes = cut_shape;
  for (int64_t axis : plan.picked) pick.sizes[static_cast<size_t>(axis)] = 1;
  int64_t place = 0;
  for (size_t i = 0; i < plan.layout.size(); ++i) {
    if (i == plan.pick_place) place += static_cast<int64_t>(shape.size());
    if (plan.layout[i] < 0) continue;
    if (i < plan.pick_place) ++pick.kept_before;
    pick.dims.offset_axes.push_back(place++);
  }
  return pick;
}

// The shape of the result; `pick_shape` are the sizes of the picks' axes.
Shape result_shape(const Shape& cut_shape, const Plan& plan, const Shape& pick_shape) {
  Shape shape;
  for (size_t i = 0; i <= plan.layout.size(); ++i) {
    if (i == plan.pick_place) shape.insert(shape.end(), pick_shape.begin(), pick_shape.end());
    if (i == plan.layout.size()) break;
    int64_t axis = plan.layout[i];
    shape.push_back(axis < 0 ? 1 : cut_shape[static_cast<size_t>(axis)]);
  }
  return shape;
}

Shape pick_shape_of(const Pick& pick) {
  return Shape(pick.indices.shape().begin(), pick.indices.shape().end() - 1);
}

// What gather gives before new axes are put in: the picks' axes among the other axes of x.
Shape gathered_shape(const Shape& cut_shape, const Plan& plan, const Pick& pick) {
  Shape shape;
  for (int64_t axis : plan.layout) {
    if (axis >= 0) shape.push_back(cut_shape[static_cast<size_t>(axis)]);
  }
  Shape picks = pick_shape_of(pick);
  shape.insert(shape.begin() + static_cast<int64_t>(pick.kept_before), picks.begin(), picks.end());
  return shape;
}

Array combine(Combiner combiner, const Array& old, const Array& value) {
  switch (combiner) {
    case Combiner::kSet:
      return value;
    case Combiner::kAdd:
      return add(old, value);
    case Combiner::kMultiply:
      return multiply(old, value);
    case Combiner::kMin:
      return minimum(old, value);
    case Combiner::kMax:
      return maximum(old, value);
  }
  fail(ErrorCode::kInternal, "[at] unknown combiner");
}

Array value_like(const Array& x, const Operand& value, const Shape& shape, Loc loc) {
  Array array = value.is_scalar() ? full({}, value.scalar(), x.dtype(), loc)
                                  : astype(value.array(), x.dtype(), loc);
  if (broadcast_shapes(array.shape(), shape, "at", loc) != shape) {
    op_error("at", loc, "the value {} does not broadcast to the places, which have the shape {}",
             array.aval().text(), shape_text(shape));
  }
  return broadcast_to(array, shape, loc);
}

}  // namespace

Array index(const Array& x, const std::vector<Index>& where, IndexMode mode, Loc loc) {
  Plan plan = make_plan("index", x, where, loc);
  Array part = cut(x, plan, loc);
  if (plan.picked.empty()) return reshape(part, result_shape(part.shape(), plan, {}), loc);
  Pick pick = make_pick("index", part.shape(), plan, loc);
  Shape shape = result_shape(part.shape(), plan, pick_shape_of(pick));
  return reshape(gather(part, pick.indices, pick.dims, pick.sizes, mode, loc), shape, loc);
}

At::At(Array x, std::vector<Index> where, IndexMode mode, Loc loc)
    : x_(std::move(x)), where_(std::move(where)), mode_(mode), loc_(loc) {}

Array At::get() const { return index(x_, where_, mode_, loc_); }

Array At::update(Combiner combiner, const Operand& value) const {
  Plan plan = make_plan("at", x_, where_, loc_);
  Array part = cut(x_, plan, loc_);
  if (plan.picked.empty()) {
    Shape shape = result_shape(part.shape(), plan, {});
    Array fresh = reshape(value_like(x_, value, shape, loc_), part.shape(), loc_);
    return paste(x_, combine(combiner, part, fresh), plan, loc_);
  }
  Pick pick = make_pick("at", part.shape(), plan, loc_);
  Shape shape = result_shape(part.shape(), plan, pick_shape_of(pick));
  Array updates =
      reshape(value_like(x_, value, shape, loc_), gathered_shape(part.shape(), plan, pick), loc_);
  Array changed = scatter(part, pick.indices, updates, pick.dims, combiner, mode_, loc_);
  return paste(x_, changed, plan, loc_);
}

At at(const Array& x, std::vector<Index> where, IndexMode mode, Loc loc) {
  return At(x, std::move(where), mode, loc);
}

}  // namespace xylem
