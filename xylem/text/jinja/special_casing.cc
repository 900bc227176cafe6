#include "xylem/text/jinja/special_casing.h"

#include <algorithm>
#include <iterator>

namespace xylem::text::jinja {
namespace {

// From Unicode's SpecialCasing.txt: characters whose upper or title case is several characters.
struct Special {
  uint32_t from;
  const char8_t* to;
};
// clang-format off

constexpr Special kUpper[] = {
    {0x00DF, u8"SS"}, {0x0149, u8"\u02bcN"}, {0x01F0, u8"J\u030c"},
    {0x0390, u8"\u0399\u0308\u0301"}, {0x03B0, u8"\u03a5\u0308\u0301"}, {0x0587, u8"\u0535\u0552"},
    {0x1E96, u8"H\u0331"}, {0x1E97, u8"T\u0308"}, {0x1E98, u8"W\u030a"},
    {0x1E99, u8"Y\u030a"}, {0x1E9A, u8"A\u02be"}, {0x1F50, u8"\u03a5\u0313"},
    {0x1F52, u8"\u03a5\u0313\u0300"}, {0x1F54, u8"\u03a5\u0313\u0301"}, {0x1F56, u8"\u03a5\u0313\u0342"},
    {0x1F80, u8"\u1f08\u0399"}, {0x1F81, u8"\u1f09\u0399"}, {0x1F82, u8"\u1f0a\u0399"},
    {0x1F83, u8"\u1f0b\u0399"}, {0x1F84, u8"\u1f0c\u0399"}, {0x1F85, u8"\u1f0d\u0399"},
    {0x1F86, u8"\u1f0e\u0399"}, {0x1F87, u8"\u1f0f\u0399"}, {0x1F88, u8"\u1f08\u0399"},
    {0x1F89, u8"\u1f09\u0399"}, {0x1F8A, u8"\u1f0a\u0399"}, {0x1F8B, u8"\u1f0b\u0399"},
    {0x1F8C, u8"\u1f0c\u0399"}, {0x1F8D, u8"\u1f0d\u0399"}, {0x1F8E, u8"\u1f0e\u0399"},
    {0x1F8F, u8"\u1f0f\u0399"}, {0x1F90, u8"\u1f28\u0399"}, {0x1F91, u8"\u1f29\u0399"},
    {0x1F92, u8"\u1f2a\u0399"}, {0x1F93, u8"\u1f2b\u0399"}, {0x1F94, u8"\u1f2c\u0399"},
    {0x1F95, u8"\u1f2d\u0399"}, {0x1F96, u8"\u1f2e\u0399"}, {0x1F97, u8"\u1f2f\u0399"},
    {0x1F98, u8"\u1f28\u0399"}, {0x1F99, u8"\u1f29\u0399"}, {0x1F9A, u8"\u1f2a\u0399"},
    {0x1F9B, u8"\u1f2b\u0399"}, {0x1F9C, u8"\u1f2c\u0399"}, {0x1F9D, u8"\u1f2d\u0399"},
    {0x1F9E, u8"\u1f2e\u0399"}, {0x1F9F, u8"\u1f2f\u0399"}, {0x1FA0, u8"\u1f68\u0399"},
    {0x1FA1, u8"\u1f69\u0399"}, {0x1FA2, u8"\u1f6a\u0399"}, {0x1FA3, u8"\u1f6b\u0399"},
    {0x1FA4, u8"\u1f6c\u0399"}, {0x1FA5, u8"\u1f6d\u0399"}, {0x1FA6, u8"\u1f6e\u0399"},
    {0x1FA7, u8"\u1f6f\u0399"}, {0x1FA8, u8"\u1f68\u0399"}, {0x1FA9, u8"\u1f69\u0399"},
    {0x1FAA, u8"\u1f6a\u0399"}, {0x1FAB, u8"\u1f6b\u0399"}, {0x1FAC, u8"\u1f6c\u0399"},
    {0x1FAD, u8"\u1f6d\u0399"}, {0x1FAE, u8"\u1f6e\u0399"}, {0x1FAF, u8"\u1f6f\u0399"},
    {0x1FB2, u8"\u1fba\u0399"}, {0x1FB3, u8"\u0391\u0399"}, {0x1FB4, u8"\u0386\u0399"},
    {0x1FB6, u8"\u0391\u0342"}, {0x1FB7, u8"\u0391\u0342\u0399"}, {0x1FBC, u8"\u0391\u0399"},
    {0x1FC2, u8"\u1fca\u0399"}, {0x1FC3, u8"\u0397\u0399"}, {0x1FC4, u8"\u0389\u0399"},
    {0x1FC6, u8"\u0397\u0342"}, {0x1FC7, u8"\u0397\u0342\u0399"}, {0x1FCC, u8"\u0397\u0399"},
    {0x1FD2, u8"\u0399\u0308\u0300"}, {0x1FD3, u8"\u0399\u0308\u0301"}, {0x1FD6, u8"\u0399\u0342"},
    {0x1FD7, u8"\u0399\u0308\u0342"}, {0x1FE2, u8"\u03a5\u0308\u0300"}, {0x1FE3, u8"\u03a5\u0308\u0301"},
    {0x1FE4, u8"\u03a1\u0313"}, {0x1FE6, u8"\u03a5\u0342"}, {0x1FE7, u8"\u03a5\u0308\u0342"},
    {0x1FF2, u8"\u1ffa\u0399"}, {0x1FF3, u8"\u03a9\u0399"}, {0x1FF4, u8"\u038f\u0399"},
    {0x1FF6, u8"\u03a9\u0342"}, {0x1FF7, u8"\u03a9\u0342\u0399"}, {0x1FFC, u8"\u03a9\u0399"},
    {0xFB00, u8"FF"}, {0xFB01, u8"FI"}, {0xFB02, u8"FL"},
    {0xFB03, u8"FFI"}, {0xFB04, u8"FFL"}, {0xFB05, u8"ST"},
    {0xFB06, u8"ST"}, {0xFB13, u8"\u0544\u0546"}, {0xFB14, u8"\u0544\u0535"},
    {0xFB15, u8"\u0544\u053b"}, {0xFB16, u8"\u054e\u0546"}, {0xFB17, u8"\u0544\u053d"},
};

constexpr Special kTitle[] = {
    {0x00DF, u8"Ss"}, {0x0149, u8"\u02bcN"}, {0x01F0, u8"J\u030c"},
    {0x0390, u8"\u0399\u0308\u0301"}, {0x03B0, u8"\u03a5\u0308\u0301"}, {0x0587, u8"\u0535\u0582"},
    {0x1E96, u8"H\u0331"}, {0x1E97, u8"T\u0308"}, {0x1E98, u8"W\u030a"},
    {0x1E99, u8"Y\u030a"}, {0x1E9A, u8"A\u02be"}, {0x1F50, u8"\u03a5\u0313"},
    {0x1F52, u8"\u03a5\u0313\u0300"}, {0x1F54, u8"\u03a5\u0313\u0301"}, {0x1F56, u8"\u03a5\u0313\u0342"},
    {0x1FB2, u8"\u1fba\u0345"}, {0x1FB4, u8"\u0386\u0345"}, {0x1FB6, u8"\u0391\u0342"},
    {0x1FB7, u8"\u0391\u0342\u0345"}, {0x1FC2, u8"\u1fca\u0345"}, {0x1FC4, u8"\u0389\u0345"},
    {0x1FC6, u8"\u0397\u0342"}, {0x1FC7, u8"\u0397\u0342\u0345"}, {0x1FD2, u8"\u0399\u0308\u0300"},
    {0x1FD3, u8"\u0399\u0308\u0301"}, {0x1FD6, u8"\u0399\u0342"}, {0x1FD7, u8"\u0399\u0308\u0342"},
    {0x1FE2, u8"\u03a5\u0308\u0300"}, {0x1FE3, u8"\u03a5\u0308\u0301"}, {0x1FE4, u8"\u03a1\u0313"},
    {0x1FE6, u8"\u03a5\u0342"}, {0x1FE7, u8"\u03a5\u0308\u0342"}, {0x1FF2, u8"\u1ffa\u0345"},
    {0x1FF4, u8"\u038f\u0345"}, {0x1FF6, u8"\u03a9\u0342"}, {0x1FF7, u8"\u03a9\u0342\u0345"},
    {0xFB00, u8"Ff"}, {0xFB01, u8"Fi"}, {0xFB02, u8"Fl"},
    {0xFB03, u8"Ffi"}, {0xFB04, u8"Ffl"}, {0xFB05, u8"St"},
    {0xFB06, u8"St"}, {0xFB13, u8"\u0544\u0576"}, {0xFB14, u8"\u0544\u0565"},
    {0xFB15, u8"\u0544\u056b"}, {0xFB16, u8"\u054e\u0576"}, {0xFB17, u8"\u0544\u056d"},
};

// clang-format on

template <size_t kSize>
std::string_view find(const Special (&table)[kSize], uint32_t c) {
  const auto* found = std::lower_bound(std::begin(table), std::end(table), c,
                                       [](const Special& s, uint32_t key) { return s.from < key; });
  if (found == std::end(table) || found->from != c) return {};
  return reinterpret_cast<const char*>(found->to);
}

}  // namespace

std::string_view special_upper(uint32_t c) { return find(kUpper, c); }
std::string_view special_title(uint32_t c) { return find(kTitle, c); }

}  // namespace xylem::text::jinja
