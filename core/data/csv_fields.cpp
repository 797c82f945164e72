// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv_fields.h"

#include <nlohmann/json.hpp>

#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

static char delimiterOf(const std::string& name) {
  if (name == "auto") return '\0';
  if (name == "tab" || name == "\\t") return '\t';
  if (name.size() == 1 && name != "\"" && name != "\n" && name != "\r") return name[0];
  throw Error(ErrorCode::InvalidProject, "/data/source/delimiter",
              "delimiter must be one character, \"tab\" or \"auto\" (got \"" + excerpt(name, 20) +
                  "\"). Correct it.");
}

CsvOptions csvOptionsOf(const Json& fields) {
  CsvOptions options;
  options.delimiter = delimiterOf(fields.at("delimiter").get<std::string>());
  if (const char decimal = decimalOf(fields); decimal != '\0') options.decimal = decimal;
  const auto header = fields.at("header").get<std::string>();
  if (header == "yes") options.header = CsvOptions::Header::Yes;
  if (header == "no") options.header = CsvOptions::Header::No;
  const auto units = fields.at("units").get<std::string>();
  if (units == "yes") options.units = CsvOptions::Units::Yes;
  if (units == "no") options.units = CsvOptions::Units::No;
  if (fields.at("comment").is_string()) options.comment = fields.at("comment").get<std::string>();
  options.skipLines = fields.at("skip_lines").get<int64_t>();
  options.missing = fields.at("missing_words").get<std::vector<std::string>>();
  options.hasLongCells = fields.at("long_cells").get<bool>();
  return options;
}

MissingPolicy missingPolicyOf(const Json& fields) {
  const auto name = fields.at("missing").get<std::string>();
  if (name == "mean") return MissingPolicy::Mean;
  if (name == "median") return MissingPolicy::Median;
  if (name == "value") return MissingPolicy::Value;
  if (name == "drop") return MissingPolicy::Drop;
  return MissingPolicy::Error;
}

char decimalOf(const Json& fields) {
  const auto decimal = fields.at("decimal").get<std::string>();
  return decimal == "auto" ? '\0' : decimal[0];
}

std::vector<std::string> namesOf(const Json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  return value.is_array() ? value.get<std::vector<std::string>>() : std::vector<std::string>{};
}

std::vector<std::string> columnsOf(const CsvTable& table, const Json& names, const char* field) {
  std::vector<std::string> result;
  for (const size_t place : findColumns(table, namesOf(names), field))
    result.push_back(table.columns()[place]);
  return result;
}

}  // namespace strata
