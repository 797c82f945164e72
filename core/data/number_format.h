// SPDX-License-Identifier: Apache-2.0
// Notations of numbers in text: decimal comma, thousands separators, percent and currency signs,
// units, unusual signs and quotes. Not here: finding the notation of a column (csv_formats.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/project/json.h"

namespace strata {

/// The notation of the numbers in a column.
struct NumberFormat {
  // '.' or ','
  char decimal = '.';
  // ',', '.', '\'' or ' ' (also no-break spaces and thin spaces); '\0' without one
  char thousands = '\0';
  // Whether each number has a percent sign. 12.5% is read as 0.125.
  bool isPercent = false;
  // The currency sign that numbers may have, such as "$" or "EUR"; "" if they must not have one
  std::string currency = {};
  // The unit after each number, such as "kg"; "" without one. The unit "\u2030" (per mille)
  // divides the number by 1000.
  std::string unit = {};
  bool operator==(const NumberFormat&) const = default;
};

/// How a number differs from the usual spelling, such as -1.5, apart from its NumberFormat. These
/// spellings have only one meaning, so they are read in each column with a NumberFormat.
enum class Spelling : uint8_t {
  Usual,
  // (1.5) for -1.5
  Parentheses,
  // The minus sign U+2212
  UnicodeMinus,
  // 1.5- or a dash before the number
  OtherMinus,
  // ="1.5" or '1.5, which spreadsheets write
  Quotes,
  // 1.5D+00
  Exponent,
  // No-break spaces, or characters without a width
  Invisible,
  Count
};

/// The parts of a cell that looks like a number.
struct NumberParts {
  bool isNegative = false;
  Spelling spelling = Spelling::Usual;
  bool isPercent = false;
  std::string_view currency, unit;
  // Digits, separators and exponent
  std::string_view body;
};

/// Splits a cell without surrounding spaces. Returns nullopt if its body does not begin with a
/// digit, or with a decimal separator and a digit.
std::optional<NumberParts> splitNumber(std::string_view text);

/// Returns the text without spaces, no-break spaces and invisible characters at its ends.
std::string_view withoutInvisible(std::string_view text);

/// A pair of separators.
struct Separators {
  char decimal, thousands;
};
/// The possible pairs of separators. For each decimal separator, the pair without thousands
/// separator precedes the others.
constexpr std::array<Separators, 8> kSeparators{{{'.', '\0'},
                                                 {'.', ','},
                                                 {'.', ' '},
                                                 {'.', '\''},
                                                 {',', '\0'},
                                                 {',', '.'},
                                                 {',', ' '},
                                                 {',', '\''}}};

/// Returns the value of NumberParts::body, or nullopt if it is not a number with these separators.
/// Groups before thousands separators must be complete: 1 to 3 digits, then 3 digits each. With
/// commas, groups of two digits may precede the last one, as in 12,34,567.
std::optional<double> valueOf(std::string_view body, const Separators& separators);

/// Whether the body has one point or comma, which may be a decimal or a thousands separator, as in
/// "1,234". Returns that separator, or '\0'.
char ambiguousMark(std::string_view body);

/// Returns the number in a cell with this notation, or nullopt if the cell has none.
std::optional<double> parseNumber(std::string_view text, const NumberFormat& format);

/// Returns an example of a number in this notation, such as "1.234,5%".
std::string exampleOf(const NumberFormat& format);

Json toJson(const NumberFormat& format);
/// Parses a saved notation. Fails: std::exception if it has a wrong type or value.
NumberFormat parseNumberFormat(const Json& json);

}  // namespace strata
