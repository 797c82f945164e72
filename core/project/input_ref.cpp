// SPDX-License-Identifier: Apache-2.0
#include "core/project/input_ref.h"

#include <charconv>

namespace strata {

InputRef inputRefOf(const std::string& entry) {
  const size_t colon = entry.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == entry.size() ||
      entry.size() - colon > 4)
    return {entry, 0};
  int output = 0;
  const char* const end = entry.data() + entry.size();
  const auto [rest, error] = std::from_chars(entry.data() + colon + 1, end, output);
  if (error != std::errc() || rest != end || output < 0) return {entry, 0};
  return {entry.substr(0, colon), output};
}

}  // namespace strata
