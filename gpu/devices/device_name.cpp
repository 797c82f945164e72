// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/device_name.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "gpu/exec/card_data.h"

namespace strata {
namespace {

constexpr int kMaxOrdinal = 9999, kMaxCopies = 1024;
constexpr std::string_view kCuda = "cuda:";

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

/// Returns the numbers in a list such as "cuda:0,cuda:1", or nothing if the text is no list of
/// different GPUs.
std::vector<int> ordinalsIn(std::string_view text) {
  std::vector<int> ordinals;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view name = text.substr(begin, comma - begin);
    if (!name.starts_with(kCuda)) return {};
    const std::optional<int> number = numberIn(name.substr(kCuda.size()), kMaxOrdinal);
    if (!number || std::ranges::find(ordinals, *number) != ordinals.end()) return {};
    ordinals.push_back(*number);
    begin = comma + 1;
  }
  return ordinals;
}

}  // namespace

DeviceName::DeviceName(std::string_view text) {
  constexpr std::string_view kSimulated = kSimulatedPrefix;
  if (text.find(',') != std::string_view::npos && !text.starts_with(kSimulated)) {
    ordinals = ordinalsIn(text);
    if (ordinals.empty()) return;
    kind = Kind::Cuda;
    ordinal = ordinals.front();
    copies = static_cast<int>(ordinals.size());
    return;
  }
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
  else if (name == "all") {
    kind = Kind::All;
  }
}

std::string DeviceName::single() const {
  switch (kind) {
    case Kind::Auto: return "auto";
    case Kind::All: return "all";
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
  if (!ordinals.empty()) {
    for (int rank = 0; rank < copies; ++rank)
      names.push_back(at(rank));
    return names;
  }
  for (int i = 0; i < copies; ++i)
    names.push_back(single() + ":" + std::to_string(i));
  return names;
}

std::string DeviceName::at(int rank) const {
  return ordinals.empty()
             ? single()
             : std::string(kCuda) + std::to_string(ordinals[static_cast<size_t>(rank)]);
}

}  // namespace strata
