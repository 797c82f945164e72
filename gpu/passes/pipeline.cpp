// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <exception>
#include <filesystem>
#include <fstream>

#include "gpu/base/debug.h"
#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/base/nearest_name.h"
#include "gpu/graph/text.h"
#include "gpu/graph/verify.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

constexpr std::string_view kFirstAfterBackend = "fuse_pooling";

/// Estimates a step, or returns `other` if that fails. A failure is not reported, because estimates
/// are only used in reports.
StepEstimate estimateOr(const StepEstimate& other, const Graph& graph, bool inPlace,
                        const NodeSeconds& seconds) {
  try {
    return estimateStep(graph, inPlace, seconds);
  }
  catch (const std::exception&) {
    return other;
  }
}

/// The original graph and the passes that rewrote it. After a failure, they restore the graph.
/// Copying the graph after each pass would take longer than the passes themselves.
struct History {
  const Graph first;
  std::vector<Pass> passes;
  /// Runs the passes again on the original graph and returns the result.
  Graph replay() const {
    Graph graph = first;
    for (const Pass& pass : passes) {
      PassReport ignored;
      pass.run(graph, ignored);
    }
    return graph;
  }
};

/// Runs one pass. If it throws or leaves a broken graph, the graph is restored. `now` is the
/// estimate of the graph; the function updates it.
PassReport runOne(Graph& graph, History& history, const Pass& pass, bool isDisabled,
                  bool verifiesAlways, bool inPlace, const NodeSeconds& seconds,
                  StepEstimate& now) {
  PassReport report;
  report.pass = pass.name;
  report.before = report.after = now;
  report.isDisabled = isDisabled;
  report.nodesBefore = report.nodesAfter = static_cast<int>(graph.order().size());
  if (isDisabled) return report;
  try {
    pass.run(graph, report);
    if (report.rewrites > 0 || verifiesAlways) verify(graph);
    if (report.rewrites > 0) report.after = estimateOr(now, graph, inPlace, seconds);
  }
  catch (const std::exception& error) {
    if (const auto* known = dynamic_cast<const Error*>(&error);
        known && known->code() == ErrorCode::Stopped)
      throw;
    graph = history.replay();
    report.failure = error.what();
    report.rewrites = 0;
    report.after = report.before;
    report.details.clear();
    logLine(LogLevel::Warning, "pass " + pass.name + " failed and was dropped: " + report.failure);
    return report;
  }
  if (report.rewrites > 0) history.passes.push_back(pass);
  now = report.after;
  report.nodesAfter = static_cast<int>(graph.order().size());
  return report;
}

/// Writes the graph after each pass to a file, if STRATA_DUMP_GRAPH is set:
/// <folder>/graph-<number>/<step>-<pass>.txt. The number identifies a graph that this process
/// compiles.
class GraphDump {
 public:
  void write(const Graph& graph, const std::string& pass) {
    const std::string& root = debugSettings().dumpFolder;
    if (root.empty()) return;
    static std::atomic<int> number{0};
    if (m_folder.empty()) m_folder = root + "/graph-" + std::to_string(++number);
    std::error_code failed;
    std::filesystem::create_directories(m_folder, failed);
    const std::string path = m_folder + "/" + std::to_string(m_step++) + "-" + pass + ".txt";
    std::ofstream file(path, std::ios::binary);
    file << printGraph(graph);
    if (!file.flush()) logLine(LogLevel::Warning, "cannot write the graph to " + path + ".");
  }

 private:
  std::string m_folder;
  int m_step = 0;
};

std::string change(double before, double after, int digits, std::string_view unit) {
  std::array<char, 64> text{};
  const auto write = [&](double value) {
    return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value,
                                                  std::chars_format::fixed, digits)
                                        .ptr);
  };
  return write(before) + " -> " + write(after) + " " + std::string(unit);
}

}  // namespace

std::string PassReport::line() const {
  if (isDisabled) return pass + ": off";
  if (!failure.empty()) return pass + ": dropped, " + failure;
  const std::string counts =
      pass + ": " + std::to_string(rewrites) + (rewrites == 1 ? " rewrite, " : " rewrites, ") +
      std::to_string(nodesBefore) + " -> " + std::to_string(nodesAfter) + " nodes";
  if (rewrites == 0) return counts;
  constexpr double kMebibyte = 1 << 20;
  return counts + "; live at most " +
         change(static_cast<double>(before.peakBytes) / kMebibyte,
                static_cast<double>(after.peakBytes) / kMebibyte, 2, "MiB") +
         ", moved " +
         change(before.movedBytes / kMebibyte, after.movedBytes / kMebibyte, 2, "MiB") + ", " +
         change(before.seconds * 1e3, after.seconds * 1e3, 3, "ms");
}

const std::vector<Pass>& standardPasses() {
  static const std::vector<Pass> passes{
      {"remove_dead", STRATA_TEXT("pass", "Removes ops whose results are not used"), removeDead},
      {"merge_common", STRATA_TEXT("pass", "Computes repeated expressions only once"), mergeCommon},
      // This pass runs before the passes that could rewrite the gradients that it searches for
      {"fuse_softmax_cross_entropy",
       STRATA_TEXT(
           "pass",
           "Fuses softmax or sigmoid with its cross-entropy into one numerically stable op"),
       fuseSoftmaxCrossEntropy},
      {"canonicalize",
       STRATA_TEXT(
           "pass",
           "Rewrites equivalent expressions to one form and removes pairs of ops that cancel out"),
       canonicalize},
      {"fold_constants", STRATA_TEXT("pass", "Computes constant expressions once, before training"),
       [](Graph& graph, PassReport& report) {
         foldConstants(graph, report, {});
       }},
      {"simplify_arithmetic",
       STRATA_TEXT("pass",
                   "Removes additions of 0 and multiplications by 1; merges consecutive scalings"),
       simplifyArithmetic},
      {"fuse_bias_activation",
       STRATA_TEXT("pass",
                   "Adds biases and applies activations inside matrix products and convolutions"),
       fuseBiasActivation},
      {"fuse_siblings",
       STRATA_TEXT(
           "pass",
           "Merges small matrix products of the same input and runs large groups in parallel"),
       fuseSiblings},
      {"fuse_batch_norm",
       STRATA_TEXT("pass", "Adds residual connections and applies ReLU inside batch normalization"),
       fuseBatchNorm},
      {"fuse_update", STRATA_TEXT("pass", "Updates dense weights while their gradient is computed"),
       fuseUpdate},
      // This pass runs after the passes of the backend, which search for similar patterns
      {"fuse_pooling", STRATA_TEXT("pass", "Applies activations inside max pooling"), fusePooling},
      {"fuse_pointwise", STRATA_TEXT("pass", "Runs chains of element-wise ops as one op"),
       fusePointwise},
      {"order",
       STRATA_TEXT("pass",
                   "Places weight updates last and computes values just before they are used"),
       orderNodes},
      // No later pass may merge equal nodes, because that would undo this pass
      {"recompute",
       STRATA_TEXT("pass",
                   "Recomputes values in the backward pass instead of keeping them, to meet a "
                   "memory limit"),
       [](Graph& graph, PassReport& report) {
         recompute(graph, report, {});
       }},
      {"in_place", STRATA_TEXT("pass", "Writes results over operands that are no longer needed"),
       reportInPlace},
      // This pass does not change the graph. runPasses() replaces its function by
      // options.chooseKernels.
      {"choose_kernels",
       STRATA_TEXT("pass",
                   "Chooses the fastest of several kernels for an op, as timed on this machine"),
       [](Graph&, PassReport&) {
       }},
  };
  return passes;
}

void requirePasses(const std::set<std::string, std::less<>>& names,
                   const std::vector<std::string>& known) {
  std::string expected;
  for (const std::string& name : known)
    expected += (expected.empty() ? "" : ", ") + name;
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string nearest = nearestName(name, known);
    throw Error(ErrorCode::InvalidArgument, name.substr(0, 100),
                "unknown pass (expected one of: " + expected + "). " +
                    (!nearest.empty() ? "Did you mean \"" + nearest + "\"?" : "Correct the name."));
  }
}

std::vector<PassReport> runPasses(Graph& graph, const PipelineOptions& options,
                                  const std::vector<Pass>& backendPasses) {
  std::vector<std::string> known = options.otherPasses;
  for (const Pass& pass : standardPasses())
    known.push_back(pass.name);
  for (const Pass& pass : backendPasses)
    known.push_back(pass.name);
  requirePasses(options.disabled, known);
  std::set<std::string, std::less<>> disabled = options.disabled;
  const std::set<std::string, std::less<>> skipped = debugSettings().skippedPasses;
  disabled.insert(skipped.begin(), skipped.end());
  const bool verifiesAlways = options.verifyAfterEach || debugSettings().verifies;

  std::vector<PassReport> reports;
  const bool inPlace = !disabled.contains("in_place");
  StepEstimate now = estimateOr({}, graph, inPlace, options.seconds);
  History history{graph, {}};
  GraphDump dump;
  const auto runNamed = [&](const Pass& pass) {
    graph.checkStop();
    // If `in_place` is enabled, all estimates include in-place results. Only the report of this
    // pass starts from an estimate without them, to show what it saves.
    if (pass.name == "in_place" && inPlace) now = estimateOr(now, graph, false, options.seconds);
    reports.push_back(runOne(graph, history, pass, disabled.contains(pass.name), verifiesAlways,
                             inPlace, options.seconds, now));
    dump.write(graph, reports.back().pass);
    return reports.back().rewrites;
  };
  // Returns a copy of a pass that uses the options of the pipeline
  const auto configuredFor = [&](const Pass& pass) {
    Pass configured = pass;
    if (pass.name == "fold_constants")
      configured.run = [&](Graph& changed, PassReport& report) {
        foldConstants(changed, report, options.evaluate);
      };
    if (pass.name == "recompute")
      configured.run = [&](Graph& changed, PassReport& report) {
        recompute(changed, report, options.recompute);
      };
    if (pass.name == "choose_kernels" && options.chooseKernels)
      configured.run = [&](Graph& same, PassReport& report) {
        options.chooseKernels(same, report);
      };
    return configured;
  };
  const auto reportPass = [&] {
    if (options.onPass) options.onPass(graph, reports.back());
  };
  dump.write(graph, "built");
  for (const Pass& pass : standardPasses()) {
    if (pass.name == kFirstAfterBackend)
      for (const Pass& own : backendPasses) {
        runNamed(own);
        reportPass();
      }
    const int rewrites = runNamed(configuredFor(pass));
    reportPass();
    if (pass.name != "simplify_arithmetic" || rewrites == 0) continue;
    // Simplified expressions can be constant or equal, so these passes run once more. They are
    // reported only if they changed something or failed.
    for (const Pass& again : standardPasses()) {
      const bool mayRunAgain = again.name == "canonicalize" || again.name == "fold_constants" ||
                               again.name == "merge_common";
      if (!mayRunAgain || disabled.contains(again.name)) continue;
      if (runNamed(configuredFor(again)) == 0 && reports.back().failure.empty())
        reports.pop_back();
      else
        reportPass();
    }
  }
  return reports;
}

}  // namespace strata
