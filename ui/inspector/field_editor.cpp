// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/field_editor.h"

#include <QAction>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QStandardPaths>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/layers/objects.h"
#include "ui/document/field_text.h"
#include "ui/document/refused_values.h"
#include "ui/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

void setFlag(QWidget* widget, const char* name, bool value) {
  if (widget->property(name).toBool() == value && widget->property(name).isValid()) return;
  widget->setProperty(name, value);
  restyle(widget);
}

// --- Numbers, shapes and text --------------------------------------------------------------------

class LineEditor : public FieldEditor {
  Q_OBJECT
 public:
  LineEditor(FieldSchema field, Calls calls, QWidget* parent)
      : FieldEditor(std::move(field), std::move(calls), parent), m_edit(new QLineEdit(parent)) {
    m_reset = m_edit->addAction(icon(u"reset"_s), QLineEdit::TrailingPosition);
    m_reset->setToolTip(tr("Reset to the default: %1").arg(defaultText(m_field)));
    m_edit->installEventFilter(this);
    connect(m_reset, &QAction::triggered, this, [this] { m_calls.reset(); });
    connect(m_edit, &QLineEdit::textEdited, this, &LineEditor::check);
    connect(m_edit, &QLineEdit::editingFinished, this, &LineEditor::commit);
  }
  QWidget* widget() const override { return m_edit; }

  void show(const Json* value) override {
    m_isSet = value != nullptr;
    const RefusedValue* refused = m_calls.refused ? m_calls.refused() : nullptr;
    m_shown = value ? fieldText(m_field, *value) : defaultText(m_field);
    const QString words = refused ? refused->text : m_shown;
    m_reset->setVisible(m_isSet && !m_field.defaultJson.empty());
    // Do not replace text while the user is typing.
    if (m_edit->isModified() && m_edit->hasFocus()) return;
    // Text that Tab selected stays selected when the value is updated. The next key then replaces
    // all of it.
    const bool wasSelected = m_edit->hasSelectedText() && m_edit->selectedText() == m_edit->text();
    if (m_edit->text() != words) {
      m_edit->setText(words);
      m_edit->setCursorPosition(0);
      if (wasSelected) m_edit->selectAll();
    }
    else if (!m_edit->hasFocus()) {
      m_edit->setCursorPosition(0);
    }
    m_edit->setModified(false);
    setFlag(m_edit, "isDefault", !m_isSet && !refused);
    complain(refused ? refused->why : QString());
  }

 protected:
  bool eventFilter(QObject*, QEvent* event) override {
    // If the text has no edits, undo and redo apply to the project.
    if (event->type() == QEvent::ShortcutOverride && !m_edit->isModified()) {
      const auto* key = static_cast<QKeyEvent*>(event);
      return key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo);
    }
    // A default is only a suggestion. A click selects it, so that typing replaces it.
    if (event->type() == QEvent::FocusIn && !m_isSet &&
        static_cast<QFocusEvent*>(event)->reason() == Qt::MouseFocusReason)
      QTimer::singleShot(0, m_edit, &QLineEdit::selectAll);
    if (event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && m_edit->text() != m_shown) {
      revert();
      return true;
    }
    return false;
  }

 private:
  void revert() {
    m_edit->setText(m_shown);
    m_edit->setModified(false);
    setFlag(m_edit, "isDefault", !m_isSet);
    complain({});
    accept();
  }
  void accept() {
    if (m_calls.accept) m_calls.accept();
  }
  void complain(const QString& why) {
    setFlag(m_edit, "isWrong", !why.isEmpty());
    Q_EMIT complained(why);
  }
  bool isEmptyForDefault() const {
    return m_edit->text().trimmed().isEmpty() && !m_field.defaultJson.empty();
  }
  void check() {
    setFlag(m_edit, "isDefault", false);
    QString why;
    const bool isRight = isEmptyForDefault() || parsed(why).has_value();
    complain(isRight ? QString() : why);
  }
  std::optional<Json> parsed(QString& why) const {
    std::optional<Json> value = parseFieldText(m_field, m_edit->text(), why);
    if (!value || !m_calls.refusal) return value;
    why = m_calls.refusal(*value);
    return why.isEmpty() ? value : std::nullopt;
  }
  void commit() {
    if (!m_edit->isModified()) return;
    if (m_edit->text() == m_shown) {
      revert();
      return;
    }
    m_edit->setModified(false);
    if (isEmptyForDefault()) {
      if (!m_isSet) return revert();
      accept();
      m_calls.reset();
      return;
    }
    QString why;
    if (const auto value = parsed(why)) {
      accept();
      m_calls.set(*value);
    }
    else {
      // The invalid text stays and turns red, and the document keeps its value.
      complain(why);
      if (m_calls.refuse) m_calls.refuse(m_edit->text(), why);
    }
  }

  QAction* m_reset;
  QString m_shown;
  bool m_isSet = false;

 protected:
  QLineEdit* m_edit;
};

// --- Files and folders ---------------------------------------------------------------------------

/// A line edit with a button that opens a file dialog.
class PathEditor : public LineEditor {
  Q_OBJECT
 public:
  PathEditor(const FieldSchema& field, const Calls& calls, QWidget* parent)
      : LineEditor(field, calls, new QWidget(parent)) {
    m_body = m_edit->parentWidget();
    m_body->setFocusProxy(m_edit);
    auto* row = new QHBoxLayout(m_body);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    row->addWidget(m_edit, 1);
    auto* browse = new QPushButton(tr("Browse…"), m_body);
    browse->setAccessibleName(tr("Browse for %1").arg(fieldTitle(field)));
    row->addWidget(browse);
    connect(browse, &QPushButton::clicked, this, &PathEditor::browse);
  }
  QWidget* widget() const override { return m_body; }
  QWidget* input() const override { return m_edit; }

 private:
  bool isFolder() const { return m_field.path == PathKind::Folder; }
  QString folder() const { return m_calls.folder ? m_calls.folder() : QString(); }

  void browse() {
    auto* dialog = new QFileDialog(m_body->window(), fieldTitle(m_field), startFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setViewMode(QFileDialog::List);
    dialog->setFileMode(isFolder() ? QFileDialog::Directory : QFileDialog::ExistingFile);
    dialog->setOption(QFileDialog::ShowDirsOnly, isFolder());
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& path) { m_calls.set(Json(storedPath(path).toStdString())); });
    dialog->open();
  }

  QString startFolder() const {
    const QString written = m_edit->text();
    const QFileInfo now(QDir(folder()), written);
    if (!written.isEmpty() && now.exists()) return now.absolutePath();
    if (!folder().isEmpty()) return folder();
    return QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  }

  /// Returns the path to store. A path inside the project's folder becomes relative to it, so that
  /// both can be moved together.
  QString storedPath(const QString& chosen) const {
    if (folder().isEmpty()) return chosen;
    const QString relative = QDir(folder()).relativeFilePath(chosen);
    const bool isOutside = relative.startsWith(u"../"_s) || QDir::isAbsolutePath(relative);
    const bool wasRelative = m_edit->text().startsWith(u"../"_s);
    return isOutside && !wasRelative ? chosen : relative;
  }

  QWidget* m_body;
};

// --- Choice of one value -------------------------------------------------------------------------

// The role for the text of the closed box, without "(default)".
constexpr int kShortRole = Qt::UserRole;

/// A combo box that ignores the mouse wheel, so that the wheel scrolls the form.
class CalmComboBox : public QComboBox {
 public:
  explicit CalmComboBox(QWidget* parent) : QComboBox(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(8);
  }

 protected:
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }
  void paintEvent(QPaintEvent*) override {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    if (const QVariant words = currentData(kShortRole); words.isValid())
      option.currentText = words.toString();
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
  }
};

class ChoiceEditor : public FieldEditor {
  Q_OBJECT
 public:
  /// Creates an editor with these choices, which fieldText() formats. If the choices can change,
  /// `names` returns the current ones.
  ChoiceEditor(FieldSchema field, std::vector<Json> choices, Calls calls, QWidget* parent,
               Names names = {})
      : FieldEditor(std::move(field), std::move(calls), parent),
        m_names(std::move(names)),
        m_box(new CalmComboBox(parent)) {
    setChoices(std::move(choices));
    connect(m_box, &QComboBox::activated, this, &ChoiceEditor::choose);
  }
  QWidget* widget() const override { return m_box; }

  void show(const Json* value) override {
    if (m_names) {
      const std::vector<std::string> names = m_names();
      if (std::vector<Json> now(names.begin(), names.end()); now != m_choices)
        setChoices(std::move(now));
    }
    m_isSet = value != nullptr;
    m_shown = m_default;
    if (value) {
      const QString words = fieldText(m_field, *value);
      m_shown = -1;
      for (size_t i = 0; i < m_choices.size(); ++i) {
        if (fieldText(m_field, m_choices[i]) == words) m_shown = static_cast<int>(i);
      }
      while (m_box->count() > static_cast<int>(m_choices.size()))
        m_box->removeItem(m_box->count() - 1);
      // A value that is not one of the choices is shown unchanged.
      if (m_shown < 0) {
        m_box->addItem(words);
        m_shown = m_box->count() - 1;
      }
    }
    m_box->setCurrentIndex(m_shown);
    setFlag(m_box, "isDefault", !m_isSet);
  }

 private:
  void setChoices(std::vector<Json> choices) {
    m_choices = std::move(choices);
    m_box->clear();
    m_default = -1;
    const QString standard = defaultText(m_field);
    for (const Json& choice : m_choices) {
      const QString words = fieldText(m_field, choice);
      const bool isDefault = !m_field.defaultJson.empty() && words == standard;
      m_box->addItem(isDefault ? tr("%1 (default)").arg(words) : words, words);
      if (isDefault) m_default = m_box->count() - 1;
    }
  }
  void choose(int index) {
    if (index == m_shown && !(m_isSet && index == m_default)) return;
    if (index >= static_cast<int>(m_choices.size())) return;
    if (index == m_default) {
      if (m_isSet) m_calls.reset();
    }
    else {
      m_calls.set(m_choices[static_cast<size_t>(index)]);
    }
  }

  const Names m_names;
  std::vector<Json> m_choices;
  QComboBox* m_box;
  int m_default = -1, m_shown = -1;
  bool m_isSet = false;
};

// --- Choice of several values --------------------------------------------------------------------

class SetEditor : public FieldEditor {
  Q_OBJECT
 public:
  SetEditor(FieldSchema field, Names options, QString emptyText, Calls calls, QWidget* parent)
      : FieldEditor(std::move(field), std::move(calls), parent),
        m_options(std::move(options)),
        m_emptyText(std::move(emptyText)),
        m_button(new QPushButton(parent)) {
    setRole(m_button, "value");
    m_button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(m_button, &QPushButton::clicked, this, &SetEditor::openMenu);
  }
  QWidget* widget() const override { return m_button; }

  void show(const Json* value) override {
    m_isSet = value != nullptr;
    m_chosen.clear();
    const Json standard =
        m_field.defaultJson.empty() ? Json() : Json::parse(m_field.defaultJson, nullptr, false);
    const Json& list = value ? *value : standard;
    if (list.is_array()) {
      for (const Json& item : list) {
        if (item.is_string()) m_chosen.push_back(item.get<std::string>());
        if (item.is_object() && item.contains("type") && item["type"].is_string())
          m_chosen.push_back(item["type"].get<std::string>());
      }
    }
    QStringList words;
    for (const std::string& name : m_chosen)
      words << text(name);
    const QString all = words.isEmpty() ? m_emptyText : words.join(u", "_s);
    m_button->setText(all);
    m_button->setToolTip(all);
    setFlag(m_button, "isDefault", !m_isSet);
  }

 private:
  void openMenu() {
    auto* menu = new QMenu(m_button);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const std::string& option : m_options()) {
      QAction* action = menu->addAction(text(option));
      action->setCheckable(true);
      const auto found = std::find(m_chosen.begin(), m_chosen.end(), option);
      action->setChecked(found != m_chosen.end());
      connect(action, &QAction::triggered, this, [this, option](bool isOn) {
        std::vector<std::string> next = m_chosen;
        const auto at = std::find(next.begin(), next.end(), option);
        if (isOn && at == next.end()) next.push_back(option);
        if (!isOn && at != next.end()) next.erase(at);
        // If nothing is selected, reset a nullable field, because an empty list has another meaning
        // than null.
        if (next.empty() && m_field.isNullable)
          m_calls.reset();
        else
          m_calls.set(Json(next));
      });
    }
    if (m_isSet && !m_field.defaultJson.empty()) {
      menu->addSeparator();
      connect(menu->addAction(tr("Reset to the default")), &QAction::triggered, this,
              [this] { m_calls.reset(); });
    }
    menu->popup(m_button->mapToGlobal(QPoint(0, m_button->height() + 2)));
  }

  const Names m_options;
  const QString m_emptyText;
  QPushButton* m_button;
  std::vector<std::string> m_chosen;
  bool m_isSet = false;
};

}  // namespace

FieldEditor* makeFieldEditor(const FieldSchema& field, FieldEditor::Calls calls, QWidget* parent) {
  switch (field.type) {
    case FieldType::Boolean:
      return new ChoiceEditor(field, {Json(true), Json(false)}, std::move(calls), parent);
    case FieldType::Choice: return makeTypeEditor(field, field.choices, std::move(calls), parent);
    case FieldType::Object: {
      std::vector<std::string> types;
      for (const Schema* schema : objectsOf(field))
        types.push_back(schema->type);
      return makeTypeEditor(field, std::move(types), std::move(calls), parent);
    }
    default:
      if (field.path != PathKind::None) return new PathEditor(field, calls, parent);
      return new LineEditor(field, std::move(calls), parent);
  }
}

FieldEditor* makeTypeEditor(const FieldSchema& field, std::vector<std::string> types,
                            FieldEditor::Calls calls, QWidget* parent) {
  std::vector<Json> choices;
  if (field.isNullable) choices.emplace_back(nullptr);
  for (const std::string& type : types)
    choices.emplace_back(type);
  return new ChoiceEditor(field, std::move(choices), std::move(calls), parent);
}

FieldEditor* makeNameEditor(const FieldSchema& field, Names names, FieldEditor::Calls calls,
                            QWidget* parent) {
  return new ChoiceEditor(field, {}, std::move(calls), parent, std::move(names));
}

FieldEditor* makeSetEditor(const FieldSchema& field, Names options, const QString& emptyText,
                           FieldEditor::Calls calls, QWidget* parent) {
  return new SetEditor(field, std::move(options), emptyText, std::move(calls), parent);
}

}  // namespace strata::ui

#include "field_editor.moc"
