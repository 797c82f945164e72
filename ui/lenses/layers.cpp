// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/layers.h"

#include <QCheckBox>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/model/model.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/lenses/layer_check_card.h"
#include "ui/lenses/layer_pictures.h"
#include "ui/models/layer_health_model.h"
#include "ui/plots/distribution_plot.h"
#include "ui/plots/layer_curve.h"
#include "ui/plots/plot_navigator.h"
#include "ui/row_view.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_text.h"
#include "ui/run/run_view.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

/// Ends a sentence with a full stop if it has none.
static QString withStop(const QString& sentence) {
  return sentence.endsWith(u'.') || sentence.endsWith(u'。') ? sentence
                                                             : LayersLens::tr("%1.").arg(sentence);
}

LayersLens::LayersLens(const LensContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  keepScrollBarRoom(scroll);
  scroll->setAccessibleName(tr("Layers of the run"));
  outer->addWidget(scroll);
  auto* content = new QWidget(scroll);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 4, 0);
  column->setSpacing(12);
  column->addWidget(makeBanner());
  column->addWidget(cardAround(makeTableCard(), content));
  column->addWidget(makePlots());
  m_pictures = new LayerPictures(m_context, content);
  column->addWidget(cardAround(m_pictures, content));
  m_check = new LayerCheckCard(m_context, content);
  column->addWidget(cardAround(m_check, content));
  column->addStretch();
  scroll->setWidget(content);
  RunView& view = m_context.view;
  for (const auto signal : {&RunView::changed, &RunView::ended, &RunView::stateChanged})
    connect(&view, signal, this, [this] {
      if (isVisible()) refresh();
    });
  m_late.setSingleShot(true);
  connect(&view, &RunView::layersArrived, this, &LayersLens::refreshSoon);
  connect(&m_late, &QTimer::timeout, this, &LayersLens::refreshSoon);
  connect(&m_context.document, &Document::selectionChanged, this, [this] {
    // A hidden lens has the rows of the run that it showed last
    const QStringList layers = m_context.document.selection();
    if (isVisible() && layers.size() == 1) selectLayer(layers.first());
  });
  refresh();
}

QWidget* LayersLens::makeBanner() {
  auto* banner = new QFrame(this);
  setRole(banner, "banner");
  auto* layout = new QHBoxLayout(banner);
  layout->setContentsMargins(14, 8, 14, 8);
  m_bannerText = new QLabel(banner);
  m_bannerText->setWordWrap(true);
  m_bannerText->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(m_bannerText, 1);
  m_showLayer = new QPushButton(banner);
  layout->addWidget(m_showLayer, 0, Qt::AlignTop);
  connect(m_showLayer, &QPushButton::clicked, this, [this] {
    const auto& batch = m_context.view.shown().keptBatch;
    if (!batch) return;
    const QString layer = text(rowOfLayer(batch->layer));
    if (m_context.document.layers().indexOf(layer) >= 0) m_context.showLayer(layer);
  });
  banner->hide();
  m_banner = banner;
  return banner;
}

QWidget* LayersLens::makeTableCard() {
  auto* card = new QWidget(this);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(14, 8, 8, 8);
  auto* head = new QHBoxLayout;
  m_title = new QLabel(tr("Layers"), card);
  setRole(m_title, "section");
  head->addWidget(m_title);
  m_cost = new QLabel(card);
  setRole(m_cost, "muted");
  head->addWidget(m_cost, 1);
  m_sampled = new QCheckBox(tr("Sample layers"), card);
  m_sampled->setToolTip(
      tr("Switches it on or off from the next step on, and for later runs. Takes at most 3% of the "
         "training time after the first sample. The results of the run are the same."));
  m_sampled->setChecked(m_context.run.samplesLayers());
  connect(m_sampled, &QCheckBox::toggled, this,
          [this](bool on) { m_context.run.setSamplesLayers(on); });
  head->addWidget(m_sampled);
  m_sampleNow = new QPushButton(tr("Sample now"), card);
  m_sampleNow->setToolTip(
      tr("Samples the layers at the next step, whatever part of the training time this takes."));
  connect(m_sampleNow, &QPushButton::clicked, this, [this] {
    if (m_sampled->isChecked())
      m_context.run.setSamplesLayers(true);
    else
      m_sampled->setChecked(true);
  });
  head->addWidget(m_sampleNow);
  layout->addLayout(head);
  constexpr int kHeight = 260;
  m_empty = new QLabel(card);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  m_empty->setMinimumHeight(kHeight);
  setRole(m_empty, "muted");
  layout->addWidget(m_empty);
  m_model = new LayerHealthModel(this);
  m_sorted = new QSortFilterProxyModel(this);
  m_sorted->setSourceModel(m_model);
  m_sorted->setSortRole(LayerHealthModel::kSortRole);
  m_sorted->setDynamicSortFilter(true);
  m_table = new QTableView(card);
  m_table->setModel(m_sorted);
  m_table->setAccessibleName(tr("Layers"));
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(LayerHealthModel::kName, Qt::AscendingOrder);
  setUpLayerTable(m_table, m_context, LayerHealthModel::kLayerRole);
  m_table->setMinimumHeight(kHeight);
  auto* header = m_table->horizontalHeader();
  alignTitles(m_table);
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  layout->addWidget(m_table);
  m_verdict = new QLabel(card);
  m_verdict->setWordWrap(true);
  m_verdict->setMinimumHeight(fontMetrics().height() * 2);
  layout->addWidget(m_verdict);
  connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& now) {
            if (!now.isValid()) return;
            const auto row = m_sorted->mapToSource(now).row();
            m_layer = m_model->index(row, LayerHealthModel::kName).data().toString();
            refreshLayer();
          });
  return card;
}

QWidget* LayersLens::makePlots() {
  auto* plots = new QWidget(this);
  auto* grid = new QGridLayout(plots);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(12);
  m_linked = new LinkedPlots(this);
  constexpr int kHeight = 250;
  const auto add = [&](QWidget* plot, int row, int column, int columns) {
    QWidget* frame = cardAround(plot, plots);
    frame->setFixedHeight(kHeight);
    grid->addWidget(frame, row, column, 1, columns);
  };
  const QStringList titles{tr("Weights over the run"), tr("Gradients over the run"),
                           tr("Outputs over the run")};
  for (const QString& title : titles) {
    auto* plot = new DistributionPlot(title, plots);
    add(plot, 0, static_cast<int>(m_distributions.size()) * 2, 2);
    m_distributions.push_back(plot);
    m_linked->add(plot->navigator());
  }
  m_updateRatio = new LayerCurve(tr("Update of the weights, log10"), plots);
  m_dead = new LayerCurve(tr("Dead units"), plots);
  add(m_updateRatio, 1, 0, 3);
  add(m_dead, 1, 3, 3);
  m_linked->add(m_updateRatio->navigator());
  m_linked->add(m_dead->navigator());
  for (int column = 0; column < 6; ++column)
    grid->setColumnStretch(column, 1);
  return plots;
}

void LayersLens::selectLayer(const QString& layer) {
  if (m_sorted->rowCount() == 0) {
    // Without statistics, the pictures and the check still need a layer
    m_layer = layer;
    refreshLayer();
    return;
  }
  for (int row = 0; row < m_sorted->rowCount(); ++row) {
    const QModelIndex index = m_sorted->index(row, LayerHealthModel::kName);
    if (index.data().toString() != layer && index.data(LayerHealthModel::kLayerRole) != layer)
      continue;
    if (m_table->currentIndex().row() != row) m_table->setCurrentIndex(index);
    return;
  }
}

std::optional<size_t> LayersLens::selected() const {
  for (int row = 0; row < m_model->rowCount(); ++row)
    if (m_model->index(row, LayerHealthModel::kName).data() == m_layer)
      return static_cast<size_t>(row);
  return std::nullopt;
}

/// Returns why there are no statistics, and what to do.
QString LayersLens::whyEmpty() const {
  const ShownRun& run = m_context.view.shown();
  const auto& sampling = run.layers.sampling();
  const bool isTraining = m_context.view.isLive() && m_context.run.isActive();
  if (sampling && sampling->isOff)
    return isTraining ? tr("The sampling of layers is switched off.")
                      : tr("The statistics of layers are unknown, because their sampling was "
                           "switched off.");
  if (sampling && !sampling->isSampled())
    return tr("The statistics of layers are unknown, because %1.")
        .arg(translated(sampling->problem.text, sampling->problem.arguments));
  if (!run.problem.empty()) return text(run.problem);
  if (m_context.view.isLive())
    return sampling || m_context.run.samplesLayers()
               ? tr("The statistics of layers appear after the first samples.")
               : tr("This run does not sample its layers.");
  return tr(
      "The statistics of layers are unknown, because this run did not sample them. Train "
      "again to see them.");
}

void LayersLens::refresh() {
  m_sampleNow->setEnabled(m_context.view.isLive() && m_context.run.isActive());
  refreshBanner();
  refreshTable();
  refreshLayer();
}

/// Shows the newest values as soon as the pace permits, also if no later ones arrive.
void LayersLens::refreshSoon() {
  constexpr std::chrono::milliseconds kRetry{250};
  if (!isVisible()) return;
  if (!m_pace.redraw(!m_context.view.isLive(), [this] { refresh(); })) m_late.start(kRetry);
}

/// After a NaN or Inf, names the step, the layer and the samples of the batch.
void LayersLens::refreshBanner() {
  const auto& batch = m_context.view.shown().keptBatch;
  m_banner->setVisible(batch.has_value());
  if (!batch) return;
  QStringList samples;
  constexpr size_t kMost = 16;
  for (size_t i = 0; i < std::min(kMost, batch->indices.size()); ++i)
    samples << formatCount(batch->indices[i]);
  QStringList lines{text(batch->message)};
  lines << tr("The batch of step %1 was kept in %2.")
               .arg(formatCount(batch->step), text(batch->path));
  lines << (batch->indices.size() > kMost ? tr("Training samples: %1 and %n more", nullptr,
                                               static_cast<int>(batch->indices.size() - kMost))
                                                .arg(samples.join(u", "_s))
                                          : tr("Training samples: %1").arg(samples.join(u", "_s)));
  m_bannerText->setText(lines.join(u'\n'));
  const bool hasLayer = m_context.document.layers().indexOf(text(rowOfLayer(batch->layer))) >= 0;
  m_showLayer->setVisible(hasLayer);
  m_showLayer->setText(tr("Show %1").arg(text(rowOfLayer(batch->layer))));
}

void LayersLens::refreshTable() {
  const ShownRun& run = m_context.view.shown();
  const LayerHistory& layers = run.layers;
  m_table->setVisible(!layers.isEmpty());
  m_empty->setVisible(layers.isEmpty());
  if (layers.isEmpty()) {
    m_model->clear();
    m_empty->setText(whyEmpty());
    m_cost->clear();
    return;
  }
  m_model->setSample(layers.last(), layers.verdicts());
  const LayerSample& last = layers.last();
  QStringList words{RunText::title(run.start ? run.start->runDirectory : std::string()),
                    tr("step %1").arg(formatCount(last.step)),
                    tr("%n samples of the batch", nullptr, pluralOf(last.samples))};
  if (const auto& sampling = layers.sampling(); sampling && !sampling->replica.empty())
    words << translatedWords(sampling->replica);
  if (const auto& sampling = layers.sampling(); sampling && sampling->isOff)
    words << tr("sampling is off");
  m_cost->setText(words.join(u" · "_s));
  if (!selected() && m_sorted->rowCount() > 0) m_table->setCurrentIndex(m_sorted->index(0, 0));
}

/// Shows the selected layer over the run.
void LayersLens::refreshLayer() {
  const ShownRun& run = m_context.view.shown();
  const auto layer = selected();
  const bool isChosen = layer || m_model->rowCount() == 0;
  m_pictures->setLayer(isChosen ? m_layer : QString());
  m_check->setLayer(isChosen ? m_layer : QString());
  std::array<std::vector<DistributionPlot::Point>, 3> points;
  std::vector<std::pair<double, double>> ratios, dead;
  QString verdict;
  double units = 0;
  if (layer && !run.layers.isEmpty()) {
    for (const auto& sample : run.layers.samples()) {
      const LayerStatistics& each = sample->layers[*layer];
      const auto step = static_cast<double>(sample->step);
      points[0].push_back({step, each.weights});
      points[1].push_back({step, each.gradients});
      points[2].push_back({step, each.activations});
      ratios.emplace_back(step, each.updateRatio);
      if (each.deadUnits >= 0) dead.emplace_back(step, each.deadUnits);
    }
    units = static_cast<double>((*run.layers.last().watched)[*layer].units);
    const LayerVerdict& found = m_model->verdicts()[*layer];
    QStringList lines{tr("%1: %2.").arg(m_layer, translated(healthText(found.health)))};
    for (const Phrase& phrase : {found.evidence, found.advice})
      if (!phrase.text.isEmpty()) lines << withStop(translated(phrase.text, phrase.arguments));
    verdict = lines.join(u' ');
    setRole(m_verdict, found.isProblem() ? "warning" : "muted");
  }
  m_verdict->setText(verdict);
  const double end = run.start ? run.stepsOfAxis() : 1;
  const QString why = run.layers.isEmpty() ? whyEmpty() : tr("This layer has no such values.");
  for (size_t i = 0; i < points.size(); ++i)
    m_distributions[i]->refresh(std::move(points[i]), end, why);
  constexpr double kUsual = -3;
  m_updateRatio->refresh(std::move(ratios), end, std::pair(kUsual, tr("Dashed: −3 is usual.")),
                         why);
  m_dead->refresh(std::move(dead), end,
                  units > 0
                      ? std::optional(std::pair(units, tr("Dashed: all %n units.", nullptr,
                                                          pluralOf(static_cast<int64_t>(units)))))
                      : std::nullopt,
                  why);
}

void LayersLens::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

QWidget* makeLayersLens(const LensContext& context, QWidget* parent) {
  return new LayersLens(context, parent);
}

}  // namespace strata::ui
