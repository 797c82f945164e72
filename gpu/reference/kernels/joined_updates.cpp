// SPDX-License-Identifier: Apache-2.0
// Updates of several variables: the kernel of the single op for each of them.
#include "gpu/ops/joined_updates.h"

#include <cstring>
#include <utility>

#include "gpu/memory/plan.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

constexpr size_t kGradient = 1;

/// Writes elements [begin, end) of w to their columns, rounded to a 16-bit type. A copy in f32 is
/// rounded by the caller (low_precision_kernel.h).
void copyRounded(const std::byte* w, DType type, DType copyType, std::byte* copy,
                 const Columns& columns, const WorkRange& range) {
  for (int64_t i = range.begin; i < range.end; ++i) {
    const auto value =
        static_cast<float>(type == DType::F64 ? reinterpret_cast<const double*>(w)[i]
                                              : reinterpret_cast<const float*>(w)[i]);
    const int64_t at = columns.at(i);
    if (copyType == DType::BF16)
      reinterpret_cast<BFloat16*>(copy)[at] = toBFloat16(value);
    else if (copyType == DType::F16)
      reinterpret_cast<Float16*>(copy)[at] = toFloat16(value);
    else
      reinterpret_cast<float*>(copy)[at] = value;
  }
}

struct MemberKernel {
  std::shared_ptr<const HostKernel> kernel;
  std::vector<size_t> operands;
  size_t firstState = 0, copy = 0, elementBytes = 0;
  DType type = DType::F32, copyType = DType::BF16;
  int64_t elements = 0;
  bool hasCopy = false;
  Columns gradientColumns, copyColumns;
  // Whether the gradient is put together in the workspace, and where
  bool gathers = false;
  size_t gathered = 0;

  /// Copies the gradients of the elements that a worker updates to contiguous memory.
  void gather(const KernelArguments& arguments, std::byte* to, const WorkRange& range) const {
    const std::byte* const from = arguments.inputs[operands[kGradient]];
    for (int64_t i = range.begin; i < range.end; ++i)
      std::memcpy(to + static_cast<size_t>(i) * elementBytes,
                  from + static_cast<size_t>(gradientColumns.at(i)) * elementBytes, elementBytes);
  }
};

MemberKernel memberOf(const KernelSetup& setup, const JoinedUpdates& joined, size_t i) {
  MemberKernel member;
  member.operands = joined.operandsOf(i);
  member.firstState = joined.firstState(i);
  KernelSetup own = setup;
  own.op = joined.rule->name;
  own.inputs.clear();
  own.outputs.clear();
  for (const size_t operand : member.operands)
    own.inputs.push_back(setup.inputs[operand]);
  for (size_t state = 0; state < joined.numStates; ++state)
    own.outputs.push_back(setup.outputs[member.firstState + state]);
  member.type = own.inputs[0].dtype;
  member.elements = own.inputs[0].shape.numElements();
  member.gradientColumns = joined.gradientColumns(i, setup.inputs);
  member.gathers = member.gradientColumns.width != member.gradientColumns.pitch;
  member.elementBytes = dtypeBytes(own.inputs[kGradient].dtype);
  own.inputs[kGradient].shape = own.inputs[0].shape;
  if (joined.copies[i] != 0) {
    member.hasCopy = true;
    member.copy = joined.copy(i);
    member.copyType = setup.outputs[member.copy].dtype;
    member.copyColumns = joined.copyColumns(i, setup.inputs);
  }
  member.kernel = findKernelMaker(joined.rule->name)(own);
  return member;
}

}  // namespace

std::unique_ptr<HostKernel> makeJoinedUpdates(const KernelSetup& setup) {
  const JoinedUpdates joined = joinedUpdates(setup.op, setup.attributes);
  std::vector<MemberKernel> members;
  size_t bytes = 0;
  for (size_t i = 0; i < joined.numMembers(); ++i) {
    members.push_back(memberOf(setup, joined, i));
    if (!members.back().gathers) continue;
    members.back().gathered = bytes;
    bytes +=
        alignedBytes(static_cast<size_t>(members.back().elements) * members.back().elementBytes);
  }
  const auto body = [members, numStates = joined.numStates, workers = setup.numWorkers](
                        const KernelArguments& arguments, int stage, int worker) {
    for (const MemberKernel& member : members) {
      KernelArguments own;
      for (const size_t operand : member.operands)
        own.inputs.push_back(arguments.inputs[operand]);
      for (size_t state = 0; state < numStates; ++state)
        own.outputs.push_back(arguments.outputs[member.firstState + state]);
      // The share of the update, so that no worker reads what another one writes
      const WorkRange range = shareOf(member.elements, worker, workers, 16);
      if (member.gathers) {
        std::byte* const gathered = arguments.workspace + member.gathered;
        member.gather(arguments, gathered, range);
        own.inputs[kGradient] = gathered;
      }
      member.kernel->run(own, stage, worker);
      if (member.hasCopy)
        copyRounded(own.outputs[0], member.type, member.copyType, arguments.outputs[member.copy],
                    member.copyColumns, range);
    }
  };
  return makeKernel(body, 1, bytes);
}

}  // namespace strata::reference
