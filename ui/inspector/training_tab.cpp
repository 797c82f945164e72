// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/training_tab.h"

#include <algorithm>

#include <QLabel>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "core/train/catalogue.h"
#include "core/train/options.h"
#include "gpu/exec/backend.h"
#include "gpu/exec/device.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/document/field_text.h"
#include "ui/format.h"
#include "ui/inspector/field_form.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

namespace {

/// `name` is the JSON pointer: the form's access needs no other key.
FieldSchema field(const char* pointer, FieldType type, const char* defaultJson, Text title, Text help) {
  FieldSchema made;
  made.name = pointer;
  made.type = type;
  made.defaultJson = defaultJson;
  made.title = title;
  made.help = help;
  return made;
}

FieldSchema integer(const char* pointer, const char* defaultJson, double minimum, double maximum, Text title, Text help) {
  FieldSchema made = field(pointer, FieldType::Integer, defaultJson, title, help);
  made.minimum = minimum;
  made.maximum = maximum;
  return made;
}

/// A field of core's schema, by its pointer.
FieldSchema fieldAt(const Schema& schema, const char* name, const char* pointer) {
  FieldSchema made = *schema.field(name);
  made.name = pointer;
  return made;
}

std::vector<const Schema*> pointers(const std::vector<Schema>& schemas) {
  std::vector<const Schema*> out;
  for (const Schema& schema : schemas) out.push_back(&schema);
  return out;
}

/// Fields of the optimizer that a run takes over at its next step.
constexpr const char* kLive[] = {"learning_rate", "clipnorm", "clipvalue", "global_clipnorm", "weight_decay"};

bool isLive(const std::string& path) {
  return std::any_of(std::begin(kLive), std::end(kLive),
                     [&](const char* name) { return path == std::string("/training/optimizer/") + name; });
}

}  // namespace

#define TRAINING_TEXT(source) STRATA_TEXT("strata::ui::TrainingTab", source)

TrainingTab::TrainingTab(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_losses(lossSchemas()), m_optimizers(optimizerSchemas()), m_note(new QLabel(this)) {
  setRole(this, "pane");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(14, 12, 14, 14);
  column->setSpacing(9);
  m_note->setWordWrap(true);
  setRole(m_note, "muted");
  column->addWidget(m_note);
  makeForm();
  column->addWidget(m_form);
  column->addStretch(1);
  connect(&context.workspace, &Workspace::currentChanged, this, [this](Document* document) {
    if (m_document) m_document->disconnect(this);
    m_document = document;
    if (document) {
      connect(document, &Document::changed, this, &TrainingTab::refresh);
      connect(document, &Document::inspectionChanged, this, &TrainingTab::refresh);
    }
    refresh();
  });
  connect(&context.runs, &Runs::stateChanged, this, [this] {
    if (isTraining() != m_showsRun) refresh();
  });
  refresh();
}

void TrainingTab::makeForm() {
  FieldForm::Access access;
  access.get = [this](const FieldSchema& f) -> const Json* {
    const Json::json_pointer pointer(f.name);
    return m_document && m_document->json().contains(pointer) ? &m_document->json().at(pointer) : nullptr;
  };
  access.set = [this](const FieldSchema& f, const Json& value) {
    if (!m_document) return;
    const Json::json_pointer place(f.name);
    const Json before = m_document->json().contains(place) ? m_document->json().at(place) : Json();
    submitValue(*m_document, f.name, value, changedTitle(f, value));
    actOnRun(f.name, before, value);
  };
  access.reset = [this](const FieldSchema& f) {
    if (m_document) submitResetValue(*m_document, f.name, fieldTitle(f));
  };
  access.problem = [this](const FieldSchema& f) {
    if (!m_document) return QString();
    for (const Diagnostic& diagnostic : m_document->inspection().diagnostics) {
      if (diagnostic.layer.empty() && diagnostic.field == f.name) return translated(diagnostic);
    }
    return QString();
  };
  access.mark = [this](const std::string& path) {
    if (!isTraining()) return FieldForm::Mark();
    return isLive(path) ? FieldForm::Mark{tr("live"), true} : FieldForm::Mark{tr("next run"), false};
  };
  m_form = new FieldForm(std::move(access), this);

  m_form->addObject(field("/training/loss", FieldType::Object, "", TRAINING_TEXT("Loss"), TRAINING_TEXT("What the training makes small")),
                    pointers(m_losses));
  m_form->addObject(
      field("/training/optimizer", FieldType::Object, "", TRAINING_TEXT("Optimizer"), TRAINING_TEXT("How weights follow their gradients")),
      pointers(m_optimizers));
  std::vector<std::string> metrics{"accuracy"};
  for (const Schema& schema : metricSchemas()) {
    if (schema.type != "accuracy") metrics.push_back(schema.type);
  }
  m_form->addSet(field("/training/metrics", FieldType::Object, "[]", TRAINING_TEXT("Metrics"),
                       TRAINING_TEXT("Measured beside the loss; training does not follow them")),
                 metrics, tr("none"));
  m_form->addField(
      integer("/training/batch_size", "32", 1, 1e9, TRAINING_TEXT("Batch size"), TRAINING_TEXT("Samples of one update of the weights")));
  m_form->addField(fieldAt(trainingSchema(), "gradient_accumulation_steps", "/training/gradient_accumulation_steps"));
  m_form->addField(
      integer("/training/epochs", "1", 1, 1e9, TRAINING_TEXT("Epochs"), TRAINING_TEXT("How often every training sample is seen")));
  FieldSchema split = field("/data/validation_split", FieldType::Number, "0.0", TRAINING_TEXT("Validation"),
                            TRAINING_TEXT("The last fraction of the training samples, kept aside to test after each epoch"));
  split.minimum = 0;
  split.maximum = 1;
  split.isMaximumExclusive = true;
  m_form->addField(split);
  m_form->addField(field("/training/shuffle", FieldType::Boolean, "true", TRAINING_TEXT("Shuffle"),
                         TRAINING_TEXT("A new order of the samples in each epoch")));
  m_form->addField(integer("/training/seed", "1", 0, 9007199254740991.0, TRAINING_TEXT("Seed"),
                           TRAINING_TEXT("Decides initial weights, order of samples and dropout: the same seed gives the same run")));

  FieldSchema device = field("/execution/devices", FieldType::Choice, "\"auto\"", TRAINING_TEXT("Device"), TRAINING_TEXT("What computes"));
  device.choices = {"auto"};
  for (const DeviceInfo& info : listDevices()) {
    if (info.isUsable) device.choices.push_back(info.name);
  }
  m_form->addField(device);
  m_form->addField(fieldAt(executionSchema(), "memory_limit", "/execution/memory_limit"));
  m_form->addField(fieldAt(executionSchema(), "recompute", "/execution/recompute"));
  m_form->addSet(field("/execution/disabled_passes", FieldType::Object, "[]", TRAINING_TEXT("Passes off"),
                       TRAINING_TEXT("Rewrites of the graph that are left out; results stay the same")),
                 passNames(), tr("none"));
}

#undef TRAINING_TEXT

void TrainingTab::actOnRun(const std::string& pointer, const Json& before, const Json& value) {
  RunController& run = m_context.runs.of(m_document);
  if (pointer != "/training/optimizer" || !value.is_object() || !run.isActive()) return;
  const Json old = before.is_object() ? before : Json{{"type", before}};
  const bool isSame = old.value("type", Json()) == value.value("type", Json());
  const auto schema = std::find_if(m_optimizers.begin(), m_optimizers.end(),
                                   [&](const Schema& each) { return Json(each.type) == value.value("type", Json()); });
  if (schema == m_optimizers.end()) return;
  for (const char* name : kLive) {
    const FieldSchema* const known = schema->field(name);
    if (!known || (!isSame && known->name != "learning_rate")) continue;
    const auto numberIn = [&](const Json& object) { return object.contains(name) ? object[name] : Json::parse(known->defaultJson); };
    const Json now = numberIn(value);
    if (now.is_object() || (isSame && now == numberIn(old))) continue;
    run.change(name, now.is_number() ? now.get<double>() : 0);  // none of a clipping or decay: off
  }
}

/// Of an object of the same type in which one field changed: that field's.
QString TrainingTab::changedTitle(const FieldSchema& f, const Json& value) const {
  const Json::json_pointer pointer(f.name);
  const Json before = m_document->json().contains(pointer) ? m_document->json().at(pointer) : Json();
  if (!value.is_object() || !value.contains("type") || (before.is_object() && before.value("type", Json()) != value["type"]))
    return fieldTitle(f);
  const Json old = before.is_object() ? before : Json{{"type", before}};
  QString title;
  for (const std::vector<Schema>* schemas : {&m_losses, &m_optimizers}) {
    for (const Schema& schema : *schemas) {
      if (Json(schema.type) != value["type"]) continue;
      for (const FieldSchema& inner : schema.fields) {
        if (value.value(inner.name, Json()) == old.value(inner.name, Json())) continue;
        if (!title.isEmpty()) return fieldTitle(f);
        title = fieldTitle(inner);
      }
    }
  }
  return title.isEmpty() ? fieldTitle(f) : title;
}

void TrainingTab::refresh() {
  m_form->setVisible(m_document);
  if (m_document) m_form->refresh();
  refreshNote();
}

bool TrainingTab::isTraining() const { return m_document && m_context.runs.activeDocument() == m_document; }

void TrainingTab::refreshNote() {
  m_showsRun = isTraining();
  m_note->setText(
      m_showsRun ? tr("The run has its own copy of the design. Learning rate, clipping and weight decay are live: they take effect at the "
                      "next step and are marked on the curves. "
                      "Every other setting is for the next run.")
                 : tr("Settings of the next run."));
}

}  // namespace strata::ui
