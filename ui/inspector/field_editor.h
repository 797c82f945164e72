// SPDX-License-Identifier: GPL-3.0-or-later
// One field of a form: shows a value or its default, and reports what a person enters. It never
// writes back a value that was not edited. Thread: GUI thread.
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
  /// What a person did; the form turns it into an edit.
  struct Calls {
    std::function<void(const Json& value)> set;
    std::function<void()> reset;
    /// The reason to refuse a value that the field's schema accepts, "" to accept it. May be empty.
    std::function<QString(const Json& value)> refusal = {};
    // Keeps refused text in the document until the field accepts a value. May be empty.
    std::function<void(const QString& text, const QString& why)> refuse = {};
    std::function<void()> accept = {};
    std::function<const RefusedValue*()> refused = {};
    /// The folder that stored paths are relative to; if it is "" or this is empty, paths are
    /// absolute.
    std::function<QString()> folder = {};
  };
  FieldEditor(FieldSchema field, Calls calls, QObject* parent)
      : QObject(parent), m_field(std::move(field)), m_calls(std::move(calls)) {}
  virtual QWidget* widget() const = 0;
  /// The widget that takes the keyboard focus and has the field's name
  virtual QWidget* input() const { return widget(); }
  /// The same for a nested field such as "0/patience"; null if there is none
  virtual QWidget* inputOf(const std::string&) const { return nullptr; }
  /// `value` null: the file has no value, so the default applies.
  virtual void show(const Json* value) = 0;
  const FieldSchema& field() const { return m_field; }

 Q_SIGNALS:
  /// Emitted with "" when the text is valid again.
  void complained(const QString& why);

 protected:
  const FieldSchema m_field;
  const Calls m_calls;
};

/// Creates the editor for the field's type. Objects list the schemas of their registry.
FieldEditor* makeFieldEditor(const FieldSchema& field, FieldEditor::Calls calls, QWidget* parent);
/// A choice among types, for objects whose schemas the caller has
FieldEditor* makeTypeEditor(const FieldSchema& field, std::vector<std::string> types,
                            FieldEditor::Calls calls, QWidget* parent);
/// The names available now, such as those of layers
using Names = std::function<std::vector<std::string>()>;
/// A choice among `names`
FieldEditor* makeNameEditor(const FieldSchema& field, Names names, FieldEditor::Calls calls,
                            QWidget* parent);
/// Selects several of `options` (metrics, passes, layers). `emptyText` is shown when none is
/// selected.
FieldEditor* makeSetEditor(const FieldSchema& field, Names options, const QString& emptyText,
                           FieldEditor::Calls calls, QWidget* parent);

}  // namespace strata::ui
