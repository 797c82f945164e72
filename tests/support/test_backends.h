// SPDX-License-Identifier: Apache-2.0
// Backends for tests of planner and executor: one whose kernels do nothing, and one that calls a
// hook before each reference kernel. Thread: as Backend; hooks are called on every worker at once.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "gpu/base/thread_pool.h"
#include "gpu/exec/backend.h"

namespace strata::test {

/// Kernels that do nothing: what remains is the executor's own time and memory.
class NullBackend final : public Backend {
 public:
  explicit NullBackend(int workers, int stages = 1, size_t workspaceBytes = 0, bool solo = false)
      : m_pool(workers), m_stages(stages), m_workspaceBytes(workspaceBytes), m_solo(solo) {}
  std::string name() const override { return "null"; }
  int numWorkers() const override { return m_pool.numWorkers(); }
  ThreadPool& pool() override { return m_pool; }
  std::unique_ptr<Kernel> createKernel(const Graph& graph, NodeId node) override;

 private:
  ThreadPool m_pool;
  int m_stages;
  size_t m_workspaceBytes;
  bool m_solo;
};

/// Reference kernels that first call hook(op, layer, stage, worker), which may sleep, throw or
/// request a stop. workspaceBytes is added to their workspace and not used.
class HookedBackend final : public Backend {
 public:
  using Hook =
      std::function<void(const std::string& op, const std::string& layer, int stage, int worker)>;
  explicit HookedBackend(int workers, Hook hook = {}, size_t workspaceBytes = 0)
      : m_pool(workers), m_hook(std::move(hook)), m_workspaceBytes(workspaceBytes) {}
  std::string name() const override { return "hooked"; }
  int numWorkers() const override { return m_pool.numWorkers(); }
  ThreadPool& pool() override { return m_pool; }
  std::unique_ptr<Kernel> createKernel(const Graph& graph, NodeId node) override;
  void setHook(Hook hook) { m_hook = std::move(hook); }

 private:
  friend class HookedKernel;
  ThreadPool m_pool;
  Hook m_hook;
  size_t m_workspaceBytes;
};

}  // namespace strata::test
