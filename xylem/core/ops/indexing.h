// NumPy-like indexing.
//
//   Array row = index(x, {3});                                   // x[3]
//   Array part = index(x, {Slice(1, 5), kNewAxis, Slice(-1, {}, -2)});
//   Array picked = index(x, {kEllipsis, array<int32_t>({2, 0})});
//   Array y = at(x, {ids}).add(1.0);                              // a changed copy
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "xylem/core/array.h"
#include "xylem/core/ops/elementwise.h"
#include "xylem/core/ops/gather.h"

namespace xylem {

// start:stop:step with Python's meaning: negative positions count from the end, bounds are
// clipped, a negative step goes backwards, nothing means "from the end where one starts".
struct Slice {
  Slice() = default;
  Slice(std::optional<int64_t> first, std::optional<int64_t> last, int64_t by = 1)
      : start(first), stop(last), step(by) {}
  std::optional<int64_t> start, stop;
  int64_t step = 1;
};

struct NewAxis {};
struct Ellipsis {};
inline constexpr NewAxis kNewAxis;    // a new axis of size 1
inline constexpr Ellipsis kEllipsis;  // all the axes not named

// One entry between the brackets: an integer, a Slice, kNewAxis, kEllipsis, an integer array, or a
// bool array whose value is known (not traced).
class Index {
 public:
  template <typename T>
  requires std::is_integral_v<T> Index(T value)  // NOLINT(google-explicit-constructor)
      : value_(static_cast<int64_t>(value)) {}
  Index(Slice slice) : value_(slice) {}         // NOLINT(google-explicit-constructor)
  Index(NewAxis axis) : value_(axis) {}         // NOLINT(google-explicit-constructor)
  Index(Ellipsis rest) : value_(rest) {}        // NOLINT(google-explicit-constructor)
  Index(const Array& array) : value_(array) {}  // NOLINT(google-explicit-constructor)

  const std::variant<int64_t, Slice, NewAxis, Ellipsis, Array>& value() const { return value_; }

 private:
  std::variant<int64_t, Slice, NewAxis, Ellipsis, Array> value_;
};

// x[...]. Fixed integers must be inside; array entries follow `mode`, after negative ones wrapped.
Array index(const Array& x, const std::vector<Index>& where, IndexMode mode = IndexMode::kClip,
            Loc loc = Loc::current());

// Copies of an array with some places changed; values broadcast to the shape of index(x, where)
// and are cast to x's dtype.
class At {
 public:
  At(Array x, std::vector<Index> where, IndexMode mode, Loc loc);
  Array get() const;
  Array set(const Operand& value) const { return update(Combiner::kSet, value); }
  Array add(const Operand& value) const { return update(Combiner::kAdd, value); }
  Array multiply(const Operand& value) const { return update(Combiner::kMultiply, value); }
  Array min(const Operand& value) const { return update(Combiner::kMin, value); }
  Array max(const Operand& value) const { return update(Combiner::kMax, value); }
  Array update(Combiner combiner, const Operand& value) const;

 private:
  Array x_;
  std::vector<Index> where_;
  IndexMode mode_;
  Loc loc_;
};

// kFill drops changes outside, kClip moves them to the nearest place.
At at(const Array& x, std::vector<Index> where, IndexMode mode = IndexMode::kFill,
      Loc loc = Loc::current());

}  // namespace xylem
