// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/cuda_device.h"

#include "gpu/base/bytes.h"
#include "gpu/base/debug.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/cuda/cuda_stream.h"
#include "gpu/cuda/plugin.h"
#include "gpu/cuda/predicted_work.h"
#include "gpu/exec/kernel_choices.h"
#include "gpu/exec/variant_text.h"
#include "gpu/graph/op.h"
#include "gpu/ops/fused_pointwise.h"
#include "gpu/ops/layout.h"

namespace strata {

std::unique_ptr<Device> makeSimulatedDevice(const CardData& card, const DeviceOptions& options) {
  const bool isTf32 = options.isTf32 && card.flopsPerSecond[1] > 0;
  auto device = std::make_unique<cuda::CudaDevice>(
      cuda::Card::openSimulated(kSimulatedPrefix + card.name, card, std::max(1, options.threads),
                                options.replica.rank),
      isTf32, options.replica);
  device->setAddsInAnyOrder(!options.isAttentionDeterministic);
  return device;
}

std::unique_ptr<Device> makeCudaDevice(const std::string& name, int ordinal,
                                       const DeviceOptions& options, size_t takenBytes) {
  std::shared_ptr<cuda::Card> card = cuda::Card::openReal(name, ordinal, takenBytes);
  const bool isTf32 = options.isTf32 && card->data().flopsPerSecond[1] > 0;
  auto device = std::make_unique<cuda::CudaDevice>(std::move(card), isTf32, options.replica);
  device->setAddsInAnyOrder(!options.isAttentionDeterministic);
  return device;
}

namespace cuda {

CudaDevice::CudaDevice(std::shared_ptr<Card> card, bool isTf32, const ReplicaPlace& place)
    : m_card(std::move(card)),
      m_place(place),
      m_isTf32(isTf32),
      m_generates(!m_card->isSimulated()),
      m_attentionLimit(m_card->attentionLimit()) {
  if (const auto value = environmentVariable("STRATA_GENERATE")) m_generates = *value != "0";
  m_layout = environmentVariable("STRATA_LAYOUT").value_or("");
  if (!m_layout.empty() && m_layout != kChannelsFirst && m_layout != kChannelsLast)
    throw Error(ErrorCode::InvalidArgument, "STRATA_LAYOUT",
                "the layout is \"" + m_layout +
                    "\" (expected \"channels_last\" or \"channels_first\"). Correct it.");
}

std::string CudaDevice::identity() const {
  return m_card->name() + " " + std::to_string(m_card->ordinal()) + " " + settings();
}

std::string CudaDevice::equivalence() const {
  std::string result = settings();
  for (const auto& [what, version] : versions())
    if (what != "card") result += " " + what + " " + version;
  return result;
}

/// Returns the kind of the card, and what its results depend on besides libraries.
std::string CudaDevice::settings() const {
  return m_card->data().name + (m_isTf32 ? " tf32" : "") + (m_generates ? " generates" : "") +
         (m_addsInAnyOrder ? " any order" : "") + " " + std::to_string(m_attentionLimit);
}

DeviceAddress CudaDevice::allocate(size_t bytes) {
  // The memory of a simulated card is memory of the machine
  const size_t available = availableMemoryBytes();
  if (name().starts_with(kSimulatedPrefix) && bytes > available)
    throw Error(ErrorCode::OutOfMemory, name(),
                "simulating it needs " + bytesText(static_cast<double>(bytes)) +
                    " (this machine has " + bytesText(static_cast<double>(available)) +
                    " free). Use a smaller batch or network, or close other programs.");
  m_card->use();
  CUdeviceptr address = 0;
  m_card->driver().memAlloc(&address, bytes);
  m_card->addAllocatedBytes(static_cast<std::ptrdiff_t>(bytes));
  return DeviceAddress::fromBits(address);
}

void CudaDevice::release(DeviceAddress address, size_t bytes) {
  m_card->addAllocatedBytes(-static_cast<std::ptrdiff_t>(bytes));
  m_card->driver().table().ctxSetCurrent(m_card->context());
  // Silent, because destructors call it. Drivers report errors of earlier work here, too
  m_card->driver().table().memFree(address.bits());
}

std::unique_ptr<Stream> CudaDevice::makeStream() {
  return std::make_unique<CudaStream>(m_card, m_place, m_copiesThroughHost, m_communicator);
}

size_t CudaDevice::transferBytesFor(size_t inputBytes, size_t resultBytes) const {
  return CudaStream::transferBytesFor(inputBytes, resultBytes);
}

int CudaDevice::maxPendingSteps() const { return CudaStream::kPendingSteps; }

DeviceTraits CudaDevice::traits() const {
  DeviceTraits traits;
  traits.alignment = STRATA_WORKSPACE_ALIGNMENT;
  traits.addsBias = true;
  traits.productActivations = FusedActivations::PiecewiseLinear;
  traits.normalizesWithRelu = true;
  traits.updatesMovingStatistics = true;
  traits.poolingActivations = FusedActivations::PiecewiseLinear;
  traits.sumsBiasGradients = true;
  traits.addsToProducts = true;
  traits.storesFiltersAsKrsc = true;
  traits.roundsLookups = traits.sumsSquaresOfLookups = true;
  traits.widensProducts = true;
  traits.keepsLowWeights = true;
  traits.joinsProjections = true;
  traits.joinsUpdates = true;
  traits.joinsGradientNorm = true;
  traits.packsSums = true;
  traits.fusesLossAndMetrics = true;
  traits.addsToNormGradients = true;
  traits.maxPointwiseSteps = kMaxPointwiseSteps;
  traits.maxPointwiseInputs = kMaxPointwiseInputs;
  // A launch takes as long as a kernel for thousands of elements, so fusing always pays
  traits.minPointwiseElements = 1;
  return traits;
}

std::vector<Pass> cardPasses(const LayoutOptions& options) {
  return {{"choose_layouts",
           STRATA_TEXT("pass",
                       "Chooses whether images have channels last or first for each convolution, "
                       "on GPUs"),
           [options](Graph& graph, PassReport& report) {
             chooseLayouts(graph, options, report);
           }}};
}

std::vector<Pass> CudaDevice::passes() const {
  return cardPasses({[this](const Graph& graph, NodeId id) { return predictedSeconds(graph, id); },
                     m_card->data().bytesPerSecond, m_layout});
}

/// Returns the predicted time of the default kernel of a node. Returns nullopt if the card has no
/// kernel, or does not offer the algorithm that a user has chosen.
std::optional<double> CudaDevice::predictedSeconds(const Graph& graph, NodeId id) const {
  const Node& node = graph.node(id);
  const std::string* const pinned = pinnedVariant(node);
  const std::string key = (pinned ? *pinned + " " : "") + kernelKey(graph, id);
  if (const auto known = m_predicted.find(key); known != m_predicted.end()) return known->second;
  std::optional<double> seconds;
  try {
    const std::unique_ptr<CudaKernel> kernel = make(graph, id, "");
    const auto isPinned = [&](std::string_view algorithm) {
      return variantName(algorithm) == *pinned;
    };
    if (!pinned || isPinned(kernel->algorithm()) ||
        std::ranges::any_of(otherVariants(graph, id), isPinned, &OtherVariant::name))
      seconds = predictWork(*m_card, graph, node, *kernel).seconds;
  }
  catch (const Error& error) {
    if (error.code() != ErrorCode::UnsupportedOp) throw;
  }
  return m_predicted[key] = seconds;
}

std::unique_ptr<Kernel> CudaDevice::createKernel(const Graph& graph, NodeId id) {
  return make(graph, id, "");
}

/// Creates the kernel of a node whose library call uses the named algorithm; "" for the best guess.
std::unique_ptr<CudaKernel> CudaDevice::make(const Graph& graph, NodeId id,
                                             std::string_view algorithm) const {
  const Node& node = graph.node(id);
  CudaSetup setup;
  setup.op = node.op->name;
  setup.layer = node.layer;
  for (size_t i = 0; i < numOwnOperands(node); ++i)
    setup.inputs.push_back(graph.type(node.inputs[i]));
  for (const ValueId value : node.outputs)
    setup.outputs.push_back(graph.type(value));
  setup.attributes = node.attributes;
  setup.card = m_card;
  setup.isTf32 = m_isTf32;
  setup.generates = m_generates;
  setup.addsInAnyOrder = m_addsInAnyOrder;
  setup.attentionLimit = m_attentionLimit;
  setup.algorithm = algorithm;
  const KernelMaker maker = findKernelMaker(setup.op);
  if (maker) {
    std::unique_ptr<CudaKernel> kernel = maker(setup);
    kernel->keep(m_card);
    return kernel;
  }
  const std::string_view reason = refusalOf(setup.op);
  throw Error(ErrorCode::UnsupportedOp, node.layer.empty() ? setup.op : node.layer,
              "op \"" + setup.op + "\" has no kernel on " + name() +
                  (reason.empty() ? "" : ", because " + std::string(reason)) +
                  ". Use --device cpu, or another layer.");
}

std::vector<OtherVariant> CudaDevice::otherVariants(const Graph& graph, NodeId id) const {
  const WorkKind work = graph.node(id).op->work;
  if (work != WorkKind::Product && work != WorkKind::Convolution) return {};
  const std::unique_ptr<CudaKernel> kernel = make(graph, id, "");
  const LibraryPlan* const plan = kernel->choosablePlan();
  if (!plan) return {};
  // The kernel adds its own workspace to that of the library
  const size_t ownBytes = kernel->workspaceBytes() - plan->workspaceBytes();
  std::vector<OtherVariant> result;
  for (const StrataAlgorithm& each : m_card->algorithms(plan->call()))
    if (std::string_view(each.name) != plan->algorithm() ||
        std::string_view(each.data) != plan->algorithmData())
      result.push_back({variantText(each.name, each.data), true, ownBytes + each.workspaceBytes,
                        each.usesTensorCores != 0});
  return result;
}

std::unique_ptr<Kernel> CudaDevice::createVariant(const Graph& graph, NodeId id,
                                                  std::string_view variant) {
  try {
    return make(graph, id, variant);
  }
  catch (const Error& error) {
    // A file may name an algorithm that another version of a library had
    if (error.code() == ErrorCode::UnsupportedOp) return nullptr;
    throw;
  }
}

std::vector<std::pair<std::string, std::string>> CudaDevice::versions() const {
  std::vector<std::pair<std::string, std::string>> result{
      {"card", isSimulated() ? m_card->name() : m_card->data().name}};
  int driver = 0;
  if (!isSimulated() && m_card->driver().table().driverGetVersion(&driver) == 0)
    result.emplace_back("driver", std::to_string(driver));
  std::vector<StrataLibraryState> libraries(16);
  libraries.resize(plugin()->libraries(libraries.data(), libraries.size()));
  for (const StrataLibraryState& library : libraries)
    for (const auto& [file, title] : {std::pair("libcudnn", "cuDNN"), {"libcublasLt", "cuBLASLt"}})
      if (std::string_view(library.name).starts_with(file))
        result.emplace_back(title, library.version);
  if (m_isTf32) result.emplace_back("precision", "tf32");
  return result;
}

}  // namespace cuda
}  // namespace strata
