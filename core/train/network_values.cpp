// SPDX-License-Identifier: Apache-2.0
#include "core/train/network_values.h"

#include <algorithm>
#include <cstring>

#include "gpu/base/error.h"

namespace strata {

void NetworkSnapshot::refresh() {
  for (Snapshot& part : m_parts)
    part.refresh();
  join();
}

/// Copies the parts of divided variables.
void NetworkSnapshot::join() {
  for (Joined& each : m_joined)
    for (const auto& [part, begin] : each.begins) {
      const TensorView& view = m_parts[part].views().at(each.name);
      if (view.type.bytes() > 0)
        std::memcpy(each.value.data() + begin, view.data, view.type.bytes());
    }
}

void NetworkValues::divide(const std::string& name, const TensorType& type,
                           std::vector<ShardRange> ranges) {
  m_divided[name] = {type, std::move(ranges)};
}

const TensorType& NetworkValues::type(std::string_view name) const {
  const auto divided = m_divided.find(name);
  return divided == m_divided.end() ? stateOf(name).type(name) : divided->second.type;
}

Tensor NetworkValues::read(std::string_view name) const {
  const auto divided = m_divided.find(name);
  if (divided == m_divided.end()) return stateOf(name).read(name);
  const auto& [type, ranges] = divided->second;
  Tensor result(type);
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].count == 0) continue;
    const Tensor part = m_states[i]->read(name);
    std::memcpy(result.data() + static_cast<size_t>(ranges[i].begin) * dtypeBytes(type.dtype),
                part.data(), part.bytes());
  }
  return result;
}

void NetworkValues::write(std::string_view name, const Tensor& value) {
  const auto divided = m_divided.find(name);
  if (divided == m_divided.end()) return stateOf(name).write(name, value);
  const auto& [type, ranges] = divided->second;
  if (value.type() != type)
    throw Error(ErrorCode::ShapeMismatch, std::string(name),
                "the value has the wrong type (expected " + type.toString() + ", got " +
                    value.type().toString() + "). Use the weights of this network.");
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].count == 0) continue;
    Tensor part(m_states[i]->type(name));
    std::memcpy(part.data(),
                value.data() + static_cast<size_t>(ranges[i].begin) * dtypeBytes(type.dtype),
                part.bytes());
    m_states[i]->write(name, part);
  }
}

State* NetworkValues::find(std::string_view name) const {
  for (State* const state : m_states)
    if (state->has(name)) return state;
  return nullptr;
}

State& NetworkValues::stateOf(std::string_view name) const {
  State* const found = find(name);
  // The first state knows how to say that there is no such variable
  return found ? *found : *m_states.front();
}

std::vector<std::string> NetworkValues::names() const {
  std::vector<std::string> result;
  for (const State* state : m_states) {
    std::vector<std::string> own = state->names();
    result.insert(result.end(), own.begin(), own.end());
  }
  std::ranges::sort(result);
  const auto repeated = std::ranges::unique(result);
  result.erase(repeated.begin(), repeated.end());
  return result;
}

void NetworkValues::exchange(std::string_view name, std::string_view other) {
  State &first = stateOf(name), &second = stateOf(other);
  if (&first == &second && !isDivided(name) && !isDivided(other))
    return first.exchange(name, other);
  const Tensor kept = read(name);
  write(name, read(other));
  write(other, kept);
}

NetworkSnapshot NetworkValues::snapshot(const std::vector<std::string>& names) const {
  // By state
  std::vector<std::vector<std::string>> own(m_states.size());
  for (const std::string& name : names)
    for (size_t i = 0; i < m_states.size(); ++i) {
      if (!m_states[i]->has(name)) continue;
      own[i].push_back(name);
      if (!isDivided(name)) break;
    }
  NetworkSnapshot result;
  for (const auto& [name, divided] : m_divided)
    if (std::ranges::find(names, name) != names.end())
      result.m_joined.push_back({name, Tensor(divided.type), {}});
  for (size_t i = 0; i < m_states.size(); ++i) {
    if (own[i].empty()) continue;
    const size_t part = result.m_parts.size();
    result.m_parts.push_back(m_states[i]->snapshot(own[i]));
    for (const auto& [name, view] : result.m_parts.back().views())
      if (!isDivided(name)) result.m_views.emplace(name, view);
    for (NetworkSnapshot::Joined& joined : result.m_joined) {
      const auto& [type, ranges] = m_divided.at(joined.name);
      if (ranges[i].count > 0)
        joined.begins[part] = static_cast<size_t>(ranges[i].begin) * dtypeBytes(type.dtype);
    }
  }
  for (NetworkSnapshot::Joined& joined : result.m_joined)
    result.m_views.emplace(joined.name, TensorView{joined.value.type(), joined.value.data()});
  result.join();
  return result;
}

int64_t NetworkValues::changes() const {
  int64_t changes = 0;
  for (const State* state : m_states)
    changes += state->changes();
  return changes;
}

}  // namespace strata
