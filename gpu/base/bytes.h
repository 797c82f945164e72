// SPDX-License-Identifier: Apache-2.0
// Formats sizes in bytes as English text, and parses them. Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

/// Formats a size in the largest binary unit for which the number is at least 1: "312 B",
/// "1.5 MiB".
std::string bytesText(double bytes);
/// Parses "2000000", "500MiB" (binary unit) or "1.5 GB" (decimal unit), ignoring case. Returns
/// nullopt for any other text and for values below 1 or above 2^60.
std::optional<int64_t> parseBytes(std::string_view text);

}  // namespace strata
