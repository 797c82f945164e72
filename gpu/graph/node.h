// SPDX-License-Identifier: Apache-2.0
// The parts of a graph: nodes, values, variables, and the lists of uses between them. Graph creates
// and changes them. Thread: values.
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

/// What a value's bytes are used for. It is set when the value is created. `plan --json` uses the
/// same names.
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
/// The name in plans and reports, such as "parameter"
std::string_view categoryName(Category category);
std::optional<Category> categoryFromName(std::string_view name);

enum class Phase : uint8_t { Forward, Backward, Update };
std::string_view phaseName(Phase phase);
std::optional<Phase> phaseFromName(std::string_view name);

struct Use {
  NodeId node;
  int operand = 0;
  bool operator==(const Use&) const = default;
};

/// The uses of a value in order of creation. Most are also removed in that order, so removing one
/// shifts the shorter side.
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
  // The elements before this index have been removed.
  size_t m_first = 0;
};

struct Value {
  TensorType type;
  Category category = Category::Temporary;
  NodeId producer;
  int outputIndex = 0;
  // Graph updates the uses.
  UseList uses;
  // The number of outputs and variables' `next` with this value; Graph updates it.
  int names = 0;
  // The first variable whose `next` is this value; the others follow through sameNext. Graph
  // updates it.
  int firstVariable = -1;

  /// True if a node, an output or a variable's `next` uses it
  bool isUsed() const { return !uses.empty() || names > 0; }
};

struct Node {
  // Null if the node was removed
  const OpDef* op = nullptr;
  std::vector<ValueId> inputs, outputs;
  Attributes attributes;
  // The layer shown to the user, or "" (update ops have the layer of their variable)
  std::string layer;
  Phase phase = Phase::Forward;
  // Only for `constant`
  std::shared_ptr<const Tensor> payload;
};

/// State kept between steps: weights, moving statistics, optimizer moments.
struct Variable {
  // "conv1/kernel"; optimizer state "conv1/kernel:m"
  std::string name;
  // At the start of a step; the output of a `variable` node
  ValueId value;
  // At the end of the step; invalid if the step does not change it
  ValueId next;
  bool trainable = false;
  // The next variable with the same `next`, or -1; Graph updates it.
  int sameNext = -1;
};

struct NamedValue {
  std::string name;
  ValueId value;
};

}  // namespace strata
