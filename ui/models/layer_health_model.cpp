// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/layer_health_model.h"

#include <QFont>
#include <QGuiApplication>
#include <QPalette>
#include <cmath>

#include "core/layer_statistics/layer_verdict.h"
#include "core/model/model.h"
#include "ui/format.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

// What a layer does not have
static const QString kNone = u"—"_s;

static QString meanText(const TensorStatistics& statistics) {
  if (!statistics.isKnown()) return kNone;
  if (statistics.nonFinite > 0)
    return LayerHealthModel::tr("%1 not finite").arg(formatCount(statistics.nonFinite));
  return u"%1 ± %2"_s.arg(formatValue(statistics.mean, 3), formatValue(statistics.deviation, 3));
}

void LayerHealthModel::setSample(const LayerSample& sample, std::vector<LayerVerdict> verdicts) {
  const bool isSame = m_watched && m_layers.size() == sample.layers.size();
  if (!isSame) beginResetModel();
  m_watched = sample.watched;
  m_layers = sample.layers;
  m_verdicts = std::move(verdicts);
  m_verdicts.resize(m_layers.size());
  if (!isSame)
    endResetModel();
  else if (!m_layers.empty())
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kNumColumns - 1));
}

void LayerHealthModel::clear() {
  if (m_layers.empty()) return;
  beginResetModel();
  m_watched.reset();
  m_layers.clear();
  m_verdicts.clear();
  endResetModel();
}

QVariant LayerHealthModel::shown(size_t row, int column) const {
  const WatchedLayer& watched = (*m_watched)[row];
  const LayerStatistics& layer = m_layers[row];
  switch (column) {
    case kName: return text(watched.name);
    case kType: return text(watched.type);
    case kVerdict: return translated(healthText(m_verdicts[row].health));
    case kUpdate:
      if (std::isnan(layer.updateRatio)) return kNone;
      // As the sentence of the verdict
      return text(percentText(std::pow(10.0, static_cast<double>(layer.updateRatio))));
    case kWeights: return meanText(layer.weights);
    case kGradients: return meanText(layer.gradients);
    case kActivations: return meanText(layer.activations);
    case kDead:
      return layer.deadUnits < 0
                 ? kNone
                 : tr("%1 of %2").arg(formatCount(layer.deadUnits), formatCount(watched.units));
    case kSaturated: return std::isnan(layer.saturated) ? kNone : formatPercent(layer.saturated);
    default: return {};
  }
}

QVariant LayerHealthModel::sorted(size_t row, int column) const {
  const LayerStatistics& layer = m_layers[row];
  // Unknown values come last in descending order
  const auto number = [](double value) {
    return std::isnan(value) ? -1e300 : value;
  };
  switch (column) {
    // In the order of the network
    case kName: return static_cast<qulonglong>(row);
    case kVerdict: return static_cast<int>(m_verdicts[row].health);
    case kUpdate: return number(layer.updateRatio);
    case kWeights: return number(layer.weights.meanMagnitude);
    case kGradients: return number(layer.gradients.meanMagnitude);
    case kActivations: return number(layer.activations.meanMagnitude);
    case kDead:
      return (*m_watched)[row].units > 0 ? static_cast<double>(layer.deadUnits) /
                                               static_cast<double>((*m_watched)[row].units)
                                         : -1;
    case kSaturated: return number(layer.saturated);
    default: return shown(row, column);
  }
}

QVariant LayerHealthModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_watched) return {};
  const auto row = static_cast<size_t>(index.row());
  const LayerVerdict& verdict = m_verdicts[row];
  switch (role) {
    case Qt::DisplayRole: return shown(row, index.column());
    case kSortRole: return sorted(row, index.column());
    case kLayerRole: return text(rowOfLayer((*m_watched)[row].name));
    case Qt::ToolTipRole: {
      QStringList lines;
      if (!verdict.evidence.text.isEmpty())
        lines << translated(verdict.evidence.text, verdict.evidence.arguments);
      if (!verdict.advice.text.isEmpty())
        lines << translated(verdict.advice.text, verdict.advice.arguments);
      return lines.isEmpty() ? QVariant() : lines.join(u'\n');
    }
    case Qt::ForegroundRole:
      return index.column() == kVerdict && verdict.isProblem()
                 ? QVariant(colorsOf(QGuiApplication::palette()).warning)
                 : QVariant();
    case Qt::FontRole: {
      if (index.column() != kVerdict || !verdict.isProblem()) return {};
      QFont font;
      font.setBold(true);
      return font;
    }
    case Qt::TextAlignmentRole:
      return index.column() <= kVerdict ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                                        : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
  }
}

int LayerHealthModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_layers.size());
}
int LayerHealthModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kNumColumns;
}

QVariant LayerHealthModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return section <= kVerdict ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                               : QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    switch (section) {
      case kUpdate:
        return tr(
            "How much a step changes the weights, as a part of their norm. About 0.1% is usual.");
      case kDead: return tr("Units with the same output for all samples");
      case kSaturated: return tr("Outputs at which the activation has nearly no slope");
      case kWeights:
      case kGradients:
      case kActivations: return tr("Mean and standard deviation");
      default: return {};
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kName: return tr("Layer");
    case kType: return tr("Type");
    case kVerdict: return tr("Verdict");
    case kUpdate: return tr("Update");
    case kWeights: return tr("Weights");
    case kGradients: return tr("Gradients");
    case kActivations: return tr("Outputs");
    case kDead: return tr("Dead units");
    case kSaturated: return tr("Saturated");
    default: return {};
  }
}

}  // namespace strata::ui
