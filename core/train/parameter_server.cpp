// SPDX-License-Identifier: Apache-2.0
#include "core/train/parameter_server.h"

#include <algorithm>
#include <cstring>

#include "core/train/step_scalars.h"
#include "gpu/base/thread_pool.h"

namespace strata {

ParameterServer::ParameterServer(const StepBuilder& steps, Device& device,
                                 const std::vector<std::unique_ptr<Replica>>& workers)
    : m_steps(steps),
      m_workers(workers),
      m_replica(device),
      m_versions(workers.size()),
      m_changes(workers.size(), -1) {}

void ParameterServer::prepare(const StepGraph& worker) {
  m_step = m_steps.serverStep(worker);
  m_sums.clear();
  for (const NamedValue& input : m_step.graph.inputs())
    if (input.name.ends_with(":sum")) m_sums.push_back(input.name);
  m_update = Program::build(std::move(m_step.graph), m_replica.device, m_replica.values,
                            !m_steps.isPassDisabled("in_place"));
  std::vector<std::string> results{kFinite};
  for (const char* measure : {kGradientNorm, kNextLossScale})
    if (findOutput(m_update->graph(), measure).isValid()) results.emplace_back(measure);
  m_update->setResults(std::move(results));
  m_update->setGuard(kFinite);
}

void ParameterServer::reserve() {
  if (!m_update) return;
  m_replica.values.ensureVariables(m_update->graph());
  m_replica.values.transient(m_update->memory().transientBytes);
}

void ParameterServer::bind() {
  if (!m_update) return;
  m_update->bind();
  m_sent.clear();
  // Only as many workers as may compute at once have steps
  for (const std::unique_ptr<Replica>& worker : m_workers)
    if (!worker->train.empty()) m_sent.push_back(worker->values.snapshot(m_sums));
}

void ParameterServer::forget() {
  m_update.reset();
  m_sent.clear();
}

void ParameterServer::refresh(size_t worker) {
  const State& from = m_replica.values;
  if (m_versions[worker] == m_version && m_changes[worker] == from.changes()) return;
  State& to = m_workers[worker]->values;
  for (const std::string& name : to.names())
    if (from.has(name)) to.write(name, from.read(name));
  m_versions[worker] = m_version;
  m_changes[worker] = from.changes();
}

/// Adds a value of some workers, and makes it an input of the update.
void ParameterServer::sum(const std::string& name, std::span<const size_t> workers) {
  const auto sumOf = [&](size_t worker) -> const TensorView& {
    return m_sent[worker].views().at(name);
  };
  const TensorType& type = sumOf(workers.front()).type;
  std::byte* const input = m_update->hostInput(name);
  if (!input && m_staged.type() != type) m_staged = Tensor(type);
  float* const total = reinterpret_cast<float*>(input ? input : m_staged.data());
  const auto at = [&](size_t worker) {
    return reinterpret_cast<const float*>(sumOf(worker).data);
  };
  const auto add = [&](const WorkRange& range) {
    std::copy(at(workers.front()) + range.begin, at(workers.front()) + range.end,
              total + range.begin);
    for (const size_t worker : workers.subspan(1)) {
      const float* const own = at(worker);
      for (int64_t i = range.begin; i < range.end; ++i)
        total[i] = total[i] + own[i];
    }
  };
  const int64_t count = type.shape.numElements();
  if (input) {
    Device& device = m_replica.device;
    return device.pool().run(
        [&](int thread) { add(shareOf(count, thread, device.numWorkers(), 16)); });
  }
  add({0, count});
  m_update->writeInput(name, m_staged);
}

Ticket ParameterServer::apply(std::span<const size_t> workers, const UpdateNumbers& numbers) {
  for (const size_t worker : workers)
    m_sent[worker].refresh();
  for (const std::string& name : m_sums)
    sum(name, workers);
  setStep(*m_update, numbers.step, numbers.learningRate, numbers.seed, 0);
  Ticket ticket = m_update->submit();
  if (ticket.wait() == StepOutcome::Done) ++m_version;
  return ticket;
}

}  // namespace strata
