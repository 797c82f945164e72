// SPDX-License-Identifier: Apache-2.0
#include "core/data/number_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace strata {

namespace {

constexpr std::string_view kUnicodeMinus = "\xE2\x88\x92", kPerMille = "\xE2\x80\xB0";
// Hyphen, no-break hyphen, figure dash, en dash, and small and wide hyphen
constexpr std::string_view kDashes[] = {"\xE2\x80\x90", "\xE2\x80\x91", "\xE2\x80\x92",
                                        "\xE2\x80\x93", "\xEF\xB9\xA3", "\xEF\xBC\x8D"};

// Longer signs precede signs that they begin with or end with.
constexpr std::string_view kCurrencies[] = {
    "US$",          "R$",           "HK$",          "NT$",          "CA$",
    "AU$",          "A$",           "C$",           "S$",           "$",
    "EUR",          "\xE2\x82\xAC", "GBP",          "\xC2\xA3",     "JPY",
    "CNY",          "RMB",          "\xC2\xA5",     "\xEF\xBF\xA5", "CHF",
    "USD",          "INR",          "BRL",          "SEK",          "NOK",
    "DKK",          "PLN",          "KRW",          "Rs.",          "Rs",
    "kr.",          "kr",           "z\xC5\x82",    "\xE2\x82\xB9", "\xE2\x82\xBD",
    "\xE2\x82\xA9", "\xE2\x82\xBA", "\xE2\x82\xAA", "\xE2\x82\xAB", "\xE2\x82\xB1",
    "\xE2\x82\xB4", "\xE0\xB8\xBF"};

// No-break space, narrow no-break space, thin space and figure space
constexpr std::string_view kSpaces[] = {" ", "\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89",
                                        "\xE2\x80\x87"};
// Characters without a width: zero-width space, non-joiner, joiner, marks of direction, word joiner
// and byte order mark
constexpr std::string_view kInvisible[] = {"\xE2\x80\x8B", "\xE2\x80\x8C", "\xE2\x80\x8D",
                                           "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x81\xA0",
                                           "\xEF\xBB\xBF"};
constexpr std::string_view kApostrophes[] = {"'", "\xE2\x80\x99"};

bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool dropFront(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

bool dropBack(std::string_view& text, std::string_view part) {
  if (!text.ends_with(part)) return false;
  text.remove_suffix(part.size());
  return true;
}

/// Removes spaces and invisible characters at both ends. Returns whether a character other than a
/// simple space was among them.
bool dropSpaces(std::string_view& text) {
  bool hasInvisible = false;
  const auto dropOne = [&](const auto& forms) {
    return std::any_of(std::begin(forms), std::end(forms), [&](std::string_view form) {
      if (!dropFront(text, form) && !dropBack(text, form)) return false;
      hasInvisible = hasInvisible || form != " ";
      return true;
    });
  };
  const auto mayDrop = [&] {
    const auto isIn = [](char c) {
      return c == ' ' || static_cast<unsigned char>(c) > 127;
    };
    return !text.empty() && (isIn(text.front()) || isIn(text.back()));
  };
  while (mayDrop() && (dropOne(kSpaces) || dropOne(kInvisible))) {
  }
  return hasInvisible;
}

/// Removes the quotes that spreadsheets write around numbers: ="1.5" and '1.5.
bool dropQuotes(std::string_view& text) {
  // The quotes of a quoted cell are doubled.
  for (const std::string_view quote : {"\"\"", "\""})
    if (const std::string begin = "=" + std::string(quote);
        text.size() > begin.size() + quote.size() && text.starts_with(begin) &&
        text.ends_with(quote)) {
      text.remove_prefix(begin.size());
      text.remove_suffix(quote.size());
      return true;
    }
  return dropFront(text, "'");
}

/// Returns the length of the separator at the beginning of the text, or 0 if it is another
/// character.
size_t lengthOfSeparator(std::string_view text, char separator) {
  const auto lengthIn = [&](const auto& forms) -> size_t {
    for (const std::string_view form : forms)
      if (text.starts_with(form)) return form.size();
    return 0;
  };
  if (separator == ' ') return lengthIn(kSpaces);
  if (separator == '\'') return lengthIn(kApostrophes);
  return separator != '\0' && text.starts_with(separator) ? 1 : 0;
}

/// Whether the text is an exponent at its beginning. Returns its length, or 0.
size_t lengthOfExponent(std::string_view text) {
  if (text.empty() || std::string_view("eEdD").find(text[0]) == std::string_view::npos) return 0;
  size_t at = 1;
  const bool hasSign = at < text.size() && (text[at] == '+' || text[at] == '-');
  if (hasSign) ++at;
  const size_t begin = at;
  while (at < text.size() && isDigit(text[at]))
    ++at;
  const bool isFortran = text[0] == 'd' || text[0] == 'D';
  // "5D2" may be something else than a number.
  return at == begin || (isFortran && !hasSign) ? 0 : at;
}

/// Returns the unit at the end of a number, such as "kg", "m/s" or "\u00B0C", or "" if the text
/// after the number is no unit.
std::string_view unitOf(std::string_view text) {
  constexpr size_t kMaxLength = 12;
  size_t at = 0;
  while (at < text.size()) {
    if (isDigit(text[at]) || text[at] == '.' || text[at] == ',') {
      ++at;
      continue;
    }
    const size_t length =
        std::max(lengthOfSeparator(text.substr(at), ' '), lengthOfSeparator(text.substr(at), '\''));
    if (length == 0 || at + length >= text.size() || !isDigit(text[at + length])) break;
    at += length;
  }
  at += lengthOfExponent(text.substr(at));
  std::string_view rest = text.substr(at);
  (void)dropSpaces(rest);
  const auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) > 127;
  };
  if (rest.empty() || rest.size() > kMaxLength || !isLetter(rest[0])) return {};
  for (size_t i = 0; i < rest.size(); ++i) {
    // A digit may be the power of a unit, such as "m2".
    const bool isPower =
        isDigit(rest[i]) && i > 0 && isLetter(rest[i - 1]) && (rest[i] == '2' || rest[i] == '3');
    if (!isLetter(rest[i]) && !isPower && rest[i] != '/' && rest[i] != '^') return {};
  }
  return rest;
}

}  // namespace

std::string_view withoutInvisible(std::string_view text) {
  for (;;) {
    const size_t before = text.size();
    (void)dropSpaces(text);
    while (!text.empty() && (text.front() == '\t' || text.front() == '\r'))
      text.remove_prefix(1);
    while (!text.empty() && (text.back() == '\t' || text.back() == '\r'))
      text.remove_suffix(1);
    if (text.size() == before) return text;
  }
}

std::optional<NumberParts> splitNumber(std::string_view text) {
  NumberParts parts;
  if (std::none_of(text.begin(), text.end(), isDigit)) return std::nullopt;
  const auto note = [&](Spelling spelling) {
    if (parts.spelling == Spelling::Usual || spelling < parts.spelling) parts.spelling = spelling;
  };
  bool hasSign = false;
  const auto takeSign = [&](bool (*drop)(std::string_view&, std::string_view)) {
    if (hasSign) return;
    const bool isBehind = drop == dropBack;
    const bool isDash = std::any_of(std::begin(kDashes), std::end(kDashes),
                                    [&](std::string_view dash) { return drop(text, dash); });
    const bool isUnicode = !isDash && drop(text, kUnicodeMinus);
    parts.isNegative = isDash || isUnicode || drop(text, "-");
    hasSign = parts.isNegative || (!isBehind && drop(text, "+"));
    if (isUnicode)
      note(Spelling::UnicodeMinus);
    else if (isDash || (isBehind && parts.isNegative))
      note(Spelling::OtherMinus);
    if (hasSign && dropSpaces(text)) note(Spelling::Invisible);
  };
  if (dropSpaces(text)) note(Spelling::Invisible);
  if (dropQuotes(text)) note(Spelling::Quotes);
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') {
    text = text.substr(1, text.size() - 2);
    note(Spelling::Parentheses);
    parts.isNegative = hasSign = true;
    (void)dropSpaces(text);
  }
  takeSign(dropFront);
  const auto takeCurrency = [&](bool (*drop)(std::string_view&, std::string_view)) {
    for (const std::string_view currency : kCurrencies)
      if (parts.currency.empty() && drop(text, currency)) parts.currency = currency;
    if (!parts.currency.empty()) (void)dropSpaces(text);
  };
  takeCurrency(dropFront);
  takeSign(dropFront);
  takeSign(dropBack);
  takeCurrency(dropBack);
  parts.isPercent = dropBack(text, "%") || dropBack(text, "\xEF\xBC\x85");
  (void)dropSpaces(text);
  if (!parts.isPercent && parts.currency.empty()) {
    parts.unit = unitOf(text);
    text.remove_suffix(parts.unit.size());
    (void)dropSpaces(text);
  }
  if (text.find_first_of("dD") != std::string_view::npos) note(Spelling::Exponent);
  parts.body = text;
  const bool isNumber =
      !text.empty() && (isDigit(text[0]) || (text.size() > 1 && isDigit(text[1]) &&
                                             (text[0] == '.' || text[0] == ',')));
  return isNumber ? std::optional(parts) : std::nullopt;
}

std::optional<double> valueOf(std::string_view body, const Separators& separators) {
  // Longer texts are not numbers that anybody writes.
  constexpr size_t kMaxLength = 400;
  if (body.size() > kMaxLength) return std::nullopt;
  std::string plain;
  size_t at = 0, groupBegin = 0;
  bool isGrouped = false, hasPairs = false;
  const auto isGroupSound = [&](bool isLast) {
    const size_t digits = plain.size() - groupBegin;
    if (!isGrouped) return digits >= 1 && digits <= 3 && plain[0] != '0';
    // Groups of two digits, as in 12,34,567, have at most two digits before them.
    if (!isLast && digits == 2 && separators.thousands == ',' && (hasPairs || groupBegin <= 2)) {
      hasPairs = true;
      return true;
    }
    return digits == 3 && (isLast || !hasPairs);
  };
  while (at < body.size()) {
    if (isDigit(body[at])) {
      plain += body[at++];
      continue;
    }
    const size_t length = lengthOfSeparator(body.substr(at), separators.thousands);
    if (length == 0) break;
    if (!isGroupSound(false)) return std::nullopt;
    isGrouped = true;
    groupBegin = plain.size();
    at += length;
  }
  if (isGrouped && !isGroupSound(true)) return std::nullopt;
  if (at < body.size() && body[at] == separators.decimal) {
    plain += '.';
    ++at;
  }
  std::string rest(body.substr(at));
  if (const size_t exponent = rest.find_first_of("dD");
      exponent != std::string::npos &&
      lengthOfExponent(std::string_view(rest).substr(exponent)) == rest.size() - exponent)
    rest[exponent] = 'e';
  if (rest.find_first_of(".,") != std::string::npos) return std::nullopt;
  plain += rest;
  double value = 0;
  const auto parsed = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  const bool isNumber = parsed.ec == std::errc() && parsed.ptr == plain.data() + plain.size();
  return isNumber && std::isfinite(static_cast<float>(value)) ? std::optional(value) : std::nullopt;
}

char ambiguousMark(std::string_view body) {
  const size_t at = body.find_first_of(".,");
  if (at == std::string_view::npos || body.find_first_of(".,", at + 1) != std::string_view::npos)
    return '\0';
  const char mark = body[at];
  const Separators grouped{mark == '.' ? ',' : '.', mark};
  return valueOf(body, grouped) && valueOf(body, {mark, '\0'}) ? mark : '\0';
}

std::optional<double> parseNumber(std::string_view text, const NumberFormat& format) {
  const std::optional<NumberParts> parts = splitNumber(text);
  if (!parts || parts->isPercent != format.isPercent || parts->unit != format.unit ||
      (!parts->currency.empty() && parts->currency != format.currency))
    return std::nullopt;
  const std::optional<double> size = valueOf(parts->body, {format.decimal, format.thousands});
  if (!size) return std::nullopt;
  double value = format.isPercent ? *size / 100 : *size;
  if (format.unit == kPerMille) value /= 1000;
  return parts->isNegative ? -value : value;
}

std::string exampleOf(const NumberFormat& format) {
  std::string text = "1234";
  if (format.thousands != '\0') text.insert(1, 1, format.thousands);
  text += std::string(1, format.decimal) + "5";
  if (format.isPercent) text += "%";
  if (!format.unit.empty()) text += " " + format.unit;
  if (!format.currency.empty()) text = format.currency + " " + text;
  return text;
}

Json toJson(const NumberFormat& format) {
  return {
      {"decimal", std::string(1, format.decimal)},
      {"thousands", format.thousands == '\0' ? std::string() : std::string(1, format.thousands)},
      {"percent", format.isPercent},
      {"currency", format.currency},
      {"unit", format.unit}};
}

NumberFormat parseNumberFormat(const Json& json) {
  const auto decimal = json.at("decimal").get<std::string>(),
             thousands = json.at("thousands").get<std::string>();
  NumberFormat format{decimal.at(0), thousands.empty() ? '\0' : thousands[0],
                      json.at("percent").get<bool>(), json.at("currency").get<std::string>(),
                      // Files of early versions do not have units.
                      json.value("unit", std::string())};
  const bool isKnown =
      std::any_of(kSeparators.begin(), kSeparators.end(), [&](const Separators& each) {
        return each.decimal == format.decimal && each.thousands == format.thousands;
      });
  if (!isKnown) throw std::out_of_range("decimal");
  return format;
}

}  // namespace strata
