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
  m_update->setResults({kFinite});
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

Ticket ParameterServer::apply(std::span<const size_t> workers, const UpdateNumbers& numbers) {
  for (const size_t worker : workers)
    m_sent[worker].refresh();
  ThreadPool& pool = m_replica.device.pool();
  const int threads = m_replica.device.numWorkers();
  for (const std::string& name : m_sums) {
    float* const total = reinterpret_cast<float*>(m_update->hostInput(name));
    if (!total) continue;
    const auto sumOf = [&](size_t worker) -> const TensorView& {
      return m_sent[worker].views().at(name);
    };
    const int64_t count = sumOf(workers.front()).type.shape.numElements();
    pool.run([&](int thread) {
      const WorkRange range = shareOf(count, thread, threads, 16);
      const auto at = [&](size_t worker) {
        return reinterpret_cast<const float*>(sumOf(worker).data);
      };
      std::copy(at(workers.front()) + range.begin, at(workers.front()) + range.end,
                total + range.begin);
      for (const size_t worker : workers.subspan(1)) {
        const float* const own = at(worker);
        for (int64_t i = range.begin; i < range.end; ++i)
          total[i] = total[i] + own[i];
      }
    });
  }
  setStep(*m_update, numbers.step, numbers.learningRate, numbers.seed, 0);
  Ticket ticket = m_update->submit();
  if (ticket.wait() == StepOutcome::Done) ++m_version;
  return ticket;
}

}  // namespace strata
