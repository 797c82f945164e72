// SPDX-License-Identifier: Apache-2.0
// What the validations of a run found about each class, in `classes.jsonl` of the run directory:
//   {"step": 100, "epoch": 1, "outputs": [{"output": "out", "classes": ["cat", "dog"],
//    "confusion": [[0, 40, 1, 2], [1, 38]]}]}
// one line for each validation. A row of the matrix, for a true class, lists pairs of a predicted
// class and its number of samples, if there are any. A file has at most kMaxClassFileBytes: a full
// one drops every second line, but not the last one. Lines that are damaged, for example after a
// power failure, are skipped.
// Thread: only one thread at a time may use a log. A file may be read while a log appends to it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/evaluation/class_validation.h"

namespace strata {

constexpr const char* kClassFile = "classes.jsonl";
constexpr uint64_t kMaxClassFileBytes = uint64_t{32} << 20;

class ClassLog {
 public:
  /// Begins a new file with the first validation. With `lastStep`, goes on in the file that is
  /// there, and removes the validations after this step. Fails: IoFailure; InvalidFile if the path
  /// is no regular file.
  ClassLog(std::string path, std::optional<int64_t> lastStep,
           uint64_t maxBytes = kMaxClassFileBytes);
  /// Writes a validation. One that cannot be written whole leaves nothing that is read. Fails:
  /// IoFailure.
  void append(const ClassValidation& validation);
  /// Goes on in the file at `path`, a copy of the present one.
  void moveTo(std::string path) { m_path = std::move(path); }

 private:
  void rewrite(const std::function<bool(size_t line, const std::string& text)>& isKept);
  std::string m_path;
  uint64_t m_maxBytes, m_bytes = 0;
  size_t m_lines = 0;
};

/// Calls `use` with the validations of a file in the order of their steps, until it returns false.
/// Calls it never if there is no file that can be read. Reads at most kMaxClassFileBytes.
void readClassFile(const std::string& path, const std::function<bool(ClassValidation&&)>& use,
                   const std::stop_token& stop = {});

}  // namespace strata
