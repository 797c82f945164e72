// SPDX-License-Identifier: Apache-2.0
// One case of a reference file: its tensors, and its result after the comparison. Not here: how
// each kind of case is computed (cases.h).
// Thread: one thread uses a case.
#pragma once

#include <string>
#include <vector>

#include "core/interchange/safetensors.h"
#include "core/project/json.h"
#include "core/verify/verify.h"
#include "gpu/exec/device.h"
#include "gpu/exec/program.h"

namespace strata {

/// Thrown for a type that this build does not have. The case is then skipped.
struct MissingType {
  std::string name;
};

class ReferenceCase {
 public:
  // Default tolerance of an error relative to the largest expected value of a tensor (at least 1)
  static constexpr double kTolerance = 1e-5;

  /// `item`, `file` and `device` must outlive the case.
  ReferenceCase(const Json& item, const TensorFile& file, Device& device);

  /// The description of the case in the manifest.
  const Json& item() const { return m_item; }
  const std::string& id() const { return m_row.id; }
  const std::string& kind() const { return m_row.kind; }
  Device& device() const { return m_device; }
  const VerifyRow& row() const { return m_row; }

  /// Returns the tensor `<id>/<name>`. Fails: InvalidFile if it does not exist.
  const Tensor& tensor(const std::string& name) const;
  /// Returns the tensor with this full name, or null.
  const Tensor* find(const std::string& name) const;
  /// Finds all tensors with names that start with `<id>/<prefix>`. Returns the rest of each name.
  std::vector<std::string> namesUnder(const std::string& prefix) const;
  /// Reads a count between 1 and `most`. `what` is the name of the count in the error. Fails:
  /// InvalidFile.
  int64_t countIn(const Json& value, const char* what, int64_t most) const;
  /// Returns the size of the first dimension. Fails: InvalidFile if the tensor has no elements.
  int64_t rowCount(const Tensor& tensor) const;
  /// Copies the tensor `<id>/weight/<name>` to the variable `name`.
  void writeWeight(State& state, const std::string& name) const;

  /// Marks the case as failed because of a problem.
  void fail(const std::string& message);
  /// Marks the case as skipped because this build does not have a type.
  void skip(const std::string& type);
  /// Marks the case as failed if an error exceeds its tolerance or is NaN. row() keeps the error
  /// that is largest relative to its tolerance.
  void judge(const std::string& name, double error, double tolerance);
  /// Compares all elements, and passes the largest difference to judge(). The difference is
  /// relative to the largest expected value (at least 1). Marks the case as failed if the numbers
  /// of elements differ.
  void compare(const std::string& name, const Tensor& got, const Tensor& expected,
               double tolerance = kTolerance);

 private:
  const Json& m_item;
  const TensorFile& m_file;
  Device& m_device;
  VerifyRow m_row;
};

/// Returns `count` rows from row `begin`. After the last row, it continues with the first one, as
/// the reference trainings do.
Tensor rowsFrom(const Tensor& source, int64_t begin, int64_t count);

}  // namespace strata
