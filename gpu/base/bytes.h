// SPDX-License-Identifier: Apache-2.0
// Prints and reads sizes in bytes, in English. Thread: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

/// "312 B", "1.5 MiB": in the largest binary unit that gives at least 1.
std::string bytesText(double bytes);
/// Reads "2000000", "500MiB" (binary unit) or "1.5 GB" (decimal unit), in upper or lower case.
/// Returns nothing for other texts and for values below 1 or above 2^60.
std::optional<int64_t> parseBytes(std::string_view text);

}  // namespace strata
