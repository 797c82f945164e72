// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/model/model.h"

namespace strata::cli {

static Json toJson(const Diagnostic& diagnostic) {
  Json fixes = Json::array();
  for (const Fix& fix : diagnostic.fixes) fixes.push_back(formatText(fix.label, fix.arguments));
  return {{"severity", diagnostic.severity == Severity::Error ? "error" : "warning"},
          {"code", diagnostic.code},
          {"layer", diagnostic.layer},
          {"field", diagnostic.field},
          {"pointer", diagnostic.pointer},
          {"message", diagnostic.sentence()},
          {"fixes", fixes}};
}

Action setupCheck(Arguments& accepted) {
  struct Options {
    ProjectArgument project;
    bool asJson = false;
  };
  auto options = std::make_shared<Options>();
  options->project.addTo(accepted);
  accepted.json(options->asJson);
  return [options] {
    const Diagnostics diagnostics = validate(options->project.load());
    const bool isOk = !hasErrors(diagnostics);
    if (options->asJson) {
      Json problems = Json::array();
      for (const Diagnostic& diagnostic : diagnostics) problems.push_back(toJson(diagnostic));
      printJsonDocument({{"ok", isOk}, {"problems", problems}});
    } else {
      printDiagnostics(options->project.path(), diagnostics);
      if (isOk) std::cout << options->project.path() << (diagnostics.empty() ? ": no problems\n" : ": no errors, it can be trained\n");
    }
    return isOk ? kDone : kWrongUsage;
  };
}

}  // namespace strata::cli
