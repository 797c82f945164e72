// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/tensor_picture.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <span>

namespace strata::ui {

namespace {

/// How the images lie in a tensor.
struct Layout {
  int64_t count = 1, height = 1, width = 1;
  // Elements between two filters, and between the same place of two channels
  int64_t channels = 1;
};

Layout layoutOf(const Shape& shape) {
  Layout layout;
  switch (shape.rank()) {
    case 0: break;
    case 1: layout.width = shape[0]; break;
    case 2:
      layout.height = shape[0];
      layout.width = shape[1];
      break;
    default:
      layout.channels = shape.dim(-1);
      layout.width = shape.dim(-2);
      layout.height = shape.dim(-3);
      layout.count = layout.channels;
      for (int axis = 0; axis + 3 < shape.rank(); ++axis)
        layout.count *= shape[static_cast<size_t>(axis)];
  }
  return layout;
}

/// Draws an image of the tensor as grey values.
QImage imageAt(std::span<const float> values, const Layout& layout, int64_t index) {
  const int64_t first = index / layout.channels * layout.height * layout.width * layout.channels +
                        index % layout.channels;
  float low = INFINITY, high = -INFINITY;
  const int64_t places = layout.height * layout.width;
  for (int64_t place = 0; place < places; ++place) {
    const float value = values[static_cast<size_t>(first + place * layout.channels)];
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  QImage image(static_cast<int>(layout.width), static_cast<int>(layout.height),
               QImage::Format_Grayscale8);
  for (int64_t y = 0; y < layout.height; ++y)
    for (int64_t x = 0; x < layout.width; ++x) {
      const float value =
          values[static_cast<size_t>(first + (y * layout.width + x) * layout.channels)];
      const float part = high > low && std::isfinite(value) ? (value - low) / (high - low) : 0.5F;
      image.scanLine(static_cast<int>(y))[x] = static_cast<uchar>(std::lround(255 * part));
    }
  return image;
}

}  // namespace

int64_t numPictures(const Tensor& values) { return layoutOf(values.shape()).count; }

QImage tensorPicture(const Tensor& values, int width, const QColor& background, int64_t most) {
  constexpr int kGap = 4, kLeast = 36, kMost = 224;
  const Layout layout = layoutOf(values.shape());
  const auto count = static_cast<int>(std::min(most, layout.count));
  if (count == 0 || values.numElements() == 0 || width < kLeast) return {};
  // Few images are large
  const int columns = std::clamp(width / (kLeast + kGap), 1, std::max(1, count));
  const int side = std::clamp(width / columns - kGap, kLeast, kMost);
  const double scale =
      static_cast<double>(side) / static_cast<double>(std::max(layout.width, layout.height));
  const int cellWidth =
      std::max(4, static_cast<int>(std::lround(scale * static_cast<double>(layout.width))));
  const int cellHeight =
      std::max(4, static_cast<int>(std::lround(scale * static_cast<double>(layout.height))));
  const int rows = (count + columns - 1) / columns;
  QImage grid(columns * (cellWidth + kGap), rows * (cellHeight + kGap), QImage::Format_RGB32);
  grid.fill(background);
  QPainter painter(&grid);
  const std::span<const float> all = values.as<float>();
  for (int i = 0; i < count; ++i)
    painter.drawImage(QRect(i % columns * (cellWidth + kGap), i / columns * (cellHeight + kGap),
                            cellWidth, cellHeight),
                      imageAt(all, layout, i));
  return grid;
}

}  // namespace strata::ui
