// SPDX-License-Identifier: GPL-3.0-or-later
// A lens with the layers of a run: a table of their latest statistics with verdicts, and for the
// selected layer how its weights, gradients and outputs are distributed over the run, its update
// ratio and dead units, pictures, and a check against the reference device. After a NaN or Inf it
// shows the batch. Thread: GUI thread.
#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

#include "ui/lenses/lens.h"
#include "ui/run/redraw_pace.h"

class QCheckBox;
class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace strata::ui {

class DistributionPlot;
class LayerCheckCard;
class LayerCurve;
class LayerHealthModel;
class LayerPictures;
class LinkedPlots;

class LayersLens : public QWidget {
  Q_OBJECT
 public:
  LayersLens(const LensContext& context, QWidget* parent);
  /// Selects a layer, as a click on its row does.
  void selectLayer(const QString& layer);
  const LayerHealthModel& model() const { return *m_model; }
  /// Weights, gradients and outputs.
  const std::vector<DistributionPlot*>& distributions() const { return m_distributions; }
  LayerCurve& updateRatio() { return *m_updateRatio; }
  LayerPictures& pictures() { return *m_pictures; }
  LayerCheckCard& check() { return *m_check; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeBanner();
  QWidget* makeTableCard();
  QWidget* makePlots();
  void refresh();
  void refreshSoon();
  void refreshTable();
  void refreshLayer();
  void refreshBanner();
  QString whyEmpty() const;
  std::optional<size_t> selected() const;

  const LensContext m_context;
  RedrawPace m_pace;
  QTimer m_late;
  QWidget* m_banner;
  QLabel *m_bannerText, *m_title, *m_cost, *m_empty, *m_verdict;
  QPushButton *m_showLayer, *m_sampleNow;
  QCheckBox* m_sampled;
  LayerHealthModel* m_model;
  QSortFilterProxyModel* m_sorted;
  QTableView* m_table;
  LinkedPlots* m_linked;
  std::vector<DistributionPlot*> m_distributions;
  LayerCurve *m_updateRatio, *m_dead;
  LayerPictures* m_pictures;
  LayerCheckCard* m_check;
  // The name of the selected layer
  QString m_layer;
};

QWidget* makeLayersLens(const LensContext& context, QWidget* parent);

}  // namespace strata::ui
