// SPDX-License-Identifier: Apache-2.0
#include "core/train/pass_trace.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/check/checked_project.h"
#include "core/cost/calibration_file.h"
#include "core/data/dataset.h"
#include "core/train/step_builder.h"
#include "gpu/base/error.h"
#include "gpu/devices/devices.h"
#include "gpu/graph/op.h"
#include "gpu/memory/recompute.h"

namespace strata {

namespace {

using Nodes = std::vector<TraceNode>;

bool isSame(const Graph& before, const Graph& after, NodeId id) {
  const Node &a = before.node(id), &b = after.node(id);
  return a.op == b.op && a.inputs == b.inputs && a.outputs == b.outputs &&
         a.attributes == b.attributes && a.slices == b.slices && a.payload == b.payload;
}

/// Marks a longest increasing subsequence of distinct positions. Its nodes count as unmoved.
std::vector<char> longestIncreasing(const std::vector<int>& places) {
  // ends[n] is the index of the smallest last position among the subsequences of length n + 1.
  std::vector<int> ends, previous(places.size(), -1);
  for (int i = 0; i < static_cast<int>(places.size()); ++i) {
    const auto at = std::lower_bound(
        ends.begin(), ends.end(), places[static_cast<size_t>(i)],
        [&](int index, int place) { return places[static_cast<size_t>(index)] < place; });
    if (at != ends.begin()) previous[static_cast<size_t>(i)] = *(at - 1);
    if (at == ends.end())
      ends.push_back(i);
    else
      *at = i;
  }
  std::vector<char> isKept(places.size(), 0);
  for (int i = ends.empty() ? -1 : ends.back(); i >= 0; i = previous[static_cast<size_t>(i)])
    isKept[static_cast<size_t>(i)] = 1;
  return isKept;
}

class Recorder {
 public:
  Recorder(PassTrace& trace, const PassTraceOptions& options, int total, NodeSeconds seconds)
      : m_trace(trace), m_options(options), m_total(total), m_seconds(std::move(seconds)) {}

  void onStage(Stage stage, const Graph& graph) {
    checkStop();
    if (stage != Stage::Differentiated) return;
    // If a step is built a second time, it replaces the first one.
    m_trace.stages.clear();
    TraceStage built;
    built.report.nodesBefore = built.report.nodesAfter = static_cast<int>(graph.order().size());
    built.nodes = plain(graph);
    keep(graph, std::move(built));
  }

  void onPass(const Graph& graph, const PassReport& report) {
    // The report of the first pass contains the estimate for the graph before the passes.
    if (m_trace.stages.size() == 1)
      m_trace.stages[0].report.before = m_trace.stages[0].report.after = report.before;
    TraceStage stage;
    stage.report = report;
    stage.help = passHelp(report.pass);
    if (report.rewrites == 0) {
      if (!m_unmarked) m_unmarked = plain(graph);
      stage.nodes = m_unmarked;
      m_trace.stages.push_back(std::move(stage));
      reportProgress();
      return;
    }
    stage.nodes = compared(graph, stage);
    keep(graph, std::move(stage));
  }

 private:
  void checkStop() const {
    if (m_options.stop.stop_requested())
      throw Error(ErrorCode::Stopped, "passes", "recording the passes was stopped.");
  }

  void reportProgress() const {
    checkStop();
    const int done = static_cast<int>(m_trace.stages.size());
    if (m_options.onProgress) m_options.onProgress(done, std::max(done, m_total));
  }

  void keep(const Graph& graph, TraceStage stage) {
    m_before = graph;
    m_unmarked.reset();
    m_trace.stages.push_back(std::move(stage));
    reportProgress();
  }

  int nameIndex(const std::string& name) {
    const auto [at, isNew] = m_nameAt.emplace(name, static_cast<int>(m_trace.names.size()));
    if (isNew) m_trace.names.push_back(name);
    return at->second;
  }

  TraceNode row(const Graph& graph, NodeId id, TraceNode::Change change) {
    const Node& node = graph.node(id);
    TraceNode row;
    row.id = id.index;
    row.op = nameIndex(std::string(node.op->name));
    row.layer = nameIndex(node.layer);
    row.phase = node.phase;
    row.change = change;
    if (!node.outputs.empty()) row.type = graph.type(node.outputs[0]);
    for (const ValueId output : node.outputs)
      row.bytes += graph.type(output).bytes();
    if (node.op->kind != OpKind::Source && node.op->kind != OpKind::View)
      row.seconds = m_seconds ? m_seconds(graph, id) : costSeconds(graph, id);
    return row;
  }

  std::shared_ptr<const Nodes> plain(const Graph& graph) {
    auto nodes = std::make_shared<Nodes>();
    nodes->reserve(graph.order().size());
    for (const NodeId id : graph.order())
      nodes->push_back(row(graph, id, TraceNode::Change::Same));
    return nodes;
  }

  std::shared_ptr<const Nodes> compared(const Graph& graph, TraceStage& stage) {
    using Change = TraceNode::Change;
    const Graph& before = *m_before;
    std::vector<int> placeBefore(static_cast<size_t>(graph.numNodes()), -1);
    for (size_t i = 0; i < before.order().size(); ++i)
      placeBefore[static_cast<size_t>(before.order()[i].index)] = static_cast<int>(i);
    std::vector<int> places;
    for (const NodeId id : graph.order())
      if (const int place = placeBefore[static_cast<size_t>(id.index)]; place >= 0)
        places.push_back(place);
    const std::vector<char> isInPlace = longestIncreasing(places);

    // A removed node follows the last earlier node that still exists.
    std::unordered_map<int, std::vector<NodeId>> removedAfter;
    int anchor = -1;
    for (const NodeId id : before.order()) {
      if (graph.isAlive(id)) {
        anchor = id.index;
      }
      else {
        removedAfter[anchor].push_back(id);
        ++stage.removed;
      }
    }
    auto nodes = std::make_shared<Nodes>();
    nodes->reserve(graph.order().size() + static_cast<size_t>(stage.removed));
    const auto addRemoved = [&](int after) {
      if (const auto found = removedAfter.find(after); found != removedAfter.end())
        for (const NodeId id : found->second)
          nodes->push_back(row(before, id, Change::Removed));
    };
    addRemoved(-1);
    size_t common = 0;
    for (const NodeId id : graph.order()) {
      Change change = Change::Added;
      if (placeBefore[static_cast<size_t>(id.index)] >= 0) {
        const bool stays = isInPlace[common++] != 0;
        if (!isSame(before, graph, id))
          change = Change::Changed;
        else
          change = stays ? Change::Same : Change::Moved;
      }
      stage.added += change == Change::Added;
      stage.changed += change == Change::Changed;
      stage.moved += change == Change::Moved;
      nodes->push_back(row(graph, id, change));
      addRemoved(id.index);
    }
    return nodes;
  }

  PassTrace& m_trace;
  const PassTraceOptions& m_options;
  int m_total;
  NodeSeconds m_seconds;
  std::unordered_map<std::string, int> m_nameAt;
  std::optional<Graph> m_before;
  // The rows of m_before without marked changes
  std::shared_ptr<const Nodes> m_unmarked;
};

}  // namespace

PassTrace tracePasses(const CheckedProject& project, const PassTraceOptions& options) {
  NetworkOptions networkOptions;
  networkOptions.niceness = options.niceness;
  networkOptions.stop = options.stop;
  if (project.data().isKnown)
    networkOptions.maxBatch = std::max<int64_t>(1, project.data().trainCount);
  const StepBuilder steps(project, networkOptions);
  const std::vector<MicroBatch> pieces = steps.microBatchesOf(steps.batchSize());
  const MicroBatch& piece = pieces.back();
  PassTrace trace;
  trace.device = steps.device().name();
  trace.samples = piece.samples;
  trace.batchSize = steps.batchSize();
  trace.pieces = static_cast<int64_t>(pieces.size());
  StepHooks hooks;
  hooks.seconds = nodeSecondsOf(steps.device());
  Recorder recorder(trace, options,
                    static_cast<int>(1 + standardPasses().size() + steps.device().passes().size()),
                    hooks.seconds);
  hooks.onStage = [&](Stage stage, const Graph& graph) {
    recorder.onStage(stage, graph);
  };
  hooks.onPass = [&](const Graph& graph, const PassReport& report) {
    recorder.onPass(graph, report);
  };
  (void)steps.stepGraph(StepMode::Train, piece.samples, piece.step, hooks);
  return trace;
}

}  // namespace strata
