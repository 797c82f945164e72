// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/early_stopping_form.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/recipe/callbacks.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

namespace {

constexpr const char* kCallbacks = "/training/callbacks";
constexpr const char* kStopper = "EarlyStopping";

bool isStopper(const Json& callback) {
  if (callback.is_string()) return callback.get<std::string>() == kStopper;
  return callback.is_object() && callback.value("type", Json()) == Json(kStopper);
}

const Json* callbacksOf(const Document* document) {
  const Json::json_pointer pointer(kCallbacks);
  if (!document || !document->json().contains(pointer)) return nullptr;
  const Json& list = document->json().at(pointer);
  return list.is_array() ? &list : nullptr;
}

const Schema& stopperSchema() {
  for (const Schema* schema : callbackSchemas())
    if (schema->type == kStopper) return *schema;
  std::abort();
}

}  // namespace

EarlyStoppingForm::EarlyStoppingForm(std::function<Document*()> document,
                                     const FieldForm::Access& access, QWidget* parent)
    : QWidget(parent),
      m_document(std::move(document)),
      m_problemOf(access.problem),
      m_switch(new QCheckBox(this)),
      m_problem(new QLabel(this)),
      m_form(new FieldForm(itemAccess(access), this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  auto* label = new QLabel(tr("Early stopping"), this);
  setRole(label, "muted");
  label->setFixedWidth(FieldForm::kLabelWidth);
  label->setWordWrap(true);
  label->setBuddy(m_switch);
  const Schema& schema = stopperSchema();
  label->setToolTip(translated(schema.help));
  m_switch->setToolTip(label->toolTip());
  m_switch->setAccessibleName(label->text());
  m_switch->setAccessibleDescription(label->toolTip());
  m_switch->setObjectName(QStringLiteral("earlyStopping"));
  row->addWidget(label);
  row->addWidget(m_switch);
  row->addStretch(1);
  column->addLayout(row);
  setRole(m_problem, "problem");
  m_problem->setWordWrap(true);
  column->addWidget(m_problem);
  for (const char* name : {"monitor", "patience"})
    m_form->addField(*schema.field(name));
  column->addWidget(m_form);
  connect(m_switch, &QCheckBox::clicked, this, &EarlyStoppingForm::set);
}

std::optional<size_t> EarlyStoppingForm::place() const {
  const Json* const list = callbacksOf(m_document());
  for (size_t i = 0; list && i < list->size(); ++i)
    if (isStopper((*list)[i])) return i;
  return std::nullopt;
}

FieldForm::Access EarlyStoppingForm::itemAccess(const FieldForm::Access& outer) const {
  const auto pointer = [this] {
    const auto at = place();
    return at ? kCallbacks + ("/" + std::to_string(*at)) : std::string();
  };
  FieldForm::Access access = outer;
  access.get = [outer, pointer](const FieldSchema&) -> const Json* {
    const std::string at = pointer();
    return at.empty() ? nullptr : outer.get({.name = at});
  };
  access.set = [outer, pointer](const FieldSchema& field, const Json& value) {
    FieldSchema item = field;
    item.name = pointer();
    if (!item.name.empty()) outer.set(item, value);
  };
  access.problem = [outer, pointer](const std::string& path) {
    const std::string at = pointer();
    return at.empty() ? QString() : outer.problem(at + path.substr(path.find('/')));
  };
  if (outer.fixes)
    access.fixes = [outer, pointer](const std::string& path) {
      const std::string at = pointer();
      return at.empty() ? std::vector<Fix>() : outer.fixes(at + path.substr(path.find('/')));
    };
  return FieldForm::inside(access, {.name = kStopper,
                                    .type = FieldType::Object,
                                    .registry = "callback",
                                    .objects = callbackSchemas});
}

/// Adds or removes the callback. Turning the switch off removes every EarlyStopping callback,
/// because each of them can stop the run.
void EarlyStoppingForm::set(bool isOn) {
  Document* const document = m_document();
  if (!document) return;
  // The default of Keras, 0, would stop after the first epoch without improvement.
  constexpr int kPatience = 3;
  const Json* const before = callbacksOf(document);
  Json list = Json::array();
  for (const Json& callback : before ? *before : list)
    if (!isStopper(callback)) list.push_back(callback);
  if (isOn) list.push_back(Json{{"type", kStopper}, {"patience", kPatience}});
  if (list.empty())
    submitResetValue(*document, kCallbacks, tr("Early stopping"));
  else
    submitValue(*document, kCallbacks, list, tr("Early stopping"));
  refresh();
}

void EarlyStoppingForm::refresh() {
  const auto at = place();
  m_switch->setChecked(at.has_value());
  m_form->setVisible(at.has_value());
  const QString why =
      at && m_problemOf ? m_problemOf(kCallbacks + ("/" + std::to_string(*at))) : QString();
  m_problem->setText(why);
  m_problem->setVisible(!why.isEmpty());
  if (at) m_form->refresh();
}

}  // namespace strata::ui
