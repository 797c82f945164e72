// SPDX-License-Identifier: Apache-2.0
// The loss of a classifier, the number of its correct answers and the gradient of the logits. Rows
// are computed in double; their losses and probabilities are rounded as those of
// softmax_cross_entropy. The first worker adds the rows in their order.
#include <cmath>
#include <limits>

#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

struct LossOfRows {
  int64_t rows = 0, classes = 0, ignored = -1;
  bool isSparse = true, ranksLogits = false, ranksProbabilities = false;
  bool hasScale = false, hasGradient = false, hasProbabilities = false;
  double gradientScale = 1;
  DType targetType = DType::I32;
};

template <class T>
int64_t largestOf(const T* row, int64_t count) {
  int64_t best = 0;
  for (int64_t i = 1; i < count; ++i)
    if (row[i] > row[best]) best = i;
  return best;
}

/// Writes the loss of a row, and 1 if its answer is correct, to `sums`.
template <class T>
void lossOfRow(const LossOfRows& of, const KernelArguments& arguments, int64_t row, double* sums) {
  const T* x = inputOf<T>(arguments, 0) + row * of.classes;
  double largest = -std::numeric_limits<double>::infinity(), sum = 0, loss = 0, mass = 1;
  for (int64_t i = 0; i < of.classes; ++i)
    largest = std::fmax(largest, static_cast<double>(x[i]));
  for (int64_t i = 0; i < of.classes; ++i)
    sum += std::exp(static_cast<double>(x[i]) - largest);
  const double logSum = std::log(sum) + largest;
  const T* dense = of.isSparse ? nullptr : inputOf<T>(arguments, 1) + row * of.classes;
  int64_t label = 0;
  bool isIgnored = false;
  if (of.isSparse) {
    label = readInteger(arguments.inputs[1] + static_cast<size_t>(row) * dtypeBytes(of.targetType),
                        of.targetType);
    isIgnored = of.ignored >= 0 && label == of.ignored;
    const bool isClass = label >= 0 && label < of.classes;
    if (!isIgnored)
      loss = isClass ? logSum - static_cast<double>(x[label])
                     : std::numeric_limits<double>::quiet_NaN();
  }
  else {
    label = largestOf(dense, of.classes);
    mass = 0;
    for (int64_t i = 0; i < of.classes; ++i) {
      loss += static_cast<double>(dense[i]) * (logSum - static_cast<double>(x[i]));
      mass += static_cast<double>(dense[i]);
    }
  }
  int64_t best = of.ranksLogits ? largestOf(x, of.classes) : 0;
  const double scale = of.hasScale ? static_cast<double>(*inputOf<T>(arguments, 2)) : 1;
  const double dy = static_cast<double>(static_cast<T>(of.gradientScale * scale));
  T* gradient = of.hasGradient ? outputOf<T>(arguments, 2) + row * of.classes : nullptr;
  T* probabilities = of.hasProbabilities
                         ? outputOf<T>(arguments, of.hasGradient ? 3 : 2) + row * of.classes
                         : nullptr;
  T bestProbability{};
  // The gradient may overwrite the logits, so each element is read before it is written
  for (int64_t i = 0; i < of.classes; ++i) {
    const T p = static_cast<T>(std::exp(static_cast<double>(x[i]) - largest) / sum);
    if (of.ranksProbabilities && (i == 0 || p > bestProbability)) {
      best = i;
      bestProbability = p;
    }
    if (probabilities) probabilities[i] = p;
    if (!gradient) continue;
    const double target = dense ? static_cast<double>(dense[i]) : (i == label ? 1.0 : 0.0);
    gradient[i] = isIgnored ? T{0} : static_cast<T>((static_cast<double>(p) * mass - target) * dy);
  }
  sums[0] = static_cast<double>(static_cast<T>(loss));
  sums[1] = (of.ranksLogits || of.ranksProbabilities) && best == label ? 1 : 0;
}

}  // namespace

std::unique_ptr<HostKernel> makeClassificationLoss(const KernelSetup& setup) {
  LossOfRows of;
  of.classes = setup.inputShape().dim(-1);
  of.rows = setup.inputShape().numElements() / of.classes;
  of.ignored = setup.integer("ignore_class");
  of.targetType = setup.inputType(1);
  of.isSparse = !isFloating(of.targetType);
  of.ranksLogits = setup.text("ranks") == "logits";
  of.ranksProbabilities = setup.text("ranks") == "probabilities";
  of.hasScale = setup.inputs.size() == 3;
  of.hasGradient = setup.flag("gradient");
  of.hasProbabilities = setup.flag("probabilities");
  of.gradientScale = setup.real("gradient_scale");
  const double lossScale = setup.real("loss_scale"), correctScale = setup.real("correct_scale");
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int stage, int worker) {
          auto* sums = reinterpret_cast<double*>(arguments.workspace);
          if (stage == 0) {
            const WorkRange range = shareOf(of.rows, worker, workers);
            for (int64_t row = range.begin; row < range.end; ++row)
              lossOfRow<T>(of, arguments, row, sums + 2 * row);
            return;
          }
          if (worker != 0) return;
          double loss = 0, correct = 0;
          for (int64_t row = 0; row < of.rows; ++row) {
            loss += sums[2 * row];
            correct += sums[2 * row + 1];
          }
          const auto scaled = [](double sum, double scale) {
            return static_cast<T>(sum) * static_cast<T>(scale);
          };
          *outputOf<T>(arguments, 0) = scaled(loss, lossScale);
          *outputOf<T>(arguments, 1) = scaled(correct, correctScale);
        },
        2, static_cast<size_t>(2 * of.rows) * sizeof(double));
  });
}

}  // namespace strata::reference
