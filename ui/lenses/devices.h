// SPDX-License-Identifier: GPL-3.0-or-later
// A lens with the devices of a run next to each other: their memory by category, what they do in a
// step, their states over the time of the run, how they are connected, and how training scales.
// Thread: GUI thread.
#pragma once

#include <QWidget>
#include <vector>

#include "core/runs/replica_figures.h"
#include "ui/lenses/lens.h"
#include "ui/run/device_history.h"
#include "ui/run/redraw_pace.h"

class QGridLayout;
class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace strata::ui {

class BatchShare;
class DevicePlot;
class FigureGrid;
class LinkedPlots;
class ScalingCard;
struct ShownRun;
class StackedBars;

class DevicesLens : public QWidget {
  Q_OBJECT
 public:
  DevicesLens(const LensContext& context, QWidget* parent);
  /// What the devices do in a step, and their memory; empty with one device.
  StackedBars& times() { return *m_times; }
  StackedBars& memory() { return *m_memory; }
  ScalingCard& scaling() { return *m_scaling; }

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  /// A quantity: its plot, and a column of values for each device.
  struct Quantity {
    DeviceQuantity quantity;
    QWidget* frame;
    QLabel* title;
    QLabel* why;
    QGridLayout* values;
    DevicePlot* plot;
    struct Cells {
      QLabel *device, *now, *most;
    };
    std::vector<Cells> cells;
  };
  QWidget* makeReplicaCard();
  QWidget* makeLinkCard();
  Quantity makeQuantity(size_t index);
  void refresh();
  void refreshReplicas();
  void refreshLinks();
  QString refreshQuantity(Quantity& quantity);
  void refreshQuantities();
  void placeCards(const std::vector<QWidget*>& cards);
  void fillTable(const ReplicaReport& report);
  void fillCommunication(const ReplicaReport& report);
  void showBatch(const ShownRun& run, const ReplicaReport& report);
  void clearPlots();

  const LensContext m_context;
  RedrawPace m_pace;
  size_t m_numDevices = 0;
  QVBoxLayout* m_layout;
  QLabel* m_empty;
  QWidget* m_replicas;
  StackedBars *m_times, *m_memory;
  FigureGrid *m_replicaGrid, *m_communicationGrid;
  QLabel *m_warnings, *m_legend, *m_equal, *m_batch, *m_next;
  BatchShare* m_share;
  QLabel* m_summary;
  LinkedPlots* m_linked;
  std::vector<Quantity> m_quantities;
  QScrollArea* m_scroll;
  QGridLayout* m_grid;
  // The cards in it, in their order, and its columns
  std::vector<QWidget*> m_placed;
  int m_columns = 0;
  QLabel* m_unknown;
  QWidget* m_links;
  QLabel* m_linkText;
  // The device whose links are shown
  std::string m_linksOf;
  ScalingCard* m_scaling;
};

QWidget* makeDevicesLens(const LensContext& context, QWidget* parent);

}  // namespace strata::ui
