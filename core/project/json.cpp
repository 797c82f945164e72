// SPDX-License-Identifier: Apache-2.0
// The document type comes from nlohmann's library. The parser of this library does not limit the
// depth and accepts duplicate keys, so Strata has a separate reader.
#include "core/project/json.h"

#include <charconv>
#include <cmath>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "core/project/text.h"

namespace strata {

namespace {

void appendUtf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  }
  else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
  else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
  else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// Returns the value of a hexadecimal digit, or -1 for any other character.
int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : m_text(text), m_file(file) {}

  Json document() {
    if (m_text.substr(0, 3) == "\xEF\xBB\xBF") m_position = 3;
    const std::string_view head = m_text.substr(0, 4);
    if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF") ||
        (head.size() == 4 && head.find('\0') != head.npos))
      fail(
          "expected text in UTF-8, got UTF-16 or binary data. Save the file as UTF-8, or choose "
          "another file.");
    skipSpace();
    if (const auto first = static_cast<unsigned char>(peek());
        !atEnd() && (first < 0x20 || utf8Length(m_text, m_position) == 0))
      fail("expected text in UTF-8, got " + found() +
           ". Save the file as UTF-8, or choose another file.");
    if (atEnd())
      fail(
          "expected a JSON value, got an empty file. Write a document such as {\"format\": "
          "\"strata-project\", \"version\": 1}.");
    Json result = value(1);
    skipSpace();
    if (!atEnd())
      fail("expected the end of the file after the document, got " + found() +
           ". Remove everything after the document.");
    return result;
  }

 private:
  bool atEnd() const { return m_position >= m_text.size(); }
  char peek() const { return atEnd() ? '\0' : m_text[m_position]; }

  [[noreturn]] void failAt(size_t position, const std::string& message) const {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < position && i < m_text.size(); ++i) {
      if (m_text[i] == '\n') {
        ++line;
        column = 1;
      }
      else if ((static_cast<unsigned char>(m_text[i]) & 0xC0u) != 0x80u) {
        ++column;
      }
    }
    throw Error(
        ErrorCode::InvalidProject, m_file,
        "line " + std::to_string(line) + " column " + std::to_string(column) + ": " + message);
  }
  [[noreturn]] void fail(const std::string& message) const { failAt(m_position, message); }

  /// Returns the character or word at the current position, for a message.
  std::string found() const {
    if (atEnd()) return "the end of the file";
    const auto c = static_cast<unsigned char>(peek());
    if (c < 0x20 || c == 0x7F) return "a control character";
    size_t end = m_position;
    while (end < m_text.size() && end - m_position < 20 &&
           (std::isalnum(static_cast<unsigned char>(m_text[end])) || m_text[end] == '_' ||
            m_text[end] == '.'))
      ++end;
    if (end == m_position) end += std::max<size_t>(1, utf8Length(m_text, m_position));
    if (utf8Length(m_text, m_position) == 0) return "an invalid UTF-8 byte";
    return "'" + std::string(m_text.substr(m_position, end - m_position)) + "'";
  }

  void skipSpace() {
    while (!atEnd() && (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r'))
      ++m_position;
    if (peek() == '/' && m_position + 1 < m_text.size() &&
        (m_text[m_position + 1] == '/' || m_text[m_position + 1] == '*'))
      fail("expected JSON, got a comment. JSON has no comments: move the text into \"notes\".");
  }

  Json value(int depth) {
    switch (peek()) {
      case '{': return object(depth);
      case '[': return array(depth);
      case '"': return string();
      case 't': return word("true", true);
      case 'f': return word("false", false);
      case 'n': return word("null", nullptr);
      default: break;
    }
    if (peek() == '-' || (peek() >= '0' && peek() <= '9')) return number();
    fail("expected a value (an object, list, string, number, true, false or null), got " + found() +
         ". Correct the syntax.");
  }

  Json word(std::string_view name, Json result) {
    if (m_text.substr(m_position, name.size()) != name)
      fail("expected a value, got " + found() + ". Did you mean " + std::string(name) + "?");
    m_position += name.size();
    return result;
  }

  void checkDepth(int depth) const {
    if (depth > kMaxJsonDepth)
      fail("the document is nested too deeply (expected at most " + std::to_string(kMaxJsonDepth) +
           " levels). Reduce the nesting.");
  }

  Json array(int depth) {
    checkDepth(depth);
    const size_t start = m_position++;
    Json result = Json::array();
    auto& items = result.get_ref<Json::array_t&>();
    skipSpace();
    if (peek() == ']') {
      ++m_position;
      return result;
    }
    for (;;) {
      items.push_back(value(depth + 1));
      skipSpace();
      if (peek() == ']') {
        ++m_position;
        return result;
      }
      if (peek() != ',') {
        if (atEnd()) failOpen(start, "list", "]");
        fail("expected ',' or ']' after an element of a list, got " + found() + ". Insert it.");
      }
      const size_t comma = m_position++;
      skipSpace();
      if (peek() == ']')
        failAt(comma, "expected another element after ',', got ']'. Remove the trailing comma.");
    }
  }

  [[noreturn]] void failOpen(size_t start, const char* what, const char* closing) const {
    size_t line = 1;
    for (size_t i = 0; i < start; ++i)
      line += m_text[i] == '\n';
    fail(std::string("expected '") + closing + "', got the end of the file. Close the " + what +
         " that begins on line " + std::to_string(line) + ".");
  }

  Json object(int depth) {
    checkDepth(depth);
    const size_t start = m_position++;
    Json result = Json::object();
    // Appends to the vector directly, because ordered_map would search all members. Duplicates are
    // checked below.
    auto& members = static_cast<std::vector<std::pair<const std::string, Json>>&>(
        result.get_ref<Json::object_t&>());
    std::unordered_set<std::string> names;
    skipSpace();
    if (peek() == '}') {
      ++m_position;
      return result;
    }
    for (;;) {
      if (peek() != '"') {
        if (atEnd()) failOpen(start, "object", "}");
        fail("expected a name in double quotes, got " + found() + ". Correct the syntax.");
      }
      const size_t keyStart = m_position;
      std::string key = string();
      if (!names.insert(key).second)
        failAt(keyStart,
               "the key \"" + key +
                   "\" occurs twice in one object (expected each key once). Remove one of them.");
      skipSpace();
      if (peek() != ':')
        fail("expected ':' after the name \"" + key + "\", got " + found() + ". Insert it.");
      ++m_position;
      skipSpace();
      Json member = value(depth + 1);
      members.emplace_back(std::move(key), std::move(member));
      skipSpace();
      if (peek() == '}') {
        ++m_position;
        return result;
      }
      if (peek() != ',') {
        if (atEnd()) failOpen(start, "object", "}");
        fail("expected ',' or '}' after a member of an object, got " + found() + ". Insert it.");
      }
      const size_t comma = m_position++;
      skipSpace();
      if (peek() == '}')
        failAt(comma, "expected another member after ',', got '}'. Remove the trailing comma.");
    }
  }

  uint32_t hex4() {
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++m_position) {
      const int digit = hexDigit(peek());
      if (digit < 0)
        fail("expected four hexadecimal digits after \\u, got " + found() +
             ". Correct the escape sequence.");
      code = code * 16 + static_cast<uint32_t>(digit);
    }
    return code;
  }

  std::string string() {
    const size_t start = m_position++;
    std::string result;
    for (;;) {
      if (atEnd())
        failAt(start, "expected a closing '\"', got the end of the file. Close the string.");
      const auto c = static_cast<unsigned char>(peek());
      if (c == '"') {
        ++m_position;
        return result;
      }
      if (c < 0x20)
        fail(c == '\n' ? "expected a closing '\"' before the end of the line. Close the string, or "
                         "write \\n for a line break."
                       : "a string contains a control character (expected an escape sequence). "
                         "Write it as \\u00XX.");
      if (c == '\\') {
        ++m_position;
        switch (const char escaped = peek(); escaped) {
          case '"':
          case '\\':
          case '/': result += escaped; break;
          case 'b': result += '\b'; break;
          case 'f': result += '\f'; break;
          case 'n': result += '\n'; break;
          case 'r': result += '\r'; break;
          case 't': result += '\t'; break;
          case 'u': {
            ++m_position;
            uint32_t code = hex4();
            if (code >= 0xD800 && code < 0xDC00 && m_text.substr(m_position, 2) == "\\u") {
              m_position += 2;
              const uint32_t low = hex4();
              if (low < 0xDC00 || low > 0xDFFF)
                fail(
                    "expected the second half of a surrogate pair (\\uDC00 to \\uDFFF) before "
                    "this. Write the character itself.");
              code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            }
            else if (code >= 0xD800 && code <= 0xDFFF) {
              fail(
                  "expected a surrogate pair, got only half of one before this. Write the "
                  "character itself.");
            }
            appendUtf8(result, code);
            continue;
          }
          default:
            fail("expected one of \" \\ / b f n r t u after '\\', got " + found() +
                 ". Write a backslash twice.");
        }
        ++m_position;
        continue;
      }
      const size_t length = utf8Length(m_text, m_position);
      if (length == 0) fail("expected UTF-8, got an invalid byte. Save the file as UTF-8.");
      result.append(m_text.substr(m_position, length));
      m_position += length;
    }
  }

  Json number() {
    const size_t start = m_position;
    bool isInteger = true;
    const auto digits = [&](const char* after) {
      if (peek() < '0' || peek() > '9')
        fail(std::string("expected a digit ") + after + ", got " + found() +
             ". Correct the number.");
      while (peek() >= '0' && peek() <= '9')
        ++m_position;
    };
    if (peek() == '-') ++m_position;
    if (peek() == '0') {
      ++m_position;
      if (peek() >= '0' && peek() <= '9')
        failAt(start, "expected a number without a leading zero. Remove the zero.");
    }
    else {
      digits("in a number");
    }
    if (peek() == '.') {
      isInteger = false;
      ++m_position;
      digits("after the decimal point");
    }
    if (peek() == 'e' || peek() == 'E') {
      isInteger = false;
      ++m_position;
      if (peek() == '+' || peek() == '-') ++m_position;
      digits("in the exponent");
    }
    const char* first = m_text.data() + start;
    const char* last = m_text.data() + m_position;
    if (isInteger && *first != '-') {
      uint64_t result = 0;
      if (std::from_chars(first, last, result).ec == std::errc()) return result;
    }
    else if (isInteger) {
      int64_t result = 0;
      if (std::from_chars(first, last, result).ec == std::errc()) return result;
    }
    double result = 0;
    const auto parsed = std::from_chars(first, last, result);
    if (parsed.ec == std::errc::result_out_of_range) {
      // from_chars reports the same error for underflow and overflow. A number that is too small
      // becomes zero, and one that is too large is an error.
      const std::string_view spelling(first, static_cast<size_t>(last - first));
      const size_t exponent = spelling.find_first_of("eE");
      const bool isTiny = exponent == std::string_view::npos
                              ? spelling.substr(0, 2) == "0." || spelling.substr(0, 3) == "-0."
                              : spelling[exponent + 1] == '-';
      if (!isTiny)
        failAt(start,
               "the number is too large (expected a magnitude of at most 1.8e308). Write a smaller "
               "one.");
      result = 0;
    }
    return result;
  }

  std::string_view m_text;
  const std::string& m_file;
  size_t m_position = 0;
};

std::string formatDouble(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  char scientific[64];
  const auto end = std::to_chars(scientific, scientific + sizeof scientific, value,
                                 std::chars_format::scientific)
                       .ptr;
  std::string text(scientific, end);
  const size_t e = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), text.data() + text.size(),
                  exponent);
  if (exponent >= -5 && exponent < 16) {
    char fixed[64];
    std::string result(
        fixed, std::to_chars(fixed, fixed + sizeof fixed, value, std::chars_format::fixed).ptr);
    // Adds ".0", so that the number is read back as a floating-point number.
    if (result.find('.') == std::string::npos) result += ".0";
    return result;
  }
  return text.substr(0, e) + "e" + std::to_string(exponent);
}

constexpr size_t kLineWidth = 100;

class Printer {
 public:
  std::string text;

  void print(const Json& json, size_t indent) {
    switch (json.type()) {
      case Json::value_t::object: printObject(json, indent); return;
      case Json::value_t::array: printArray(json, indent); return;
      default: printFlat(json, text);
    }
  }

 private:
  static bool isFlat(const Json& json, int depth) {
    if (json.is_object()) return json.empty();
    if (!json.is_array()) return true;
    if (depth == 0) return json.empty();
    for (const Json& item : json)
      if (!isFlat(item, depth - 1)) return false;
    return true;
  }

  static void printFlat(const Json& json, std::string& out) {
    if (json.is_number_float()) {
      out += formatDouble(json.get<double>());
    }
    else if (json.is_array()) {
      out += '[';
      for (size_t i = 0; i < json.size(); ++i) {
        if (i) out += ", ";
        printFlat(json[i], out);
      }
      out += ']';
    }
    else {
      out += json.dump();
    }
  }

  void newLine(size_t indent) {
    text += '\n';
    text.append(indent, ' ');
  }

  void printObject(const Json& json, size_t indent) {
    if (json.empty()) {
      text += "{}";
      return;
    }
    text += '{';
    bool isFirst = true;
    for (const auto& [key, item] : json.items()) {
      if (!isFirst) text += ',';
      isFirst = false;
      newLine(indent + 2);
      text += Json(key).dump() + ": ";
      print(item, indent + 2);
    }
    newLine(indent);
    text += '}';
  }

  void printArray(const Json& json, size_t indent) {
    if (isFlat(json, 2) && json.size() <= kLineWidth) {
      std::string flat;
      printFlat(json, flat);
      if (indent + flat.size() <= kLineWidth) {
        text += flat;
        return;
      }
    }
    text += '[';
    // In a long list of numbers or words, each line contains as many elements as fit.
    const bool fills = isFlat(json, 1);
    size_t column = 0;
    for (size_t i = 0; i < json.size(); ++i) {
      if (i) text += ',';
      if (!fills) {
        newLine(indent + 2);
        print(json[i], indent + 2);
        continue;
      }
      std::string item;
      printFlat(json[i], item);
      if (i == 0 || column + item.size() + 2 > kLineWidth) {
        newLine(indent + 2);
        column = indent + 2;
      }
      else {
        text += ' ';
        ++column;
      }
      text += item;
      column += item.size() + 1;
    }
    newLine(indent);
    text += ']';
  }
};

}  // namespace

Json parseJson(std::string_view text, const std::string& file) {
  if (text.size() > kMaxJsonBytes)
    throw Error(ErrorCode::InvalidProject, file,
                "the file has " + std::to_string(text.size()) + " bytes (expected at most " +
                    std::to_string(kMaxJsonBytes) + "). Move data to separate files.");
  return Reader(text, file).document();
}

std::string printJson(const Json& json) {
  Printer printer;
  printer.print(json, 0);
  printer.text += '\n';
  return std::move(printer.text);
}

Json jsonNumber(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

const Json& memberOf(const Json& object, const char* name) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto it = object.find(name);
  return it == object.end() ? nothing : *it;
}

}  // namespace strata
