// SPDX-License-Identifier: Apache-2.0
// Runs a step on a card. The launches of all instructions are captured in a graph once, and each
// step launches the graph. Collectives divide a step into parts, each with its own graph, because a
// graph cannot wait for work of other cards that is outside of it.
// Without graphs, each step adds all launches again; results have the same bits.
// Thread: as Runner.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "gpu/cuda/card_collective.h"
#include "gpu/cuda/cuda_kernel.h"
#include "gpu/cuda/cuda_stream.h"
#include "gpu/cuda/step_inputs.h"
#include "gpu/cuda/step_profile.h"
#include "gpu/exec/dead_bytes.h"
#include "gpu/exec/runner.h"

namespace strata::cuda {

/// Describes the work of a node with this kernel, without names and ranges.
StrataWork workOf(const Graph& graph, const Node& node, const CudaKernel& kernel);

/// Returns whether a further kernel must set the results of this node to 0 where the stream has
/// stopped, if updates depend on them. Kernels that check gradients do so themselves.
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
  std::vector<std::chrono::nanoseconds> instructionTimes() const override {
    return m_profile.times();
  }
  int64_t profiledSteps() const override { return m_profile.numSteps(); }
  void resetProfile() override { m_profile.reset(); }
  StepRecords lastRecords() const override { return m_profile.records(); }
  int phaseReadings() const override { return m_profile.numPhaseEvents(); }
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
    // What the card does here with other replicas, or null, and its node
    CardCollective* collective = nullptr;
    const Node* node = nullptr;
  };
  /// Instructions between two collectives, or a node of one.
  struct Part {
    size_t begin = 0, end = 0;
    bool isCollective = false;
  };
  using PartGraphs = std::vector<GraphHandle>;
  void makeInstructions();
  void makeCollective(Instruction& instruction, const Node& node);
  void makeParts();
  void encodeCollective(const Instruction& instruction);
  void recover();
  void leaveOutStart();
  void noteTimes(bool isTimed, bool isStart);
  /// Adds a part of the step to the compute stream. `isTimed` records an event where a phase begins
  /// or ends.
  void encodePart(Encoder& encoder, const Part& part, bool isCaptured, bool isTimed);
  void launchPart(Encoder& encoder, const Part& part, GraphHandle& graph, bool isTimed);
  void launchStep(Encoder& encoder, PartGraphs& graphs, bool isTimed);
  void runProfiled(Encoder& encoder, SubmittedStep& step);
  bool runRecorded(Encoder& encoder, SubmittedStep& step);
  void runWithCanaries(Encoder& encoder);
  void encode(Encoder& encoder, const Instruction& instruction, bool isCaptured = false);
  void encodeResults(Encoder& encoder, bool isCaptured);
  StrataRange nextEntry() const;
  void annotate(const Instruction& instruction);

  CudaStream& m_stream;
  const StepLayout& m_layout;
  const StepAddresses m_addresses;
  std::vector<Instruction> m_instructions;
  std::vector<Part> m_parts;
  // By number: sums and gathers of all replicas, and values that the card sends and receives
  std::map<int64_t, std::unique_ptr<CardCollective>> m_collectives, m_transfers;
  // Whether another replica has left the last step, so that nothing more of it was added
  bool m_isBroken = false;
  // Whether the times of the collectives in the last step are not read yet
  bool m_hasTimes = false;
  StepInputs m_inputs;
  StepProfile m_profile;
  int64_t m_submitted = 0, m_nextTimed = 0;
  bool m_hasCanaries = false;
  DeadBytes m_dead;
  // The graphs without and with events, and the one that was captured while the card was recorded
  PartGraphs m_graphs, m_timedGraphs, m_recordedGraphs;
  // The generation of the stream for which the graphs were captured
  int64_t m_generation = -1;
  // The timed step that is not done yet; null if there is none
  SubmittedStep* m_timedStep = nullptr;
  // The times of the collectives in the last timed step
  SumTimes m_sumTimes;
};

}  // namespace strata::cuda
