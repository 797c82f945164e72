// SPDX-License-Identifier: Apache-2.0
// Compares the tokenizer with nlohmann's parser on random documents, whole and damaged.
#include <cmath>
#include <cstring>
#include <random>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/project/text.h"
#include "core/trace/json_tokens.h"
#include "gpu/base/error.h"

namespace strata {
namespace {

using Token = JsonTokens::Token;

/// Returns a source that gives a text in pieces of a few bytes.
JsonTokens::Read pieces(const std::string& text) {
  auto at = std::make_shared<size_t>(0);
  return [text, at](char* target, uint64_t bytes) {
    const size_t count = std::min<size_t>(bytes, text.size() - *at);
    std::memcpy(target, text.data() + *at, count);
    *at += count;
    return count;
  };
}

/// Builds the document from tokens.
nlohmann::json built(JsonTokens& tokens, Token token) {
  switch (token) {
    case Token::BeginObject: {
      nlohmann::json object = nlohmann::json::object();
      while (tokens.next() == Token::Key) {
        const std::string key(tokens.text());
        object[key] = built(tokens, tokens.next());
      }
      return object;
    }
    case Token::BeginArray: {
      nlohmann::json array = nlohmann::json::array();
      for (Token each = tokens.next(); each != Token::EndArray; each = tokens.next())
        array.push_back(built(tokens, each));
      return array;
    }
    case Token::String: return tokens.text();
    case Token::Number: return nlohmann::json::parse(tokens.text());
    case Token::True: return true;
    case Token::False: return false;
    default: return nullptr;
  }
}

nlohmann::json parsed(const std::string& text) {
  JsonTokens tokens(pieces(text), "file");
  nlohmann::json document = built(tokens, tokens.next());
  REQUIRE(tokens.next() == Token::End);
  return document;
}

bool isAccepted(const std::string& text) {
  try {
    JsonTokens tokens(pieces(text), "file");
    while (tokens.next() != Token::End)
      continue;
    return true;
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidFile);
    return false;
  }
}

std::string randomText(std::mt19937& random) {
  static const std::vector<std::string> kParts{"a",  "\"", "\\",     "/",        "\n", "\x01", "é",
                                               "漢", "😀",  "conv2d", "        ", "\t", "\x7f"};
  std::string text;
  for (size_t i = random() % 12; i > 0; --i)
    text += kParts[random() % kParts.size()];
  return text;
}

nlohmann::json randomDocument(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 8 : 6)) {
    case 0: return nullptr;
    case 1: return random() % 2 == 0;
    case 2: return static_cast<int64_t>(random()) - (int64_t{1} << 31);
    case 3: return std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 99) - 60);
    case 4:
    case 5: return randomText(random);
    case 6: {
      nlohmann::json array = nlohmann::json::array();
      for (size_t i = random() % 5; i > 0; --i)
        array.push_back(randomDocument(random, depth - 1));
      return array;
    }
    default: {
      nlohmann::json object = nlohmann::json::object();
      for (size_t i = random() % 5; i > 0; --i)
        object[randomText(random)] = randomDocument(random, depth - 1);
      return object;
    }
  }
}

std::string messageOf(const std::string& text) {
  try {
    (void)parsed(text);
  }
  catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("trace json");

TEST_CASE("random documents have the same values as with another parser") {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const nlohmann::json document = randomDocument(random, 5);
    const std::string text = document.dump(round % 3 == 0 ? 2 : -1, ' ', round % 2 == 0);
    CHECK(parsed(text) == document);
  }
}

TEST_CASE("damaged documents are accepted or refused as by another parser") {
  std::mt19937 random(2);
  static constexpr char kBytes[] = "{}[],:\"\\0123456789.eE+-tfnu \x01\xc3\xa9";
  int numAccepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = randomDocument(random, 4).dump(-1, ' ', round % 2 == 0);
    for (size_t i = 1 + random() % 2; i > 0; --i) {
      const size_t at = random() % (text.size() + 1);
      const char byte = kBytes[random() % (sizeof kBytes - 1)];
      if (random() % 3 == 0)
        text.insert(at, 1, byte);
      else if (at < text.size() && random() % 2 == 0)
        text[at] = byte;
      else
        text.erase(at, 1);
    }
    bool isValid = true;
    try {
      isValid = !nlohmann::json::parse(text).is_discarded();
    }
    catch (const nlohmann::json::out_of_range&) {
      // The other parser refuses numbers that are too large for it
      continue;
    }
    catch (const nlohmann::json::exception&) {
      isValid = false;
    }
    numAccepted += isValid ? 1 : 0;
    CHECK_MESSAGE(isAccepted(text) == isValid, asOneLine(text));
  }
  CHECK(numAccepted > 1000);
}

TEST_CASE("grammar of numbers, words and escapes") {
  for (const char* good : {"0", "-0", "1.5e+10", "[1,2]", "\"\\u00e9\\ud83d\\ude00\"", "true",
                           " { } ", "\xef\xbb\xbf[]", "\"\\/\""})
    CHECK_MESSAGE(isAccepted(good), good);
  for (const char* bad : {"",
                          "01",
                          "-",
                          "1.",
                          "1e",
                          "+1",
                          ".5",
                          "NaN",
                          "tru",
                          "[1,]",
                          "{\"a\":1,}",
                          "{a:1}",
                          "'a'",
                          "\"\\x\"",
                          "\"\\ud83d\"",
                          "\"\\ude00\"",
                          "\"\\ud83d\\n\"",
                          "[1 2]",
                          "1 2",
                          "]",
                          "[}",
                          "/* */1",
                          "\"\xff\"",
                          "\"a\nb\"",
                          "[1"})
    CHECK_MESSAGE(!isAccepted(bad), bad);
}

TEST_CASE("tokens at the edges of blocks are whole") {
  // Strings and numbers of many lengths, so that each kind of byte is at the edge
  std::string text = "[";
  for (size_t i = 0; text.size() < (size_t{5} << 20); ++i)
    text.append(i > 0 ? "," : "")
        .append("\"")
        .append(i % 97, 'x')
        .append("\\u00e9é\\n\",")
        .append(std::to_string(i * 7919))
        .append(".25e3");
  text += "]";
  CHECK(parsed(text) == nlohmann::json::parse(text));
  std::string longest = "[" + std::string(100, ' ');
  for (const char* end : {",", "]"})
    longest.append("\"").append(JsonTokens::kMaxTokenBytes - 10, 'x').append("\"").append(end);
  CHECK(isAccepted(longest));
}

TEST_CASE("errors name the byte, what was expected and what is there") {
  CHECK(messageOf("[1, 2; 3]") ==
        "is not valid JSON at byte 5 (expected \",\" or \"]\", got \"; 3]\"). The file is damaged; "
        "write or download it again.");
  CHECK(messageOf("{\"a\" 1}").find("byte 5 (expected \":\"") != std::string::npos);
  CHECK(messageOf("[1, 2").find("got the end of the file") != std::string::npos);
  const std::string deep(JsonTokens::kMaxDepth + 1, '[');
  CHECK(messageOf(deep).find("nested too deeply at byte 200") != std::string::npos);
  const std::string tooLong = "[\"" + std::string(3 * JsonTokens::kMaxTokenBytes, 'x') + "\"]";
  CHECK(messageOf(tooLong).find("more than 1 MiB at byte 2") != std::string::npos);
  JsonTokens early(pieces("[1, 2"), "file");
  CHECK_THROWS_AS(([&] {
                    while (early.next() != Token::End)
                      continue;
                  }()),
                  Error);
  CHECK(early.endsEarly());
}

TEST_CASE("values are skipped as a whole") {
  JsonTokens tokens(pieces(R"({"a": [1, {"b": 2}], "c": 3})"), "file");
  CHECK(tokens.next() == Token::BeginObject);
  CHECK(tokens.next() == Token::Key);
  tokens.skipValue(tokens.next());
  CHECK(tokens.next() == Token::Key);
  CHECK(tokens.text() == "c");
}

TEST_SUITE_END();

}  // namespace strata
