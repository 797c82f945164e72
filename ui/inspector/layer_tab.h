// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the fields, the cost and the description of the selected layer. Thread: GUI thread.
#pragma once

#include <QPointer>
#include <QWidget>

#include "core/model/layer_path.h"
#include "ui/workspace/page_context.h"

class QLabel;
class QVBoxLayout;

namespace strata {
struct LayerDef;
}

namespace strata::ui {

class Document;
class AlgorithmSection;
class FieldForm;
class ShownTimes;

class LayerTab : public QWidget {
  Q_OBJECT
 public:
  explicit LayerTab(const PageContext& context, QWidget* parent = nullptr);
  /// Moves the focus to the editor of a field of the selected layer.
  void focusField(const QString& field);

 private:
  void setDocument(Document* document);
  void rebuild();
  void addFields(QVBoxLayout* column, const LayerDef& definition);
  void addCost(QVBoxLayout* column);
  void addAbout(QVBoxLayout* column, const LayerDef& definition);
  void refresh();
  void refreshProblems();
  void refreshCost();
  void refreshAlgorithms();
  /// Shows why a value is unknown, or a dash if a row above gives the same reason.
  void showUnknown(int row, const QString& why);

  PageContext m_context;
  ShownTimes* m_times = nullptr;
  QPointer<Document> m_document;
  LayerPath m_path;
  // The layer's path as text, and the layer's type.
  QString m_layer, m_type;
  QWidget* m_body = nullptr;
  FieldForm* m_form = nullptr;
  AlgorithmSection* m_algorithms = nullptr;
  QWidget* m_problems = nullptr;
  QStringList m_shownProblems;
  QLabel* m_costTitle = nullptr;
  QList<QLabel*> m_costValues;
};

}  // namespace strata::ui
