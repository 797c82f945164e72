// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates a training step on other GPUs from their data sheet: whether it fits on one, the
// shortest time, what limits the speed, and the time on several. Thread: GUI thread. The estimate
// runs on a worker thread.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/project/project.h"
#include "core/train/device_plan.h"
#include "core/train/replica_plan.h"
#include "ui/document/latest_worker.h"

class QComboBox;
class QLabel;

namespace strata::ui {

class Document;

class DeviceForecast : public QWidget {
  Q_OBJECT
 public:
  DeviceForecast(Document& document, QWidget* parent);
  ~DeviceForecast() override;

 private:
  struct Request {
    quint64 ticket = 0;
    Project project;
    std::string device;
    int count = 1;
  };
  struct Estimate {
    DevicePlan plan;
    // On several GPUs, over each of the usual links
    std::vector<ReplicaPrediction> several;
  };
  void ask();
  void estimate(const Request& request, const std::stop_token& stop);
  void show(quint64 ticket, const std::optional<Estimate>& estimate, const QString& why);
  void showSeveral(const Estimate& estimate);

  Document& m_document;
  QComboBox *m_devices = nullptr, *m_count = nullptr;
  QLabel *m_memory = nullptr, *m_repeats = nullptr, *m_time = nullptr, *m_several = nullptr;
  quint64 m_ticket = 0;
  // Declared last, so that its thread ends before the other members are destroyed.
  std::unique_ptr<LatestWorker<Request>> m_worker;
};

}  // namespace strata::ui
