// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/state.h"

#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/base/thread_pool.h"
#include "gpu/graph/op.h"
#include "gpu/tensor/permute.h"

namespace strata {

constexpr size_t kMinTrimmedBytes = size_t{1} << 20;

ThreadPool& Device::pool() {
  throw Error(ErrorCode::Internal, name(), "this device has no threads that compute on the host.");
}

State::State(Device& device)
    : m_device(device), m_stream(device.makeStream()), m_alignment(device.traits().alignment) {}

State::~State() {
  m_stream->wait();
  if (allocatedBytes() < kMinTrimmedBytes) return;
  m_variables = DeviceMemory();
  m_transient = DeviceMemory();
  m_device.trim();
}

static Error noRoom(size_t bytes, const std::string& subject, const std::string& what) {
  return Error(ErrorCode::OutOfMemory, subject,
               what + " of " + std::to_string(bytes) +
                   " bytes do not fit in memory. Use a smaller batch or fewer units.");
}

TensorType typeInFiles(const Graph& graph, const Variable& variable) {
  const Node& node = graph.node(graph.value(variable.value).producer);
  const auto axes = node.attributes.getOr<std::vector<int64_t>>("axes", {});
  TensorType result = graph.type(variable.value);
  if (!axes.empty()) result.shape = permutedShape(result.shape, inverseAxes(axes));
  return result;
}

bool isCopy(const Graph& graph, const Variable& variable) {
  const Node& node = graph.node(graph.value(variable.value).producer);
  return !node.attributes.getOr<std::string>("copy_of", {}).empty();
}

size_t State::kindOf(const Graph& graph, const Variable& variable) {
  const Category category = graph.value(variable.value).category;
  if (isCopy(graph, variable)) return kNumKinds - 1;
  return category == Category::Parameter && variable.trainable ? 0
                                                               : 1 + static_cast<size_t>(category);
}

State::Slot State::slotOf(const Graph& graph, const Variable& variable) {
  const Node& node = graph.node(graph.value(variable.value).producer);
  Slot result;
  result.axes = node.attributes.getOr<std::vector<int64_t>>("axes", {});
  result.copyOf = sourcesOfCopy(node);
  result.type = typeInFiles(graph, variable);
  result.isUsed = graph.value(variable.value).isUsed() || variable.next.isValid();
  result.category = graph.value(variable.value).category;
  result.kind = kindOf(graph, variable);
  return result;
}

void State::ensureVariables(const Graph& graph) {
  std::array<std::vector<const Variable*>, kNumKinds> missing;
  for (const Variable& variable : graph.variables()) {
    const Slot wanted = slotOf(graph, variable);
    const auto found = m_slots.find(variable.name);
    if (found == m_slots.end())
      missing[wanted.kind].push_back(&variable);
    else if (found->second.type != wanted.type)
      throw Error(ErrorCode::ShapeMismatch, variable.name,
                  "the variable has the wrong type (expected " + wanted.type.toString() + ", got " +
                      found->second.type.toString() +
                      "). Start a new run, or undo the change of its shape.");
    else if (wanted.isUsed)
      useAs(found->second, wanted, variable.name);
  }
  if (std::ranges::all_of(missing, &std::vector<const Variable*>::empty))
    return requireCurrentCopies(graph);
  // Existing variables keep their order, and new ones of the same kind follow
  std::array<std::vector<std::pair<std::string, Slot>>, kNumKinds> kinds;
  for (const auto& [name, slot] : m_slots)
    kinds[slot.kind].emplace_back(name, slot);
  decltype(m_slots) slots;
  size_t end = 0;
  const Variable* largest = nullptr;
  for (size_t kind = 0; kind < kNumKinds; ++kind) {
    std::ranges::sort(kinds[kind], {}, [](const auto& each) { return each.second.offset; });
    for (const Variable* variable : missing[kind]) {
      kinds[kind].emplace_back(variable->name, slotOf(graph, *variable));
      if (!largest || graph.type(variable->value).bytes() > graph.type(largest->value).bytes())
        largest = variable;
    }
    for (auto& [name, slot] : kinds[kind]) {
      slot.offset = end;
      end += alignedBytes(slot.type.bytes(), m_alignment);
      slots.emplace(name, slot);
    }
  }
  // Free the old memory first, because memory may not suffice for both
  const size_t before = m_variables.bytes();
  AlignedBytes copy(before);
  if (before > 0) m_stream->download(copy.data(), m_variables.address(), before);
  m_variables = DeviceMemory();
  const bool hasRoom = [&] {
    try {
      m_variables = DeviceMemory(m_device, end);
      return true;
    }
    catch (const Error&) {
      m_variables = DeviceMemory(m_device, before);
      if (before > 0) m_stream->upload(m_variables.address(), copy.data(), before);
      return false;
    }
  }();
  if (before > 0) ++m_moves;
  if (!hasRoom) throw noRoom(end, largest->name, "variables");
  m_stream->clear(m_variables.address(), end);
  for (const auto& [name, old] : m_slots)
    m_stream->upload(m_variables.address() + slots.at(name).offset, copy.data() + old.offset,
                     old.type.bytes());
  m_slots = std::move(slots);
  ++m_changes;
  for (const Variable* variable : missing[kNumKinds - 1])
    for (const std::string& source : slot(variable->name).copyOf)
      if (has(source)) writeCopies(source, read(source));
  requireCurrentCopies(graph);
}

/// Gives a variable the order of axes of a graph that uses it.
void State::useAs(Slot& known, const Slot& wanted, const std::string& name) {
  if (known.copyOf != wanted.copyOf)
    throw Error(ErrorCode::Internal, name, "two different variables have this name.");
  if (known.axes != wanted.axes) {
    if (known.isUsed)
      throw Error(ErrorCode::Internal, name,
                  "two programs of a run have the axes of this variable in different orders.");
    const Tensor value = read(name);
    known.axes = wanted.axes;
    upload(name, value);
  }
  known.isUsed = true;
}

/// Requires that whoever changes a variable also changes the 16-bit copies of it.
void State::requireCurrentCopies(const Graph& graph) {
  const auto isChanged = [&](const Variable* variable) {
    return variable && variable->next.isValid() && variable->next != variable->value;
  };
  std::map<std::string_view, std::vector<std::string_view>> copiesOf;
  for (const auto& [name, slot] : m_slots)
    for (const std::string& source : slot.copyOf)
      copiesOf[source].push_back(name);
  for (const Variable& variable : graph.variables()) {
    Slot& slot = m_slots.find(variable.name)->second;
    const auto& copies = copiesOf[variable.name];
    if (isChanged(&variable) && copies.empty()) slot.isChangedAlone = true;
    const bool isStale =
        isChanged(&variable) && !std::ranges::all_of(copies, [&](std::string_view copy) {
          return isChanged(graph.findVariable(copy));
        });
    if (isStale || (slot.isChangedAlone && !copies.empty()))
      throw Error(ErrorCode::Internal, variable.name,
                  "a program changes this variable, but not its 16-bit copy.");
  }
}

bool State::has(std::string_view name) const { return m_slots.find(name) != m_slots.end(); }

std::vector<std::string> State::names() const {
  std::vector<std::string> result;
  for (const auto& [name, slot] : m_slots)
    if (slot.copyOf.empty()) result.push_back(name);
  return result;
}

const State::Slot& State::slot(std::string_view name) const {
  const auto found = m_slots.find(name);
  if (found == m_slots.end())
    throw Error(ErrorCode::InvalidArgument, std::string(name),
                "there is no variable with this name. Run `strata plan` to list the layers and "
                "their variables.");
  return found->second;
}

Category State::category(std::string_view name) const { return slot(name).category; }
const TensorType& State::type(std::string_view name) const { return slot(name).type; }

DeviceAddress State::address(std::string_view name) const {
  return m_variables.address() + slot(name).offset;
}

Tensor State::read(std::string_view name) const {
  const Slot& source = slot(name);
  Tensor result(source.type);
  if (result.bytes() > 0) m_stream->download(result.data(), address(name), result.bytes());
  if (source.axes.empty()) return result;
  Tensor plain(source.type);
  permuteElements(result.data(), permutedShape(source.type.shape, source.axes),
                  inverseAxes(source.axes), dtypeBytes(source.type.dtype), plain.data());
  return plain;
}

void State::upload(std::string_view name, const Tensor& value) {
  const Slot& target = slot(name);
  if (value.bytes() == 0) return;
  if (target.axes.empty()) return m_stream->upload(address(name), value.data(), value.bytes());
  Tensor stored(TensorType{value.dtype(), permutedShape(value.shape(), target.axes)});
  permuteElements(value.data(), value.shape(), target.axes, dtypeBytes(value.dtype()),
                  stored.data());
  m_stream->upload(address(name), stored.data(), stored.bytes());
}

void State::writeCopies(std::string_view name, const Tensor& value) {
  for (const auto& [copy, slot] : m_slots)
    for (size_t part = 0; part < slot.copyOf.size(); ++part)
      if (slot.copyOf[part] == name) writePart(copy, part, value.converted(slot.type.dtype));
}

/// Writes the columns of a copy that one of its sources has.
void State::writePart(const std::string& copy, size_t part, const Tensor& value) {
  const Slot& target = slot(copy);
  if (target.copyOf.size() == 1) return upload(copy, value);
  const auto columnsOf = [rows = target.type.shape.rank() > 1 ? target.type.shape[0]
                                                              : 1](const Shape& shape) {
    return shape.numElements() / std::max<int64_t>(1, rows);
  };
  int64_t before = 0;
  for (size_t i = 0; i < part; ++i)
    before += columnsOf(type(target.copyOf[i]).shape);
  const size_t element = dtypeBytes(target.type.dtype),
               width = static_cast<size_t>(columnsOf(value.shape())) * element,
               pitch = static_cast<size_t>(target.type.shape.dim(-1)) * element;
  Tensor all = read(copy);
  if (width == 0) return;
  for (size_t row = 0; row * width < value.bytes(); ++row)
    std::copy_n(value.data() + row * width, width,
                all.data() + row * pitch + static_cast<size_t>(before) * element);
  upload(copy, all);
}

void State::write(std::string_view name, const Tensor& value) {
  const Slot& target = slot(name);
  if (target.type != value.type())
    throw Error(ErrorCode::ShapeMismatch, std::string(name),
                "the value has the wrong type (expected " + target.type.toString() + ", got " +
                    value.type().toString() + "). Use the weights of this network.");
  upload(name, value);
  writeCopies(name, value);
  ++m_changes;
}

void State::exchange(std::string_view name, std::string_view other) {
  std::byte *const first = m_device.hostMemory(address(name)), *const second = m_device.hostMemory(
                                                                   address(other));
  if (!first || !second || type(name) != type(other)) {
    const Tensor kept = read(name);
    write(name, read(other));
    return write(other, kept);
  }
  m_stream->wait();
  std::swap_ranges(first, first + type(name).bytes(), second);
}

Snapshot State::snapshot(const std::vector<std::string>& names) const {
  Snapshot result;
  result.m_stream = m_stream.get();
  std::vector<std::pair<DeviceAddress, const std::string*>> sorted;
  for (const std::string& name : names)
    sorted.emplace_back(address(name), &name);
  std::ranges::sort(sorted);
  std::vector<std::pair<const std::string*, size_t>> offsets;
  size_t total = 0;
  for (const auto& [begin, name] : sorted) {
    const size_t bytes = alignedBytes(slot(*name).type.bytes(), m_alignment);
    if (bytes > 0 && slot(*name).axes.empty() && m_device.hostMemory(begin)) {
      result.m_views.emplace(*name, TensorView{slot(*name).type, m_device.hostMemory(begin)});
      continue;
    }
    Snapshot::Run* last = result.m_runs.empty() ? nullptr : &result.m_runs.back();
    if (bytes > 0 && last && last->begin + last->bytes == begin)
      last->bytes += bytes;
    else if (bytes > 0)
      result.m_runs.push_back({begin, bytes, total});
    offsets.emplace_back(name, total);
    total += bytes;
  }
  result.m_copy = AlignedBytes(total);
  size_t plainBytes = 0;
  for (const auto& [name, offset] : offsets)
    if (!slot(*name).axes.empty()) plainBytes += alignedBytes(slot(*name).type.bytes());
  result.m_plain = AlignedBytes(plainBytes);
  std::byte* plain = result.m_plain.data();
  for (const auto& [name, offset] : offsets) {
    const Slot& source = slot(*name);
    if (source.axes.empty()) {
      result.m_views.emplace(*name, TensorView{source.type, result.m_copy.data() + offset});
      continue;
    }
    result.m_views.emplace(*name, TensorView{source.type, plain});
    result.m_reordered.push_back(
        {{source.type.dtype, permutedShape(source.type.shape, source.axes)},
         inverseAxes(source.axes),
         offset,
         plain});
    plain += alignedBytes(source.type.bytes());
  }
  result.refresh();
  return result;
}

void Snapshot::refresh() {
  if (m_runs.empty()) m_stream->wait();
  for (const Run& run : m_runs)
    m_stream->download(m_copy.data() + run.offset, run.begin, run.bytes);
  for (const Reordered& each : m_reordered)
    permuteElements(m_copy.data() + each.offset, each.stored.shape, each.toPlain,
                    dtypeBytes(each.stored.dtype), each.plain);
}

DeviceAddress State::transient(size_t bytes) {
  if (bytes > m_transient.bytes()) {
    // Free the old arena first, because memory may not suffice for both
    m_transient = DeviceMemory();
    try {
      m_transient = DeviceMemory(m_device, bytes);
    }
    catch (const Error&) {
      throw noRoom(bytes, "memory", "activations and gradients");
    }
  }
  return m_transient.address();
}

size_t State::allocatedBytes() const { return m_variables.bytes() + m_transient.bytes(); }

}  // namespace strata
