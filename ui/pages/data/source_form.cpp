// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/source_form.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/document/field_text.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

SourceForm::SourceForm(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
  m_form = new QFormLayout(this);
  m_form->setContentsMargins(0, 0, 0, 0);
  m_form->setHorizontalSpacing(14);
  m_form->setVerticalSpacing(7);
  m_form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  connect(&m_document, &Document::changed, this, &SourceForm::refresh);
  refresh();
}

/// A value of /data, null where the project says nothing.
static Json valueAt(const Json& document, const std::string& pointer) {
  const Json::json_pointer path(pointer);
  return document.contains(path) ? document.at(path) : Json(nullptr);
}

void SourceForm::refresh() {
  const std::string shown = valueAt(m_document.json(), "/data").dump(-1, ' ', false, Json::error_handler_t::replace);
  if (shown == m_shown) return;
  m_shown = shown;
  while (m_form->rowCount() > 0) m_form->removeRow(0);

  // Rebuilding the form from inside one of its widgets' signals would delete the sender.
  const auto submit = [this](const std::string& pointer, const Json& value, const QString& title) {
    QMetaObject::invokeMethod(
        this, [this, pointer, value, title] { submitValue(m_document, pointer, value, title); }, Qt::QueuedConnection);
  };
  const auto addRow = [this](const QString& title, QWidget* field, const QString& toolTip) {
    auto* label = new QLabel(title, this);
    label->setToolTip(toolTip);
    label->setBuddy(field);
    field->setToolTip(toolTip);
    field->setAccessibleName(title);
    m_form->addRow(label, field);
  };
  const auto addText = [&](const FieldSchema& schema, const std::string& pointer, const Json& value) {
    auto* edit = new QLineEdit(value.is_null() ? defaultText(schema) : fieldText(schema, value), this);
    edit->setProperty("isDefault", value.is_null());
    edit->setCursorPosition(0);  // the beginning of a long number counts
    connect(edit, &QLineEdit::editingFinished, this, [this, edit, schema, pointer, submit, before = edit->text()] {
      if (edit->text() == before) return;
      QString why;
      const auto parsed = parseFieldText(schema, edit->text(), why);
      edit->setProperty("isWrong", !parsed.has_value());
      edit->style()->unpolish(edit);
      edit->style()->polish(edit);
      if (parsed)
        submit(pointer, *parsed, fieldTitle(schema));
      else
        edit->setToolTip(why);
    });
    addRow(fieldTitle(schema), edit, fieldToolTip(schema));
  };

  const Json source = valueAt(m_document.json(), "/data/source");
  const std::string type = source.is_string()                                                            ? source.get<std::string>()
                           : source.is_object() && source.contains("type") && source["type"].is_string() ? source["type"].get<std::string>()
                                                                                                         : "";
  auto* types = new QComboBox(this);
  const Schema* chosen = nullptr;
  const std::vector<Schema> schemas = dataSourceSchemas();
  for (const Schema& schema : schemas) {
    types->addItem(text(schema.type));
    types->setItemData(types->count() - 1, translated(schema.help), Qt::ToolTipRole);
    if (schema.type == type) {
      types->setCurrentIndex(types->count() - 1);
      chosen = &schema;
    }
  }
  if (!chosen) types->setCurrentIndex(-1);
  connect(types, &QComboBox::activated, this, [types, submit, type](int index) {
    const std::string wanted = types->itemText(index).toStdString();
    if (wanted != type) submit("/data/source", Json{{"type", wanted}}, tr("Source"));
  });
  addRow(tr("Source"), types, chosen ? translated(chosen->help) : tr("Where the samples come from"));
  if (chosen)
    for (const FieldSchema& field : chosen->fields) {
      const std::string pointer = "/data/source/" + field.name;
      const Json value = valueAt(m_document.json(), pointer);
      if (field.type == FieldType::Choice || field.type == FieldType::Boolean) {
        auto* choice = new QComboBox(this);
        if (field.type == FieldType::Boolean)
          choice->addItems({tr("no"), tr("yes")});
        else
          for (const std::string& name : field.choices) choice->addItem(text(name));
        const Json shownValue = value.is_null() ? Json::parse(field.defaultJson.empty() ? "null" : field.defaultJson) : value;
        choice->setCurrentIndex(shownValue.is_boolean()  ? (shownValue.get<bool>() ? 1 : 0)
                                : shownValue.is_string() ? choice->findText(text(shownValue.get<std::string>()))
                                                         : -1);
        connect(choice, &QComboBox::activated, this,
                [choice, pointer, submit, title = fieldTitle(field), isBoolean = field.type == FieldType::Boolean](int index) {
                  submit(pointer, isBoolean ? Json(index == 1) : Json(choice->itemText(index).toStdString()), title);
                });
        addRow(fieldTitle(field), choice, fieldToolTip(field));
      } else {
        addText(field, pointer, value);
      }
    }

  FieldSchema split;
  split.name = "validation_split";
  split.type = FieldType::Number;
  split.defaultJson = "0";
  split.minimum = 0;
  split.maximum = 1;
  split.isMaximumExclusive = true;
  split.title = STRATA_TEXT("Data", "Validation split");
  split.help = STRATA_TEXT("Data", "The last part of the training samples, kept to validate after each epoch.");
  addText(split, "/data/validation_split", valueAt(m_document.json(), "/data/validation_split"));

  const Json transforms = valueAt(m_document.json(), "/data/transforms");
  if (transforms.is_array())
    for (size_t i = 0; i < transforms.size(); ++i)
      for (const Schema& schema : transformSchemas())
        if (transforms[i].is_object() && transforms[i].value("type", std::string()) == schema.type)
          for (const FieldSchema& field : schema.fields) {
            const std::string pointer = "/data/transforms/" + std::to_string(i) + "/" + field.name;
            addText(field, pointer, valueAt(m_document.json(), pointer));
          }
}

}  // namespace strata::ui
