// SPDX-License-Identifier: GPL-3.0-or-later
// A form generated from field schemas: label, editor and, below them, the problem. Objects show
// their fields below. This is the only form builder: it sets buddies, names and tooltips. Thread:
// GUI thread.
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
    // "": no mark
    QString words;
    bool isLive = false;
  };
  struct Access {
    // null: the file has no value
    std::function<const Json*(const FieldSchema& field)> get;
    std::function<void(const FieldSchema& field, const Json& value)> set;
    std::function<void(const FieldSchema& field)> reset;
    // `path` is the field's name, "outer/inner" for nested fields. The functions below may be
    // empty. Returns "" if there is no problem.
    std::function<QString(const std::string& path)> problem = {};
    /// The fixes for the problem at `path`, and the function that applies one
    std::function<std::vector<Fix>(const std::string& path)> fixes = {};
    std::function<void(const ProjectEdit& edit)> apply = {};
    // As in FieldEditor, for `path`
    std::function<void(const std::string& path, const QString& title, const QString& text,
                       const QString& why)>
        refuse = {};
    std::function<void(const std::string& path)> accept = {};
    std::function<const RefusedValue*(const std::string& path)> refused = {};
    /// The folder of the project file, "" without a file: paths are stored relative to it.
    std::function<QString()> folder = {};
    /// A short note under the title, for example when an edit takes effect
    std::function<Mark(const std::string& path, const FieldSchema& field)> mark = {};
    /// The names that a field accepts, by its registry
    std::function<std::vector<std::string>(const std::string& registry)> names = {};
    /// As in FieldEditor
    std::function<QString(const FieldSchema& field, const Json& value)> refusal = {};
  };
  FieldForm(Access access, QWidget* parent);

  /// Adds the editor for the field's type.
  void addField(const FieldSchema& field);
  /// Adds a choice among `schemas`, followed by their fields. Requires: the schemas outlive the
  /// form.
  void addObject(const FieldSchema& field, std::vector<const Schema*> schemas);
  /// Adds only the choice.
  void addType(const FieldSchema& field, std::vector<const Schema*> schemas);
  /// Adds the fields of the object in `field` that `isShown` accepts; empty accepts all.
  using Filter = std::function<bool(const FieldSchema& field)>;
  void addFieldsOf(const FieldSchema& field, std::vector<const Schema*> schemas,
                   Filter isShown = {});
  /// Adds a number that may be replaced by an object of the field's registry: a line edit, with a
  /// choice of objects below.
  void addNumberOrObject(const FieldSchema& field);
  void addSet(const FieldSchema& field, std::vector<std::string> options, const QString& emptyText);
  /// Adds an editor made by the caller.
  void addEditor(FieldEditor* editor);
  FieldEditor::Calls callsOf(const FieldSchema& field) const;
  /// The access to the fields of the object in `outer`
  static Access inside(const Access& access, const FieldSchema& outer);
  /// True if the problem of `path` is shown at a field
  bool hasField(const std::string& path) const;
  /// The widget that takes the focus for the field at `path`; null if this form has none
  QWidget* input(const std::string& path) const;
  /// Gives the field the focus, selects its text and scrolls it into view. False if there is none.
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
  /// The fields of an object, below its row
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
