#include "xylem/text/jinja/strftime.h"

#include <clocale>
#include <ctime>

#include "xylem/base/error.h"

namespace xylem::text::jinja {
namespace {

std::tm to_tm(std::chrono::local_seconds time) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  std::tm tm{};
  tm.tm_year = static_cast<int>(date.year()) - 1900;
  tm.tm_mon = static_cast<int>(static_cast<unsigned>(date.month())) - 1;
  tm.tm_mday = static_cast<int>(static_cast<unsigned>(date.day()));
  tm.tm_hour = static_cast<int>(clock.hours().count());
  tm.tm_min = static_cast<int>(clock.minutes().count());
  tm.tm_sec = static_cast<int>(clock.seconds().count());
  tm.tm_wday = static_cast<int>(weekday(day).c_encoding());
  tm.tm_yday = static_cast<int>((day - local_days(date.year() / January / 1)).count());
  tm.tm_isdst = -1;
  return tm;
}

// A time without a zone: Python has nothing to say for %z and %Z, and knows %f.
std::string without_zone(std::string_view format) {
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    const char letter = format[i] == '%' && i + 1 < format.size() ? format[i + 1] : '\0';
    if (letter == 'z' || letter == 'Z') {
      ++i;
    } else if (letter == 'f') {
      out += "000000";
      ++i;
    } else if (letter != '\0') {
      out += format.substr(i++, 2);
    } else {
      out += format[i];
    }
  }
  return out;
}

}  // namespace

std::string format_time(std::chrono::local_seconds time, std::string_view format) {
  constexpr size_t kMaxSize = 4096;
  if (format.find('\0') != std::string_view::npos) {
    fail(ErrorCode::kInvalidArgument, "a time format holds a zero byte");
  }
  const std::tm tm = to_tm(time);
  const std::string pattern = without_zone(format) + "\1";  // so that a result is never empty
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  std::string out(kMaxSize, '\0');
  const size_t size = strftime_l(out.data(), out.size(), pattern.c_str(), &tm, c_locale);
  if (size == 0) {
    fail(ErrorCode::kInvalidArgument, "a formatted time is longer than {} bytes", kMaxSize);
  }
  out.resize(size - 1);
  return out;
}

std::chrono::local_seconds local_now() {
  const std::time_t now = std::time(nullptr);
  std::tm tm{};
  localtime_r(&now, &tm);
  using namespace std::chrono;
  const local_days day(year(tm.tm_year + 1900) / (tm.tm_mon + 1) / tm.tm_mday);
  return day + hours(tm.tm_hour) + minutes(tm.tm_min) + seconds(tm.tm_sec);
}

}  // namespace xylem::text::jinja
