// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/evaluation_card.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <algorithm>

#include "ui/format.h"
#include "ui/pages/results/run_evaluator.h"
#include "ui/plots/plain_axes.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/qcp.h"
#include "ui/plots/series_colors.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kCurveHeight = 230, kRoomForAll = 760;
// More curves of classes in one plot cannot be told apart
constexpr size_t kMaxClassCurves = 10;

QString percent(double fraction) { return formatPercent(fraction, 2); }

}  // namespace

EvaluationCard::EvaluationCard(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(14, 10, 14, 12);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  auto* title = new QLabel(tr("Curves and calibration"), this);
  setRole(title, "section");
  row->addWidget(title);
  row->addStretch();
  m_class = new QComboBox(this);
  m_class->setAccessibleName(tr("Class of the curves"));
  m_class->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_class->setMinimumContentsLength(14);
  connect(m_class, &QComboBox::currentIndexChanged, this, [this] {
    if (m_run) show();
  });
  row->addWidget(m_class);
  column->addLayout(row);
  m_body = new QBoxLayout(QBoxLayout::LeftToRight);
  m_body->setSpacing(14);
  m_roc = makePlot(tr("ROC curve"), tr("False positive rate"), tr("True positive rate"));
  m_recall = makePlot(tr("Precision-recall curve"), tr("Recall"), tr("Precision"));
  m_reliability = makePlot(tr("Reliability diagram"), tr("Predicted probability"),
                           tr("Share of positive samples"));
  column->addLayout(m_body);
  m_sentence = new QLabel(this);
  m_sentence->setWordWrap(true);
  m_sentence->setTextFormat(Qt::PlainText);
  setRole(m_sentence, "muted");
  column->addWidget(m_sentence);
  const auto captionOf = [this](const QString& name) {
    return [this, name] {
      return PlotCaption{tr("%1, %2").arg(name, m_class->currentText().toLower()), {}};
    };
  };
  new PlotMenu(m_roc, captionOf(tr("ROC curve")), [this] { return curveTable(true); });
  new PlotMenu(m_recall, captionOf(tr("Precision-recall curve")),
               [this] { return curveTable(false); });
  new PlotMenu(m_reliability, captionOf(tr("Reliability diagram")),
               [this] { return reliabilityTable(); });
}

QCustomPlot* EvaluationCard::makePlot(const QString& name, const QString& x, const QString& y) {
  auto* plot = new QCustomPlot(this);
  plot->setAccessibleName(name);
  plot->setMinimumHeight(kCurveHeight);
  makePlainAxes(*plot);
  plot->xAxis->setLabel(x);
  plot->yAxis->setLabel(y);
  plot->xAxis->setRange(0, 1.02);
  plot->yAxis->setRange(0, 1.02);
  m_body->addWidget(plot, 1);
  return plot;
}

const OutputFigures& EvaluationCard::figures() const { return m_run->figures[m_output]; }

QString EvaluationCard::className(int64_t index) const {
  const auto place = static_cast<size_t>(index);
  const auto& names = figures().classNames;
  return place < names.size() ? text(names[place]) : QString::number(index);
}

void EvaluationCard::setFigures(std::shared_ptr<const EvaluatedRun> run, size_t output) {
  m_run = nullptr;
  m_class->clear();
  m_run = std::move(run);
  m_output = output;
  const ClassificationFigures& classes = *figures().classes;
  if (classes.classes.size() != 1) m_class->addItem(tr("All classes"));
  for (const ClassFigures& each : classes.classes)
    m_class->addItem(className(each.index));
  m_class->setVisible(m_class->count() > 1);
  show();
}

/// Returns the class that the user chose, or null for all classes.
const ClassFigures* EvaluationCard::chosenClass() const {
  const auto& classes = figures().classes->classes;
  const auto chosen = static_cast<size_t>(std::max(0, m_class->currentIndex()));
  // A single class has no entry for all classes before it
  if (classes.size() == 1) return &classes.front();
  return chosen > 0 ? &classes[chosen - 1] : nullptr;
}

std::vector<EvaluationCard::Curve> EvaluationCard::curves(bool isRoc) const {
  const ClassificationFigures& all = *figures().classes;
  std::vector<Curve> curves;
  const auto add = [&](const QString& name, const ClassCurves& of) {
    const auto list = [](const std::vector<double>& values) {
      return QVector<double>(values.begin(), values.end());
    };
    if (isRoc && of.roc)
      curves.push_back({name, list(of.roc->falsePositiveRates), list(of.roc->truePositiveRates)});
    if (!isRoc && of.precisionRecall)
      curves.push_back(
          {name, list(of.precisionRecall->recalls), list(of.precisionRecall->precisions)});
  };
  if (const ClassFigures* one = chosenClass()) {
    add(className(one->index), one->curves);
    return curves;
  }
  add(tr("all classes together"), all.micro);
  for (size_t i = 0; i < std::min(kMaxClassCurves, all.classes.size()); ++i)
    add(className(all.classes[i].index), all.classes[i].curves);
  return curves;
}

void EvaluationCard::showCurves(QCustomPlot* plot, const std::vector<Curve>& curves,
                                bool hasDiagonal) {
  const Colors& colors = colorsOf(this);
  plot->clearPlottables();
  colorPlainAxes(*plot);
  // A curve may have several values at one place
  const auto addCurve = [&](const Curve& curve, const QPen& pen) {
    auto* item = new QCPCurve(plot->xAxis, plot->yAxis);
    item->setData(curve.x, curve.y);
    item->setPen(pen);
    item->setSelectable(QCP::stNone);
    item->setName(curve.name);
  };
  if (hasDiagonal) addCurve({{}, {0, 1}, {0, 1}}, QPen(colors.faint, 1, Qt::DashLine));
  QStringList names;
  for (size_t i = curves.size(); i-- > 0;) {
    addCurve(curves[i], QPen(i == 0 ? colors.accent : seriesColor(i - 1, colors), 1));
    names << curves[i].name;
  }
  plot->setToolTip(curves.size() > 1 ? tr("The curve of all classes together, and of each of the "
                                          "first classes")
                                     : names.value(0));
  plot->replot(QCustomPlot::rpQueuedReplot);
}

void EvaluationCard::showReliability() {
  const Colors& colors = colorsOf(this);
  const ClassificationFigures& all = *figures().classes;
  const ClassFigures* one = chosenClass();
  const Figure<Reliability>& reliability = one ? one->calibration : all.calibration;
  const Figure<double>& brier = one ? one->brierScore : all.brierScore;
  m_reliability->clearPlottables();
  colorPlainAxes(*m_reliability);
  auto* diagonal = new QCPCurve(m_reliability->xAxis, m_reliability->yAxis);
  diagonal->setData({0, 1}, {0, 1});
  diagonal->setPen(QPen(colors.faint, 1, Qt::DashLine));
  diagonal->setSelectable(QCP::stNone);
  if (reliability) {
    auto* bars = new QCPBars(m_reliability->xAxis, m_reliability->yAxis);
    auto* points = new QCPCurve(m_reliability->xAxis, m_reliability->yAxis);
    QColor fill = colors.cost;
    fill.setAlphaF(0.5);
    bars->setBrush(fill);
    bars->setPen(Qt::NoPen);
    points->setLineStyle(QCPCurve::lsNone);
    points->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(colors.accent, 1), QBrush(colors.accent), 5));
    for (QCPAbstractPlottable* each : std::initializer_list<QCPAbstractPlottable*>{bars, points})
      each->setSelectable(QCP::stNone);
    for (const ReliabilityBin& bin : reliability->bins) {
      if (!bin.share) continue;
      bars->setWidth(0.92 * (bin.high - bin.low));
      bars->addData((bin.low + bin.high) / 2, *bin.share);
      points->addData(*bin.confidence, *bin.share);
    }
  }
  QStringList sentences;
  const auto add = [&](const auto& figure, const QString& known, const QString& unknown) {
    if (figure)
      sentences << known;
    else
      sentences << unknown.arg(translated(figure.reason().text, figure.reason().arguments));
  };
  add(reliability,
      reliability ? tr("Expected calibration error %1.").arg(percent(reliability->expectedError))
                  : QString(),
      tr("The calibration is unknown, because %1."));
  add(brier, brier ? tr("Brier score %1.").arg(formatValue(*brier)) : QString(),
      tr("The Brier score is unknown, because %1."));
  if (one)
    add(one->curves.roc,
        one->curves.roc ? tr("ROC area %1.").arg(percent(one->curves.roc->area)) : QString(),
        tr("The ROC curve is unknown, because %1."));
  else
    add(all.meanArea,
        all.meanArea ? tr("Mean ROC area of the classes %1.").arg(percent(*all.meanArea))
                     : QString(),
        tr("The mean ROC area is unknown, because %1."));
  m_sentence->setText(sentences.join(u' '));
  m_reliability->setAccessibleDescription(m_sentence->text());
  m_reliability->setToolTip(
      tr("Bars: share of positive samples by predicted probability. On the line, probabilities "
         "match frequencies."));
  m_reliability->replot(QCustomPlot::rpQueuedReplot);
}

void EvaluationCard::show() {
  showCurves(m_roc, curves(true), true);
  showCurves(m_recall, curves(false), false);
  showReliability();
  m_roc->setAccessibleDescription(m_sentence->text());
}

PlotTable EvaluationCard::curveTable(bool isRoc) const {
  PlotTable table;
  if (!m_run) return table;
  table.columns = isRoc ? QStringList{u"curve"_s, u"false_positive_rate"_s, u"true_positive_rate"_s}
                        : QStringList{u"curve"_s, u"recall"_s, u"precision"_s};
  for (const Curve& curve : curves(isRoc))
    for (qsizetype i = 0; i < curve.x.size(); ++i)
      table.rows.push_back({curve.name, cellOf(curve.x[i]), cellOf(curve.y[i])});
  return table;
}

PlotTable EvaluationCard::reliabilityTable() const {
  PlotTable table{{u"from"_s, u"to"_s, u"samples"_s, u"probability"_s, u"share"_s}, {}};
  if (!m_run) return table;
  const ClassFigures* one = chosenClass();
  const Figure<Reliability>& reliability = one ? one->calibration : figures().classes->calibration;
  if (!reliability) return table;
  for (const ReliabilityBin& bin : reliability->bins)
    table.rows.push_back({cellOf(bin.low), cellOf(bin.high), QString::number(bin.samples),
                          bin.confidence ? cellOf(*bin.confidence) : QString(),
                          bin.share ? cellOf(*bin.share) : QString()});
  return table;
}

void EvaluationCard::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_body->setDirection(width() < kRoomForAll ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void EvaluationCard::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_run) show();
}

}  // namespace strata::ui
