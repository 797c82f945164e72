// SPDX-License-Identifier: Apache-2.0
// Sizes in bytes as people write and read them, in English. Thread: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

/// "312 B", "1.5 MiB": in the largest unit of 1024 that leaves 1 or more.
std::string bytesText(double bytes);
/// "2000000", "500MiB" (1024 KiB each), "1.5 GB" (1000 MB each), in any case; nothing for other
/// texts, and for what is below 1 or above 2^60.
std::optional<int64_t> parseBytes(std::string_view text);

}  // namespace strata
