// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/field_form.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/layers/objects.h"
#include "ui/document/field_text.h"
#include "ui/format.h"
#include "ui/inspector/fix_buttons.h"
#include "ui/inspector/fold_section.h"
#include "ui/inspector/list_editor.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

namespace {

constexpr const char* kFirstRate = "initial_learning_rate";

std::string typeOf(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("type") && value["type"].is_string())
    return value["type"].get<std::string>();
  return {};
}

/// Returns true for a combo box with a text that does not fit next to a label.
bool isLong(const QWidget* editor) {
  constexpr int kMaxWidthBesideLabel = 113;
  const auto* box = qobject_cast<const QComboBox*>(editor);
  for (int i = 0; box && i < box->count(); ++i) {
    // The closed box may show a shorter text than the list.
    const QVariant words = box->itemData(i);
    if (box->fontMetrics().horizontalAdvance(
            words.isValid() ? words.toString() : box->itemText(i)) > kMaxWidthBesideLabel)
      return true;
  }
  return false;
}

}  // namespace

FieldForm::FieldForm(Access access, QWidget* parent)
    : QWidget(parent), m_access(std::move(access)), m_grid(new QGridLayout(this)) {
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(8);
  m_grid->setVerticalSpacing(6);
  m_grid->setColumnMinimumWidth(0, kLabelWidth);
  m_grid->setColumnStretch(1, 1);
}

FieldEditor::Calls FieldForm::callsOf(const FieldSchema& field) const {
  FieldEditor::Calls calls{[this, field](const Json& value) { m_access.set(field, value); },
                           [this, field] {
                             m_access.reset(field);
                           }};
  calls.folder = m_access.folder;
  if (m_access.refuse) {
    calls.refuse = [this, field](const QString& words, const QString& why) {
      m_access.refuse(field.name, fieldTitle(field), words, why);
    };
    calls.accept = [this, field] {
      m_access.accept(field.name);
    };
    calls.refused = [this, field] {
      return m_access.refused(field.name);
    };
  }
  if (m_access.refusal)
    calls.refusal = [this, field](const Json& value) {
      return m_access.refusal(field, value);
    };
  return calls;
}

FieldForm::Row& FieldForm::place(FieldEditor* editor) {
  m_rows.push_back(std::make_unique<Row>());
  Row& row = *m_rows.back();
  row.editor = editor;
  const int line = m_grid->rowCount();
  const QString title = fieldTitle(editor->field()), help = fieldToolTip(editor->field());
  QWidget* widget = editor->widget();
  QWidget* input = editor->input();
  auto* label = new QLabel(title, this);
  setRole(label, "muted");
  label->setWordWrap(true);
  label->setBuddy(input);
  label->setToolTip(help);
  input->setToolTip(help);
  input->setAccessibleName(title);
  input->setAccessibleDescription(help);
  input->setObjectName(text(editor->field().name));
  row.problem = new QLabel(this);
  setRole(row.problem, "problem");
  row.problem->setWordWrap(true);
  row.problem->hide();
  row.mark = new QLabel(this);
  row.mark->setObjectName(input->objectName() + QStringLiteral("/mark"));
  if (editor->field().isLive) keepPlace(row.mark);
  row.mark->hide();
  // A wide editor has its own row below the label.
  const bool fillsTheRow =
      isLong(widget) || editor->field().type == FieldType::Objects || input != widget;
  const int span = fillsTheRow ? 2 : 1;
  if (!fillsTheRow) label->setFixedWidth(kLabelWidth);
  if (m_access.mark) {
    auto* titles = new QVBoxLayout;
    titles->setSpacing(0);
    titles->addWidget(label);
    titles->addWidget(row.mark);
    m_grid->addLayout(titles, line, 0, 1, span);
  }
  else {
    m_grid->addWidget(label, line, 0, 1, span);
  }
  m_grid->addWidget(widget, fillsTheRow ? line + 1 : line, fillsTheRow ? 0 : 1, 1, span);
  const int problemLine = fillsTheRow ? line + 2 : line + 1;
  m_grid->addWidget(row.problem, problemLine, 0, 1, 2);
  row.fixes = new FixButtons(this);
  m_grid->addWidget(row.fixes, problemLine + 1, 0, 1, 2);
  connect(row.fixes, &FixButtons::chosen, this, [this](const ProjectEdit& edit) {
    if (m_access.apply) m_access.apply(edit);
  });
  connect(editor, &FieldEditor::complained, this, [this, &row](const QString& why) {
    row.complaint = why;
    showProblem(row);
  });
  return row;
}

void FieldForm::addField(const FieldSchema& field) {
  if (field.type == FieldType::Object) {
    addObject(field, schemasOf(field));
  }
  else if (field.type == FieldType::Number && !field.registry.empty()) {
    addNumberOrObject(field);
  }
  else if (field.type == FieldType::Objects) {
    place(makeListEditor(field, m_access, this));
  }
  else if (field.type == FieldType::StringList && hasNames(field)) {
    place(makeSetEditor(
        field, [this, field] { return m_access.names(field.registry); }, tr("none"), callsOf(field),
        this));
  }
  else if (field.type == FieldType::String && hasNames(field)) {
    place(makeNameEditor(
        field, [this, field] { return m_access.names(field.registry); }, callsOf(field), this));
  }
  else {
    place(makeFieldEditor(field, callsOf(field), this));
  }
}

bool FieldForm::hasNames(const FieldSchema& field) const {
  return m_access.names && !field.registry.empty();
}

void FieldForm::addNumberOrObject(const FieldSchema& field) {
  place(makeFieldEditor(field, callsOf(field), this));
  FieldSchema object = field;
  object.type = FieldType::Object;
  object.isNullable = true;
  object.defaultJson = "null";
  object.title = STRATA_TEXT("strata::ui::FieldForm", "Schedule");
  object.help = STRATA_TEXT("strata::ui::FieldForm",
                            "How the value changes during training; none: it stays constant");
  addObject(object, schemasOf(field));
  Row& row = *m_rows.back();
  row.standsForNumber = true;
  row.editor->input()->setObjectName(text(field.name + "/schedule"));
  row.mark->setObjectName(text(field.name + "/schedule/mark"));
}

void FieldForm::addEditor(FieldEditor* editor) { place(editor); }

void FieldForm::addSet(const FieldSchema& field, std::vector<std::string> options,
                       const QString& emptyText) {
  place(makeSetEditor(
      field, [options = std::move(options)] { return options; }, emptyText, callsOf(field), this));
}

void FieldForm::addObject(const FieldSchema& field, std::vector<const Schema*> schemas) {
  addType(field, schemas);
  addFieldsOf(field, std::move(schemas));
}

void FieldForm::addType(const FieldSchema& field, std::vector<const Schema*> schemas) {
  std::vector<std::string> types;
  for (const Schema* schema : schemas)
    types.push_back(schema->type);
  FieldEditor::Calls calls = callsOf(field);
  calls.set = [this, field, schemas](const Json& value) {
    // The new object keeps the values of all fields that both types share. Other required fields
    // start with their examples.
    const Json* old = m_access.get(field);
    // An object with only one possible type has no "type" member.
    const bool isOnly = schemas.size() == 1;
    Json next = Json::object();
    if (!isOnly) next["type"] = value;
    for (const Schema* schema : schemas) {
      if (!value.is_string() || schema->type != value.get<std::string>()) continue;
      for (const FieldSchema& inner : schema->fields) {
        if (old && old->is_object() && old->contains(inner.name))
          next[inner.name] = (*old)[inner.name];
        else if (old && old->is_number() && inner.name == kFirstRate)
          next[inner.name] = *old;
        else if (inner.defaultJson.empty() && !inner.exampleJson.empty())
          next[inner.name] = Json::parse(inner.exampleJson);
      }
    }
    const bool isPlain =
        !value.is_string() || (!isOnly && next.size() == 1 && !(old && old->is_object()));
    m_access.set(field, isPlain ? value : next);
  };
  if (field.type == FieldType::Object && field.defaultJson == "null") {
    // Replace a schedule by its initial rate.
    calls.reset = [this, field] {
      const Json* old = m_access.get(field);
      if (field.registry == "schedule" && old && old->is_object() && old->contains(kFirstRate))
        m_access.set(field, (*old)[kFirstRate]);
      else
        m_access.reset(field);
    };
  }
  place(makeTypeEditor(field, std::move(types), std::move(calls), this));
}

void FieldForm::addFieldsOf(const FieldSchema& field, std::vector<const Schema*> schemas,
                            Filter isShown) {
  m_nested.push_back(std::make_unique<Nested>());
  Nested& nested = *m_nested.back();
  nested.field = field;
  nested.schemas = std::move(schemas);
  nested.isShown = std::move(isShown);
  nested.holder = new QWidget(this);
  auto* column = new QVBoxLayout(nested.holder);
  column->setContentsMargins(0, 0, 0, 0);
  nested.holder->hide();
  m_grid->addWidget(nested.holder, m_grid->rowCount(), 0, 1, 2);
}

FieldForm::Access FieldForm::inside(const Access& outerAccess, const FieldSchema& outer) {
  const auto current = [outerAccess, outer]() -> Json {
    const Json* value = outerAccess.get(outer);
    if (value) return *value;
    if (outer.defaultJson.empty()) return {};
    return Json::parse(outer.defaultJson, nullptr, false);
  };
  Access access;
  access.get = [outerAccess, outer](const FieldSchema& field) -> const Json* {
    const Json* value = outerAccess.get(outer);
    if (!value || !value->is_object()) return nullptr;
    const auto found = value->find(field.name);
    return found == value->end() ? nullptr : &*found;
  };
  access.set = [outerAccess, outer, current](const FieldSchema& field, const Json& value) {
    Json next = current();
    if (!next.is_object()) {
      Json object = Json::object();
      object["type"] = next;
      next = std::move(object);
    }
    next[field.name] = value;
    outerAccess.set(outer, next);
  };
  access.reset = [outerAccess, outer, current](const FieldSchema& field) {
    Json next = current();
    if (!next.is_object()) return;
    next.erase(field.name);
    outerAccess.set(outer, next);
  };
  const std::string prefix = outer.name + "/";
  if (outerAccess.problem)
    access.problem = [problem = outerAccess.problem, prefix](const std::string& path) {
      return problem(prefix + path);
    };
  if (outerAccess.fixes)
    access.fixes = [fixes = outerAccess.fixes, prefix](const std::string& path) {
      return fixes(prefix + path);
    };
  access.apply = outerAccess.apply;
  if (outerAccess.refuse) {
    access.refuse = [refuse = outerAccess.refuse, prefix](
                        const std::string& path, const QString& title, const QString& words,
                        const QString& why) {
      refuse(prefix + path, title, words, why);
    };
    access.accept = [accept = outerAccess.accept, prefix](const std::string& path) {
      accept(prefix + path);
    };
    access.refused = [refused = outerAccess.refused, prefix](const std::string& path) {
      return refused(prefix + path);
    };
  }
  access.folder = outerAccess.folder;
  if (outerAccess.mark)
    access.mark = [mark = outerAccess.mark, prefix](const std::string& path,
                                                    const FieldSchema& field) {
      return mark(prefix + path, field);
    };
  access.names = outerAccess.names;
  return access;
}

void FieldForm::refreshNested(Nested& nested) {
  const Json* value = m_access.get(nested.field);
  // The fields of an object are hidden if the file has no value for it.
  const bool isOnly = value && value->is_object() && nested.schemas.size() == 1;
  std::string type;
  if (isOnly)
    type = nested.schemas[0]->type;
  else if (value)
    type = typeOf(*value);
  if (type != nested.type) {
    nested.type = type;
    if (nested.form) {
      nested.form->hide();
      nested.form->deleteLater();
      nested.form = nullptr;
    }
    for (const Schema* schema : nested.schemas) {
      if (schema->type != type) continue;
      std::vector<FieldSchema> shown;
      for (const FieldSchema& inner : schema->fields)
        if (!nested.isShown || nested.isShown(inner)) shown.push_back(inner);
      if (shown.empty()) continue;
      nested.form = new FieldForm(inside(m_access, nested.field), nested.holder);
      for (const FieldSchema& inner : shown)
        nested.form->addField(inner);
      nested.holder->layout()->addWidget(nested.form);
    }
    nested.holder->setVisible(nested.form != nullptr);
  }
  if (nested.form) nested.form->refresh();
}

void FieldForm::refresh() {
  for (const auto& row : m_rows) {
    const Json* value = m_access.get(row->editor->field());
    row->editor->show(row->standsForNumber && value && value->is_number() ? nullptr : value);
    showProblem(*row);
    showMark(*row);
  }
  for (const auto& nested : m_nested)
    refreshNested(*nested);
}

void FieldForm::showMark(Row& row) {
  if (!m_access.mark) return;
  const FieldSchema& field = row.editor->field();
  const Mark mark = m_access.mark(field.name, field);
  row.mark->setVisible(!mark.words.isEmpty());
  const char* role = mark.isLive ? "live" : "hint";
  if (row.mark->text() == mark.words &&
      row.mark->property("role").toString() == QLatin1String(role))
    return;
  // A hidden mark keeps its text, which makes its place.
  if (!mark.words.isEmpty()) row.mark->setText(mark.words);
  setRole(row.mark, role);
  const QString help = fieldToolTip(field);
  row.editor->input()->setAccessibleDescription(
      mark.words.isEmpty() ? help : tr("%1. %2").arg(mark.words, help));
}

void FieldForm::showProblem(Row& row) {
  QString words = row.complaint;
  if (words.isEmpty() && m_access.problem) words = m_access.problem(row.editor->field().name);
  if (row.problem->text() != words) row.problem->setText(words);
  row.problem->setVisible(!words.isEmpty());
  const bool hasFixes = row.complaint.isEmpty() && !words.isEmpty() && m_access.fixes;
  row.fixes->setFixes(hasFixes ? m_access.fixes(row.editor->field().name) : std::vector<Fix>());
}

QWidget* FieldForm::input(const std::string& path) const {
  for (const auto& row : m_rows) {
    const std::string& name = row->editor->field().name;
    if (path == name) return row->editor->input();
    if (!path.starts_with(name + "/")) continue;
    const std::string rest = path.substr(name.size() + 1);
    if (QWidget* inner = row->editor->inputOf(rest)) return inner;
  }
  for (const auto& nested : m_nested) {
    const std::string prefix = nested->field.name + "/";
    if (!nested->form || !path.starts_with(prefix)) continue;
    if (QWidget* inner = nested->form->input(path.substr(prefix.size()))) return inner;
  }
  return nullptr;
}

bool FieldForm::focusField(const std::string& path) const {
  QWidget* widget = input(path);
  if (!widget) return false;
  // Open the sections that contain the field.
  for (QWidget* parent = widget->parentWidget(); parent; parent = parent->parentWidget()) {
    if (auto* section = qobject_cast<FoldSection*>(parent)) section->open();
  }
  widget->setFocus(Qt::OtherFocusReason);
  if (auto* edit = qobject_cast<QLineEdit*>(widget)) edit->selectAll();
  for (QWidget* parent = widget->parentWidget(); parent; parent = parent->parentWidget()) {
    if (auto* area = qobject_cast<QScrollArea*>(parent)) area->ensureWidgetVisible(widget, 0, 30);
  }
  return true;
}

bool FieldForm::hasField(const std::string& path) const {
  for (const auto& row : m_rows)
    if (path == row->editor->field().name) return true;
  return std::any_of(m_nested.begin(), m_nested.end(), [&](const auto& nested) {
    const std::string prefix = nested->field.name + "/";
    return nested->form && path.starts_with(prefix) &&
           nested->form->hasField(path.substr(prefix.size()));
  });
}

}  // namespace strata::ui
