// SPDX-License-Identifier: Apache-2.0
// A file from outside, read by place: its size is known first, so that whoever reads compares every length with it. Not here: formats. Thread: one at a time.
#pragma once

#include <cstdint>
#include <string>

namespace strata {

class FileBytes {
 public:
  /// Fails: InvalidFile (not there, no permission, not a file), IoFailure.
  explicit FileBytes(const std::string& path);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  const std::string& path() const { return m_path; }
  uint64_t size() const { return m_size; }
  /// Requires: offset + bytes <= size(). Fails: InvalidFile where the file shrank, IoFailure.
  void read(void* target, uint64_t bytes, uint64_t offset);
  /// Throws InvalidFile that names the file.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  [[noreturn]] void ioFail(int number) const;
  const std::string m_path;
  int m_descriptor = -1;
  uint64_t m_size = 0;
};

}  // namespace strata
