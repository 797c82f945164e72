// SPDX-License-Identifier: Apache-2.0
#include "core/train/trial_steps.h"

#include <algorithm>

#include "core/project/text.h"
#include "gpu/base/clock.h"
#include "gpu/base/error.h"

namespace strata {

static constexpr int kMinTrialSteps = 3, kMaxTrialSteps = 50;
// Steps longer than this run only once.
static constexpr double kLongMicroseconds = 1e6;
// Approximate total time of the trial steps. Short steps therefore run more often, because a
// disturbance by other programs has a larger effect on them.
static constexpr double kTrialMicroseconds = 5000;

StepTiming timeSteps(Network& network, const std::stop_token& stop) {
  const int64_t batch = network.steps().batchSize();
  const std::vector<MicroBatch> pieces = network.steps().microBatchesOf(batch);
  network.prepare({batch}, {});
  network.state().initialize(network.steps().training().seed);
  const auto checkStop = [&] {
    if (stop.stop_requested()) throw Error(ErrorCode::Stopped, "plan", "planning was stopped.");
  };
  int64_t step = 0;
  std::vector<Ticket> tickets;
  const auto run = [&] {
    checkStop();
    ++step;
    const auto start = Clock::now();
    tickets.clear();
    const auto place = [&](const MicroBatch& piece) -> Program& {
      Program& program = network.trainProgram(piece);
      setStep(program, step, network.steps().training().learningRateAt(step),
              network.steps().training().seed, piece.offset,
              static_cast<double>(piece.samples) / static_cast<double>(batch));
      return program;
    };
    network.setUpdate(
        {step, network.steps().training().learningRateAt(step), network.steps().training().seed});
    network.submit(pieces, place, stop, tickets);
    // A step with a non-finite loss on zeros takes the same time.
    for (Ticket& ticket : tickets)
      if (ticket.wait() == StepOutcome::Stopped) checkStop();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  // The first run is a warm-up for kernels and memory.
  run();
  StepTiming timing;
  timing.microseconds = run();
  const int trials = timing.microseconds > kLongMicroseconds
                         ? 1
                         : static_cast<int>(std::clamp(kTrialMicroseconds / timing.microseconds,
                                                       1.0 * kMinTrialSteps, 1.0 * kMaxTrialSteps));
  for (int i = 1; i < trials; ++i)
    timing.microseconds = std::min(timing.microseconds, run());
  Program& program = network.trainProgram(batch);
  program.setProfiling(true);
  std::vector<ProfileRow> rows;
  for (int i = 0; i < trials; ++i) {
    program.resetProfile();
    run();
    std::vector<ProfileRow> own = program.profile();
    if (!rows.empty())
      for (size_t row = 0; row < own.size(); ++row)
        own[row].total = std::min(own[row].total, rows[row].total);
    rows = std::move(own);
  }
  timing.layers.step = timing.microseconds;
  double measured = 0;
  for (const ProfileRow& row : rows)
    measured += static_cast<double>(row.total.count());
  for (const ProfileRow& row : rows) {
    const double own =
        measured > 0 ? static_cast<double>(row.total.count()) * timing.microseconds / measured : 0;
    timing.layers.add(row.layer, row.phase, own);
    timing.byNode[row.node.index] += own;
  }
  return timing;
}

}  // namespace strata
