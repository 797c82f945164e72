// SPDX-License-Identifier: Apache-2.0
// Sorts the layers topologically, reports cycles, and finds the outputs of the network.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/model/model_reader.h"
#include "core/model/named_outputs.h"

namespace strata {

Model ModelReader::sortedModel() {
  // Sorts invalid layers too, so that cycles are found despite other problems.
  std::vector<int> missing(m_entries.size(), 0);
  std::vector<std::vector<size_t>> users(m_entries.size());
  std::vector<size_t> ready;
  for (size_t i = 0; i < m_entries.size(); ++i) {
    for (const auto& input : m_entries[i].layer.inputs)
      if (const auto found = m_byName.find(inputRefOf(input).layer); found != m_byName.end()) {
        users[found->second].push_back(i);
        ++missing[i];
      }
    if (missing[i] == 0) ready.push_back(i);
  }
  std::vector<size_t> sequence;
  std::reverse(ready.begin(), ready.end());
  while (!ready.empty()) {
    const size_t i = ready.back();
    ready.pop_back();
    sequence.push_back(i);
    for (auto user = users[i].rbegin(); user != users[i].rend(); ++user)
      if (--missing[*user] == 0) ready.push_back(*user);
  }
  if (sequence.size() < m_entries.size()) reportCycles(missing);

  Model model;
  model.expandedLayers = m_expandedLayers;
  for (size_t i = 0; i < m_entries.size(); ++i)
    // Layers in a cycle, and layers that depend on one, come last.
    if (missing[i] > 0) sequence.push_back(i);
  for (const size_t i : sequence) {
    const ParsedLayer& entry = m_entries[i];
    if (entry.isSound() && missing[i] == 0) model.layers.push_back(entry.layer);
    Layer draft = entry.layer;
    draft.name = entry.name;
    if (!entry.hasSoundFields) draft.fields.reset();
    for (auto& input : draft.inputs)
      if (!m_byName.contains(inputRefOf(input).layer)) input.clear();
    model.drafts.push_back(std::move(draft));
    model.isConnected =
        model.isConnected && entry.hasOwnName && entry.hasConnections && missing[i] == 0;
  }
  std::set<std::string, std::less<>> used;
  for (const ParsedLayer& entry : m_entries)
    for (const std::string& input : entry.layer.inputs)
      used.insert(inputRefOf(input).layer);
  for (const ParsedLayer& entry : m_entries) {
    if (entry.isSound() && entry.type == "Input") model.inputs.push_back(entry.name);
    if (!entry.name.empty() && !used.contains(entry.name)) model.outputs.push_back(entry.name);
  }
  if (isInBlock() && model.isConnected) reportUnusedOutputs(used);
  if (!isInBlock()) readNamedOutputs(m_project.document()["model"], model, m_diagnostics);
  return model;
}

void ModelReader::reportUnusedOutputs(const std::set<std::string, std::less<>>& used) {
  for (size_t i = 0; i + 1 < m_entries.size(); ++i) {
    const ParsedLayer& entry = m_entries[i];
    if (used.contains(entry.name)) continue;
    report(Severity::Error, "several_outputs", entry.path, "",
           STRATA_TEXT("problem",
                       "no layer uses its output, and the Block already ends in %1 (expected one "
                       "output). Connect it or remove it."),
           {m_entries.back().name});
    m_diagnostics.back().pointer = entry.pointer;
  }
}

void ModelReader::reportCycles(const std::vector<int>& missing) {
  std::vector<char> isSeen(m_entries.size(), 0);
  for (size_t start = 0; start < m_entries.size(); ++start) {
    if (missing[start] == 0 || isSeen[start]) continue;
    // Every unsorted layer has an unsorted input. Following these inputs leads to a cycle or to a
    // layer that was visited before.
    std::vector<size_t> path;
    size_t at = start;
    while (!isSeen[at]) {
      isSeen[at] = 1;
      path.push_back(at);
      for (const auto& input : m_entries[at].layer.inputs) {
        const auto found = m_byName.find(inputRefOf(input).layer);
        if (found != m_byName.end() && missing[found->second] > 0) {
          at = found->second;
          break;
        }
      }
    }
    const auto begin = std::find(path.begin(), path.end(), at);
    if (begin == path.end()) continue;
    // Lists the cycle from its first layer in the document. `path` runs from layers to their
    // inputs, so its order is reversed.
    std::rotate(begin, std::min_element(begin, path.end()), path.end());
    const size_t closing = *begin;
    std::string text = m_entries[closing].name;
    for (auto it = path.end(); it != begin;) {
      --it;
      text += " -> " + m_entries[*it].name;
    }
    report(Severity::Error, "cycle", m_entries[closing].path, "inputs",
           STRATA_TEXT("problem",
                       "it is part of a cycle: %1 (expected a network without cycles). Change "
                       "the inputs of one of these layers."),
           {text});
    m_diagnostics.back().pointer = m_entries[closing].pointer + "/inputs";
  }
}

}  // namespace strata
