// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/device_name.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "gpu/exec/card_data.h"

namespace strata {
namespace {

constexpr int kMaxOrdinal = 9999, kMaxCopies = 1024;

/// Returns the number that a text consists of, from 0 to `most`.
std::optional<int> numberIn(std::string_view text, int most) {
  const auto isDigit = [](char c) {
    return c >= '0' && c <= '9';
  };
  if (text.empty() || !std::ranges::all_of(text, isDigit)) return std::nullopt;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number > most) return std::nullopt;
  return number;
}

}  // namespace

DeviceName::DeviceName(std::string_view text) {
  constexpr std::string_view kCuda = "cuda:", kSimulated = kSimulatedPrefix;
  std::string_view name = text;
  if (const size_t star = text.rfind('*'); star != std::string_view::npos)
    if (const std::optional<int> number = numberIn(text.substr(star + 1), kMaxCopies);
        number && *number > 0) {
      copies = *number;
      name = text.substr(0, star);
    }
  if (name.starts_with(kSimulated)) {
    kind = Kind::Simulated;
    card = name.substr(kSimulated.size());
  }
  else if (name.starts_with(kCuda)) {
    if (const std::optional<int> number = numberIn(name.substr(kCuda.size()), kMaxOrdinal)) {
      kind = Kind::Cuda;
      ordinal = *number;
    }
  }
  else if (name == "cpu") {
    kind = Kind::Cpu;
  }
  else if (name == "reference") {
    kind = Kind::Reference;
  }
  else if (name == "auto") {
    kind = Kind::Auto;
  }
}

std::string DeviceName::single() const {
  switch (kind) {
    case Kind::Auto: return "auto";
    case Kind::Cpu: return "cpu";
    case Kind::Reference: return "reference";
    case Kind::Cuda: return "cuda:" + std::to_string(ordinal);
    case Kind::Simulated: return kSimulatedPrefix + card;
    case Kind::Unknown: break;
  }
  return {};
}

std::vector<std::string> DeviceName::each() const {
  if (copies == 1) return {single()};
  std::vector<std::string> names;
  for (int i = 0; i < copies; ++i)
    names.push_back(single() + ":" + std::to_string(i));
  return names;
}

}  // namespace strata
