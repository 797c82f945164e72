// SPDX-License-Identifier: Apache-2.0
// Two devices for tests of the planner and the executor. One has kernels that do nothing; the
// other calls a hook before each reference kernel. The threading rules of Device apply. All
// workers call the hook at the same time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gpu/host/host_device.h"

namespace strata::test {

/// A device with kernels that do nothing, so that only the time and memory of the executor itself
/// remain.
class NullDevice final : public HostDevice {
 public:
  explicit NullDevice(int workers, int stages = 1, size_t workspaceBytes = 0, bool solo = false)
      : HostDevice({workers, 0}),
        m_stages(stages),
        m_workspaceBytes(workspaceBytes),
        m_solo(solo) {}
  std::string name() const override { return "null"; }
  DeviceTraits traits() const override { return processorTraits(); }
  std::unique_ptr<HostKernel> createHostKernel(const Graph& graph, NodeId node) override;

 private:
  int m_stages;
  size_t m_workspaceBytes;
  bool m_solo;
};

/// A device with kernels that call hook(op, layer, stage, worker) and then the reference kernel.
/// The hook may sleep, throw or request a stop. The kernels request `workspaceBytes` more than they
/// use.
class HookedDevice final : public HostDevice {
 public:
  using Hook =
      std::function<void(const std::string& op, const std::string& layer, int stage, int worker)>;
  explicit HookedDevice(int workers, Hook hook = {}, size_t workspaceBytes = 0)
      : HostDevice({workers, 0}), m_hook(std::move(hook)), m_workspaceBytes(workspaceBytes) {}
  std::string name() const override { return "hooked"; }
  DeviceTraits traits() const override { return processorTraits(); }
  std::unique_ptr<HostKernel> createHostKernel(const Graph& graph, NodeId node) override;
  void setHook(Hook hook) { m_hook = std::move(hook); }

 private:
  friend class HookedKernel;
  Hook m_hook;
  size_t m_workspaceBytes;
};

}  // namespace strata::test
