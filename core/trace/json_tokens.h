// SPDX-License-Identifier: Apache-2.0
// Splits a JSON document of any size into tokens, from a source that is read in blocks. It is as
// strict as the standard (RFC 8259): UTF-8, no comments, no trailing commas, no NaN. Documents have
// a limited depth, and their strings and numbers a limited length.
// Not here: documents in memory (core/project/json.h), what members mean.
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

class JsonTokens {
 public:
  enum class Token : uint8_t {
    BeginObject,
    EndObject,
    BeginArray,
    EndArray,
    Key,
    String,
    Number,
    True,
    False,
    Null,
    // The end of the document
    End
  };
  static constexpr size_t kMaxDepth = 200;
  static constexpr size_t kMaxTokenBytes = size_t{1} << 20;

  /// `read` copies up to the given number of bytes and returns their number, which is smaller only
  /// at the end. `file` is the subject of errors.
  using Read = std::function<uint64_t(char* target, uint64_t bytes)>;
  JsonTokens(Read read, std::string file);

  /// Returns the next token. Fails: InvalidFile with the byte and what was expected.
  Token next();
  /// Returns the text of a key or string without escapes, or of a number as it is. It is valid
  /// until the next call.
  std::string_view text() const { return m_text; }
  /// Skips the rest of the value that began with the last token, such as a whole object.
  void skipValue(Token token);
  size_t depth() const { return m_open.size(); }
  /// Returns the number of bytes before the next token.
  uint64_t offset() const { return m_before + m_at; }
  /// Whether an error was that the document ended early.
  bool endsEarly() const { return m_endsEarly; }
  [[noreturn]] void fail(const std::string& expected);

 private:
  static constexpr size_t kBlockBytes = size_t{1} << 20;
  enum class Expect : uint8_t { Value, FirstElement, FirstKey, Key, Colon, CommaOrEnd, End };
  bool fill();
  int peek();
  void skipMark();
  int skipSpace();
  Token value(int character);
  Token open(char bracket);
  Token close(char bracket);
  Token afterValue(Token token);
  void readString();
  void readEscape();
  uint32_t readHex();
  void appendUtf8(uint32_t code);
  void readNumber();
  void readDigits();
  void readWord(std::string_view word);

  Read m_read;
  std::string m_file;
  std::vector<char> m_buffer;
  // The place of the next byte, and the number of bytes in the buffer
  size_t m_at = 0, m_size = 0;
  // The number of bytes of the document before the buffer
  uint64_t m_before = 0;
  // The beginning of the token that must stay in the buffer; npos if there is none
  size_t m_kept = std::string::npos;
  bool m_isBegun = false, m_isRead = false, m_endsEarly = false;
  // Brackets that are not closed
  std::vector<char> m_open;
  Expect m_expect = Expect::Value;
  std::string_view m_text;
  // The text of a string with escapes
  std::string m_unescaped;
};

}  // namespace strata
