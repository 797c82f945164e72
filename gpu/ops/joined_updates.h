// SPDX-License-Identifier: Apache-2.0
// The operands of ops that update several variables at once (joined_updates.cpp).
// Thread: plain values.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/graph/op.h"

namespace strata {

/// The columns of a matrix that one of several variables has: elements first + row * pitch +
/// column.
struct Columns {
  int64_t first = 0, width = 0, pitch = 0;
  int64_t at(int64_t element) const { return first + element / width * pitch + element % width; }
};

/// Where the operands of a joined update are. Outputs are new values of the first operands, in
/// order: the states of the first member, then its copy if it has one, then those of the next
/// member. The gradients of the members follow, and then the operands that all members share.
struct JoinedUpdates {
  /// The op of each member, such as sgd_update.
  const OpDef* rule = nullptr;
  // The state operands of each member, w first
  size_t numStates = 0;
  // For each member: 0 if it has no 16-bit copy of w, 1 if it has one, 2 if it has the next columns
  // of the copy of the member before
  std::vector<int64_t> copies;
  // For each member, whether it has the next columns of the gradient of the member before
  std::vector<int64_t> joined;
  // rate and step
  size_t numShared = 0;

  size_t numMembers() const { return copies.size(); }
  /// Returns the index of the first state of a member.
  size_t firstState(size_t member) const;
  /// Returns the number of outputs, which is that of the operands before the gradients.
  size_t numOutputs() const { return firstState(numMembers()); }
  size_t gradient(size_t member) const;
  /// Returns the index of the copy that has the columns of a member. Requires: it has one.
  size_t copy(size_t member) const;
  size_t firstShared() const;
  /// Returns the number of operands without `apply`.
  size_t numInputs() const { return firstShared() + numShared; }
  /// Returns the index of each operand of a member in the order of `rule`.
  std::vector<size_t> operandsOf(size_t member) const;
  /// Return the columns that a member has in its gradient and its copy.
  Columns gradientColumns(size_t member, std::span<const TensorType> inputs) const;
  Columns copyColumns(size_t member, std::span<const TensorType> inputs) const;

 private:
  Columns columnsIn(const Shape& whole, size_t first, size_t member,
                    std::span<const TensorType> inputs) const;
};

/// Returns the name of the op that joins updates by this op, such as "sgd_updates"; empty if there
/// is none.
std::string joinedName(std::string_view rule);
/// Returns the operands of an op whose name joinedName() returned.
JoinedUpdates joinedUpdates(std::string_view op, const Attributes& attributes);

}  // namespace strata
