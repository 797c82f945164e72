// SPDX-License-Identifier: Apache-2.0
// Kernels of a card for the nodes of a graph. A kernel adds launches and library calls to a stream;
// it runs nothing itself. The files in gpu/cuda/ops make them, one file per op.
// Thread: kernels are immutable; an Encoder belongs to one thread.
#pragma once

#include <array>
#include <concepts>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/cost/card_clock.h"
#include "gpu/cuda/card.h"
#include "gpu/cuda/kernels/parameters.h"
#include "gpu/exec/kernel.h"
#include "gpu/reference/reference_kernel.h"

namespace strata::cuda {

/// The addresses of the operands of a node.
struct Operands {
  std::vector<DeviceAddress> inputs, outputs;
  DeviceAddress workspace;
  // f32[]; where it is 0, the kernel writes nothing. Null for nodes without it
  DeviceAddress apply;
  // For checks of gradients. f32[]; where it is 0, the flag is 0. Null if nothing depends on the
  // stream
  DeviceAddress running;
  // For checks and norms of gradients: a counter of 8 bytes that is 0 between kernels
  DeviceAddress progress;
  // For kernels that join parts: kMaxCountedBlocks numbers that are 0 between kernels (columns.h)
  DeviceAddress counters;
};

struct Grid {
  int64_t x = 1, y = 1, z = 1;
};

/// The threads of a block of kernels for elements and rows
constexpr int kBlock = 256;
constexpr int64_t kWarpThreads = 32;

/// The predicted time of the work of one node (predicted_work.h).
struct PredictedWork {
  NodeClock clock;
  double seconds = 0;
};

/// Adds work to a stream.
class Encoder {
 public:
  Encoder(const Card& card, CUstream stream) : m_card(card), m_stream(stream) {}
  /// An encoder that adds no work to a stream, but its time to `predicted`.
  Encoder(const Card& card, PredictedWork& predicted)
      : m_card(card), m_stream(nullptr), m_predicted(&predicted) {}

  /// Launches a kernel. The types of the arguments must be those of its parameters; addresses
  /// stand for pointers. An empty grid launches nothing.
  /// Fails: Internal if the arguments do not match.
  template <class... A>
  void launch(const Function& function, Grid grid, int threads, const A&... arguments) {
    static constexpr char kLetters[] = {letterOf<A>()..., '\0'};
    if (function.parameters != kLetters) refuseArguments(function, kLetters);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
    // The driver copies the arguments before it returns
    std::array<void*, sizeof...(A)> pointers{
        const_cast<void*>(static_cast<const void*>(&arguments))...};
    launchRaw(function, grid, threads, pointers.data());
  }
  /// Launches a kernel with one thread for each of `count` elements.
  template <class... A>
  void launchElements(const Function& function, int64_t count, const A&... arguments) {
    launch(function, {blocksFor(count, kBlock)}, kBlock, arguments...);
  }
  /// Launches a kernel whose threads compute kPerThread elements each (forElements() in
  /// kernels/numbers.cuh).
  template <class... A>
  void launchSpread(const Function& function, int64_t count, const A&... arguments) {
    launch(function, {blocksFor(count, kBlock * kPerThread)}, kBlock, arguments...);
  }
  /// Adds a library call. The addresses are in the order of the struct of the call.
  void call(const LibraryPlan& plan, const std::vector<DeviceAddress>& addresses,
            DeviceAddress workspace);
  void clear(DeviceAddress address, size_t bytes);

  /// Returns how many blocks of `each` elements contain `count` elements.
  static int64_t blocksFor(int64_t count, int64_t each) { return (count + each - 1) / each; }

 private:
  template <class A>
  static constexpr char letterOf() {
    if constexpr (std::is_same_v<A, DeviceAddress>) return 'p';
    if constexpr (std::is_same_v<A, int32_t>) return 'i';
    if constexpr (std::is_same_v<A, int64_t>) return 'l';
    if constexpr (std::is_same_v<A, uint64_t>) return 'u';
    if constexpr (std::is_same_v<A, float>) return 'f';
    static_assert(std::is_trivially_copyable_v<A>);
    return 's';
  }
  [[noreturn]] static void refuseArguments(const Function& function, const char* letters);
  void launchRaw(const Function& function, Grid grid, int threads, void** arguments);

  const Card& m_card;
  CUstream m_stream;
  // Null if work is added to the stream
  PredictedWork* m_predicted = nullptr;
};

/// A kernel of a card.
class CudaKernel : public Kernel {
 public:
  /// Adds the work of the node to the stream of `encoder`.
  virtual void encode(Encoder& encoder, const Operands& operands) const = 0;
  /// Returns the library call of the node, if it is one whose algorithm can be chosen, or null.
  virtual const LibraryPlan* choosablePlan() const { return nullptr; }
  std::string algorithm() const override {
    return choosablePlan() ? choosablePlan()->algorithm() : "";
  }
  KernelPath path() const final { return m_path; }
  void setPath(KernelPath path) { m_path = std::move(path); }
  /// Keeps the card of its functions open.
  void keep(std::shared_ptr<Card> card) { m_card = std::move(card); }

 private:
  std::shared_ptr<Card> m_card;
  KernelPath m_path;
};

/// What a kernel depends on.
struct CudaSetup : reference::KernelSetup {
  std::shared_ptr<Card> card;
  // Whether products of f32 may use TF32
  bool isTf32 = false;
  // Whether the gradient of attention may add in any order
  bool addsInAnyOrder = false;
  size_t attentionLimit = Card::kWorkspaceLimit;
  // Whether fused_pointwise nodes get kernels that are compiled for them
  bool generates = false;
  // The algorithm of the library call; "" for the best guess
  std::string algorithm;
  /// Plans the library call whose algorithm can be chosen. Fails: as Card::plan().
  std::shared_ptr<const LibraryPlan> plan(const StrataLibraryCall& call) const {
    return card->plan(call, layer, algorithm);
  }
  /// Returns a kernel of the card. Fails: Internal if there is none.
  const Function& function(const std::string& name) const { return card->function(name); }
  /// Returns the kernel `stem` for the type of an operand: "softmax" + "_f32".
  /// Fails: UnsupportedOp if the type is not f32, bf16 or f16.
  const Function& typed(const std::string& stem, DType dtype) const;
  /// Returns the kernel `stem` for any type. Fails: UnsupportedOp if the type is f64.
  const Function& ofAny(const std::string& stem, DType dtype) const;
  /// Returns the kernel `stem` that moves elements of the size of this type: "pad" + "_4".
  /// Fails: UnsupportedOp if the type is f64.
  const Function& ofSize(const std::string& stem, DType dtype) const;
  /// Returns the name of a type that cards have. Fails: UnsupportedOp if the type is f64.
  std::string nameOf(DType dtype) const;
};

using KernelMaker = std::unique_ptr<CudaKernel> (*)(const CudaSetup&);

/// A kernel whose encode() calls `body(encoder, operands)`.
template <class Body>
class BodyKernel final : public CudaKernel {
 public:
  BodyKernel(Body body, std::string implementation, size_t workspaceBytes,
             std::shared_ptr<const LibraryPlan> plan, std::string ownAlgorithm)
      : m_body(std::move(body)),
        m_implementation(std::move(implementation)),
        m_ownAlgorithm(std::move(ownAlgorithm)),
        m_workspaceBytes(workspaceBytes),
        m_plan(std::move(plan)) {}
  void encode(Encoder& encoder, const Operands& operands) const override {
    m_body(encoder, operands);
  }
  std::string implementation() const override { return m_implementation; }
  size_t workspaceBytes() const override { return m_workspaceBytes; }
  const LibraryPlan* choosablePlan() const override { return m_plan.get(); }
  std::string algorithm() const override {
    return m_plan ? std::string(m_plan->algorithm()) : m_ownAlgorithm;
  }

 private:
  Body m_body;
  std::string m_implementation, m_ownAlgorithm;
  size_t m_workspaceBytes;
  std::shared_ptr<const LibraryPlan> m_plan;
};

/// `plan` is the library call whose algorithm can be chosen. `ownAlgorithm` is the name of the own
/// kernel that computes the node if the library refuses the call.
template <class Body>
std::unique_ptr<CudaKernel> makeKernel(std::string implementation, Body body,
                                       size_t workspaceBytes = 0,
                                       std::shared_ptr<const LibraryPlan> plan = nullptr,
                                       std::string ownAlgorithm = {}) {
  return std::make_unique<BodyKernel<Body>>(std::move(body), std::move(implementation),
                                            workspaceBytes, std::move(plan),
                                            std::move(ownAlgorithm));
}

/// Returns the maker for an op, or null if the op has no kernel on cards.
KernelMaker findKernelMaker(std::string_view op);
/// Returns why an op has no kernel on cards although other devices have one; "" if it has one.
std::string_view refusalOf(std::string_view op);

/// The numbers of activations in kernels (kernels/activation.cuh). Fails: UnsupportedOp.
int32_t activationNumber(const CudaSetup& setup, std::string_view kind);
/// Removes axes of size 1, and joins neighbouring axes that all operands read as one.
void joinAxes(Walk& walk);
/// Returns a walk over `out` that reads these operands with broadcasting. Its axes are joined.
Walk broadcastWalk(const Shape& out, std::initializer_list<const Shape*> operands);

}  // namespace strata::cuda
