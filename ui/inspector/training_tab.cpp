// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/training_tab.h"

#include <QLabel>
#include <QVBoxLayout>
#include <memory>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/layers/objects.h"
#include "core/recipe/optimizers.h"
#include "core/recipe/options.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/backend.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/inspector/field_form.h"
#include "ui/inspector/outputs_form.h"
#include "ui/inspector/project_access.h"
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

constexpr const char* kClassWeight = "/training/class_weight";

/// {"0": 2.0, "2": 3.0} as a list, of classes in between 1.
Json asList(const Json& weights) {
  constexpr size_t kMost = 1000;  // a list that is longer says nothing to the eye
  Json list = Json::array();
  for (const auto& [key, weight] : weights.items()) {
    bool isNumber = false;
    const uint index = text(key).toUInt(&isNumber);
    if (!isNumber || index >= kMost) return weights;
    while (list.size() <= index) list.push_back(1.0);
    list[index] = weight;
  }
  return list;
}

}  // namespace

TrainingTab::TrainingTab(const PageContext& context, QWidget* parent) : QWidget(parent), m_context(context), m_note(new QLabel(this)) {
  setRole(this, "pane");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(14, 12, 14, 14);
  column->setSpacing(9);
  m_note->setWordWrap(true);
  setRole(m_note, "muted");
  column->addWidget(m_note);
  makeForm();
  column->addWidget(m_outputs);
  column->addWidget(m_form);
  column->addStretch(1);
  connect(&context.workspace, &Workspace::currentChanged, this, [this](Document* document) {
    if (m_document) m_document->disconnect(this);
    m_document = document;
    if (document) {
      connect(document, &Document::changed, this, &TrainingTab::refresh);
      connect(document, &Document::inspectionChanged, this, &TrainingTab::refresh);
      connect(document, &Document::refusedValuesChanged, this, &TrainingTab::refresh);
    }
    refresh();
  });
  connect(&context.runs, &Runs::stateChanged, this, [this] {
    if (isTraining() != m_showsRun) refresh();
  });
  refresh();
}

void TrainingTab::makeForm() {
  FieldForm::Access access = projectAccess([this] { return m_document.data(); });
  access.mark = [this](const std::string&, const FieldSchema& f) {
    if (!isTraining()) return FieldForm::Mark();
    // A schedule, whose field is that of the number it stands for, is none of what a run takes over.
    const bool isLive = f.isLive && f.type != FieldType::Object && m_context.runs.of(m_document).takes(m_document->json(), f.name);
    return isLive ? FieldForm::Mark{tr("live"), true} : FieldForm::Mark{tr("next run"), false};
  };
  access.get = [get = std::move(access.get), list = std::make_shared<Json>()](const FieldSchema& field) {
    const Json* const value = get(field);
    if (field.name != kClassWeight || !value || !value->is_object()) return value;
    *list = asList(*value);
    return static_cast<const Json*>(list.get());
  };
  m_outputs = new OutputsForm([this] { return m_document.data(); }, access, this);
  m_form = new FieldForm(std::move(access), this);

  FieldSchema classWeight = field(kClassWeight, FieldType::NumberList, "null", STRATA_TEXT("strata::ui::TrainingTab", "Class weights"),
                                  STRATA_TEXT("strata::ui::TrainingTab",
                                              "How much a sample of each class counts in the loss, in the order of the classes; classes "
                                              "behind the last count 1"));
  classWeight.isNullable = true;
  classWeight.minimum = 0;
  m_form->addField(classWeight);
  FieldSchema optimizer = field("/training/optimizer", FieldType::Object, "", STRATA_TEXT("strata::ui::TrainingTab", "Optimizer"),
                                STRATA_TEXT("strata::ui::TrainingTab", "How weights follow their gradients"));
  optimizer.registry = "optimizer";
  optimizer.objects = optimizerSchemas;
  m_form->addField(optimizer);
  const auto addTraining = [this](std::initializer_list<const char*> names) {
    for (const char* name : names) m_form->addField(fieldAt(trainingSchema(), name, "/training/"));
  };
  addTraining({"batch_size", "gradient_accumulation_steps", "epochs", "steps_per_epoch"});
  m_form->addField(fieldAt(dataSectionSchema(), "validation_split", "/data/"));
  addTraining({"validation_freq", "validation_freq_steps", "shuffle", "seed", "initial_weights",
               "callbacks", "stages", "changes"});

  FieldSchema device = field("/execution/devices", FieldType::Choice, "\"auto\"", STRATA_TEXT("strata::ui::TrainingTab", "Device"),
                             STRATA_TEXT("strata::ui::TrainingTab", "What computes"));
  device.choices = {"auto"};
  for (const DeviceInfo& info : listDevices()) {
    if (info.isUsable) device.choices.push_back(info.name);
  }
  m_form->addField(device);
  for (const char* name : {"memory_limit", "recompute"}) m_form->addField(fieldAt(executionSchema(), name, "/execution/"));
  m_form->addSet(field("/execution/disabled_passes", FieldType::Object, "[]", STRATA_TEXT("strata::ui::TrainingTab", "Passes off"),
                       STRATA_TEXT("strata::ui::TrainingTab", "Rewrites of the graph that are left out; results stay the same")),
                 passNames(), tr("none"));
}

bool TrainingTab::focusField(const QString& field) {
  const std::string path = field.toStdString();
  return m_form->focusField(path) || m_outputs->focusField(path);
}

void TrainingTab::refresh() {
  m_outputs->setVisible(m_document);
  m_form->setVisible(m_document);
  if (m_document) {
    m_outputs->refresh();
    m_form->refresh();
  }
  refreshNote();
}

bool TrainingTab::isTraining() const { return m_document && m_context.runs.activeDocument() == m_document; }

void TrainingTab::refreshNote() {
  m_showsRun = isTraining();
  m_note->setText(
      m_showsRun
          ? tr("The run has its own copy of the design. Learning rate, clipping, weight decay and the rates of dropout layers (Layer) are "
               "live: they take effect at the next step and are marked on the curves. Every other setting, such as a schedule of the "
               "learning rate, is for the next run.")
          : tr("Settings of the next run."));
}

}  // namespace strata::ui
