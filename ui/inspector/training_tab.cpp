// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/training_tab.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/layers/objects.h"
#include "core/recipe/optimizers.h"
#include "core/recipe/options.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/device.h"
#include "ui/device_text.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/inspector/batch_share.h"
#include "ui/inspector/early_stopping_form.h"
#include "ui/inspector/field_form.h"
#include "ui/inspector/finder_section.h"
#include "ui/inspector/fold_section.h"
#include "ui/inspector/outputs_form.h"
#include "ui/inspector/project_access.h"
#include "ui/plots/curve_view.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

namespace {

/// Makes a field with the JSON pointer as its name. The access of the form needs no other key.
FieldSchema field(const char* pointer, FieldType type, const char* defaultJson, Text title,
                  Text help) {
  FieldSchema made;
  made.name = pointer;
  made.type = type;
  made.defaultJson = defaultJson;
  made.title = title;
  made.help = help;
  return made;
}

constexpr const char* kClassWeight = "/training/class_weight";

/// Converts class weights such as {"0": 2.0, "2": 3.0} to a list. Missing classes have the weight
/// 1.
Json asList(const Json& weights) {
  // The maximum length of the list. A longer list would not be readable.
  constexpr size_t kMaxClasses = 1000;
  Json list = Json::array();
  for (const auto& [key, weight] : weights.items()) {
    bool isNumber = false;
    const uint index = text(key).toUInt(&isNumber);
    if (!isNumber || index >= kMaxClasses) return weights;
    while (list.size() <= index)
      list.push_back(1.0);
    list[index] = weight;
  }
  return list;
}

}  // namespace

TrainingTab::TrainingTab(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_note(new QLabel(this)) {
  setRole(this, "pane");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(14, 12, 14, 14);
  column->setSpacing(9);
  m_note->setWordWrap(true);
  setRole(m_note, "muted");
  column->addWidget(m_note);
  m_body = new QWidget(this);
  auto* body = new QVBoxLayout(m_body);
  body->setContentsMargins(0, 0, 0, 0);
  body->setSpacing(6);
  column->addWidget(m_body);
  makeForms(body);
  column->addStretch(1);
  connect(&context.workspace, &Workspace::currentChanged, this, [this](Document* document) {
    if (m_document) m_document->disconnect(this);
    m_document = document;
    if (document) {
      connect(document, &Document::changed, this, &TrainingTab::refresh);
      connect(document, &Document::inspectionChanged, this, &TrainingTab::refresh);
      connect(document, &Document::refusedValuesChanged, this, &TrainingTab::refresh);
    }
    m_finders->setDocument(document);
    refresh();
  });
  connect(&context.runs, &Runs::stateChanged, this, [this] {
    if (isTraining() != m_showsRun) refresh();
  });
  refresh();
}

FieldForm::Access TrainingTab::makeAccess() {
  FieldForm::Access access = projectAccess([this] { return m_document.data(); });
  access.mark = [this](const std::string&, const FieldSchema& f) {
    // A learning rate and its schedule use the same field, but an active run does not adopt a
    // schedule.
    if (!f.isLive || f.type == FieldType::Object) return FieldForm::Mark();
    if (!isTraining()) return FieldForm::Mark{tr("live"), false};
    return m_context.runs.of(m_document).takes(m_document->json(), f.name)
               ? FieldForm::Mark{tr("live"), true}
               : FieldForm::Mark();
  };
  access.get = [get = std::move(access.get),
                list = std::make_shared<Json>()](const FieldSchema& field) {
    const Json* const value = get(field);
    if (field.name != kClassWeight || !value || !value->is_object()) return value;
    *list = asList(*value);
    return static_cast<const Json*>(list.get());
  };
  return access;
}

FieldForm* TrainingTab::addForm(const FieldForm::Access& access) {
  m_forms.push_back(new FieldForm(access, m_body));
  return m_forms.back();
}

FoldSection* TrainingTab::addSection(QVBoxLayout* column, const QString& title,
                                     const QString& key) {
  auto* section = new FoldSection(title, key, m_body);
  column->addWidget(section);
  m_sections.push_back(section);
  return section;
}

/// Adds the settings that every training needs first, and the others in folded sections.
void TrainingTab::makeForms(QVBoxLayout* column) {
  const FieldForm::Access access = makeAccess();
  const auto addTraining = [](FieldForm* form, std::initializer_list<const char*> names) {
    for (const char* name : names)
      form->addField(fieldAt(trainingSchema(), name, "/training/"));
  };
  FieldSchema optimizer =
      field("/training/optimizer", FieldType::Object, "",
            STRATA_TEXT("strata::ui::TrainingTab", "Optimizer"),
            STRATA_TEXT("strata::ui::TrainingTab", "How weights are updated from their gradients"));
  optimizer.registry = "optimizer";
  optimizer.objects = optimizerSchemas;
  const std::vector<const Schema*> schemas = schemasOf(optimizer);
  const auto isRate = [](const FieldSchema& f) {
    return f.name == "learning_rate";
  };

  FieldForm* first = addForm(access);
  addTraining(first, {"epochs", "batch_size"});
  first->addType(optimizer, schemas);
  first->addFieldsOf(optimizer, schemas, isRate);
  column->addWidget(first);
  m_share = new BatchShare(m_body);
  column->addWidget(m_share);
  m_scheduleNote = new QLabel(m_body);
  setRole(m_scheduleNote, "muted");
  m_scheduleNote->setWordWrap(true);
  column->addWidget(m_scheduleNote);
  m_schedule = new CurveView(m_body);
  m_schedule->setAccessibleName(tr("Learning rate over the planned steps"));
  column->addWidget(m_schedule);
  m_finders = new FinderSection(m_context, m_body);
  column->addWidget(m_finders);
  m_stopping = new EarlyStoppingForm([this] { return m_document.data(); }, access, m_body);
  column->addWidget(m_stopping);
  column->addSpacing(6);

  FoldSection* loss = addSection(column, tr("Loss and metrics"), QStringLiteral("loss"));
  m_outputs = new OutputsForm([this] { return m_document.data(); }, access, m_body);
  loss->add(m_outputs);
  FieldSchema classWeight = field(
      kClassWeight, FieldType::NumberList, "null",
      STRATA_TEXT("strata::ui::TrainingTab", "Class weights"),
      STRATA_TEXT(
          "strata::ui::TrainingTab",
          "Weight of each class in the loss, in class order or with the names of classes, such "
          "as cat: 1, dog: 2.5; missing classes have weight 1. balanced: classes with fewer "
          "samples weigh more"));
  classWeight.isNullable = true;
  classWeight.choices = {"balanced"};
  classWeight.minimum = 0;
  FieldForm* weights = addForm(access);
  weights->addField(classWeight);
  loss->add(weights);

  FoldSection* more = addSection(column, tr("Optimizer options"), QStringLiteral("optimizer"));
  FieldForm* rest = addForm(access);
  rest->addFieldsOf(optimizer, schemas, [isRate](const FieldSchema& f) { return !isRate(f); });
  more->add(rest);

  FoldSection* batches = addSection(column, tr("Batches and order"), QStringLiteral("batches"));
  FieldForm* order = addForm(access);
  addTraining(order, {"gradient_accumulation_steps", "steps_per_epoch", "shuffle", "seed",
                      "initial_weights"});
  batches->add(order);

  FoldSection* validation = addSection(column, tr("Validation"), QStringLiteral("validation"));
  FieldForm* split = addForm(access);
  split->addField(fieldAt(dataSectionSchema(), "validation_split", "/data/"));
  addTraining(split, {"validation_freq", "validation_freq_steps"});
  validation->add(split);

  FoldSection* control =
      addSection(column, tr("Callbacks, stages and changes"), QStringLiteral("control"));
  FieldForm* lists = addForm(access);
  addTraining(lists, {"callbacks", "stages", "changes"});
  control->add(lists);

  FoldSection* execution = addSection(column, tr("Device and memory"), QStringLiteral("execution"));
  FieldForm* machine = addForm(access);
  FieldSchema device =
      field("/execution/devices", FieldType::Choice, "\"auto\"",
            STRATA_TEXT("strata::ui::TrainingTab", "Compute device"),
            STRATA_TEXT("strata::ui::TrainingTab", "Device that trains the network"));
  device.choices = {"auto"};
  for (const DeviceInfo& info : listDevices()) {
    if (info.isUsable) device.choices.push_back(info.name);
  }
  for (const OfferedCard& card : offeredCards())
    device.choices.push_back(card.device);
  machine->addField(device);
  for (const char* name :
       {"precision", "loss_scale", "deterministic_attention", "memory_limit", "recompute"})
    machine->addField(fieldAt(executionSchema(), name, "/execution/"));
  machine->addSet(field("/execution/disabled_passes", FieldType::Object, "[]",
                        STRATA_TEXT("strata::ui::TrainingTab", "Disabled passes"),
                        STRATA_TEXT("strata::ui::TrainingTab",
                                    "Graph optimizations to skip; the results stay the same")),
                  passNames(), tr("none"));
  execution->add(machine);
}

bool TrainingTab::focusField(const QString& field) {
  const std::string path = field.toStdString();
  const bool isFocused = std::any_of(m_forms.begin(), m_forms.end(),
                                     [&](const FieldForm* form) { return form->focusField(path); });
  return isFocused || m_outputs->focusField(path);
}

void TrainingTab::refresh() {
  m_body->setVisible(m_document);
  if (m_document) {
    m_outputs->refresh();
    m_stopping->refresh();
    for (FieldForm* form : m_forms)
      form->refresh();
    for (FoldSection* section : m_sections)
      section->refresh();
  }
  m_share->refresh(m_document);
  refreshSchedule();
  refreshNote();
}

/// Draws the learning rate over the planned steps. A constant rate needs no curve.
void TrainingTab::refreshSchedule() {
  const TrainingOptions* recipe = m_document ? &m_document->checked().recipe() : nullptr;
  const bool isDrawn = recipe && recipe->schedule && m_document->checked().data().isKnown;
  m_schedule->setVisible(isDrawn);
  m_scheduleNote->setVisible(isDrawn);
  if (!isDrawn) return;
  const int64_t samples = std::max<int64_t>(1, m_document->checked().data().trainCount),
                batch = std::clamp<int64_t>(recipe->batchSize, 1, samples),
                perEpoch = recipe->stepsPerEpoch.value_or((samples + batch - 1) / batch),
                steps = std::max<int64_t>(1, recipe->epochs > INT64_MAX / perEpoch
                                                 ? INT64_MAX
                                                 : recipe->epochs * perEpoch);
  constexpr int64_t kMaxPoints = 400;
  QList<QPointF> points;
  const int64_t count = std::min(steps, kMaxPoints);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t step = count > 1 ? 1 + static_cast<int64_t>(static_cast<double>(i) *
                                                              static_cast<double>(steps - 1) /
                                                              static_cast<double>(count - 1))
                                   : 1;
    points << QPointF(static_cast<double>(step), recipe->learningRateAt(step));
  }
  m_schedule->setPoints(points, false);
  m_schedule->setEnds(tr("step 1"), tr("step %1").arg(formatCount(steps)));
  const QString words = tr("The learning rate begins at %1 and ends at %2, over %3 steps.")
                            .arg(formatValue(points.first().y(), 3),
                                 formatValue(points.last().y(), 3), formatCount(steps));
  m_scheduleNote->setText(words);
  m_schedule->setAccessibleDescription(words);
}

bool TrainingTab::isTraining() const {
  return m_document && m_context.runs.activeDocument() == m_document;
}

void TrainingTab::refreshNote() {
  m_showsRun = isTraining();
  m_note->setText(
      tr("During a run, fields marked “live” take effect at the next step. The others "
         "apply to the next run."));
  m_note->setVisible(m_document);
}

}  // namespace strata::ui
