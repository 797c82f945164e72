// SPDX-License-Identifier: GPL-3.0-or-later
// The card of the Layers lens with pictures of a trained layer: its filters, its outputs for a
// sample, and what matters for the network's answer (saliency, Grad-CAM, occlusion). They are those
// of the newest weights of the run. Thread: GUI thread; a worker computes.
#pragma once

#include <QImage>
#include <QWidget>
#include <memory>
#include <string>

#include "gpu/tensor/tensor.h"
#include "ui/document/latest_worker.h"
#include "ui/lenses/lens.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace strata::ui {

class LayerPictures : public QWidget {
  Q_OBJECT
 public:
  LayerPictures(const LensContext& context, QWidget* parent);
  ~LayerPictures() override;
  enum class Kind : uint8_t { Filters, Outputs, Saliency, GradCam, Occlusion };
  /// Shows pictures of this layer when the user asks for some; "" is no layer.
  void setLayer(const QString& layer);
  /// Computes the chosen pictures.
  void compute();
  /// Returns the shown values, or null.
  const Tensor* values() const { return m_values.get(); }
  const QImage& image() const { return m_image; }

 Q_SIGNALS:
  void finished(const QString& problem);

 private:
  struct Request {
    std::string directory, projectFile, layer;
    Kind kind = Kind::Filters;
    int64_t sample = 0;
    int number = 0;
  };
  struct Loaded;
  void work(const Request& request, const std::stop_token& stop);
  void take(int number, std::shared_ptr<const Tensor> values, Kind kind, const QString& note);
  void fail(int number, const QString& problem);
  void forget();
  void updateControls();
  void draw();
  int64_t sampleNumber() const;

  const LensContext m_context;
  QComboBox* m_kind;
  QLineEdit* m_sample;
  QPushButton* m_show;
  QLabel *m_note, *m_picture;
  QString m_layer;
  std::shared_ptr<const Tensor> m_values;
  Kind m_shownKind = Kind::Filters;
  QImage m_image;
  int m_number = 0;
  // Only the worker uses it
  std::unique_ptr<Loaded> m_loaded;
  // The last member, so that its thread ends first
  std::unique_ptr<LatestWorker<Request>> m_worker;
};

}  // namespace strata::ui
