// SPDX-License-Identifier: Apache-2.0
// The kernels of reduce_sum and reduce_max over adjacent axes [outer, reduced, inner], of softmax,
// and of softmax cross-entropy.
#include <cmath>
#include <limits>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

namespace {

// Worker 0 does all the work if there are fewer than twice this many elements
constexpr int64_t kMinReducedElements = 8192;

/// A shape viewed as [outer, length, inner], where `length` is the size of the reduced axes.
/// isValid is false if these axes are not adjacent.
struct Split {
  int64_t outer = 1, length = 1, inner = 1;
  bool isValid = true;
};
Split splitOf(const Shape& shape, const std::vector<int64_t>& axes) {
  std::array<bool, kMaxRank> isReduced{};
  for (int64_t axis : axes)
    isReduced[static_cast<size_t>(shape.normalizeAxis(static_cast<int>(axis)))] = true;
  Split split;
  // `part` is 0 before the reduced axes, 1 within them and 2 after them
  int part = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 1) continue;
    const bool reduced = isReduced[static_cast<size_t>(i)];
    if (part == 0 && reduced)
      part = 1;
    else if (part == 1 && !reduced)
      part = 2;
    else if (part == 2 && reduced)
      split.isValid = false;
    int64_t* const sizes[] = {&split.outer, &split.length, &split.inner};
    *sizes[part] *= shape[i];
  }
  return split;
}

float* floatsOf(const KernelArguments& arguments) {
  return reinterpret_cast<float*>(arguments.workspace);
}

}  // namespace

std::unique_ptr<HostKernel> makeReduce(const KernelSetup& setup) {
  if (!allF32(setup)) return nullptr;
  const Split s = splitOf(setup.inputShape(), setup.list("axes"));
  const bool isSum = setup.op == "reduce_sum";
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  if (!s.isValid || (!isSum && s.inner > 1) || s.length == 0) return nullptr;
  const int64_t total = s.outer * s.length * s.inner;
  // Each worker reduces its own rows
  if (s.inner == 1 && (s.outer >= workers || isAlone(kMinReducedElements, total)))
    return makeKernel(
        setup, "vector rows",
        [=](const KernelArguments& arguments, int, int worker) {
          const WorkRange range =
              shareOrAll(isAlone(kMinReducedElements, total), s.outer, worker, workers);
          for (int64_t i = range.begin; i < range.end; ++i) {
            const float* x = inputOf<float>(arguments, 0) + i * s.length;
            outputOf<float>(arguments)[i] = isSum ? l->sumOf(x, s.length) : l->maxOf(x, s.length);
          }
        },
        1, 0, isAlone(kMinReducedElements, total));
  if (!isSum) return nullptr;
  if (s.outer > 1 && s.inner > 1)
    return makeKernel(
        setup, "vector columns", [=](const KernelArguments& arguments, int, int worker) {
          const WorkRange range = shareOf(s.outer, worker, workers);
          for (int64_t i = range.begin; i < range.end; ++i)
            l->columnSums(inputOf<float>(arguments, 0) + i * s.length * s.inner, s.length, s.inner,
                          s.inner, outputOf<float>(arguments) + i * s.inner);
        });
  // The remaining cases sum columns, or a few long rows. One worker computes small sums. Wide
  // matrices are split by columns. Long matrices are split by rows, and the partial sums are added
  // in order.
  if (isAlone(kMinReducedElements, total))
    return makeKernel(
        setup, "vector alone",
        [=](const KernelArguments& arguments, int, int worker) {
          if (worker == 0)
            l->columnSums(inputOf<float>(arguments, 0), s.length, s.inner, s.inner,
                          outputOf<float>(arguments));
        },
        1, 0, true);
  if (s.outer == 1 && s.inner >= 16 * workers && s.length <= 1024)
    return makeKernel(
        setup, "vector by columns", [=](const KernelArguments& arguments, int, int worker) {
          const WorkRange range = shareOf(s.inner, worker, workers, 32);
          l->columnSums(inputOf<float>(arguments, 0) + range.begin, s.length,
                        range.end - range.begin, s.inner, outputOf<float>(arguments) + range.begin);
        });
  const size_t part = alignedFloats(static_cast<size_t>(s.outer * s.inner));
  return makeKernel(
      setup, "vector partial",
      [=](const KernelArguments& arguments, int stage, int worker) {
        float* const partial = floatsOf(arguments);
        if (stage == 0) {
          const WorkRange range = shareOf(s.length, worker, workers);
          float* const own = partial + part * static_cast<size_t>(worker);
          for (int64_t i = 0; i < s.outer; ++i) {
            const float* x = inputOf<float>(arguments, 0) + (i * s.length + range.begin) * s.inner;
            if (s.inner == 1)
              own[i] = l->sumOf(x, range.end - range.begin);
            else
              l->columnSums(x, range.end - range.begin, s.inner, s.inner, own + i * s.inner);
          }
        }
        else if (worker == 0) {
          float* y = outputOf<float>(arguments);
          for (int64_t i = 0; i < s.outer * s.inner; ++i)
            y[i] = partial[i];
          for (int other = 1; other < workers; ++other)
            l->accumulate(y, partial + part * static_cast<size_t>(other), s.outer * s.inner);
        }
      },
      2, part * static_cast<size_t>(workers) * sizeof(float));
}

std::unique_ptr<HostKernel> makeSoftmax(const KernelSetup& setup) {
  const Shape& shape = setup.inputShape();
  if (!allF32(setup) ||
      shape.normalizeAxis(static_cast<int>(setup.integer("axis"))) != shape.rank() - 1)
    return nullptr;
  const int64_t n = shape.dim(-1), rows = n == 0 ? 0 : shape.numElements() / n;
  return makeKernel(
      setup, "vector rows",
      [=, wantLog = setup.op == "log_softmax", l = setup.loops, workers = setup.numWorkers](
          const KernelArguments& arguments, int, int worker) {
        const WorkRange range = shareOrAll(isAlone(2048, rows * n), rows, worker, workers);
        l->softmaxRows(inputOf<float>(arguments, 0) + range.begin * n,
                       outputOf<float>(arguments) + range.begin * n, range.end - range.begin, n,
                       wantLog);
      },
      1, 0, isAlone(2048, rows * n));
}

/// Returns a worker's share of whole rows. Worker 0 gets all rows if there are few elements.
static WorkRange shareOfRows(int64_t rows, int64_t columns, int worker, int numWorkers) {
  if (isAlone(2048, rows * columns)) return worker == 0 ? WorkRange{0, rows} : WorkRange{0, 0};
  return shareOf(rows, worker, numWorkers);
}

std::unique_ptr<HostKernel> makeSoftmaxCrossEntropy(const KernelSetup& setup) {
  if (setup.inputType() != DType::F32) return nullptr;
  const int64_t classes = setup.inputShape(0).dim(-1), rows = setup.outputShape(0).numElements(),
                ignored = setup.integer("ignore_class");
  const DType targetType = setup.inputType(1);
  return makeKernel(
      setup, "vector rows",
      [=, isSparse = !isFloating(targetType), l = setup.loops, workers = setup.numWorkers](
          const KernelArguments& arguments, int, int worker) {
        const WorkRange range = shareOfRows(rows, classes, worker, workers);
        for (int64_t row = range.begin; row < range.end; ++row) {
          const float* x = inputOf<float>(arguments, 0) + row * classes;
          float* probabilities = outputOf<float>(arguments, 1) + row * classes;
          float loss = 0;
          if (isSparse) {
            const int64_t label =
                readInteger(arguments.inputs[1] + static_cast<size_t>(row) * dtypeBytes(targetType),
                            targetType);
            const bool isInside = label >= 0 && label < classes;
            // softmaxRow() may overwrite the row, because the outputs can share its storage
            const float logit = isInside ? x[label] : 0.0f;
            const float logSum = l->softmaxRow(x, probabilities, classes);
            const bool isIgnored = ignored >= 0 && label == ignored;
            if (!isIgnored)
              loss = isInside ? logSum - logit : std::numeric_limits<float>::quiet_NaN();
          }
          else {
            const float* target = inputOf<float>(arguments, 1) + row * classes;
            double mass = 0, product = 0;
            for (int64_t i = 0; i < classes; ++i) {
              mass += static_cast<double>(target[i]);
              product += static_cast<double>(target[i]) * static_cast<double>(x[i]);
            }
            loss = static_cast<float>(
                mass * static_cast<double>(l->softmaxRow(x, probabilities, classes)) - product);
          }
          outputOf<float>(arguments, 0)[row] = loss;
        }
      },
      1, 0, isAlone(2048, rows * classes));
}

std::unique_ptr<HostKernel> makeSoftmaxCrossEntropyBackward(const KernelSetup& setup) {
  if (setup.inputType() != DType::F32) return nullptr;
  const int64_t classes = setup.inputShape(1).dim(-1), rows = setup.inputShape(0).numElements(),
                ignored = setup.attributes.getOr<int64_t>("ignore_class", -1);
  const DType targetType = setup.inputType(2);
  return makeKernel(
      setup, "vector rows",
      [=, isSparse = !isFloating(targetType), l = setup.loops, workers = setup.numWorkers](
          const KernelArguments& arguments, int, int worker) {
        const WorkRange range = shareOfRows(rows, classes, worker, workers);
        for (int64_t row = range.begin; row < range.end; ++row) {
          const float gradient = inputOf<float>(arguments, 0)[row];
          const float* probabilities = inputOf<float>(arguments, 1) + row * classes;
          float* dx = outputOf<float>(arguments) + row * classes;
          if (isSparse) {
            const int64_t label =
                readInteger(arguments.inputs[2] + static_cast<size_t>(row) * dtypeBytes(targetType),
                            targetType);
            const bool isIgnored = ignored >= 0 && label == ignored;
            l->affine(probabilities, dx, classes, isIgnored ? 0.0f : gradient, 0.0f);
            if (!isIgnored && label >= 0 && label < classes) dx[label] -= gradient;
          }
          else {
            const float* target = inputOf<float>(arguments, 2) + row * classes;
            const float mass = l->sumOf(target, classes);
            for (int64_t i = 0; i < classes; ++i)
              dx[i] = (probabilities[i] * mass - target[i]) * gradient;
          }
        }
      },
      1, 0, isAlone(2048, rows * classes));
}

}  // namespace strata::cpu
