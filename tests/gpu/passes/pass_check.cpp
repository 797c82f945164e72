// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/passes/pass_check.h"

#include <doctest/doctest.h>

#include <vector>

#include "gpu/graph/text.h"
#include "gpu/passes/standard_passes.h"
#include "tests/support/pass_options.h"

namespace strata::test {

Graph graphOf(const GraphText& lines) {
  return parseGraph(R"(strata-graph 1
                       %100 = input() {name="x"} : f32[2,3]
                       %101 = input() {name="y"} : f32[2,3]
                    )" +
                    lines.text());
}

PipelineOptions onlyPass(std::string_view name) {
  PipelineOptions options = allPasses();
  options.verifyAfterEach = true;
  bool isKnown = false;
  for (const Pass& pass : standardPasses()) {
    isKnown = isKnown || pass.name == name;
    if (pass.name != name) options.disabled.insert(pass.name);
  }
  REQUIRE(isKnown);
  return options;
}

void PassCheck::rewrites(const GraphText& before, const GraphText& after) const {
  CAPTURE(before.text());
  Graph rewritten = graph(before);
  for (const PassReport& report : runPasses(rewritten, onlyPass(m_pass)))
    CHECK(report.failure == "");
  CHECK(printGraph(rewritten) == printGraph(graph(after)));
}

void PassCheck::keeps(const GraphText& lines) const {
  rewrites(lines, lines);
  CAPTURE(lines.text());
  Graph kept = graph(lines);
  for (const PassReport& report : runPasses(kept, onlyPass(m_pass)))
    CHECK(report.rewrites == 0);
}

void PassCheck::replacesByX(const GraphText& lines) const {
  rewrites({lines.text(), R"(%10 = exp(%9)
                             output "o" = %10)"},
           R"(%10 = exp(%100)
              output "o" = %10)");
}

}  // namespace strata::test
