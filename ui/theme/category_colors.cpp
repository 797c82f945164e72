// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/category_colors.h"

#include <QCoreApplication>

namespace strata::ui {

QColor categoryColor(Category category, bool isDark) {
  QRgb rgb = 0;
  switch (category) {
    case Category::Parameter: rgb = 0x2f6fe0; break;
    case Category::Optimizer: rgb = 0x6f9fee; break;
    case Category::Gradient: rgb = 0x8e5bd0; break;
    case Category::Activation: rgb = 0x2e9f5b; break;
    case Category::Input: rgb = 0x8b8b2a; break;
    case Category::Workspace: rgb = 0xf0b24c; break;
    case Category::Temporary: rgb = 0xc25b6b; break;
    case Category::Communication: rgb = 0x2aa5a5; break;
  }
  const QColor color(rgb);
  return isDark ? color.lighter(112) : color;
}

QString categoryTitle(Category category) {
  const auto title = [](const char* source) {
    return QCoreApplication::translate("Category", source);
  };
  switch (category) {
    case Category::Parameter: return title(QT_TRANSLATE_NOOP("Category", "Parameters"));
    case Category::Gradient: return title(QT_TRANSLATE_NOOP("Category", "Gradients"));
    case Category::Optimizer: return title(QT_TRANSLATE_NOOP("Category", "Optimizer"));
    case Category::Activation: return title(QT_TRANSLATE_NOOP("Category", "Activations"));
    case Category::Input: return title(QT_TRANSLATE_NOOP("Category", "Inputs"));
    case Category::Temporary: return title(QT_TRANSLATE_NOOP("Category", "Temporary"));
    case Category::Workspace: return title(QT_TRANSLATE_NOOP("Category", "Workspace"));
    case Category::Communication: return title(QT_TRANSLATE_NOOP("Category", "Communication"));
  }
  return {};
}

}  // namespace strata::ui
