// SPDX-License-Identifier: Apache-2.0
// Writes a tensor as a .npy file, for tests of the reader. Any thread may call this function.
#pragma once

#include <filesystem>
#include <fstream>

#include "core/interchange/npy.h"

namespace strata {

inline void writeNpy(const std::filesystem::path& path, const Tensor& tensor) {
  std::ofstream(path, std::ios::binary)
      << npyHead(tensor.type())
      << std::string(reinterpret_cast<const char*>(tensor.data()), tensor.bytes());
}

}  // namespace strata
