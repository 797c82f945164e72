// SPDX-License-Identifier: Apache-2.0
#include "core/runs/kernel_profile.h"

#include <algorithm>

namespace strata {

namespace {

bool isSameKernel(const KernelRecord& a, const KernelRecord& b) {
  return a.instruction == b.instruction && a.name == b.name && a.stream == b.stream &&
         a.op == b.op && a.layer == b.layer && a.grid == b.grid && a.block == b.block &&
         // Copies of different sizes that belong to no node
         (a.instruction >= 0 || a.bytes == b.bytes);
}

double perSecond(double amount, std::chrono::nanoseconds time) {
  return time.count() > 0 ? amount / std::chrono::duration<double>(time).count() : 0;
}

}  // namespace

double KernelRow::flopsPerSecond() const {
  return perSecond(record.flops * static_cast<double>(calls), total);
}

double KernelRow::bytesPerSecond() const {
  return perSecond(record.bytes * static_cast<double>(calls), total);
}

std::chrono::nanoseconds TracedStep::duration() const {
  std::chrono::nanoseconds end{0};
  for (const Entry& entry : entries)
    end = std::max(end, entry.start + entry.duration);
  return end;
}

void KernelProfile::add(int64_t step, const StepRecords& records) {
  if (!records.problem.empty()) problem = records.problem;
  if (records.records.empty()) return;
  problem.clear();
  source = records.source;
  ++steps;
  TracedStep tracedStep;
  tracedStep.step = step;
  // Steps of one program have the same records in the same order
  size_t expected = 0;
  for (const KernelRecord& record : records.records) {
    if (expected >= rows.size() || !isSameKernel(rows[expected].record, record)) {
      const auto found = std::ranges::find_if(
          rows, [&](const KernelRow& row) { return isSameKernel(row.record, record); });
      expected = static_cast<size_t>(found - rows.begin());
      if (found == rows.end()) rows.push_back({.record = record});
    }
    KernelRow& row = rows[expected];
    row.shortest = row.calls == 0 ? record.duration : std::min(row.shortest, record.duration);
    row.longest = std::max(row.longest, record.duration);
    ++row.calls;
    row.total += record.duration;
    tracedStep.entries.push_back({static_cast<int>(expected), record.start, record.duration});
    ++expected;
  }
  traced.push_back(std::move(tracedStep));
  if (traced.size() > maxTraced) traced.pop_front();
}

bool KernelProfile::isMain(const KernelRow& row) const {
  // A copy that belongs to no node
  if (row.record.instruction < 0) return true;
  for (const KernelRow& other : rows) {
    if (other.record.instruction != row.record.instruction || other.record.op != row.record.op ||
        other.record.layer != row.record.layer)
      continue;
    // The first of equal ones
    if (other.total != row.total ? other.total > row.total : &other < &row) return false;
  }
  return true;
}

std::string_view sourceName(StepRecords::Source source) {
  switch (source) {
    case StepRecords::Source::HostClock: return "host clock";
    case StepRecords::Source::Card: return "card";
    case StepRecords::Source::Predicted: return "predicted";
    case StepRecords::Source::None: break;
  }
  return "none";
}

}  // namespace strata
