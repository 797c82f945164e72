// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/pass_item_model.h"

#include <QGuiApplication>
#include <QPalette>

#include "ui/format.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

struct Passes {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::PassItemModel)
};

QString fromTo(const QString& before, const QString& after) {
  return before == after ? after : Passes::tr("%1 → %2").arg(before, after);
}
/// Formats a predicted value in italics without line breaks.
QString predicted(QString words) { return italic(words.replace(u' ', QChar(QChar::Nbsp))); }

}  // namespace

QString stageFigures(const TraceStage& stage) {
  const PassReport& report = stage.report;
  if (report.isDisabled) return Passes::tr("Disabled: the graph is unchanged.");
  if (!report.failure.empty())
    return Passes::tr("The pass failed and was skipped: the graph is unchanged. %1")
        .arg(text(report.failure).toHtmlEscaped());
  const auto bytes = [](double before, double after) {
    return predicted(fromTo(formatBytes(before), formatBytes(after)));
  };
  const QString nodes = fromTo(formatCount(report.nodesBefore), formatCount(report.nodesAfter));
  const QString live = bytes(static_cast<double>(report.before.peakBytes),
                             static_cast<double>(report.after.peakBytes));
  const QString moved = bytes(report.before.movedBytes, report.after.movedBytes);
  const QString time =
      predicted(fromTo(formatSeconds(report.before.seconds), formatSeconds(report.after.seconds)));
  const QString state = Passes::tr("Nodes: %1. Predicted: peak memory %2, data moved %3, time %4.")
                            .arg(nodes, live, moved, time);
  if (stage.isBuilt()) return state;
  if (report.rewrites == 0) return Passes::tr("The pass found nothing to rewrite. %1").arg(state);
  QStringList marks;
  if (stage.added > 0) marks << Passes::tr("%1 new").arg(formatCount(stage.added));
  if (stage.changed > 0) marks << Passes::tr("%1 changed").arg(formatCount(stage.changed));
  if (stage.moved > 0) marks << Passes::tr("%1 moved").arg(formatCount(stage.moved));
  if (stage.removed > 0) marks << Passes::tr("%1 removed").arg(formatCount(stage.removed));
  const QString rewrites = Passes::tr("Rewrites: %1.").arg(formatCount(report.rewrites));
  if (marks.isEmpty()) return Passes::tr("%1 %2").arg(rewrites, state);
  return Passes::tr("%1 %2 Compared with the previous pass: %3.")
      .arg(rewrites, state, marks.join(u", "_s));
}

void PassItemModel::setTrace(std::shared_ptr<const PassTrace> trace) {
  beginResetModel();
  m_trace = std::move(trace);
  endResetModel();
}

void PassItemModel::setDisabled(const QStringList& passes) {
  if (passes == m_disabled) return;
  m_disabled = passes;
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, NumColumns - 1));
}

QString PassItemModel::passAt(int row) const {
  return row < 0 || row >= rowCount() ? QString() : text(stage(row).report.pass);
}

int PassItemModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_trace ? 0 : static_cast<int>(m_trace->stages.size());
}
int PassItemModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : NumColumns;
}

QString PassItemModel::cell(int row, int column) const {
  const TraceStage& at = stage(row);
  const PassReport& report = at.report;
  switch (column) {
    case Name: return at.isBuilt() ? tr("initial graph") : text(report.pass);
    case Rewrites:
      if (at.isBuilt()) return {};
      if (report.isDisabled) return tr("disabled");
      return report.failure.empty() ? formatCount(report.rewrites) : tr("skipped");
    case Nodes: return fromTo(formatCount(report.nodesBefore), formatCount(report.nodesAfter));
    default: return {};
  }
}

QVariant PassItemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const TraceStage& at = stage(index.row());
  const QString pass = text(at.report.pass);
  switch (role) {
    case Qt::DisplayRole: return cell(index.row(), index.column());
    case Qt::CheckStateRole:
      if (index.column() != Name || at.isBuilt()) return {};
      return m_disabled.contains(pass) ? Qt::Unchecked : Qt::Checked;
    case Qt::ForegroundRole: {
      const Colors& colors = colorsOf(QGuiApplication::palette());
      if (!at.report.failure.empty()) return colors.problem;
      const bool isQuiet = !at.isBuilt() && at.report.rewrites == 0;
      return isQuiet ? colors.muted : colors.text;
    }
    case Qt::TextAlignmentRole:
      return index.column() == Name ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                                    : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ToolTipRole: {
      const QString help = at.isBuilt() ? tr("The forward, backward and update ops before any pass")
                                        : translated(at.help);
      return u"<p>%1</p><p>%2</p>"_s.arg(help.toHtmlEscaped(), stageFigures(at));
    }
    case Qt::AccessibleTextRole:
      if (index.column() == Name)
        return tr("%1, rewrites %2, nodes %3")
            .arg(cell(index.row(), Name), cell(index.row(), Rewrites), cell(index.row(), Nodes));
      return cell(index.row(), index.column());
    default: return {};
  }
}

bool PassItemModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || role != Qt::CheckStateRole || index.column() != Name) return false;
  const QString pass = passAt(index.row());
  const bool isOn = value.toInt() == Qt::Checked;
  if (pass.isEmpty() || isOn == !m_disabled.contains(pass)) return false;
  Q_EMIT switched(pass, isOn);
  return true;
}

QVariant PassItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return section == Name ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                           : QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Name: return tr("Pass");
    case Rewrites: return tr("Rewrites");
    default: return tr("Nodes");
  }
}

Qt::ItemFlags PassItemModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags all = QAbstractTableModel::flags(index);
  return index.isValid() && index.column() == Name && !passAt(index.row()).isEmpty()
             ? all | Qt::ItemIsUserCheckable
             : all;
}

}  // namespace strata::ui
