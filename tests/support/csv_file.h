// SPDX-License-Identifier: Apache-2.0
// A table in a temporary folder, and projects that read it.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/dataset.h"
#include "core/project/edit.h"
#include "gpu/base/error.h"
#include "tests/support/paths.h"

namespace strata {

struct CsvFile {
  TemporaryFolder folder;
  std::string path(const std::string& name = "t.csv") const {
    return (folder.path() / name).string();
  }
  void write(const std::string& text, const std::string& name = "t.csv") const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  /// Returns a project that reads the table. `fields` contains additional fields of the source, and
  /// `data` contains additional members of the `data` object.
  Project project(const std::string& fields = "", const std::string& data = "",
                  const std::string& loss = "sparse_categorical_crossentropy") const {
    return Project(parseJson(
        R"({"format":"strata-project","version":1,"data":{"source":{"type":"csv","path":")" +
            path() + "\"" + (fields.empty() ? "" : ",") + fields + "}" + (data.empty() ? "" : ",") +
            data + R"(},"model":{"layers":[]},"training":{"loss":")" + loss + R"("}})",
        "test"));
  }
  std::shared_ptr<const Dataset> load(
      const std::string& fields = "", const std::string& data = "",
      const std::string& loss = "sparse_categorical_crossentropy") const {
    return loadDataset(project(fields, data, loss));
  }
  /// Returns the problems of the description, one line each: severity, code and message.
  std::string report(const std::string& fields = "", const std::string& data = "",
                     const std::string& loss = "sparse_categorical_crossentropy") const {
    Diagnostics diagnostics;
    describeDataset(project(fields, data, loss), diagnostics);
    std::string text;
    for (const Diagnostic& each : diagnostics)
      text += std::string(each.severity == Severity::Error ? "error " : "warning ") + each.code +
              " " + each.line() + "\n";
    return text;
  }
  /// Returns the project after the fix with this label is applied, or fails the test.
  Project fixed(const Project& before, const std::string& label) const {
    Diagnostics diagnostics;
    describeDataset(before, diagnostics);
    for (const Diagnostic& each : diagnostics)
      for (const Fix& fix : each.fixes)
        if (formatText(fix.label, fix.arguments) == label) {
          Project after = before;
          applyEdit(after.document(), fix.edit);
          return after;
        }
    FAIL("no fix \"" << label << "\"");
    return before;
  }
  std::string problem(const std::string& fields = "", const std::string& data = "",
                      const std::string& loss = "sparse_categorical_crossentropy") const {
    try {
      load(fields, data, loss);
    }
    catch (const Error& error) {
      return error.line();
    }
    return "";
  }
};

inline std::vector<float> floatsIn(const Tensor& tensor) {
  const auto all = tensor.as<float>();
  return {all.begin(), all.end()};
}
inline std::vector<int32_t> labelsIn(const Tensor& tensor) {
  const auto all = tensor.as<int32_t>();
  return {all.begin(), all.end()};
}

}  // namespace strata
