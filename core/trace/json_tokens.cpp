// SPDX-License-Identifier: Apache-2.0
#include "core/trace/json_tokens.h"

#include <algorithm>
#include <cstring>

#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr uint64_t kOnes = 0x0101010101010101;

/// Whether one of eight bytes is `byte`, or less than it.
uint64_t hasByte(uint64_t bytes, uint8_t byte) {
  const uint64_t different = bytes ^ (kOnes * byte);
  return (different - kOnes) & ~different & (kOnes * 0x80);
}
uint64_t hasLess(uint64_t bytes, uint8_t limit) {
  return (bytes - kOnes * limit) & ~bytes & (kOnes * 0x80);
}

bool endsPlainText(char c) { return c == '"' || c == '\\' || static_cast<uint8_t>(c) < 0x20; }

/// Returns the first quote, backslash or control character.
const char* endOfPlainText(const char* begin, const char* end) {
  while (end - begin >= 8) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, begin, sizeof bytes);
    if (hasByte(bytes, '"') | hasByte(bytes, '\\') | hasLess(bytes, 0x20)) break;
    begin += sizeof bytes;
  }
  while (begin < end && !endsPlainText(*begin))
    ++begin;
  return begin;
}

bool isDigit(int c) { return c >= '0' && c <= '9'; }

}  // namespace

JsonTokens::JsonTokens(Read read, std::string file)
    : m_read(std::move(read)), m_file(std::move(file)), m_buffer(kMaxTokenBytes + kBlockBytes) {}

void JsonTokens::fail(const std::string& expected) {
  std::string got = "the end of the file";
  if (peek() >= 0)
    got = std::string("\"")
              .append(asOneLine(excerpt({m_buffer.data() + m_at, m_size - m_at}, 20)))
              .append("\"");
  else
    m_endsEarly = true;
  throw Error(ErrorCode::InvalidFile, m_file,
              "is not valid JSON at byte " + std::to_string(offset()) + " (expected " + expected +
                  ", got " + got + "). The file is damaged; write or download it again.");
}

/// Reads the next block. Returns false at the end. Keeps the token that was begun.
bool JsonTokens::fill() {
  if (m_isRead) return false;
  const size_t kept = std::min(m_kept, m_at);
  if (m_at - kept >= kMaxTokenBytes)
    throw Error(ErrorCode::InvalidFile, m_file,
                "has a string or number of more than 1 MiB at byte " +
                    std::to_string(m_before + kept) + ". Shorten it.");
  std::memmove(m_buffer.data(), m_buffer.data() + kept, m_size - kept);
  m_before += kept;
  m_size -= kept;
  m_at -= kept;
  if (m_kept != std::string::npos) m_kept = 0;
  const uint64_t room = std::min(m_buffer.size() - m_size, kBlockBytes);
  const uint64_t read = m_read(m_buffer.data() + m_size, room);
  m_size += read;
  m_isRead = read < room;
  return read > 0;
}

/// Returns the next byte, or -1 at the end.
int JsonTokens::peek() {
  if (m_at == m_size && !fill()) return -1;
  return static_cast<uint8_t>(m_buffer[m_at]);
}

int JsonTokens::skipSpace() {
  for (;; ++m_at) {
    const int c = peek();
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return c;
  }
}

JsonTokens::Token JsonTokens::afterValue(Token token) {
  m_expect = m_open.empty() ? Expect::End : Expect::CommaOrEnd;
  return token;
}

JsonTokens::Token JsonTokens::open(char bracket) {
  if (m_open.size() >= kMaxDepth)
    throw Error(ErrorCode::InvalidFile, m_file,
                "is nested too deeply at byte " + std::to_string(offset()) + " (expected at most " +
                    std::to_string(kMaxDepth) + " levels).");
  ++m_at;
  m_open.push_back(bracket);
  m_expect = bracket == '{' ? Expect::FirstKey : Expect::FirstElement;
  return bracket == '{' ? Token::BeginObject : Token::BeginArray;
}

JsonTokens::Token JsonTokens::close(char bracket) {
  ++m_at;
  m_open.pop_back();
  return afterValue(bracket == '}' ? Token::EndObject : Token::EndArray);
}

JsonTokens::Token JsonTokens::value(int character) {
  switch (character) {
    case '{':
    case '[': return open(static_cast<char>(character));
    case '"': readString(); return afterValue(Token::String);
    case 't': readWord("true"); return afterValue(Token::True);
    case 'f': readWord("false"); return afterValue(Token::False);
    case 'n': readWord("null"); return afterValue(Token::Null);
    default: break;
  }
  if (character != '-' && !isDigit(character)) fail("a value");
  readNumber();
  return afterValue(Token::Number);
}

/// Skips the mark that some programs write at the beginning of UTF-8.
void JsonTokens::skipMark() {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  m_isBegun = true;
  fill();
  if (std::string_view(m_buffer.data(), m_size).starts_with(kMark)) m_at = kMark.size();
}

JsonTokens::Token JsonTokens::next() {
  if (!m_isBegun) skipMark();
  int c = skipSpace();
  if (m_expect == Expect::CommaOrEnd) {
    const char end = m_open.back() == '{' ? '}' : ']';
    if (c == end) return close(end);
    if (c != ',') fail(std::string("\",\" or \"") + end + "\"");
    ++m_at;
    c = skipSpace();
    m_expect = end == '}' ? Expect::Key : Expect::Value;
  }
  else if (m_expect == Expect::Colon) {
    if (c != ':') fail("\":\"");
    ++m_at;
    c = skipSpace();
    m_expect = Expect::Value;
  }
  switch (m_expect) {
    case Expect::FirstElement:
      if (c == ']') return close(']');
      break;
    case Expect::FirstKey:
      if (c == '}') return close('}');
      [[fallthrough]];
    case Expect::Key:
      if (c != '"') fail("a key in quotes");
      readString();
      m_expect = Expect::Colon;
      return Token::Key;
    case Expect::End:
      if (c >= 0) fail("nothing after the document");
      return Token::End;
    default: break;
  }
  return value(c);
}

void JsonTokens::skipValue(Token token) {
  if (token != Token::BeginObject && token != Token::BeginArray) return;
  const size_t outside = depth() - 1;
  while (depth() > outside)
    (void)next();
}

/// Reads a string and its quotes. The text is a view of the buffer unless it has escapes.
void JsonTokens::readString() {
  m_kept = ++m_at;
  bool hasEscapes = false;
  m_unescaped.clear();
  for (;;) {
    const char* begin = m_buffer.data() + m_at;
    m_at += static_cast<size_t>(endOfPlainText(begin, m_buffer.data() + m_size) - begin);
    if (m_at == m_size) {
      if (fill()) continue;
      fail("the end of a string");
    }
    const char c = m_buffer[m_at];
    if (c == '"') break;
    if (c != '\\') fail("an escape instead of a control character");
    m_unescaped.append(m_buffer.data() + m_kept, m_at - m_kept);
    hasEscapes = true;
    if (m_unescaped.size() > kMaxTokenBytes)
      throw Error(ErrorCode::InvalidFile, m_file,
                  "has a string of more than 1 MiB before byte " + std::to_string(offset()) +
                      ". Shorten it.");
    ++m_at;
    readEscape();
    m_kept = m_at;
  }
  m_text = {m_buffer.data() + m_kept, m_at - m_kept};
  if (hasEscapes) {
    m_unescaped += m_text;
    m_text = m_unescaped;
  }
  m_kept = std::string::npos;
  if (const size_t wrong = firstNotUtf8(m_text); wrong < m_text.size())
    throw Error(ErrorCode::InvalidFile, m_file,
                "has text that is not UTF-8 in the string before byte " + std::to_string(offset()) +
                    " (expected UTF-8). Write it again with this encoding.");
  ++m_at;
}

uint32_t JsonTokens::readHex() {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const int c = peek();
    const int lower = c | 0x20;
    if (isDigit(c))
      code = code * 16 + static_cast<uint32_t>(c - '0');
    else if (lower >= 'a' && lower <= 'f')
      code = code * 16 + static_cast<uint32_t>(lower - 'a' + 10);
    else
      fail("four hexadecimal digits");
    ++m_at;
  }
  return code;
}

void JsonTokens::appendUtf8(uint32_t code) {
  const auto add = [this](uint32_t byte) {
    m_unescaped += static_cast<char>(byte);
  };
  const auto addRest = [&](int shift) {
    for (; shift >= 0; shift -= 6)
      add(0x80 | ((code >> shift) & 0x3f));
  };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | (code >> 6));
    return addRest(0);
  }
  if (code < 0x10000) {
    add(0xe0 | (code >> 12));
    return addRest(6);
  }
  add(0xf0 | (code >> 18));
  addRest(12);
}

/// Reads an escape after its backslash.
void JsonTokens::readEscape() {
  static constexpr std::string_view kNames = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const int c = peek();
  const size_t known = c < 0 ? std::string_view::npos : kNames.find(static_cast<char>(c));
  if (known != std::string_view::npos) {
    m_unescaped += kMeanings[known];
    ++m_at;
    return;
  }
  if (c != 'u') fail("an escape such as \\n or \\u0041");
  ++m_at;
  uint32_t code = readHex();
  if (code >= 0xd800 && code < 0xdc00) {
    for (const char wanted : {'\\', 'u'}) {
      if (peek() != wanted) fail("the second half of a surrogate pair");
      ++m_at;
    }
    const uint32_t low = readHex();
    if (low < 0xdc00 || low >= 0xe000) fail("the second half of a surrogate pair before this byte");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  else if (code >= 0xdc00 && code < 0xe000) {
    fail("the first half of a surrogate pair before this byte");
  }
  appendUtf8(code);
}

void JsonTokens::readDigits() {
  if (!isDigit(peek())) fail("a digit");
  while (isDigit(peek()))
    ++m_at;
}

void JsonTokens::readNumber() {
  m_kept = m_at;
  if (peek() == '-') ++m_at;
  if (peek() == '0')
    ++m_at;
  else
    readDigits();
  if (peek() == '.') {
    ++m_at;
    readDigits();
  }
  if (peek() == 'e' || peek() == 'E') {
    ++m_at;
    if (peek() == '+' || peek() == '-') ++m_at;
    readDigits();
  }
  m_text = {m_buffer.data() + m_kept, m_at - m_kept};
  m_kept = std::string::npos;
}

void JsonTokens::readWord(std::string_view word) {
  for (const char wanted : word) {
    if (peek() != wanted) fail(std::string("\"").append(word).append("\""));
    ++m_at;
  }
}

}  // namespace strata
