// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/memory_panel.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/cost/simulated_card.h"
#include "core/train/plan_edits.h"
#include "gpu/devices/device_name.h"
#include "ui/dialogs/device_forecast.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

// The largest number of budgets that the panel lists.
constexpr size_t kMaxBudgets = 6;

QString categoryTitle(const std::string& name) {
  static constexpr std::pair<const char*, const char*> kTitles[] = {
      {"parameter", QT_TRANSLATE_NOOP("strata::ui::MemoryPanel", "Parameters")},
      {"gradient", QT_TRANSLATE_NOOP("strata::ui::MemoryPanel", "Gradients")},
      {"optimizer", QT_TRANSLATE_NOOP("strata::ui::MemoryPanel", "Optimizer")},
      {"activation", QT_TRANSLATE_NOOP("strata::ui::MemoryPanel", "Activations")},
      {"input", QT_TRANSLATE_NOOP("strata::ui::MemoryPanel", "Inputs")},
      {"temporary", QT_TRANSLATE_NOOP("strata::ui::MemoryPanel", "Temporary")},
      {"workspace", QT_TRANSLATE_NOOP("strata::ui::MemoryPanel", "Workspace")},
      {"communication", QT_TRANSLATE_NOOP("strata::ui::MemoryPanel", "Communication")}};
  for (const auto& [key, title] : kTitles) {
    if (name == key) return QCoreApplication::translate("strata::ui::MemoryPanel", title);
  }
  return text(name);
}

bool hasLimit(const Document& document) {
  const Json::json_pointer pointer("/execution/memory_limit");
  return document.json().contains(pointer) && !document.json().at(pointer).is_null();
}

/// Returns the budgets that save memory, and are limits below the memory of the device and below
/// the present limit. Others would change nothing, or could not be met.
std::vector<PlanBudget> withinMachine(const Estimate& estimate) {
  std::vector<PlanBudget> curve = estimate.curve;
  std::erase_if(curve, [&](const PlanBudget& budget) {
    return budget.limitBytes >= estimate.memory.limit ||
           budget.limitBytes > estimate.memory.machine ||
           budget.peakBytes >= estimate.memory.network;
  });
  return curve;
}

/// Removes budgets with equal text, and keeps a few evenly spaced ones. The first and last stay.
std::vector<PlanBudget> thinned(std::vector<PlanBudget> curve) {
  const auto words = [](const PlanBudget& budget) {
    return formatBytes(static_cast<double>(budget.limitBytes));
  };
  curve.erase(
      std::unique(curve.begin(), curve.end(),
                  [&](const PlanBudget& a, const PlanBudget& b) { return words(a) == words(b); }),
      curve.end());
  if (curve.size() <= kMaxBudgets) return curve;
  std::vector<PlanBudget> few;
  for (size_t i = 0; i < kMaxBudgets; ++i)
    few.push_back(curve[i * (curve.size() - 1) / (kMaxBudgets - 1)]);
  return few;
}

}  // namespace

MemoryPanel::MemoryPanel(Document& document, QWidget* parent)
    : QFrame(parent, Qt::Popup), m_document(document) {
  setAttribute(Qt::WA_DeleteOnClose);
  setAccessibleName(tr("Memory of a training step"));
  setRole(this, "card");
  m_column = new QVBoxLayout(this);
  m_column->setContentsMargins(14, 12, 14, 12);
  m_column->setSizeConstraint(QLayout::SetFixedSize);
  m_column->addWidget(new DeviceForecast(document, this));
  connect(&document, &Document::estimateChanged, this, &MemoryPanel::rebuild);
  connect(&document, &QObject::destroyed, this, &QWidget::close);
  rebuild();
}

void MemoryPanel::rebuild() {
  const bool hadFocus = m_content && m_content->isAncestorOf(focusWidget());
  delete m_content;
  m_content = new QWidget(this);
  m_grid = new QGridLayout(m_content);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(22);
  m_grid->setVerticalSpacing(5);
  const Estimate& estimate = m_document.checks().estimate();
  if (estimate.hasMemory) {
    addSection(tr("Predicted at the peak of a training step"));
    for (const auto& [category, bytes] : estimate.byCategory)
      addFigure(categoryTitle(category), formatBytes(bytes), true);
    addFigure(tr("Network"), formatBytes(estimate.peakBytes), true);
    addFigure(tr("Lower bound"), tr("at least %1").arg(formatBytes(estimate.lowerBoundBytes)),
              true);
    addRun();
    if (estimate.largestBatch) {
      const QString batch = formatCount(*estimate.largestBatch);
      addFigure(tr("Largest batch that fits"),
                *estimate.largestBatch == kMaxBatch ? tr("at least %1").arg(batch) : batch, true);
    }
    addRemedies();
    addCurve();
    addBusyWarning();
  }
  else {
    auto* why = new QLabel(tr("Memory is %1.").arg(estimate.whyNoMemory), m_content);
    why->setWordWrap(true);
    why->setMinimumWidth(260);
    m_grid->addWidget(why, 0, 0);
  }
  m_column->insertWidget(0, m_content);
  m_content->show();
  if (hadFocus) setFocus();
}

/// Adds what a run takes in addition to the network, and what there is.
void MemoryPanel::addRun() {
  const MemoryFigures& memory = m_document.checks().estimate().memory;
  const auto bytes = [](size_t count) {
    return formatBytes(static_cast<double>(count));
  };
  addSection(tr("Predicted during a run"));
  addFigure(tr("Network"), bytes(memory.network), true);
  if (memory.samples > 0)
    addFigure(memory.isCard ? tr("Samples on the card, if they fit") : tr("Data set"),
              bytes(memory.samples), true);
  if (memory.transfers > 0)
    addFigure(tr("Transfers of inputs and results"), bytes(memory.transfers), true);
  if (memory.context > 0)
    addFigure(memory.isContextEstimated ? tr("Context and libraries (estimate)")
                                        : tr("Context and libraries"),
              bytes(memory.context), memory.isContextEstimated);
  addFigure(tr("Total"), bytes(memory.total()), true);
  addFigure(
      hasLimit(m_document) ? tr("Project limit for the network") : tr("Available for the network"),
      bytes(memory.limit), false);
  const QString card = DeviceName(m_document.checked().execution().device).isSimulated()
                           ? tr("Memory of the simulated card")
                           : tr("Memory of the card");
  addFigure(memory.isCard ? card : tr("Memory of this machine"), bytes(memory.machine), false);
}

/// Says that the times of options are those of a busy machine.
void MemoryPanel::addBusyWarning() {
  const Estimate& estimate = m_document.checks().estimate();
  const bool hasTimes = !estimate.remedies.empty() ||
                        (estimate.curve.size() >= 2 && !withinMachine(estimate).empty());
  const QString words = busyWarning(hasTimes && estimate.isBusy);
  if (words.isEmpty()) return;
  auto* label = new QLabel(words, m_content);
  label->setWordWrap(true);
  m_grid->addWidget(label, m_grid->rowCount(), 0, 1, 3);
}

void MemoryPanel::addSection(const QString& title) {
  auto* label = new QLabel(title, m_content);
  setRole(label, "section");
  const int line = m_grid->rowCount();
  if (line > 1) m_grid->setRowMinimumHeight(line, 30);
  m_grid->addWidget(label, line, 0, 1, 3, Qt::AlignBottom | Qt::AlignLeft);
}

void MemoryPanel::addFigure(const QString& title, const QString& value, bool isPredicted) {
  const int line = m_grid->rowCount();
  auto* left = new QLabel(title, m_content);
  setRole(left, "muted");
  auto* right = new QLabel(isPredicted ? italic(value) : value, m_content);
  m_grid->addWidget(left, line, 0);
  m_grid->addWidget(right, line, 1, 1, 2, Qt::AlignRight);
}

QPushButton* MemoryPanel::addOffer(const QString& what, const QString& cost, const QString& button,
                                   const QString& spoken) {
  const int line = m_grid->rowCount();
  auto* left = new QLabel(what, m_content);
  auto* middle = new QLabel(cost, m_content);
  setRole(middle, "muted");
  m_grid->addWidget(left, line, 0);
  m_grid->addWidget(middle, line, 1);
  auto* use = new QPushButton(button, m_content);
  use->setAccessibleName(spoken);
  m_grid->addWidget(use, line, 2);
  return use;
}

QString MemoryPanel::remedyText(const PlanRemedy& remedy) {
  const QString value = formatCount(remedy.value);
  if (remedy.what == "batch_size")
    return remedy.recomputes ? tr("Batch size %1, recomputing some values").arg(value)
                             : tr("Batch size %1").arg(value);
  // If no operation is recomputed, earlier weight updates save enough memory.
  if (remedy.what == "recompute")
    return remedy.value == 0
               ? tr("Update weights as soon as their gradients are ready")
               : tr("Recompute %1 operation(s)", nullptr, pluralOf(remedy.value)).arg(value);
  return remedy.recomputes
             ? tr("Batches split into %1 micro-batches, recomputing some values").arg(value)
             : tr("Batches split into %1 micro-batches").arg(value);
}

void MemoryPanel::addRemedies() {
  const Estimate& estimate = m_document.checks().estimate();
  if (estimate.remedies.empty() && estimate.smallestPeakBytes <= 0) return;
  addSection(tr("Options that fit, predicted"));
  if (estimate.remedies.empty())
    addFigure(tr("No option fits; batch size 1 needs"), formatBytes(estimate.smallestPeakBytes),
              true);
  for (const PlanRemedy& remedy : estimate.remedies) {
    const QString what = remedyText(remedy);
    const QString peak = formatBytes(static_cast<double>(remedy.peakBytes));
    const QString cost =
        remedy.stepMicroseconds
            ? tr("%1, %2 per step").arg(peak, formatSeconds(*remedy.stepMicroseconds * 1e-6))
            : peak;
    QPushButton* use =
        addOffer(what, italic(cost), tr("Use this"), tr("Use this: %1, %2").arg(what, cost));
    QStringList layers;
    for (const std::string& layer : remedy.layers)
      layers << text(layer);
    // The tooltip lists the layers that are recomputed.
    use->setToolTip(layers.join(u", "_s));
    connect(use, &QPushButton::clicked, this, [this, remedy] {
      m_document.submit(useRemedyEdit(m_document.json(), remedy));
      close();
    });
  }
}

/// Adds rows with lower memory limits and the time that recomputing values costs.
void MemoryPanel::addCurve() {
  const Estimate& estimate = m_document.checks().estimate();
  const bool isLimited = hasLimit(m_document);
  if (estimate.curve.size() >= 2 && !withinMachine(estimate).empty()) {
    addSection(tr("Less memory, more time, predicted"));
    for (const PlanBudget& budget : thinned(withinMachine(estimate))) {
      const auto limit = static_cast<int64_t>(budget.limitBytes);
      const QString bytes = formatBytes(static_cast<double>(limit));
      const QString slower =
          tr("+%1").arg(formatPercent(budget.slowdown, budget.slowdown < 0.1 ? 1 : 0));
      const QString cost =
          budget.stepMicroseconds
              ? tr("%1, %2 per step").arg(slower, formatSeconds(*budget.stepMicroseconds * 1e-6))
              : slower;
      QPushButton* use = addOffer(italic(bytes), italic(cost), tr("Use this limit"),
                                  tr("Use this limit: %1, time %2").arg(bytes, cost));
      connect(use, &QPushButton::clicked, this, [this, limit] {
        m_document.submit(useLimitEdit(m_document.json(), limit));
        close();
      });
    }
  }
  if (!isLimited) return;
  auto* remove = new QPushButton(tr("Remove the memory limit"), m_content);
  remove->setAccessibleName(remove->text());
  connect(remove, &QPushButton::clicked, this, [this] {
    submitResetValue(m_document, "/execution/memory_limit", tr("Memory limit"));
    close();
  });
  m_grid->addWidget(remove, m_grid->rowCount(), 0, 1, 3, Qt::AlignRight);
}

}  // namespace strata::ui
