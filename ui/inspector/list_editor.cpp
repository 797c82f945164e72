// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/list_editor.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "core/layers/objects.h"
#include "ui/document/field_text.h"
#include "ui/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

class ListEditor : public FieldEditor {
  Q_OBJECT
 public:
  ListEditor(const FieldSchema& field, FieldForm::Access access, QWidget* parent)
      : FieldEditor(field, {}, parent),
        m_access(std::move(access)),
        m_schemas(objectsOf(field)),
        m_body(new QWidget(parent)),
        m_column(new QVBoxLayout(m_body)),
        m_add(new QPushButton(icon(u"add"_s), tr("Add"), m_body)) {
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(6);
    m_add->setAccessibleName(tr("Add to %1").arg(fieldTitle(field)));
    m_body->setFocusProxy(m_add);
    m_column->addWidget(m_add, 0, Qt::AlignLeft);
    connect(m_add, &QPushButton::clicked, this, &ListEditor::add);
  }
  QWidget* widget() const override { return m_body; }
  QWidget* inputOf(const std::string& path) const override {
    const size_t slash = path.find('/');
    const size_t index = text(path.substr(0, slash)).toUInt();
    if (slash == std::string::npos || index >= m_items.size() || !m_items[index].form)
      return nullptr;
    return m_items[index].form->input(path.substr(slash + 1));
  }

  void show(const Json*) override {
    const Json list = items();
    QStringList types;
    for (const Json& item : list)
      types << typeOf(item);
    if (types != m_types) rebuild(types);
    for (size_t i = 0; i < m_items.size(); ++i)
      showItem(m_items[i], list[i], i);
  }

 private:
  struct Item {
    QWidget* body = nullptr;
    QLabel* title = nullptr;
    QLabel* problem = nullptr;
    // The form is null if the type of the item is unknown.
    FieldForm* form = nullptr;
  };

  bool hasTypes() const { return m_schemas.size() > 1; }
  Json items() const {
    const Json* value = m_access.get(m_field);
    return value && value->is_array() ? *value : Json::array();
  }
  QString typeOf(const Json& item) const {
    if (!hasTypes()) return text(m_schemas[0]->type);
    if (item.is_string()) return text(item.get<std::string>());
    return item.is_object() && item.contains("type") && item["type"].is_string()
               ? text(item["type"].get<std::string>())
               : QString();
  }
  const Schema* schemaOf(const QString& type) const {
    for (const Schema* schema : m_schemas)
      if (text(schema->type) == type) return schema;
    return nullptr;
  }
  FieldSchema fieldOf(size_t index) const {
    FieldSchema item = m_field;
    item.name = m_field.name + "/" + std::to_string(index);
    return item;
  }

  void set(const Json& list) const {
    if (list.empty())
      m_access.reset(m_field);
    else
      m_access.set(m_field, list);
  }

  void add() {
    if (!hasTypes()) return append(*m_schemas[0]);
    auto* menu = new QMenu(m_add);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    for (const Schema* schema : m_schemas) {
      QAction* action = menu->addAction(text(schema->type));
      action->setToolTip(translated(schema->help));
      connect(action, &QAction::triggered, this, [this, schema] { append(*schema); });
    }
    menu->popup(m_add->mapToGlobal(QPoint(0, m_add->height() + 2)));
  }

  void append(const Schema& schema) {
    Json item = Json::object();
    if (hasTypes()) item["type"] = schema.type;
    for (const FieldSchema& field : schema.fields)
      if (field.defaultJson.empty() && !field.exampleJson.empty())
        item[field.name] = Json::parse(field.exampleJson);
    Json list = items();
    list.push_back(std::move(item));
    set(list);
  }

  void move(size_t index, size_t to) {
    Json list = items();
    if (index >= list.size() || to >= list.size()) return;
    std::swap(list[index], list[to]);
    set(list);
  }

  void remove(size_t index) {
    Json list = items();
    if (index >= list.size()) return;
    list.erase(index);
    set(list);
  }

  /// Returns the access for the form of an item, which treats the item as a field.
  FieldForm::Access accessOf(size_t index) const {
    FieldForm::Access access = m_access;
    access.get = [this, index](const FieldSchema&) -> const Json* {
      const Json* list = m_access.get(m_field);
      return list && list->is_array() && index < list->size() ? &(*list)[index] : nullptr;
    };
    access.set = [this, index](const FieldSchema&, const Json& value) {
      Json list = items();
      // A form that is being removed can still commit text, but its item is gone.
      if (m_isRebuilding || index >= list.size()) return;
      list[index] = value;
      set(list);
    };
    return FieldForm::inside(access, fieldOf(index));
  }

  QPushButton* button(const QString& words, const QString& picture, QWidget* parent) {
    auto* made = new QPushButton(parent);
    setRole(made, "link");
    made->setIcon(icon(picture));
    made->setToolTip(words);
    return made;
  }

  void rebuild(const QStringList& types) {
    m_isRebuilding = true;
    for (const Item& item : m_items) {
      item.body->hide();
      item.body->deleteLater();
    }
    m_items.clear();
    m_isRebuilding = false;
    m_types = types;
    for (qsizetype i = 0; i < types.size(); ++i) {
      m_items.push_back(
          makeItem(types[i], static_cast<size_t>(i), static_cast<size_t>(types.size())));
      m_column->insertWidget(static_cast<int>(i), m_items.back().body);
    }
  }

  Item makeItem(const QString& type, size_t index, size_t count) {
    Item item;
    item.body = new QWidget(m_body);
    item.body->setObjectName(text(m_field.name) + u"/%1"_s.arg(index));
    auto* column = new QVBoxLayout(item.body);
    column->setContentsMargins(0, 0, 0, 4);
    column->setSpacing(4);
    auto* head = new QHBoxLayout;
    head->setSpacing(0);
    item.title = new QLabel(item.body);
    setRole(item.title, "section");
    item.title->setTextFormat(Qt::PlainText);
    head->addWidget(item.title, 1);
    if (index > 0) {
      QPushButton* up = button(tr("Move up"), u"up"_s, item.body);
      connect(up, &QPushButton::clicked, this, [this, index] { move(index, index - 1); });
      head->addWidget(up);
    }
    if (index + 1 < count) {
      QPushButton* down = button(tr("Move down"), u"down"_s, item.body);
      connect(down, &QPushButton::clicked, this, [this, index] { move(index, index + 1); });
      head->addWidget(down);
    }
    QPushButton* gone = button(tr("Remove"), u"close"_s, item.body);
    connect(gone, &QPushButton::clicked, this, [this, index] { remove(index); });
    head->addWidget(gone);
    column->addLayout(head);
    item.problem = new QLabel(item.body);
    setRole(item.problem, "problem");
    item.problem->setWordWrap(true);
    column->addWidget(item.problem);
    if (const Schema* schema = schemaOf(type)) {
      item.title->setToolTip(translated(schema->help));
      item.form = new FieldForm(accessOf(index), item.body);
      for (const FieldSchema& field : schema->fields)
        item.form->addField(field);
      column->addWidget(item.form);
    }
    return item;
  }

  void showItem(const Item& item, const Json& value, size_t index) {
    // The title of an item is its type. If the list has no types, the title is the item's name.
    QString name = hasTypes() ? typeOf(value) : QString();
    if (name.isEmpty() && value.is_object() && value.contains("name") && value["name"].is_string())
      name = text(value["name"].get<std::string>());
    const QString title =
        name.isEmpty() ? u"%1."_s.arg(index + 1) : u"%1. %2"_s.arg(index + 1).arg(name);
    item.title->setText(title);
    for (QPushButton* each :
         item.body->findChildren<QPushButton*>(QString(), Qt::FindDirectChildrenOnly))
      each->setAccessibleName(tr("%1: %2").arg(title, each->toolTip()));
    const QString why = m_access.problem ? m_access.problem(fieldOf(index).name) : QString();
    item.problem->setText(why);
    item.problem->setVisible(!why.isEmpty());
    if (item.form) item.form->refresh();
  }

  const FieldForm::Access m_access;
  const std::span<const Schema* const> m_schemas;
  QWidget* m_body;
  QVBoxLayout* m_column;
  QPushButton* m_add;
  QStringList m_types;
  std::vector<Item> m_items;
  bool m_isRebuilding = false;
};

}  // namespace

FieldEditor* makeListEditor(const FieldSchema& field, const FieldForm::Access& access,
                            QWidget* parent) {
  return new ListEditor(field, access, parent);
}

}  // namespace strata::ui

#include "list_editor.moc"
