// SPDX-License-Identifier: Apache-2.0
// Opens a file for reading whose path is in a project or a command line. Only regular files are
// allowed: a pipe may block, a device may never end, and neither has a known size. Not here:
// reading the file.
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstdint>
#include <string>

namespace strata {

class RegularFile {
 public:
  /// Opens the file. Fails: InvalidFile (missing, no permission, a folder, pipe, device or socket).
  explicit RegularFile(const std::string& path);
  int descriptor() const { return m_descriptor.number; }
  uint64_t size() const { return m_size; }

 private:
  struct Descriptor {
    Descriptor() = default;
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number = -1;
  };
  Descriptor m_descriptor;
  uint64_t m_size = 0;
};

}  // namespace strata
