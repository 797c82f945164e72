// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/algorithm_section.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "core/cost/simulated_card.h"
#include "core/train/plan_edits.h"
#include "gpu/base/error.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "ui/device_text.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/inspector/field_form.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

AlgorithmSection::AlgorithmSection(QWidget* parent)
    : QWidget(parent), m_title(new QLabel(this)), m_note(new QLabel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 14, 0, 0);
  column->setSpacing(6);
  setRole(m_title, "section");
  m_title->setWordWrap(true);
  column->addWidget(m_title);
  setRole(m_note, "muted");
  m_note->setTextFormat(Qt::PlainText);
  m_note->setWordWrap(true);
  column->addWidget(m_note);
  m_grid = new QGridLayout;
  m_grid->setHorizontalSpacing(8);
  m_grid->setVerticalSpacing(6);
  m_grid->setColumnStretch(0, 1);
  column->addLayout(m_grid);
  hide();
}

void AlgorithmSection::show(Document* document, const QString& layer) {
  const std::string device =
      document ? resolvedDeviceName(document->checked().execution().device) : std::string();
  // The section is where an algorithm that the device does not offer is replaced
  const bool isSound =
      document &&
      std::ranges::none_of(document->checks().inspection().diagnostics, [](const Diagnostic& each) {
        return each.severity == Severity::Error && each.code != "unknown_algorithm";
      });
  if (!document || layer.isEmpty() || !DeviceName(device).isGpu() || !isSound) {
    if (m_worker) m_worker->cancel();
    ++m_request;
    m_revision = 0;
    hide();
    return;
  }
  if (document == m_document && layer == m_layer && document->revision() == m_revision) return;
  const bool isOtherLayer = document != m_document || layer != m_layer;
  m_document = document;
  m_layer = layer;
  m_revision = document->revision();
  m_title->setText(tr("Algorithms on %1").arg(deviceTitle(device)));
  if (isOtherLayer) clear();
  if (m_rows.isEmpty()) {
    m_note->setText(tr("Asking the libraries…"));
    m_note->show();
  }
  if (!m_worker)
    m_worker = std::make_unique<LatestWorker<Request>>([this](Request request,
                                                              const std::stop_token& stop) {
      std::vector<LayerAlgorithm> algorithms;
      QString problem;
      try {
        algorithms = algorithmsOfLayer(CheckedProject(request.project), request.layer, stop);
      }
      catch (const Error& error) {
        if (error.code() == ErrorCode::Stopped) return;
        problem = text(error.line());
      }
      catch (const std::exception& error) {
        problem = text(std::string(error.what()));
      }
      QMetaObject::invokeMethod(
          this, [=, this] { accept(request.number, algorithms, problem); }, Qt::QueuedConnection);
    });
  m_worker->post({++m_request, document->project(), layer.toStdString()});
  QWidget::show();
}

void AlgorithmSection::clear() {
  for (QWidget* row : std::as_const(m_rows)) {
    row->hide();
    row->deleteLater();
  }
  m_rows.clear();
}

void AlgorithmSection::accept(quint64 number, const std::vector<LayerAlgorithm>& algorithms,
                              const QString& problem) {
  if (number != m_request || !m_document) return;
  clear();
  m_note->setText(problem.isEmpty() ? tr("Strata has one kernel for each operation of this layer.")
                                    : problem);
  m_note->setVisible(algorithms.empty());
  for (const LayerAlgorithm& each : algorithms)
    addRow(each);
}

/// Shows how an op is computed, and why not otherwise.
void AlgorithmSection::addPath(const LayerAlgorithm& algorithm) {
  const KernelPath& path = algorithm.path;
  const auto words = [](const Text& sentence, const std::vector<std::string>& arguments) {
    return translated(sentence, Arguments(arguments.begin(), arguments.end()));
  };
  const QString name = words(path.name, path.nameArguments);
  auto* label =
      new QLabel(path.reason.isEmpty()
                     ? tr("%1: %2").arg(text(algorithm.op), name)
                     : tr("%1: %2, because %3")
                           .arg(text(algorithm.op), name, words(path.reason, path.reasonArguments)),
                 this);
  label->setObjectName(u"path/"_s + text(algorithm.op));
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  m_grid->addWidget(label, m_grid->rowCount(), 0);
  m_rows << label;
}

void AlgorithmSection::addRow(const LayerAlgorithm& algorithm) {
  if (!algorithm.path.name.isEmpty()) addPath(algorithm);
  if (algorithm.algorithm.empty()) return;
  // No library answers for this algorithm without a GPU
  const bool isKnown = algorithm.algorithm != "host";
  const QString op = text(algorithm.op);
  auto* label = new QLabel(op, this);
  setRole(label, "muted");
  auto* choices = new QComboBox(this);
  choices->setObjectName(u"algorithm/"_s + op);
  choices->setAccessibleName(tr("Algorithm of %1").arg(op));
  choices->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  choices->setFocusPolicy(Qt::StrongFocus);
  const bool isPinned = !algorithm.pinned.empty();
  const QString automatic = isKnown ? text(algorithm.algorithm) : tr("known only on a GPU");
  choices->addItem(isPinned ? tr("Automatic") : tr("Automatic: %1").arg(automatic), QString());
  const auto size = [](size_t bytes) {
    return formatBytes(static_cast<double>(bytes));
  };
  for (const OfferedAlgorithm& each : algorithm.offered)
    if (isKnown)
      choices->addItem(u"%1, %2"_s.arg(text(each.name), size(each.workspaceBytes)),
                       text(each.name));
  if (isPinned) {
    int index = choices->findData(text(algorithm.pinned));
    if (index < 0) {
      index = choices->count();
      choices->addItem(tr("%1, not offered").arg(text(algorithm.pinned)), text(algorithm.pinned));
    }
    choices->setCurrentIndex(index);
  }
  choices->setToolTip(choices->currentText());
  label->setBuddy(choices);
  const std::string layer = algorithm.layer, name = algorithm.op;
  connect(choices, &QComboBox::activated, this, [this, choices, layer, name, isPinned](int index) {
    const std::string chosen = choices->itemData(index).toString().toStdString();
    if (!m_document || (chosen.empty() && !isPinned)) return;
    m_document->submit(pinAlgorithmEdit(m_document->json(), layer, name, chosen));
  });
  const QString workspace = size(algorithm.workspaceBytes);
  auto* bytes = new QLabel(
      isKnown ? tr("Workspace %1").arg(workspace) : tr("Workspace about %1").arg(workspace), this);
  setRole(bytes, "muted");
  const int row = m_grid->rowCount();
  m_grid->addWidget(label, row, 0);
  m_grid->addWidget(choices, row + 1, 0);
  m_grid->addWidget(bytes, row + 2, 0);
  m_rows << label << bytes << choices;
}

}  // namespace strata::ui
