// SPDX-License-Identifier: Apache-2.0
#include "core/train/network_values.h"

#include <algorithm>

namespace strata {

void NetworkSnapshot::refresh() {
  for (Snapshot& part : m_parts)
    part.refresh();
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
  return result;
}

void NetworkValues::exchange(std::string_view name, std::string_view other) {
  State &first = stateOf(name), &second = stateOf(other);
  if (&first == &second) return first.exchange(name, other);
  const Tensor kept = first.read(name);
  first.write(name, second.read(other));
  second.write(other, kept);
}

NetworkSnapshot NetworkValues::snapshot(const std::vector<std::string>& names) const {
  std::map<State*, std::vector<std::string>> byState;
  for (const std::string& name : names)
    byState[&stateOf(name)].push_back(name);
  NetworkSnapshot result;
  for (State* const state : m_states) {
    const auto own = byState.find(state);
    if (own == byState.end()) continue;
    result.m_parts.push_back(state->snapshot(own->second));
    result.m_views.insert(result.m_parts.back().views().begin(),
                          result.m_parts.back().views().end());
  }
  return result;
}

int64_t NetworkValues::changes() const {
  int64_t changes = 0;
  for (const State* state : m_states)
    changes += state->changes();
  return changes;
}

}  // namespace strata
