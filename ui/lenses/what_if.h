// SPDX-License-Identifier: GPL-3.0-or-later
// Predicts the memory and the time of a training step for other settings than those of the design:
// batch size, accumulation, precision, recomputation, memory limit and device. A button puts the
// settings into the design. A slider shows what memory limits cost. Thread: GUI thread; plans are
// made on a worker.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "core/project/project.h"
#include "core/train/plan.h"
#include "ui/document/latest_worker.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSlider;

namespace strata::ui {

class Document;

class WhatIf : public QWidget {
  Q_OBJECT
 public:
  WhatIf(Document& document, QWidget* parent);
  ~WhatIf() override;
  /// The prediction for the present settings; nullopt while it is computed or if there is none.
  struct Prediction {
    double peakBytes = 0, limitBytes = 0, stepSeconds = 0;
    // `isPart`: the time is without the communication between devices
    bool fits = false, isBusy = false, isPart = false;
    // Why there is no prediction; empty otherwise
    QString problem;
  };
  const std::optional<Prediction>& prediction() const { return m_prediction; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Request {
    quint64 ticket = 0;
    Project project;
    // The design, if the time of its step was measured in trial steps
    std::optional<Project> design;
    double designSeconds = 0;
    // The limit of the design's memory if it is that of the settings, too, or 0. Another plan may
    // find less free memory on this machine.
    double limitBytes = 0;
    // Whether the settings are those of the design, or that time was measured on a busy machine
    bool isDesign = false, isBusy = false;
  };
  QLayout* makeFields();
  QLayout* makeBudget();
  void takeFromDesign();
  void ask();
  Json editedDocument() const;
  Request requestOf() const;
  void predict(const Request& request, const std::stop_token& stop);
  static Prediction predictionOf(const Request& request, const std::stop_token& stop);
  void onEstimate();
  void show(quint64 ticket, const Prediction& prediction);
  void use();
  void showBudgets();
  void showBudget();

  Document& m_document;
  QLineEdit *m_batch, *m_pieces, *m_limit;
  QComboBox *m_precision, *m_recompute, *m_device;
  QLabel* m_answer;
  QPushButton* m_use;
  QSlider* m_budget;
  QLabel* m_budgetText;
  QPushButton* m_useBudget;
  std::vector<PlanBudget> m_budgets;
  std::optional<Prediction> m_prediction;
  // The time of the design's step and the limit that the prediction is from; 0 if unknown
  double m_designSeconds = 0, m_designLimit = 0;
  quint64 m_ticket = 0;
  // Whether the present settings wait for a prediction, because nobody sees it
  bool m_isOwed = false;
  // Whether the fields change without the user
  bool m_isTaking = true;
  // The last member, so that its thread ends first
  std::unique_ptr<LatestWorker<Request>> m_worker;
};

}  // namespace strata::ui
