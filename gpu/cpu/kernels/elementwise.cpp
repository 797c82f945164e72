// SPDX-License-Identifier: Apache-2.0
// The kernels of elementwise ops: unary ops, binary ops with broadcasting, affine and activations.
// One call of a loop handles all trailing dimensions along which each operand is contiguous or
// repeated.
#include <optional>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

namespace {

// Worker 0 does all the work if there are fewer than twice this many elements
constexpr int64_t kMinElements = 4096;

template <class Op>
struct Named {
  std::string_view name;
  Op op;
};

template <class Op, size_t N>
std::optional<Op> findNamed(const Named<Op> (&table)[N], std::string_view name) {
  for (const auto& row : table)
    if (row.name == name) return row.op;
  return std::nullopt;
}

constexpr Named<UnaryOp> kUnary[] = {{"negate", UnaryOp::Negate},
                                     {"abs", UnaryOp::Abs},
                                     {"sign", UnaryOp::Sign},
                                     {"exp", UnaryOp::Exp},
                                     {"expm1", UnaryOp::Expm1},
                                     {"log", UnaryOp::Log},
                                     {"log1p", UnaryOp::Log1p},
                                     {"sqrt", UnaryOp::Sqrt},
                                     {"rsqrt", UnaryOp::Rsqrt},
                                     {"square", UnaryOp::Square},
                                     {"reciprocal", UnaryOp::Reciprocal},
                                     {"erf", UnaryOp::Erf},
                                     {"floor", UnaryOp::Floor},
                                     {"is_finite", UnaryOp::IsFinite}};
constexpr Named<BinaryOp> kBinary[] = {
    {"add", BinaryOp::Add},           {"subtract", BinaryOp::Subtract},
    {"multiply", BinaryOp::Multiply}, {"divide", BinaryOp::Divide},
    {"maximum", BinaryOp::Maximum},   {"minimum", BinaryOp::Minimum},
    {"less", BinaryOp::Less},         {"less_equal", BinaryOp::LessEqual},
    {"greater", BinaryOp::Greater},   {"greater_equal", BinaryOp::GreaterEqual},
    {"equal", BinaryOp::Equal},       {"not_equal", BinaryOp::NotEqual}};
constexpr Named<ActivationKind> kActivations[] = {{"linear", ActivationKind::Linear},
                                                  {"relu", ActivationKind::Relu},
                                                  {"relu6", ActivationKind::Relu6},
                                                  {"leaky_relu", ActivationKind::LeakyRelu},
                                                  {"elu", ActivationKind::Elu},
                                                  {"selu", ActivationKind::Selu},
                                                  {"celu", ActivationKind::Celu},
                                                  {"tanh", ActivationKind::Tanh},
                                                  {"sigmoid", ActivationKind::Sigmoid},
                                                  {"exponential", ActivationKind::Exponential},
                                                  {"gelu", ActivationKind::Gelu},
                                                  {"gelu_tanh", ActivationKind::GeluTanh},
                                                  {"hard_sigmoid", ActivationKind::HardSigmoid},
                                                  {"silu", ActivationKind::Silu},
                                                  {"hard_silu", ActivationKind::HardSilu},
                                                  {"mish", ActivationKind::Mish},
                                                  {"softplus", ActivationKind::Softplus},
                                                  {"softsign", ActivationKind::Softsign},
                                                  {"hard_tanh", ActivationKind::HardTanh},
                                                  {"tanh_shrink", ActivationKind::TanhShrink},
                                                  {"soft_shrink", ActivationKind::SoftShrink},
                                                  {"hard_shrink", ActivationKind::HardShrink},
                                                  {"squareplus", ActivationKind::Squareplus},
                                                  {"sparse_plus", ActivationKind::SparsePlus},
                                                  {"sparse_sigmoid", ActivationKind::SparseSigmoid},
                                                  {"log_sigmoid", ActivationKind::LogSigmoid}};

/// Describes two operands over dimensions [outer..., inner]. Along `inner`, each operand is
/// contiguous (step 1) or repeats one element (step 0).
struct Broadcast {
  Shape outer;
  int64_t inner = 1;
  std::array<std::array<int64_t, kMaxRank>, 2> strides{};
  std::array<int64_t, 2> step{};
};

Broadcast broadcastOf(const Shape& a, const Shape& b, const Shape& out) {
  const std::array<std::array<int64_t, kMaxRank>, 2> strides{reference::broadcastStrides(a, out),
                                                             reference::broadcastStrides(b, out)};
  Broadcast plan;
  int axis = out.rank() - 1;
  // Skips dimensions of size 1, which fit both steps.
  while (axis >= 0 && out[axis] == 1)
    --axis;
  if (axis >= 0) {
    for (size_t n = 0; n < 2; ++n)
      plan.step[n] = strides[n][static_cast<size_t>(axis)] != 0;
    for (; axis >= 0; --axis) {
      bool fits = true;
      for (size_t n = 0; n < 2; ++n)
        fits &=
            out[axis] == 1 || strides[n][static_cast<size_t>(axis)] == plan.step[n] * plan.inner;
      if (!fits) break;
      plan.inner *= out[axis];
    }
  }
  for (int i = 0; i <= axis; ++i) {
    for (size_t n = 0; n < 2; ++n)
      plan.strides[n][static_cast<size_t>(i)] = strides[n][static_cast<size_t>(i)];
    plan.outer.append(out[i]);
  }
  return plan;
}

}  // namespace

std::optional<ActivationKind> activationKindOf(std::string_view name) {
  return findNamed(kActivations, name);
}
std::optional<UnaryOp> unaryOpOf(std::string_view name) { return findNamed(kUnary, name); }
std::optional<BinaryOp> binaryOpOf(std::string_view name) { return findNamed(kBinary, name); }

std::unique_ptr<HostKernel> makeUnary(const KernelSetup& setup) {
  const auto op = findNamed(kUnary, setup.op);
  if (!op || !allF32(setup)) return nullptr;
  const OwnRuns own(setup, setup.outputShape(), kMinElements, 16);
  return makeKernel(
      setup, "vector",
      [op = *op, own, l = setup.loops](const KernelArguments& arguments, int, int worker) {
        own.each(worker, [&](int64_t begin, int64_t end) {
          l->unary(op, inputOf<float>(arguments, 0) + begin, outputOf<float>(arguments) + begin,
                   end - begin);
        });
      },
      1, 0, own.isAlone());
}

std::unique_ptr<HostKernel> makeBinary(const KernelSetup& setup) {
  const auto op = findNamed(kBinary, setup.op);
  if (!op || !allF32(setup)) return nullptr;
  const Shape& out = setup.outputShape();
  const Broadcast plan = broadcastOf(setup.inputShape(0), setup.inputShape(1), out);
  const int64_t count = out.numElements();
  if (plan.outer.rank() == 0) {
    const OwnRuns own(setup, out, kMinElements, 16);
    return makeKernel(
        setup, "vector",
        [=, op = *op, l = setup.loops](const KernelArguments& arguments, int, int worker) {
          own.each(worker, [&](int64_t begin, int64_t end) {
            l->binary(op, inputOf<float>(arguments, 0) + plan.step[0] * begin, plan.step[0],
                      inputOf<float>(arguments, 1) + plan.step[1] * begin, plan.step[1],
                      outputOf<float>(arguments) + begin, end - begin);
          });
        },
        1, 0, own.isAlone());
  }
  const reference::StridedWalk<2> walk{plan.outer, plan.strides, {}};
  const int64_t rows = plan.outer.numElements();
  return makeKernel(
      setup, "vector rows",
      [=, op = *op, l = setup.loops, workers = setup.numWorkers](const KernelArguments& arguments,
                                                                 int, int worker) {
        const WorkRange range = shareOrAll(isAlone(kMinElements, count), rows, worker, workers);
        walk.run(range.begin, range.end, [&](int64_t i, const auto& offset) {
          l->binary(op, inputOf<float>(arguments, 0) + offset[0], plan.step[0],
                    inputOf<float>(arguments, 1) + offset[1], plan.step[1],
                    outputOf<float>(arguments) + i * plan.inner, plan.inner);
        });
      },
      1, 0, isAlone(kMinElements, count));
}

std::unique_ptr<HostKernel> makeAffine(const KernelSetup& setup) {
  const DType from = setup.inputType();
  if (setup.outputType() != DType::F32 || (from != DType::F32 && from != DType::U8)) return nullptr;
  const bool isCast = setup.op == "cast";
  const float scale = isCast ? 1.0f : static_cast<float>(setup.real("scale")),
              offset = isCast ? 0.0f : static_cast<float>(setup.real("offset"));
  return makeKernel(
      setup, "vector",
      [=, count = setup.outputShape().numElements(), l = setup.loops, workers = setup.numWorkers](
          const KernelArguments& arguments, int, int worker) {
        const WorkRange range = shareAbove(kMinElements, count, worker, workers, 64);
        float* y = outputOf<float>(arguments) + range.begin;
        if (from == DType::U8)
          l->affineBytes(inputOf<uint8_t>(arguments, 0) + range.begin, y, range.end - range.begin,
                         scale, offset);
        else
          l->affine(inputOf<float>(arguments, 0) + range.begin, y, range.end - range.begin, scale,
                    offset);
      },
      1, 0, isAlone(kMinElements, setup.outputShape().numElements()));
}

std::unique_ptr<HostKernel> makeActivation(const KernelSetup& setup) {
  const auto kind = activationKindOf(setup.text("kind"));
  if (!kind || !allF32(setup)) return nullptr;
  const OwnRuns own(setup, setup.outputShape(), kMinElements, 16);
  return makeKernel(
      setup, "vector",
      [kind = *kind, alpha = static_cast<float>(setup.real("alpha")), own, l = setup.loops](
          const KernelArguments& arguments, int, int worker) {
        own.each(worker, [&](int64_t begin, int64_t end) {
          l->activation(kind, inputOf<float>(arguments, 0) + begin,
                        outputOf<float>(arguments) + begin, end - begin, alpha);
        });
      },
      1, 0, own.isAlone());
}

std::unique_ptr<HostKernel> makeActivationBackward(const KernelSetup& setup) {
  const auto kind = activationKindOf(setup.text("kind"));
  if (!kind || !allF32(setup)) return nullptr;
  const OwnRuns own(setup, setup.outputShape(), kMinElements, 16);
  return makeKernel(
      setup, "vector",
      [kind = *kind, alpha = static_cast<float>(setup.real("alpha")), own, l = setup.loops](
          const KernelArguments& arguments, int, int worker) {
        own.each(worker, [&](int64_t begin, int64_t end) {
          l->activationBackward(kind, inputOf<float>(arguments, 0) + begin,
                                inputOf<float>(arguments, 1) + begin,
                                outputOf<float>(arguments) + begin, end - begin, alpha);
        });
      },
      1, 0, own.isAlone());
}

}  // namespace strata::cpu
