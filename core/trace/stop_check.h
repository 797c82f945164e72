// SPDX-License-Identifier: Apache-2.0
// Ends work within milliseconds after a stop was requested, also within a sort: comparators call
// it.
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>

#include "gpu/base/error.h"

namespace strata {

class StopCheck {
 public:
  explicit StopCheck(std::stop_token stop, std::string file = {})
      : m_stop(std::move(stop)), m_file(std::move(file)) {}
  /// Fails: Stopped.
  void now() const {
    if (m_stop.stop_requested())
      throw Error(ErrorCode::Stopped, m_file, "was not read to its end.");
  }
  /// Checks on every 4096th call. Fails: Stopped.
  void sometimes() const {
    if (++m_count % 4096 == 0) now();
  }

 private:
  std::stop_token m_stop;
  std::string m_file;
  mutable uint32_t m_count = 0;
};

}  // namespace strata
