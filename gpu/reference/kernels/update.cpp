// SPDX-License-Identifier: Apache-2.0
// Updates of variables with Keras's formulas (gpu/ops/update.cpp). Each output is computed in
// double and rounded once. Outputs may share storage with operands.
#include <cmath>

#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

namespace {

/// Returns the weight after decoupled weight decay, which comes before the update.
double decayed(double weight, double decay, double rate) { return weight - weight * decay * rate; }

/// Reads the gradient, which is operand 1. For ops named "matmul_..." it is the product of operands
/// 1 and 2, rounded as a matmul stores it.
class GradientReader {
 public:
  explicit GradientReader(const KernelSetup& setup) {
    if (!setup.op.starts_with("matmul_")) return;
    numOperands = 2;
    m_depth = setup.inputShape(1)[0];
    m_rows = setup.inputShape(1)[1];
    m_columns = setup.inputShape(2)[1];
  }
  size_t numOperands = 1;

  template <class T>
  double at(const KernelArguments& arguments, int64_t i) const {
    if (numOperands == 1) return static_cast<double>(inputOf<T>(arguments, 1)[i]);
    const T* a = inputOf<T>(arguments, 1) + i / m_columns;
    const T* b = inputOf<T>(arguments, 2) + i % m_columns;
    double sum = 0;
    for (int64_t k = 0; k < m_depth; ++k, a += m_rows, b += m_columns)
      sum += static_cast<double>(*a) * static_cast<double>(*b);
    return static_cast<double>(static_cast<T>(sum));
  }

 private:
  int64_t m_depth = 0, m_rows = 0, m_columns = 1;
};

/// Makes a kernel for f32 or f64. make(T{}) returns a function of (arguments, begin, end), which
/// updates elements [begin, end).
template <class Make>
std::unique_ptr<HostKernel> makeUpdate(const KernelSetup& setup, Make&& make) {
  const int64_t count = setup.outputShape().numElements();
  return forFloating(setup, setup.inputType(), [&](auto type) {
    return makeKernel([body = make(type), count, workers = setup.numWorkers](
                          const KernelArguments& arguments, int, int worker) {
      const WorkRange range = shareOf(count, worker, workers, 16);
      body(arguments, range.begin, range.end);
    });
  });
}

}  // namespace

std::unique_ptr<HostKernel> makeAssign(const KernelSetup& setup) {
  const int64_t bytes = static_cast<int64_t>(setup.outputs[0].bytes());
  return makeKernel(
      [bytes, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
        const WorkRange range = shareOf(bytes, worker, workers, 64);
        if (range.begin < range.end && arguments.outputs[0] != arguments.inputs[1])
          std::memcpy(arguments.outputs[0] + range.begin, arguments.inputs[1] + range.begin,
                      static_cast<size_t>(range.end - range.begin));
      });
}

std::unique_ptr<HostKernel> makeSgdUpdate(const KernelSetup& setup) {
  const double momentum = setup.real("momentum"), decay = setup.real("weight_decay");
  const bool isNesterov = setup.flag("nesterov"), hasVelocity = setup.outputs.size() > 1;
  const GradientReader gradient(setup);
  const size_t rateInput = 1 + gradient.numOperands, velocityInput = rateInput + 1;
  const DType rateType = setup.inputType(rateInput);
  return makeUpdate(setup, [=](auto type) {
    using T = decltype(type);
    return [=](const KernelArguments& arguments, int64_t begin, int64_t end) {
      const double rate = readScalar(arguments.inputs[rateInput], rateType);
      for (int64_t i = begin; i < end; ++i) {
        const double weight =
            decayed(static_cast<double>(inputOf<T>(arguments, 0)[i]), decay, rate);
        const double move = gradient.at<T>(arguments, i) * rate;
        if (!hasVelocity) {
          outputOf<T>(arguments, 0)[i] = static_cast<T>(weight - move);
          continue;
        }
        const double velocity =
            momentum * static_cast<double>(inputOf<T>(arguments, velocityInput)[i]) - move;
        outputOf<T>(arguments, 0)[i] =
            static_cast<T>(weight + (isNesterov ? momentum * velocity - move : velocity));
        outputOf<T>(arguments, 1)[i] = static_cast<T>(velocity);
      }
    };
  });
}

std::unique_ptr<HostKernel> makeAdamUpdate(const KernelSetup& setup) {
  const double beta1 = setup.real("beta_1"), beta2 = setup.real("beta_2"),
               epsilon = setup.real("epsilon"), decay = setup.real("weight_decay");
  const bool isAmsgrad = setup.flag("amsgrad");
  const GradientReader reader(setup);
  const size_t meanInput = 1 + reader.numOperands, squareInput = meanInput + 1,
               rateInput = meanInput + 2, stepInput = meanInput + 3;
  const DType rateType = setup.inputType(rateInput), stepType = setup.inputType(stepInput);
  return makeUpdate(setup, [=](auto type) {
    using T = decltype(type);
    return [=](const KernelArguments& arguments, int64_t begin, int64_t end) {
      const double rate = readScalar(arguments.inputs[rateInput], rateType),
                   step = readScalar(arguments.inputs[stepInput], stepType);
      const double alpha =
          rate * std::sqrt(1 - std::pow(beta2, step)) / (1 - std::pow(beta1, step));
      for (int64_t i = begin; i < end; ++i) {
        const double weight =
            decayed(static_cast<double>(inputOf<T>(arguments, 0)[i]), decay, rate);
        const double gradient = reader.at<T>(arguments, i);
        double m = static_cast<double>(inputOf<T>(arguments, meanInput)[i]),
               v = static_cast<double>(inputOf<T>(arguments, squareInput)[i]);
        m += (gradient - m) * (1 - beta1);
        v += (gradient * gradient - v) * (1 - beta2);
        outputOf<T>(arguments, 1)[i] = static_cast<T>(m);
        outputOf<T>(arguments, 2)[i] = static_cast<T>(v);
        if (isAmsgrad) {
          v = std::fmax(static_cast<double>(inputOf<T>(arguments, stepInput + 1)[i]), v);
          outputOf<T>(arguments, 3)[i] = static_cast<T>(v);
        }
        outputOf<T>(arguments, 0)[i] =
            static_cast<T>(weight - m * alpha / (std::sqrt(v) + epsilon));
      }
    };
  });
}

std::unique_ptr<HostKernel> makeRmspropUpdate(const KernelSetup& setup) {
  const double rho = setup.real("rho"), epsilon = setup.real("epsilon"),
               momentum = setup.real("momentum"), decay = setup.real("weight_decay");
  const bool hasMomentum = momentum != 0, isCentered = setup.flag("centered");
  const DType rateType = setup.inputType(3);
  // The optional operands `momentum` and `average` come after the rate. The outputs are w and v,
  // then the optional `momentum` and `average`.
  const size_t momentumInput = 4, averageInput = hasMomentum ? 5 : 4;
  return makeUpdate(setup, [=](auto type) {
    using T = decltype(type);
    return [=](const KernelArguments& arguments, int64_t begin, int64_t end) {
      const double rate = readScalar(arguments.inputs[3], rateType);
      for (int64_t i = begin; i < end; ++i) {
        const double weight =
            decayed(static_cast<double>(inputOf<T>(arguments, 0)[i]), decay, rate);
        const double gradient = static_cast<double>(inputOf<T>(arguments, 1)[i]);
        const double v = rho * static_cast<double>(inputOf<T>(arguments, 2)[i]) +
                         (1 - rho) * gradient * gradient;
        outputOf<T>(arguments, 1)[i] = static_cast<T>(v);
        double denominator = v + epsilon;
        if (isCentered) {
          const double average = rho * static_cast<double>(inputOf<T>(arguments, averageInput)[i]) +
                                 (1 - rho) * gradient;
          outputOf<T>(arguments, averageInput - 2)[i] = static_cast<T>(average);
          denominator -= average * average;
        }
        double move = rate * gradient / std::sqrt(denominator);
        if (hasMomentum) {
          move += momentum * static_cast<double>(inputOf<T>(arguments, momentumInput)[i]);
          outputOf<T>(arguments, momentumInput - 2)[i] = static_cast<T>(move);
        }
        outputOf<T>(arguments, 0)[i] = static_cast<T>(weight - move);
      }
    };
  });
}

std::unique_ptr<HostKernel> makeAdagradUpdate(const KernelSetup& setup) {
  const double epsilon = setup.real("epsilon"), decay = setup.real("weight_decay");
  const DType rateType = setup.inputType(3);
  return makeUpdate(setup, [=](auto type) {
    using T = decltype(type);
    return [=](const KernelArguments& arguments, int64_t begin, int64_t end) {
      const double rate = readScalar(arguments.inputs[3], rateType);
      for (int64_t i = begin; i < end; ++i) {
        const double weight =
            decayed(static_cast<double>(inputOf<T>(arguments, 0)[i]), decay, rate);
        const double gradient = static_cast<double>(inputOf<T>(arguments, 1)[i]);
        const double accumulator =
            static_cast<double>(inputOf<T>(arguments, 2)[i]) + gradient * gradient;
        outputOf<T>(arguments, 1)[i] = static_cast<T>(accumulator);
        outputOf<T>(arguments, 0)[i] =
            static_cast<T>(weight - rate * gradient / std::sqrt(accumulator + epsilon));
      }
    };
  });
}

}  // namespace strata::reference
