// SPDX-License-Identifier: GPL-3.0-or-later
// The card of the Layers lens that compares one layer on the run's device with the reference
// device. Thread: GUI thread; a worker computes.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <string>

#include "core/verify/layer_check.h"
#include "ui/document/latest_worker.h"
#include "ui/lenses/lens.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace strata::ui {

class LayerCheckCard : public QWidget {
  Q_OBJECT
 public:
  LayerCheckCard(const LensContext& context, QWidget* parent);
  void setLayer(const QString& layer);
  const std::optional<LayerCheck>& result() const { return m_result; }

 Q_SIGNALS:
  void finished();

 private:
  struct Request {
    std::shared_ptr<const Project> project;
    LayerCheckOptions options;
    int number = 0;
  };
  void forget();
  void start();
  void take(int number, const Result<LayerCheck>& result);
  void updateButton();

  const LensContext m_context;
  QPushButton* m_start;
  QLabel* m_note;
  QTableWidget* m_table;
  QString m_layer;
  std::optional<LayerCheck> m_result;
  int m_number = 0;
  bool m_isChecking = false;
  // The last member, so that its thread ends first
  LatestWorker<Request> m_worker;
};

}  // namespace strata::ui
