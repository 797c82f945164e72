// SPDX-License-Identifier: Apache-2.0
// The text of a variant: its name, which people read and pin, and for some algorithms of libraries
// "#" and data that the name does not say: "alg21{t20}#130100:0a1b...". The number is the version
// of the library, which alone can use the data.
// Thread: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace strata {

inline std::string_view variantName(std::string_view text) {
  return text.substr(0, text.find('#'));
}

/// Returns the data of a variant; "" if the name says all.
inline std::string_view variantData(std::string_view text) {
  const size_t mark = text.find('#');
  return mark == std::string_view::npos ? std::string_view() : text.substr(mark + 1);
}

inline std::string variantText(std::string_view name, std::string_view data) {
  std::string result(name);
  if (!data.empty()) result.append("#").append(data);
  return result;
}

/// Whether data from a file have the form "version:hexadecimal bytes".
inline bool isVariantData(std::string_view data) {
  constexpr size_t kMaxCharacters = 4096;
  const size_t mark = data.find(':');
  if (mark == std::string_view::npos || mark == 0 || data.size() > kMaxCharacters) return false;
  const std::string_view version = data.substr(0, mark), bytes = data.substr(mark + 1);
  return version.find_first_not_of("0123456789") == std::string_view::npos && !bytes.empty() &&
         bytes.size() % 2 == 0 &&
         bytes.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace strata
