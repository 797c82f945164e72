// SPDX-License-Identifier: Apache-2.0
// A compact model of a step. It computes quickly which values are live at each instant if given
// nodes are repeated, so that recompute.cpp can evaluate thousands of choices. It computes the same
// lower bound as planMemory(), but no offsets; a test compares the two.
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/memory/recompute.h"

namespace strata {

class StepModel {
 public:
  StepModel(const Graph& graph, const RecomputeOptions& options);

  /// One execution of a node. Repeated nodes have two entries.
  struct Entry {
    // Position in the graph's order
    int position = 0;
    bool isRepeat = false;
  };
  /// The memory and the extra time of a choice.
  struct Weight {
    // The lower bound of the memory, as in MemoryPlan::lowerBoundBytes
    size_t boundBytes = 0;
    // The sum over all instants of the bytes above the limit
    size_t excessBytes = 0;
    // The entry with the most live bytes: its position in the graph's order, and whether it is a
    // repeat
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
  /// Returns the total number of bytes of a node's large outputs.
  size_t largeBytes(int position) const {
    return m_nodes[static_cast<size_t>(position)].largeBytes;
  }
  /// Returns whether the backward pass reads a large output of the node, or a view of one.
  bool isKept(int position) const { return m_nodes[static_cast<size_t>(position)].isKept; }
  /// Returns the positions of the nodes that produce the large operands of a node.
  const std::vector<int>& largeProducers(int position) const {
    return m_nodes[static_cast<size_t>(position)].producers;
  }

  /// Returns the execution order. `repeats` says for each position whether the node is repeated.
  const std::vector<Entry>& order(const std::vector<char>& repeats, bool updatesEarly);
  /// Computes the memory and extra time of a choice. Each kernel uses the fastest variant whose
  /// workspace, added to the live values, fits `limitBytes`. If none fits, it uses the variant with
  /// the smallest workspace. `shrunk` receives the entries that do not use their fastest variant.
  Weight weigh(const std::vector<char>& repeats, bool updatesEarly, size_t limitBytes,
               std::vector<Shrunk>* shrunk = nullptr);
  bool readsRepeat(const Entry& reader, int operand, const std::vector<char>& repeats) const;

 private:
  struct NodeFacts {
    const OpDef* op = nullptr;
    // Indices in m_values
    std::vector<int> inputs, outputs;
    // Positions of the nodes that produce the large operands
    std::vector<int> producers;
    // `isTail` is true for nodes of the phase Update and for all nodes from the first update on,
    // except sources
    bool isSource = false, isView = false, isUpdate = false, isForward = false, isTail = false;
    bool isEligible = false, isKept = false;
    std::vector<WorkspaceChoice> workspaces;
    size_t largeBytes = 0;
    double seconds = 0;
  };
  struct ValueFacts {
    // `producer` is the position of the node that produces the value. `root` is the position of the
    // node that wrote its bytes: a view has the same root as its operand.
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
  struct Step;
  bool wantsRepeat(int value, const std::vector<char>& repeats) const;
  void emitRepeat(int position, const std::vector<char>& repeats);
  void hoistUpdates();
  void assignStorages(const std::vector<char>& repeats);
  int instance(int value, bool isRepeat) const {
    return isRepeat ? value + static_cast<int>(m_values.size()) : value;
  }
  int operandInstance(const Entry& entry, int operand, const std::vector<char>& repeats) const;

  size_t padded(size_t bytes) const { return alignedBytes(bytes, m_alignment); }

  const bool m_inPlace;
  const size_t m_alignment;
  // Indexed by position
  std::vector<NodeFacts> m_nodes;
  // Indexed by ValueId.index
  std::vector<ValueFacts> m_values;
  int m_firstUpdate = 0, m_lastOutput = 0;
  size_t m_fixedBytes = 0;
  double m_stepSeconds = 0;
  // Scratch memory of order() and weigh(), which is kept to avoid allocations
  std::vector<Entry> m_order, m_tail;
  std::vector<char> m_isEmitted;
  std::vector<int> m_lastUse, m_storageOf, m_slot, m_lastRead;
  std::vector<Range> m_ranges;
  std::vector<size_t> m_change;
};

}  // namespace strata
