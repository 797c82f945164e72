// SPDX-License-Identifier: Apache-2.0
// A compact model of a step that can evaluate thousands of choices of nodes to repeat: which values
// are then live, and when. Only recompute.cpp uses it. Its sizes equal those of planMemory() (a
// test compares them), but nothing is packed.
// Thread: a value; weigh() uses scratch memory of the object.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/memory/recompute.h"

namespace strata {

class StepModel {
 public:
  StepModel(const Graph& graph, const RecomputeOptions& options);

  struct Entry {
    // Position in the graph's order
    int position = 0;
    bool isRepeat = false;
  };
  struct Weight {
    size_t boundBytes = 0;
    // The bytes above the limit, summed over all instants
    size_t excessBytes = 0;
    // Position of the entry with the most bytes
    int peakPosition = 0;
    bool isPeakRepeat = false;
    double extraSeconds = 0;
  };
  /// An entry that runs with a smaller workspace.
  struct Shrunk {
    Entry entry;
    WorkspaceChoice choice;
    size_t usualBytes = 0;
  };

  int size() const { return static_cast<int>(m_nodes.size()); }
  bool isEligible(int position) const { return m_nodes[static_cast<size_t>(position)].isEligible; }
  double seconds(int position) const { return m_nodes[static_cast<size_t>(position)].seconds; }
  double stepSeconds() const { return m_stepSeconds; }
  size_t fixedBytes() const { return m_fixedBytes; }
  /// The bytes of a node's large outputs.
  size_t largeBytes(int position) const {
    return m_nodes[static_cast<size_t>(position)].largeBytes;
  }
  /// Is a large output of the node, or a view of it, read in the backward pass?
  bool isKept(int position) const { return m_nodes[static_cast<size_t>(position)].isKept; }
  /// Positions of the nodes that produce its large operands.
  const std::vector<int>& largeProducers(int position) const {
    return m_nodes[static_cast<size_t>(position)].producers;
  }

  /// repeats: by position, whether the node runs again.
  const std::vector<Entry>& order(const std::vector<char>& repeats, bool updatesEarly);
  /// For each workspace, takes the fastest variant that keeps its instant at or below the limit,
  /// otherwise the smallest one. `shrunk` receives the entries that do not use the fastest variant.
  Weight weigh(const std::vector<char>& repeats, bool updatesEarly, size_t limitBytes,
               std::vector<Shrunk>* shrunk = nullptr);
  bool readsRepeat(const Entry& reader, int operand, const std::vector<char>& repeats) const;

 private:
  struct NodeFacts {
    // Values
    std::vector<int> inputs, outputs;
    std::vector<std::pair<int, int>> mustAlias, mayAlias;
    std::vector<int> producers;
    bool isSource = false, isInput = false, isView = false, isUpdate = false, isElementwise = false,
         isForward = false, isTail = false;
    bool isEligible = false, isKept = false;
    std::vector<WorkspaceChoice> workspaces;
    size_t largeBytes = 0;
    double seconds = 0;
  };
  struct ValueFacts {
    // Positions; the root is the node of which this value is a view
    int producer = -1, root = -1;
    size_t bytes = 0;
    uint8_t dtype = 0;
    bool isOutput = false, isLarge = false;
  };
  struct Range {
    size_t bytes = 0;
    int begin = 0, end = 0;
    bool isTransient = false;
  };
  bool wantsRepeat(int value, const std::vector<char>& repeats) const;
  void emitRepeat(int position, const std::vector<char>& repeats);
  void hoistUpdates();
  void assignStorages(const std::vector<char>& repeats);
  bool mayJoin(const NodeFacts& node, const Entry& entry, int at, int output, int input,
               const std::vector<char>& repeats) const;
  int instance(int value, bool isRepeat) const {
    return isRepeat ? value + static_cast<int>(m_values.size()) : value;
  }
  int operandInstance(const Entry& entry, int operand, const std::vector<char>& repeats) const;

  // By position
  std::vector<NodeFacts> m_nodes;
  // By ValueId.index
  std::vector<ValueFacts> m_values;
  int m_firstUpdate = 0, m_lastOutput = 0;
  size_t m_fixedBytes = 0;
  double m_stepSeconds = 0;
  // Scratch memory of order() and weigh().
  std::vector<Entry> m_order, m_tail;
  std::vector<char> m_isEmitted;
  std::vector<int> m_lastUse, m_storageOf, m_slot, m_lastRead;
  std::vector<Range> m_ranges;
  std::vector<size_t> m_change;
};

}  // namespace strata
