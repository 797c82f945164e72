// SPDX-License-Identifier: GPL-3.0-or-later
// A lens with the states of a run's devices: memory of this process and of others, utilization,
// temperature, power and clocks, now and over the time of the run. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <vector>

#include "core/runs/replica_figures.h"
#include "ui/lenses/lens.h"
#include "ui/run/device_history.h"

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace strata::ui {

class Sparkline;

class DevicesLens : public QWidget {
  Q_OBJECT
 public:
  DevicesLens(const LensContext& context, QWidget* parent);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Row {
    DeviceQuantity quantity;
    QLabel* name;
    QLabel* now;
    QLabel* most;
    Sparkline* curve;
  };
  struct Card {
    QWidget* frame;
    QLabel* title;
    QLabel* summary;
    std::vector<Row> rows;
  };
  void makeReplicaCard();
  void fillReplicas(const ReplicaReport& report);
  Card makeCard();
  void refresh();
  void fill(const Card& card, const DeviceHistory& history);
  void clearCurves();

  const LensContext m_context;
  QVBoxLayout* m_layout;
  QLabel* m_empty;
  // What several devices did
  QWidget* m_replicas = nullptr;
  QGridLayout* m_replicaGrid = nullptr;
  QLabel* m_slowReplica = nullptr;
  std::vector<std::vector<QLabel*>> m_replicaCells;
  // One for each device
  std::vector<Card> m_cards;
};

QWidget* makeDevicesLens(const LensContext& context, QWidget* parent);

}  // namespace strata::ui
