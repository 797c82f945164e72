// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <algorithm>
#include <cstring>

#include "gpu/base/error.h"
#include "gpu/exec/program.h"

namespace strata {
namespace {

constexpr size_t kMinTrimmedBytes = size_t{1} << 20;

AlignedBytes allocate(size_t bytes, const std::string& subject, const std::string& what) {
  try {
    return AlignedBytes(bytes);
  }
  catch (const Error&) {
    throw Error(ErrorCode::OutOfMemory, subject,
                what + " of " + std::to_string(bytes) +
                    " bytes do not fit in memory. Use a smaller batch or fewer units.");
  }
}

}  // namespace

State::~State() {
  if (allocatedBytes() < kMinTrimmedBytes) return;
  m_blocks.clear();
  m_transient = AlignedBytes();
#if defined(__GLIBC__)
  // After a large block is freed, glibc raises its mmap threshold, to 32 MiB at most. It then keeps
  // smaller freed blocks for later allocations unless they are trimmed.
  malloc_trim(0);
#endif
}

void State::ensureVariables(const Graph& graph) {
  std::vector<const Variable*> missing;
  for (const Variable& variable : graph.variables()) {
    const TensorType& type = graph.type(variable.value);
    const auto found = m_slots.find(variable.name);
    if (found == m_slots.end())
      missing.push_back(&variable);
    else if (found->second.type != type)
      throw Error(ErrorCode::ShapeMismatch, variable.name,
                  "the variable has the wrong type (expected " + type.toString() + ", got " +
                      found->second.type.toString() +
                      "). Start a new run, or undo the change of its shape.");
  }
  if (missing.empty()) return;
  const auto categoryOf = [&](const Variable* variable) {
    return graph.value(variable->value).category;
  };
  std::stable_sort(missing.begin(), missing.end(), [&](const Variable* a, const Variable* b) {
    return categoryOf(a) < categoryOf(b);
  });
  size_t total = 0;
  const Variable* largest = missing.front();
  for (const Variable* variable : missing) {
    const size_t bytes = graph.type(variable->value).bytes();
    if (bytes > graph.type(largest->value).bytes()) largest = variable;
    total += alignedBytes(bytes);
  }
  AlignedBytes block = allocate(total, largest->name, "variables");
  if (total > 0) std::memset(block.data(), 0, total);
  // Add all variables or none, so that the caller can try again if this fails
  decltype(m_slots) slots;
  size_t offset = 0;
  for (const Variable* variable : missing) {
    const TensorType& type = graph.type(variable->value);
    slots.emplace(variable->name, Slot{type, categoryOf(variable), block.data() + offset});
    offset += alignedBytes(type.bytes());
  }
  m_blocks.push_back(std::move(block));
  m_slots.merge(slots);
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
std::byte* State::address(std::string_view name) { return slot(name).address; }

TensorView State::view(std::string_view name) const {
  return {slot(name).type, slot(name).address};
}

Tensor State::read(std::string_view name) const {
  const Slot& source = slot(name);
  Tensor result(source.type);
  if (result.bytes() > 0) std::memcpy(result.data(), source.address, result.bytes());
  return result;
}

void State::write(std::string_view name, const Tensor& value) {
  const Slot& target = slot(name);
  if (target.type != value.type())
    throw Error(ErrorCode::ShapeMismatch, std::string(name),
                "the value has the wrong type (expected " + target.type.toString() + ", got " +
                    value.type().toString() + "). Use the weights of this network.");
  if (value.bytes() > 0) std::memcpy(target.address, value.data(), value.bytes());
}

std::byte* State::transient(size_t bytes) {
  if (bytes > m_transient.size()) {
    // Free the old arena first, because memory may not suffice for both
    m_transient = AlignedBytes();
    m_transient = allocate(bytes, "memory", "activations and gradients");
  }
  return m_transient.data();
}

size_t State::allocatedBytes() const {
  size_t result = m_transient.size();
  for (const AlignedBytes& block : m_blocks)
    result += block.size();
  return result;
}

}  // namespace strata
