// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/series_colors.h"

#include <array>

namespace strata::ui {

QColor seriesColor(size_t index, const Colors& colors) {
  static constexpr std::array<QRgb, 8> kLight{0xff9333c4, 0xff0f8a6d, 0xffc2410c, 0xff8a6d00,
                                              0xffbe185d, 0xff0e7490, 0xff64748b, 0xff4d7c0f};
  static constexpr std::array<QRgb, 8> kDark{0xffc68df0, 0xff4fc7a5, 0xfff08a5b, 0xffd7b84a,
                                             0xfff07fb2, 0xff58bfd6, 0xff9aa7b8, 0xffa3cf5f};
  return QColor::fromRgb((colors.isDark ? kDark : kLight)[index % kLight.size()]);
}

QColor validationColor(const Colors& colors) {
  return QColor::fromRgb(colors.isDark ? 0xfff0a04b : 0xffdd7a1e);
}

}  // namespace strata::ui
