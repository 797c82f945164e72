// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QSvgRenderer>

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

class SvgIconEngine : public QIconEngine {
 public:
  SvgIconEngine(QByteArray svg, QColor color) : m_svg(std::move(svg)), m_color(color) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const QPalette palette = QGuiApplication::palette();
    QColor color = m_color.isValid() ? m_color : palette.color(QPalette::ButtonText);
    if (mode == QIcon::Disabled) color = palette.color(QPalette::Disabled, QPalette::ButtonText);
    QByteArray svg = m_svg;
    svg.replace("currentColor", color.name().toLatin1());
    QSvgRenderer(svg).render(painter, rect);
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return pixmap;
  }
  QIconEngine* clone() const override { return new SvgIconEngine(m_svg, m_color); }

 private:
  QByteArray m_svg;
  QColor m_color;
};

}  // namespace

QIcon icon(const QString& name, const QColor& color) {
  QFile file(u":/icons/%1.svg"_s.arg(name));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QIcon(new SvgIconEngine(file.readAll(), color));
}

}  // namespace strata::ui
