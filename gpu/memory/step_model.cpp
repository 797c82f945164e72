// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/step_model.h"

#include <algorithm>
#include <limits>

#include "gpu/graph/op.h"
#include "gpu/memory/aliasing.h"
#include "gpu/memory/plan.h"

namespace strata {
namespace {

constexpr int kAfterStep = std::numeric_limits<int>::max();
// A value is large if it has at least 1/kLargeShare of the bytes of the largest forward value
constexpr size_t kLargeShare = 1024;

size_t at(int index) { return static_cast<size_t>(index); }

}  // namespace

StepModel::StepModel(const Graph& graph, const RecomputeOptions& options)
    : m_inPlace(options.inPlace), m_alignment(options.alignment) {
  m_values.resize(at(graph.numValues()));
  m_nodes.resize(graph.order().size());
  size_t largest = 0;
  m_firstUpdate = size();
  int position = 0;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    NodeFacts& facts = m_nodes[at(position)];
    facts.op = node.op;
    for (const ValueId input : node.inputs)
      facts.inputs.push_back(input.index);
    for (const ValueId output : node.outputs) {
      facts.outputs.push_back(output.index);
      ValueFacts& value = m_values[at(output.index)];
      value.producer = value.root = position;
      value.bytes = graph.type(output).bytes();
      value.dtype = static_cast<uint8_t>(graph.type(output).dtype);
      if (node.op->kind == OpKind::View) value.root = m_values[at(node.inputs[0].index)].root;
    }
    facts.isSource = node.op->kind == OpKind::Source;
    facts.isView = node.op->kind == OpKind::View;
    facts.isUpdate = node.op->kind == OpKind::Update;
    // All replicas meet in a collective once, so it never runs again
    facts.isForward = node.phase == Phase::Forward && !node.op->isCollective;
    if (facts.isUpdate) m_firstUpdate = std::min(m_firstUpdate, position);
    facts.isTail = !facts.isSource && (node.phase == Phase::Update || position >= m_firstUpdate);
    if (facts.isSource) {
      for (const int value : facts.outputs)
        m_fixedBytes += padded(m_values[at(value)].bytes);
    }
    else if (!facts.isView) {
      facts.seconds = costSeconds(graph, id);
      if (options.workspaces) facts.workspaces = options.workspaces(graph, id);
      if (facts.isForward)
        for (const int value : facts.outputs)
          largest = std::max(largest, m_values[at(value)].bytes);
    }
    m_stepSeconds += facts.seconds;
    ++position;
  }
  for (const NamedValue& output : graph.outputs()) {
    ValueFacts& value = m_values[at(output.value.index)];
    value.isOutput = true;
    if (!m_nodes[at(value.producer)].isTail) m_lastOutput = std::max(m_lastOutput, value.producer);
  }
  for (ValueFacts& value : m_values)
    value.isLarge =
        value.producer >= 0 && value.bytes * kLargeShare >= std::max<size_t>(largest, 1);
  for (position = 0; position < size(); ++position) {
    NodeFacts& facts = m_nodes[at(position)];
    const bool mayRepeat = facts.isForward && !facts.isSource && !facts.isView && !facts.isUpdate &&
                           position < m_firstUpdate;
    for (const int value : facts.outputs)
      if (m_values[at(value)].isLarge) facts.largeBytes += padded(m_values[at(value)].bytes);
    facts.isEligible = mayRepeat && facts.largeBytes > 0;
    for (const int value : facts.inputs) {
      const ValueFacts& operand = m_values[at(value)];
      if (!operand.isLarge) continue;
      if (std::find(facts.producers.begin(), facts.producers.end(), operand.root) ==
          facts.producers.end())
        facts.producers.push_back(operand.root);
      if (!facts.isForward && !facts.isTail) m_nodes[at(operand.root)].isKept = true;
    }
  }
}

bool StepModel::wantsRepeat(int value, const std::vector<char>& repeats) const {
  const ValueFacts& facts = m_values[at(value)];
  return facts.isLarge && repeats[at(facts.root)] != 0;
}

bool StepModel::readsRepeat(const Entry& reader, int operand,
                            const std::vector<char>& repeats) const {
  const NodeFacts& node = m_nodes[at(reader.position)];
  if (!reader.isRepeat && (node.isForward || node.isTail)) return false;
  return wantsRepeat(node.inputs[at(operand)], repeats);
}

int StepModel::operandInstance(const Entry& entry, int operand,
                               const std::vector<char>& repeats) const {
  return instance(m_nodes[at(entry.position)].inputs[at(operand)],
                  readsRepeat(entry, operand, repeats));
}

void StepModel::emitRepeat(int position, const std::vector<char>& repeats) {
  if (m_isEmitted[at(position)]) return;
  m_isEmitted[at(position)] = 1;
  for (const int value : m_nodes[at(position)].inputs)
    if (wantsRepeat(value, repeats)) emitRepeat(m_values[at(value)].producer, repeats);
  m_order.push_back({position, true});
}

const std::vector<StepModel::Entry>& StepModel::order(const std::vector<char>& repeats,
                                                      bool updatesEarly) {
  m_order.clear();
  m_tail.clear();
  m_isEmitted.assign(m_nodes.size(), 0);
  // Sources come first, so that updates need not wait for the sources that they read
  if (updatesEarly)
    for (int position = 0; position < size(); ++position)
      if (m_nodes[at(position)].isSource) m_order.push_back({position, false});
  for (int position = 0; position < size(); ++position) {
    const NodeFacts& node = m_nodes[at(position)];
    if (updatesEarly && node.isSource) continue;
    if (!node.isForward && !node.isTail)
      for (const int value : node.inputs)
        if (wantsRepeat(value, repeats)) emitRepeat(m_values[at(value)].producer, repeats);
    if (updatesEarly && node.isTail)
      m_tail.push_back({position, false});
    else
      m_order.push_back({position, false});
  }
  if (updatesEarly) hoistUpdates();
  return m_order;
}

/// Moves each node of the tail right after the last node that it depends on. A node depends on its
/// operands and on all other readers of the variable that it overwrites. It also depends on all
/// outputs of the step that are not computed in the tail, because the step may be stopped until the
/// loss is known.
void StepModel::hoistUpdates() {
  // For each node, the index in m_order after which it is placed
  m_slot.assign(m_nodes.size(), 0);
  // For each root, the index in m_order of the last node that reads its bytes
  m_lastRead.assign(m_nodes.size(), -1);
  const auto read = [&](int position, int index) {
    for (const int value : m_nodes[at(position)].inputs) {
      int& last = m_lastRead[at(m_values[at(value)].root)];
      last = std::max(last, index);
    }
  };
  int earliest = 0;
  for (size_t i = 0; i < m_order.size(); ++i) {
    const Entry& entry = m_order[i];
    if (!entry.isRepeat) m_slot[at(entry.position)] = static_cast<int>(i);
    if (!entry.isRepeat && entry.position == m_lastOutput) earliest = static_cast<int>(i);
    read(entry.position, static_cast<int>(i));
  }
  // Pairs of a slot and an index in m_tail
  std::vector<std::pair<int, int>> tail;
  for (size_t i = 0; i < m_tail.size(); ++i) {
    const int position = m_tail[i].position;
    const NodeFacts& node = m_nodes[at(position)];
    int slot = earliest;
    for (const int value : node.inputs)
      slot = std::max(slot, m_slot[at(m_values[at(value)].producer)]);
    if (node.isUpdate)
      for (const auto& [output, input] :
           sharedPairs(*node.op, node.inputs.size(), node.outputs.size()))
        slot = std::max(slot, m_lastRead[at(m_values[at(node.inputs[at(input)])].root)]);
    m_slot[at(position)] = slot;
    read(position, slot);
    tail.emplace_back(slot, static_cast<int>(i));
  }
  std::sort(tail.begin(), tail.end());
  std::vector<Entry> merged;
  merged.reserve(m_order.size() + m_tail.size());
  size_t next = 0;
  for (size_t i = 0; i < m_order.size(); ++i) {
    merged.push_back(m_order[i]);
    for (; next < tail.size() && tail[next].first == static_cast<int>(i); ++next)
      merged.push_back(m_tail[at(tail[next].second)]);
  }
  m_order = std::move(merged);
}

/// A node at its position in m_order, for the rule of aliasing.h.
struct StepModel::Step {
  const StepModel& model;
  const NodeFacts& node;
  const Entry& entry;
  const std::vector<char>& repeats;
  int position;
  int numInputs() const { return static_cast<int>(node.inputs.size()); }
  int numOutputs() const { return static_cast<int>(node.outputs.size()); }
  int input(int i) const { return model.operandInstance(entry, i, repeats); }
  int output(int i) const { return model.instance(node.outputs[at(i)], entry.isRepeat); }
  int inputStorage(int i) const { return model.m_storageOf[at(input(i))]; }
  int outputStorage(int i) const { return model.m_storageOf[at(output(i))]; }
  uint8_t inputDType(int i) const { return model.m_values[at(node.inputs[at(i)])].dtype; }
  uint8_t outputDType(int i) const { return model.m_values[at(node.outputs[at(i)])].dtype; }
  size_t outputBytes(int i) const { return model.m_values[at(node.outputs[at(i)])].bytes; }
  bool canReuse(int storage, size_t bytes) const {
    const Range& range = model.m_ranges[at(storage)];
    return range.isTransient && range.end == position && range.bytes == bytes;
  }
};

void StepModel::assignStorages(const std::vector<char>& repeats) {
  const size_t instances = 2 * m_values.size();
  m_lastUse.assign(instances, -1);
  m_storageOf.assign(instances, -1);
  m_ranges.clear();
  for (size_t i = 0; i < m_order.size(); ++i) {
    const Entry& entry = m_order[i];
    const NodeFacts& node = m_nodes[at(entry.position)];
    for (int operand = 0; operand < static_cast<int>(node.inputs.size()); ++operand)
      m_lastUse[at(operandInstance(entry, operand, repeats))] = static_cast<int>(i);
    for (const int output : node.outputs) {
      int& last = m_lastUse[at(instance(output, entry.isRepeat))];
      last = !entry.isRepeat && m_values[at(output)].isOutput ? kAfterStep
                                                              : std::max(last, static_cast<int>(i));
    }
  }
  for (size_t i = 0; i < m_values.size(); ++i)
    if (m_values[i].isOutput) m_lastUse[i] = kAfterStep;
  for (size_t i = 0; i < m_order.size(); ++i) {
    const Entry& entry = m_order[i];
    const NodeFacts& node = m_nodes[at(entry.position)];
    const int now = static_cast<int>(i);
    const Step step{*this, node, entry, repeats, now};
    for (int output = 0; output < step.numOutputs(); ++output) {
      const int value = node.outputs[at(output)], made = step.output(output);
      const int input = sharedInput(*node.op, step, output, m_inPlace);
      int storage = 0;
      if (input < 0) {
        storage = static_cast<int>(m_ranges.size());
        m_ranges.push_back({m_values[at(value)].bytes, now, now, !node.isSource});
      }
      else {
        storage = step.inputStorage(input);
      }
      m_storageOf[at(made)] = storage;
      m_ranges[at(storage)].end = std::max(m_ranges[at(storage)].end, m_lastUse[at(made)]);
    }
  }
}

StepModel::Weight StepModel::weigh(const std::vector<char>& repeats, bool updatesEarly,
                                   size_t limitBytes, std::vector<Shrunk>* shrunk) {
  order(repeats, updatesEarly);
  assignStorages(repeats);
  const size_t count = m_order.size();
  m_change.assign(count + 1, 0);
  for (const Range& range : m_ranges) {
    if (!range.isTransient) continue;
    m_change[at(range.begin)] += padded(range.bytes);
    // The unsigned difference may wrap around, but the running sum is correct
    if (range.end < static_cast<int>(count)) m_change[at(range.end) + 1] -= padded(range.bytes);
  }
  Weight result;
  result.boundBytes = m_fixedBytes;
  size_t live = m_fixedBytes;
  for (size_t i = 0; i < count; ++i) {
    const NodeFacts& node = m_nodes[at(m_order[i].position)];
    if (m_order[i].isRepeat) result.extraSeconds += node.seconds;
    live += m_change[i];
    size_t now = live;
    if (!node.workspaces.empty()) {
      size_t chosen = 0;
      while (chosen + 1 < node.workspaces.size() &&
             live + padded(node.workspaces[chosen].bytes) > limitBytes)
        ++chosen;
      const WorkspaceChoice& choice = node.workspaces[chosen];
      now += padded(choice.bytes);
      result.extraSeconds += (choice.slowdown - 1) * node.seconds;
      if (shrunk != nullptr && chosen > 0)
        shrunk->push_back({m_order[i], choice, node.workspaces[0].bytes});
    }
    if (now > limitBytes) result.excessBytes += now - limitBytes;
    if (now <= result.boundBytes) continue;
    result.boundBytes = now;
    result.peakPosition = m_order[i].position;
    result.isPeakRepeat = m_order[i].isRepeat;
  }
  return result;
}

}  // namespace strata
