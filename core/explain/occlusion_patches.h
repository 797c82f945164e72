// SPDX-License-Identifier: Apache-2.0
// The places of a patch that covers parts of an input.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/explain/explainer.h"

namespace strata {

class OcclusionPatches {
 public:
  /// Places the patches on raw values. `name` is that of the Input layer, for errors.
  /// Fails: InvalidArgument if a size or distance is wrong, if there are more than kMaxPatches
  /// patches, or if the type of the values cannot hold the fill value.
  OcclusionPatches(const Tensor& values, std::string name, const OcclusionOptions& options);
  const std::vector<int64_t>& size() const { return m_size; }
  const std::vector<int64_t>& stride() const { return m_stride; }
  /// Returns the number of patches along each spatial axis.
  const Shape& mapShape() const { return m_mapShape; }
  int64_t count() const { return m_mapShape.numElements(); }
  /// Covers the values with a patch. Patches are in row-major order.
  void cover(Tensor& values, int64_t patch) const;

 private:
  const std::string m_name;
  const double m_fill;
  std::vector<int64_t> m_axes, m_size, m_stride;
  Shape m_mapShape;
};

}  // namespace strata
