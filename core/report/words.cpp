// SPDX-License-Identifier: Apache-2.0
#include "core/report/words.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace strata {

namespace {

struct Translation {
  std::string_view context, source;
  const char* words;
};

constexpr Translation kChinese[] = {
#include "report_words.inc"
};

/// Returns the Chinese sentence, or the English one if it is not translated.
Text inChinese(const char* context, const char* source) {
  const auto* const found = std::ranges::find_if(kChinese, [&](const Translation& each) {
    return each.context == context && each.source == source;
  });
  return {context, found == std::end(kChinese) ? source : found->words};
}

}  // namespace

std::string Words::operator()(const Text& text, const Arguments& arguments) const {
  if (language == ReportLanguage::English) return formatText(text, arguments);
  Arguments chinese;
  for (const Argument& each : arguments)
    chinese.push_back(each.isWords() ? Argument(inChinese(text.context, each.text().c_str()))
                                     : each);
  return formatText(inChinese(text.context, text.source), chinese);
}

}  // namespace strata
