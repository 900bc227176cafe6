// NumPy's text form of an array: what print(a) shows with NumPy 2.4's default options. The floats
// that NumPy lacks (bfloat16, fp8) print as the float32 of their value.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "xylem/core/array.h"
#include "xylem/core/host_values.h"
#include "xylem/core/node.h"

namespace xylem {
namespace {

constexpr int64_t kThreshold = 1000;  // elements; larger arrays show the ends of their axes
constexpr int64_t kEdgeItems = 3;
constexpr size_t kLineWidth = 75;
constexpr int kPrecision = 8;

DType printed_dtype(DType dtype) {
  bool known = dtype == DType::kF64 || dtype == DType::kF32 || dtype == DType::kF16;
  return known ? dtype : DType::kF32;
}

double rounded_to(DType dtype, double value) {
  double place = 0;
  set_host_float(&place, dtype, 0, value);
  return host_float(&place, dtype, 0);
}

// Digits after the point of the shortest scientific form that reads back as the same value.
int shortest_digits(double value, DType dtype) {
  if (dtype == DType::kF16) {
    for (int digits = 0;; ++digits) {
      std::string text = fmt::format("{:.{}e}", value, digits);
      if (rounded_to(dtype, std::strtod(text.c_str(), nullptr)) == value) return digits;
    }
  }
  char text[64];
  auto end = dtype == DType::kF32
                 ? std::to_chars(text, text + sizeof text, static_cast<float>(value),
                                 std::chars_format::scientific)
                 : std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  std::string_view written(text, static_cast<size_t>(end.ptr - text));
  size_t point = written.find('.');
  return point == std::string_view::npos ? 0 : static_cast<int>(written.find('e') - point) - 1;
}

int exponent_of(double value) {
  if (value == 0) return 0;
  std::string text = fmt::format("{:.17e}", value);
  return std::stoi(text.substr(text.find('e') + 1));
}

// The shortest digits, at most `precision` behind the point, trailing zeros away: "0.5", "3.".
std::string positional(double value, DType dtype, int precision) {
  int digits = std::max(shortest_digits(value, dtype) - exponent_of(value), 0);
  std::string text = fmt::format("{:.{}f}", value, std::min(digits, precision));
  if (text.find('.') == std::string::npos) return text + ".";
  return text.substr(0, text.find_last_not_of('0') + 1);
}

// "1.5e-07" with this many digits behind the point.
std::string scientific(double value, int digits) {
  std::string text = fmt::format("{:.{}e}", value, digits);
  if (digits == 0) text.insert(text.find('e'), ".");
  return text;
}

std::string padded(std::string text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

// Common form of all the floats of an array: NumPy's FloatingFormat.
class FloatFormat {
 public:
  FloatFormat(const std::vector<double>& values, DType dtype) : dtype_(dtype) {
    std::vector<double> finite;
    std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
                 [](double v) { return std::isfinite(v); });
    scientific_ = needs_exponent(finite);
    for (double value : finite) measure(value);
    if (finite.size() == values.size()) return;
    bool negative =
        std::count(values.begin(), values.end(), -std::numeric_limits<double>::infinity()) > 0;
    size_t offset = right_ + 1, word = negative ? 4 : 3;
    left_ = std::max(left_, word > offset ? word - offset : 0);
  }

  std::string operator()(double value) const {
    size_t width = left_ + right_ + 1;
    if (std::isnan(value)) return padded("nan", width);
    if (std::isinf(value)) return padded(value < 0 ? "-inf" : "inf", width);
    if (scientific_) return padded(widened(scientific(value, digits_)), width);
    std::string text = positional(value, dtype_, kPrecision);
    size_t behind = text.size() - text.find('.') - 1;
    return padded(text + std::string(right_ - behind, ' '), width);
  }

 private:
  bool needs_exponent(const std::vector<double>& finite) const {
    double low = std::numeric_limits<double>::infinity(), high = 0;
    for (double value : finite) {
      if (value == 0) continue;
      low = std::min(low, std::abs(value));
      high = std::max(high, std::abs(value));
    }
    if (high == 0) return false;
    double cutoff = dtype_ == DType::kF16 ? 1e3 : dtype_ == DType::kF32 ? 1e6 : 1e8;
    return high >= cutoff || low < rounded_to(dtype_, 1e-4) ||
           rounded_to(dtype_, high / low) > 1000;
  }

  void measure(double value) {
    if (!scientific_) {
      std::string text = positional(value, dtype_, kPrecision);
      left_ = std::max(left_, text.find('.'));
      right_ = std::max(right_, text.size() - text.find('.') - 1);
      return;
    }
    int digits = std::min(shortest_digits(value, dtype_), kPrecision);
    std::string text = scientific(value, digits);
    // Rounding at the precision may leave zeros at the end.
    size_t e = text.find('e'), last = text.find_last_not_of('0', e - 1);
    digits_ = std::max(digits_, static_cast<int>(last - text.find('.')));
    left_ = std::max(left_, text.find('.'));
    exponent_ = std::max(exponent_, text.size() - e - 2);
    right_ = static_cast<size_t>(digits_) + exponent_ + 2;
  }

  // The exponent with as many digits as the longest.
  std::string widened(const std::string& text) const {
    size_t sign = text.find('e') + 1;
    std::string digits = text.substr(sign + 1);
    return text.substr(0, sign + 1) + std::string(exponent_ - digits.size(), '0') + digits;
  }

  DType dtype_;
  bool scientific_ = false;
  int digits_ = 0;
  size_t left_ = 0, right_ = 0, exponent_ = 0;
};

std::string integer_text(int64_t value, DType dtype) {
  return dtype == DType::kU64 ? std::to_string(static_cast<uint64_t>(value))
                              : std::to_string(value);
}

// A scalar as Python prints NumPy's: all its digits.
std::string scalar_text(const void* data, DType dtype) {
  if (dtype == DType::kBool) return host_integer(data, dtype, 0) != 0 ? "True" : "False";
  if (is_integer(dtype)) return integer_text(host_integer(data, dtype, 0), dtype);
  double value = host_float(data, dtype, 0), size = std::abs(value);
  DType printed = printed_dtype(dtype);
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  double cutoff = printed == DType::kF64 ? 1e16 : printed == DType::kF32 ? 1e6 : 1e3;
  if (value == 0 || (size >= 1e-4 && size < cutoff)) {
    std::string text = positional(value, printed, 400);
    return text.back() == '.' ? text + "0" : text;
  }
  std::string text = scientific(value, shortest_digits(value, printed));
  size_t point = text.find(".e");
  return point == std::string::npos ? text : text.erase(point, 1);
}

// The elements along nested brackets, with NumPy's line breaks.
class Layout {
 public:
  Layout(const Shape& shape, bool summary, std::function<std::string(int64_t)> element)
      : shape_(shape), summary_(summary), element_(std::move(element)) {}

  // Offsets of the elements that are shown.
  std::vector<int64_t> shown() const {
    std::vector<int64_t> offsets = {0};
    for (size_t d = 0; d < shape_.size(); ++d) {
      std::vector<int64_t> next;
      for (int64_t offset : offsets) {
        for (int64_t i = 0; i < shape_[d]; ++i) {
          if (cuts(d) && i == kEdgeItems) i = shape_[d] - kEdgeItems;
          next.push_back(offset * shape_[d] + i);
        }
      }
      offsets = std::move(next);
    }
    return offsets;
  }

  std::string text() const { return block(0, 0, " ", kLineWidth); }

 private:
  bool cuts(size_t axis) const { return summary_ && shape_[axis] > 2 * kEdgeItems; }

  std::string block(size_t axis, int64_t offset, const std::string& indent, size_t width) const {
    bool last_axis = axis + 1 == shape_.size();
    std::string body =
        last_axis ? row(axis, offset, indent, width - 1) : blocks(axis, offset, indent, width - 1);
    return "[" + body.substr(indent.size()) + "]";
  }

  std::string row(size_t axis, int64_t offset, const std::string& indent, size_t width) const {
    std::string done, line = indent;
    auto extend = [&](const std::string& word) {
      if (line.size() + word.size() > width && line.size() > indent.size()) {
        line.erase(line.find_last_not_of(' ') + 1);
        done += line + "\n";
        line = indent;
      }
      line += word;
    };
    for (int64_t i = 0; i < shape_[axis]; ++i) {
      if (cuts(axis) && i == kEdgeItems) {
        extend("...");
        line += " ";
        i = shape_[axis] - kEdgeItems;
      }
      extend(element_(offset * shape_[axis] + i));
      if (i + 1 < shape_[axis]) line += " ";
    }
    return done + line;
  }

  std::string blocks(size_t axis, int64_t offset, const std::string& indent, size_t width) const {
    std::string text, separator(shape_.size() - axis - 1, '\n');
    for (int64_t i = 0; i < shape_[axis]; ++i) {
      if (cuts(axis) && i == kEdgeItems) {
        text += indent + "..." + separator;
        i = shape_[axis] - kEdgeItems;
      }
      text += indent + block(axis + 1, offset * shape_[axis] + i, indent + " ", width);
      if (i + 1 < shape_[axis]) text += separator;
    }
    return text;
  }

  const Shape& shape_;
  bool summary_;
  std::function<std::string(int64_t)> element_;
};

std::function<std::string(int64_t)> element_format(const char* data, DType dtype,
                                                   const std::vector<int64_t>& shown) {
  if (dtype == DType::kBool) {
    return [=](int64_t i) { return host_integer(data, dtype, i) != 0 ? " True" : "False"; };
  }
  if (is_integer(dtype)) {
    size_t width = 0;
    for (int64_t i : shown) {
      width = std::max(width, integer_text(host_integer(data, dtype, i), dtype).size());
    }
    return
        [=](int64_t i) { return padded(integer_text(host_integer(data, dtype, i), dtype), width); };
  }
  std::vector<double> values;
  for (int64_t i : shown) values.push_back(host_float(data, dtype, i));
  FloatFormat format(values, printed_dtype(dtype));
  return [=](int64_t i) { return format(host_float(data, dtype, i)); };
}

}  // namespace

std::string Array::to_string() const {
  if (is_traced()) return "traced " + aval().text();
  if (size() == 0) return "[]";
  std::vector<char> data(static_cast<size_t>(host_bytes(dtype(), size())));
  copy_to(data.data());
  if (ndim() == 0) return scalar_text(data.data(), dtype());
  bool summary = size() > kThreshold;
  std::vector<int64_t> shown = Layout(shape(), summary, nullptr).shown();
  return Layout(shape(), summary, element_format(data.data(), dtype(), shown)).text();
}

}  // namespace xylem
