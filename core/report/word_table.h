// SPDX-License-Identifier: Apache-2.0
// The Chinese sentences of reports, in a file that words.cmake writes. Not here: using them
// (words.h).
// Thread: the table is constant, so any thread may read it.
#pragma once

#include <cstddef>
#include <string_view>

namespace strata {

struct Translation {
  // Of a Text
  std::string_view context, source;
  const char* words;
};
extern const Translation kChineseWords[];
extern const size_t kNumChineseWords;

}  // namespace strata
