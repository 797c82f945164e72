// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/ops/fused_attention.h"

#include <algorithm>
#include <numeric>

#include "gpu/base/error.h"
#include "gpu/base/round_up.h"
#include "gpu/tensor/dtype.h"

namespace strata::cuda {
namespace {

constexpr size_t kSumsAlignment = 256;
// Statistics are f32, and libraries expect aligned addresses
constexpr int64_t kAlignedRows = STRATA_CALL_ALIGNMENT / sizeof(float);

/// Returns the smallest number of blocks of `rows` rows after which statistics are aligned.
int64_t alignedBlocks(int64_t rows) { return kAlignedRows / std::gcd(kAlignedRows, rows); }

int64_t sampleUnit(const StrataAttention& whole) {
  return alignedBlocks(whole.heads * whole.queries);
}

/// Returns the bytes of the sums of dq of a call.
size_t querySumBytes(const StrataAttention& call) {
  if (!call.hasQuerySums) return 0;
  const auto elements = static_cast<size_t>(call.batch * call.heads * call.queries * call.headSize);
  return roundUp(elements * sizeof(float), kSumsAlignment);
}

/// Returns how many bytes after the beginning of an operand a part begins.
size_t partOffset(const int64_t (&strides)[4], int64_t sample, int64_t head, StrataType type) {
  return static_cast<size_t>(sample * strides[0] + head * strides[1]) *
         dtypeBytes(static_cast<DType>(type));
}

/// Returns the operands of a part, in the same order.
std::vector<DeviceAddress> operandsOfPart(const std::vector<DeviceAddress>& operands,
                                          const StrataAttention& whole, int64_t sample,
                                          int64_t head) {
  const size_t q = partOffset(whole.qStrides, sample, head, whole.type),
               k = partOffset(whole.kStrides, sample, head, whole.type),
               v = partOffset(whole.vStrides, sample, head, whole.type),
               o = partOffset(whole.oStrides, sample, head, whole.type);
  const size_t statistics =
      static_cast<size_t>((sample * whole.heads + head) * whole.queries) * sizeof(float);
  std::vector<size_t> offsets{q, k, v, o, statistics};
  if (whole.isBackward) offsets = {q, k, v, o, o, statistics, q, k, v};
  require(operands.size() == offsets.size(), "attention has an address for each operand");
  std::vector<DeviceAddress> result = operands;
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = result[i] + offsets[i];
  return result;
}

}  // namespace

/// Returns a smaller part whose workspace is about the limit, if the tried one needs `neededBytes`.
/// If no part is small enough, the result has no samples.
FusedAttention::Extent FusedAttention::smaller(const StrataAttention& whole, Extent tried,
                                               size_t neededBytes, size_t limit) {
  const double share = static_cast<double>(limit) / static_cast<double>(neededBytes);
  const auto portion = [&](int64_t count, double part, int64_t unit) {
    const auto fitting = static_cast<int64_t>(static_cast<double>(count) * part);
    return std::min(fitting, count - 1) / unit * unit;
  };
  if (tried.heads == whole.heads && tried.samples > 1)
    if (const int64_t samples = portion(tried.samples, share, sampleUnit(whole)); samples > 0)
      return {samples, whole.heads};
  if (whole.batch > 1 && sampleUnit(whole) > 1) return {};
  const double shareOfSample = share * static_cast<double>(tried.samples);
  const int64_t heads = portion(tried.heads, shareOfSample, alignedBlocks(whole.queries));
  return heads > 0 ? Extent{1, heads} : Extent{};
}

/// Returns the smallest part that makes as many calls as the given one, so that they take equally
/// long.
FusedAttention::Extent FusedAttention::evened(const StrataAttention& whole, Extent extent) {
  const auto even = [](int64_t all, int64_t part, int64_t unit) {
    const int64_t count = Encoder::blocksFor(all, part);
    return std::min(part, roundUp(Encoder::blocksFor(all, count), unit));
  };
  if (extent.heads == whole.heads)
    return {even(whole.batch, extent.samples, sampleUnit(whole)), whole.heads};
  return {1, even(whole.heads, extent.heads, alignedBlocks(whole.queries))};
}

/// Plans parts of this extent, and smaller ones for what is left. Returns false if a plan fails.
bool FusedAttention::build(Card& card, const StrataLibraryCall& call, const std::string& algorithm,
                           size_t limit, Extent extent, PlanFailure& failure) {
  const StrataAttention& whole = call.of.attention;
  const int64_t numParts = Encoder::blocksFor(whole.batch, extent.samples) *
                           Encoder::blocksFor(whole.heads, extent.heads);
  std::vector<std::pair<Extent, std::shared_ptr<const LibraryPlan>>> plans;
  m_parts.clear();
  m_workspaceBytes = 0;
  const auto planOf = [&](Extent own) -> std::shared_ptr<const LibraryPlan> {
    for (const auto& [known, plan] : plans)
      if (known == own) return plan;
    StrataLibraryCall part = call;
    part.of.attention.batch = own.samples;
    part.of.attention.heads = own.heads;
    part.of.attention.numParts = static_cast<int32_t>(numParts);
    const size_t sums = querySumBytes(part.of.attention);
    auto plan = card.tryPlan(part, algorithm, limit - std::min(limit, sums), &failure);
    if (failure.neededBytes > 0) failure.neededBytes += sums;
    if (!plan) return nullptr;
    m_workspaceBytes = std::max(m_workspaceBytes, sums + plan->workspaceBytes());
    return plans.emplace_back(own, std::move(plan)).second;
  };
  for (int64_t sample = 0; sample < whole.batch; sample += extent.samples)
    for (int64_t head = 0; head < whole.heads; head += extent.heads) {
      auto plan = planOf({std::min(extent.samples, whole.batch - sample),
                          std::min(extent.heads, whole.heads - head)});
      if (!plan) return false;
      m_parts.push_back({sample, head, std::move(plan)});
    }
  return true;
}

std::shared_ptr<const FusedAttention> FusedAttention::plan(Card& card,
                                                           const StrataLibraryCall& call,
                                                           const std::string& algorithm,
                                                           size_t limit, PlanFailure& failure) {
  const StrataAttention& whole = call.of.attention;
  auto result = std::make_shared<FusedAttention>();
  result->m_whole = whole;
  for (Extent extent{whole.batch, whole.heads}; extent.samples > 0;) {
    if (result->build(card, call, algorithm, limit, extent, failure)) return result;
    if (failure.neededBytes == 0) return nullptr;
    const Extent next = smaller(whole, extent, failure.neededBytes, limit);
    extent = next.samples > 0 ? evened(whole, next) : next;
  }
  return nullptr;
}

void FusedAttention::encode(Encoder& encoder, const std::vector<DeviceAddress>& operands,
                            DeviceAddress workspace) const {
  for (const Part& part : m_parts) {
    std::vector<DeviceAddress> addresses =
        operandsOfPart(operands, m_whole, part.sample, part.head);
    const size_t sums = querySumBytes(part.plan->call().of.attention);
    if (sums > 0) {
      addresses.push_back(workspace);
      encoder.clear(workspace, sums);
    }
    encoder.call(*part.plan, addresses, workspace + sums);
  }
}

}  // namespace strata::cuda
