// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/explanation_card.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/format.h"
#include "ui/models/bar_delegate.h"
#include "ui/pages/results/run_evaluator.h"
#include "ui/pages/sample_cells.h"
#include "ui/pages/sample_image.h"
#include "ui/plots/plot_menu.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kFractionRole = Qt::UserRole, kColorRole = Qt::UserRole + 1;

/// Shows an image as large as it fits, with sharp pixels.
class HeatView : public QWidget {
 public:
  HeatView(const QString& name, QWidget* parent) : QWidget(parent) {
    setAccessibleName(name);
    setMinimumSize(180, 180);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFixedHeight(240);
  }
  void setImage(QImage image) {
    m_image = std::move(image);
    update();
  }
  const QImage& image() const { return m_image; }

 protected:
  void paintEvent(QPaintEvent*) override {
    if (m_image.isNull()) return;
    QPainter painter(this);
    const QSize size = m_image.size().scaled(this->size(), Qt::KeepAspectRatio);
    painter.drawImage(QRect(QPoint(0, 0), size), m_image);
  }

 private:
  QImage m_image;
};

ExplanationCard::ExplanationCard(QWidget* parent)
    : QWidget(parent), m_explainer(new SampleExplainer(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(14, 10, 14, 12);
  column->setSpacing(8);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("What matters in this sample"), this);
  setRole(title, "section");
  head->addWidget(title);
  head->addStretch();
  auto* close = new QPushButton(tr("Close"), this);
  setRole(close, "link");
  connect(close, &QPushButton::clicked, this, [this] {
    clear();
    Q_EMIT closed();
  });
  head->addWidget(close);
  column->addLayout(head);
  column->addLayout(makeControls());
  m_sentence = new QLabel(this);
  m_sentence->setWordWrap(true);
  m_sentence->setTextFormat(Qt::PlainText);
  setRole(m_sentence, "muted");
  column->addWidget(m_sentence);
  auto* row = new QHBoxLayout;
  row->setSpacing(14);
  m_image = new HeatView(tr("The sample"), this);
  m_heat = new HeatView(tr("The sample with the places that matter"), this);
  row->addWidget(m_image);
  row->addWidget(m_heat);
  column->addLayout(row);
  makeBars();
  column->addWidget(m_bars);
  new PlotMenu(
      m_heat,
      [this] {
        return PlotCaption{m_method->currentText(), {}};
      },
      [this] {
        PlotTable table{{u"row"_s, u"column"_s, u"value"_s}, {}};
        if (!m_answer || m_answer->map.shape().rank() != 2) return table;
        const int64_t width = m_answer->map.shape()[1];
        for (int64_t i = 0; i < m_answer->map.numElements(); ++i)
          table.rows.push_back(
              {QString::number(i / width), QString::number(i % width),
               cellOf(static_cast<double>(m_answer->map.as<float>()[static_cast<size_t>(i)]))});
        return table;
      });
  connect(m_explainer, &SampleExplainer::answered, this,
          [this](const std::shared_ptr<const ExplainAnswer>& answer) {
            m_answer = answer;
            m_isFilling = true;
            if (m_layer->count() == 1) m_layer->addItems(answer->layers);
            m_isFilling = false;
            showAnswer(*answer);
          });
  connect(m_explainer, &SampleExplainer::failed, this, [this](const QString& line) {
    setBusy(false);
    m_answer = nullptr;
    m_heat->setImage({});
    m_sentence->setText(line);
  });
}

/// Makes the table of the contributions of columns, with bars.
void ExplanationCard::makeBars() {
  constexpr int kHeight = 240;
  m_columns = new QStandardItemModel(this);
  m_bars = new QTableView(this);
  m_bars->setModel(m_columns);
  m_bars->setAccessibleName(tr("What each column contributes to the score"));
  m_bars->setShowGrid(false);
  m_bars->setWordWrap(false);
  m_bars->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_bars->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_bars->setTabKeyNavigation(false);
  m_bars->verticalHeader()->hide();
  m_bars->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  m_bars->horizontalHeader()->setHighlightSections(false);
  m_bars->horizontalHeader()->setStretchLastSection(true);
  m_bars->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  m_bars->setItemDelegateForColumn(3, new BarDelegate(kFractionRole, kColorRole, this));
  m_bars->setFixedHeight(kHeight);
}

QLayout* ExplanationCard::makeControls() {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  const auto add = [&](const QString& name, const QStringList& items) {
    auto* box = new QComboBox(this);
    box->setAccessibleName(name);
    box->addItems(items);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(14);
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      if (!m_isFilling) ask();
    });
    row->addWidget(box);
    return box;
  };
  m_method = add(tr("Method"), {tr("Saliency"), tr("Grad-CAM"), tr("Occlusion")});
  m_method->setItemData(0, tr("How strongly the score reacts to each pixel"), Qt::ToolTipRole);
  m_method->setItemData(1, tr("Where a layer raises the score"), Qt::ToolTipRole);
  m_method->setItemData(2, tr("How much the score drops where a patch covers the image"),
                        Qt::ToolTipRole);
  m_class = add(tr("Class to explain"), {tr("Predicted class")});
  m_layer = add(tr("Layer of Grad-CAM"), {tr("Last layer")});
  row->addStretch();
  m_cancel = new QPushButton(tr("Cancel"), this);
  connect(m_cancel, &QPushButton::clicked, this, [this] {
    m_explainer->cancel();
    setBusy(false);
    m_sentence->setText(tr("Canceled."));
  });
  row->addWidget(m_cancel);
  return row;
}

QString ExplanationCard::className(int64_t index) const {
  const auto& names = m_run->dataset->targets[m_run->output].classNames;
  const auto place = static_cast<size_t>(index);
  return place < names.size() ? text(names[place]) : QString::number(index);
}

void ExplanationCard::explain(std::shared_ptr<const EvaluatedRun> run,
                              const std::string& projectFile, int64_t sample) {
  const bool isOtherRun = !m_run || m_run->directory != run->directory;
  m_run = std::move(run);
  m_projectFile = projectFile;
  m_sample = sample;
  m_isFilling = true;
  if (isOtherRun) {
    while (m_class->count() > 1)
      m_class->removeItem(1);
    while (m_layer->count() > 1)
      m_layer->removeItem(1);
    const auto& names = m_run->dataset->targets[m_run->output].classNames;
    for (size_t i = 0; i < names.size(); ++i)
      m_class->addItem(text(names[i]), static_cast<qlonglong>(i));
  }
  m_class->setCurrentIndex(0);
  m_isFilling = false;
  const bool isImage = areImages(*m_run->samples());
  m_bars->setVisible(isTable());
  m_method->setVisible(!isTable());
  m_layer->setVisible(!isTable());
  m_image->setVisible(isImage);
  m_heat->setVisible(isImage);
  m_image->setImage(sampleImage(*m_run->samples(), sample));
  ask();
}

void ExplanationCard::clear() {
  m_explainer->cancel();
  m_run = nullptr;
  m_answer = nullptr;
  m_image->setImage({});
  m_heat->setImage({});
  setBusy(false);
}

const QImage& ExplanationCard::picture() const { return m_heat->image(); }

void ExplanationCard::setBusy(bool isBusy) {
  m_cancel->setEnabled(isBusy);
  if (isBusy) m_sentence->setText(tr("Explaining…"));
}

void ExplanationCard::ask() {
  m_layer->setEnabled(m_method->currentIndex() == static_cast<int>(ExplainMethod::GradCam));
  m_heat->setImage({});
  m_columns->clear();
  m_answer = nullptr;
  if (!m_run) return;
  if (!isTable() && !areImages(*m_run->samples())) {
    setBusy(false);
    m_sentence->setText(tr("Explanations are shown for images and rows of tables only."));
    return;
  }
  ExplainQuestion question;
  question.runDirectory = m_run->directory;
  question.projectFile = m_projectFile;
  question.output = m_run->evaluation.outputs[m_run->output].output;
  question.samples = m_run->samples();
  question.sample = m_sample;
  question.method =
      isTable() ? ExplainMethod::Columns : static_cast<ExplainMethod>(m_method->currentIndex());
  if (m_class->currentIndex() > 0) question.index = m_class->currentData().toLongLong();
  if (m_layer->currentIndex() > 0) question.layer = m_layer->currentText().toStdString();
  setBusy(true);
  m_explainer->ask(question);
}

/// Whether the samples are rows of a table.
bool ExplanationCard::isTable() const { return m_run && SampleCells(*m_run->dataset).isTable(); }

void ExplanationCard::showColumns(const ExplainAnswer& answer) {
  std::vector<ColumnContribution> columns = answer.columns;
  std::ranges::stable_sort(columns, std::ranges::greater(), [](const ColumnContribution& each) {
    return std::abs(each.contribution);
  });
  const double largest = columns.empty() ? 0 : std::abs(columns.front().contribution);
  const Colors& colors = colorsOf(this);
  m_columns->clear();
  m_columns->setHorizontalHeaderLabels({tr("Column"), tr("Value"), tr("Contribution"), QString()});
  for (const auto& [cell, contribution] : columns) {
    auto* bar = new QStandardItem;
    bar->setData(largest > 0 ? std::abs(contribution) / largest : 0, kFractionRole);
    // Columns that lower the score have the other colour
    bar->setData(contribution >= 0 ? colors.cost : colors.accent, kColorRole);
    bar->setToolTip(contribution >= 0 ? tr("Raises the score") : tr("Lowers the score"));
    QString value = cell.number ? formatValue(*cell.number) : text(cell.word);
    if (!cell.number && value.isEmpty()) value = tr("unknown");
    m_columns->appendRow({new QStandardItem(text(cell.column)), new QStandardItem(value),
                          new QStandardItem(formatValue(contribution)), bar});
  }
  m_bars->resizeColumnsToContents();
}

void ExplanationCard::showAnswer(const ExplainAnswer& answer) {
  setBusy(false);
  const Explanation& explanation = answer.explanation;
  const QString truth = targetText(*m_run->dataset, *m_run->samples(), m_sample, m_run->output);
  QString words = tr("Sample %1: true class %2. Score of %3: %4.")
                      .arg(formatCount(m_sample), truth, className(explanation.index),
                           formatValue(explanation.score));
  if (!explanation.layer.empty()) words = tr("%1 Layer %2.").arg(words, text(explanation.layer));
  if (answer.question.method == ExplainMethod::Columns) {
    m_sentence->setText(
        tr("%1 Each column contributes its value as the network receives it, times the gradient of "
           "the score.")
            .arg(words));
    showColumns(answer);
    return;
  }
  const QImage image = m_image->image();
  const bool fits = answer.map.shape().rank() == 2 && answer.map.shape()[0] == image.height() &&
                    answer.map.shape()[1] == image.width();
  if (!fits) {
    m_sentence->setText(tr("%1 The map does not have the size of the image.").arg(words));
    return;
  }
  double largest = 0;
  for (const float value : answer.map.as<float>())
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  if (largest == 0) words = tr("%1 No place matters.").arg(words);
  m_sentence->setText(words);
  QImage heat = image.convertToFormat(QImage::Format_RGB32);
  const Colors& colors = colorsOf(this);
  for (int y = 0; y < heat.height(); ++y)
    for (int x = 0; x < heat.width(); ++x) {
      const auto place =
          static_cast<size_t>(y) * static_cast<size_t>(heat.width()) + static_cast<size_t>(x);
      const double share =
          largest > 0 ? static_cast<double>(answer.map.as<float>()[place]) / largest : 0;
      // Places that lower the score have the other colour
      const QColor over = share >= 0 ? colors.cost : colors.accent;
      const double weight = 0.9 * std::sqrt(std::abs(share));
      const QRgb below = heat.pixel(x, y);
      const auto mix = [&](int one, int two) {
        return static_cast<int>(std::lround((1 - weight) * 0.75 * one + weight * two));
      };
      heat.setPixel(x, y,
                    qRgb(mix(qRed(below), over.red()), mix(qGreen(below), over.green()),
                         mix(qBlue(below), over.blue())));
    }
  m_heat->setImage(heat);
  m_heat->setAccessibleDescription(words);
}

}  // namespace strata::ui
