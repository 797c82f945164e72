// SPDX-License-Identifier: Apache-2.0
// The base of planned library calls (StrataPlan of interface.h): those of real cards
// (card_libraries.cpp), and those of simulated ones (gpu/simulated/libraries.cpp).
// Thread: as their makers.
#pragma once

#include "gpu/cuda/interface.h"

struct StrataPlan {
  StrataPlan() = default;
  virtual ~StrataPlan() = default;
  StrataPlan(const StrataPlan&) = delete;
  StrataPlan& operator=(const StrataPlan&) = delete;
};
