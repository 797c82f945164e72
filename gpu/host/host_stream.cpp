// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/host_stream.h"

#include <cstring>

#include "gpu/host/host_runner.h"

namespace strata {

HostStream::HostStream(HostDevice& device) : m_device(device) {
  m_pending.reserve(static_cast<size_t>(device.maxPendingSteps()) + 1);
}

void HostStream::upload(DeviceAddress to, const std::byte* from, size_t bytes) {
  wait();
  if (bytes > 0) std::memcpy(m_device.pointer(to), from, bytes);
}

void HostStream::download(std::byte* to, DeviceAddress from, size_t bytes) {
  wait();
  if (bytes > 0) std::memcpy(to, m_device.pointer(from), bytes);
}

void HostStream::clear(DeviceAddress address, size_t bytes) {
  wait();
  if (bytes > 0) std::memset(m_device.pointer(address), 0, bytes);
}

std::unique_ptr<Runner> HostStream::makeRunner(const StepLayout& layout, StepAddresses addresses) {
  return std::make_unique<HostRunner>(*this, layout, std::move(addresses));
}

void HostStream::wait() {
  while (!m_pending.empty())
    runOldest();
}

void HostStream::submit(HostRunner& runner, SubmittedStep& step) {
  m_pending.emplace_back(&runner, &step);
  while (m_pending.size() > static_cast<size_t>(m_device.maxPendingSteps()))
    runOldest();
}

void HostStream::runOldest() {
  const auto [runner, step] = m_pending.front();
  m_pending.erase(m_pending.begin());
  if (m_failed)
    step->outcome = StepOutcome::Skipped;
  else
    runner->run(*step);
  step->isDone = true;
  if (!m_failed && (step->outcome != StepOutcome::Done || step->failure)) m_failed = step;
}

void HostStream::waitFor(SubmittedStep& step) {
  while (!step.isDone)
    runOldest();
  if (m_failed != &step) return;
  // The steps that were submitted before the failure was known depend on its result
  wait();
  m_failed = nullptr;
}

}  // namespace strata
