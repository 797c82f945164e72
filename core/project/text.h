// SPDX-License-Identifier: Apache-2.0
// Fills arguments into sentences, and makes text from outside safe for messages. Not here:
// translation (ui).
// Thread: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/base/text.h"

namespace strata {

/// An argument of a sentence: a name or value, the same in every language, or words of Strata ("a
/// list of integers"), which are translated.
class Argument {
 public:
  Argument(std::string name) : m_text(std::move(name)) {}
  Argument(const char* name) : m_text(name) {}
  Argument(Text words) : m_text(words.source), m_isWords(true) {}

  /// In English.
  const std::string& text() const { return m_text; }
  bool isWords() const { return m_isWords; }
  bool operator==(const Argument&) const = default;

 private:
  std::string m_text;
  bool m_isWords = false;
};
using Arguments = std::vector<Argument>;

/// The English sentence with its arguments in place.
std::string formatText(const Text& text, const Arguments& arguments = {});

/// Length of the UTF-8 sequence at `position`, 0 where it is invalid.
size_t utf8Length(std::string_view text, size_t position);
/// Position of the first invalid UTF-8 byte; the size of the text where there is none.
size_t firstNotUtf8(std::string_view text);
bool isUtf8(std::string_view text);
/// At most `bytes` of the text in whole characters, with "..." where it was cut. For values from
/// outside in messages.
std::string excerpt(std::string_view text, size_t bytes);
/// A message as one line of a terminal: control characters become \n or \x1b, and a very long text
/// keeps only its two ends.
std::string asOneLine(std::string_view text);

/// For sentences that stay English: the noun for this count, "step" or "steps".
std::string nounFor(int64_t count, std::string_view noun);
/// "1 step", "12 steps".
std::string counted(int64_t count, std::string_view noun);
/// "a, b, c"; "none" for an empty list.
std::string joinedNames(const std::vector<std::string>& names);

}  // namespace strata
