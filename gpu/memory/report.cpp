// SPDX-License-Identifier: Apache-2.0
// Prints a memory plan.
#include <algorithm>

#include "gpu/graph/op.h"
#include "gpu/memory/liveness.h"

namespace strata {
namespace {

std::string padded(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string laneName(Storage::Lane lane) {
  switch (lane) {
    case Storage::Lane::Persistent: return "persistent";
    case Storage::Lane::Input: return "input";
    case Storage::Lane::Transient: return "transient";
  }
  return "unknown";
}

}  // namespace

std::string printMemoryPlan(const Graph& graph, const MemoryPlan& plan) {
  const auto number = [](size_t value) {
    return padded(std::to_string(value), 12);
  };
  std::string text = "peak        " + number(plan.peakBytes()) + " bytes (persistent " +
                     std::to_string(plan.persistentBytes) + ", input " +
                     std::to_string(plan.inputBytes) + ", transient " +
                     std::to_string(plan.transientBytes) + ")\n";
  text += "lower bound " + number(plan.lowerBoundBytes) + " bytes\n";
  if (!graph.order().empty()) {
    const Node& node = graph.node(graph.order()[static_cast<size_t>(plan.peakInstant)]);
    text += "peak at     " + number(static_cast<size_t>(plan.peakInstant)) + " " + node.op->name +
            (node.layer.empty() ? "" : " of \"" + node.layer + "\"") + "\n";
  }
  text += "\nby category at the peak\n";
  for (size_t category = 0; category < kNumCategories; ++category)
    if (plan.byCategoryAtPeak[category] > 0)
      text += number(plan.byCategoryAtPeak[category]) + "  " +
              std::string(categoryName(static_cast<Category>(category))) + "\n";
  text += number(plan.holesBytes) + "  (alignment and holes)\n\nby layer at the peak\n";
  for (const MemoryPlan::LayerBytes& row : plan.byLayerAtPeak)
    text += number(row.bytes) + "  " + (row.layer.empty() ? "(no layer)" : row.layer) + "\n";
  text += "\n      offset        bytes  from    to  lane        category       values\n";
  for (const Storage& storage : plan.storages) {
    std::string category(categoryName(storage.category));
    std::string lane = laneName(storage.lane);
    lane.resize(12, ' ');
    category.resize(15, ' ');
    text += number(storage.offset) + " " + number(storage.bytes) +
            padded(std::to_string(storage.begin), 6) + padded(std::to_string(storage.end), 6) +
            "  " + lane + category;
    for (const ValueId value : storage.values)
      text += "%" + std::to_string(value.index) + " ";
    text += storage.layer.empty() ? "\n" : "@\"" + storage.layer + "\"\n";
  }
  return text;
}

}  // namespace strata
