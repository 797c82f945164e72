// SPDX-License-Identifier: GPL-3.0-or-later
// A form made from field schemas: label, editor and, under them, what is wrong. Objects with fields
// show these below. The one form builder: it sets buddies, names and tool tips. Thread: the
// window's.
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
    // "" none
    QString words;
    bool isLive = false;
  };
  struct Access {
    // null: not in the file
    std::function<const Json*(const FieldSchema& field)> get;
    std::function<void(const FieldSchema& field, const Json& value)> set;
    std::function<void(const FieldSchema& field)> reset;
    // `path`: the field's name, of inner ones "outer/inner". These may be empty.
    // "" where none
    std::function<QString(const std::string& path)> problem = {};
    /// Edits that solve the problem of `path`, and what makes one of them.
    std::function<std::vector<Fix>(const std::string& path)> fixes = {};
    std::function<void(const ProjectEdit& edit)> apply = {};
    // As FieldEditor's, of `path`.
    std::function<void(const std::string& path, const QString& title, const QString& text,
                       const QString& why)>
        refuse = {};
    std::function<void(const std::string& path)> accept = {};
    std::function<const RefusedValue*(const std::string& path)> refused = {};
    /// Of the project's file, "" where it has none: paths are stored relative to it.
    std::function<QString()> folder = {};
    /// Small words under the title, such as from when an edit counts.
    std::function<Mark(const std::string& path, const FieldSchema& field)> mark = {};
    /// What a field of names may hold, by its registry.
    std::function<std::vector<std::string>(const std::string& registry)> names = {};
    /// As FieldEditor's.
    std::function<QString(const FieldSchema& field, const Json& value)> refusal = {};
  };
  FieldForm(Access access, QWidget* parent);

  /// The editor that the field's type asks for.
  void addField(const FieldSchema& field);
  /// A choice among `schemas`, whose own fields follow. Requires: the schemas outlive the form.
  void addObject(const FieldSchema& field, std::vector<const Schema*> schemas);
  /// The choice alone.
  void addType(const FieldSchema& field, std::vector<const Schema*> schemas);
  /// The fields of the object that `field` is now, those that `isShown` takes; empty: all.
  using Filter = std::function<bool(const FieldSchema& field)>;
  void addFieldsOf(const FieldSchema& field, std::vector<const Schema*> schemas,
                   Filter isShown = {});
  /// A number that an object of the field's registry can stand for: its line, and below it a choice
  /// among the objects.
  void addNumberOrObject(const FieldSchema& field);
  void addSet(const FieldSchema& field, std::vector<std::string> options, const QString& emptyText);
  /// `editor` of the caller.
  void addEditor(FieldEditor* editor);
  FieldEditor::Calls callsOf(const FieldSchema& field) const;
  /// The access to the fields of the object that `outer` is.
  static Access inside(const Access& access, const FieldSchema& outer);
  /// Is the problem of `path` shown at a field?
  bool hasField(const std::string& path) const;
  /// What takes the keyboard for the field at `path`; null: none here.
  QWidget* input(const std::string& path) const;
  /// Gives it the keyboard, in sight and selected. False where there is none.
  bool focusField(const std::string& path) const;
  /// Shows what the document holds now.
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
  /// The fields of an object, below its row.
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
