// SPDX-License-Identifier: GPL-3.0-or-later
// The form of the data source, its split and its transform, made from the schemas of core. Thread: the window's.
#pragma once

#include <QWidget>

class QFormLayout;

namespace strata::ui {

class Document;

class SourceForm : public QWidget {
  Q_OBJECT
 public:
  SourceForm(Document& document, QWidget* parent);

 private:
  /// Rebuilds the fields when the type of the source changed, else refreshes their values.
  void refresh();
  Document& m_document;
  QFormLayout* m_form;
  std::string m_shown;  // the project's /data as text
};

}  // namespace strata::ui
