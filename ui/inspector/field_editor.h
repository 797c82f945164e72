// SPDX-License-Identifier: GPL-3.0-or-later
// Edits one field of a form. It shows the value or the default, and reports what the user enters.
// It never writes back a value that was not edited. Thread: GUI thread.
#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <memory>
#include <vector>

#include "core/layers/schema.h"

class QWidget;

namespace strata::ui {

struct RefusedValue;

class FieldEditor : public QObject {
  Q_OBJECT
 public:
  /// The callbacks for the actions of the user. The form turns each action into an edit.
  struct Calls {
    std::function<void(const Json& value)> set;
    std::function<void()> reset;
    /// Returns the reason to refuse a value that the field's schema accepts, or "" to accept it.
    /// The function may be empty.
    std::function<QString(const Json& value)> refusal = {};
    /// These functions keep refused text in the document until the field accepts a value. They may
    /// be empty.
    std::function<void(const QString& text, const QString& why)> refuse = {};
    std::function<void()> accept = {};
    std::function<const RefusedValue*()> refused = {};
    /// Returns the folder to which stored paths are relative. Without a folder, paths are absolute.
    /// The function may be empty.
    std::function<QString()> folder = {};
  };
  FieldEditor(FieldSchema field, Calls calls, QObject* parent)
      : QObject(parent), m_field(std::move(field)), m_calls(std::move(calls)) {}
  virtual QWidget* widget() const = 0;
  /// Returns the widget that takes the keyboard focus. The form gives it the field's name and
  /// title.
  virtual QWidget* input() const { return widget(); }
  /// Returns the input of a nested field such as "0/patience", or null if there is none.
  virtual QWidget* inputOf(const std::string&) const { return nullptr; }
  /// Shows `value`, or the default if `value` is null because the file has none.
  virtual void show(const Json* value) = 0;
  const FieldSchema& field() const { return m_field; }

 Q_SIGNALS:
  /// Emitted with the reason when the text is invalid, and with "" when it is valid again.
  void complained(const QString& why);

 protected:
  const FieldSchema m_field;
  const Calls m_calls;
};

/// Creates the editor for the field's type. An editor for objects offers the types in the field's
/// registry.
FieldEditor* makeFieldEditor(const FieldSchema& field, FieldEditor::Calls calls, QWidget* parent);
/// Creates an editor that selects the type of an object from `types`.
FieldEditor* makeTypeEditor(const FieldSchema& field, std::vector<std::string> types,
                            FieldEditor::Calls calls, QWidget* parent);
/// A function that returns the currently available names, for example of layers.
using Names = std::function<std::vector<std::string>()>;
/// Creates an editor that selects one of `names`.
FieldEditor* makeNameEditor(const FieldSchema& field, Names names, FieldEditor::Calls calls,
                            QWidget* parent);
/// Creates an editor that selects any number of `options` (metrics, passes, layers). It shows
/// `emptyText` while nothing is selected.
FieldEditor* makeSetEditor(const FieldSchema& field, Names options, const QString& emptyText,
                           FieldEditor::Calls calls, QWidget* parent);

}  // namespace strata::ui
