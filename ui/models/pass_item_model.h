// SPDX-License-Identifier: GPL-3.0-or-later
// The passes over a step's graph as rows, with the initial graph first. A check box requests that a
// pass be switched; the document decides. Thread: GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <memory>

#include "core/train/pass_story.h"

namespace strata::ui {

class PassItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Rewrites, Nodes, NumColumns };

  using QAbstractTableModel::QAbstractTableModel;
  void setStory(std::shared_ptr<const PassStory> story);
  /// The passes that the project disables, which the story may not know yet
  void setDisabled(const QStringList& passes);
  /// "" for the initial graph
  QString passAt(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 Q_SIGNALS:
  // By the user
  void switched(const QString& pass, bool isOn);

 private:
  const StoryStage& stage(int row) const { return m_story->stages[static_cast<size_t>(row)]; }
  QString cell(int row, int column) const;

  std::shared_ptr<const PassStory> m_story;
  QStringList m_disabled;
};

/// What a pass did, in numbers; predicted ones in italics. Rich text.
QString stageFigures(const StoryStage& stage);

}  // namespace strata::ui
