// SPDX-License-Identifier: Apache-2.0
#include "core/explain/occlusion_patches.h"

#include <algorithm>
#include <cmath>

#include "gpu/base/error.h"

namespace strata {

namespace {

[[noreturn]] void fail(const std::string& name, const std::string& message) {
  throw Error(ErrorCode::InvalidArgument, name, message);
}

/// Returns one number for each axis. `given` has none, one for all axes, or one for each.
std::vector<int64_t> forEachAxis(const std::string& name, const char* what,
                                 const std::vector<int64_t>& given,
                                 const std::vector<int64_t>& defaults,
                                 const std::vector<int64_t>& limits) {
  std::vector<int64_t> result = given.empty() ? defaults : given;
  if (given.size() == 1) result.assign(limits.size(), given.front());
  if (result.size() != limits.size())
    fail(name, "the number of values of the patch " + std::string(what) +
                   " is wrong (expected 1 or " + std::to_string(limits.size()) + ", got " +
                   std::to_string(given.size()) + ").");
  for (size_t i = 0; i < limits.size(); ++i)
    if (result[i] < 1 || result[i] > limits[i])
      fail(name, "the patch " + std::string(what) + " is out of range (expected 1 to " +
                     std::to_string(limits[i]) + ", got " + std::to_string(result[i]) + ").");
  return result;
}

/// Calls `use` with the values of the tensor as the type that they have.
template <class Use>
void withValues(Tensor& values, Use&& use) {
  switch (values.dtype()) {
    case DType::F32: return use(values.as<float>());
    case DType::F64: return use(values.as<double>());
    case DType::U8: return use(values.as<uint8_t>());
    case DType::I32: return use(values.as<int32_t>());
    case DType::I64: return use(values.as<int64_t>());
    default:
      fail("occlusion",
           "samples of this element type cannot be covered (expected float32, "
           "float64, uint8, int32 or int64).");
  }
}

}  // namespace

OcclusionPatches::OcclusionPatches(const Tensor& values, std::string name,
                                   const OcclusionOptions& options)
    : m_name(std::move(name)), m_fill(options.fill) {
  const Shape& shape = values.shape();
  for (int i = 0; i < std::max(1, shape.rank() - 1); ++i)
    m_axes.push_back(i < shape.rank() ? shape[i] : 1);
  std::vector<int64_t> sizes, strides;
  for (const int64_t axis : m_axes)
    sizes.push_back(std::max<int64_t>(1, axis / 7));
  m_size = forEachAxis(m_name, "size", options.size, sizes, m_axes);
  for (const int64_t size : m_size)
    strides.push_back(std::max<int64_t>(1, size / 2));
  m_stride = forEachAxis(m_name, "stride", options.stride, strides, m_axes);
  double count = 1;
  for (size_t i = 0; i < m_axes.size(); ++i) {
    // A stride larger than the patch may step over the end of the axis
    const int64_t needed = (m_axes[i] - m_size[i] + m_stride[i] - 1) / m_stride[i] + 1;
    m_mapShape.append(std::min(needed, (m_axes[i] - 1) / m_stride[i] + 1));
    count *= static_cast<double>(m_mapShape[static_cast<int>(i)]);
  }
  if (count > static_cast<double>(kMaxPatches))
    fail(m_name, "there are too many patches (expected at most " + std::to_string(kMaxPatches) +
                     ", got " + std::to_string(static_cast<int64_t>(count)) +
                     "). Increase the stride.");
  Tensor probe(values.dtype(), Shape{1});
  withValues(probe, [&]<class Value>(std::span<Value> one) {
    if constexpr (std::is_integral_v<Value>) {
      const auto low = static_cast<double>(std::numeric_limits<Value>::min()),
                 high = static_cast<double>(std::numeric_limits<Value>::max());
      if (!(m_fill >= low && m_fill <= high) || m_fill != std::floor(m_fill))
        fail(m_name,
             "the fill value does not fit the samples (expected a whole number of their "
             "type, got " +
                 std::to_string(m_fill) + ").");
    }
    else if (!std::isfinite(m_fill)) {
      fail(m_name, "the fill value is not finite.");
    }
    one[0] = static_cast<Value>(m_fill);
  });
}

void OcclusionPatches::cover(Tensor& values, int64_t patch) const {
  // The part of each axis that is covered
  std::vector<int64_t> begin(m_axes.size()), end(m_axes.size());
  for (size_t i = m_axes.size(); i-- > 0;) {
    const int64_t along = m_mapShape[static_cast<int>(i)];
    begin[i] = patch % along * m_stride[i];
    end[i] = std::min(begin[i] + m_size[i], m_axes[i]);
    patch /= along;
  }
  int64_t places = 1;
  for (const int64_t axis : m_axes)
    places *= axis;
  const auto channels = static_cast<size_t>(values.numElements() / std::max<int64_t>(1, places));
  withValues(values, [&]<class Value>(std::span<Value> all) {
    for (int64_t place = 0; place < places; ++place) {
      int64_t rest = place;
      bool isCovered = true;
      for (size_t i = m_axes.size(); i-- > 0;) {
        const int64_t at = rest % m_axes[i];
        rest /= m_axes[i];
        isCovered = isCovered && at >= begin[i] && at < end[i];
      }
      if (isCovered)
        std::ranges::fill(all.subspan(static_cast<size_t>(place) * channels, channels),
                          static_cast<Value>(m_fill));
    }
  });
}

}  // namespace strata
