// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates a training step on another GPU from its data sheet: whether it fits, the shortest time,
// and what limits the speed. Thread: GUI thread. The estimate runs on a worker thread.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <string>

#include "core/project/project.h"
#include "core/train/device_plan.h"
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
  };
  void ask();
  void estimate(const Request& request, const std::stop_token& stop);
  void show(quint64 ticket, const std::optional<DevicePlan>& plan, const QString& why);

  Document& m_document;
  QComboBox* m_devices = nullptr;
  QLabel *m_memory = nullptr, *m_repeats = nullptr, *m_time = nullptr;
  quint64 m_ticket = 0;
  // Declared last, so that its thread ends before the other members are destroyed.
  std::unique_ptr<LatestWorker<Request>> m_worker;
};

}  // namespace strata::ui
