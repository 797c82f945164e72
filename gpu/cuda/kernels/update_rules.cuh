// SPDX-License-Identifier: Apache-2.0
// What updates do with one element (gpu/ops/update.cpp has the formulas). update() changes
// `states`: the weight, then the other states of the rule in the order of its outputs. begin() is
// called before, with the learning rate.
#pragma once

#include "gpu/cuda/kernels/numbers.cuh"
#include "gpu/cuda/kernels/update.h"

namespace strata::cuda {

__device__ inline bool applies(const float* apply) { return !apply || *apply != 0; }

/// Returns the weight after decoupled weight decay.
__device__ inline float decayed(float weight, float decay, float rate) {
  return weight - weight * decay * rate;
}

struct AssignRule {
  static constexpr int kMaxStates = 1;
  __device__ void begin(float) {}
  __device__ void update(float* states, float value) const { states[0] = value; }
};

struct SgdRule {
  static constexpr int kMaxStates = 2;
  SgdNumbers numbers;
  float decay;
  bool hasVelocity;
  float rate = 0;

  __device__ void begin(float newRate) { rate = newRate; }
  __device__ void update(float* states, float gradient) const {
    const float weight = decayed(states[0], decay, rate), move = gradient * rate;
    if (!hasVelocity) {
      states[0] = weight - move;
      return;
    }
    const float velocity = numbers.momentum * states[1] - move;
    states[0] = weight + (numbers.isNesterov ? numbers.momentum * velocity - move : velocity);
    states[1] = velocity;
  }
};

struct AdamRule {
  static constexpr int kMaxStates = 4;
  AdamNumbers numbers;
  float decay;
  bool isAmsgrad;
  const int64_t* step;
  float rate = 0, alpha = 0;

  __device__ void begin(float newRate) {
    rate = newRate;
    const auto steps = static_cast<float>(*step);
    // 1 - beta^step without loss of digits
    alpha = rate * sqrtf(-expm1f(steps * numbers.logBeta2)) / -expm1f(steps * numbers.logBeta1);
  }
  __device__ void update(float* states, float gradient) const {
    const float weight = decayed(states[0], decay, rate);
    float mean = states[1], square = states[2];
    mean += (gradient - mean) * numbers.meanShare;
    square += (gradient * gradient - square) * numbers.squareShare;
    states[1] = mean;
    states[2] = square;
    if (isAmsgrad) {
      square = fmaxf(states[3], square);
      states[3] = square;
    }
    states[0] = weight - mean * alpha / (sqrtf(square) + numbers.epsilon);
  }
};

struct RmspropRule {
  static constexpr int kMaxStates = 4;
  RmspropNumbers numbers;
  float decay;
  bool hasMomentum, isCentered;
  float rate = 0;

  __device__ void begin(float newRate) { rate = newRate; }
  __device__ void update(float* states, float gradient) const {
    const float weight = decayed(states[0], decay, rate);
    // In double, because the difference of the centered variant has few digits
    const double share = 1 - numbers.rho;
    const double square = numbers.rho * static_cast<double>(states[1]) +
                          share * static_cast<double>(gradient) * static_cast<double>(gradient);
    states[1] = static_cast<float>(square);
    double denominator = square + numbers.epsilon;
    if (isCentered) {
      float& average = states[hasMomentum ? 3 : 2];
      const double mean =
          numbers.rho * static_cast<double>(average) + share * static_cast<double>(gradient);
      average = static_cast<float>(mean);
      denominator -= mean * mean;
    }
    float move = rate * gradient / sqrtf(static_cast<float>(denominator));
    if (hasMomentum) {
      move += numbers.momentum * states[2];
      states[2] = move;
    }
    states[0] = weight - move;
  }
};

struct AdagradRule {
  static constexpr int kMaxStates = 2;
  float epsilon, decay;
  float rate = 0;

  __device__ void begin(float newRate) { rate = newRate; }
  __device__ void update(float* states, float gradient) const {
    const float weight = decayed(states[0], decay, rate), sum = states[1] + gradient * gradient;
    states[1] = sum;
    states[0] = weight - rate * gradient / sqrtf(sum + epsilon);
  }
};

}  // namespace strata::cuda
