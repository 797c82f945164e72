// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/inputs_editor.h"

#include <QMenu>
#include <QPushButton>
#include <QSet>
#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

class InputsEditor : public FieldEditor {
  Q_OBJECT
 public:
  InputsEditor(const LayerDef& definition, Calls calls, std::function<InputChoices()> choices,
               QWidget* parent)
      : FieldEditor(inputsField(definition), std::move(calls), parent),
        m_isSingle(definition.maxInputs == 1),
        m_choices(std::move(choices)),
        m_button(new QPushButton(parent)) {
    setRole(m_button, "value");
    m_button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(m_button, &QPushButton::clicked, this, &InputsEditor::openMenu);
  }
  QWidget* widget() const override { return m_button; }

  void show(const Json* value) override {
    const bool isSet = value != nullptr;
    m_inputs.clear();
    if (isSet && value->is_array()) {
      for (const Json& input : *value) {
        if (input.is_string()) m_inputs << text(input.get<std::string>());
      }
    }
    const QString before = m_choices().before;
    if (!isSet && !before.isEmpty()) m_inputs << before;
    const QString words = m_inputs.isEmpty() ? tr("none") : m_inputs.join(u", "_s);
    m_button->setText(words);
    m_isSet = isSet;
    if (m_button->property("isDefault").toBool() == isSet ||
        !m_button->property("isDefault").isValid()) {
      m_button->setProperty("isDefault", !isSet);
      restyle(m_button);
    }
  }

 private:
  void openMenu() {
    const InputChoices choices = m_choices();
    auto* menu = new QMenu(m_button);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (!choices.before.isEmpty()) {
      QAction* standard = menu->addAction(tr("Previous layer: %1").arg(choices.before));
      standard->setCheckable(true);
      standard->setChecked(!m_isSet);
      connect(standard, &QAction::triggered, this, [this] {
        if (m_isSet) m_calls.reset();
      });
      menu->addSeparator();
    }
    for (const QString& layer : choices.layers) {
      QAction* action = menu->addAction(layer);
      action->setCheckable(true);
      action->setChecked(m_inputs.contains(layer) && (m_isSet || !m_isSingle));
      connect(action, &QAction::triggered, this, [this, layer](bool isOn) { choose(layer, isOn); });
    }
    menu->popup(m_button->mapToGlobal(QPoint(0, m_button->height() + 2)));
  }
  void choose(const QString& layer, bool isOn) {
    QStringList next = m_isSingle ? QStringList() : m_inputs;
    next.removeAll(layer);
    if (isOn || m_isSingle) next << layer;
    std::vector<std::string> names;
    for (const QString& name : next)
      names.push_back(name.toStdString());
    m_calls.set(Json(names));
  }

  const bool m_isSingle;
  const std::function<InputChoices()> m_choices;
  QPushButton* m_button;
  QStringList m_inputs;
  bool m_isSet = false;
};

}  // namespace

FieldSchema inputsField(const LayerDef& definition) {
  FieldSchema field;
  field.name = "inputs";
  field.type = FieldType::Object;
  field.defaultJson = "null";
  field.title = definition.maxInputs == 1 ? STRATA_TEXT("strata::ui::InputsEditor", "Input")
                                          : STRATA_TEXT("strata::ui::InputsEditor", "Inputs");
  field.help = definition.maxInputs == 1
                   ? STRATA_TEXT("strata::ui::InputsEditor",
                                 "Layer that provides the input; default: the previous layer")
                   : STRATA_TEXT("strata::ui::InputsEditor",
                                 "Layers that provide the inputs, in this order");
  return field;
}

FieldEditor* makeInputsEditor(const LayerDef& definition, FieldEditor::Calls calls,
                              std::function<InputChoices()> choices, QWidget* parent) {
  return new InputsEditor(definition, std::move(calls), std::move(choices), parent);
}

InputChoices inputChoices(const Document& document, const LayerPath& layer) {
  InputChoices choices;
  const int index = document.layers().indexOf(layer);
  if (index < 0) return choices;
  const LayerEntry& own = document.layers()[index];
  const auto isBeside = [&](const LayerEntry& entry) {
    return entry.list == own.list;
  };
  for (const LayerEntry& entry : document.layers())
    if (isBeside(entry) && entry.place() + 1 == own.place()) choices.before = entry.label;
  // Layers that depend on this one, directly or indirectly, would create a cycle.
  QSet<QString> fed{own.label};
  const std::vector<LayerSummary>* scope = &document.checks().inspection().summary.layers;
  for (size_t i = 0; i + 1 < own.path.steps.size(); ++i) {
    const auto place = static_cast<size_t>(own.path.steps[i].place);
    if (place >= scope->size()) return choices;
    scope = &(*scope)[place].inner;
  }
  const std::vector<LayerSummary>& rows = *scope;
  for (bool grew = true; grew;) {
    grew = false;
    for (const LayerSummary& row : rows) {
      const QString name = text(row.name);
      if (fed.contains(name)) continue;
      for (const std::string& input : row.inputs) {
        if (fed.contains(text(input))) {
          fed.insert(name);
          grew = true;
          break;
        }
      }
    }
  }
  for (const LayerEntry& entry : document.layers()) {
    if (isBeside(entry) && !entry.label.isEmpty() && !fed.contains(entry.label))
      choices.layers << entry.label;
  }
  return choices;
}

}  // namespace strata::ui

#include "inputs_editor.moc"
