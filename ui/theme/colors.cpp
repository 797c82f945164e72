// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/colors.h"

#include <QGuiApplication>
#include <QPalette>
#include <QWidget>
#include <algorithm>
#include <cmath>

namespace strata::ui {

namespace {

QColor rgb(unsigned value) { return QColor::fromRgb(QRgb{0xff000000U | value}); }

Colors makeLight() {
  Colors c;
  c.page = rgb(0xf3f4f6);
  c.card = rgb(0xffffff);
  c.border = rgb(0xd4d8de);
  c.hairline = rgb(0xe9ebef);
  c.hover = rgb(0xf1f4f8);
  c.pressed = rgb(0xe4e9f0);
  c.text = rgb(0x191d22);
  c.muted = rgb(0x57606a);
  c.faint = rgb(0x737c87);
  c.accent = rgb(0x2d6cdf);
  c.accentText = rgb(0xffffff);
  c.accentSoft = rgb(0xe6eefc);
  c.strip = rgb(0xeef3fe);
  c.stripBorder = rgb(0xc8d8f6);
  c.train = rgb(0x268a4e);
  c.trainHover = rgb(0x1f7843);
  c.trainText = rgb(0xffffff);
  c.cost = rgb(0xefb04c);
  c.problem = rgb(0xc4302b);
  c.warning = rgb(0x9a6700);
  c.good = rgb(0x2e9e5b);
  c.problemSoft = rgb(0xfdf0ef);
  return c;
}

Colors makeDark() {
  Colors c;
  c.isDark = true;
  c.page = rgb(0x15181c);
  c.card = rgb(0x1e2227);
  c.border = rgb(0x3a414a);
  c.hairline = rgb(0x2a2f36);
  c.hover = rgb(0x272c33);
  c.pressed = rgb(0x313842);
  c.text = rgb(0xe8ebef);
  c.muted = rgb(0xa7b0ba);
  c.faint = rgb(0x8b95a0);
  c.accent = rgb(0x3f7de8);
  c.accentText = rgb(0xffffff);
  c.accentSoft = rgb(0x243653);
  c.strip = rgb(0x1c2638);
  c.stripBorder = rgb(0x30456c);
  c.train = rgb(0x2a8a51);
  c.trainHover = rgb(0x329e5e);
  c.trainText = rgb(0xffffff);
  c.cost = rgb(0xc98d34);
  c.problem = rgb(0xf2776f);
  c.warning = rgb(0xe0b04f);
  c.good = rgb(0x43b874);
  c.problemSoft = rgb(0x36211f);
  return c;
}

struct Kind {
  const char* group;
  unsigned light, dark;
};

constexpr unsigned kGrey = 0x788391, kGreyDark = 0x8a95a3;
constexpr Kind kKinds[] = {
    {"convolution", 0x2d6cdf, 0x5b93f5},   {"pooling", 0x8d57cf, 0xa97be6},
    {"dense", 0x2e9e5b, 0x46b676},         {"activation", 0x5f9e2e, 0x8bbd4f},
    {"normalization", 0xc98413, 0xd99c3a}, {"regularization", 0xa68a00, 0xc2a93c},
    {"merge", 0x1593a5, 0x36b3c4},         {"merging", 0x1593a5, 0x36b3c4},
    {"shape", kGrey, kGreyDark},           {"reshaping", kGrey, kGreyDark},
    {"input", kGrey, kGreyDark},
};

struct EventColor {
  unsigned light, dark;
};
// Light enough in the light theme, and dark enough in the dark theme, for text on them
constexpr EventColor kEventColors[kNumEventColors] = {
    {0x9dbcf5, 0x2f569e}, {0x9fd8b4, 0x2a6b45}, {0xf3cf8e, 0x7d5a1c}, {0xcdb2ec, 0x5f3f8a},
    {0xf1aeb2, 0x84424a}, {0x97d7de, 0x1f6670}, {0xc7cdd6, 0x4c5663}, {0xd3dc93, 0x5d6a23},
};

}  // namespace

const Colors& lightColors() {
  static const Colors colors = makeLight();
  return colors;
}

const Colors& darkColors() {
  static const Colors colors = makeDark();
  return colors;
}

const Colors& colorsOf(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < 128 ? darkColors() : lightColors();
}

// The palette of the widget can't be used, because a style sheet stores its backgrounds there.
const Colors& colorsOf(const QWidget*) { return colorsOf(QGuiApplication::palette()); }

static double luminance(const QColor& color) {
  const auto part = [](float value) {
    const auto x = static_cast<double>(value);
    return x <= 0.03928 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * part(color.redF()) + 0.7152 * part(color.greenF()) + 0.0722 * part(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const double first = luminance(a), second = luminance(b);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

QColor textColorOn(const QColor& fill, const QColor& background) {
  const float alpha = fill.alphaF();
  const auto mix = [alpha](float front, float back) {
    return front * alpha + back * (1 - alpha);
  };
  const QColor ground =
      QColor::fromRgbF(mix(fill.redF(), background.redF()), mix(fill.greenF(), background.greenF()),
                       mix(fill.blueF(), background.blueF()));
  const QColor &dark = lightColors().text, &light = darkColors().text;
  return contrast(dark, ground) >= contrast(light, ground) ? dark : light;
}

QColor kindColor(const QString& group, bool isDark) {
  for (const Kind& kind : kKinds) {
    if (group.compare(QLatin1String(kind.group), Qt::CaseInsensitive) == 0)
      return rgb(isDark ? kind.dark : kind.light);
  }
  return rgb(isDark ? kGreyDark : kGrey);
}

QColor eventColor(int number, bool isDark) {
  const EventColor& color = kEventColors[number % kNumEventColors];
  return rgb(isDark ? color.dark : color.light);
}

}  // namespace strata::ui
