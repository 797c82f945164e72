// SPDX-License-Identifier: Apache-2.0
#include "tests/core/model/mnist_project.h"

#include <doctest/doctest.h>

#include "core/check/validate.h"
#include "core/project/edit.h"
#include "tests/support/diagnostic_lines.h"
#include "tests/support/has.h"

namespace strata::test {

Json documentOf(const std::string& layers, const std::string& training) {
  Json document = Json::parse(
      R"({"format": "strata-project", "version": 1, "data": {"source": {"type": "mnist"}}})");
  document["model"]["layers"] = Json::parse("[" + layers + "]");
  document["training"] = Json::parse(training);
  return document;
}

std::string problemsOf(const std::string& layers, const std::string& training) {
  return linesOf(validate(Project(documentOf(layers, training))));
}

void checkProblem(const std::string& layers, const std::string& text) {
  CAPTURE(layers);
  CHECK(has(problemsOf(kImage + layers), text));
}

void checkProblemAndFixes(const std::string& layers, const std::string& text) {
  checkProblem(layers, text);
  checkFixes(documentOf(kImage + layers));
}

void checkFixes(const Json& document) {
  const Diagnostics found = validate(Project(document));
  for (const Diagnostic& each : found) {
    if (each.fixes.empty()) continue;
    for (const Fix& fix : each.fixes) {
      CAPTURE(each.line());
      CAPTURE(formatText(fix.label, fix.arguments));
      Json fixed = document;
      const ProjectEdit inverse = applyEdit(fixed, fix.edit);
      const std::string left = linesOf(validate(Project(fixed)));
      CHECK(left.find(each.line()) == std::string::npos);
      applyEdit(fixed, inverse);
      CHECK(printJson(fixed) == printJson(document));
    }
    return;
  }
  FAIL("no problem has a fix: ", linesOf(found));
}

}  // namespace strata::test
