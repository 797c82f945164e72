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

constexpr std::string_view kFirstAfterDevice = "fuse_pooling";
// The passes that run again if simplify_arithmetic changed something
constexpr std::string_view kRepeated[] = {"canonicalize", "fold_constants", "merge_common"};

/// Estimates a step, or returns `other` if that fails. A failure is not reported, because estimates
/// are only used in reports.
StepEstimate estimateOr(const StepEstimate& other, const Graph& graph, bool inPlace,
                        const PipelineOptions& options) {
  try {
    return estimateStep(graph, inPlace, options.seconds, options.device.alignment);
  }
  catch (const std::exception&) {
    return other;
  }
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

/// Runs the passes on a graph and collects their reports. A pass works on a copy, which replaces
/// the graph if the pass succeeds.
class Pipeline {
 public:
  Pipeline(Graph& graph, const PipelineOptions& options)
      : m_graph(graph), m_options(options), m_disabled(options.disabled) {
    const std::set<std::string, std::less<>> skipped = debugSettings().skippedPasses;
    m_disabled.insert(skipped.begin(), skipped.end());
    m_verifiesAlways = options.verifyAfterEach || debugSettings().verifies;
    m_inPlace = !isDisabled("in_place");
    m_now = estimateOr({}, graph, m_inPlace, options);
    m_dump.write(graph, "built");
  }

  bool isDisabled(std::string_view pass) const { return m_disabled.contains(pass); }

  /// Runs a pass. Passes with `isQuiet` are reported only if they changed something or failed.
  /// Returns the number of rewrites.
  int run(const Pass& pass, bool isQuiet = false) {
    m_graph.checkStop();
    // If `in_place` is enabled, all estimates include in-place results. Only the report of this
    // pass starts from an estimate without them, to show what it saves.
    if (pass.name == "in_place" && m_inPlace) m_now = estimateOr(m_now, m_graph, false, m_options);
    PassReport report = reportOf(pass);
    const int rewrites = report.rewrites;
    m_dump.write(m_graph, pass.name);
    if (isQuiet && rewrites == 0 && report.failure.empty()) return 0;
    m_reports.push_back(std::move(report));
    if (m_options.onPass) m_options.onPass(m_graph, m_reports.back());
    return rewrites;
  }

  std::vector<PassReport> takeReports() { return std::move(m_reports); }

 private:
  PassReport reportOf(const Pass& pass) {
    PassReport report;
    report.pass = pass.name;
    report.before = report.after = m_now;
    report.isDisabled = isDisabled(pass.name);
    report.nodesBefore = report.nodesAfter = static_cast<int>(m_graph.order().size());
    if (report.isDisabled) return report;
    try {
      // A pass that reports no rewrite leaves the copy as it was, so the next pass can use it
      Graph& subject = pass.onlyReports ? m_graph : m_copy;
      if (!pass.onlyReports) {
        if (!m_isCopyEqual) m_copy = m_graph;
        m_isCopyEqual = false;
      }
      pass.run(subject, m_options, report);
      if ((report.rewrites > 0 && !pass.onlyReports) || m_verifiesAlways) verify(subject);
      if (report.rewrites > 0) report.after = estimateOr(m_now, subject, m_inPlace, m_options);
    }
    catch (const std::exception& error) {
      if (const auto* known = dynamic_cast<const Error*>(&error);
          known && known->code() == ErrorCode::Stopped)
        throw;
      report.failure = error.what();
      report.rewrites = 0;
      report.after = report.before;
      report.details.clear();
      logLine(LogLevel::Warning,
              "pass " + pass.name + " failed and was dropped: " + report.failure);
      return report;
    }
    if (!pass.onlyReports) {
      if (report.rewrites > 0)
        std::swap(m_graph, m_copy);
      else
        m_isCopyEqual = true;
    }
    m_now = report.after;
    report.nodesAfter = static_cast<int>(m_graph.order().size());
    return report;
  }

  Graph& m_graph;
  const PipelineOptions& m_options;
  std::set<std::string, std::less<>> m_disabled;
  bool m_verifiesAlways = false, m_inPlace = true;
  StepEstimate m_now;
  Graph m_copy;
  bool m_isCopyEqual = false;
  std::vector<PassReport> m_reports;
  GraphDump m_dump;
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

std::string_view precisionName(Precision precision) {
  switch (precision) {
    case Precision::Tf32: return "tf32";
    case Precision::BFloat16: return "bfloat16";
    case Precision::Float16: return "float16";
    case Precision::Float32: break;
  }
  return "float32";
}

std::optional<Precision> precisionFromName(std::string_view name) {
  for (const Precision each :
       {Precision::Float32, Precision::Tf32, Precision::BFloat16, Precision::Float16})
    if (precisionName(each) == name) return each;
  return std::nullopt;
}

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
       [](Graph& graph, const PipelineOptions& options, PassReport& report) {
         foldConstants(graph, report, options.evaluate);
       }},
      {"simplify_arithmetic",
       STRATA_TEXT("pass",
                   "Removes additions of 0 and multiplications by 1; merges consecutive scalings"),
       simplifyArithmetic},
      // The passes that fuse run afterwards, so that they see the types of the step
      {"mixed_precision",
       STRATA_TEXT("pass",
                   "Computes products and activations with 16-bit numbers, if the precision is "
                   "bfloat16 or float16"),
       [](Graph& graph, const PipelineOptions& options, PassReport& report) {
         mixedPrecision(graph, options.precision, options.device, report);
       }},
      {"store_filters",
       STRATA_TEXT("pass", "Stores the weights of convolutions as libraries of cards read them"),
       storeFilters},
      {"widen_gradients",
       STRATA_TEXT("pass", "Writes gradients of weights as float32 instead of converting them"),
       widenGradients},
      {"keep_low_weights",
       STRATA_TEXT("pass", "Keeps the 16-bit versions of weights between steps"), keepLowWeights},
      {"fuse_bias_activation",
       STRATA_TEXT("pass",
                   "Adds biases and applies activations inside matrix products and convolutions"),
       fuseBiasActivation},
      {"fuse_into_products",
       STRATA_TEXT("pass",
                   "Sums gradients of biases and adds residual connections inside matrix products"),
       fuseIntoProducts},
      {"join_projections",
       STRATA_TEXT("pass",
                   "Computes query, key and value of self-attention in one product, on GPUs"),
       joinProjections},
      {"fuse_lookups",
       STRATA_TEXT("pass", "Sums squares of the gradients of embeddings directly, on GPUs"),
       fuseLookups},
      {"fuse_siblings",
       STRATA_TEXT(
           "pass",
           "Merges small matrix products of the same input and runs large groups in parallel"),
       fuseSiblings},
      {"fuse_batch_norm",
       STRATA_TEXT("pass", "Adds residual connections and applies ReLU inside batch normalization"),
       fuseBatchNorm},
      {"fuse_norm_gradients",
       STRATA_TEXT("pass",
                   "Adds the gradient of a residual connection inside the gradient of layer "
                   "normalization, on GPUs"),
       fuseNormGradients},
      {"fuse_loss",
       STRATA_TEXT("pass",
                   "Computes a classifier's loss, accuracy and gradient of the logits in one "
                   "kernel, on GPUs"),
       fuseLoss},
      {"fuse_update", STRATA_TEXT("pass", "Updates dense weights while their gradient is computed"),
       fuseUpdate},
      // This pass runs after the passes of the device, which search for similar patterns
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
       [](Graph& graph, const PipelineOptions& options, PassReport& report) {
         recompute(graph, report, options.recompute);
       }},
      {"start_sums",
       STRATA_TEXT("pass",
                   "Begins sums over processes as soon as their gradients are there, while the "
                   "backward pass goes on"),
       startSums},
      {"join_updates", STRATA_TEXT("pass", "Updates many variables by one op"), joinUpdates},
      // This pass runs after all passes that look for checks and norms of gradients
      {"join_gradient_norm",
       STRATA_TEXT("pass", "Computes the norm of the gradients while they are checked, on GPUs"),
       joinGradientNorm},
      {"in_place", STRATA_TEXT("pass", "Writes results over operands that are no longer needed"),
       reportInPlace, true},
      {"choose_kernels",
       STRATA_TEXT("pass",
                   "Chooses the fastest of several kernels for an op, as timed on this machine"),
       [](Graph& graph, const PipelineOptions& options, PassReport& report) {
         if (options.chooseKernels) options.chooseKernels(graph, report);
       },
       true},
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
                "unknown pass (expected one of: " + expected + ")." +
                    (!nearest.empty() ? " Did you mean \"" + nearest + "\"?" : std::string()));
  }
}

std::vector<PassReport> runPasses(Graph& graph, const PipelineOptions& options,
                                  const std::vector<Pass>& devicePasses) {
  std::vector<std::string> known = options.otherPasses;
  for (const Pass& pass : standardPasses())
    known.push_back(pass.name);
  for (const Pass& pass : devicePasses)
    known.push_back(pass.name);
  requirePasses(options.disabled, known);

  // Users cannot disable this pass
  const Pass placesUpdatesLast{"updates_last", {}, updatesLast};
  Pipeline pipeline(graph, options);
  for (const Pass& pass : standardPasses()) {
    if (pass.name == kFirstAfterDevice)
      for (const Pass& own : devicePasses)
        pipeline.run(own);
    const int rewrites = pipeline.run(pass);
    if (pass.name == "simplify_arithmetic" && rewrites > 0)
      // Simplified expressions can be constant or equal, so these passes run once more
      for (const Pass& again : standardPasses())
        if (std::ranges::find(kRepeated, again.name) != std::end(kRepeated) &&
            !pipeline.isDisabled(again.name))
          pipeline.run(again, true);
    // `recompute` may run updates early to save memory
    if (pass.name == "recompute" && rewrites == 0 && options.placesUpdatesLast)
      pipeline.run(placesUpdatesLast, true);
  }
  return pipeline.takeReports();
}

}  // namespace strata
