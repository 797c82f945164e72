// SPDX-License-Identifier: Apache-2.0
// The training samples in the memory of a device, as compact as in their source. Steps gather,
// convert and scale them there, so that only the indices of a batch travel. Not here: the order of
// batches (feeder.h), data in host memory (loader.h).
// Thread: only the training thread may use an object.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/data/dataset.h"
#include "core/train/network.h"

namespace strata {

class KeptData {
 public:
  /// Copies the training samples to the device of the network. Returns null if the device keeps no
  /// rows, if samples are decoded for each batch, if a transform must run on the host, or if the
  /// samples do not fit next to the network. Network and data must outlive the object.
  static std::unique_ptr<KeptData> make(Network& network, const Dataset& dataset);
  /// Makes the next step of the program take the samples with these indices, which must not change
  /// until it is submitted.
  void feed(Program& program, const int32_t* indices) const;
  size_t bytes() const;
  /// Returns about how many bytes the device would keep, or 0 if it keeps no rows. Whether they
  /// fit, and whether a transform must run on the host, is known when the data is loaded.
  static size_t expectedBytes(const Device& device, const DatasetInfo& data);

 private:
  struct Array {
    // Name of the programs' input
    std::string name;
    KeptRows rows;
  };
  std::vector<Array> m_arrays;
};

}  // namespace strata
