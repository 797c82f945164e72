// SPDX-License-Identifier: Apache-2.0
// The interface of a device: its memory, kernels for the nodes of a graph, the streams that run
// steps, and what it fuses. The implementations are in gpu/reference (plain C++), gpu/cpu,
// gpu/detached and gpu/cuda.
// Thread: only one thread at a time may use a Device, for compiling or running. Kernels and their
// measured times are shared by all devices of the process with the same identity().
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/exec/card_data.h"
#include "gpu/exec/device_address.h"
#include "gpu/exec/kernel.h"
#include "gpu/exec/replica_group.h"
#include "gpu/graph/graph.h"
#include "gpu/passes/pass.h"

namespace strata {

class Stream;
class ThreadPool;

/// How long variants may be timed, and which ones.
struct TimingOptions {
  std::chrono::nanoseconds budget{0};
  // Also time variants that certainly give other bits than the default kernel
  bool includesOtherBits = false;
  std::stop_token stop = {};
};

/// The memory of a device that has its own.
struct DeviceMemoryUse {
  size_t totalBytes = 0, freeBytes = 0;
  // Taken when the device was opened: the driver's context, compiled kernels, libraries
  size_t contextBytes = 0;
  // What other programs had taken then, if it is known
  size_t otherBytes = 0;
  // Taken by streams: places through which inputs and results pass
  size_t transferBytes = 0;
};

/// Maps layer and op to the variant that a user has chosen: {"conv1": {"conv2d": "eng5{k2=3}"}}.
using PinnedVariants =
    std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>>;

class Device {
 public:
  virtual ~Device() = default;
  /// Returns the name that openDevice() accepts, such as "cpu".
  virtual std::string name() const = 0;
  /// Returns everything that kernels and their times depend on besides the node: the device, its
  /// threads, and the versions of drivers and libraries. Devices with the same identity share
  /// kernels and times. "" means that this device shares them with no other one.
  virtual std::string identity() const { return {}; }
  /// Returns what devices must have in common to compute the same bits.
  virtual std::string equivalence() const { return identity(); }

  // Memory:
  /// Allocates memory, aligned to 64 bytes, which release() frees. Its contents are undefined.
  /// Fails: OutOfMemory.
  virtual DeviceAddress allocate(size_t bytes) = 0;
  virtual void release(DeviceAddress address, size_t bytes) = 0;
  /// Gives released memory back to the system.
  virtual void trim() {}
  /// Returns how the memory of the device is used now, or nullopt if it is host memory.
  virtual std::optional<DeviceMemoryUse> memoryUse() const { return std::nullopt; }
  /// Returns what a stream of the device allocates, in addition to the memory plan, for steps with
  /// this many bytes of inputs and results.
  virtual size_t transferBytesFor(size_t /*inputBytes*/, size_t /*resultBytes*/) const { return 0; }
  /// Returns whether the memory of the device is host memory: steps then read inputs and constants
  /// where the host has them.
  virtual bool readsHostMemory() const { return false; }
  /// Returns whether steps can gather rows that the device keeps (kept_rows.h).
  virtual bool keepsRows() const { return false; }
  /// Returns where host code may read and write this memory, or null unless readsHostMemory().
  virtual std::byte* hostMemory(DeviceAddress) const { return nullptr; }
  /// Returns the address at which the device reads host memory. Requires: readsHostMemory().
  virtual DeviceAddress addressOfHost(const std::byte*) const { return {}; }

  // Running steps:
  /// Creates a queue for the steps of one State.
  virtual std::unique_ptr<Stream> makeStream() = 0;
  /// Returns how many steps may be submitted before the first of them is known. 0 means that
  /// submit() returns when the step is done.
  virtual int maxPendingSteps() const { return 0; }
  /// Returns whether the device is computed by software. The times of its steps (StepPhases) are
  /// then predictions, and the clock of this machine says nothing about it.
  virtual bool isSimulated() const { return false; }
  /// Returns the number of host threads that compute, and their pool. A device that does not
  /// compute on the host has one worker and no pool (Fails: Internal).
  virtual int numWorkers() const { return 1; }
  virtual ThreadPool& pool();

  // Kernels:
  /// Returns what the device fuses, for the graph passes.
  virtual DeviceTraits traits() const = 0;
  /// Returns the graph passes that only this device needs.
  virtual std::vector<Pass> passes() const { return {}; }
  /// Creates the default kernel of a node. Fails: UnsupportedOp with op and layer.
  virtual std::unique_ptr<Kernel> createKernel(const Graph& graph, NodeId node) = 0;
  virtual std::vector<OtherVariant> otherVariants(const Graph&, NodeId) const { return {}; }
  /// Returns whether all variants request the workspace of the default kernel, and may give its
  /// bits. If not, only KernelChoice::Fastest chooses among them, and memory plans depend on the
  /// choice.
  virtual bool variantsAreAlike() const { return true; }
  /// Creates a kernel of the given variant, or returns null if the variant does not exist.
  virtual std::unique_ptr<Kernel> createVariant(const Graph&, NodeId,
                                                std::string_view /*variant*/) {
    return nullptr;
  }
  /// Times the default kernel and these variants on made-up operands, and compares their bits. The
  /// first result is the default kernel. Returns nullopt if the budget does not suffice, other
  /// programs disturb the measurement, or the device cannot time kernels.
  virtual std::optional<std::vector<MeasuredVariant>> timeVariants(const Graph&, NodeId,
                                                                   const std::vector<OtherVariant>&,
                                                                   const TimingOptions&) {
    return std::nullopt;
  }

  /// Sets the variants that all programs built later use. The keys are those of kernelKey()
  /// (kernel_choices.h).
  void setVariants(std::map<std::string, std::string, std::less<>> variants) {
    m_variants = std::move(variants);
  }
  const std::map<std::string, std::string, std::less<>>& variants() const { return m_variants; }
  /// Sets the variants that a user has chosen. They precede variants(). `pathOf` returns the layer
  /// in `pinned` that the layer of a node belongs to.
  void setPinned(PinnedVariants pinned, std::string (*pathOf)(const std::string& layer)) {
    m_pinned = std::move(pinned);
    m_pathOf = pathOf;
  }
  const PinnedVariants& pinned() const { return m_pinned; }
  /// Returns the pinned variant of a node, or null.
  const std::string* pinnedVariant(const Node& node) const;
  /// Returns the device, its driver and its libraries with their versions, which its times depend
  /// on. Empty for devices that compute on the host's processor.
  virtual std::vector<std::pair<std::string, std::string>> versions() const { return {}; }

 private:
  PinnedVariants m_pinned;
  std::string (*m_pathOf)(const std::string& layer) = nullptr;
  std::map<std::string, std::string, std::less<>> m_variants;
};

struct DeviceOptions {
  // 0 means all cores
  int threads = 0;
  // Niceness of the worker threads. A positive value gives priority to other threads, such as the
  // window's.
  int niceness = 0;
  // The data of the card that a name "simulated:..." means; the catalogue has it
  // (core/cost/catalogue.h)
  std::shared_ptr<const CardData> card = nullptr;
  // Whether products of f32 may use TF32, on cards that have it. Other devices ignore this.
  bool isTf32 = false;
  // Whether the gradient of attention has the same bits in each run, on cards. Other devices always
  // compute it so.
  bool isAttentionDeterministic = true;
  // The replicas of which this device is one. The group must outlive the device.
  ReplicaPlace replica = {};
};

/// Owns a block of a device's memory. The device must outlive it.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// Fails: OutOfMemory.
  DeviceMemory(Device& device, size_t bytes)
      : m_device(&device),
        m_address(bytes > 0 ? device.allocate(bytes) : DeviceAddress()),
        m_bytes(bytes) {}
  ~DeviceMemory() { reset(); }
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    DeviceMemory taken(std::move(other));
    swap(taken);
    return *this;
  }
  DeviceAddress address() const { return m_address; }
  size_t bytes() const { return m_bytes; }

 private:
  void reset() {
    if (!m_address.isNull()) m_device->release(m_address, m_bytes);
  }
  void swap(DeviceMemory& other) {
    std::swap(m_device, other.m_device);
    std::swap(m_address, other.m_address);
    std::swap(m_bytes, other.m_bytes);
  }
  Device* m_device = nullptr;
  DeviceAddress m_address;
  size_t m_bytes = 0;
};

}  // namespace strata
