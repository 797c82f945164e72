// SPDX-License-Identifier: Apache-2.0
// Two backends for tests of the planner and the executor. One has kernels that do nothing; the
// other calls a hook before each reference kernel. The threading rules of Backend apply. All
// workers call the hook at the same time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gpu/base/thread_pool.h"
#include "gpu/exec/backend.h"

namespace strata::test {

/// A backend with kernels that do nothing, so that only the time and memory of the executor itself
/// remain.
class NullBackend final : public Backend {
 public:
  explicit NullBackend(int workers, int stages = 1, size_t workspaceBytes = 0, bool solo = false)
      : m_pool(workers), m_stages(stages), m_workspaceBytes(workspaceBytes), m_solo(solo) {}
  std::string name() const override { return "null"; }
  int numWorkers() const override { return m_pool.numWorkers(); }
  ThreadPool& pool() override { return m_pool; }
  DeviceTraits traits() const override { return processorTraits(); }
  std::unique_ptr<Kernel> createKernel(const Graph& graph, NodeId node) override;

 private:
  ThreadPool m_pool;
  int m_stages;
  size_t m_workspaceBytes;
  bool m_solo;
};

/// A backend with kernels that call hook(op, layer, stage, worker) and then the reference kernel.
/// The hook may sleep, throw or request a stop. The kernels request `workspaceBytes` more than they
/// use.
class HookedBackend final : public Backend {
 public:
  using Hook =
      std::function<void(const std::string& op, const std::string& layer, int stage, int worker)>;
  explicit HookedBackend(int workers, Hook hook = {}, size_t workspaceBytes = 0)
      : m_pool(workers), m_hook(std::move(hook)), m_workspaceBytes(workspaceBytes) {}
  std::string name() const override { return "hooked"; }
  int numWorkers() const override { return m_pool.numWorkers(); }
  ThreadPool& pool() override { return m_pool; }
  DeviceTraits traits() const override { return processorTraits(); }
  std::unique_ptr<Kernel> createKernel(const Graph& graph, NodeId node) override;
  void setHook(Hook hook) { m_hook = std::move(hook); }

 private:
  friend class HookedKernel;
  ThreadPool m_pool;
  Hook m_hook;
  size_t m_workspaceBytes;
};

}  // namespace strata::test
