// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace strata::fuzz {

namespace {

constexpr size_t kMaxBytes = size_t{2} << 20;

/// Returns the number of changes of a mutant. Half of all mutants have only one change, because
/// readers accept more of a file with one change.
uint32_t timesOf(RandomStream& random) { return random.below(2) == 0 ? 1 : 1 + random.below(4); }

size_t below(RandomStream& random, size_t bound) {
  return bound == 0 ? 0 : random.below(static_cast<uint32_t>(std::min<size_t>(bound, UINT32_MAX)));
}

/// Chooses a position. Half of the positions lie near the beginning or the end of the file, where
/// headers and directories are.
size_t placeIn(const std::string& bytes, RandomStream& random) {
  const size_t size = bytes.size(), part = std::min<size_t>(size, 96);
  switch (random.below(4)) {
    case 0: return below(random, part);
    case 1: return size - part + below(random, part);
    default: return below(random, size);
  }
}

/// Chooses the length of a block. Most lengths are short.
size_t lengthIn(size_t most, RandomStream& random) {
  const size_t length = size_t{1} << random.below(13);
  return std::min(most, 1 + below(random, length));
}

uint64_t oddNumber(RandomStream& random, uint64_t size) {
  const std::array<uint64_t, 24> numbers{
      0,          1,          2,          3,          7,          8,
      16,         0x7f,       0x80,       0xff,       0x100,      0x7fff,
      0xffff,     0x10000,    0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
      1ull << 40, 1ull << 62, INT64_MAX,  1ull << 63, UINT64_MAX, size};
  const uint64_t number = numbers[random.below(static_cast<uint32_t>(numbers.size()))];
  return random.below(4) == 0 ? number - 1 + random.below(3) : number;
}

void putNumber(std::string& bytes, size_t at, size_t width, uint64_t value, bool isBigEndian) {
  for (size_t i = 0; i < width && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<char>(value >> (8 * (isBigEndian ? width - 1 - i : i)) & 255);
}

/// Returns the range of the digits at a position or after it. The range is empty if there are none.
std::pair<size_t, size_t> numberAround(const std::string& text, size_t at) {
  const auto isDigit = [&](size_t i) {
    return std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  while (at < text.size() && !isDigit(at))
    ++at;
  size_t begin = at, end = at;
  while (begin > 0 && isDigit(begin - 1))
    --begin;
  while (end < text.size() && isDigit(end))
    ++end;
  return {begin, end};
}

std::string oddNumberText(RandomStream& random) {
  static const std::array<const char*, 27> texts{"0",
                                                 "1",
                                                 "2",
                                                 "-1",
                                                 "255",
                                                 "256",
                                                 "65536",
                                                 "2147483647",
                                                 "2147483648",
                                                 "4294967296",
                                                 "1073741824",
                                                 "1e9",
                                                 "1000000000",
                                                 "1e30",
                                                 "-1e30",
                                                 "1e308",
                                                 "1e999",
                                                 "1e-400",
                                                 "0.5",
                                                 "-0",
                                                 "9007199254740993",
                                                 "9223372036854775807",
                                                 "-9223372036854775808",
                                                 "18446744073709551615",
                                                 "99999999999999999999999999",
                                                 "NaN",
                                                 "0x10"};
  return texts[random.below(static_cast<uint32_t>(texts.size()))];
}

void replaceNumber(std::string& text, RandomStream& random) {
  const auto [begin, end] = numberAround(text, placeIn(text, random));
  if (begin < end) text.replace(begin, end - begin, oddNumberText(random));
}

bool isWordByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::pair<size_t, size_t> wordAround(const std::string& text, size_t at) {
  while (at < text.size() && !isWordByte(text[at]))
    ++at;
  size_t begin = at, end = at;
  while (begin > 0 && isWordByte(text[begin - 1]))
    --begin;
  while (end < text.size() && isWordByte(text[end]))
    ++end;
  return {begin, end};
}

std::pair<size_t, size_t> lineAround(const std::string& text, size_t at) {
  const size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const size_t end = text.find('\n', at);
  return {before == std::string::npos ? 0 : before + 1,
          end == std::string::npos ? text.size() : end + 1};
}

std::string oddText(RandomStream& random) {
  switch (random.below(14)) {
    case 0: return std::string(size_t{1} << random.below(19), "[{(\"-,9a"[random.below(8)]);
    case 1: {
      std::string nested;
      for (size_t i = size_t{1} << random.below(17); i > 0; --i)
        nested += "{\"a\":";
      return nested;
    }
    case 2: return "\xef\xbb\xbf";
    case 3: return std::string(1, '\0');
    case 4: return "\xff\xfe";
    // This is half of a surrogate pair, encoded in UTF-8.
    case 5: return "\xed\xa0\x80";
    case 6: return "\\ud800";
    case 7: return "\"\"";
    case 8: return "\r";
    case 9: return "\n\n";
    case 10: return "null";
    case 11: return "%s%n%1";
    case 12: return "../../../etc/passwd";
    default: return std::string(1, "{}[]\",:;0-e\\n/ \t|()=%@"[random.below(23)]);
  }
}

void changeBytes(std::string& bytes, const std::string& other, RandomStream& random) {
  const size_t at = placeIn(bytes, random), left = bytes.size() - at;
  switch (random.below(13)) {
    case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8))); break;
    case 1: bytes[at] = static_cast<char>(random.word()); break;
    case 2: bytes[at] = static_cast<char>(oddNumber(random, bytes.size())); break;
    case 3:
    case 4:
      putNumber(bytes, at, size_t{1} << random.below(4), oddNumber(random, bytes.size()),
                random.below(2) == 0);
      break;
    case 5: bytes[at] = static_cast<char>(bytes[at] + static_cast<int>(random.below(9)) - 4); break;
    case 6: bytes.erase(at, lengthIn(left, random)); break;
    case 7: {
      const std::string block = bytes.substr(at, lengthIn(left, random));
      bytes.insert(placeIn(bytes, random), block);
      break;
    }
    case 8:
      bytes.insert(at, lengthIn(4096, random),
                   static_cast<char>(random.below(2) == 0 ? 0 : random.word()));
      break;
    case 9: bytes.resize(at); break;
    case 10: {
      const size_t begin = below(random, other.size());
      bytes = bytes.substr(0, at) + other.substr(begin);
      break;
    }
    case 11: {
      const size_t length = lengthIn(left, random);
      bytes.replace(at, length, length, static_cast<char>(random.below(2) == 0 ? 0 : 255));
      break;
    }
    default: replaceNumber(bytes, random); break;
  }
}

void changeText(std::string& text, const std::string& other, RandomStream& random) {
  const size_t at = below(random, text.size());
  switch (random.below(11)) {
    case 0:
    case 1: replaceNumber(text, random); break;
    case 2: text.insert(at, oddText(random)); break;
    case 3: {
      const auto [begin, end] = wordAround(text, at);
      const auto [from, to] = wordAround(other, below(random, other.size()));
      text.replace(begin, end - begin, other.substr(from, to - from));
      break;
    }
    case 4: {
      const auto [begin, end] = lineAround(text, at);
      const std::string line = text.substr(begin, end - begin);
      for (size_t i = size_t{1} << (random.below(8) == 0 ? random.below(12) : 0);
           i > 0 && text.size() < kMaxBytes; --i)
        text.insert(begin, line);
      break;
    }
    case 5: {
      const auto [begin, end] = lineAround(text, at);
      text.erase(begin, end - begin);
      break;
    }
    case 6: {
      const auto [begin, end] = lineAround(text, at);
      const auto [from, to] = lineAround(other, below(random, other.size()));
      text.replace(begin, end - begin, other.substr(from, to - from));
      break;
    }
    case 7: {
      const auto [begin, end] = wordAround(text, at);
      text.erase(begin, end - begin);
      break;
    }
    case 8: {
      const auto [begin, end] = wordAround(text, at);
      text.replace(begin, end - begin, std::string(size_t{1} << random.below(17), 'x'));
      break;
    }
    default: changeBytes(text, other, random); break;
  }
}

template <class Change>
std::string changed(std::string bytes, const std::string& other, RandomStream& random,
                    Change&& change) {
  for (uint32_t times = timesOf(random); times > 0; --times) {
    if (bytes.empty()) bytes = std::string(1, static_cast<char>(random.word()));
    change(bytes, other, random);
    if (bytes.size() > kMaxBytes) bytes.resize(kMaxBytes);
  }
  return bytes;
}

std::string mutateJsonLines(const std::string& text, const std::string& other,
                            RandomStream& random) {
  if (text.empty() || random.below(2) == 0) return mutateText(text, other, random);
  const auto [begin, end] = lineAround(text, below(random, text.size()));
  const auto [from, to] = lineAround(other, below(random, other.size()));
  std::string line =
      mutateJson(text.substr(begin, end - begin), other.substr(from, to - from), random);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return text.substr(0, begin) + line + "\n" + text.substr(end);
}

}  // namespace

std::string mutateBytes(std::string bytes, const std::string& other, RandomStream& random) {
  return changed(std::move(bytes), other, random, changeBytes);
}

std::string mutateText(std::string text, const std::string& other, RandomStream& random) {
  return changed(std::move(text), other, random, changeText);
}

Damaged mutate(std::span<const Seed> seeds, RandomStream& random) {
  const Seed& seed = seeds[below(random, seeds.size())];
  const std::string& other = seeds[below(random, seeds.size())].bytes;
  switch (seed.kind) {
    case Kind::Bytes: return {mutateBytes(seed.bytes, other, random), seed.file};
    case Kind::Text: return {mutateText(seed.bytes, other, random), seed.file};
    case Kind::JsonLines: return {mutateJsonLines(seed.bytes, other, random), seed.file};
    case Kind::Json: break;
  }
  if (random.below(3) == 0) return {mutateText(seed.bytes, other, random), seed.file};
  return {mutateJson(seed.bytes, other, random), seed.file};
}

}  // namespace strata::fuzz
