// SPDX-License-Identifier: GPL-3.0-or-later
// An item model with the layers of a document as rows, for the lists on all pages. Renaming a row
// and dropping rows submit edits to the document, which owns the layers. Thread: GUI thread.
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

// MIME type of a layer type that is dragged from the palette
extern const QString kLayerTypeMime;
// MIME type of dragged layers. Each line contains the JSON pointer and the name of a layer.
extern const QString kLayerNamesMime;

class LayerItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Type, Output, Parameters, MultiplyAdds, Cost, Inputs, NumColumns };
  enum Role {
    // The group of the layer's schema
    GroupRole = Qt::UserRole + 1,
    // 0 for no problem, 1 for a warning, 2 for an error
    SeverityRole,
    // The cost as a fraction of the largest cost
    CostFractionRole,
    // Whether the cost is an estimate
    IsPredictedRole,
    // Whether the cost was measured before the layer changed
    IsStaleRole,
    // Number of Blocks around the layer
    DepthRole,
    // 0 for other layers, 1 for a folded Block, 2 for an open Block
    FoldRole,
    // The RowLanes of the row
    LanesRole
  };

  explicit LayerItemModel(QObject* parent = nullptr);
  void setDocument(Document* document);
  Document* document() const { return m_document; }
  /// Says which run or prediction the costs are of; "" for facts of the design. The second text
  /// also has the warning about a busy machine.
  QString costSource() const;
  QString costSourceTip() const;
  CostKind costKind() const { return m_costKind; }
  void setCostKind(CostKind kind);
  /// Shows the times of a run instead of the estimated times; nullopt shows the estimated times.
  void setMeasured(std::optional<MeasuredTimes> measured);
  /// If `compact` is true, the MultiplyAdds column has a shorter title.
  void setCompact(bool compact);
  QString multiplyAddsTitle(bool isCompact) const;
  static QString costTitle(CostKind kind);
  QString layerAt(const QModelIndex& index) const;
  QModelIndex indexOf(const QString& layer) const;
  /// Returns the index of a row in Document::layers(). For a row after the last one, returns the
  /// size of that list.
  int documentRow(int row) const;
  QModelIndex indexOf(const LayerPath& layer) const;
  LayerPath pathAt(const QModelIndex& index) const;
  /// Returns whether a Block is folded. Layers in a folded Block have no rows. Selecting one of
  /// them unfolds the Block.
  bool isFolded(const QString& block) const { return m_folding.blocks.contains(block); }
  void setFolded(const QString& block, bool folded);
  /// Returns whether any layer has an input other than the previous layer.
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
  // Negative if the cost is not known
  double cost(int row) const;
  QString costText(int row) const;
  QString costNote(int row) const;

  QPointer<Document> m_document;
  // The layers that are not in a folded Block
  QList<LayerEntry> m_rows;
  // The index in Document::layers() of each row
  QList<int> m_documentRows;
  struct Folding {
    // Names of the folded Blocks
    QSet<QString> blocks;
    // The JSON pointer of each Block by name
    std::map<QString, std::string> pointers;
  };
  Folding m_folding;
  // The folding of documents that were shown before
  std::map<const QObject*, Folding> m_kept;
  // The inputs of each row as text; "" if the only input is the previous layer
  QStringList m_inputs;
  std::vector<RowLanes> m_lanes;
  std::optional<MeasuredTimes> m_measured;
  double m_largestCost = 0;
  bool m_isCompact = false;
  CostKind m_costKind = CostKind::Time;
};

}  // namespace strata::ui
