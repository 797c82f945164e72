// SPDX-License-Identifier: Apache-2.0
// Formats sizes in bytes as English text, and parses them. Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

/// Formats a size with a binary unit from B to TiB and, except for B, one decimal: "312 B",
/// "1.5 MiB".
std::string bytesText(double bytes);
/// Parses a number of bytes with an optional binary or decimal unit, such as "2000000", "500MiB" or
/// "1.5 GB". Case is ignored. Returns nullopt for other text and for sizes below 1 or above 2^60.
std::optional<int64_t> parseBytes(std::string_view text);

}  // namespace strata
