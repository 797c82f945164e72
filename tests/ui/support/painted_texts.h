// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a window on a device that records its strings: where they are, how much of them is
// visible, and whether they are in italics. plotTexts() does so for a plot, which draws on a
// picture.
#pragma once

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QWidget>
#include <vector>

#include "ui/plots/qcp.h"

namespace strata::ui {

struct Painted {
  QString text;
  const QWidget* widget = nullptr;
  // The rectangle of the painted text, in window coordinates.
  QRectF ink;
  // The visible part of the widget, in window coordinates.
  QRectF clip;
  bool isItalic = false;
};

class ListeningEngine : public QPaintEngine {
 public:
  explicit ListeningEngine(std::vector<Painted>& found)
      : QPaintEngine(AllFeatures), m_found(found) {}
  bool begin(QPaintDevice*) override { return true; }
  bool end() override { return true; }
  void updateState(const QPaintEngineState&) override {}
  Type type() const override { return User; }
  void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
  void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {}
  void drawTiledPixmap(const QRectF&, const QPixmap&, const QPointF&) override {}
  void drawPath(const QPainterPath&) override {}
  void drawRects(const QRectF*, int) override {}
  void drawRects(const QRect*, int) override {}
  void drawLines(const QLineF*, int) override {}
  void drawLines(const QLine*, int) override {}
  void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
  void drawPolygon(const QPoint*, int, PolygonDrawMode) override {}
  void drawEllipse(const QRectF&) override {}
  void drawEllipse(const QRect&) override {}
  void drawPoints(const QPointF*, int) override {}
  void drawTextItem(const QPointF& at, const QTextItem& item) override {
    const QString words = item.text();
    if (words.trimmed().isEmpty()) return;
    const QPainter& by = *painter();
    Painted painted;
    painted.text = words;
    painted.isItalic = item.font().italic();
    if (QPaintDevice* device = by.device(); device && device->devType() == QInternal::Widget)
      painted.widget = static_cast<QWidget*>(device);
    // The transform also contains the position of a child widget, which the device does not know.
    const QTransform transform = state->transform();
    painted.ink =
        transform.mapRect(QFontMetricsF(item.font()).tightBoundingRect(words).translated(at));
    painted.clip = systemClip().boundingRect();
    if (by.hasClipping()) painted.clip &= transform.mapRect(by.clipBoundingRect());
    m_found.push_back(painted);
  }

 private:
  std::vector<Painted>& m_found;
};

class ListeningDevice : public QPaintDevice {
 public:
  explicit ListeningDevice(const QWidget& like) : m_like(like), m_engine(m_found) {}
  QPaintEngine* paintEngine() const override { return &m_engine; }
  const std::vector<Painted>& found() const { return m_found; }

 protected:
  int metric(PaintDeviceMetric wanted) const override {
    switch (wanted) {
      case PdmWidth: return m_like.width();
      case PdmHeight: return m_like.height();
      case PdmWidthMM: return m_like.widthMM();
      case PdmHeightMM: return m_like.heightMM();
      case PdmNumColors: return 1 << 24;
      case PdmDepth: return 24;
      case PdmDpiX:
      case PdmPhysicalDpiX: return m_like.logicalDpiX();
      case PdmDpiY:
      case PdmPhysicalDpiY: return m_like.logicalDpiY();
      case PdmDevicePixelRatio: return 1;
      case PdmDevicePixelRatioScaled: return static_cast<int>(devicePixelRatioFScale());
      default: return 0;
    }
  }

 private:
  const QWidget& m_like;
  std::vector<Painted> m_found;
  mutable ListeningEngine m_engine;
};

/// Returns all strings of a window.
inline std::vector<Painted> paintedTexts(QWidget& window) {
  ListeningDevice device(window);
  window.render(&device, {}, {}, QWidget::DrawWindowBackground | QWidget::DrawChildren);
  return device.found();
}

/// Returns all strings of a plot, in its coordinates.
inline std::vector<Painted> plotTexts(QCustomPlot& plot) {
  ListeningDevice device(plot);
  {
    QCPPainter painter(&device);
    // A cached label is a picture
    painter.setModes(QCPPainter::pmVectorized | QCPPainter::pmNoCaching);
    plot.toPainter(&painter, plot.width(), plot.height());
  }
  return device.found();
}

}  // namespace strata::ui
