// SPDX-License-Identifier: GPL-3.0-or-later
// The popup under the memory chip. It shows the peak by category, the changes that make the step
// fit, and the time that a lower memory limit costs. Choosing an option edits the document. The
// panel also estimates the step on another GPU. It follows the document while it is open. Thread:
// GUI thread.
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
  void addBusyWarning();
  void addFigure(const QString& title, const QString& value, bool isPredicted);
  void addSection(const QString& title);
  QPushButton* addOffer(const QString& what, const QString& cost, const QString& button,
                        const QString& spoken);
  void addRun();
  void addRemedies();
  void addCurve();

  Document& m_document;
  QVBoxLayout* m_column = nullptr;
  QWidget* m_content = nullptr;
  QGridLayout* m_grid = nullptr;
};

}  // namespace strata::ui
