// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/mistakes_card.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "ui/format.h"
#include "ui/pages/results/run_evaluator.h"
#include "ui/pages/sample_image.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kThumbnail = 48;
static constexpr size_t kMaxListed = 300;
static constexpr int kMaxMatrixClasses = 30;

MistakesCard::MistakesCard(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 10, 14, 12);
  layout->setSpacing(8);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Mistakes"), this);
  setRole(title, "section");
  head->addWidget(title);
  head->addStretch();
  m_sentence = new QLabel(this);
  setRole(m_sentence, "muted");
  head->addWidget(m_sentence);
  layout->addLayout(head);
  m_matrix = new QStandardItemModel(this);
  m_matrixView = new QTableView(this);
  m_matrixView->setModel(m_matrix);
  m_matrixView->setAccessibleName(tr("Confusion matrix: rows are the true classes, columns the answers"));
  m_matrixView->setToolTip(tr("Rows: the true class. Columns: the answer. Click a cell to see its samples."));
  m_matrixView->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_matrixView->setShowGrid(false);
  m_matrixView->setTabKeyNavigation(false);
  m_matrixView->setSelectionMode(QAbstractItemView::SingleSelection);
  m_matrixView->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  m_matrixView->horizontalHeader()->setMinimumSectionSize(16);
  m_matrixView->horizontalHeader()->setFixedHeight(fontMetrics().height() + 6);
  m_matrixView->setTextElideMode(Qt::ElideNone);
  m_matrixView->setStyleSheet(
      u"QHeaderView::section { padding: 1px 3px; border: none; } QTableView { font-size: 8pt; } QTableView::item { padding: 0; }"_s);
  m_matrixView->verticalHeader()->setMinimumSectionSize(16);
  m_matrixView->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  m_matrixView->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  layout->addWidget(m_matrixView);
  m_chosen = new QLabel(this);
  setRole(m_chosen, "muted");
  layout->addWidget(m_chosen);
  m_list = new QStandardItemModel(this);
  m_listView = new QListView(this);
  m_listView->setModel(m_list);
  m_listView->setAccessibleName(tr("Samples the network got wrong"));
  m_listView->setViewMode(QListView::IconMode);
  m_listView->setResizeMode(QListView::Adjust);
  m_listView->setMovement(QListView::Static);
  m_listView->setUniformItemSizes(true);
  m_listView->setIconSize({kThumbnail, kThumbnail});
  m_listView->setGridSize({kThumbnail + 26, kThumbnail + fontMetrics().height() + 14});
  m_listView->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_listView->setMinimumHeight(2 * (kThumbnail + fontMetrics().height() + 14) + 6);
  layout->addWidget(m_listView, 1);
  layout->addStretch(0);  // holds the title up while there is nothing to show
  connect(m_matrixView, &QTableView::clicked, this, [this](const QModelIndex& index) { fillList(index.row(), index.column()); });
  connect(m_matrixView, &QTableView::activated, this, [this](const QModelIndex& index) { fillList(index.row(), index.column()); });
  setRun(nullptr);
}

void MistakesCard::focusList() { m_listView->setFocus(); }

void MistakesCard::setRun(std::shared_ptr<const EvaluatedRun> run, const QString& sentence) {
  m_run = std::move(run);
  m_sentence->setText(sentence);
  fillMatrix();
  fillList(-1, -1);
}

void MistakesCard::fillMatrix() {
  m_matrix->clear();
  const bool hasClasses = m_run && !m_run->evaluation.predictedClasses.empty() && m_run->dataset->hasLabels;
  if (!hasClasses) {
    m_matrixView->hide();
    return;
  }
  const Samples& test = *m_run->dataset->test;
  const auto labels = test.y.as<int32_t>();
  const auto& predicted = m_run->evaluation.predictedClasses;
  int classes = 0;
  for (size_t i = 0; i < predicted.size(); ++i) classes = std::max({classes, labels[i] + 1, predicted[i] + 1});
  std::vector<int64_t> counts(static_cast<size_t>(classes) * static_cast<size_t>(classes));
  int64_t mistakes = 0;
  for (size_t i = 0; i < predicted.size(); ++i) {
    if (labels[i] < 0 || predicted[i] < 0) continue;
    ++counts[static_cast<size_t>(labels[i]) * static_cast<size_t>(classes) + static_cast<size_t>(predicted[i])];
    mistakes += labels[i] != predicted[i];
  }
  m_sentence->setText(tr("%1 of %2 samples").arg(formatCount(mistakes), formatCount(static_cast<int64_t>(predicted.size()))));
  m_matrixView->setVisible(classes <= kMaxMatrixClasses);
  if (classes > kMaxMatrixClasses) return;
  int64_t most = 1;
  for (int r = 0; r < classes; ++r)
    for (int c = 0; c < classes; ++c)
      if (r != c) most = std::max(most, counts[static_cast<size_t>(r * classes + c)]);
  const Colors& colors = colorsOf(this);
  m_matrix->setRowCount(classes);
  m_matrix->setColumnCount(classes);
  for (int r = 0; r < classes; ++r) {
    const QString name = static_cast<size_t>(r) < m_run->dataset->classNames.size()
                             ? text(m_run->dataset->classNames[static_cast<size_t>(r)])
                             : QString::number(r);
    m_matrix->setHeaderData(r, Qt::Horizontal, name);
    m_matrix->setHeaderData(r, Qt::Vertical, name);
    m_matrix->setHeaderData(r, Qt::Horizontal, QVariant(Qt::AlignCenter), Qt::TextAlignmentRole);
    for (int c = 0; c < classes; ++c) {
      const int64_t count = counts[static_cast<size_t>(r * classes + c)];
      auto* item = new QStandardItem(count > 0 ? QString::number(count) : QString());
      item->setTextAlignment(Qt::AlignCenter);
      if (r == c) {
        item->setForeground(colors.muted);
      } else if (count > 0) {
        QColor fill = colors.cost;
        fill.setAlphaF(0.15 + 0.75 * std::sqrt(static_cast<double>(count) / static_cast<double>(most)));
        item->setBackground(fill);
      }
      item->setToolTip(tr("%1 answered as %2: %n time(s)", nullptr, static_cast<int>(count)).arg(name, QString::number(c)));
      m_matrix->setItem(r, c, item);
    }
  }
  m_matrixView->setFixedHeight((std::min(14, classes) + 1) * (fontMetrics().height() + 6) + 4);
}

void MistakesCard::fillList(int trueClass, int predictedClass) {
  m_list->clear();
  m_chosen->clear();
  m_listView->setVisible(m_run != nullptr);
  if (!m_run) return;
  const Dataset& dataset = *m_run->dataset;
  if (!dataset.hasLabels || m_run->evaluation.predictedClasses.empty()) {
    m_chosen->setText(tr("This network answers with numbers, not classes, so there is no right or wrong to list."));
    m_listView->hide();
    return;
  }
  const auto labels = dataset.test->y.as<int32_t>();
  const auto& predicted = m_run->evaluation.predictedClasses;
  const auto& confidences = m_run->evaluation.confidences;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < predicted.size(); ++i) {
    const bool isWanted = trueClass < 0 ? labels[i] != predicted[i] : labels[i] == trueClass && predicted[i] == predictedClass;
    if (isWanted) chosen.push_back(i);
  }
  std::stable_sort(chosen.begin(), chosen.end(), [&](size_t a, size_t b) { return confidences[a] > confidences[b]; });
  const size_t listed = std::min(chosen.size(), kMaxListed);
  for (size_t k = 0; k < listed; ++k) {
    const auto index = static_cast<int64_t>(chosen[k]);
    const QString answer = static_cast<size_t>(predicted[chosen[k]]) < dataset.classNames.size()
                               ? text(dataset.classNames[static_cast<size_t>(predicted[chosen[k]])])
                               : QString::number(predicted[chosen[k]]);
    auto* item = new QStandardItem(tr("%1 → %2").arg(targetText(dataset, *dataset.test, index), answer));
    const QImage image = sampleImage(*dataset.test, index);
    if (!image.isNull())
      item->setIcon(QPixmap::fromImage(image.scaled(kThumbnail, kThumbnail, Qt::KeepAspectRatio, Qt::FastTransformation)));
    item->setToolTip(tr("Sample %1: %2, answered as %3 with %4")
                         .arg(formatCount(index), targetText(dataset, *dataset.test, index), answer,
                              formatPercent(static_cast<double>(confidences[chosen[k]]))));
    item->setTextAlignment(Qt::AlignCenter);
    m_list->appendRow(item);
  }
  if (chosen.empty())
    m_chosen->setText(trueClass < 0 ? tr("No mistakes.") : tr("No samples in this cell."));
  else if (listed < chosen.size())
    m_chosen->setText(tr("The first %1 of %2, surest first. True class → answer.")
                          .arg(formatCount(static_cast<int64_t>(listed)), formatCount(static_cast<int64_t>(chosen.size()))));
  else
    m_chosen->setText(tr("Surest first. True class → answer."));
}

void MistakesCard::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_matrix) fillMatrix();
}

}  // namespace strata::ui
