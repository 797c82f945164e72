// SPDX-License-Identifier: Apache-2.0
#include "core/compile/cut_step.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "core/compile/copy_node.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {
namespace {

/// The device of values that each part has for itself: inputs, constants, and what only divides
/// them.
constexpr int kEverywhere = -1;

class Cutter {
 public:
  Cutter(const Graph& step, const Placement& placement)
      : m_step(step),
        m_placement(placement),
        m_devices(static_cast<size_t>(step.numNodes()), kEverywhere),
        m_isLate(static_cast<size_t>(step.numNodes())) {
    m_cut.parts.resize(static_cast<size_t>(placement.numDevices));
    m_values.resize(m_cut.parts.size());
    m_unsent.resize(m_cut.parts.size());
  }

  CutStep run() {
    placeVariables();
    for (const NodeId id : m_step.order())
      placeNode(id);
    findReaders();
    // Updates come last, so that a part keeps what others read until they have copied it
    for (const bool isLate : {false, true}) {
      for (const NodeId id : m_step.order())
        if (m_isLate[static_cast<size_t>(id.index)] == isLate) copy(id);
      endSends(isLate);
    }
    for (const Variable& variable : m_step.variables())
      if (variable.next.isValid())
        partOf(deviceOf(variable.value))
            .setNext(variable.name, m_values[at(variable)].at(variable.next));
    for (const NamedValue& output : m_step.outputs())
      m_cut.parts[0].addOutput(output.name, valueIn(0, output.value));
    return std::move(m_cut);
  }

 private:
  static bool isSource(const Node& node) { return node.op->kind == OpKind::Source; }
  static bool isVariable(const Node& node) { return node.op->role == OpRole::Variable; }
  const Node& producer(ValueId value) const { return m_step.node(m_step.value(value).producer); }
  int& deviceOf(NodeId id) { return m_devices[static_cast<size_t>(id.index)]; }
  int deviceOf(ValueId value) { return deviceOf(m_step.value(value).producer); }
  size_t at(const Variable& variable) { return static_cast<size_t>(deviceOf(variable.value)); }
  Graph& partOf(int device) { return m_cut.parts[static_cast<size_t>(device)]; }

  /// A variable is where its layer is. A 16-bit copy and its sources are on one device.
  void placeVariables() {
    for (const Variable& variable : m_step.variables())
      deviceOf(m_step.value(variable.value).producer) =
          m_placement.deviceOf(layerOf(variable.name, producer(variable.value)));
    for (const Variable& variable : m_step.variables())
      for (const std::string& source : sourcesOfCopy(producer(variable.value)))
        if (const Variable* const found = m_step.findVariable(source))
          deviceOf(m_step.value(found->value).producer) = deviceOf(variable.value);
  }

  /// The state of an optimizer belongs to the layer of its weight.
  static std::string layerOf(const std::string& variable, const Node& node) {
    if (!node.layer.empty()) return node.layer;
    const size_t slash = variable.rfind('/');
    return slash == std::string::npos ? std::string() : variable.substr(0, slash);
  }

  void placeNode(NodeId id) {
    const Node& node = m_step.node(id);
    bool isLate = node.op->kind == OpKind::Update;
    for (const ValueId input : node.inputs)
      isLate = isLate || m_isLate[static_cast<size_t>(m_step.value(input).producer.index)];
    m_isLate[static_cast<size_t>(id.index)] = isLate;
    if (isSource(node) || isEverywhere(node)) return;
    int device = m_placement.deviceOf(node.layer);
    const auto followed = followedOperand(node);
    if (followed.isValid()) device = deviceOf(followed);
    deviceOf(id) = device;
  }

  /// Whether a node divides inputs, or computes a number from numbers that each part has.
  bool isEverywhere(const Node& node) {
    const OpKind kind = node.op->kind;
    const bool isCheap =
        kind == OpKind::View || kind == OpKind::Movement ||
        (kind == OpKind::Elementwise && m_step.shape(node.outputs.front()).numElements() == 1);
    return isCheap && !node.inputs.empty() && std::ranges::all_of(node.inputs, [&](ValueId input) {
             return deviceOf(input) == kEverywhere;
           });
  }

  /// Returns the operand that decides where a node is, or an invalid id if its layer does.
  ValueId followedOperand(const Node& node) {
    if (const auto pairs = sharedPairs(node); !pairs.empty()) {
      const ValueId shared = node.inputs[static_cast<size_t>(pairs.front().second)];
      return deviceOf(shared) == kEverywhere ? ValueId{} : shared;
    }
    if (!node.layer.empty()) return {};
    ValueId largest;
    for (const ValueId input : node.inputs)
      if (deviceOf(input) != kEverywhere &&
          (!largest.isValid() || m_step.type(input).bytes() > m_step.type(largest).bytes()))
        largest = input;
    return largest;
  }

  /// Finds the devices that read each value.
  void findReaders() {
    const auto read = [&](ValueId value, int device) {
      const int from = deviceOf(value);
      if (from != kEverywhere && from != device) m_readers[value].insert(device);
    };
    for (const NodeId id : m_step.order()) {
      const Node& node = m_step.node(id);
      if (isSource(node)) continue;
      if (isDividedCheck(node)) {
        // Each device checks its own operands, and pairs where their first operand is
        for (size_t i = firstPaired(node); i < node.inputs.size(); i += 2)
          read(node.inputs[i + 1], placeOf(node.inputs[i], deviceOf(id)));
        continue;
      }
      for (const ValueId input : node.inputs)
        read(input, deviceOf(id));
    }
    for (const NamedValue& output : m_step.outputs())
      read(output.value, 0);
  }

  /// Whether a node checks values of several devices.
  bool isDividedCheck(const Node& node) {
    return node.op->role == OpRole::AllFinite &&
           std::ranges::any_of(node.inputs, [&](ValueId input) {
             return deviceOf(input) != deviceOf(node.inputs.front());
           });
  }

  void copy(NodeId id) {
    const Node& node = m_step.node(id);
    // These values are copied where they are used
    if (deviceOf(id) == kEverywhere) return;
    if (isVariable(node)) {
      const int device = deviceOf(id);
      m_values[static_cast<size_t>(device)][node.outputs.front()] =
          copyVariable(partOf(device), m_step, node);
    }
    else if (isDividedCheck(node)) {
      divideCheck(id);
    }
    else {
      const int device = deviceOf(id);
      std::vector<ValueId> inputs;
      for (const ValueId input : node.inputs)
        inputs.push_back(valueIn(device, input));
      append(device, node, std::move(inputs));
    }
    for (const ValueId output : node.outputs)
      sendToReaders(output);
  }

  /// Adds a node like `node` to a part.
  void append(int device, const Node& node, std::vector<ValueId> inputs) {
    Graph& part = partOf(device);
    const NodeId copied = copyNode(part, m_step, node, std::move(inputs));
    for (size_t i = 0; i < node.outputs.size(); ++i)
      m_values[static_cast<size_t>(device)][node.outputs[i]] = part.node(copied).outputs[i];
  }

  /// Returns a value in a part, which receives it if another one computes it.
  ValueId valueIn(int device, ValueId value) {
    auto& values = m_values[static_cast<size_t>(device)];
    if (const auto found = values.find(value); found != values.end()) return found->second;
    if (deviceOf(value) != kEverywhere) return receiveValue(device, value);
    const Node& node = producer(value);
    if (isSource(node)) return values[value] = copySource(partOf(device), m_step, node);
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs)
      inputs.push_back(valueIn(device, input));
    append(device, node, std::move(inputs));
    return values.at(value);
  }

  ValueId receiveValue(int device, ValueId value) {
    const int64_t number = m_numbers.at({value, device});
    const Scope scope(partOf(device), producer(value).layer, m_phase.at(number),
                      Category::Communication);
    const ValueId own = receive(partOf(device), m_step.type(value), number, deviceOf(value));
    m_values[static_cast<size_t>(device)][value] = own;
    return own;
  }

  void sendToReaders(ValueId value) {
    const auto readers = m_readers.find(value);
    if (readers == m_readers.end()) return;
    for (const int to : readers->second)
      sendValue(value, deviceOf(value), to,
                m_values[static_cast<size_t>(deviceOf(value))].at(value), producer(value));
  }

  /// Sends a value that a node like `source` has computed.
  int64_t sendValue(ValueId value, int from, int to, ValueId own, const Node& source) {
    const int64_t number = std::ssize(m_cut.transfers);
    // What the backward pass of a layer sends is a gradient
    m_cut.transfers.push_back(
        {from, to, source.layer, source.phase, partOf(from).type(own).bytes()});
    m_phase[number] = source.phase;
    const Scope scope(partOf(from), source.layer, source.phase, Category::Communication);
    const ValueId token = send(partOf(from), own, number, to);
    if (value.isValid()) m_numbers[{value, to}] = number;
    m_unsent[static_cast<size_t>(from)].push_back({own, token, number, to});
    return number;
  }

  /// Lets each device check its operands, and combines the results where the node is.
  void divideCheck(NodeId id) {
    const Node& node = m_step.node(id);
    const int home = deviceOf(id);
    const size_t singles = firstPaired(node);
    std::map<int, std::pair<std::vector<ValueId>, std::vector<ValueId>>> byDevice;
    for (size_t i = 0; i < singles; ++i)
      byDevice[placeOf(node.inputs[i], home)].first.push_back(node.inputs[i]);
    for (size_t i = singles; i < node.inputs.size(); i += 2) {
      auto& pairs = byDevice[placeOf(node.inputs[i], home)].second;
      pairs.insert(pairs.end(), {node.inputs[i], node.inputs[i + 1]});
    }
    ValueId flag;
    for (auto& [device, operands] : byDevice) {
      std::vector<ValueId> inputs;
      for (const std::vector<ValueId>* list : {&operands.first, &operands.second})
        for (const ValueId value : *list)
          inputs.push_back(valueIn(device, value));
      Node divided = node;
      divided.attributes.set("pairs", static_cast<int64_t>(operands.second.size()) / 2);
      // Only the first operand is an earlier flag
      if (operands.first.empty() || operands.first.front() != node.inputs.front())
        divided.attributes.set("chained", false);
      append(device, divided, std::move(inputs));
      ValueId own = m_values[static_cast<size_t>(device)].at(node.outputs.front());
      const Scope scope(partOf(home), node.layer, node.phase, Category::Communication);
      if (device != home) {
        const int64_t number = sendValue({}, device, home, own, node);
        own = receive(partOf(home), partOf(device).type(own), number, device);
        // The device gets the combined flag back
        m_values[static_cast<size_t>(device)].erase(node.outputs.front());
      }
      flag = flag.isValid() ? multiply(partOf(home), flag, own) : own;
    }
    m_values[static_cast<size_t>(home)][node.outputs.front()] = flag;
  }

  /// Returns the index of the first operand of a check that belongs to a pair.
  static size_t firstPaired(const Node& node) {
    return node.inputs.size() - 2 * static_cast<size_t>(node.attributes.get<int64_t>("pairs"));
  }

  int placeOf(ValueId value, int home) {
    const int device = deviceOf(value);
    return device == kEverywhere ? home : device;
  }

  /// Lets each part wait until the others have copied its values. Before that, it takes all that
  /// they have sent, so that no part waits for one that waits for it.
  void endSends(bool isLate) {
    for (const NodeId id : m_step.order()) {
      const Node& node = m_step.node(id);
      if (m_isLate[static_cast<size_t>(id.index)] != isLate) continue;
      for (const ValueId output : node.outputs)
        if (const auto readers = m_readers.find(output); readers != m_readers.end())
          for (const int device : readers->second)
            valueIn(device, output);
    }
    for (size_t device = 0; device < m_unsent.size(); ++device) {
      Graph& part = m_cut.parts[device];
      for (const Unsent& each : m_unsent[device]) {
        const Scope scope(part, part.node(part.value(each.token).producer).layer, Phase::Update,
                          Category::Communication);
        awaitSent(part, each.value, each.token, each.number, each.to);
      }
      m_unsent[device].clear();
    }
  }

  struct Unsent {
    ValueId value, token;
    int64_t number = 0;
    int to = 0;
  };
  const Graph& m_step;
  const Placement& m_placement;
  CutStep m_cut;
  // By node
  std::vector<int> m_devices;
  // Whether a node is, or depends on, an update
  std::vector<char> m_isLate;
  std::map<ValueId, std::set<int>> m_readers;
  // By part: the value of the part for each value of the step
  std::vector<std::map<ValueId, ValueId>> m_values;
  // The number of a value that a device receives
  std::map<std::pair<ValueId, int>, int64_t> m_numbers;
  std::map<int64_t, Phase> m_phase;
  // By part
  std::vector<std::vector<Unsent>> m_unsent;
};

}  // namespace

CutStep cutStep(const Graph& step, const Placement& placement) {
  return Cutter(step, placement).run();
}

}  // namespace strata
