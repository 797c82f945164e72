// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/files_card.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/format.h"
#include "ui/pages/results/card_head.h"
#include "ui/plots/plot_files.h"
#include "ui/row_view.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kTableHeight = 220;

FilesCard::FilesCard(QWidget* parent) : QWidget(parent), m_predictor(new FilePredictor(this)) {
  const CardHead head = makeCardHead(this, tr("Predict files"));
  m_sentence = head.sentence;
  head.column->addLayout(makeButtons());
  m_rows = new QStandardItemModel(this);
  m_table = new QTableView(this);
  m_table->setModel(m_rows);
  m_table->setAccessibleName(tr("Predictions of the files"));
  m_table->setShowGrid(false);
  m_table->setWordWrap(false);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setTabKeyNavigation(false);
  m_table->setTextElideMode(Qt::ElideMiddle);
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  alignTitles(m_table);
  m_table->setFixedHeight(kTableHeight);
  m_table->hide();
  head.column->addWidget(m_table);
  m_times = new QLabel(this);
  m_times->setWordWrap(true);
  m_times->setTextFormat(Qt::PlainText);
  m_times->hide();
  head.column->addWidget(m_times);
  connect(m_predictor, &FilePredictor::predicted, this, &FilesCard::addRows);
  connect(m_predictor, &FilePredictor::measured, this, &FilesCard::showTimes);
  connect(m_predictor, &FilePredictor::finished, this, [this](int left) {
    m_left = left;
    setBusy(false);
  });
  connect(m_predictor, &FilePredictor::failed, this, [this](const QString& line) {
    setBusy(false);
    m_times->setText(line);
    setRole(m_times, "problem");
    m_times->show();
  });
  setBusy(false);
}

QLayout* FilesCard::makeButtons() {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  const auto add = [&](const QString& words, const QString& tip) {
    auto* button = new QPushButton(words, this);
    button->setToolTip(tip);
    row->addWidget(button);
    return button;
  };
  connect(add(tr("Choose files…"), tr("Images, tables or arrays. You can also drop them here.")),
          &QPushButton::clicked, this, [this] { choose(false); });
  connect(add(tr("Choose a folder…"), tr("Predicts all images in the folder.")),
          &QPushButton::clicked, this, [this] { choose(true); });
  m_measure = add(tr("Measure the speed"), tr("Measures how long predictions take."));
  connect(m_measure, &QPushButton::clicked, this, [this] {
    setBusy(true);
    m_predictor->measure();
  });
  row->addStretch();
  m_cancel = add(tr("Cancel"), {});
  connect(m_cancel, &QPushButton::clicked, this, [this] {
    m_predictor->cancel();
    setBusy(false);
  });
  m_save = add(tr("Save as CSV…"), tr("Saves the table of predictions."));
  connect(m_save, &QPushButton::clicked, this, &FilesCard::chooseTarget);
  return row;
}

void FilesCard::setRun(const std::string& directory, const std::string& projectFile) {
  m_predictor->setRun(directory, projectFile);
  m_predictions.clear();
  m_rows->clear();
  m_problems = m_left = 0;
  m_table->hide();
  m_times->hide();
  setBusy(false);
}

void FilesCard::choose(bool isFolder) {
  auto* dialog = new QFileDialog(
      window(), isFolder ? tr("Choose a folder with images") : tr("Choose files to predict"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setFileMode(isFolder ? QFileDialog::Directory : QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, &FilesCard::predict);
  dialog->open();
}

void FilesCard::predict(const QStringList& paths) {
  if (paths.isEmpty()) return;
  m_predictions.clear();
  m_problems = m_left = 0;
  m_rows->clear();
  m_rows->setHorizontalHeaderLabels(
      {tr("File"), tr("Prediction"), tr("Probability"), tr("Next classes")});
  m_rows->setHeaderData(2, Qt::Horizontal, QVariant(Qt::AlignRight | Qt::AlignVCenter),
                        Qt::TextAlignmentRole);
  for (const int column : {0, 1, 3})
    m_rows->setHeaderData(column, Qt::Horizontal, QVariant(Qt::AlignLeft | Qt::AlignVCenter),
                          Qt::TextAlignmentRole);
  QHeaderView* header = m_table->horizontalHeader();
  header->setSectionResizeMode(QHeaderView::Interactive);
  header->setSectionResizeMode(0, QHeaderView::Stretch);
  header->setSectionResizeMode(3, QHeaderView::Stretch);
  m_table->show();
  m_times->hide();
  setBusy(true);
  m_predictor->predict(paths);
}

static QString valuesText(const std::vector<float>& values) {
  constexpr size_t kShown = 6;
  QStringList words;
  for (size_t i = 0; i < std::min(kShown, values.size()); ++i)
    words << formatValue(static_cast<double>(values[i]));
  if (values.size() > kShown) words << u"…"_s;
  return words.join(u", "_s);
}

void FilesCard::addRows(const std::vector<FilePrediction>& rows) {
  const Colors& colors = colorsOf(this);
  for (const FilePrediction& row : rows) {
    auto* name = new QStandardItem(QFileInfo(row.name).fileName());
    name->setToolTip(row.name);
    auto* answer = new QStandardItem;
    auto* probability = new QStandardItem;
    auto* others = new QStandardItem;
    probability->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    if (!row.problem.isEmpty()) {
      ++m_problems;
      answer->setText(u"—"_s);
      others->setText(row.problem);
      others->setToolTip(row.problem);
      others->setForeground(colors.problem);
    }
    else if (row.classes.empty()) {
      answer->setText(valuesText(row.values));
    }
    else {
      answer->setText(row.classes[0].name);
      probability->setText(formatPercent(row.classes[0].probability));
      QStringList next;
      for (size_t i = 1; i < row.classes.size(); ++i)
        next << tr("%1 %2").arg(row.classes[i].name, formatPercent(row.classes[i].probability));
      others->setText(next.join(u", "_s));
    }
    m_rows->appendRow({name, answer, probability, others});
    m_predictions.push_back(row);
  }
  showCount();
}

void FilesCard::showCount() {
  const int count = static_cast<int>(m_predictions.size());
  if (count == 0) {
    m_sentence->setText(m_isBusy ? tr("Predicting…") : tr("Drop images or a folder here."));
    return;
  }
  QString words = tr("%Ln prediction(s)", nullptr, count - m_problems);
  if (m_problems > 0)
    words = tr("%1, %2").arg(words, tr("%Ln file(s) could not be read", nullptr, m_problems));
  if (m_left > 0) words = tr("%1, %2").arg(words, tr("%Ln more file(s) left out", nullptr, m_left));
  m_sentence->setText(words);
}

void FilesCard::setBusy(bool isBusy) {
  m_isBusy = isBusy;
  m_cancel->setEnabled(isBusy);
  m_measure->setEnabled(!isBusy);
  m_save->setEnabled(!isBusy && !m_predictions.empty());
  showCount();
}

void FilesCard::showTimes(const std::vector<InferenceTime>& times, int threads) {
  setBusy(false);
  QStringList lines;
  bool isDisturbed = false;
  for (const InferenceTime& time : times) {
    lines << tr("Batch of %1: %2 (from %3 to %4), %5 samples/s")
                 .arg(formatCount(time.batch), formatSeconds(time.medianSeconds),
                      formatSeconds(time.minSeconds), formatSeconds(time.maxSeconds),
                      formatRate(time.samplesPerSecond()));
    isDisturbed = isDisturbed || time.wasDisturbed;
  }
  lines << tr("Measured with %Ln thread(s), without reading files.", nullptr, threads);
  if (isDisturbed)
    lines << tr(
        "The times may be much too long: another program was busy while they were "
        "measured.");
  setRole(m_times, "plain");
  m_times->setText(lines.join(u'\n'));
  m_times->show();
}

void FilesCard::chooseTarget() {
  auto* dialog = new QFileDialog(window(), tr("Save the predictions"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilter(tr("Table (*.csv)"));
  dialog->setDefaultSuffix(u"csv"_s);
  dialog->selectFile(u"predictions.csv"_s);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& target) {
    const QString why = save(target);
    Q_EMIT saved(
        why.isEmpty() ? tr("%1 saved.").arg(target) : tr("%1 was not saved: %2").arg(target, why),
        !why.isEmpty());
  });
  dialog->open();
}

QString FilesCard::save(const QString& target) const {
  PlotTable table{
      {u"file"_s, u"prediction"_s, u"probability"_s, u"second"_s, u"second_probability"_s,
       u"third"_s, u"third_probability"_s, u"values"_s, u"problem"_s},
      {}};
  for (const FilePrediction& row : m_predictions) {
    QStringList cells{row.name};
    for (size_t i = 0; i < 3; ++i) {
      const bool isThere = i < row.classes.size();
      cells << (isThere ? row.classes[i].name : QString())
            << (isThere ? cellOf(row.classes[i].probability) : QString());
    }
    QStringList values;
    for (const float value : row.values)
      values << cellOf(static_cast<double>(value));
    cells << values.join(u' ') << row.problem;
    table.rows.push_back(cells);
  }
  return writeTable(table, target);
}

}  // namespace strata::ui
