// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a document as rows: Design's list and the network list of the other pages read it.
// Dropping and renaming submit edits; it holds no data of its own beside the text of each row.
// Thread: the window's.
#pragma once

#include <QAbstractTableModel>
#include <QPointer>
#include <QSet>
#include <map>
#include <optional>

#include "ui/document/document.h"
#include "ui/models/branch_lanes.h"
#include "ui/run/measured_times.h"

namespace strata::ui {

enum class CostKind { Time, Memory, Parameters, MultiplyAdds };

// A layer type from the palette
extern const QString kLayerTypeMime;
// Layers of this document, one a line: row and name
extern const QString kLayerNamesMime;

class LayerItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Type, Output, Parameters, MultiplyAdds, Cost, Inputs, NumColumns };
  // LanesRole: the row's RowLanes. SeverityRole: 0 none, 1 warning, 2 error. IsStaleRole: measured
  // before the layer changed. DepthRole: Blocks around it. FoldRole: 0 no Block, 1 folded, 2 open.
  enum Role {
    GroupRole = Qt::UserRole + 1,
    SeverityRole,
    CostFractionRole,
    IsPredictedRole,
    IsStaleRole,
    DepthRole,
    FoldRole,
    LanesRole
  };

  explicit LayerItemModel(QObject* parent = nullptr);
  void setDocument(Document* document);
  Document* document() const { return m_document; }
  CostKind costKind() const { return m_costKind; }
  void setCostKind(CostKind kind);
  /// Times of a run, shown instead of the predicted ones; absent: the prediction.
  void setMeasured(std::optional<MeasuredTimes> measured);
  /// Shorter titles where columns are narrow.
  void setCompact(bool compact);
  QString multiplyAddsTitle(bool isCompact) const;
  static QString costTitle(CostKind kind);
  QString layerAt(const QModelIndex& index) const;
  QModelIndex indexOf(const QString& layer) const;
  /// Where the document has a row of the list: of Document::layers(), its size behind the last.
  int documentRow(int row) const;
  QModelIndex indexOf(const LayerPath& layer) const;
  LayerPath pathAt(const QModelIndex& index) const;
  /// The layers in a folded Block have no rows. What is selected is shown.
  bool isFolded(const QString& block) const { return m_folding.blocks.contains(block); }
  void setFolded(const QString& block, bool folded);
  /// Is there a layer that takes something else than the layer before?
  bool hasBranches() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QStringList mimeTypes() const override;
  QMimeData* mimeData(const QModelIndexList& indexes) const override;
  Qt::DropActions supportedDropActions() const override;
  bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                       const QModelIndex& parent) const override;
  bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                    const QModelIndex& parent) override;

 private:
  void syncRows();
  QList<LayerEntry> readRows();
  void followBlocks();
  void showSelection();
  void readConnections();
  void refreshFigures();
  QString outputText(int row) const;
  // Below zero: unknown
  double cost(int row) const;
  QString costText(int row) const;
  bool isMeasured() const { return m_costKind == CostKind::Time && m_measured; }
  QString costNote(int row) const;

  QPointer<Document> m_document;
  // Those that are not in a folded Block
  QList<LayerEntry> m_rows;
  QList<int> m_documentRows;
  struct Folding {
    QSet<QString> blocks;
    // Of every Block, by its name
    std::map<QString, std::string> pointers;
  };
  Folding m_folding;
  // Of the documents that were shown before
  std::map<const QObject*, Folding> m_kept;
  // Of each row: what feeds it, "" where that is the layer before
  QStringList m_inputs;
  std::vector<RowLanes> m_lanes;
  std::optional<MeasuredTimes> m_measured;
  double m_largestCost = 0;
  bool m_isCompact = false;
  CostKind m_costKind = CostKind::Time;
};

}  // namespace strata::ui
