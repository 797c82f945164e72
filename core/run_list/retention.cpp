// SPDX-License-Identifier: Apache-2.0
#include "core/run_list/retention.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <ranges>

#include <nlohmann/json.hpp>

#include "core/runs/moved_run.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr double kSecondsPerDay = 86400;

/// The column by which runs are better or worse than others.
RunColumn metricOf(const std::vector<RunRow>& rows, const RetentionRules& rules) {
  if (!rules.metric.empty()) {
    RunColumn column = columnOf(rules.metric, rows);
    if (rules.direction != Direction::None) column.direction = rules.direction;
    if (column.kind == ColumnKind::Text || column.kind == ColumnKind::Time)
      throw Error(ErrorCode::InvalidArgument, rules.metric,
                  "has no numbers (expected a metric, such as best_val_loss). Choose another "
                  "column.");
    if (column.direction == Direction::None)
      throw Error(ErrorCode::InvalidArgument, rules.metric,
                  "has no direction (expected whether large or small values are better). Say "
                  "which.");
    return column;
  }
  const auto hasValidation = [](const RunRow& row) {
    return !row.info.validationRanges.empty();
  };
  const bool isValidated = std::ranges::any_of(rows, hasValidation);
  return {
      isValidated ? "best_val_loss" : "test_loss", {}, "loss", ColumnKind::Number, Direction::Down};
}

/// Returns the indices of the runs that have a value, best first. Of equal runs, the newer one is
/// first.
std::vector<size_t> bestFirst(const std::vector<RunRow>& rows, const RunColumn& column) {
  std::vector<std::pair<double, size_t>> values;
  for (size_t i = rows.size(); i-- > 0;)
    if (const RunCell cell = cellOf(rows[i], column); cell.number)
      values.emplace_back(column.direction == Direction::Up ? -*cell.number : *cell.number, i);
  std::ranges::stable_sort(values, {}, &std::pair<double, size_t>::first);
  std::vector<size_t> order;
  for (const auto& [value, index] : values)
    order.push_back(index);
  return order;
}

/// Returns the indices of the runs, newest first.
std::vector<size_t> newestFirst(const std::vector<RunRow>& rows) {
  std::vector<size_t> order;
  for (size_t i = rows.size(); i-- > 0;)
    order.push_back(i);
  std::ranges::stable_sort(
      order, [&](size_t a, size_t b) { return rows[a].info.number > rows[b].info.number; });
  return order;
}

class Planner {
 public:
  Planner(const std::vector<RunRow>& rows, const RetentionRules& rules, int64_t now)
      : m_rows(rows), m_rules(rules), m_reasons(rows.size()), m_newest(newestFirst(rows)) {
    protect();
    applyRules(now);
    keepNeeded();
    if (m_rules.maxBytes) limitSize();
  }

  RetentionPlan plan() const {
    RetentionPlan plan;
    for (size_t i = 0; i < m_rows.size(); ++i) {
      const RetentionReason reason = *m_reasons[i];
      const auto heir = m_heirs.find(i);
      RetentionEntry entry{m_rows[i].info.listedAt,
                           m_rows[i].notes.title,
                           m_rows[i].info.number,
                           m_rows[i].diskBytes,
                           reason,
                           heir == m_heirs.end() ? "" : heir->second};
      const bool isStay = isStaying(reason);
      (isStay ? plan.stayingBytes : plan.goingBytes) += entry.bytes;
      (isStay ? plan.staying : plan.going).push_back(std::move(entry));
    }
    plan.exceedsSize = m_rules.maxBytes && plan.stayingBytes > *m_rules.maxBytes;
    return plan;
  }

 private:
  void set(size_t index, RetentionReason reason) {
    if (!m_reasons[index]) m_reasons[index] = reason;
  }
  bool stays(size_t index) const { return m_reasons[index] && isStaying(*m_reasons[index]); }

  /// Finds the runs that stay whatever the rules say.
  void protect() {
    m_best = bestFirst(m_rows, metricOf(m_rows, m_rules));
    for (size_t i = 0; i < m_rows.size(); ++i)
      if (m_rows[i].info.status == RunStatus::Running) set(i, RetentionReason::Training);
    if (!m_best.empty()) set(m_best.front(), RetentionReason::Best);
    if (!m_newest.empty()) set(m_newest.front(), RetentionReason::Last);
    for (size_t i = 0; i < m_rows.size(); ++i) {
      if (m_rows[i].notes.isKept) set(i, RetentionReason::Kept);
      // The notes of such a run may say that it is kept
      if (!m_rows[i].notesProblem.empty()) set(i, RetentionReason::Kept);
      if (m_rows[i].notes.isArchived) set(i, RetentionReason::Archived);
    }
  }

  void applyRules(int64_t now) {
    const auto keepFirst = [&](const std::vector<size_t>& order, std::optional<int64_t> count,
                               RetentionReason reason) {
      for (size_t i = 0; count && i < order.size() && static_cast<int64_t>(i) < *count; ++i)
        set(order[i], reason);
    };
    keepFirst(m_newest, m_rules.keepLast, RetentionReason::AmongLast);
    keepFirst(m_best, m_rules.keepBest, RetentionReason::AmongBest);
    for (size_t i = 0; m_rules.keepDays && i < m_rows.size(); ++i) {
      const std::optional<int64_t> started = secondsOfTime(m_rows[i].info.started);
      // The age of a run without a start is unknown, so it stays
      if (!started || static_cast<double>(now - *started) <= *m_rules.keepDays * kSecondsPerDay)
        set(i, RetentionReason::Young);
    }
    const bool isOnlySize = !m_rules.keepLast && !m_rules.keepBest && !m_rules.keepDays;
    for (size_t i = 0; i < m_rows.size(); ++i)
      set(i, isOnlySize ? RetentionReason::FitsSize : RetentionReason::NoRule);
  }

  uint64_t stayingBytes() const {
    uint64_t bytes = 0;
    for (size_t i = 0; i < m_rows.size(); ++i)
      if (stays(i)) bytes += m_rows[i].diskBytes;
    return bytes;
  }

  /// Whether the size may remove this run. Runs that others need go after those.
  bool isRemovable(size_t index) const {
    const RetentionReason reason = *m_reasons[index];
    const bool isByRule = reason == RetentionReason::AmongLast ||
                          reason == RetentionReason::AmongBest ||
                          reason == RetentionReason::Young || reason == RetentionReason::FitsSize;
    return isByRule && !isNeeded(index);
  }

  /// Removes the oldest runs until the others fit. Runs that always stay count, too.
  void limitSize() {
    while (stayingBytes() > *m_rules.maxBytes) {
      const auto oldestFirst = std::views::reverse(m_newest);
      const auto oldest =
          std::ranges::find_if(oldestFirst, [&](size_t index) { return isRemovable(index); });
      if (oldest == oldestFirst.end()) break;
      m_reasons[*oldest] = RetentionReason::TooLarge;
      dropUnneeded();
    }
  }

  /// Returns a run that stays and starts from this one, or an empty text.
  std::string heirOf(size_t index) const {
    for (size_t i = 0; i < m_rows.size(); ++i)
      if (i != index && stays(i) && m_rows[i].startsFrom == m_rows[index].info.listedAt)
        return m_rows[i].info.listedAt;
    return {};
  }
  bool isNeeded(size_t index) const { return !heirOf(index).empty(); }

  void keepNeeded() {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (size_t i = 0; i < m_rows.size(); ++i) {
        if (stays(i)) continue;
        const std::string heir = heirOf(i);
        if (heir.empty()) continue;
        m_reasons[i] = RetentionReason::NeededBy;
        m_heirs[i] = heir;
        isChanged = true;
      }
    }
  }

  /// Lets runs go that were kept only for runs that go.
  void dropUnneeded() {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (size_t i = 0; i < m_rows.size(); ++i) {
        if (m_reasons[i] != RetentionReason::NeededBy) continue;
        m_heirs[i] = heirOf(i);
        if (!m_heirs[i].empty()) continue;
        m_heirs.erase(i);
        m_reasons[i] = RetentionReason::NoRule;
        isChanged = true;
      }
    }
  }

  const std::vector<RunRow>& m_rows;
  const RetentionRules& m_rules;
  std::vector<std::optional<RetentionReason>> m_reasons;
  std::vector<size_t> m_newest, m_best;
  std::map<size_t, std::string> m_heirs;
};

}  // namespace

bool isStaying(RetentionReason reason) {
  return reason != RetentionReason::NoRule && reason != RetentionReason::TooLarge;
}

std::string retentionText(RetentionReason reason) {
  switch (reason) {
    case RetentionReason::Training: return "is training";
    case RetentionReason::Best: return "is the best run";
    case RetentionReason::Last: return "is the last run";
    case RetentionReason::Archived: return "is archived";
    case RetentionReason::Kept: return "is marked as kept";
    case RetentionReason::NeededBy: return "is the start of a run that stays";
    case RetentionReason::AmongLast: return "is among the last runs";
    case RetentionReason::AmongBest: return "is among the best runs";
    case RetentionReason::Young: return "is young enough";
    case RetentionReason::FitsSize: return "fits into the size";
    case RetentionReason::NoRule: return "is kept by no rule";
    case RetentionReason::TooLarge: return "exceeds the size of all runs";
  }
  return "unknown";
}

Json RetentionEntry::toJson() const {
  return {{"run", run},
          {"title", title},
          {"bytes", bytes},
          {"reason", retentionText(reason)},
          {"needed_by", neededBy.empty() ? Json() : Json(neededBy)}};
}

Json RetentionPlan::toJson() const {
  Json goingList = Json::array(), stayingList = Json::array();
  for (const RetentionEntry& each : going)
    goingList.push_back(each.toJson());
  for (const RetentionEntry& each : staying)
    stayingList.push_back(each.toJson());
  return {{"going", goingList},
          {"staying", stayingList},
          {"going_bytes", goingBytes},
          {"staying_bytes", stayingBytes},
          {"exceeds_size", exceedsSize}};
}

std::optional<int64_t> secondsOfTime(const std::string& text) {
  std::tm parts{};
  int length = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &parts.tm_year, &parts.tm_mon,
                  &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &length) != 6 ||
      static_cast<size_t>(length) != text.size())
    return std::nullopt;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return ::timegm(&parts);
}

RetentionPlan retentionPlan(const std::vector<RunRow>& rows, const RetentionRules& rules,
                            int64_t now) {
  if (!rules.keepLast && !rules.keepBest && !rules.keepDays && !rules.maxBytes)
    throw Error(ErrorCode::InvalidArgument, "retention",
                "has no rule (expected a number of last or best runs, an age or a size). Set one.");
  return Planner(rows, rules, now).plan();
}

Deletion applyRetention(const RetentionPlan& plan) {
  std::vector<std::string> runs;
  std::vector<Error> refused;
  for (const RetentionEntry& entry : plan.going) {
    try {
      const RunNotes notes = readRunNotes(placeOfRun(entry.run));
      if (!notes.isKept && !notes.isArchived) {
        runs.push_back(entry.run);
        continue;
      }
      refused.emplace_back(ErrorCode::InvalidArgument, entry.run,
                           "was marked as archived or kept meanwhile, so it stays.");
    }
    catch (const Error& error) {
      refused.emplace_back(error.code(), entry.run, "stays: " + error.line());
    }
  }
  Deletion deletion = deleteRuns(runs);
  deletion.refused.insert(deletion.refused.begin(), refused.begin(), refused.end());
  return deletion;
}

}  // namespace strata
