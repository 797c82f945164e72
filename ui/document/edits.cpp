// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/edits.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "ui/document/document.h"
#include "ui/document/field_text.h"
#include "ui/format.h"

namespace strata::ui {

namespace {

/// In the order of the network, and only those that are there.
QStringList inOrder(const Document& document, QStringList layers) {
  layers.removeIf([&](const QString& layer) { return document.layerIndex(layer) < 0; });
  std::sort(layers.begin(), layers.end(),
            [&](const QString& a, const QString& b) { return document.layerIndex(a) < document.layerIndex(b); });
  return layers;
}

/// Runs what builds and submits an edit; a refusal is told as the document tells its own.
template <class Make>
bool attempt(Document& document, Make make) {
  try {
    return document.submit(make());
  } catch (const Error& error) {
    Q_EMIT document.editRefused(text(error.line()));
    return false;
  }
}

/// "Batch size" as it stands within a sentence: "batch size". "L2 weight" stays.
std::string inSentence(QString title) {
  if (title.size() > 1 && title[1].isLower()) title[0] = title[0].toLower();
  return title.toStdString();
}

QString titleOf(const std::string& field) {
  FieldSchema schema;
  schema.name = field;
  return fieldTitle(schema);
}

QString layerFieldTitle(const Document& document, const QString& layer, const std::string& field, int row) {
  const int index = row >= 0 ? row : document.layerIndex(layer);
  if (const LayerDef* definition = index < 0 ? nullptr : findLayer(document.layers()[index].type.toStdString())) {
    for (const FieldSchema& each : definition->schema.fields)
      if (each.name == field) return fieldTitle(each);
  }
  return titleOf(field);
}

/// Layers that stand in one list: the network's, or a Block's. Core's edits know the network; those of a Block are made on a document whose network it is.
struct LayerScope {
  std::string list = "/model/layers";  // JSON pointer
  std::string prefix;                  // of the rows' names
  std::shared_ptr<const Json> own;     // null: the document itself

  const Json& view(const Document& document) const { return own ? *own : document.json(); }
  /// An edit of view() as one of the document.
  ProjectEdit lift(ProjectEdit edit) const {
    if (!own) return edit;
    const std::string network = "/model/layers";
    for (EditOperation& operation : edit.operations) operation.pointer.replace(0, network.size(), list);
    for (std::string& layer : edit.layers) layer.insert(0, prefix);
    return edit;
  }
};

LayerScope scopeOf(const Document& document, const std::string& list, const std::string& prefix) {
  LayerScope scope;
  if (list == scope.list) return scope;
  scope.list = list;
  scope.prefix = prefix;
  scope.own = std::make_shared<const Json>(Json{{"model", {{"layers", document.json().at(Json::json_pointer(list))}}}});
  return scope;
}

LayerScope scopeOf(const Document& document, int row) {
  if (row < 0 || row >= document.layers().size()) return {};
  const LayerEntry& entry = document.layers()[row];
  return scopeOf(document, entry.list, entry.name.chopped(entry.label.size()).toStdString());
}

/// The layer's scope and its name there.
std::pair<LayerScope, std::string> inScope(const Document& document, const QString& layer, int row = -1) {
  const int index = row >= 0 ? row : document.layerIndex(layer);
  if (index < 0) return {LayerScope(), layer.toStdString()};
  return {scopeOf(document, index), document.layers()[index].label.toStdString()};
}

/// Of the given layers, in order, those that stand beside the first.
QStringList besideFirst(const Document& document, QStringList layers) {
  if (layers.isEmpty()) return layers;
  const std::string list = document.layers()[document.layerIndex(layers.first())].list;
  layers.removeIf([&](const QString& layer) { return document.layers()[document.layerIndex(layer)].list != list; });
  return layers;
}

const LayerEntry& entryOf(const Document& document, const QString& layer) { return document.layers()[document.layerIndex(layer)]; }

std::vector<std::string> labels(const Document& document, const QStringList& layers) {
  std::vector<std::string> names;
  for (const QString& layer : layers) names.push_back(entryOf(document, layer).label.toStdString());
  return names;
}

/// The position in its list of what is put before `row`. Where the end of a Block and what follows it meet, the selected layer decides.
std::pair<LayerScope, int> placeBefore(const Document& document, int row) {
  const auto& rows = document.layers();
  const int selected = document.selectedIndex();
  if (selected >= 0 && selected < row) {
    int end = selected + 1;
    while (end < rows.size() && rows[end].depth > rows[selected].depth) ++end;
    if (end == row) return {scopeOf(document, selected), rows[selected].places.back() + 1};
  }
  if (row >= 0 && row < rows.size()) return {scopeOf(document, row), rows[row].places.back()};
  int count = 0;
  for (const LayerEntry& entry : rows) count += entry.depth == 0;
  return {LayerScope(), count};
}

/// How many layers of a list stand above `row`.
int positionIn(const Document& document, const std::string& list, int row) {
  int count = 0;
  for (int i = 0; i < row && i < document.layers().size(); ++i) count += document.layers()[i].list == list;
  return count;
}

/// Core finds a layer by its name; where two have it, the edit of the first becomes one of the layer at `row`.
ProjectEdit atRow(const Document& document, int row, const QString& layer, ProjectEdit edit) {
  const int first = document.layerIndex(layer);
  if (row < 0 || row == first || first < 0 || row >= document.layers().size() || document.layers()[row].name != layer) return edit;
  const std::string from = document.layers()[first].pointer() + "/", to = document.layers()[row].pointer() + "/";
  for (EditOperation& operation : edit.operations) {
    if (operation.pointer.starts_with(from)) operation.pointer.replace(0, from.size(), to);
  }
  return edit;
}

int positionOf(const Json& document, const std::string& layer) {
  const Json& layers = document.at("model").at("layers");
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].is_object() && layers[i].value("name", std::string()) == layer) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

EditSequence::EditSequence(const Document& document) : EditSequence(document.json()) {}
EditSequence::EditSequence(const Json& json) : m_json(std::make_unique<Json>(json)) {}
EditSequence::~EditSequence() = default;

void EditSequence::add(const ProjectEdit& edit) {
  applyEdit(*m_json, edit);
  m_edit.operations.insert(m_edit.operations.end(), edit.operations.begin(), edit.operations.end());
}

ProjectEdit EditSequence::finish(const Text& name, std::vector<std::string> arguments, std::vector<std::string> select) {
  m_edit.name = name;
  m_edit.arguments = std::move(arguments);
  m_edit.layers = std::move(select);
  return std::move(m_edit);
}

bool submitAdd(Document& document, const QString& type, int index) {
  return attempt(document, [&] {
    const auto [scope, position] = placeBefore(document, index);
    return scope.lift(addLayerEdit(scope.view(document), type.toStdString(), position));
  });
}

int indexAfterSelection(const Document& document) {
  const QStringList selected = inOrder(document, document.selection());
  const auto& rows = document.layers();
  if (selected.isEmpty()) return static_cast<int>(rows.size());
  const int last = document.layerIndex(selected.last());
  int end = last + 1;  // behind all that is in it
  while (end < rows.size() && rows[end].depth > rows[last].depth) ++end;
  return end;
}

bool submitRemove(Document& document, const QStringList& layers) {
  const QStringList doomed = besideFirst(document, inOrder(document, layers));
  if (doomed.isEmpty()) return false;
  const int first = document.layerIndex(doomed.first());
  return attempt(document, [&] {
    const LayerScope scope = scopeOf(document, first);
    ProjectEdit edit = scope.lift(removeLayersEdit(scope.view(document), labels(document, doomed)));
    // The row that takes the place of the removed ones is selected, as in any list.
    if (edit.layers.empty()) {
      const auto& rows = document.layers();
      const auto stays = [&](int i) { return !doomed.contains(rows[i].name); };
      int next = first;
      while (next < rows.size() && !stays(next)) ++next;
      if (next == rows.size()) next = first - 1;
      if (next >= 0) edit.layers = {rows[next].name.toStdString()};
    }
    return edit;
  });
}

bool submitRename(Document& document, const QString& layer, const QString& name) {
  return attempt(document, [&] {
    const auto [scope, own] = inScope(document, layer);
    return scope.lift(renameLayerEdit(scope.view(document), own, name.toStdString()));
  });
}

bool submitRenameAt(Document& document, int row, const QString& layer, const QString& name) {
  if (row < 0 || row >= document.layers().size() || document.layers()[row].name != layer) return false;
  if (document.layerIndex(layer) == row) return submitRename(document, layer, name);
  return attempt(document, [&] {
    // What core says of the name holds here, too; the inputs that name it mean the first one.
    const auto [scope, own] = inScope(document, layer);
    ProjectEdit edit = scope.lift(renameLayerEdit(scope.view(document), own, name.toStdString()));
    edit.operations = {{EditOperation::Kind::Set, document.layers()[row].pointer() + "/name", Json(name.toStdString()).dump(), 0}};
    return edit;
  });
}

bool submitConnect(Document& document, const QString& layer, const std::vector<std::string>& inputs, int row) {
  return attempt(document, [&] {
    const auto [scope, own] = inScope(document, layer);
    return atRow(document, row, layer, scope.lift(connectEdit(scope.view(document), own, inputs)));
  });
}

bool submitField(Document& document, const QString& layer, const std::string& field, const Json& value, int row) {
  return attempt(document, [&] {
    const auto [scope, own] = inScope(document, layer);
    ProjectEdit edit = atRow(document, row, layer, scope.lift(setFieldEdit(scope.view(document), own, field, value)));
    edit.name = STRATA_TEXT("strata::ui::edits", "Change %1 of %2");
    edit.arguments = {inSentence(layerFieldTitle(document, layer, field, row)), layer.toStdString()};
    return edit;
  });
}

bool submitResetField(Document& document, const QString& layer, const std::string& field, int row) {
  return attempt(document, [&] {
    const auto [scope, own] = inScope(document, layer);
    ProjectEdit edit = atRow(document, row, layer, scope.lift(resetFieldEdit(scope.view(document), own, field)));
    edit.arguments = {inSentence(layerFieldTitle(document, layer, field, row)), layer.toStdString()};
    return edit;
  });
}

bool submitValue(Document& document, const std::string& pointer, const Json& value, const QString& title) {
  return attempt(document, [&] {
    ProjectEdit edit = setValueEdit(document.json(), pointer, value);
    edit.name = STRATA_TEXT("strata::ui::edits", "Change %1");
    edit.arguments = {inSentence(title.isEmpty() ? titleOf(pointer.substr(pointer.rfind('/') + 1)) : title)};
    return edit;
  });
}

bool submitResetValue(Document& document, const std::string& pointer, const QString& title) {
  return attempt(document, [&] {
    ProjectEdit edit;
    edit.name = STRATA_TEXT("strata::ui::edits", "Reset %1");
    edit.arguments = {inSentence(title)};
    edit.operations = {{EditOperation::Kind::Remove, pointer, {}, 0}};
    return edit;
  });
}

bool submitDuplicate(Document& document, const QStringList& layers) {
  const QStringList originals = besideFirst(document, inOrder(document, layers));
  if (originals.isEmpty()) return false;
  return attempt(document, [&] {
    const LayerScope scope = scopeOf(document, document.layerIndex(originals.first()));
    EditSequence sequence(scope.view(document));
    std::vector<std::string> made;
    int index = entryOf(document, originals.last()).places.back() + 1;
    for (const std::string& original : labels(document, originals)) {
      const Json source = sequence.document().at("model").at("layers").at(static_cast<size_t>(positionOf(sequence.document(), original)));
      const ProjectEdit add = addLayerEdit(sequence.document(), source.at("type").get<std::string>(), index);
      sequence.add(add);
      const Json fresh = sequence.document().at("model").at("layers").at(static_cast<size_t>(index));
      const std::string name = fresh.at("name").get<std::string>();
      // Every field of the original, but its own name and place in the network.
      for (const auto& [key, value] : source.items()) {
        if (key == "name" || key == "type" || key == "inputs") continue;
        sequence.add(setFieldEdit(sequence.document(), name, key, value));
      }
      for (const auto& [key, value] : fresh.items()) {
        if (!source.contains(key) && key != "inputs") sequence.add(resetFieldEdit(sequence.document(), name, key));
      }
      made.push_back(name);
      ++index;
    }
    return scope.lift(
        sequence.finish(STRATA_TEXT("strata::ui::edits", "Duplicate %1"), {originals.join(QStringLiteral(", ")).toStdString()}, made));
  });
}

namespace {

/// `position`: the one before which they shall stand in their list, counted before they leave.
bool moveTo(Document& document, const QStringList& moved, int position) {
  const auto placeOf = [&](const QString& layer) { return entryOf(document, layer).places.back(); };
  const auto leaving = std::count_if(moved.begin(), moved.end(), [&](const QString& layer) { return placeOf(layer) < position; });
  const int target = position - static_cast<int>(leaving);
  bool isSame = true;
  for (int i = 0; i < moved.size(); ++i) isSame = isSame && placeOf(moved[i]) == target + i;
  if (isSame) return false;
  return attempt(document, [&] {
    const LayerScope scope = scopeOf(document, document.layerIndex(moved.first()));
    const std::vector<std::string> names = labels(document, moved);
    if (names.size() == 1) return scope.lift(moveLayerEdit(scope.view(document), names.front(), target));
    EditSequence sequence(scope.view(document));
    // Downwards the last goes first, so that the ones that wait keep their places.
    const bool isDown = placeOf(moved.first()) < target;
    for (size_t i = 0; i < names.size(); ++i) {
      const size_t k = isDown ? names.size() - 1 - i : i;
      sequence.add(moveLayerEdit(sequence.document(), names[k], target + static_cast<int>(k)));
    }
    return scope.lift(
        sequence.finish(STRATA_TEXT("strata::ui::edits", "Move %1"), {moved.join(QStringLiteral(", ")).toStdString()}, names));
  });
}

}  // namespace

bool submitMove(Document& document, const QStringList& layers, int index) {
  const QStringList moved = besideFirst(document, inOrder(document, layers));
  return !moved.isEmpty() && moveTo(document, moved, positionIn(document, entryOf(document, moved.first()).list, index));
}

bool submitShift(Document& document, const QStringList& layers, int by) {
  const QStringList moved = besideFirst(document, inOrder(document, layers));
  if (moved.isEmpty()) return false;
  const LayerEntry &first = entryOf(document, moved.first()), &last = entryOf(document, moved.last());
  if (by < 0) return first.places.back() > 0 && moveTo(document, moved, first.places.back() - 1);
  const int count = positionIn(document, first.list, static_cast<int>(document.layers().size()));
  return last.places.back() + 1 < count && moveTo(document, moved, last.places.back() + 2);
}

bool submitGroup(Document& document, const QStringList& layers) {
  const QStringList grouped = besideFirst(document, inOrder(document, layers));
  if (grouped.isEmpty()) return false;
  return attempt(document, [&] {
    const LayerScope scope = scopeOf(document, document.layerIndex(grouped.first()));
    return scope.lift(groupLayersEdit(scope.view(document), labels(document, grouped)));
  });
}

bool submitUngroup(Document& document, const QString& block) {
  if (document.layerIndex(block) < 0) return false;
  return attempt(document, [&] {
    const auto [scope, own] = inScope(document, block);
    return scope.lift(ungroupBlockEdit(scope.view(document), own));
  });
}

}  // namespace strata::ui
