// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/project_access.h"

#include <QFileInfo>
#include <nlohmann/json.hpp>

#include "core/layers/objects.h"
#include "core/recipe/options.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/document/field_text.h"
#include "ui/format.h"

namespace strata::ui {

namespace {

const Json* valueIn(const Document* document, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  return document && document->json().contains(place) ? &document->json().at(place) : nullptr;
}

/// Returns the title of the field that changed, for the undo step. If only one inner field changed,
/// returns the title of that field. A new object type or list length changes the whole field.
QString changedTitle(const FieldSchema& field, const Json& before, const Json& now) {
  QString title;
  if (before.is_array() && now.is_array() && before.size() == now.size()) {
    for (size_t i = 0; i < now.size(); ++i) {
      if (before[i] == now[i]) continue;
      if (!title.isEmpty()) return fieldTitle(field);
      title = changedTitle(field, before[i], now[i]);
    }
    return title.isEmpty() ? fieldTitle(field) : title;
  }
  const Json old = before.is_string() ? Json{{"type", before}} : before;
  if (!now.is_object() || !old.is_object() ||
      old.value("type", Json()) != now.value("type", Json()))
    return fieldTitle(field);
  const auto schemas = objectsOf(field);
  for (const Schema* schema : schemas) {
    if (schemas.size() > 1 && Json(schema->type) != now.value("type", Json())) continue;
    for (const FieldSchema& inner : schema->fields) {
      if (now.value(inner.name, Json()) == old.value(inner.name, Json())) continue;
      if (!title.isEmpty()) return fieldTitle(field);
      title = fieldTitle(inner);
    }
  }
  return title.isEmpty() ? fieldTitle(field) : title;
}

}  // namespace

void keepRefusals(FieldForm::Access& access, std::function<Document*()> document,
                  const LayerPath& layer) {
  access.refuse = [document, layer](const std::string& path, const QString& title,
                                    const QString& words, const QString& why) {
    if (Document* const open = document()) open->refuse({layer, path, title, words, why});
  };
  access.accept = [document, layer](const std::string& path) {
    if (Document* const open = document()) open->accept(layer, path);
  };
  access.refused = [document, layer](const std::string& path) -> const RefusedValue* {
    const Document* const open = document();
    return open ? open->refusedValues().find(layer, path) : nullptr;
  };
}

FieldForm::Access projectAccess(std::function<Document*()> document) {
  FieldForm::Access access;
  access.get = [document](const FieldSchema& field) {
    return valueIn(document(), field.name);
  };
  access.set = [document](const FieldSchema& field, const Json& value) {
    Document* const open = document();
    if (!open) return;
    const Json* before = valueIn(open, field.name);
    submitValue(*open, field.name, value, changedTitle(field, before ? *before : Json(), value));
  };
  access.reset = [document](const FieldSchema& field) {
    if (Document* const open = document()) submitResetValue(*open, field.name, fieldTitle(field));
  };
  access.problem = [document](const std::string& path) {
    if (const Document* const open = document())
      for (const Diagnostic& diagnostic : open->checks().inspection().diagnostics)
        if (diagnostic.layer.empty() && diagnostic.field == path) return translated(diagnostic);
    return QString();
  };
  access.fixes = [document](const std::string& path) {
    if (const Document* const open = document())
      for (const Diagnostic& diagnostic : open->checks().inspection().diagnostics)
        if (diagnostic.layer.empty() && diagnostic.field == path) return diagnostic.fixes;
    return std::vector<Fix>();
  };
  access.apply = [document](const ProjectEdit& edit) {
    if (Document* const open = document()) open->submit(edit);
  };
  keepRefusals(access, document, {});
  access.folder = [document] {
    const Document* const open = document();
    return !open || open->path().isEmpty() ? QString() : QFileInfo(open->path()).absolutePath();
  };
  access.names = [document](const std::string& registry) {
    const Document* const open = document();
    return open ? projectNames(open->project(), registry) : std::vector<std::string>();
  };
  return access;
}

FieldSchema fieldAt(const Schema& schema, const char* name, const char* place) {
  FieldSchema made = *schema.field(name);
  made.name = place + made.name;
  return made;
}

}  // namespace strata::ui
