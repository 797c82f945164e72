// SPDX-License-Identifier: Apache-2.0
// The queue of steps of one State on a device that computes on the host. If the device allows
// pending steps, they run only when too many are pending or somebody waits for them, always in the
// order of submission and on the caller's thread with the pool.
// Thread: as Stream.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "gpu/exec/runner.h"
#include "gpu/host/host_device.h"

namespace strata {

class HostRunner;

class HostStream final : public Stream {
 public:
  explicit HostStream(HostDevice& device);
  void upload(DeviceAddress to, const std::byte* from, size_t bytes) override;
  void download(std::byte* to, DeviceAddress from, size_t bytes) override;
  void clear(DeviceAddress address, size_t bytes) override;
  std::unique_ptr<Runner> makeRunner(const StepLayout& layout, StepAddresses addresses) override;
  void wait() override;

  HostDevice& device() { return m_device; }
  /// Adds a step of `runner`, and runs the oldest step if too many are pending.
  void submit(HostRunner& runner, SubmittedStep& step);
  /// Runs pending steps until `step` is done. Later steps run again, if the step has failed.
  void waitFor(SubmittedStep& step);

 private:
  void runOldest();
  HostDevice& m_device;
  // Pending steps, oldest first
  std::vector<std::pair<HostRunner*, SubmittedStep*>> m_pending;
  // The step that did not end with Done; null after somebody waited for it
  const SubmittedStep* m_failed = nullptr;
};

}  // namespace strata
