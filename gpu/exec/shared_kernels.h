// SPDX-License-Identifier: Apache-2.0
// The kernels and measured times of a device, which all its users in the process share. A second
// network of the same shapes therefore creates and measures nothing again.
// Thread: any. Kernels are immutable.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/exec/device.h"

namespace strata {

class SharedKernels {
 public:
  /// Returns the object for Device::identity(). If it is "", returns an object that nobody shares.
  static std::shared_ptr<SharedKernels> of(const Device& device);

  /// Returns the kernel of a node in the variant that `device` has for it. Nodes with the same op,
  /// types, attributes and slices get the same kernel, but a kernel that is not stateless is shared
  /// only within a device. Returns null if the device has no kernel.
  /// Fails: as Device::createKernel().
  std::shared_ptr<const Kernel> kernelOf(Device& device, const Graph& graph, NodeId node);
  /// Returns how many kernels were created.
  int64_t numMade() const;

  /// times() and addTimes() find and store the measured times of a kernel by kernelKey().
  std::optional<std::vector<MeasuredVariant>> times(const std::string& key) const;
  void addTimes(const std::string& key, std::vector<MeasuredVariant> variants);

 private:
  struct Made {
    // The types of the inputs, followed by those of the outputs
    std::vector<TensorType> types;
    Attributes attributes;
    int64_t slices = 1;
    std::string variant;
    std::shared_ptr<const Kernel> kernel;
    // The only device that uses the kernel; null if all may use it
    const Device* owner = nullptr;
  };
  void dropUnused();

  mutable std::mutex m_mutex;
  // The key consists of the op and the shapes of its operands and results, so nodes whose types or
  // attributes differ can have the same key.
  std::unordered_map<std::string, std::vector<Made>> m_made;
  size_t m_numKept = 0;
  int64_t m_numMade = 0;
  std::map<std::string, std::vector<MeasuredVariant>, std::less<>> m_times;
};

}  // namespace strata
