// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "gpu/base/printable.h"

namespace strata::test {

TEST_SUITE("printable") {
  TEST_CASE("a terminal obeys nothing in a printable text") {
    CHECK(printable("plain, \u00e4 \u20ac \U0001F600") == "plain, \u00e4 \u20ac \U0001F600");
    CHECK(printable("\x1b]0;title\x07") == "\\u001b]0;title\\u0007");
    CHECK(printable("\x7f\r\b") == "\\u007f\\u000d\\u0008");
    CHECK(printable(std::string_view("a\0b", 3)) == "a\\u0000b");
    // C1 controls, which some terminals obey like an escape
    CHECK(printable("\u009b31m\u0080\u009f\u00a0") == "\\u009b31m\\u0080\\u009f\u00a0");
    // A right-to-left override shows "gpj.exe" as "exe.jpg"
    for (const char* mark : {"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d",
                             "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"})
      CHECK(printable(mark).starts_with("\\u"));
    CHECK(printable("\u2029\u202f\u2065\u206a") == "\u2029\u202f\u2065\u206a");
    CHECK(printable("\x9b\xff\xc3") == "\\x9b\\xff\\xc3");
    CHECK(printable("a\nb\tc") == "a\\nb\\tc");
    CHECK(printable("a\nb\tc", Breaks::Keep) == "a\nb\tc");
  }
}

}  // namespace strata::test
