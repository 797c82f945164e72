// SPDX-License-Identifier: Apache-2.0
// The parts of a graph: nodes, values, variables, and the uses of values by nodes. Only Graph and
// GraphEditor create and change them. Thread: plain values without locks.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/base/ids.h"
#include "gpu/graph/attributes.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct OpDef;

/// The purpose of a value's memory. `strata plan --json` groups memory by these categories.
enum class Category : uint8_t {
  Parameter,
  Gradient,
  Optimizer,
  Activation,
  Input,
  Temporary,
  Workspace,
  Communication
};
constexpr int kNumCategories = 8;
/// Returns the name in plans and reports, such as "parameter".
std::string_view categoryName(Category category);
std::optional<Category> categoryFromName(std::string_view name);

enum class Phase : uint8_t { Forward, Backward, Update };
std::string_view phaseName(Phase phase);
std::optional<Phase> phaseFromName(std::string_view name);

/// A use of a value as an input of a node.
struct Use {
  NodeId node;
  // Index in Node::inputs
  int operand = 0;
  bool operator==(const Use&) const = default;
};

/// The uses of a value in the order of their creation. Most uses are also removed in this order, so
/// erase() must be fast near the front. It moves the shorter part of the list.
class UseList {
 public:
  using const_iterator = std::vector<Use>::const_iterator;
  const_iterator begin() const { return m_uses.begin() + static_cast<std::ptrdiff_t>(m_first); }
  const_iterator end() const { return m_uses.end(); }
  size_t size() const { return m_uses.size() - m_first; }
  bool empty() const { return size() == 0; }
  const Use& operator[](size_t i) const { return m_uses[m_first + i]; }
  void push_back(Use use) { m_uses.push_back(use); }
  void clear() {
    m_uses.clear();
    m_first = 0;
  }
  void erase(const_iterator at) {
    const auto first = m_uses.begin() + static_cast<std::ptrdiff_t>(m_first),
               place = first + (at - begin());
    if (place - first < m_uses.end() - place) {
      std::move_backward(first, place, place + 1);
      ++m_first;
    }
    else {
      m_uses.erase(place);
    }
  }

 private:
  std::vector<Use> m_uses;
  // Elements before this index were removed.
  size_t m_first = 0;
};

struct Value {
  TensorType type;
  Category category = Category::Temporary;
  NodeId producer;
  // Index in the outputs of the producer
  int outputIndex = 0;
  // Graph and GraphEditor update this member and the following ones.
  UseList uses;
  // Number of outputs and of Variable::next members that refer to this value
  int names = 0;
  // The index in Graph::variables() of one variable whose `next` is this value, or -1.
  // Variable::sameNext leads to the others.
  int firstVariable = -1;

  /// Returns whether a node uses this value, or an output or a Variable::next refers to it.
  bool isUsed() const { return !uses.empty() || names > 0; }
};

struct Node {
  // Null after the node was removed
  const OpDef* op = nullptr;
  std::vector<ValueId> inputs, outputs;
  Attributes attributes;
  // The layer that the user sees for this node, or "". Update ops have the layer of their variable.
  std::string layer;
  Phase phase = Phase::Forward;
  // A hint for the kernel: it works in about this many parts, one after the other, to need less
  // workspace. The result has the same bits.
  int64_t slices = 1;
  // The tensor of the op `constant`; null for other ops
  std::shared_ptr<const Tensor> payload;
};

/// State that is kept between steps: weights, moving averages, and optimizer moments.
struct Variable {
  // Such as "conv1/kernel", or "conv1/kernel:m" for optimizer state
  std::string name;
  // The value at the start of a step, which is the output of a `variable` node
  ValueId value;
  // The value at the end of a step; invalid if the step does not change the variable
  ValueId next;
  bool trainable = false;
  // Index of another variable with the same `next`, or -1. These indices link all such variables.
  // Graph and GraphEditor update them.
  int sameNext = -1;
};

struct NamedValue {
  std::string name;
  ValueId value;
};

}  // namespace strata
