// SPDX-License-Identifier: Apache-2.0
#include "core/report/words.h"

#include <span>

#include "core/report/word_table.h"

namespace strata {

namespace {

/// Returns the Chinese sentence, or the English one if it is not translated.
Text inChinese(const char* context, const char* source) {
  for (const Translation& each : std::span(kChineseWords, kNumChineseWords))
    if (each.context == context && each.source == source) return {context, each.words};
  return {context, source};
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
