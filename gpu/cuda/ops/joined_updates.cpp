// SPDX-License-Identifier: Apache-2.0
// Updates of several variables in one launch, or one for each 400 variables.
#include "gpu/ops/joined_updates.h"

#include <algorithm>
#include <cmath>

#include "gpu/cuda/kernels/update_list.h"
#include "gpu/cuda/ops/makers.h"
#include "gpu/cuda/ops/update_numbers.h"

namespace strata::cuda {
namespace {

constexpr size_t kCopyBytes = 2;

/// A variable: its index in the op, and how many bytes after the beginning of the operands its
/// columns begin.
struct Member {
  size_t index = 0, gradientOffset = 0, copyOffset = 0;
};

/// The variables of one launch.
struct Batch {
  UpdateList<kManyMembers> list;
  std::vector<Member> members;
  int64_t blocks = 0;
};

/// Describes the columns that a variable has in its gradient and its copy. Where it has all
/// columns, the matrix is read as rows of the same width as the other one's.
Member memberOf(UpdateMember& member, const CudaSetup& setup, const JoinedUpdates& joined,
                size_t i) {
  const size_t gradientBytes = dtypeBytes(setup.inputs[joined.gradient(i)].dtype);
  const Columns gradient = joined.gradientColumns(i, setup.inputs);
  Member result{i, static_cast<size_t>(gradient.first) * gradientBytes, 0};
  Columns copy = gradient;
  if (joined.copies[i] != 0) {
    member.copyType = static_cast<int16_t>(setup.outputs[joined.copy(i)].dtype);
    copy = joined.copyColumns(i, setup.inputs);
    result.copyOffset = static_cast<size_t>(copy.first) * kCopyBytes;
  }
  const bool isGradientWide = gradient.width != gradient.pitch,
             isCopyWide = copy.width != copy.pitch;
  if (!isGradientWide && !isCopyWide) return result;
  require(!isGradientWide || !isCopyWide || gradient.width == copy.width,
          "gradient and copy of a variable have equal columns");
  if (std::max(gradient.pitch, copy.pitch) > INT32_MAX)
    throw Error(ErrorCode::UnsupportedOp, setup.op,
                "joined weights with more than 2^31 columns have no kernel. Use fewer units.");
  member.width = static_cast<int32_t>(isGradientWide ? gradient.width : copy.width);
  member.gradientPitch = isGradientWide ? static_cast<int32_t>(gradient.pitch) : member.width;
  member.copyPitch = isCopyWide ? static_cast<int32_t>(copy.pitch) : member.width;
  return result;
}

std::vector<Batch> batchesOf(const CudaSetup& setup, const JoinedUpdates& joined) {
  std::vector<Batch> batches;
  for (size_t i = 0; i < joined.numMembers(); ++i) {
    const size_t first = joined.firstState(i);
    const TensorType& type = setup.inputs[first];
    if (type.dtype != DType::F32) setup.refuse(type.dtype);
    const int64_t elements = type.shape.numElements();
    if (elements == 0) continue;
    if (batches.empty() || batches.back().list.count == kManyMembers) batches.emplace_back();
    Batch& batch = batches.back();
    batch.list.numStates = static_cast<int32_t>(joined.numStates);
    UpdateMember& member = batch.list.members[batch.list.count++];
    member.elements = elements;
    member.firstBlock = static_cast<int32_t>(batch.blocks);
    member.gradientType = static_cast<int16_t>(setup.inputs[joined.gradient(i)].dtype);
    batch.members.push_back(memberOf(member, setup, joined, i));
    batch.blocks += Encoder::blocksFor(elements, kBlock * kUpdatedPerThread);
  }
  return batches;
}

/// Launches a kernel for each batch. `numbers` are its last parameters.
template <class... Numbers>
void launchBatches(Encoder& encoder, const Operands& operands, const std::vector<Batch>& batches,
                   const JoinedUpdates& joined, const Function& few, const Function& many,
                   const UpdateScalars& scalars, const Numbers&... numbers) {
  for (const Batch& batch : batches) {
    UpdateList<kManyMembers> list = batch.list;
    for (size_t i = 0; i < batch.members.size(); ++i) {
      UpdateMember& member = list.members[i];
      const auto& [index, gradientOffset, copyOffset] = batch.members[i];
      const size_t first = joined.firstState(index);
      for (size_t state = 0; state < joined.numStates; ++state)
        member.states[state].bits = operands.outputs[first + state].bits();
      member.gradient.bits = (operands.inputs[joined.gradient(index)] + gradientOffset).bits();
      if (joined.copies[index] != 0)
        member.copy.bits = (operands.outputs[joined.copy(index)] + copyOffset).bits();
    }
    if (list.count > kFewMembers) {
      encoder.launch(many, {batch.blocks}, kBlock, list, scalars, numbers...);
      continue;
    }
    UpdateList<kFewMembers> small;
    small.count = list.count;
    small.numStates = list.numStates;
    std::copy_n(list.members, list.count, small.members);
    encoder.launch(few, {batch.blocks}, kBlock, small, scalars, numbers...);
  }
}

}  // namespace

std::unique_ptr<CudaKernel> makeJoinedUpdates(const CudaSetup& setup) {
  const JoinedUpdates joined = joinedUpdates(setup.op, setup.attributes);
  const std::vector<Batch> batches = batchesOf(setup, joined);
  const Function &few = setup.function(setup.op + "_few"),
                 &many = setup.function(setup.op + "_many");
  const size_t rateInput = joined.firstShared();
  const bool hasRate = joined.numShared > 0;
  const UpdateScalars scalars = hasRate ? updateScalarsOf(setup, rateInput) : UpdateScalars();
  // Calls launchBatches() with these numbers
  const auto make = [&](auto numbersOf) {
    return makeKernel(setup.op, [=, &few, &many](Encoder& encoder, const Operands& operands) {
      UpdateScalars bound = scalars;
      if (hasRate) bound.rate.bits = operands.inputs[rateInput].bits();
      bound.apply.bits = operands.apply.bits();
      std::apply(
          [&](const auto&... numbers) {
            launchBatches(encoder, operands, batches, joined, few, many, bound, numbers...);
          },
          numbersOf(operands));
    });
  };
  if (!hasRate) return make([](const Operands&) { return std::tuple(); });
  if (joined.rule->name == "sgd_update")
    return make([numbers = sgdNumbers(setup)](const Operands&) { return std::tuple(numbers); });
  if (joined.rule->name == "adam_update")
    return make([numbers = adamNumbers(setup), rateInput](const Operands& operands) {
      return std::tuple(numbers, operands.inputs[rateInput + 1]);
    });
  if (joined.rule->name == "rmsprop_update")
    return make([numbers = rmspropNumbers(setup),
                 hasMomentum = static_cast<int32_t>(setup.real("momentum") != 0),
                 isCentered = static_cast<int32_t>(setup.flag("centered"))](const Operands&) {
      return std::tuple(numbers, hasMomentum, isCentered);
    });
  return make([epsilon = static_cast<float>(setup.real("epsilon"))](const Operands&) {
    return std::tuple(epsilon);
  });
}

}  // namespace strata::cuda
