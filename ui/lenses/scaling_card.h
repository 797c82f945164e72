// SPDX-License-Identifier: GPL-3.0-or-later
// The card of the Devices lens that says how training gets faster with more devices: measured for 1
// to N replicas on this machine, and predicted over standard links. Thread: GUI thread; a worker
// measures.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "core/check/checked_project.h"
#include "core/train/bench.h"
#include "core/train/replica_plan.h"
#include "ui/document/latest_worker.h"
#include "ui/lenses/lens.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTableWidget;

namespace strata::ui {

class ScalingCard : public QWidget {
  Q_OBJECT
 public:
  ScalingCard(const LensContext& context, QWidget* parent);
  struct Result {
    // Absent if only predictions were possible
    std::optional<BenchReport> measured;
    std::vector<ReplicaPrediction> predicted;
    QString problem;
    // That of the measured design
    double batchSize = 0;
  };
  const std::optional<Result>& result() const { return m_result; }
  bool isMeasuring() const { return m_isMeasuring; }

 Q_SIGNALS:
  void finished();

 private:
  struct Request {
    std::shared_ptr<const CheckedProject> project;
    int replicas = 2;
  };
  static Result measure(const Request& request, const std::stop_token& stop);
  void start();
  void show(Result result);
  void updateButton();

  const LensContext m_context;
  QComboBox* m_count;
  QPushButton* m_start;
  QLabel* m_note;
  QTableWidget* m_table;
  std::optional<Result> m_result;
  bool m_isMeasuring = false;
  // The last member, so that its thread ends first
  LatestWorker<Request> m_worker;
};

}  // namespace strata::ui
