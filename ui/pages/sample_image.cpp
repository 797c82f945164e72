// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/sample_image.h"

#include <QStringList>
#include <algorithm>

#include "gpu/base/error.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

double numberAt(const Tensor& tensor, int64_t index) {
  const auto i = static_cast<size_t>(index);
  switch (tensor.dtype()) {
    case DType::U8: return tensor.as<uint8_t>()[i];
    case DType::I32: return tensor.as<int32_t>()[i];
    case DType::I64: return static_cast<double>(tensor.as<int64_t>()[i]);
    case DType::F64: return tensor.as<double>()[i];
    case DType::F32: return static_cast<double>(tensor.as<float>()[i]);
    case DType::BF16: return static_cast<double>(toFloat(tensor.as<BFloat16>()[i]));
    case DType::F16: return static_cast<double>(toFloat(tensor.as<Float16>()[i]));
  }
  return 0;
}

bool areImages(const Samples& samples) {
  const Shape& shape = samples.x[0].shape();
  return shape.rank() == 4 && (shape[3] == 1 || shape[3] == 3 || shape[3] == 4) && shape[1] > 1 &&
         shape[2] > 1;
}

/// Returns the arrays of a sample, or an empty vector if a file is missing.
static std::vector<Tensor> arraysOf(const Samples& samples, int64_t index) {
  try {
    return sampleOf(samples, index);
  }
  catch (const Error&) {
    return {};
  }
}

QImage sampleImage(const Samples& samples, int64_t index) {
  if (!areImages(samples)) return {};
  const std::vector<Tensor> arrays = arraysOf(samples, index);
  if (arrays.empty()) return {};
  const Tensor& pixels = arrays[0];
  const Shape& shape = pixels.shape();
  const int height = static_cast<int>(shape[0]), width = static_cast<int>(shape[1]),
            channels = static_cast<int>(shape[2]);
  double low = 0, high = 255;
  // Floats have no fixed range, so the image uses the range of its values.
  if (pixels.dtype() != DType::U8) {
    low = high = numberAt(pixels, 0);
    for (int64_t i = 1; i < pixels.numElements(); ++i) {
      low = std::min(low, numberAt(pixels, i));
      high = std::max(high, numberAt(pixels, i));
    }
    if (high <= low) high = low + 1;
  }
  QImage image(width, height, channels == 4 ? QImage::Format_ARGB32 : QImage::Format_RGB32);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int rgba[4] = {0, 0, 0, 255};
      for (int c = 0; c < std::max(3, channels); ++c) {
        const double value =
            numberAt(pixels, (int64_t{y} * width + x) * channels + (channels == 1 ? 0 : c));
        rgba[c] = static_cast<int>(255 * (value - low) / (high - low));
      }
      image.setPixel(x, y, qRgba(rgba[0], rgba[1], rgba[2], rgba[3]));
    }
  return image;
}

QString sampleNumbers(const Samples& samples, int64_t index) {
  constexpr int64_t kShown = 6;
  QStringList inputs;
  for (const Tensor& x : arraysOf(samples, index)) {
    QStringList numbers;
    for (int64_t i = 0; i < std::min(x.numElements(), kShown); ++i)
      numbers.append(formatValue(numberAt(x, i), 3));
    if (x.numElements() > kShown) numbers.append(u"…"_s);
    inputs.append(numbers.join(u", "_s));
  }
  return inputs.join(u"; "_s);
}

QString targetText(const Dataset& dataset, const Samples& samples, int64_t index, size_t target) {
  const Tensor& y = samples.y[target];
  const DataTarget& about = dataset.targets[target];
  const int64_t count = samples.count() > 0 ? y.numElements() / samples.count() : 0;
  if (count == 0) return {};
  const double value = numberAt(y, index * count);
  if (!about.hasLabels) return formatValue(value, 4);
  const bool isNamed = value >= 0 && value < static_cast<double>(about.classNames.size());
  return isNamed ? text(about.classNames[static_cast<size_t>(value)])
                 : QString::number(static_cast<qlonglong>(value));
}

QString targetsText(const Dataset& dataset, const Samples& samples, int64_t index) {
  QStringList texts;
  for (size_t i = 0; i < dataset.targets.size(); ++i)
    texts.append(targetText(dataset, samples, index, i));
  return texts.join(u"; "_s);
}

}  // namespace strata::ui
