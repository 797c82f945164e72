// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/kernel_choices.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "gpu/base/clock.h"
#include "gpu/base/machine.h"
#include "gpu/exec/variant_text.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "gpu/passes/pass.h"

namespace strata {

namespace {

// A variant is only chosen if its time divided by the default kernel's time is at most this.
// A smaller gain could be noise.
constexpr double kMaxRelativeTime = 0.9;
// A kernel is timed only if its operands take at most 1/16 of the available memory and 1/8 of the
// memory limit. They are not part of the memory plan, and the results are copied twice.
constexpr size_t kShareOfMemory = 16, kShareOfLimit = 8;

size_t operandBytes(const Graph& graph, NodeId id) {
  size_t bytes = 0;
  for (const ValueId value : graph.node(id).inputs)
    bytes += graph.type(value).bytes();
  for (const ValueId value : graph.node(id).outputs)
    bytes += graph.type(value).bytes();
  return bytes;
}

std::string microseconds(double seconds) {
  std::array<char, 64> text{};
  return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(),
                                                seconds * 1e6, std::chars_format::fixed, 1)
                                      .ptr) +
         " us";
}

}  // namespace

std::string kernelKey(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  std::string key = node.op->name + " ";
  for (size_t i = 0; i < node.inputs.size(); ++i)
    key += (i == 0 ? "" : ",") + graph.type(node.inputs[i]).toString();
  key += " -> ";
  for (size_t i = 0; i < node.outputs.size(); ++i)
    key += (i == 0 ? "" : ",") + graph.type(node.outputs[i]).toString();
  const std::string attributes = attributesText(node);
  return attributes.empty() ? key : key + " " + attributes;
}

std::string bestVariant(const std::vector<MeasuredVariant>& variants, KernelChoice how) {
  if (variants.empty() || how == KernelChoice::Rule || variants.front().seconds <= 0) return "";
  const MeasuredVariant* best = nullptr;
  for (const MeasuredVariant& variant : variants)
    if (!variant.variant.empty() && variant.seconds > 0 &&
        (how == KernelChoice::Fastest || variant.hasSameBits) &&
        variant.seconds <= kMaxRelativeTime * variants.front().seconds &&
        (!best || variant.seconds < best->seconds))
      best = &variant;
  return best ? best->variant : "";
}

void KernelChooser::fix(KernelVariants variants) {
  m_variants = std::move(variants);
  m_isFixed = true;
  m_device.setVariants(m_variants);
}

void KernelChooser::measure(std::chrono::nanoseconds budget, std::stop_token stop,
                            size_t limitBytes) {
  m_budget = budget;
  m_limitBytes = limitBytes;
  m_stop = std::move(stop);
}

/// Returns whether all variants that may be chosen were timed. A variant without an entry could not
/// be created.
bool KernelChooser::isEnough(const std::vector<MeasuredVariant>& measured,
                             const std::vector<OtherVariant>& others) const {
  return std::all_of(others.begin(), others.end(), [&](const OtherVariant& other) {
    // Without Fastest, a variant that gives other bits is never chosen, so it need not be timed
    if (m_how != KernelChoice::Fastest && !other.mayKeepBits) return true;
    const auto at =
        std::find_if(measured.begin(), measured.end(),
                     [&](const MeasuredVariant& variant) { return variant.variant == other.name; });
    return at == measured.end() || at->seconds > 0 ||
           (m_how != KernelChoice::Fastest && !at->hasSameBits);
  });
}

/// Returns whether every variant of a kernel was timed.
bool KernelChooser::isTimed(const std::string& key) {
  if (!m_measured.contains(key))
    if (auto shared = m_shared->times(key)) m_measured[key] = std::move(*shared);
  const auto known = m_measured.find(key);
  return known != m_measured.end() &&
         std::all_of(known->second.begin(), known->second.end(),
                     [](const MeasuredVariant& each) { return each.seconds > 0; });
}

/// Returns the measurements of a kernel. Measures first if they are incomplete and the budget
/// allows it. Returns null if there are none.
const std::vector<MeasuredVariant>* KernelChooser::measured(
    const Graph& graph, NodeId id, const std::string& key,
    const std::vector<OtherVariant>& others) {
  if (!m_measured.contains(key))
    if (auto shared = m_shared->times(key)) m_measured[key] = std::move(*shared);
  const auto known = m_measured.find(key);
  if (known != m_measured.end() && isEnough(known->second, others)) return &known->second;
  const std::vector<MeasuredVariant>* const rest =
      known == m_measured.end() ? nullptr : &known->second;
  if (m_budget.count() <= 0 || m_stop.stop_requested()) return rest;
  if (operandBytes(graph, id) >
      std::min(availableMemoryBytes() / kShareOfMemory, m_limitBytes / kShareOfLimit))
    return rest;
  const auto started = Clock::now();
  auto variants =
      m_device.timeVariants(graph, id, others, {m_budget, m_how == KernelChoice::Fastest, m_stop});
  m_budget -= Clock::now() - started;
  if (!variants) return rest;
  for (const OtherVariant& other : others)
    if (m_how != KernelChoice::Fastest && !other.mayKeepBits)
      variants->push_back({other.name, 0, false});
  m_hasMeasured = true;
  m_shared->addTimes(key, *variants);
  return &(m_measured[key] = std::move(*variants));
}

namespace {

/// Divides the time for timing kernels among those that are not timed yet: one half equally, and
/// the other by their work, because faster variants of long kernels gain the most.
class BudgetShares {
 public:
  void add(const std::string& key, const Cost& cost) {
    const double work = cost.flops + cost.bytes;
    m_work[key] += work;
    m_totalWork += work;
  }
  /// Returns the share of a kernel in the time that is left, and removes the kernel. Returns 0 if
  /// it has had its share.
  double take(const std::string& key) {
    const auto found = m_work.find(key);
    if (found == m_work.end()) return 0;
    const double even = 1 / static_cast<double>(m_work.size()),
                 byWork = m_totalWork > 0 ? found->second / m_totalWork : even;
    m_totalWork -= found->second;
    m_work.erase(found);
    return (even + byWork) / 2;
  }

 private:
  std::map<std::string, double> m_work;
  double m_totalWork = 0;
};

}  // namespace

void KernelChooser::choose(const Graph& graph, PassReport& report) {
  std::set<std::string, std::less<>> seen;
  int numChosen = 0;
  // The variants of kernels of a card that are not timed yet. A card may have dozens of them for
  // one call, and builds a plan of a library for each.
  std::map<std::string, std::vector<OtherVariant>> listed;
  BudgetShares shares;
  if (!m_device.variantsAreAlike() && m_how == KernelChoice::Fastest && !m_isFixed)
    for (const NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View ||
          m_device.pinnedVariant(node))
        continue;
      graph.checkStop();
      const std::string key = kernelKey(graph, id);
      if (m_defaultKeys.contains(key) || isTimed(key)) continue;
      const auto [others, isNew] = listed.try_emplace(key);
      if (isNew) others->second = m_device.otherVariants(graph, id);
      if (!others->second.empty()) shares.add(key, costOf(graph, node));
    }
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View) continue;
    if (m_isFixed && m_variants.empty()) break;
    graph.checkStop();
    if (m_device.pinnedVariant(node)) continue;
    const bool areAlike = m_device.variantsAreAlike();
    if (!areAlike && m_how != KernelChoice::Fastest) continue;
    std::string key = areAlike ? std::string() : kernelKey(graph, id);
    std::vector<OtherVariant> others;
    if (areAlike)
      others = m_device.otherVariants(graph, id);
    else if (const auto found = listed.find(key); found != listed.end())
      others = found->second;
    if (others.empty() && (areAlike || listed.contains(key))) continue;
    if (areAlike) key = kernelKey(graph, id);
    const std::vector<MeasuredVariant>* variants = nullptr;
    if (!m_isFixed && !m_defaultKeys.contains(key)) {
      const std::chrono::nanoseconds whole = m_budget;
      if (!areAlike)
        m_budget = std::chrono::nanoseconds(
            std::llround(static_cast<double>(whole.count()) * shares.take(key)));
      const std::chrono::nanoseconds share = m_budget;
      variants = measured(graph, id, key, others);
      m_budget = whole - (share - m_budget);
      if (const std::string variant = variants ? bestVariant(*variants, m_how) : std::string();
          !variant.empty())
        m_variants[key] = variant;
      else
        m_variants.erase(key);
    }
    const auto chosen = m_variants.find(key);
    if (chosen == m_variants.end()) {
      m_defaultKeys.insert(key);
      continue;
    }
    ++numChosen;
    if (!seen.insert(key).second) continue;
    std::string line = (node.layer.empty() ? node.op->name : node.layer) + ": " + node.op->name +
                       " " + std::string(variantName(chosen->second));
    if (!variants)
      line += ", kept from the start of the run";
    else
      for (const MeasuredVariant& variant : *variants)
        if (variant.variant == chosen->second)
          line += ", " + microseconds(variant.seconds) + " instead of " +
                  microseconds(variants->front().seconds);
    report.details.push_back(std::move(line));
  }
  report.rewrites = numChosen;
  m_device.setVariants(m_variants);
}

}  // namespace strata
