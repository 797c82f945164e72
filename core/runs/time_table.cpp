// SPDX-License-Identifier: Apache-2.0
#include "core/runs/time_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace strata {

namespace {

double microseconds(std::chrono::nanoseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

using RowKey = std::tuple<std::string, std::string, std::string, Phase>;
RowKey keyOf(const TimeRow& row) { return {row.name, row.layer, row.op, row.phase}; }

/// Returns one row for each kernel of each node; times are of all profiled steps.
std::vector<TimeRow> kernelRows(const KernelProfile& kernels) {
  std::vector<TimeRow> rows;
  for (size_t i = 0; i < kernels.rows.size(); ++i) {
    const KernelRow& from = kernels.rows[i];
    TimeRow row;
    row.name = from.record.name;
    row.layer = from.record.layer;
    row.op = from.record.op;
    row.phase = from.record.phase;
    row.isCopy = from.record.instruction < 0;
    row.calls = from.calls;
    row.total = microseconds(from.total);
    row.shortest = microseconds(from.shortest);
    row.longest = microseconds(from.longest);
    row.flops = from.record.flops * static_cast<double>(from.calls);
    row.bytes = from.record.bytes * static_cast<double>(from.calls);
    row.kernel = static_cast<int>(i);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Returns one row for each node of a profile without kernels.
std::vector<TimeRow> nodeRows(const ProfileSnapshot& profile) {
  std::vector<TimeRow> rows;
  for (const ProfileRow& from : profile.rows) {
    TimeRow row;
    row.name = from.implementation;
    row.layer = from.layer;
    row.op = from.op;
    row.phase = from.phase;
    row.calls = from.calls;
    row.total = microseconds(from.total);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Adds up rows of the same layer or op. A call of the sum is one of any of its rows.
std::vector<TimeRow> grouped(const std::vector<TimeRow>& rows, TimeGrouping grouping) {
  std::map<RowKey, TimeRow> sums;
  for (const TimeRow& row : rows) {
    TimeRow key;
    key.name = grouping == TimeGrouping::Layer ? row.layer : row.op;
    key.layer = grouping == TimeGrouping::Layer ? row.layer : "";
    key.op = grouping == TimeGrouping::Op ? row.op : "";
    key.phase = row.phase;
    key.isCopy = row.isCopy;
    if (row.isCopy) key.name = row.name;
    const auto [found, isNew] = sums.try_emplace(keyOf(key), key);
    TimeRow& sum = found->second;
    // Of the single executions
    const bool isKnown = row.longest > 0 && (isNew || sum.longest > 0);
    sum.shortest = isKnown ? (isNew ? row.shortest : std::min(sum.shortest, row.shortest)) : 0;
    sum.longest = isKnown ? std::max(sum.longest, row.longest) : 0;
    sum.calls += row.calls;
    sum.total += row.total;
    sum.flops += row.flops;
    sum.bytes += row.bytes;
  }
  std::vector<TimeRow> result;
  for (auto& [key, row] : sums)
    result.push_back(std::move(row));
  return result;
}

}  // namespace

std::vector<TimeRow> timeRows(const ProfileSnapshot& profile, TimeGrouping grouping) {
  const KernelProfile* kernels = profile.kernels.get();
  const bool hasKernels = kernels && !kernels->rows.empty();
  std::vector<TimeRow> rows = hasKernels ? kernelRows(*kernels) : nodeRows(profile);
  const auto steps =
      static_cast<double>(std::max<int64_t>(1, hasKernels ? kernels->steps : profile.steps));
  if (grouping != TimeGrouping::Kernel) rows = grouped(rows, grouping);
  for (TimeRow& row : rows) {
    row.mean = row.total / static_cast<double>(std::max<int64_t>(1, row.calls));
    if (row.total > 0) {
      row.flopsPerSecond = row.flops / row.total * 1e6;
      row.bytesPerSecond = row.bytes / row.total * 1e6;
    }
    row.total /= steps;
    row.share = profile.stepMicroseconds > 0 ? row.total / profile.stepMicroseconds : 0;
    row.flops /= steps;
    row.bytes /= steps;
    // The rates of a node belong to its longest kernel alone
    if (row.kernel < 0 || kernels->isMain(kernels->rows[static_cast<size_t>(row.kernel)])) continue;
    row.flops = row.bytes = row.flopsPerSecond = row.bytesPerSecond = 0;
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &TimeRow::total);
  return rows;
}

std::vector<TimeDifference> compareTimes(const ProfileSnapshot& before,
                                         const ProfileSnapshot& after, TimeGrouping grouping) {
  std::map<RowKey, TimeDifference> rows;
  const auto add = [&](const ProfileSnapshot& profile, double TimeDifference::*side) {
    for (const TimeRow& row : timeRows(profile, grouping)) {
      TimeDifference& difference = rows[keyOf(row)];
      difference.name = row.name;
      difference.layer = row.layer;
      difference.op = row.op;
      difference.phase = row.phase;
      difference.*side += row.total;
    }
  };
  add(before, &TimeDifference::before);
  add(after, &TimeDifference::after);
  std::vector<TimeDifference> result;
  for (auto& [key, row] : rows)
    result.push_back(std::move(row));
  std::ranges::stable_sort(result, std::ranges::greater(),
                           [](const TimeDifference& row) { return std::abs(row.change()); });
  return result;
}

}  // namespace strata
