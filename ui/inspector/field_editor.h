// SPDX-License-Identifier: GPL-3.0-or-later
// One field of a form: shows a value or its default, and tells what a person set. It never writes
// back what was not touched. Thread: the window's.
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
  /// What a person did; the form makes the edit of it.
  struct Calls {
    std::function<void(const Json& value)> set;
    std::function<void()> reset;
    /// Why a value that the field's schema takes is none all the same, "" where it is one. May be
    /// empty.
    std::function<QString(const Json& value)> refusal = {};
    // What is typed and is none stays known to the document, until it is accepted. May be empty.
    std::function<void(const QString& text, const QString& why)> refuse = {};
    std::function<void()> accept = {};
    std::function<const RefusedValue*()> refused = {};
    /// The folder that a stored path is relative to; "" or empty: paths are absolute.
    std::function<QString()> folder = {};
  };
  FieldEditor(FieldSchema field, Calls calls, QObject* parent)
      : QObject(parent), m_field(std::move(field)), m_calls(std::move(calls)) {}
  virtual QWidget* widget() const = 0;
  /// The part of it that takes the keyboard and has the field's name.
  virtual QWidget* input() const { return widget(); }
  /// The same of a field inside, "0/patience"; null: it has none.
  virtual QWidget* inputOf(const std::string&) const { return nullptr; }
  /// `value` null: not in the file, so the default holds.
  virtual void show(const Json* value) = 0;
  const FieldSchema& field() const { return m_field; }

 Q_SIGNALS:
  /// "" when the text became right again.
  void complained(const QString& why);

 protected:
  const FieldSchema m_field;
  const Calls m_calls;
};

/// The editor for the field's type. Objects list the schemas of their registry.
FieldEditor* makeFieldEditor(const FieldSchema& field, FieldEditor::Calls calls, QWidget* parent);
/// A choice among types, for objects whose schemas the caller has.
FieldEditor* makeTypeEditor(const FieldSchema& field, std::vector<std::string> types,
                            FieldEditor::Calls calls, QWidget* parent);
/// Names that there are now, such as those of layers.
using Names = std::function<std::vector<std::string>()>;
/// A choice among `names`.
FieldEditor* makeNameEditor(const FieldSchema& field, Names names, FieldEditor::Calls calls,
                            QWidget* parent);
/// Several of `options` (metrics, passes, layers). `emptyText`: what no choice is called.
FieldEditor* makeSetEditor(const FieldSchema& field, Names options, const QString& emptyText,
                           FieldEditor::Calls calls, QWidget* parent);

}  // namespace strata::ui
