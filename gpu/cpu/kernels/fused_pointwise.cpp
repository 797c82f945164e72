// SPDX-License-Identifier: Apache-2.0
// The kernel of fused_pointwise, which runs several elementwise ops as one. A block that fits the
// first-level cache goes through all steps before the next block. Each step uses the loop of its
// own op, so that the results have the same bits. Only the last result is written to memory.
// Operands and results of 16 bits are converted block by block.
#include "gpu/ops/fused_pointwise.h"

#include <algorithm>
#include <array>

#include "gpu/cpu/cpu_kernel.h"
#include "gpu/reference/low_precision_kernel.h"

namespace strata::cpu {

namespace {

// Worker 0 does all the work if there are fewer than twice this many elements
constexpr int64_t kMinFusedElements = 4096;
// The number of elements per block
constexpr int64_t kBlock = 1024;

/// How an operand is read for element i of the output.
struct Operand {
  enum class How : uint8_t {
    // Reads x[i]
    Contiguous,
    // Reads x[0]
    Single,
    // Reads x[i % period]. The pattern is expanded once per run, to a period plus a block
    Pattern,
    // Reads x[i % period] in place
    Rows,
    // Reads x[i / period]
    Columns,
    // Reads x[i / period], expanded block by block for loops that need contiguous operands
    Expanded,
    // Reads x[i] or x[i % period] of a 16-bit type, converted block by block
    Converted,
    ConvertedRows,
  } how = How::Contiguous;
  int64_t period = 1;
  // Offset in the scratch memory, in floats
  int64_t scratch = 0;
  // Index of the last step that reads the operand
  int lastStep = 0;
  DType dtype = DType::F32;
};

struct Step {
  enum class Kind : uint8_t {
    Unary,
    Binary,
    Affine,
    Activation,
    ActivationBackward
  } kind = Kind::Unary;
  UnaryOp unary{};
  BinaryOp binary{};
  ActivationKind activation{};
  float first = 0, second = 0;
  // The numbers of the operands, as in PointwiseStep
  std::array<int, 2> operands{};
  // Offset of the result in the scratch memory, or -1 for the output
  int64_t result = -1;
  // Whether the result is in the first scratch buffer, which may be placed in the output instead
  bool isFirstBuffer = false;
};

struct Plan {
  std::vector<Operand> operands;
  std::vector<Step> steps;
  // The number of elements of the output, and of a block
  int64_t count = 0, block = 0;
  // Scratch memory of one worker
  int64_t scratchFloats = 0;
  // The type of the output. If it has 16 bits, `rounded` is the offset of its block in the scratch
  // memory before rounding
  DType dtype = DType::F32;
  int64_t rounded = 0;
};

std::optional<Operand> operandOf(const Shape& shape, const Shape& out, bool mayRepeat) {
  const int64_t count = shape.numElements();
  switch (spreadOf(shape, out)) {
    case Spread::Same: return Operand{};
    case Spread::Single:
      if (mayRepeat) return Operand{Operand::How::Single};
      return Operand{Operand::How::Pattern};
    case Spread::Repeated:
      return Operand{count <= kBlock ? Operand::How::Pattern : Operand::How::Rows, count};
    case Spread::Stretched: {
      const int64_t run = out.numElements() / count;
      return Operand{mayRepeat ? Operand::How::Columns : Operand::How::Expanded, run};
    }
    case Spread::Other: break;
  }
  return std::nullopt;
}

/// Returns how a 16-bit operand is read that would be read like this if it were f32.
Operand::How convertedHow(Operand::How how) {
  using How = Operand::How;
  switch (how) {
    case How::Contiguous: return How::Converted;
    case How::Rows: return How::ConvertedRows;
    case How::Columns: return How::Expanded;
    case How::Single: return How::Pattern;
    default: return how;
  }
}

std::optional<Plan> planOf(const KernelSetup& setup) {
  const auto numInputs = static_cast<int>(setup.inputs.size());
  const std::vector<PointwiseStep> program = parsePointwise(setup.text("program"), numInputs);
  Plan plan;
  plan.count = setup.outputShape().numElements();
  plan.block = std::min(plan.count, kBlock);
  std::vector<int> lastUse(setup.inputs.size() + program.size(), -1);
  // Only the loops of binary ops can repeat an operand
  std::vector<char> mayRepeat(setup.inputs.size(), true);
  for (size_t s = 0; s < program.size(); ++s) {
    const PointwiseStep& from = program[s];
    Step step;
    step.first = static_cast<float>(from.first);
    step.second = static_cast<float>(from.second);
    for (size_t i = 0; i < from.operands.size(); ++i)
      step.operands[i] = from.operands[i];
    if (from.op == "affine") {
      step.kind = Step::Kind::Affine;
    }
    else if (!from.kind.empty()) {
      step.kind = from.op == "activation" ? Step::Kind::Activation : Step::Kind::ActivationBackward;
      const auto kind = activationKindOf(from.kind);
      if (!kind) return std::nullopt;
      step.activation = *kind;
    }
    else if (const auto unary = unaryOpOf(from.op)) {
      step.unary = *unary;
    }
    else if (const auto binary = binaryOpOf(from.op)) {
      step.kind = Step::Kind::Binary;
      step.binary = *binary;
    }
    else {
      return std::nullopt;
    }
    for (const int operand : from.operands) {
      lastUse[static_cast<size_t>(operand)] = static_cast<int>(s);
      if (operand < numInputs && step.kind != Step::Kind::Binary)
        mayRepeat[static_cast<size_t>(operand)] = false;
    }
    plan.steps.push_back(step);
  }
  for (int i = 0; i < numInputs; ++i) {
    std::optional<Operand> operand =
        operandOf(setup.inputShape(static_cast<size_t>(i)), setup.outputShape(),
                  mayRepeat[static_cast<size_t>(i)]);
    if (!operand) return std::nullopt;
    operand->scratch = plan.scratchFloats;
    operand->dtype = setup.inputType(static_cast<size_t>(i));
    if (isLowPrecision(operand->dtype)) operand->how = convertedHow(operand->how);
    if (operand->how == Operand::How::Pattern)
      plan.scratchFloats +=
          static_cast<int64_t>(alignedFloats(static_cast<size_t>(plan.block + operand->period)));
    if (operand->how == Operand::How::Expanded || operand->how == Operand::How::Converted ||
        operand->how == Operand::How::ConvertedRows)
      plan.scratchFloats += static_cast<int64_t>(alignedFloats(static_cast<size_t>(plan.block)));
    operand->lastStep = lastUse[static_cast<size_t>(i)];
    plan.operands.push_back(*operand);
  }
  plan.dtype = setup.outputType();
  if (isLowPrecision(plan.dtype)) {
    plan.rounded = plan.scratchFloats;
    plan.scratchFloats += static_cast<int64_t>(alignedFloats(static_cast<size_t>(plan.block)));
  }
  // Results share buffers. A buffer is free when its last reader starts, because loops may write to
  // the memory that they read.
  std::vector<int64_t> free;
  for (size_t s = 0; s + 1 < plan.steps.size(); ++s) {
    for (const int operand : program[s].operands)
      if (operand >= numInputs && lastUse[static_cast<size_t>(operand)] == static_cast<int>(s)) {
        const int64_t buffer = plan.steps[static_cast<size_t>(operand - numInputs)].result;
        if (std::find(free.begin(), free.end(), buffer) == free.end()) free.push_back(buffer);
      }
    if (free.empty()) {
      free.push_back(plan.scratchFloats);
      plan.scratchFloats += static_cast<int64_t>(alignedFloats(static_cast<size_t>(plan.block)));
    }
    plan.steps[s].result = free.back();
    plan.steps[s].isFirstBuffer = free.back() == plan.steps[0].result;
    free.pop_back();
  }
  return plan;
}

/// The address of an operand's values for one block. Element j is at[j * step], or at[(offset + j)
/// / stretch] if stretch is not 0.
struct Source {
  const float* at;
  int64_t step = 1, stretch = 0, offset = 0;
};

void runBinary(const Loops& l, BinaryOp op, const Source& a, const Source& b, float* to,
               int64_t n) {
  if (a.stretch == 0 && b.stretch == 0) return l.binary(op, a.at, a.step, b.at, b.step, to, n);
  // Splits the block so that, within each part, an operand is either contiguous or a single
  // element.
  for (int64_t done = 0; done < n;) {
    int64_t piece = n - done;
    const auto place = [&](const Source& source) {
      if (source.stretch == 0) return source.at + done * source.step;
      const int64_t at = source.offset + done;
      piece = std::min(piece, source.stretch - at % source.stretch);
      return source.at + at / source.stretch;
    };
    const float *left = place(a), *right = place(b);
    l.binary(op, left, a.step, right, b.step, to + done, piece);
    done += piece;
  }
}

void runRange(const Plan& plan, const Loops& l, const KernelArguments& arguments, WorkRange range,
              float* scratch) {
  using How = Operand::How;
  const size_t numInputs = plan.operands.size(), numSteps = plan.steps.size();
  Source sources[kMaxPointwiseInputs + kMaxPointwiseSteps];
  for (size_t k = 0; k < numInputs; ++k) {
    const Operand& operand = plan.operands[k];
    const std::byte* x = arguments.inputs[k];
    sources[k] = {reinterpret_cast<const float*>(x),
                  operand.how == How::Single || operand.how == How::Columns ? 0 : 1,
                  operand.how == How::Columns ? operand.period : 0};
    if (operand.how != How::Pattern) continue;
    float* pattern = scratch + operand.scratch;
    const int64_t length = std::min(plan.block, range.end - range.begin) + operand.period;
    reference::loadFloats(operand.dtype, x, 0, operand.period, pattern);
    for (int64_t filled = operand.period; filled < length;) {
      const int64_t more = std::min(filled, length - filled);
      std::copy_n(pattern, more, pattern + filled);
      filled += more;
    }
  }
  const bool isRounded = isLowPrecision(plan.dtype);
  float* const y = isRounded ? nullptr : outputOf<float>(arguments);
  // Placing the first buffer in the output saves cache memory. The output must not overwrite an
  // operand that is read again after the first step.
  bool usesOutput = !isRounded;
  for (size_t k = 0; k < numInputs; ++k)
    usesOutput = usesOutput &&
                 (arguments.inputs[k] != arguments.outputs[0] || plan.operands[k].lastStep == 0);
  for (int64_t i = range.begin; i < range.end;) {
    int64_t n = std::min(plan.block, range.end - i);
    for (size_t k = 0; k < numInputs; ++k) {
      const Operand& operand = plan.operands[k];
      const float* x = inputOf<float>(arguments, k);
      switch (operand.how) {
        case How::Contiguous: sources[k].at = x + i; break;
        case How::Single: break;
        case How::Pattern: sources[k].at = scratch + operand.scratch + i % operand.period; break;
        case How::Columns: sources[k].offset = i; break;
        case How::Rows:
          sources[k].at = x + i % operand.period;
          n = std::min(n, operand.period - i % operand.period);
          break;
        case How::Expanded: {
          float* to = scratch + operand.scratch;
          sources[k].at = to;
          for (int64_t done = 0; done < n;) {
            const int64_t run = std::min(n - done, operand.period - (i + done) % operand.period);
            float value = 0;
            reference::loadFloats(operand.dtype, arguments.inputs[k], (i + done) / operand.period,
                                  1, &value);
            std::fill_n(to + done, run, value);
            done += run;
          }
          break;
        }
        case How::ConvertedRows:
          n = std::min(n, operand.period - i % operand.period);
          [[fallthrough]];
        case How::Converted:
          // The period of a contiguous operand is 1
          sources[k].at = scratch + operand.scratch;
          reference::loadFloats(operand.dtype, arguments.inputs[k],
                                operand.how == How::Converted ? i : i % operand.period, n,
                                scratch + operand.scratch);
          break;
      }
    }
    for (size_t s = 0; s < numSteps; ++s) {
      const Step& step = plan.steps[s];
      const Source &a = sources[step.operands[0]], &b = sources[step.operands[1]];
      float* const last = isRounded ? scratch + plan.rounded : y + i;
      float* to =
          step.result < 0 || (usesOutput && step.isFirstBuffer) ? last : scratch + step.result;
      sources[numInputs + s] = {to};
      switch (step.kind) {
        case Step::Kind::Unary: l.unary(step.unary, a.at, to, n); break;
        case Step::Kind::Binary: runBinary(l, step.binary, a, b, to, n); break;
        case Step::Kind::Affine: l.affine(a.at, to, n, step.first, step.second); break;
        case Step::Kind::Activation: l.activation(step.activation, a.at, to, n, step.first); break;
        case Step::Kind::ActivationBackward:
          l.activationBackward(step.activation, a.at, b.at, to, n, step.first);
          break;
      }
    }
    if (isRounded)
      reference::storeFloats(plan.dtype, scratch + plan.rounded, arguments.outputs[0], i, n);
    i += n;
  }
}

}  // namespace

std::unique_ptr<HostKernel> makeFusedPointwise(const KernelSetup& setup) {
  const auto isComputedInF32 = [](const TensorType& type) {
    return wideType(type.dtype) == DType::F32;
  };
  if (!std::ranges::all_of(setup.inputs, isComputedInF32) || !isComputedInF32(setup.outputs[0]))
    return nullptr;
  const std::optional<Plan> plan = planOf(setup);
  if (!plan) return nullptr;
  const size_t floats = alignedFloats(static_cast<size_t>(plan->scratchFloats));
  const OwnRuns own(setup, setup.outputShape(), kMinFusedElements, 16);
  return makeKernel(
      setup, "blocks of " + std::to_string(plan->steps.size()) + " steps",
      [plan = *plan, floats, own, l = setup.loops](const KernelArguments& arguments, int,
                                                   int worker) {
        float* const scratch =
            reinterpret_cast<float*>(arguments.workspace) + static_cast<size_t>(worker) * floats;
        own.each(worker, [&](int64_t begin, int64_t end) {
          runRange(plan, *l, arguments, {begin, end}, scratch);
        });
      },
      1, floats * sizeof(float) * static_cast<size_t>(own.isAlone() ? 1 : setup.numWorkers),
      own.isAlone());
}

}  // namespace strata::cpu
