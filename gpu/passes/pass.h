// SPDX-License-Identifier: Apache-2.0
// A pass rewrites a graph and reports what it did. Generic passes depend on a device only through
// its traits; a device can add its own passes. A pass works on a copy of the graph. If it fails,
// the graph does not change, and the report says why.
// Thread: any, while no other thread uses the graph.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gpu/base/text.h"
#include "gpu/graph/device_traits.h"
#include "gpu/graph/graph.h"
#include "gpu/memory/estimate.h"
#include "gpu/memory/recompute.h"

namespace strata {

struct PassReport {
  std::string pass;
  int rewrites = 0;
  int nodesBefore = 0, nodesAfter = 0;
  // Estimates before and after the pass; they are equal if it rewrote nothing
  StepEstimate before, after;
  bool isDisabled = false;
  // Why the pass failed, or empty if it did not fail
  std::string failure;
  // One line per rewrite, with the layer
  std::vector<std::string> details;
  /// Returns the report as one line: "fuse_bias_activation: 4 rewrites, 61 -> 53 nodes; live at
  /// most 3.20 -> 2.91 MiB, moved 25.10 -> 20.02 MiB, 1.930 -> 1.801 ms".
  std::string line() const;
};

/// Computes the outputs of one op. The pass fold_constants needs it; evaluateOp() in gpu/reference
/// implements it.
using OpEvaluator = std::function<std::vector<Tensor>(const OpDef& op, const Attributes& attributes,
                                                      const std::vector<Tensor>& operands)>;

/// The precision in which a step computes products, convolutions and attention. Variables are f32
/// in any case. TF32 is an option of the device (DeviceOptions); the graph is that of Float32.
enum class Precision : uint8_t { Float32, Tf32, BFloat16, Float16 };
/// Returns the name in projects, such as "bfloat16".
std::string_view precisionName(Precision precision);
std::optional<Precision> precisionFromName(std::string_view name);

struct PipelineOptions {
  /// What the device fuses. Device::traits() returns it.
  DeviceTraits device = {};
  // The precision for the pass mixed_precision, which does nothing with Float32 and Tf32
  Precision precision = Precision::Float32;
  // The names of the passes to skip
  std::set<std::string, std::less<>> disabled = {};
  /// The names of passes of other devices. `disabled` may contain them, although they do not run.
  std::vector<std::string> otherPasses = {};
  /// The evaluator for the pass fold_constants. If it is empty, the pass does nothing.
  OpEvaluator evaluate = {};
  // Whether to verify the graph after every pass, even if the pass did not change it
  bool verifyAfterEach = false;
  /// Whether updates are placed last even if the pass `order` is disabled. A training step can then
  /// be stopped and discarded until the first update.
  bool placesUpdatesLast = false;
  // The options of the pass recompute. If `how` is None, the pass does nothing.
  RecomputeOptions recompute;
  /// Returns the time of a node for the estimates in reports. If it is empty, the estimates use the
  /// op's cost rule.
  NodeSeconds seconds = {};
  /// The function that the pass choose_kernels runs, usually KernelChooser::choose(). If it is
  /// empty, the pass does nothing.
  std::function<void(const Graph&, PassReport&)> chooseKernels = {};
  /// Called after each pass with the graph and the report. It may throw to end the pipeline.
  std::function<void(const Graph&, const PassReport&)> onPass = {};
};
/// The function of a pass. It takes the graph and the report, and between them the traits of the
/// device or all options if it needs them.
class PassFunction {
 public:
  template <class Run>
  PassFunction(Run run) {
    if constexpr (std::is_invocable_v<Run&, Graph&, PassReport&>)
      m_run = [run](Graph& graph, const PipelineOptions&, PassReport& report) {
        run(graph, report);
      };
    else if constexpr (std::is_invocable_v<Run&, Graph&, const DeviceTraits&, PassReport&>)
      m_run = [run](Graph& graph, const PipelineOptions& options, PassReport& report) {
        run(graph, options.device, report);
      };
    else
      m_run = run;
  }
  void operator()(Graph& graph, const PipelineOptions& options, PassReport& report) const {
    m_run(graph, options, report);
  }

 private:
  std::function<void(Graph&, const PipelineOptions&, PassReport&)> m_run;
};

struct Pass {
  std::string name;
  // A one-line description for the user
  Text help;
  /// Rewrites the graph. A pass that reports no rewrite does not change the graph.
  PassFunction run;
  // Whether the pass never changes the graph. Its rewrites then change the plan or kernels.
  bool onlyReports = false;
};

/// Returns the generic passes in the order in which they run.
const std::vector<Pass>& standardPasses();

/// Checks that `known` contains all names. Fails: InvalidArgument for an unknown name; the message
/// suggests a similar one.
void requirePasses(const std::set<std::string, std::less<>>& names,
                   const std::vector<std::string>& known);
/// Runs standardPasses(), with `devicePasses` right before `fuse_pooling`. Returns the reports of
/// the passes in the order in which they ran. With options.placesUpdatesLast, the pass
/// `updates_last` runs after `recompute` unless that changed the graph. It is reported if it moves
/// nodes.
/// Fails: InvalidArgument if a disabled pass is unknown; Stopped after a stop request
/// (Graph::setStop()), even within a pass.
std::vector<PassReport> runPasses(Graph& graph, const PipelineOptions& options,
                                  const std::vector<Pass>& devicePasses = {});

}  // namespace strata
