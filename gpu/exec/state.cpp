// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/state.h"

#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/base/thread_pool.h"

namespace strata {

constexpr size_t kMinTrimmedBytes = size_t{1} << 20;

ThreadPool& Device::pool() {
  throw Error(ErrorCode::Internal, name(), "this device has no threads that compute on the host.");
}

State::State(Device& device) : m_device(device), m_stream(device.makeStream()) {}

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

size_t State::kindOf(const Graph& graph, const Variable& variable) {
  const Category category = graph.value(variable.value).category;
  return category == Category::Parameter && variable.trainable ? 0
                                                               : 1 + static_cast<size_t>(category);
}

void State::ensureVariables(const Graph& graph) {
  std::array<std::vector<const Variable*>, kNumKinds> missing;
  for (const Variable& variable : graph.variables()) {
    const TensorType& type = graph.type(variable.value);
    const auto found = m_slots.find(variable.name);
    if (found == m_slots.end())
      missing[kindOf(graph, variable)].push_back(&variable);
    else if (found->second.type != type)
      throw Error(ErrorCode::ShapeMismatch, variable.name,
                  "the variable has the wrong type (expected " + type.toString() + ", got " +
                      found->second.type.toString() +
                      "). Start a new run, or undo the change of its shape.");
  }
  if (std::ranges::all_of(missing, &std::vector<const Variable*>::empty)) return;
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
      const TensorType& type = graph.type(variable->value);
      kinds[kind].emplace_back(variable->name,
                               Slot{type, graph.value(variable->value).category, kind, 0});
      if (!largest || type.bytes() > graph.type(largest->value).bytes()) largest = variable;
    }
    for (auto& [name, slot] : kinds[kind]) {
      slot.offset = end;
      end += alignedBytes(slot.type.bytes());
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
}

bool State::has(std::string_view name) const { return m_slots.find(name) != m_slots.end(); }

std::vector<std::string> State::names() const {
  std::vector<std::string> result;
  for (const auto& [name, slot] : m_slots)
    result.push_back(name);
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
  Tensor result(slot(name).type);
  if (result.bytes() > 0) m_stream->download(result.data(), address(name), result.bytes());
  return result;
}

void State::write(std::string_view name, const Tensor& value) {
  const Slot& target = slot(name);
  if (target.type != value.type())
    throw Error(ErrorCode::ShapeMismatch, std::string(name),
                "the value has the wrong type (expected " + target.type.toString() + ", got " +
                    value.type().toString() + "). Use the weights of this network.");
  if (value.bytes() > 0) m_stream->upload(address(name), value.data(), value.bytes());
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
    const size_t bytes = alignedBytes(slot(*name).type.bytes());
    if (bytes > 0 && m_device.hostMemory(begin)) {
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
  for (const auto& [name, offset] : offsets)
    result.m_views.emplace(*name, TensorView{slot(*name).type, result.m_copy.data() + offset});
  result.refresh();
  return result;
}

void Snapshot::refresh() {
  if (m_runs.empty()) m_stream->wait();
  for (const Run& run : m_runs)
    m_stream->download(m_copy.data() + run.offset, run.begin, run.bytes);
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
