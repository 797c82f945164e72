// SPDX-License-Identifier: Apache-2.0
// Chooses among the variants of a kernel by timing them on this machine. Measurements are stored
// per machine. Choices are stored with a run, so that a continued run gives the same bits
// (core/cost/kernel_choices_file.h).
// Not here: the variants themselves (Device::otherVariants()). Thread: only one thread at a time.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "gpu/exec/device.h"
#include "gpu/exec/shared_kernels.h"

namespace strata {

/// The variants that may be chosen.
enum class KernelChoice : uint8_t {
  // Only the default kernel, which the device chooses by its rules
  Rule,
  // Variants that gave the same bits as the default kernel, so that results do not depend on timing
  SameBits,
  // All variants
  Fastest
};

/// Maps the kernelKey() of a kernel to the measurements of its variants. The first one is the
/// default kernel.
using KernelMeasurements = std::map<std::string, std::vector<MeasuredVariant>, std::less<>>;
/// Maps kernelKey() to the name of the chosen variant. Nodes with the default kernel have no entry.
using KernelVariants = std::map<std::string, std::string, std::less<>>;

/// Returns op, types and attributes of a node as text, for reports and files: "conv2d
/// f32[64,28,28,1],f32[3,3,1,32] -> f32[64,26,26,32] {...}".
std::string kernelKey(const Graph& graph, NodeId node);
/// Returns the fastest variant that `how` allows, or "" for the default kernel if no variant takes
/// at least 10% less time.
std::string bestVariant(const std::vector<MeasuredVariant>& variants, KernelChoice how);

/// Chooses the kernels of graphs for one device. SharedKernels then creates them.
class KernelChooser {
 public:
  KernelChooser(Device& device, KernelChoice how)
      : m_device(device), m_how(how), m_shared(SharedKernels::of(device)) {}
  /// Replaces all measurements by those of earlier runs on this machine.
  void know(KernelMeasurements measurements) { m_measured = std::move(measurements); }
  /// Uses these variants, and default kernels for all other nodes, without measuring. A continued
  /// run calls it with the choices of the first run.
  void fix(KernelVariants variants);
  bool isFixed() const { return m_isFixed; }
  /// Allows choose() to time kernels that have no measurements, for at most `budget` in total.
  /// choose() then uses the device's pool, and skips nodes whose operands are large compared to
  /// `limitBytes` or the available memory. Nodes that are skipped use the default kernel.
  void measure(std::chrono::nanoseconds budget, std::stop_token stop = {},
               size_t limitBytes = SIZE_MAX);
  /// Chooses the kernels of all nodes of a graph and calls Device::setVariants(). The report
  /// counts the nodes with a kernel other than the default, and has one line for each such kernel.
  void choose(const Graph& graph, PassReport& report);
  const KernelMeasurements& measurements() const { return m_measured; }
  /// Returns whether choose() has added measurements.
  bool hasMeasured() const { return m_hasMeasured; }
  const KernelVariants& variants() const { return m_variants; }

 private:
  const std::vector<MeasuredVariant>* measured(const Graph& graph, NodeId node,
                                               const std::string& key,
                                               const std::vector<OtherVariant>& others);
  bool isTimed(const std::string& key);
  bool isEnough(const std::vector<MeasuredVariant>& measured,
                const std::vector<OtherVariant>& others) const;

  Device& m_device;
  const KernelChoice m_how;
  // Times that other users of the device have measured
  std::shared_ptr<SharedKernels> m_shared;
  KernelMeasurements m_measured;
  KernelVariants m_variants;
  // Keys for which an earlier program used the default kernel; later programs must use it, too
  std::set<std::string, std::less<>> m_defaultKeys;
  bool m_isFixed = false, m_hasMeasured = false;
  std::chrono::nanoseconds m_budget{0};
  size_t m_limitBytes = SIZE_MAX;
  std::stop_token m_stop;
};

}  // namespace strata
