// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/project/text.h"
#include "core/run_list/run_settings.h"
#include "core/run_list/run_table.h"
#include "gpu/base/error.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

/// A column that every run has.
struct FixedColumn {
  RunColumn column;
  RunCell (*cell)(const RunRow&);
};

RunCell number(double value) { return {value, {}}; }

/// Returns a count, or an unknown value for 0.
RunCell countOr(int64_t value) {
  return value > 0 ? number(static_cast<double>(value)) : RunCell();
}

RunCell flag(bool value) { return number(value ? 1 : 0); }

const std::vector<FixedColumn>& firstColumns() {
  static const std::vector<FixedColumn> columns{
      {{"number", STRATA_TEXT("run list", "Run"), {}, ColumnKind::Number},
       [](const RunRow& row) {
         return countOr(row.info.number);
       }},
      {{"title", STRATA_TEXT("run list", "Title"), {}, ColumnKind::Text},
       [](const RunRow& row) {
         return RunCell{{}, row.notes.title};
       }},
      {{"tags", STRATA_TEXT("run list", "Tags"), {}, ColumnKind::Text},
       [](const RunRow& row) {
         return RunCell{{}, row.notes.tags.empty() ? "" : joinedNames(row.notes.tags)};
       }},
      {{"status", STRATA_TEXT("run list", "Status"), {}, ColumnKind::Text},
       [](const RunRow& row) {
         return RunCell{{}, runStatusName(row.info.status)};
       }},
      {{"started", STRATA_TEXT("run list", "Started"), {}, ColumnKind::Time},
       [](const RunRow& row) {
         return RunCell{{}, row.info.started};
       }},
      {{"duration", STRATA_TEXT("run list", "Duration"), {}, ColumnKind::Duration, Direction::Down},
       [](const RunRow& row) {
         return row.info.seconds > 0 ? number(row.info.seconds) : RunCell();
       }},
      {{"devices", STRATA_TEXT("run list", "Devices"), {}, ColumnKind::Text},
       [](const RunRow& row) {
         return RunCell{{}, row.info.device};
       }},
      {{"epochs", STRATA_TEXT("run list", "Epochs"), {}, ColumnKind::Number},
       [](const RunRow& row) {
         return number(static_cast<double>(row.info.trainedEpochs));
       }},
      {{"steps", STRATA_TEXT("run list", "Steps"), {}, ColumnKind::Number},
       [](const RunRow& row) {
         return number(static_cast<double>(row.info.steps));
       }},
      {{"batch_size", STRATA_TEXT("run list", "Batch size"), {}, ColumnKind::Number},
       [](const RunRow& row) {
         return countOr(row.info.batchSize);
       }},
      {{"parameters", STRATA_TEXT("run list", "Parameters"), {}, ColumnKind::Number},
       [](const RunRow& row) {
         return countOr(row.info.parameters);
       }},
  };
  return columns;
}

const std::vector<FixedColumn>& lastColumns() {
  static const std::vector<FixedColumn> columns{
      {{"peak_bytes",
        STRATA_TEXT("run list", "Peak memory"),
        {},
        ColumnKind::Bytes,
        Direction::Down},
       [](const RunRow& row) {
         return countOr(static_cast<int64_t>(row.info.peakBytes));
       }},
      {{"disk_bytes", STRATA_TEXT("run list", "Size on disk"), {}, ColumnKind::Bytes},
       [](const RunRow& row) {
         return number(static_cast<double>(row.diskBytes));
       }},
      {{"from", STRATA_TEXT("run list", "Starts from"), {}, ColumnKind::Text},
       [](const RunRow& row) {
         return RunCell{{}, row.startsFrom.empty() ? row.weightsFrom : row.startsFrom};
       }},
      {{"from_step", STRATA_TEXT("run list", "Starts from step"), {}, ColumnKind::Number},
       [](const RunRow& row) {
         return row.info.origin ? number(static_cast<double>(row.info.origin->step)) : RunCell();
       }},
      {{"archived", STRATA_TEXT("run list", "Archived"), {}, ColumnKind::Flag},
       [](const RunRow& row) {
         return flag(row.notes.isArchived);
       }},
      {{"keep", STRATA_TEXT("run list", "Kept"), {}, ColumnKind::Flag},
       [](const RunRow& row) {
         return flag(row.notes.isKept);
       }},
      {{"notes", STRATA_TEXT("run list", "Notes"), {}, ColumnKind::Text},
       [](const RunRow& row) {
         return RunCell{{}, row.notes.text};
       }},
      {{"directory", STRATA_TEXT("run list", "Directory"), {}, ColumnKind::Text},
       [](const RunRow& row) {
         return RunCell{{}, row.info.directory};
       }},
  };
  return columns;
}

const FixedColumn* fixedColumn(std::string_view id) {
  for (const auto* const columns : {&firstColumns(), &lastColumns()})
    for (const FixedColumn& each : *columns)
      if (each.column.id == id) return &each;
  return nullptr;
}

/// Which value of a metric a column has, by the beginning of its name.
struct MetricPart {
  std::string_view prefix;
  Text title;
};
constexpr MetricPart kMetricParts[] = {
    {"best_val_", STRATA_TEXT("run list", "Best validation %1")},
    {"val_", STRATA_TEXT("run list", "Validation %1")},
    {"test_", STRATA_TEXT("run list", "Test %1")},
};

RunColumn metricColumn(const MetricPart& part, const std::string& metric, Direction direction) {
  return {std::string(part.prefix) + metric, part.title, metric, ColumnKind::Number, direction};
}

std::optional<double> valueIn(const std::vector<std::pair<std::string, double>>& metrics,
                              std::string_view name) {
  for (const auto& [metric, value] : metrics)
    if (metric == name) return value;
  return std::nullopt;
}

RunCell metricCell(const RunRow& row, const RunColumn& column) {
  const std::string& metric = column.subject;
  if (column.id.starts_with("best_val_")) {
    const auto range = row.info.validationRanges.find(metric);
    if (range == row.info.validationRanges.end()) return {};
    if (column.direction == Direction::None) return {};
    return number(column.direction == Direction::Up ? range->second.largest
                                                    : range->second.smallest);
  }
  const bool isTest = column.id.starts_with("test_");
  if (metric == "loss") return {isTest ? row.info.testLoss : row.info.validationLoss, {}};
  return {valueIn(isTest ? row.info.testMetrics : row.info.validationMetrics, metric), {}};
}

RunCell settingCell(const RunRow& row, const std::string& pointer) {
  if (!row.settings) return {};
  try {
    const Json::json_pointer place(pointer);
    const Json* const documents[] = {row.settings.get(), &row.project->document()};
    for (const Json* const document : documents) {
      if (!document->contains(place)) continue;
      const Json& value = document->at(place);
      if (value.is_number()) return number(value.get<double>());
      if (value.is_null()) return {};
      return {{},
              value.is_string() ? value.get<std::string>()
                                : value.dump(-1, ' ', false, Json::error_handler_t::replace)};
    }
  }
  catch (const nlohmann::json::exception&) {
    // A pointer that does not fit this project
  }
  return {};
}

/// Returns the names of the metrics that any of these runs has, in the order of the runs.
std::vector<std::string> metricNamesOf(const std::vector<RunRow>& rows) {
  std::vector<std::string> names;
  std::set<std::string, std::less<>> seen;
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) names.push_back(name);
  };
  for (const RunRow& row : rows) {
    if (row.info.validationLoss || row.info.testLoss) add("loss");
    for (const auto* const metrics : {&row.info.validationMetrics, &row.info.testMetrics})
      for (const auto& [name, value] : *metrics)
        add(name);
  }
  return names;
}

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  return text;
}

bool contains(const std::string& text, const std::string& part) {
  return lowered(text).find(part) != std::string::npos;
}

bool hasWord(const RunRow& row, const std::string& word) {
  const RunInfo& info = row.info;
  return contains(row.notes.title, word) || contains(row.notes.text, word) ||
         std::ranges::any_of(row.notes.tags,
                             [&](const auto& tag) { return contains(tag, word); }) ||
         contains(runStatusName(info.status), word) || contains(info.device, word) ||
         std::to_string(info.number) == word;
}

/// Returns a word as a number, or nullopt.
std::optional<double> numberIn(const std::string& text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Compares two values by one of the signs <, <=, =, !=, >=, >.
template <class T>
bool holds(const T& value, const std::string& sign, const T& wanted) {
  if (sign == "<") return value < wanted;
  if (sign == "<=") return value <= wanted;
  if (sign == ">") return value > wanted;
  if (sign == ">=") return value >= wanted;
  return (sign == "!=") != (value == wanted);
}

/// Returns the type of a metric that has its own name in the project, or "".
std::string typeOfNamed(const Json& metrics, const std::string& name) {
  if (metrics.is_object() && memberOf(metrics, "name") == name &&
      memberOf(metrics, "type").is_string())
    return metrics["type"].get<std::string>();
  if (metrics.is_array() || metrics.is_object())
    for (const Json& each : metrics)
      if (std::string type = typeOfNamed(each, name); !type.empty()) return type;
  return {};
}

}  // namespace

std::string columnKindName(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::Text: return "text";
    case ColumnKind::Number: return "number";
    case ColumnKind::Time: return "time";
    case ColumnKind::Duration: return "duration";
    case ColumnKind::Bytes: return "bytes";
    case ColumnKind::Flag: return "flag";
  }
  return "unknown";
}

std::string RunColumn::heading() const {
  return title.isEmpty() ? subject : formatText(title, {subject});
}

Json RunCell::toJson() const {
  constexpr double kMaxInteger = 9007199254740992;
  if (number && *number == std::floor(*number) && std::abs(*number) <= kMaxInteger)
    return static_cast<int64_t>(*number);
  if (number) return jsonNumber(*number);
  return text.empty() ? Json() : Json(text);
}

Direction directionOfMetric(const std::string& name, const Project* project) {
  std::string metric = name.substr(0, name.find('/'));
  if (project) {
    const Json& training = memberOf(project->document(), "training");
    for (const char* const list : {"metrics", "weighted_metrics"})
      if (const std::string type = typeOfNamed(memberOf(training, list), metric); !type.empty())
        metric = type;
  }
  if (metric == "loss" || metric.ends_with("_loss")) return Direction::Down;
  // With several outputs, the name of the output comes first
  for (size_t at = 0; at != std::string::npos;) {
    const std::string type = metric.substr(at);
    if (type == "accuracy") return Direction::Up;
    if (findMetric(type)) return directionOf(type);
    const size_t next = metric.find('_', at);
    at = next == std::string::npos ? next : next + 1;
  }
  return Direction::None;
}

std::vector<RunColumn> columnsOf(const std::vector<RunRow>& rows) {
  std::vector<RunColumn> columns;
  for (const FixedColumn& each : firstColumns())
    columns.push_back(each.column);
  const Project* const project = rows.empty() ? nullptr : rows.back().project.get();
  for (const std::string& metric : metricNamesOf(rows)) {
    const Direction direction = directionOfMetric(metric, project);
    for (const MetricPart& part : kMetricParts)
      if (direction != Direction::None || part.prefix != kMetricParts[0].prefix)
        columns.push_back(metricColumn(part, metric, direction));
  }
  for (const FixedColumn& each : lastColumns())
    columns.push_back(each.column);
  return columns;
}

std::vector<RunColumn> settingColumnsOf(const std::vector<RunRow>& rows) {
  std::map<std::string, std::set<std::string>> values;
  size_t read = 0;
  for (const RunRow& row : rows) {
    if (!row.settings) continue;
    for (const auto& [pointer, value] : flattened(*row.settings))
      values[pointer].insert(value.dump(-1, ' ', false, Json::error_handler_t::replace));
    ++read;
    // A run that has no value differs from those that have one
    for (auto& [pointer, found] : values)
      if (read > 1 && !row.settings->contains(Json::json_pointer(pointer))) found.insert("");
  }
  std::vector<RunColumn> columns;
  for (const auto& [pointer, found] : values)
    if (found.size() > 1) columns.push_back(columnOf(pointer, rows));
  return columns;
}

RunColumn columnOf(const std::string& id, const std::vector<RunRow>& rows) {
  if (const FixedColumn* const fixed = fixedColumn(id)) return fixed->column;
  const Project* const project = rows.empty() ? nullptr : rows.back().project.get();
  for (const MetricPart& part : kMetricParts)
    if (id.starts_with(part.prefix)) {
      const std::string metric = id.substr(part.prefix.size());
      const auto names = metricNamesOf(rows);
      if (std::ranges::find(names, metric) != names.end() || rows.empty())
        return metricColumn(part, metric, directionOfMetric(metric, project));
    }
  const std::string pointer = id == "learning_rate" ? "/training/optimizer/learning_rate" : id;
  if (pointer.starts_with('/')) {
    RunColumn column{pointer, {}, pointer, ColumnKind::Text};
    bool isNumber = false, isText = false;
    for (const RunRow& row : rows) {
      const RunCell cell = settingCell(row, pointer);
      isNumber = isNumber || cell.number;
      isText = isText || !cell.text.empty();
    }
    if (isNumber && !isText) column.kind = ColumnKind::Number;
    return column;
  }
  std::vector<std::string> names;
  for (const RunColumn& each : columnsOf(rows))
    names.push_back(each.id);
  const std::string near = nearestName(id, names);
  throw Error(ErrorCode::InvalidArgument, id,
              "is no column (expected one of " + joinedNames(names) +
                  ", or the JSON pointer of a setting)." +
                  (near.empty() ? "" : " Did you mean " + near + "?"));
}

RunCell cellOf(const RunRow& row, const RunColumn& column) {
  if (const FixedColumn* const fixed = fixedColumn(column.id)) return fixed->cell(row);
  return column.id.starts_with('/') ? settingCell(row, column.id) : metricCell(row, column);
}

void sortRows(std::vector<RunRow>& rows, const RunColumn& column, bool isDescending) {
  std::vector<std::pair<RunCell, size_t>> order;
  for (size_t i = 0; i < rows.size(); ++i)
    order.emplace_back(cellOf(rows[i], column), i);
  std::ranges::stable_sort(order, [&](const auto& one, const auto& two) {
    const RunCell &a = one.first, &b = two.first;
    if (a.isEmpty() || b.isEmpty()) return !a.isEmpty() && b.isEmpty();
    // Numbers come before words
    if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
    if (a.number) return isDescending ? *a.number > *b.number : *a.number < *b.number;
    return isDescending ? a.text > b.text : a.text < b.text;
  });
  std::vector<RunRow> sorted;
  sorted.reserve(rows.size());
  for (const auto& [cell, index] : order)
    sorted.push_back(std::move(rows[index]));
  rows = std::move(sorted);
}

RunFilter::RunFilter(const std::string& text, const std::vector<RunRow>& rows) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t at = word.find_first_of("<>=!");
    if (at == std::string::npos || at == 0) {
      m_words.push_back({lowered(word)});
      continue;
    }
    const size_t length = at + 1 < word.size() && word[at + 1] == '=' ? 2 : 1;
    const std::string name = word.substr(0, at), value = word.substr(at + length);
    Word comparison{lowered(value), {}, word.substr(at, length), numberIn(value)};
    if (comparison.sign == "!" || comparison.sign == "==")
      throw Error(ErrorCode::InvalidArgument, word,
                  "is no comparison (expected one of <, <=, =, !=, >=, >).");
    if (name != "tag") comparison.column = columnOf(name, rows);
    const bool isText = !comparison.column || comparison.column->kind == ColumnKind::Text ||
                        comparison.column->kind == ColumnKind::Time;
    if (!isText && comparison.column->kind == ColumnKind::Flag && (value == "yes" || value == "no"))
      comparison.number = value == "yes" ? 1 : 0;
    if (!isText && !comparison.number)
      throw Error(ErrorCode::InvalidArgument, word,
                  "does not compare with a number (expected such as " + name + ">10).");
    m_words.push_back(std::move(comparison));
  }
}

bool RunFilter::isMatch(const RunRow& row) const {
  return std::ranges::all_of(m_words, [&](const Word& word) {
    if (word.sign.empty()) return hasWord(row, word.text);
    if (!word.column)
      return (word.sign == "!=") != std::ranges::any_of(row.notes.tags, [&](const auto& tag) {
               return lowered(tag) == word.text;
             });
    const RunCell cell = cellOf(row, *word.column);
    if (cell.isEmpty()) return word.sign == "!=";
    // A setting may be a number in one run and a word in another
    if (cell.number) return word.number && holds(*cell.number, word.sign, *word.number);
    return holds(lowered(cell.text), word.sign, word.text);
  });
}

Json toJson(const RunRow& row, const std::vector<RunColumn>& columns) {
  Json json = Json::object();
  for (const RunColumn& column : columns) {
    const RunCell cell = cellOf(row, column);
    if (column.kind == ColumnKind::Flag)
      json[column.id] = cell.number == 1.0;
    else if (column.id == "tags")
      json[column.id] = row.notes.tags;
    else
      json[column.id] = cell.toJson();
  }
  return json;
}

}  // namespace strata
