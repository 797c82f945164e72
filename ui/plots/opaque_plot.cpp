// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/opaque_plot.h"

#include <QImage>
#include <QResizeEvent>

namespace strata::ui {

/// The first picture of the plot. Those of layers above it are transparent.
class OpaquePlot::Buffer final : public QCPAbstractPaintBuffer {
 public:
  explicit Buffer(const OpaquePlot& plot)
      : QCPAbstractPaintBuffer(plot.viewport().size(), plot.bufferDevicePixelRatio()),
        m_plot(plot) {
    makeImage();
  }
  QCPPainter* startPainting() override { return new QCPPainter(&m_image); }
  void draw(QCPPainter* painter) const override { painter->drawImage(0, 0, m_image); }
  /// Fills it with the background of the plot, whatever the colour is.
  void clear(const QColor&) override { m_image.fill(m_plot.mBackgroundBrush.color()); }

 private:
  void reallocateBuffer() override {
    setInvalidated();
    makeImage();
  }
  void makeImage() {
    // With a ratio such as 1.25, the last pixels may be outside of the plot
    m_image = QImage(qCeil(mSize.width() * mDevicePixelRatio),
                     qCeil(mSize.height() * mDevicePixelRatio), QImage::Format_RGB32);
    m_image.setDevicePixelRatio(mDevicePixelRatio);
    clear({});
  }

  const OpaquePlot& m_plot;
  QImage m_image;
};

OpaquePlot::OpaquePlot(QWidget* parent) : QCustomPlot(parent) {
  mPaintBuffers = {QSharedPointer<QCPAbstractPaintBuffer>(new Buffer(*this))};
  setAttribute(Qt::WA_OpaquePaintEvent);
  replot();
}

void OpaquePlot::paintEvent(QPaintEvent* event) {
  // On another screen, the plot needs other pictures. A replot may paint, so it follows later.
  if (!qFuzzyCompare(bufferDevicePixelRatio(), devicePixelRatioF())) {
    const auto adopt = [this] {
      setBufferDevicePixelRatio(devicePixelRatioF());
      replot();
    };
    QMetaObject::invokeMethod(this, adopt, Qt::QueuedConnection);
    return QCustomPlot::paintEvent(event);
  }
  QCPPainter painter(this);
  for (const QSharedPointer<QCPAbstractPaintBuffer>& buffer : mPaintBuffers)
    buffer->draw(&painter);
}

void OpaquePlot::resizeEvent(QResizeEvent* event) {
  if (!event->size().isEmpty()) QCustomPlot::resizeEvent(event);
}

}  // namespace strata::ui
