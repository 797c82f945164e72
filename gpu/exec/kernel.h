// SPDX-License-Identifier: Apache-2.0
// What every device says about its kernels. How a kernel runs is a matter of the device
// (gpu/host/host_kernel.h for devices that compute on the host).
// Thread: any, because kernels are immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/base/text.h"

namespace strata {

/// A variant of a kernel that needs less workspace and gives the same bits.
struct SmallerWorkspace {
  // The value of Node::slices that selects this variant
  int64_t slices = 1;
  size_t bytes = 0;
  // Estimated time relative to the kernel with one slice
  double slowdown = 1;
};

/// The kind of a kernel, if a device has several kinds for an op. %1 and so on stand for the
/// arguments.
struct KernelPath {
  // Such as "cuDNN fused in %1 parts"; empty if there is only one kind
  Text name;
  std::vector<std::string> nameArguments = {};
  // Why no other kind is possible, such as "the layer has a mask"; may be empty
  Text reason = {};
  std::vector<std::string> reasonArguments = {};
  // False if the bits of results change from run to run
  bool isDeterministic = true;
};

/// Computes one node. It depends only on the node's op, types, attributes and slices, so equal
/// nodes share it.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual size_t workspaceBytes() const { return 0; }
  /// Returns the variants with less workspace than workspaceBytes(), ordered by decreasing
  /// workspace.
  virtual std::vector<SmallerWorkspace> smallerWorkspaces() const { return {}; }
  /// Returns the name of this kernel for reports, such as "gemm by columns". The cost model uses it
  /// to group kernels into families.
  virtual std::string implementation() const = 0;
  virtual KernelPath path() const { return {}; }
  /// Returns the name of its algorithm in a library, such as "eng5{k2=3}"; "" if there is no choice
  /// of one.
  virtual std::string algorithm() const { return {}; }
  /// Returns whether it keeps no state during a call, so that networks which run at the same time
  /// can share it.
  virtual bool isStateless() const { return true; }
};

/// A variant of a node's kernel that Device::createKernel() does not choose.
struct OtherVariant {
  std::string name;
  // False if the results certainly have other bits than those of the default kernel, because the
  // variant adds in another order
  bool mayKeepBits = false;
  // Its workspace, on devices whose variants are not alike (Device::variantsAreAlike())
  size_t workspaceBytes = 0;
  bool usesTensorCores = false;
};

struct MeasuredVariant {
  // "" for the default kernel
  std::string variant;
  // The shortest time of several runs, or 0 if the variant was not timed
  double seconds = 0;
  // Whether the result had the same bits as the result of the default kernel
  bool hasSameBits = true;
  // For the file of a card: the algorithm of the default kernel, which `variant` does not name, and
  // the workspace. Other devices leave them empty.
  std::string algorithm = {};
  size_t workspaceBytes = 0;
};

}  // namespace strata
