// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/layer_tab.h"

#include <QApplication>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "ui/document/document.h"
#include "ui/document/edit_command.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/inspector/algorithm_section.h"
#include "ui/inspector/field_form.h"
#include "ui/inspector/fix_buttons.h"
#include "ui/inspector/inputs_editor.h"
#include "ui/inspector/project_access.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/shown_times.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

enum CostRow { Output, Parameters, MultiplyAdds, Memory, Time, NumCostRows };

QLabel* section(const QString& title, QWidget* parent) {
  auto* label = new QLabel(title, parent);
  setRole(label, "section");
  label->setContentsMargins(0, 14, 0, 0);
  return label;
}

QLabel* wrapped(const QString& words, const char* role, QWidget* parent) {
  auto* label = new QLabel(words, parent);
  setRole(label, role);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

FieldSchema nameField() {
  FieldSchema field;
  field.name = "name";
  field.type = FieldType::String;
  field.help = STRATA_TEXT(
      "strata::ui::LayerTab",
      "Unique in the network; inputs and weights files refer to the layer by this name");
  field.title = STRATA_TEXT("strata::ui::LayerTab", "Name");
  return field;
}

const Json* layerJson(const Document& document, int index) {
  return index < 0 ? nullptr
                   : &document.json().at(Json::json_pointer(document.layers()[index].pointer()));
}

}  // namespace

LayerTab::LayerTab(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_algorithms(new AlgorithmSection(this)) {
  setRole(this, "pane");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  m_times = new ShownTimes(context, this);
  connect(m_times, &ShownTimes::changed, this, &LayerTab::refreshCost);
  connect(&context.workspace, &Workspace::currentChanged, this, &LayerTab::setDocument);
  connect(&context.runs, &Runs::stateChanged, this, [this] {
    if (m_form) m_form->refresh();
  });
  rebuild();
}

void LayerTab::setDocument(Document* document) {
  if (m_document) m_document->disconnect(this);
  m_document = document;
  if (document) {
    connect(document, &Document::selectionChanged, this, &LayerTab::refresh);
    connect(document, &Document::changed, this, &LayerTab::refresh);
    connect(document, &Document::inspectionChanged, this, &LayerTab::refresh);
    connect(document, &Document::estimateChanged, this, &LayerTab::refreshCost);
    connect(document, &Document::refusedValuesChanged, this, &LayerTab::refresh);
  }
  m_path = {};
  m_layer.clear();
  rebuild();
}

void LayerTab::rebuild() {
  if (QWidget* old = m_body) {
    // Losing the focus commits typed text, and that edit may call this function again.
    if (QWidget* focus = QApplication::focusWidget(); focus && old->isAncestorOf(focus)) setFocus();
    if (m_body != old) return;
    old->hide();
    old->deleteLater();
  }
  // It outlives the body, because its thread does not end at once
  m_algorithms->setParent(this);
  m_algorithms->show(nullptr, {});
  m_form = nullptr;
  m_costTitle = nullptr;
  m_problems = nullptr;
  m_shownProblems.clear();
  m_costValues.clear();
  m_body = new QWidget(this);
  auto* column = new QVBoxLayout(m_body);
  column->setContentsMargins(14, 12, 14, 14);
  column->setSpacing(7);
  layout()->addWidget(m_body);

  m_path = m_document ? m_document->selectedLayers().value(0) : LayerPath();
  m_layer = text(m_path.text());
  const int index = m_document ? m_document->layers().indexOf(m_path) : -1;
  if (index < 0) {
    column->addWidget(wrapped(tr("Select a layer to view and edit its fields."), "muted", m_body));
    column->addStretch(1);
    return;
  }
  m_type = m_document->layers()[index].type;
  auto* title = new QLabel(m_body);
  title->setText(
      tr("<b>%1</b> %2")
          .arg(m_layer.toHtmlEscaped(), u"<span>%1</span>"_s.arg(m_type.toHtmlEscaped())));
  title->setWordWrap(true);
  column->addWidget(title);
  if (const auto count = static_cast<int>(m_document->selectedLayers().size()); count > 1) {
    column->addWidget(wrapped(
        tr("%n layers are selected; these are the fields of the first one.", nullptr, count),
        "muted", m_body));
  }
  m_problems = new QWidget(m_body);
  auto* problems = new QVBoxLayout(m_problems);
  problems->setContentsMargins(0, 0, 0, 4);
  problems->setSpacing(4);
  column->addWidget(m_problems);
  const LayerDef* definition = findLayer(m_type.toStdString());
  if (!definition) {
    column->addStretch(1);
    refreshProblems();
    return;
  }
  addFields(column, *definition);
  refreshProblems();
  addCost(column);
  column->addWidget(m_algorithms);
  refreshAlgorithms();
  addAbout(column, *definition);
  column->addStretch(1);
}

void LayerTab::addFields(QVBoxLayout* column, const LayerDef& definition) {
  // The form always edits the layer for which it was built. Text that is committed after the
  // selection changes still belongs to that layer.
  const QPointer<Document> document = m_document;
  const LayerPath own = m_path;
  const QString layer = m_layer;
  const auto row = [document, own] {
    return document ? document->layers().indexOf(own) : -1;
  };
  const auto now = [document, row](const std::function<void()>& edit) {
    if (row() < 0) return;
    const QList<LayerPath> selection = document->selectedLayers();
    const bool isElsewhere =
        selection.isEmpty() || document->layers().indexOf(selection[0]) != row();
    edit();
    if (isElsewhere) document->select(selection);
  };
  // An undo may close the form, which commits typed text. That edit becomes a separate step after
  // the undo.
  const auto submit = [document, now](std::function<void()> edit) {
    if (!document || !EditCommand::isWalking(*document)) return now(edit);
    QMetaObject::invokeMethod(
        document.data(), [now, edit = std::move(edit)] { now(edit); }, Qt::QueuedConnection);
  };
  FieldForm::Access access;
  access.get = [document, row](const FieldSchema& field) -> const Json* {
    const Json* json = document ? layerJson(*document, row()) : nullptr;
    if (!json) return nullptr;
    const auto found = json->find(field.name);
    return found == json->end() ? nullptr : &*found;
  };
  access.set = [document, own, submit](const FieldSchema& field, const Json& value) {
    submit([document, own, field, value] {
      if (field.name == "name") {
        submitRename(*document, own, text(value.get<std::string>()));
      }
      else if (field.name == "inputs") {
        submitConnect(*document, own, value.get<std::vector<std::string>>());
      }
      else {
        submitField(*document, own, field.name, value);
      }
    });
  };
  access.reset = [document, own, submit](const FieldSchema& field) {
    submit([document, own, field] { submitResetField(*document, own, field.name); });
  };
  access.problem = [document, layer](const std::string& path) {
    if (!document) return QString();
    for (const Diagnostic& diagnostic : document->checks().inspection().diagnostics) {
      if (diagnostic.field == path && text(diagnostic.layer) == layer)
        return translated(diagnostic);
    }
    return QString();
  };
  access.fixes = [document, layer](const std::string& path) {
    if (!document) return std::vector<Fix>();
    for (const Diagnostic& diagnostic : document->checks().inspection().diagnostics) {
      if (diagnostic.field == path && text(diagnostic.layer) == layer) return diagnostic.fixes;
    }
    return std::vector<Fix>();
  };
  access.apply = [document](const ProjectEdit& edit) {
    if (document) document->submit(edit);
  };
  keepRefusals(
      access, [document] { return document.data(); }, own);
  // Mark the fields that also change an active run.
  access.mark = [this, document, layer](const std::string& path, const FieldSchema& field) {
    if (!field.isLive || !document) return FieldForm::Mark();
    if (m_context.runs.activeDocument() != document) return FieldForm::Mark{tr("live"), false};
    return m_context.runs.of(document).takes(document->json(), layer.toStdString() + "/" + path)
               ? FieldForm::Mark{tr("live"), true}
               : FieldForm::Mark();
  };
  // Layers refer to their inputs by name, so refuse a name that another layer already has.
  access.refusal = [document, row](const FieldSchema& field, const Json& value) {
    if (!document || field.name != "name" || row() < 0) return QString();
    const QString name = text(value.get<std::string>());
    const auto& layers = document->layers();
    for (int i = 0; i < layers.size(); ++i)
      if (i != row() && layers[i].list == layers[row()].list && layers[i].label == name)
        return tr("Another layer is already named %1. Choose a different name.").arg(name);
    return QString();
  };
  m_form = new FieldForm(std::move(access), m_body);
  m_form->addField(nameField());
  if (definition.maxInputs != 0) {
    m_form->addEditor(makeInputsEditor(
        definition, m_form->callsOf(inputsField(definition)),
        [document, own] { return document ? inputChoices(*document, own) : InputChoices(); },
        m_form));
  }
  for (const FieldSchema& field : definition.schema.fields)
    if (!field.hasOneValue) m_form->addField(field);
  column->addWidget(m_form);
  m_form->refresh();
}

void LayerTab::addCost(QVBoxLayout* column) {
  m_costTitle = section({}, m_body);
  column->addWidget(m_costTitle);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(6);
  grid->setColumnMinimumWidth(0, FieldForm::kLabelWidth);
  grid->setColumnStretch(1, 1);
  const QString titles[NumCostRows] = {tr("Output"), tr("Parameters"), tr("Multiply-adds"),
                                       tr("Memory"), tr("Time")};
  for (int row = 0; row < NumCostRows; ++row) {
    auto* label = new QLabel(titles[row], m_body);
    setRole(label, "muted");
    auto* value = new QLabel(m_body);
    value->setWordWrap(true);
    value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    grid->addWidget(label, row, 0, Qt::AlignTop);
    grid->addWidget(value, row, 1);
    m_costValues << value;
  }
  // The source of a time changes when a run starts and ends.
  m_costValues[Time]->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  reserveLines(m_costValues[Time], 4, tr("%1 of %2, %3"));
  column->addLayout(grid);
  refreshCost();
}

void LayerTab::addAbout(QVBoxLayout* column, const LayerDef& definition) {
  const Schema& schema = definition.schema;
  column->addWidget(section(tr("About"), m_body));
  if (!schema.help.isEmpty()) column->addWidget(wrapped(translated(schema.help), "muted", m_body));
  if (!schema.formula.empty()) column->addWidget(wrapped(text(schema.formula), "muted", m_body));
  if (!schema.source.empty())
    column->addWidget(wrapped(tr("Source: %1").arg(text(schema.source)), "muted", m_body));
  column->addWidget(wrapped(tr("Gray values are defaults."), "faint", m_body));
}

void LayerTab::refresh() {
  const LayerPath selected = m_document ? m_document->selectedLayers().value(0) : LayerPath();
  const int index = m_document ? m_document->layers().indexOf(selected) : -1;
  const QString type = index < 0 ? QString() : m_document->layers()[index].type;
  if (selected != m_path || (index >= 0 && type != m_type) || (index < 0) != (m_form == nullptr)) {
    rebuild();
    return;
  }
  if (m_form) m_form->refresh();
  refreshProblems();
  refreshCost();
  refreshAlgorithms();
}

void LayerTab::refreshAlgorithms() {
  m_algorithms->show(m_form ? m_document.data() : nullptr, m_layer);
}

/// Shows the layer's problems and fixes, except for problems that a field of the form shows.
void LayerTab::refreshProblems() {
  if (!m_problems || !m_document) return;
  std::vector<const Diagnostic*> found;
  QStringList shown;
  for (const Diagnostic& each : m_document->checks().inspection().diagnostics) {
    if (text(each.layer) != m_layer || (m_form && m_form->hasField(each.field))) continue;
    found.push_back(&each);
    shown << translated(each);
    for (const Fix& fix : each.fixes)
      shown << translated(fix.label, fix.arguments);
  }
  m_problems->setVisible(!found.empty());
  if (shown == m_shownProblems) return;
  m_shownProblems = shown;
  for (QWidget* old : m_problems->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
    old->hide();
    old->deleteLater();
  }
  for (const Diagnostic* each : found) {
    m_problems->layout()->addWidget(wrapped(translated(*each), "problem", m_problems));
    auto* fixes = new FixButtons(m_problems);
    fixes->setFixes(each->fixes);
    m_problems->layout()->addWidget(fixes);
    connect(fixes, &FixButtons::chosen, this, [this](const ProjectEdit& edit) {
      if (m_document) m_document->submit(edit);
    });
  }
}

void LayerTab::focusField(const QString& field) {
  if (!m_form || !m_form->focusField(field.toStdString())) return;
  // A button opens the choices of the field, so open them at once.
  if (auto* button = qobject_cast<QPushButton*>(m_form->input(field.toStdString())))
    QTimer::singleShot(0, button, &QPushButton::click);
}

void LayerTab::showUnknown(int row, const QString& why) {
  const QString reason = why.isEmpty() ? tr("not known yet") : why;
  const bool isRepeated = std::any_of(m_costValues.begin(), m_costValues.begin() + row,
                                      [&](const QLabel* each) { return each->text() == reason; });
  m_costValues[row]->setText(isRepeated ? u"—"_s : reason);
}

void LayerTab::refreshCost() {
  if (m_costValues.size() != NumCostRows || !m_document) return;
  m_costTitle->setText(
      tr("Cost at batch size %1").arg(formatCount(m_document->checked().recipe().batchSize)));
  const LayerSummary* summary = m_document->checks().summary(m_document->layers().indexOf(m_path));
  const bool isKnown = summary && summary->isKnown;
  const QString broken = tr("unknown, because this layer or an earlier one has a problem");
  if (summary && summary->outputShape)
    m_costValues[Output]->setText(formatShape(*summary->outputShape));
  else
    showUnknown(Output, broken);
  if (!isKnown) {
    showUnknown(Parameters, broken);
    showUnknown(MultiplyAdds, broken);
  }
  else if (summary->trainableParameters != summary->parameters) {
    m_costValues[Parameters]->setText(
        tr("%1, of which %2 are trainable")
            .arg(formatCount(summary->parameters), formatCount(summary->trainableParameters)));
  }
  else {
    m_costValues[Parameters]->setText(formatCount(summary->parameters));
  }
  if (isKnown) m_costValues[MultiplyAdds]->setText(formatMagnitude(summary->multiplyAdds));
  const Estimate& estimate = m_document->checks().estimate();
  const std::string name = m_layer.toStdString();
  if (estimate.hasMemory) {
    const auto found = estimate.bytesByLayer.find(name);
    m_costValues[Memory]->setText(
        found == estimate.bytesByLayer.end() || found->second == 0
            ? tr("0 at the peak")
            : tr("%1 predicted at the peak").arg(italic(formatBytes(found->second))));
  }
  else {
    showUnknown(Memory, estimate.whyNoMemory);
  }
  const LayerTime time = timeOfLayer(*m_document, m_times->measured(), m_layer);
  const auto shown = [&](double seconds) {
    return time.isPredicted ? italic(formatSeconds(seconds)) : formatSeconds(seconds);
  };
  m_costValues[Time]->setToolTip(time.warning);
  if (time.seconds < 0)
    showUnknown(Time, time.source);
  else if (time.seconds == 0)
    m_costValues[Time]->setText(tr("not timed separately"));
  else
    m_costValues[Time]->setText(
        time.warning.isEmpty()
            ? tr("%1 of %2, %3").arg(shown(time.seconds), shown(time.stepSeconds), time.source)
            : tr("%1 of %2, %3, which was busy")
                  .arg(shown(time.seconds), shown(time.stepSeconds), time.source));
}

}  // namespace strata::ui
