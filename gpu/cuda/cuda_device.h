// SPDX-License-Identifier: Apache-2.0
// A device on an NVIDIA GPU, or on a simulated one.
// Thread: as Device.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "gpu/cuda/card_communicator.h"
#include "gpu/cuda/cuda_kernel.h"
#include "gpu/cuda/passes/choose_layouts.h"
#include "gpu/exec/device.h"

namespace strata {

/// Opens a simulated card. `options.threads` host threads compute.
/// Fails: UnsupportedOp if this installation has no plug-in; OutOfMemory.
std::unique_ptr<Device> makeSimulatedDevice(const CardData& card, const DeviceOptions& options);

/// Opens the NVIDIA GPU "cuda:N". `takenBytes` is the memory that other programs use, if known.
/// Fails: UnsupportedOp if it cannot be used; OutOfMemory.
std::unique_ptr<Device> makeCudaDevice(const std::string& name, int ordinal,
                                       const DeviceOptions& options, size_t takenBytes = 0);

namespace cuda {

/// Returns the graph passes of cards. With default options, they only have names and descriptions.
std::vector<Pass> cardPasses(const LayoutOptions& options = {});

class CudaDevice final : public Device {
 public:
  /// `place`: the replica that the device is.
  explicit CudaDevice(std::shared_ptr<Card> card, bool isTf32 = false,
                      const ReplicaPlace& place = {});
  std::string name() const override { return m_card->name(); }
  std::string identity() const override;
  std::string equivalence() const override;
  DeviceAddress allocate(size_t bytes) override;
  void release(DeviceAddress address, size_t bytes) override;
  std::optional<DeviceMemoryUse> memoryUse() const override { return m_card->memoryUse(); }
  size_t transferBytesFor(size_t inputBytes, size_t resultBytes) const override;
  std::unique_ptr<Stream> makeStream() override;
  int maxPendingSteps() const override;
  bool keepsRows() const override { return true; }
  bool isSimulated() const override { return m_card->isSimulated(); }
  DeviceTraits traits() const override;
  std::vector<Pass> passes() const override;
  std::unique_ptr<Kernel> createKernel(const Graph& graph, NodeId node) override;
  /// The variants are the other algorithms of the library that the node calls.
  std::vector<OtherVariant> otherVariants(const Graph& graph, NodeId node) const override;
  bool variantsAreAlike() const override { return false; }
  std::unique_ptr<Kernel> createVariant(const Graph& graph, NodeId node,
                                        std::string_view variant) override;
  std::optional<std::vector<MeasuredVariant>> timeVariants(const Graph& graph, NodeId node,
                                                           const std::vector<OtherVariant>& others,
                                                           const TimingOptions& options) override;
  std::vector<std::pair<std::string, std::string>> versions() const override;
  const std::shared_ptr<Card>& card() const { return m_card; }
  /// Lets later streams sum values with the cards of other processes. See CardCommunicator.
  void joinProcesses(ProcessLink& link, bool isFast) {
    m_communicator = std::make_shared<CardCommunicator>(m_card, link, isFast);
  }
  /// Sets whether copies from other cards go through the memory of the host.
  void setCopiesThroughHost(bool on) { m_copiesThroughHost = on; }
  /// Sets whether kernels are generated for fused_pointwise nodes, or one kernel interprets them
  /// all. By default simulated cards interpret, because compiling takes longer.
  void setGenerates(bool on) { m_generates = on; }
  /// Sets whether the gradient of attention may add in any order.
  void setAddsInAnyOrder(bool on) { m_addsInAnyOrder = on; }
  /// Sets the limit of the workspace of attention, for tests. The default is that of the card.
  void setAttentionLimit(size_t bytes) { m_attentionLimit = bytes; }

 private:
  std::string settings() const;
  std::unique_ptr<CudaKernel> make(const Graph& graph, NodeId node,
                                   std::string_view algorithm) const;
  std::optional<double> predictedSeconds(const Graph& graph, NodeId node) const;

  std::shared_ptr<Card> m_card;
  const ReplicaPlace m_place;
  // Whether products of f32 use TF32
  bool m_isTf32;
  bool m_generates;
  bool m_addsInAnyOrder = false;
  bool m_copiesThroughHost = false;
  std::shared_ptr<CardCommunicator> m_communicator;
  size_t m_attentionLimit;
  // The results of predictedSeconds() by chosen algorithm and kernelKey(): passes ask for each
  // program
  mutable std::map<std::string, std::optional<double>, std::less<>> m_predicted;
  // LayoutOptions::forced
  std::string m_layout;
};

}  // namespace cuda
}  // namespace strata
