// SPDX-License-Identifier: Apache-2.0
// Lists the algorithms that the libraries of a card offer for the ops of layers, and the ones that
// a step uses. Other devices have none.
// Not here: timing and choosing them (gpu/exec/kernel_choices.h).
// Thread: the functions block the calling thread.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/train/step_builder.h"
#include "gpu/base/error.h"

namespace strata {

/// An algorithm that a device offers for an op.
struct OfferedAlgorithm {
  std::string name;
  // The workspace of the kernel with this algorithm
  size_t workspaceBytes = 0;
  bool usesTensorCores = false;
};

/// The kind of kernel that computes an op of a layer.
struct LayerKernel {
  // The layer as in the project, such as "block/attention", and the op
  std::string layer, op;
  KernelPath path;
};

/// The algorithm of an op of a layer.
struct LayerAlgorithm {
  // The layer as in the project, such as "block/conv1", and the op
  std::string layer, op;
  // The kind of its kernel; without a name if the device has only one
  KernelPath path;
  // The algorithm in use, and its workspace. "" if there is no choice of one
  std::string algorithm;
  size_t workspaceBytes = 0;
  // The algorithm that the user has chosen; "" if Strata chooses
  std::string pinned;
  // The offered algorithms; the first one is the best guess of the library
  std::vector<OfferedAlgorithm> offered;
};

/// Lists the algorithms of a graph of `steps` in its order. The repeats of a Block have one entry.
std::vector<LayerAlgorithm> algorithmsOf(StepBuilder& steps, const Graph& graph);
/// Lists the kernels of ops for which the device has several kinds, such as attention on cards, in
/// the same order.
std::vector<LayerKernel> kernelPathsOf(StepBuilder& steps, const Graph& graph);
/// Returns the name of a path and its reason in English, such as "cuDNN fused in 2 parts" and "the
/// layer has a mask".
std::string pathName(const KernelPath& path);
std::string pathReason(const KernelPath& path);

/// Checks the algorithms that the project chooses for layers against the ones of its device,
/// and returns the problems. Returns none if the project chooses no algorithm or its device is not
/// a GPU. Requires: a project without errors.
Diagnostics algorithmProblems(const CheckedProject& project);

/// Lists the algorithms of one layer, "block/conv1", in a training step of the project on its
/// device, and ops without an algorithm that have a path. Names that the device does not offer are
/// ignored.
/// Fails: with the errors of StepBuilder, or with Stopped.
std::vector<LayerAlgorithm> algorithmsOfLayer(const CheckedProject& project,
                                              const std::string& layer,
                                              const std::stop_token& stop = {});

}  // namespace strata
