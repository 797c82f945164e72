// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/outputs_form.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/document/field_text.h"
#include "ui/format.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

namespace {

const std::string kTraining = "/training/";
constexpr std::array kLists{"loss", "loss_weights", "metrics", "weighted_metrics"};

bool isByOutput(const Json& value) { return value.is_object() && !value.contains("type"); }

/// Splits "/training/loss/grams/..." into the list and the part after the output.
std::pair<std::string, std::string> partsOf(const std::string& path) {
  const size_t list = kTraining.size(), output = path.find('/', list),
               rest = path.find('/', output + 1);
  return {path.substr(list, output - list), rest == std::string::npos ? "" : path.substr(rest)};
}

std::vector<FieldSchema> fieldsOf(const std::string& suffix, bool isOneOfSeveral) {
  std::vector<FieldSchema> fields;
  fields.push_back({.name = kTraining + "loss" + suffix,
                    .type = FieldType::Object,
                    .isNullable = isOneOfSeveral,
                    .registry = "loss",
                    .objects = lossSchemas,
                    .help = STRATA_TEXT("strata::ui::OutputsForm", "Loss to minimize"),
                    .title = STRATA_TEXT("strata::ui::OutputsForm", "Loss")});
  if (isOneOfSeveral)
    fields.push_back(
        {.name = kTraining + "loss_weights" + suffix,
         .type = FieldType::Number,
         .defaultJson = "1.0",
         .help = STRATA_TEXT("strata::ui::OutputsForm", "Weight of this loss in the total loss"),
         .title = STRATA_TEXT("strata::ui::OutputsForm", "Weight")});
  fields.push_back({.name = kTraining + "metrics" + suffix,
                    .type = FieldType::Objects,
                    .defaultJson = "[]",
                    .registry = "metric",
                    .objects = metricSchemas,
                    .help = STRATA_TEXT("strata::ui::OutputsForm",
                                        "Measured in addition to the loss; not used for training"),
                    .title = STRATA_TEXT("strata::ui::OutputsForm", "Metrics")});
  fields.push_back(
      {.name = kTraining + "weighted_metrics" + suffix,
       .type = FieldType::Objects,
       .defaultJson = "[]",
       .registry = "metric",
       .objects = metricSchemas,
       .help = STRATA_TEXT("strata::ui::OutputsForm",
                           "Metrics that weight each sample by its weight in the data"),
       .title = STRATA_TEXT("strata::ui::OutputsForm", "Weighted metrics")});
  return fields;
}

}  // namespace

OutputsForm::OutputsForm(std::function<Document*()> document, FieldForm::Access access,
                         QWidget* parent)
    : QWidget(parent),
      m_document(std::move(document)),
      m_access(std::move(access)),
      m_column(new QVBoxLayout(this)) {
  m_column->setContentsMargins(0, 0, 0, 0);
  m_column->setSpacing(6);
}

void OutputsForm::refresh() {
  std::vector<std::string> outputs;
  if (const Document* const open = m_document()) {
    outputs = open->checks().inspection().summary.outputs;
    if (outputs.size() < 2) {
      bool isGivenByName = false;
      for (const char* list : kLists) {
        const Json* value = m_access.get({.name = kTraining + list});
        isGivenByName = isGivenByName || (value && isByOutput(*value));
      }
      if (!isGivenByName) outputs.clear();
    }
  }
  if (m_forms.empty() || outputs != m_outputs) {
    m_outputs = std::move(outputs);
    rebuild();
  }
  for (FieldForm* form : m_forms)
    form->refresh();
}

bool OutputsForm::focusField(const std::string& path) const {
  return std::any_of(m_forms.begin(), m_forms.end(),
                     [&](const FieldForm* form) { return form->focusField(path); });
}

void OutputsForm::rebuild() {
  m_forms.clear();
  for (QWidget* each : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    each->hide();
    each->deleteLater();
  }
  const auto add = [this](FieldForm::Access access, const std::string& suffix,
                          bool isOneOfSeveral) {
    auto* form = new FieldForm(std::move(access), this);
    for (const FieldSchema& field : fieldsOf(suffix, isOneOfSeveral))
      form->addField(field);
    m_column->addWidget(form);
    m_forms.push_back(form);
  };
  if (m_outputs.empty()) return add(m_access, "", false);
  for (const std::string& output : m_outputs) {
    auto* heading = new QLabel(tr("Output %1").arg(text(output)), this);
    setRole(heading, "section");
    heading->setTextFormat(Qt::PlainText);
    heading->setWordWrap(true);
    m_column->addWidget(heading);
    add(accessOf(output), "/" + escapedKey(output), true);
  }
}

std::string OutputsForm::placeOf(const std::string& list, const std::string& output) const {
  const auto found = std::find(m_outputs.begin(), m_outputs.end(), output);
  // The output no longer exists, and the form is being removed.
  if (found == m_outputs.end()) return "";
  const std::string pointer = kTraining + list;
  const Json* value = m_access.get({.name = pointer});
  if (value && isByOutput(*value)) return pointer + "/" + escapedKey(output);
  if (value && value->is_array() && value->size() == m_outputs.size())
    return pointer + "/" + std::to_string(found - m_outputs.begin());
  // As in core, a single value applies to the last output. If the project lists its outputs, a
  // single loss applies to all of them.
  const bool isForAll = m_access.get({.name = "/model/outputs"}) && list == "loss";
  return isForAll || output == m_outputs.back() ? pointer : "";
}

FieldForm::Access OutputsForm::accessOf(const std::string& output) const {
  FieldForm::Access access = m_access;
  access.get = [this, output](const FieldSchema& field) -> const Json* {
    const std::string place = placeOf(partsOf(field.name).first, output);
    return place.empty() ? nullptr : m_access.get({.name = place});
  };
  access.set = [this, output](const FieldSchema& field, const Json& value) {
    set(partsOf(field.name).first, output, &value, fieldTitle(field));
  };
  access.reset = [this, output](const FieldSchema& field) {
    set(partsOf(field.name).first, output, nullptr, fieldTitle(field));
  };
  access.problem = [this, output](const std::string& path) {
    const auto [list, rest] = partsOf(path);
    const std::string place = placeOf(list, output);
    return place.empty() ? QString() : m_access.problem(place + rest);
  };
  return access;
}

void OutputsForm::set(const std::string& list, const std::string& output, const Json* value,
                      const QString& title) const {
  Document* const open = m_document();
  if (!open || std::find(m_outputs.begin(), m_outputs.end(), output) == m_outputs.end()) return;
  // Values for all outputs are written together, because values per output can't be mixed with a
  // value for the whole network.
  const Json* const before = m_access.get({.name = "/training"});
  Json training = before && before->is_object() ? *before : Json::object();
  for (const char* each : kLists) {
    Json byOutput = Json::object();
    for (const std::string& name : m_outputs) {
      const Json* entry = value;
      if (each != list || name != output) {
        const std::string place = placeOf(each, name);
        entry = place.empty() ? nullptr : m_access.get({.name = place});
      }
      if (entry) byOutput[name] = *entry;
    }
    if (!byOutput.empty())
      training[each] = std::move(byOutput);
    else
      training.erase(each);
  }
  submitValue(*open, "/training", training, tr("%1 of %2").arg(title, text(output)));
}

}  // namespace strata::ui
