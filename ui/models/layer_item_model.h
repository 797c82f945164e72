// SPDX-License-Identifier: GPL-3.0-or-later
// The layers of a document as rows, for the list on Design and the network list of the other pages.
// Dropping and renaming submit edits; the model stores only the text of each row. Thread: GUI
// thread.
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
// Layers of this document, one per line: row and name
extern const QString kLayerNamesMime;

class LayerItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Type, Output, Parameters, MultiplyAdds, Cost, Inputs, NumColumns };
  // LanesRole: the row's RowLanes. SeverityRole: 0 none, 1 warning, 2 error. IsStaleRole: measured
  // before the layer changed. DepthRole: number of Blocks around the layer. FoldRole: 0 not a
  // Block, 1 folded, 2 open.
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
  /// Times of a run, shown instead of the predicted ones; nullopt shows the prediction.
  void setMeasured(std::optional<MeasuredTimes> measured);
  /// Uses shorter titles for narrow columns.
  void setCompact(bool compact);
  QString multiplyAddsTitle(bool isCompact) const;
  static QString costTitle(CostKind kind);
  QString layerAt(const QModelIndex& index) const;
  QModelIndex indexOf(const QString& layer) const;
  /// The index of a row in Document::layers(); its size for a row after the last
  int documentRow(int row) const;
  QModelIndex indexOf(const LayerPath& layer) const;
  LayerPath pathAt(const QModelIndex& index) const;
  /// The layers in a folded Block have no rows. Selecting one unfolds its Block.
  bool isFolded(const QString& block) const { return m_folding.blocks.contains(block); }
  void setFolded(const QString& block, bool folded);
  /// True if a layer has an input other than the previous layer
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
  // Negative: unknown
  double cost(int row) const;
  QString costText(int row) const;
  bool isMeasured() const { return m_costKind == CostKind::Time && m_measured; }
  QString costNote(int row) const;

  QPointer<Document> m_document;
  // Layers that are not in a folded Block
  QList<LayerEntry> m_rows;
  QList<int> m_documentRows;
  struct Folding {
    QSet<QString> blocks;
    // JSON pointer of each Block, by its name
    std::map<QString, std::string> pointers;
  };
  Folding m_folding;
  // Folding of the documents shown before
  std::map<const QObject*, Folding> m_kept;
  // The inputs of each row; "" if it is the previous layer
  QStringList m_inputs;
  std::vector<RowLanes> m_lanes;
  std::optional<MeasuredTimes> m_measured;
  double m_largestCost = 0;
  bool m_isCompact = false;
  CostKind m_costKind = CostKind::Time;
};

}  // namespace strata::ui
