// SPDX-License-Identifier: Apache-2.0
// Evaluations of a network: their batches, and the devices that compute them.
#include <algorithm>
#include <numeric>
#include <ranges>

#include <nlohmann/json.hpp>

#include "core/data/decode_ahead.h"
#include "core/interchange/weight_names.h"
#include "core/train/network.h"

namespace strata {

bool Network::isSummedOverMicroBatches() const {
  const auto isSum = [](const OutputOptions& output) {
    return output.loss.fields->at("reduction").get_ref<const std::string&>() == "sum";
  };
  return m_steps.isDivided() &&
         std::any_of(m_steps.training().outputs.begin(), m_steps.training().outputs.end(), isSum);
}

std::vector<MicroBatch> Network::evaluationMicroBatches(int64_t left) const {
  if (isSummedOverMicroBatches())
    return m_steps.evaluatedPiecesOf(std::min(m_steps.batchSize(), left));
  return {{0, std::min(m_evaluateBatch, left), MicroStep::Whole}};
}

std::vector<int64_t> Network::evaluateBatchesOf(int64_t count) const {
  std::vector<int64_t> result;
  for (int64_t done = 0; done < count;) {
    const std::vector<MicroBatch> pieces = evaluationMicroBatches(count - done);
    for (const MicroBatch& piece : pieces) {
      if (std::find(result.begin(), result.end(), piece.samples) == result.end())
        result.push_back(piece.samples);
      done += piece.samples;
    }
    // All batches except the last one have the same size.
    const int64_t batch = pieces.back().offset + pieces.back().samples;
    done += (count - done) / batch * batch;
  }
  return result;
}

void Network::buildEvaluations(const Dataset* dataset) {
  const auto buildAll = [&] {
    for (const int64_t count : m_evaluateCounts)
      for (const int64_t samples : evaluateBatchesOf(count))
        for (Replica* const replica : evaluators())
          if (!replica->evaluate.contains(samples))
            replica->evaluate.emplace(
                samples, build(*replica, StepMode::Evaluate, samples, dataset,
                               isSummedOverMicroBatches() ? MicroStep::Middle : MicroStep::Whole));
  };
  buildAll();
  // A batch that passes recurrent state on to the next one cannot be divided.
  const bool isCarried = std::ranges::any_of(
      state().variables(), [](const auto& each) { return isCarriedState(each.name); });
  if (first().train.empty() || isSummedOverMicroBatches() || isCarried) return;
  // Some layers need more memory in evaluation (RandomCrop resizes whole images). Evaluations must
  // not exceed the planned memory of the training step, so their batches are halved until they fit.
  const auto takesMore = [&](const Replica* replica) {
    const auto bytes = [](const auto& entry) {
      return entry.second->memory().transientBytes;
    };
    const Replica& trained = m_server ? first() : *replica;
    return !replica->evaluate.empty() &&
           std::ranges::max(replica->evaluate | std::views::transform(bytes)) >
               std::ranges::max(trained.train | std::views::transform(bytes));
  };
  while (m_evaluateBatch > 1 && std::ranges::any_of(evaluators(), takesMore)) {
    m_evaluateBatch = (m_evaluateBatch + 1) / 2;
    for (Replica* const replica : evaluators())
      std::erase_if(replica->evaluate,
                    [&](const auto& entry) { return entry.first > m_evaluateBatch; });
    buildAll();
  }
}

std::vector<Replica*> Network::evaluators() {
  if (!m_steps.placement()) return {&evaluator()};
  std::vector<Replica*> all;
  for (const std::unique_ptr<Replica>& replica : m_replicas)
    all.push_back(replica.get());
  return all;
}

bool Network::evaluate(const Samples& samples, const InputTransforms& transforms, int64_t begin,
                       int64_t count, const std::stop_token& stop, BatchSums& sums,
                       const std::function<void(const Program&, int64_t, int64_t)>& onBatch) {
  const NetworkState::FreshCarriedStates fresh(state());
  std::optional<DecodeAhead> decoder;
  if (samples.decode) decoder.emplace(samples);
  // While a device runs a batch, the host gathers the next one
  const bool isAhead = m_steps.device().maxPendingSteps() > 0;
  struct Pending {
    Ticket ticket;
    const Program* program = nullptr;
    int64_t first = 0, samples = 0;
  };
  std::optional<Pending> pending;
  const auto finish = [&] {
    if (!pending) return true;
    if (pending->ticket.wait() == StepOutcome::Stopped) return false;
    m_sums.add(pending->ticket, pending->samples, sums);
    if (onBatch) onBatch(*pending->program, pending->first, pending->samples);
    pending.reset();
    return true;
  };
  for (int64_t done = 0; done < count;) {
    const std::vector<MicroBatch> pieces = evaluationMicroBatches(count - done);
    const int64_t batch = pieces.back().offset + pieces.back().samples, first = begin + done,
                  next = done + batch;
    const Samples& ready =
        decoder ? decoder->take(samplesFrom(first, batch),
                                samplesFrom(begin + next, std::min(batch, count - next)))
                : samples;
    for (const auto& [offset, size, step, rank] : pieces) {
      Program& program = evaluateProgram(size);
      m_indices.resize(static_cast<size_t>(size));
      std::iota(m_indices.begin(), m_indices.end(),
                static_cast<int32_t>((decoder ? 0 : first) + offset));
      for (Replica* const replica : evaluators()) {
        Program& part = *replica->evaluate.at(size);
        replica->arrays.gather(part, ready, transforms, m_indices.data(), size);
        setShare(part, static_cast<double>(size) / static_cast<double>(batch));
      }
      // onBatch reads the outputs of the last batch, which the next one replaces
      if (onBatch && !finish()) return false;
      Ticket ticket = submitEvaluation(size, stop);
      if (!finish()) return false;
      pending.emplace(std::move(ticket), &program, begin + done, size);
      if (!isAhead && !finish()) return false;
      done += size;
    }
  }
  return finish();
}

Ticket Network::submitEvaluation(int64_t samples, const std::stop_token& stop) {
  if (!m_steps.placement()) return evaluateProgram(samples).submit(stop);
  m_round.clear();
  for (const std::unique_ptr<Replica>& replica : m_replicas)
    m_round.push_back(replica->evaluate.at(samples).get());
  // Only the collectives of training are reported
  m_steps.group()->setLogging(false);
  std::vector<Ticket> parts = m_threads->submit(m_round, stop);
  m_steps.group()->setLogging(true);
  return std::move(parts.front());
}

}  // namespace strata
