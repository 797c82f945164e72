// SPDX-License-Identifier: GPL-3.0-or-later
// Builds a form from field schemas. A row has a label and an editor, and its problem is below them.
// The fields of an object are below its row. All forms use this class, because it also sets
// buddies, accessible names and tooltips. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <functional>
#include <string>
#include <vector>

#include "core/layers/schema.h"
#include "ui/inspector/field_editor.h"

class QGridLayout;
class QLabel;

namespace strata::ui {

class FixButtons;

class FieldForm : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kLabelWidth = 104;

  struct Mark {
    // An empty text means that there is no mark.
    QString words;
    bool isLive = false;
  };
  struct Access {
    /// Returns the value of the field, or null if the file has none.
    std::function<const Json*(const FieldSchema& field)> get;
    std::function<void(const FieldSchema& field, const Json& value)> set;
    std::function<void(const FieldSchema& field)> reset;
    /// Returns the problem at `path`, or "" if there is none. `path` is the name of a field, or
    /// "outer/inner" for a nested field. This function and the following ones may be empty.
    std::function<QString(const std::string& path)> problem = {};
    /// `fixes` returns the fixes for the problem at `path`, and `apply` applies one of them.
    std::function<std::vector<Fix>(const std::string& path)> fixes = {};
    std::function<void(const ProjectEdit& edit)> apply = {};
    /// These functions handle refused text as in FieldEditor::Calls, for the field at `path`.
    std::function<void(const std::string& path, const QString& title, const QString& text,
                       const QString& why)>
        refuse = {};
    std::function<void(const std::string& path)> accept = {};
    std::function<const RefusedValue*(const std::string& path)> refused = {};
    /// Returns the folder of the project file, or "" without a file. Paths are stored relative to
    /// it.
    std::function<QString()> folder = {};
    /// Returns a short note for the label, for example about when an edit takes effect.
    std::function<Mark(const std::string& path, const FieldSchema& field)> mark = {};
    /// Returns the names that a field of this registry accepts.
    std::function<std::vector<std::string>(const std::string& registry)> names = {};
    /// Returns the reason to refuse a value, as in FieldEditor::Calls.
    std::function<QString(const FieldSchema& field, const Json& value)> refusal = {};
  };
  FieldForm(Access access, QWidget* parent);

  /// Adds the editor for the field's type.
  void addField(const FieldSchema& field);
  /// Adds an editor that selects one of `schemas`, followed by the fields of the selected schema.
  /// The schemas must outlive the form.
  void addObject(const FieldSchema& field, std::vector<const Schema*> schemas);
  /// Adds only the editor that selects one of `schemas`, without their fields.
  void addType(const FieldSchema& field, std::vector<const Schema*> schemas);
  using Filter = std::function<bool(const FieldSchema& field)>;
  /// Adds the fields of the object in `field` that `isShown` accepts. An empty filter accepts all.
  void addFieldsOf(const FieldSchema& field, std::vector<const Schema*> schemas,
                   Filter isShown = {});
  /// Adds a line edit for a number. The choice below it can replace the number by an object of the
  /// field's registry.
  void addNumberOrObject(const FieldSchema& field);
  void addSet(const FieldSchema& field, std::vector<std::string> options, const QString& emptyText);
  /// Adds an editor that the caller has created.
  void addEditor(FieldEditor* editor);
  FieldEditor::Calls callsOf(const FieldSchema& field) const;
  /// Returns the access to the fields of the object in `outer`.
  static Access inside(const Access& access, const FieldSchema& outer);
  /// Returns whether the form has a field at `path`, which then shows the problem at this path.
  bool hasField(const std::string& path) const;
  /// Returns the widget that takes the focus for the field at `path`, or null if this form has
  /// none.
  QWidget* input(const std::string& path) const;
  /// Moves the focus to the field, selects its text and scrolls it into view. Returns false if this
  /// form does not have the field.
  bool focusField(const std::string& path) const;
  /// Shows the current values of the document.
  void refresh();

 private:
  struct Row {
    FieldEditor* editor = nullptr;
    QLabel* mark = nullptr;
    QLabel* problem = nullptr;
    FixButtons* fixes = nullptr;
    QString complaint;
    bool standsForNumber = false;
  };
  /// The fields of an object, which the form shows below its row.
  struct Nested {
    FieldSchema field;
    std::vector<const Schema*> schemas;
    Filter isShown;
    QWidget* holder = nullptr;
    FieldForm* form = nullptr;
    std::string type;
  };
  Row& place(FieldEditor* editor);
  bool hasNames(const FieldSchema& field) const;
  void showProblem(Row& row);
  void showMark(Row& row);
  void refreshNested(Nested& nested);

  const Access m_access;
  QGridLayout* m_grid;
  std::vector<std::unique_ptr<Row>> m_rows;
  std::vector<std::unique_ptr<Nested>> m_nested;
};

}  // namespace strata::ui
