// SPDX-License-Identifier: Apache-2.0
// Tests the pipeline that runs the passes: disabled passes, reports, failures and stops.
#include <doctest/doctest.h>

#include <stop_token>
#include <string>
#include <vector>

#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "gpu/ops/build.h"
#include "gpu/passes/pass.h"
#include "gpu/passes/standard_passes.h"
#include "tests/gpu/passes/pass_check.h"
#include "tests/support/pass_options.h"

using namespace strata;

namespace {

/// Returns a graph of five nodes, one of which merge_common removes.
Graph graphToMerge() {
  return test::graphOf(R"(%0 = exp(%100)
                          %1 = exp(%100)
                          %2 = add(%0, %1)
                          output "o" = %2)");
}

}  // namespace

TEST_SUITE("pipeline") {
  TEST_CASE("an unknown name of a disabled pass is an error that names the nearest pass") {
    Graph graph = graphToMerge();
    PipelineOptions options = allPasses();
    options.disabled = {"merge_comon"};
    try {
      runPasses(graph, options);
      FAIL("no error");
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::InvalidArgument);
      CHECK(std::string(error.what()).find("\"merge_common\"") != std::string::npos);
    }
  }

  TEST_CASE("a disabled pass does not run and is reported as off") {
    Graph graph = graphToMerge();
    const size_t nodes = graph.order().size();
    PipelineOptions options = allPasses();
    options.disabled = {"merge_common"};
    const std::vector<PassReport> reports = runPasses(graph, options);
    REQUIRE(reports.size() == standardPasses().size());
    for (size_t i = 0; i < reports.size(); ++i)
      CHECK(reports[i].pass == standardPasses()[i].name);
    CHECK(reports[1].line() == "merge_common: off");
    CHECK(graph.order().size() == nodes);
  }

  TEST_CASE("the changes of a pass that throws or damages the graph are dropped") {
    Graph graph = graphToMerge();
    const std::string before = printGraph(graph);
    const Pass throws{"throws", {}, [](Graph& g, PassReport&) {
                        g.addOutput("half done", g.outputs()[0].value);
                        throw Error(ErrorCode::Internal, "x", "out of luck.");
                      }};
    const Pass corrupts{"corrupts", {}, [](Graph& g, PassReport& report) {
                          g.edit().mutableNode(g.order().back()).attributes.set("odd", 1.0);
                          report.rewrites = 1;
                        }};
    PipelineOptions options = allPasses();
    for (const Pass& pass : standardPasses())
      options.disabled.insert(pass.name);
    // Both failures are logged, so silence the log.
    setLogSink([](LogLevel, std::string_view) {});
    const std::vector<PassReport> reports = runPasses(graph, options, {throws, corrupts});
    setLogSink({});
    CHECK(printGraph(graph) == before);
    REQUIRE(reports.size() == standardPasses().size() + 2);
    CHECK(reports[reports.size() - 11].line() == "throws: dropped, out of luck.");
    CHECK(reports[reports.size() - 10].failure.find("unknown attribute \"odd\"") !=
          std::string::npos);
  }

  TEST_CASE("a pass works on a copy of the graph") {
    Graph graph = graphToMerge();
    const int numNodes = graph.numNodes();
    bool isCopy = false, isUntouched = false;
    const Pass fails{"fails", {}, [&](Graph& g, PassReport& report) {
                       isCopy = &g != &graph;
                       exp(g, g.outputs()[0].value);
                       isUntouched = graph.numNodes() == numNodes;
                       report.rewrites = 1;
                       throw Error(ErrorCode::Internal, "x", "out of luck.");
                     }};
    int seen = 0;
    const Pass counts{"counts", {}, [&](Graph& g, PassReport&) {
                        seen = g.numNodes();
                      }};
    PipelineOptions options = allPasses();
    for (const Pass& pass : standardPasses())
      options.disabled.insert(pass.name);
    setLogSink([](LogLevel, std::string_view) {});
    runPasses(graph, options, {fails, counts});
    setLogSink({});
    CHECK(isCopy);
    CHECK(isUntouched);
    CHECK(graph.numNodes() == numNodes);
    CHECK(seen == numNodes);
  }

  TEST_CASE("updates come last even if order is disabled, unless recompute changed the graph") {
    const test::GraphText lines = R"(%0 = variable() {name="w"} : f32[2,3]
                                     %1 = assign(%0, %100) update
                                     %2 = exp(%101)
                                     next "w" = %1
                                     output "o" = %2)";
    Graph graph = test::graphOf(lines);
    PipelineOptions options = allPasses();
    options.disabled = {"order"};
    options.placesUpdatesLast = true;
    int numReports = 0;
    for (const PassReport& report : runPasses(graph, options))
      if (report.pass == "updates_last") {
        ++numReports;
        CHECK(report.rewrites == 1);
        CHECK(report.details == std::vector<std::string>{"moved 1 nodes before the first update"});
      }
    CHECK(numReports == 1);
    CHECK(graph.node(graph.order().back()).op->kind == OpKind::Update);
    // Nothing moves in the second run.
    for (const PassReport& report : runPasses(graph, options))
      CHECK(report.pass != "updates_last");

    Graph early = test::graphOf(R"(%0 = variable() {name="w"} : f32[2,3]
                                   %1 = exp(%100)
                                   %2 = exp(%1) backward
                                   %3 = assign(%0, %2) update
                                   %4 = variable() {name="v"} : f32[2,3]
                                   %5 = log(%1) backward
                                   %6 = assign(%4, %5) update
                                   next "w" = %3
                                   next "v" = %6)");
    options.recompute.how = Recompute::Auto;
    options.recompute.limitBytes = 0;
    bool isChanged = false;
    for (const PassReport& report : runPasses(early, options)) {
      isChanged = isChanged || (report.pass == "recompute" && report.rewrites > 0);
      CHECK(report.pass != "updates_last");
    }
    CHECK(isChanged);
  }

  TEST_CASE("a small step is not examined for recomputation if the options say so") {
    int numAsked = 0;
    PipelineOptions options = allPasses();
    options.recompute.how = Recompute::Auto;
    options.recompute.limitBytes = size_t{1} << 20;
    options.recompute.workspaces = [&](const Graph&, NodeId) {
      ++numAsked;
      return std::vector<WorkspaceChoice>{{0, 1, 1}};
    };
    for (const bool skips : {true, false}) {
      numAsked = 0;
      options.recompute.skipsSmallSteps = skips;
      Graph graph = graphToMerge();
      runPasses(graph, options);
      CHECK((numAsked == 0) == skips);
    }
    options.recompute.skipsSmallSteps = true;
    options.recompute.limitBytes = 64;
    Graph large = graphToMerge();
    runPasses(large, options);
    CHECK(numAsked > 0);
  }

  TEST_CASE("a report contains memory, moved bytes and time before and after the pass") {
    Graph graph = graphToMerge();
    const PassReport merged = runPasses(graph, allPasses())[1];
    CHECK(merged.line() ==
          "merge_common: 1 rewrite, 5 -> 4 nodes; live at most 0.00 -> 0.00 MiB, moved 0.00 -> "
          "0.00 MiB, 0.006 -> 0.004 ms");
    // Each value has six elements of four bytes. Each operation reads its operands and writes its
    // result.
    CHECK(merged.before.movedBytes == 24 * (2 + 2 + 3));
    CHECK(merged.after.movedBytes == 24 * (2 + 3));
    CHECK(merged.before.peakBytes == 128 + 2 * 64);
    CHECK(merged.after.peakBytes == 128 + 64);
    CHECK(merged.after.seconds < merged.before.seconds);
  }

  TEST_CASE("a stop ends a pass while it runs and is not reported as its failure") {
    for (const bool adds : {true, false}) {
      Graph graph = test::graphOf(R"(%0 = exp(%100)
                                     output "o" = %0)");
      std::stop_source stop;
      graph.setStop(stop.get_token());
      int rounds = 0;
      const Pass endless{"endless", {}, [&](Graph& g, PassReport& report) {
                           const ValueId x = g.outputs()[0].value;
                           for (;; ++rounds) {
                             if (rounds == 1000) stop.request_stop();
                             if (adds)
                               exp(g, x);
                             else
                               mergeCommon(g, report);
                           }
                         }};
      int reports = 0;
      PipelineOptions options = allPasses();
      options.onPass = [&](const Graph&, const PassReport& report) {
        reports += report.pass == "endless";
      };
      try {
        runPasses(graph, options, {endless});
        FAIL("it was not stopped");
      }
      catch (const Error& error) {
        CHECK(error.code() == ErrorCode::Stopped);
      }
      CHECK(rounds == 1000);
      CHECK(reports == 0);
    }
  }
}
