// SPDX-License-Identifier: Apache-2.0
#include "core/data/likely_label.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/data/csv_words.h"

namespace strata {

namespace {

// Words that mean a label also as a part of a name, such as "class_label"
constexpr std::array<std::string_view, 6> kParts{"label", "labels", "target",
                                                 "标签",  "类别",   "目标"};
// Words that mean a label only as a whole name: "class" is also in "class_size".
constexpr std::array<std::string_view, 14> kNames{
    "class",    "classes", "targets",  "outcome", "response", "species",   "diagnosis",
    "survived", "churn",   "category", "y_true",  "medv",     "saleprice", "sale_price"};

bool isUsualLabel(const std::string& name) {
  const std::string folded = foldedWord(name);
  if (std::find(kNames.begin(), kNames.end(), folded) != kNames.end()) return true;
  for (size_t begin = 0; begin <= folded.size();) {
    const size_t end = std::min(folded.find_first_of(" _-.", begin), folded.size());
    const std::string_view part = std::string_view(folded).substr(begin, end - begin);
    if (std::find(kParts.begin(), kParts.end(), part) != kParts.end()) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

std::string likelyLabel(const std::vector<std::string>& columns) {
  if (columns.empty() || isUsualLabel(columns.back()) || foldedWord(columns.back()) == "y")
    return {};
  // Between other columns, "y" may be a coordinate.
  if (foldedWord(columns.front()) == "y") return columns.front();
  const auto found = std::find_if(columns.begin(), columns.end(), isUsualLabel);
  return found == columns.end() ? std::string() : *found;
}

}  // namespace strata
