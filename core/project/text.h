// SPDX-License-Identifier: Apache-2.0
// Inserts arguments into sentences, and makes text from untrusted sources safe for messages. Not
// here: translation (ui).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/base/text.h"
#include "gpu/base/utf8.h"

namespace strata {

/// An argument of a sentence. It is either a name or value, which is the same in every language, or
/// a Text such as "a list of integers", which is translated.
class Argument {
 public:
  Argument(std::string name) : m_text(std::move(name)) {}
  Argument(const char* name) : m_text(name) {}
  Argument(Text words) : m_text(words.source), m_isWords(true) {}

  /// Returns the argument in English.
  const std::string& text() const { return m_text; }
  bool isWords() const { return m_isWords; }
  bool operator==(const Argument&) const = default;

 private:
  std::string m_text;
  bool m_isWords = false;
};
using Arguments = std::vector<Argument>;

/// Returns the English sentence with its arguments inserted.
std::string formatText(const Text& text, const Arguments& arguments = {});

/// Returns the position of the first invalid UTF-8 byte, or the size of the text if all bytes are
/// valid.
size_t firstNotUtf8(std::string_view text);
bool isUtf8(std::string_view text);
/// Returns the text, or its beginning followed by "..." if it has more than `bytes` bytes. The
/// result has at most `bytes` bytes and is cut between characters. Use it for untrusted values in
/// messages.
std::string excerpt(std::string_view text, size_t bytes);
/// Returns a message as one line for a terminal. Control characters and invalid bytes become
/// escapes such as \n or \u001b. A very long text keeps only its beginning and end.
std::string asOneLine(std::string_view text);

/// Returns the English noun for this count, such as "step" or "steps". Use it only in sentences
/// that are not translated.
std::string nounFor(int64_t count, std::string_view noun);
/// Returns the count and its noun, such as "1 step" or "12 steps".
std::string counted(int64_t count, std::string_view noun);
/// Returns the names separated by commas, such as "a, b, c", or "none" for an empty list.
std::string joinedNames(const std::vector<std::string>& names);

}  // namespace strata
