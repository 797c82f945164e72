// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/mistakes_card.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
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
#include "ui/pages/results/sample_list.h"
#include "ui/pages/sample_image.h"
#include "ui/plots/plot_menu.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

// Entries of the fields
constexpr int kWrong = 0, kRight = 1, kMostConfident = 0;

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
  layout->addWidget(makeFields());
  m_list = new SampleList(this);
  layout->addWidget(m_list, 1);
  // The stretch keeps the title at the top while the card is empty.
  layout->addStretch(0);
  m_list->setToolTip(tr("Double-click a sample to see what matters in it."));
  connect(m_list, &SampleList::sampleOpened, this, &MistakesCard::sampleOpened);
  connect(m_all, &QPushButton::clicked, this, &MistakesCard::showAllMistakes);
  connect(m_matrixView, &QTableView::clicked, this, &MistakesCard::showCell);
  connect(m_matrixView, &QTableView::activated, this, &MistakesCard::showCell);
  setRun(nullptr);
}

/// Makes the fields that choose the samples of the list.
QWidget* MistakesCard::makeFields() {
  m_fields = new QWidget(this);
  auto* row = new QHBoxLayout(m_fields);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  const auto add = [&](const QString& name, const QStringList& entries) {
    constexpr int kLetters = 9;
    auto* box = new QComboBox(m_fields);
    box->setAccessibleName(name);
    box->setToolTip(name);
    box->addItems(entries);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(kLetters);
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      m_cell.reset();
      fillList();
    });
    row->addWidget(box, 1);
    return box;
  };
  m_kind = add(tr("Which samples are listed"), {tr("Mistakes"), tr("Correct")});
  m_class = add(tr("True class of the listed samples"), {tr("All classes")});
  m_order = add(tr("Order of the listed samples"), {tr("Most confident"), tr("Least confident")});
  return m_fields;
}

void MistakesCard::focusList() { m_list->setFocus(); }

void MistakesCard::setRun(std::shared_ptr<const EvaluatedRun> run, const QString& sentence) {
  m_run = std::move(run);
  m_sentence->setText(sentence);
  fillMatrix();
  fillClasses();
  showAllMistakes();
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

void MistakesCard::fillClasses() {
  const QSignalBlocker blocker(m_class);
  while (m_class->count() > 1)
    m_class->removeItem(1);
  if (!m_run || !hasClasses(*m_run)) return;
  const auto& labels = classesOf(*m_run).classes;
  const int highest = labels.empty() ? -1 : std::ranges::max(labels);
  for (int i = 0; i <= highest; ++i)
    m_class->addItem(className(*m_run, i));
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

/// Returns the positions of the samples that the user chose, in their order.
std::vector<size_t> MistakesCard::chosenSamples() const {
  const auto& labels = classesOf(*m_run).classes;
  const auto& predicted = classesOf(*m_run).predictedClasses;
  const auto& confidences = classesOf(*m_run).confidences;
  const bool isRight = m_kind->currentIndex() == kRight;
  const int wanted = m_class->currentIndex() - 1;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < predicted.size(); ++i) {
    const bool isWanted = m_cell ? labels[i] == m_cell->first && predicted[i] == m_cell->second
                                 : labels[i] >= 0 && (labels[i] == predicted[i]) == isRight &&
                                       (wanted < 0 || labels[i] == wanted);
    if (isWanted) chosen.push_back(i);
  }
  const bool isDescending = m_order->currentIndex() == kMostConfident;
  std::ranges::stable_sort(chosen, [&](size_t a, size_t b) {
    return isDescending ? confidences[a] > confidences[b] : confidences[a] < confidences[b];
  });
  return chosen;
}

/// Returns the sentence above the list of `count` samples.
QString MistakesCard::sentenceFor(size_t count) const {
  if (m_cell && count == 0) return tr("There are no samples in this cell.");
  if (count == 0)
    return m_kind->currentIndex() == kRight ? tr("There are no correct predictions.")
                                            : tr("There are no mistakes.");
  const bool isDescending = m_order->currentIndex() == kMostConfident;
  if (count <= SampleList::kMaxSamples)
    return isDescending ? tr("Most confident first (true → predicted)")
                        : tr("Least confident first (true → predicted)");
  return (isDescending ? tr("The first %1 of %2, most confident first (true → predicted)")
                       : tr("The first %1 of %2, least confident first (true → predicted)"))
      .arg(formatCount(static_cast<int64_t>(SampleList::kMaxSamples)),
           formatCount(static_cast<int64_t>(count)));
}

void MistakesCard::showAllMistakes() {
  const QSignalBlocker kind(m_kind), names(m_class), order(m_order);
  m_kind->setCurrentIndex(kWrong);
  m_class->setCurrentIndex(0);
  m_order->setCurrentIndex(kMostConfident);
  m_cell.reset();
  fillList();
}

/// Lists the samples of a cell of the matrix.
void MistakesCard::showCell(const QModelIndex& index) {
  m_cell = {index.row(), index.column()};
  fillList();
}

/// Lists the samples of the chosen cell, or else those that the fields choose.
void MistakesCard::fillList() {
  m_list->clear();
  m_chosen->clear();
  const bool isChanged = m_cell || m_kind->currentIndex() != kWrong || m_class->currentIndex() > 0;
  if (m_all->hasFocus() && !isChanged) m_list->setFocus();
  m_all->setVisible(m_run && isChanged);
  if (!m_cell) {
    m_matrixView->clearSelection();
    m_matrixView->setCurrentIndex({});
  }
  const bool isClassifier = m_run && hasClasses(*m_run);
  m_list->setVisible(isClassifier);
  m_fields->setVisible(isClassifier);
  if (!m_run) return;
  if (!isClassifier) {
    m_chosen->setText(
        tr("This network predicts numbers, not classes, so there are no mistakes to list."));
    return;
  }
  m_list->setAccessibleName(m_kind->currentIndex() == kRight ? tr("Correctly classified samples")
                                                             : tr("Misclassified samples"));
  const std::vector<size_t> chosen = chosenSamples();
  const Samples& samples = *m_run->samples();
  std::vector<SampleList::Item> items;
  for (size_t k = 0; k < std::min(chosen.size(), SampleList::kMaxSamples); ++k) {
    const int64_t index = m_run->firstSample() + static_cast<int64_t>(chosen[k]);
    const QString answer = className(*m_run, classesOf(*m_run).predictedClasses[chosen[k]]),
                  truth = targetText(*m_run->dataset, samples, index, m_run->output);
    const auto confidence = static_cast<double>(classesOf(*m_run).confidences[chosen[k]]);
    items.push_back({index, tr("%1 → %2").arg(truth, answer),
                     tr("Sample %1: %2, predicted as %3 with probability %4")
                         .arg(formatCount(index), truth, answer, formatPercent(confidence))});
  }
  m_list->setItems(*m_run->dataset, m_run->samples(), items);
  const QString words = sentenceFor(chosen.size());
  m_chosen->setText(
      m_cell ? tr("True class %1, predicted %2. %3")
                   .arg(className(*m_run, m_cell->first), className(*m_run, m_cell->second), words)
             : words);
}

}  // namespace strata::ui
