// SPDX-License-Identifier: Apache-2.0
// Updates of several variables: the kernel of the single op for each of them.
#include "gpu/ops/joined_updates.h"

#include <utility>

#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

/// Writes elements [begin, end) of w, rounded to a 16-bit type. A copy in f32 is rounded by the
/// caller (low_precision_kernel.h).
void copyRounded(const std::byte* w, DType type, DType copyType, std::byte* copy, int64_t begin,
                 int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const auto value =
        static_cast<float>(type == DType::F64 ? reinterpret_cast<const double*>(w)[i]
                                              : reinterpret_cast<const float*>(w)[i]);
    if (copyType == DType::BF16)
      reinterpret_cast<BFloat16*>(copy)[i] = toBFloat16(value);
    else if (copyType == DType::F16)
      reinterpret_cast<Float16*>(copy)[i] = toFloat16(value);
    else
      reinterpret_cast<float*>(copy)[i] = value;
  }
}

struct MemberKernel {
  std::shared_ptr<const HostKernel> kernel;
  std::vector<size_t> operands;
  size_t firstState = 0;
  DType type = DType::F32;
  // 0 elements if the member has no copy
  DType copyType = DType::BF16;
  int64_t copied = 0;
};

}  // namespace

std::unique_ptr<HostKernel> makeJoinedUpdates(const KernelSetup& setup) {
  const JoinedUpdates joined = joinedUpdates(setup.op, setup.attributes);
  const KernelMaker maker = findKernelMaker(joined.rule->name);
  std::vector<MemberKernel> members;
  for (size_t i = 0; i < joined.numMembers(); ++i) {
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
    if (joined.copies[i] != 0) {
      member.copyType = setup.outputs[member.firstState + joined.numStates].dtype;
      member.copied = own.inputs[0].shape.numElements();
    }
    member.kernel = maker(own);
    members.push_back(std::move(member));
  }
  return makeKernel([members, numStates = joined.numStates, workers = setup.numWorkers](
                        const KernelArguments& arguments, int stage, int worker) {
    for (const MemberKernel& member : members) {
      KernelArguments own;
      for (const size_t operand : member.operands)
        own.inputs.push_back(arguments.inputs[operand]);
      for (size_t state = 0; state < numStates; ++state)
        own.outputs.push_back(arguments.outputs[member.firstState + state]);
      member.kernel->run(own, stage, worker);
      // The share of the update, so that no worker reads what another one writes
      const WorkRange range = shareOf(member.copied, worker, workers, 16);
      if (range.begin < range.end)
        copyRounded(own.outputs[0], member.type, member.copyType,
                    arguments.outputs[member.firstState + numStates], range.begin, range.end);
    }
  });
}

}  // namespace strata::reference
