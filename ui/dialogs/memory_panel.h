// SPDX-License-Identifier: GPL-3.0-or-later
// What opens under the memory chip: the peak by category, what would fit where it does not, and
// what less memory costs in time, each as an edit; and what the step would take on another device.
// It closes when something else is clicked, and follows the document while it is open. Thread: the
// window's.
#pragma once

#include <QFrame>

class QGridLayout;
class QPushButton;
class QVBoxLayout;

namespace strata {
struct PlanRemedy;
}

namespace strata::ui {

class Document;

class MemoryPanel : public QFrame {
  Q_OBJECT
 public:
  MemoryPanel(Document& document, QWidget* parent);
  static QString remedyText(const PlanRemedy& remedy);

 private:
  void rebuild();
  void addFigure(const QString& title, const QString& value, bool isPredicted);
  void addSection(const QString& title);
  QPushButton* addOffer(const QString& what, const QString& cost, const QString& button,
                        const QString& spoken);
  void addRemedies();
  void addCurve();

  Document& m_document;
  QVBoxLayout* m_column = nullptr;
  QWidget* m_content = nullptr;
  QGridLayout* m_grid = nullptr;
};

}  // namespace strata::ui
