#include "xylem/base/sha256.h"

#include <gtest/gtest.h>

namespace xylem {
namespace {

// Examples of FIPS 180-4 and of NIST's byte-oriented test vectors.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(Sha256().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256().add("abc").hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256().add("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256().add(std::string(1000000, 'a')).hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheDigestOfTheWhole) {
  std::string text(300, 'x');
  for (size_t size : {1, 55, 56, 63, 64, 65, 119, 128}) {
    Sha256 pieces;
    for (size_t i = 0; i < text.size(); i += size) pieces.add(text.substr(i, size));
    EXPECT_EQ(pieces.hex(), Sha256().add(text).hex()) << size;
  }
}

}  // namespace
}  // namespace xylem
