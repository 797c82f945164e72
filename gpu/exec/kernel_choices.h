// SPDX-License-Identifier: Apache-2.0
// Chooses among the variants ("ways") of a kernel by timing them on this machine. Measurements are
// kept per machine and choices are stored with a run (core/cost/kernel_choices_file.h), so that a
// continued run keeps its bits.
// Not here: the variants themselves (Backend::otherWays). Thread: one compiling thread at a time.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "gpu/exec/backend.h"

namespace strata {

/// Which variants may be chosen. SameBits: only variants whose results were compared with the
/// rule's and have the same bits, so that results never depend on measurements. Rule: the backend's
/// default only.
enum class KernelChoice : uint8_t { Rule, SameBits, Fastest };

struct MeasuredVariant {
  // "" for the kernel chosen by the backend's rule
  std::string variant;
  // The shortest of several runs; 0: not timed
  double seconds = 0;
  // The same bits as the rule's result
  bool hasSameBits = true;
};
/// By kernelKey(); the first entry is the rule's kernel.
using KernelMeasurements = std::map<std::string, std::vector<MeasuredVariant>, std::less<>>;
/// By kernelKey(): the kernels that do not follow the rule.
using KernelVariants = std::map<std::string, std::string, std::less<>>;

/// What a kernel depends on, for display and files: "conv2d f32[64,28,28,1],f32[3,3,1,32] ->
/// f32[64,26,26,32] {...}".
std::string kernelKey(const Graph& graph, NodeId node);
/// The best variant; "" if the rule's kernel is the fastest or nearly so.
std::string bestVariant(const std::vector<MeasuredVariant>& variants, KernelChoice how);

/// Chooses the kernels of graphs for one backend, which then creates them (KernelCache, Program).
class KernelChooser {
 public:
  KernelChooser(Backend& backend, KernelChoice how) : m_backend(backend), m_how(how) {}
  /// Adds what earlier runs measured on this machine.
  void know(KernelMeasurements measurements) { m_measured = std::move(measurements); }
  /// Uses only these variants and otherwise the rule, whatever was measured. For continued runs.
  void fix(KernelVariants variants);
  bool isFixed() const { return m_isFixed; }
  /// Allows timing of kernels without measurements, on the backend's pool, for at most `budget` in
  /// total, with operands that are small compared to the memory limit. All others follow the rule.
  void measure(std::chrono::nanoseconds budget, std::stop_token stop = {},
               size_t limitBytes = SIZE_MAX);
  /// Chooses for all nodes of a graph. The report counts the kernels that do not follow the rule,
  /// with one line each.
  void choose(const Graph& graph, PassReport& report);
  const KernelMeasurements& measurements() const { return m_measured; }
  // Whether anything new was measured
  bool hasMeasured() const { return m_hasMeasured; }
  const KernelVariants& variants() const { return m_variants; }

 private:
  const std::vector<MeasuredVariant>* measured(const Graph& graph, NodeId node,
                                               const std::string& key,
                                               const std::vector<OtherVariant>& others);
  bool isEnough(const std::vector<MeasuredVariant>& measured,
                const std::vector<OtherVariant>& others) const;

  Backend& m_backend;
  const KernelChoice m_how;
  KernelMeasurements m_measured;
  KernelVariants m_variants;
  // Keys whose rule an earlier program used; later programs must use it, too
  std::set<std::string, std::less<>> m_ruled;
  bool m_isFixed = false, m_hasMeasured = false;
  std::chrono::nanoseconds m_budget{0};
  size_t m_limitBytes = SIZE_MAX;
  std::stop_token m_stop;
};

}  // namespace strata
