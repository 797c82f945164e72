// SPDX-License-Identifier: Apache-2.0
#include "core/evaluation/class_file.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/evaluation/classification.h"
#include "core/project/atomic_file.h"
#include "core/project/json.h"
#include "core/project/line_file.h"
#include "core/runs/own_file.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

// A matrix of 1000 classes without a zero takes less
constexpr size_t kMaxLineBytes = size_t{16} << 20;
// Of all outputs of a validation. A damaged line could ask for far more memory than it has bytes.
constexpr size_t kMaxCells = size_t{4} << 20;

std::string printLine(const ClassValidation& validation) {
  Json json{{"step", validation.step}, {"epoch", validation.epoch}, {"outputs", Json::array()}};
  for (const OutputClasses& output : validation.outputs) {
    Json rows = Json::array();
    const Confusion& confusion = output.confusion;
    for (int64_t truth = 0; truth < confusion.classes; ++truth) {
      Json row = Json::array();
      for (int64_t predicted = 0; predicted < confusion.classes; ++predicted) {
        if (confusion.at(truth, predicted) == 0) continue;
        row.push_back(predicted);
        row.push_back(confusion.at(truth, predicted));
      }
      rows.push_back(std::move(row));
    }
    json["outputs"].push_back({{"output", output.output},
                               {"classes", output.classNames},
                               {"confusion", std::move(rows)}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

/// Throws Json::exception.
OutputClasses outputFrom(const Json& json) {
  constexpr int64_t kMaxCount = int64_t{1} << 40;
  OutputClasses output;
  output.output = json.at("output").get<std::string>();
  output.classNames = json.at("classes").get<std::vector<std::string>>();
  const Json& rows = json.at("confusion");
  const size_t classes = output.classNames.size();
  if (classes > static_cast<size_t>(kMaxConfusionClasses) || rows.size() != classes) return {};
  output.confusion.classes = static_cast<int64_t>(classes);
  output.confusion.counts.assign(classes * classes, 0);
  for (size_t truth = 0; truth < classes; ++truth) {
    const Json& row = rows.at(truth);
    for (size_t i = 0; i + 1 < row.size(); i += 2) {
      const auto predicted = row.at(i).get<size_t>();
      const auto count = row.at(i + 1).get<int64_t>();
      if (predicted >= classes || count < 0 || count > kMaxCount) return {};
      output.confusion.counts[truth * classes + predicted] = count;
    }
  }
  return output;
}

/// Returns nullopt for a damaged line.
std::optional<ClassValidation> validationFrom(const std::string& line, const std::string& path) {
  try {
    const Json json = parseJson(line, path);
    ClassValidation validation;
    validation.step = json.at("step").get<int64_t>();
    validation.epoch = json.at("epoch").get<int64_t>();
    size_t cells = 0;
    for (const Json& each : json.at("outputs")) {
      const size_t classes = each.at("classes").size();
      cells += std::min(classes * classes, kMaxCells) + 1;
      if (cells > kMaxCells) return std::nullopt;
      validation.outputs.push_back(outputFrom(each));
      if (validation.outputs.back().confusion.classes == 0) return std::nullopt;
    }
    if (validation.outputs.empty()) return std::nullopt;
    return validation;
  }
  catch (const Error&) {
    return std::nullopt;
  }
  catch (const Json::exception&) {
    return std::nullopt;
  }
}

bool isThere(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

}  // namespace

ClassLog::ClassLog(std::string path, std::optional<int64_t> lastStep, uint64_t maxBytes)
    : m_path(std::move(path)), m_maxBytes(maxBytes) {
  if (!lastStep || !isThere(m_path)) return;
  rewrite([&](size_t, const std::string& line) {
    const std::optional<ClassValidation> validation = validationFrom(line, m_path);
    return validation && validation->step <= *lastStep;
  });
}

/// Keeps only some lines of the file.
void ClassLog::rewrite(const std::function<bool(size_t line, const std::string& text)>& isKept) {
  AtomicFile file(m_path, Links::Replace);
  LineFile former(m_path, kMaxLineBytes);
  m_bytes = 0;
  size_t kept = 0, at = 0;
  for (std::string line; former.next(line); ++at) {
    if (former.isCutOff() || !isKept(at, line)) continue;
    line += '\n';
    file.write(line);
    m_bytes += line.size();
    ++kept;
  }
  file.commit(false);
  m_lines = kept;
}

void ClassLog::append(const ClassValidation& validation) {
  const std::string line = printLine(validation);
  if (line.size() > kMaxLineBytes) return;
  while (m_lines > 1 && m_bytes + line.size() > m_maxBytes)
    rewrite([lines = m_lines](size_t at, const std::string&) { return (lines - 1 - at) % 2 == 0; });
  // Cuts what a failure has left after the last whole line
  OwnFileBuffer file(openOwnFile(m_path, m_bytes));
  file.sputn(line.data(), static_cast<std::streamsize>(line.size()));
  if (file.pubsync() != 0 || file.written() != m_bytes + line.size())
    throw Error(ErrorCode::IoFailure, m_path,
                "cannot be written. Free some space, or check the folder and that you may write "
                "to it.");
  m_bytes += line.size();
  ++m_lines;
}

void readClassFile(const std::string& path, const std::function<bool(ClassValidation&&)>& use,
                   const std::stop_token& stop) {
  if (!isThere(path)) return;
  try {
    LineFile file(path, kMaxLineBytes);
    int64_t last = -1;
    uint64_t bytes = 0;
    for (std::string line; !stop.stop_requested() && file.next(line);) {
      bytes += line.size();
      if (file.isCutOff() || bytes > kMaxClassFileBytes) return;
      std::optional<ClassValidation> validation = validationFrom(line, path);
      // A continued run may repeat its last validation
      if (!validation || validation->step <= last) continue;
      last = validation->step;
      if (!use(std::move(*validation))) return;
    }
  }
  catch (const Error&) {
    // As a run without the file
  }
}

}  // namespace strata
