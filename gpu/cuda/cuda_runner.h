// SPDX-License-Identifier: Apache-2.0
// Runs a step on a card. The launches of all instructions are captured in a graph once, and each
// step launches the graph. Sums over replicas divide a step into parts, each with its own graph.
// Without graphs, each step adds all launches again; results have the same bits.
// Thread: as Runner.
#pragma once

#include <memory>
#include <vector>

#include "gpu/cuda/card_sums.h"
#include "gpu/cuda/cuda_kernel.h"
#include "gpu/cuda/cuda_stream.h"
#include "gpu/cuda/step_inputs.h"
#include "gpu/exec/dead_bytes.h"
#include "gpu/exec/runner.h"

namespace strata::cuda {

/// Describes the work of a node with this kernel, without names and ranges.
StrataWork workOf(const Graph& graph, const Node& node, const CudaKernel& kernel);

/// Returns whether a further kernel must set the results of this node to 0 where the stream has
/// stopped, if updates depend on them. The kernel of all_finite does so itself.
bool needsStop(const Node& node);

class CudaRunner final : public Runner {
 public:
  CudaRunner(CudaStream& stream, const StepLayout& layout, StepAddresses addresses);
  ~CudaRunner() override;
  CudaRunner(const CudaRunner&) = delete;
  CudaRunner& operator=(const CudaRunner&) = delete;

  void submit(SubmittedStep& step) override;
  void wait(SubmittedStep& step) override;
  void bindInput(int storage, const std::byte* address) override;
  // The compute stream runs everything in order
  int numBarriers() const override { return 0; }
  std::vector<std::chrono::nanoseconds> instructionTimes() const override { return m_times; }
  int64_t profiledSteps() const override { return m_profiledSteps; }
  void resetProfile() override;
  StepRecords lastRecords() const override { return m_records; }
  int phaseReadings() const override { return static_cast<int>(m_phaseEvents.size()); }
  void setCanaries(bool on) override;

 private:
  struct Instruction {
    const CudaKernel* kernel = nullptr;
    Operands operands;
    std::vector<StrataRange> ranges;
    std::string op, layer;
    StrataWork work{};
    // Whether a kernel after this one handles stops
    bool needsStop = false;
    // Whether the output is the guard of the step
    bool makesGuard = false;
    // Set if all replicas meet here
    std::unique_ptr<CardSums> sums;
    // The event to record after it, in m_phaseEvents, or -1
    int phaseEvent = -1;
  };
  /// Instructions between two sums over replicas.
  struct Part {
    size_t begin = 0, end = 0;
  };
  using PartGraphs = std::vector<GraphHandle>;
  void makeInstructions();
  void makeParts();
  /// Adds a part of the step to the compute stream. `isTimed` records an event where a phase begins
  /// or ends.
  void encodePart(Encoder& encoder, const Part& part, bool isCaptured, bool isTimed);
  GraphHandle capture(Encoder& encoder, const Part& part, bool isTimed);
  void launchPart(Encoder& encoder, const Part& part, GraphHandle& graph, bool isTimed);
  void launchStep(Encoder& encoder, PartGraphs& graphs, bool isTimed);
  void runProfiled(Encoder& encoder, SubmittedStep& step);
  bool runRecorded(Encoder& encoder, SubmittedStep& step);
  void takeRecords(const StrataRecord* records, size_t count, SubmittedStep& step);
  void readPhases();
  void runWithCanaries(Encoder& encoder);
  std::chrono::nanoseconds elapsed(const EventHandle& begin, const EventHandle& end) const;
  void encode(Encoder& encoder, const Instruction& instruction, bool isCaptured = false);
  void encodeResults(Encoder& encoder, bool isCaptured);
  StrataRange nextEntry() const;
  void annotate(const Instruction& instruction);

  CudaStream& m_stream;
  const StepLayout& m_layout;
  const StepAddresses m_addresses;
  std::vector<Instruction> m_instructions;
  std::vector<Part> m_parts;
  StepInputs m_inputs;
  std::vector<std::chrono::nanoseconds> m_times;
  int64_t m_profiledSteps = 0, m_submitted = 0;
  bool m_hasCanaries = false;
  DeadBytes m_dead;
  // The graphs without and with events, and the one that was captured while the card was recorded
  PartGraphs m_graphs, m_timedGraphs, m_recordedGraphs;
  // The generation of the stream for which the graphs were captured
  int64_t m_generation = -1;
  // An event at the begin of each phase and at the end of the step
  std::vector<EventHandle> m_phaseEvents;
  // For profiled steps: an event before each instruction and at the end
  std::vector<EventHandle> m_events;
  // Recordings in a row whose records did not say to which instructions they belong
  int m_untiedTries = 0;
  // The last profiled step
  StepRecords m_records;
  // The timed step that is not done yet; null if there is none
  SubmittedStep* m_timedStep = nullptr;
  // Phases of the last timed step
  StepPhases m_phases{};
};

}  // namespace strata::cuda
