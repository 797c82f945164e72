// SPDX-License-Identifier: Apache-2.0
#include "core/layer_statistics/layer_sample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace strata {

namespace {

constexpr float kSaturatedTanh = 0.97f;
constexpr float kSaturatedSigmoid = 0.985f;

/// An activation that saturates, and the outputs below and above which it does.
struct Ends {
  std::string_view activation;
  float low, high;
  // Whether the ends themselves are saturated
  bool isClosed;
};
constexpr float kNever = std::numeric_limits<float>::infinity();
constexpr std::array<Ends, 6> kEnds{{{"tanh", -kSaturatedTanh, kSaturatedTanh, false},
                                     {"softsign", -kSaturatedTanh, kSaturatedTanh, false},
                                     {"sigmoid", 1 - kSaturatedSigmoid, kSaturatedSigmoid, false},
                                     {"hard_sigmoid", 0, 1, true},
                                     {"hard_tanh", -1, 1, true},
                                     {"relu6", -kNever, 6, true}}};

const Ends* endsOf(const std::string& activation) {
  const auto found = std::ranges::find(kEnds, activation, &Ends::activation);
  return found == kEnds.end() ? nullptr : &*found;
}

}  // namespace

float saturatedShare(const std::string& activation, std::span<const float> outputs) {
  const Ends* const ends = endsOf(activation);
  if (!ends || outputs.empty()) return std::numeric_limits<float>::quiet_NaN();
  const Ends limits = *ends;
  const auto isEnd = [limits](float output) {
    return limits.isClosed ? output <= limits.low || output >= limits.high
                           : output < limits.low || output > limits.high;
  };
  return static_cast<float>(static_cast<double>(std::ranges::count_if(outputs, isEnd)) /
                            static_cast<double>(outputs.size()));
}

}  // namespace strata
