// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/mistakes_card.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/evaluation/classification.h"
#include "core/evaluation/confusion.h"
#include "ui/format.h"
#include "ui/pages/results/card_head.h"
#include "ui/pages/results/matrix_view.h"
#include "ui/pages/results/run_evaluator.h"
#include "ui/pages/sample_cells.h"
#include "ui/pages/sample_image.h"
#include "ui/plots/plot_menu.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kThumbnail = 48;
static constexpr size_t kMaxMistakes = 300;

namespace {

/// The rotated title to the left of the matrix.
class RowsTitle : public QWidget {
 public:
  RowsTitle(const QString& title, QWidget* parent) : QWidget(parent), m_title(title) {
    setFixedWidth(fontMetrics().height() + 4);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Ignored);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setPen(colorsOf(this).muted);
    painter.translate(0, height());
    painter.rotate(-90);
    painter.drawText(QRect(0, 0, height(), width()), Qt::AlignCenter, m_title);
  }

 private:
  QString m_title;
};

const DataTarget& targetOf(const EvaluatedRun& run) { return run.dataset->targets[run.output]; }
const EvaluatedClasses& classesOf(const EvaluatedRun& run) {
  return run.evaluation.outputs[run.output];
}

/// Whether the output classifies and the samples have classes.
bool hasClasses(const EvaluatedRun& run) {
  const EvaluatedClasses& output = classesOf(run);
  return targetOf(run).hasLabels && !output.predictedClasses.empty() &&
         output.classes.size() == output.predictedClasses.size();
}

QString className(const EvaluatedRun& run, int index) {
  const auto& names = targetOf(run).classNames;
  return static_cast<size_t>(index) < names.size() ? text(names[static_cast<size_t>(index)])
                                                   : QString::number(index);
}

}  // namespace

MistakesCard::MistakesCard(QWidget* parent) : QWidget(parent) {
  const CardHead head = makeCardHead(this, tr("Mistakes"));
  QVBoxLayout* layout = head.column;
  m_sentence = head.sentence;
  m_matrixView = new MatrixView(this);
  m_matrixFrame = new QWidget(this);
  auto* grid = new QGridLayout(m_matrixFrame);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(2);
  auto* columnsTitle = new QLabel(tr("Predicted class"), m_matrixFrame);
  setRole(columnsTitle, "muted");
  grid->addWidget(columnsTitle, 0, 1, Qt::AlignHCenter);
  m_zoom = new QWidget(m_matrixFrame);
  auto* zoom = new QHBoxLayout(m_zoom);
  zoom->setContentsMargins(0, 0, 0, 0);
  zoom->setSpacing(2);
  const auto addZoom = [&](const QString& words, const QString& name, int steps) {
    auto* button = new QPushButton(words, m_zoom);
    setRole(button, "link");
    button->setAccessibleName(name);
    button->setToolTip(name);
    connect(button, &QPushButton::clicked, this, [this, steps] { m_matrixView->zoom(steps); });
    zoom->addWidget(button);
  };
  addZoom(u"−"_s, tr("Smaller cells"), -1);
  addZoom(u"+"_s, tr("Larger cells"), 1);
  grid->addWidget(m_zoom, 0, 1, Qt::AlignRight);
  grid->addWidget(new RowsTitle(tr("True class"), m_matrixFrame), 1, 0);
  grid->addWidget(m_matrixView, 1, 1);
  layout->addWidget(m_matrixFrame);
  new PlotMenu(
      m_matrixFrame,
      [] {
        return PlotCaption{tr("Confusion matrix"), {}};
      },
      [this] { return matrixTable(); });
  auto* chosenRow = new QHBoxLayout;
  m_chosen = new QLabel(this);
  m_chosen->setWordWrap(true);
  setRole(m_chosen, "muted");
  chosenRow->addWidget(m_chosen, 1);
  m_all = new QPushButton(tr("All mistakes"), this);
  setRole(m_all, "link");
  m_all->setToolTip(tr("Show all mistakes"));
  chosenRow->addWidget(m_all);
  layout->addLayout(chosenRow);
  m_list = new QStandardItemModel(this);
  m_pictures = std::make_unique<SamplePictures>(m_list, kThumbnail);
  m_listView = new QListView(this);
  m_listView->setModel(m_list);
  m_listView->setAccessibleName(tr("Misclassified samples"));
  m_listView->setResizeMode(QListView::Adjust);
  m_listView->setMovement(QListView::Static);
  m_listView->setUniformItemSizes(true);
  m_listView->setIconSize({kThumbnail, kThumbnail});
  m_listView->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_listView->setMinimumHeight(2 * (kThumbnail + fontMetrics().height() + 14) + 6);
  layout->addWidget(m_listView, 1);
  // The stretch keeps the title at the top while the card is empty.
  layout->addStretch(0);
  m_listView->setToolTip(tr("Double-click a sample to see what matters in it."));
  connect(m_listView, &QListView::activated, this, [this](const QModelIndex& index) {
    const auto row = static_cast<size_t>(index.row());
    if (row < m_listed.size()) Q_EMIT sampleOpened(m_listed[row]);
  });
  connect(m_all, &QPushButton::clicked, this, [this] { fillList(-1, -1); });
  connect(m_matrixView, &QTableView::clicked, this,
          [this](const QModelIndex& index) { fillList(index.row(), index.column()); });
  connect(m_matrixView, &QTableView::activated, this,
          [this](const QModelIndex& index) { fillList(index.row(), index.column()); });
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
  m_matrixView->setConfusion({}, {});
  if (!m_run || !hasClasses(*m_run)) {
    m_matrixFrame->hide();
    return;
  }
  // A class of -1 does not count, because the loss ignores the sample.
  const auto& labels = classesOf(*m_run).classes;
  const auto& predicted = classesOf(*m_run).predictedClasses;
  int classes = 0;
  int64_t counted = 0, mistakes = 0;
  for (size_t i = 0; i < predicted.size(); ++i) {
    classes = std::max({classes, labels[i] + 1, predicted[i] + 1});
    counted += labels[i] >= 0;
    mistakes += labels[i] >= 0 && labels[i] != predicted[i];
  }
  m_sentence->setText(tr("%1 of %2 sample(s)", nullptr, pluralOf(counted))
                          .arg(formatCount(mistakes), formatCount(counted)));
  if (m_run->evaluation.outputs.size() > 1)
    m_sentence->setText(tr("%1: %2").arg(text(classesOf(*m_run).output), m_sentence->text()));
  m_matrixFrame->setVisible(classes <= kMaxConfusionClasses);
  if (classes > kMaxConfusionClasses) return;
  QStringList names;
  for (int i = 0; i < classes; ++i)
    names << className(*m_run, i);
  m_matrixView->setConfusion(confusionOf(labels, predicted, classes), names);
  m_zoom->setVisible(m_matrixView->isLarge());
}

/// Returns the counts, with a row for each true class.
PlotTable MistakesCard::matrixTable() const {
  PlotTable table;
  const auto& confusion = m_matrixView->matrix().confusion();
  if (!confusion) return table;
  table.columns << u"true class"_s;
  for (int64_t c = 0; c < confusion->classes; ++c)
    table.columns << m_matrixView->matrix().className(static_cast<int>(c));
  for (int64_t r = 0; r < confusion->classes; ++r) {
    QStringList row{m_matrixView->matrix().className(static_cast<int>(r))};
    for (int64_t c = 0; c < confusion->classes; ++c)
      row << QString::number(confusion->at(r, c));
    table.rows.push_back(row);
  }
  return table;
}

void MistakesCard::fillList(int trueClass, int predictedClass) {
  m_pictures->stop();
  m_listed.clear();
  m_list->clear();
  m_chosen->clear();
  const bool isCell = trueClass >= 0;
  if (m_all->hasFocus() && !isCell) m_listView->setFocus();
  m_all->setVisible(m_run && isCell);
  if (!isCell) {
    m_matrixView->clearSelection();
    m_matrixView->setCurrentIndex({});
  }
  m_listView->setVisible(m_run != nullptr);
  if (!m_run) return;
  const Dataset& dataset = *m_run->dataset;
  if (!hasClasses(*m_run)) {
    m_chosen->setText(
        tr("This network predicts numbers, not classes, so there are no mistakes to list."));
    m_listView->hide();
    return;
  }
  const auto& labels = classesOf(*m_run).classes;
  const Samples& samples = *m_run->samples();
  const auto& predicted = classesOf(*m_run).predictedClasses;
  const auto& confidences = classesOf(*m_run).confidences;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < predicted.size(); ++i) {
    const bool isWanted = trueClass < 0 ? labels[i] >= 0 && labels[i] != predicted[i]
                                        : labels[i] == trueClass && predicted[i] == predictedClass;
    if (isWanted) chosen.push_back(i);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](size_t a, size_t b) { return confidences[a] > confidences[b]; });
  const size_t listed = std::min(chosen.size(), kMaxMistakes);
  const bool hasImages = !chosen.empty() && areImages(samples);
  m_listView->setViewMode(hasImages ? QListView::IconMode : QListView::ListMode);
  const SampleCells cells(dataset);
  int widest = kThumbnail;
  std::vector<int64_t> places;
  for (size_t k = 0; k < listed; ++k) {
    const int64_t index = m_run->firstSample() + static_cast<int64_t>(chosen[k]);
    places.push_back(index);
    m_listed.push_back(index);
    const QString answer = className(*m_run, predicted[chosen[k]]);
    auto* item = new QStandardItem(
        tr("%1 → %2").arg(targetText(dataset, samples, index, m_run->output), answer));
    widest = std::max(widest, fontMetrics().horizontalAdvance(item->text()));
    if (hasImages)
      item->setTextAlignment(Qt::AlignCenter);
    else
      item->setText(tr("%1:  %2").arg(item->text(), cells.text(samples, index)));
    QString tip = tr("Sample %1: %2, predicted as %3 with probability %4")
                      .arg(formatCount(index), targetText(dataset, samples, index, m_run->output),
                           answer, formatPercent(static_cast<double>(confidences[chosen[k]])));
    if (cells.isTable()) tip += u'\n' + cells.lines(samples, index);
    item->setToolTip(tip);
    m_list->appendRow(item);
  }
  if (hasImages) m_pictures->show(m_run->samples(), std::move(places));
  m_listView->setGridSize(hasImages ? QSize(widest + 26, kThumbnail + fontMetrics().height() + 14)
                                    : QSize());
  QString words;
  if (chosen.empty())
    words = isCell ? tr("There are no samples in this cell.") : tr("There are no mistakes.");
  else if (listed < chosen.size())
    words = tr("The first %1 of %2, most confident first (true → predicted)")
                .arg(formatCount(static_cast<int64_t>(listed)),
                     formatCount(static_cast<int64_t>(chosen.size())));
  else
    words = tr("Most confident first (true → predicted)");
  m_chosen->setText(
      isCell ? tr("True class %1, predicted %2. %3")
                   .arg(className(*m_run, trueClass), className(*m_run, predictedClass), words)
             : words);
}

}  // namespace strata::ui
