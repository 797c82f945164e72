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

std::vector<std::string> plain(const QStringList& names) {
  std::vector<std::string> out;
  for (const QString& name : names) out.push_back(name.toStdString());
  return out;
}

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

std::string layerPointer(int row) { return "/model/layers/" + std::to_string(row); }

/// Core finds a layer by its name; where two have it, the edit of the first becomes one of the layer at `row`.
ProjectEdit atRow(const Document& document, int row, const QString& layer, ProjectEdit edit) {
  const int first = document.layerIndex(layer);
  if (row < 0 || row == first || row >= document.layers().size() || document.layers()[row].name != layer) return edit;
  const std::string from = layerPointer(first) + "/", to = layerPointer(row) + "/";
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

EditSequence::EditSequence(const Document& document) : m_json(std::make_unique<Json>(document.json())) {}
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
  return attempt(document, [&] { return addLayerEdit(document.json(), type.toStdString(), index); });
}

int indexAfterSelection(const Document& document) {
  const QStringList selected = inOrder(document, document.selection());
  return selected.isEmpty() ? static_cast<int>(document.layers().size()) : document.layerIndex(selected.last()) + 1;
}

bool submitRemove(Document& document, const QStringList& layers) {
  const QStringList doomed = inOrder(document, layers);
  if (doomed.isEmpty()) return false;
  const int first = document.layerIndex(doomed.first());
  return attempt(document, [&] {
    ProjectEdit edit = removeLayersEdit(document.json(), plain(doomed));
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
  return attempt(document, [&] { return renameLayerEdit(document.json(), layer.toStdString(), name.toStdString()); });
}

bool submitRenameAt(Document& document, int row, const QString& layer, const QString& name) {
  if (row < 0 || row >= document.layers().size() || document.layers()[row].name != layer) return false;
  if (document.layerIndex(layer) == row) return submitRename(document, layer, name);
  return attempt(document, [&] {
    // What core says of the name holds here, too; the inputs that name it mean the first one.
    ProjectEdit edit = renameLayerEdit(document.json(), layer.toStdString(), name.toStdString());
    edit.operations = {{EditOperation::Kind::Set, layerPointer(row) + "/name", Json(name.toStdString()).dump(), 0}};
    return edit;
  });
}

bool submitConnect(Document& document, const QString& layer, const std::vector<std::string>& inputs, int row) {
  return attempt(document, [&] { return atRow(document, row, layer, connectEdit(document.json(), layer.toStdString(), inputs)); });
}

bool submitField(Document& document, const QString& layer, const std::string& field, const Json& value, int row) {
  return attempt(document, [&] {
    ProjectEdit edit = atRow(document, row, layer, setFieldEdit(document.json(), layer.toStdString(), field, value));
    edit.name = STRATA_TEXT("strata::ui::edits", "Change %1 of %2");
    edit.arguments = {inSentence(layerFieldTitle(document, layer, field, row)), layer.toStdString()};
    return edit;
  });
}

bool submitResetField(Document& document, const QString& layer, const std::string& field, int row) {
  return attempt(document, [&] {
    ProjectEdit edit = atRow(document, row, layer, resetFieldEdit(document.json(), layer.toStdString(), field));
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
  const QStringList originals = inOrder(document, layers);
  if (originals.isEmpty()) return false;
  return attempt(document, [&] {
    EditSequence sequence(document);
    std::vector<std::string> made;
    int index = document.layerIndex(originals.last()) + 1;
    for (const QString& original : originals) {
      const Json source =
          sequence.document().at("model").at("layers").at(static_cast<size_t>(positionOf(sequence.document(), original.toStdString())));
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
    return sequence.finish(STRATA_TEXT("strata::ui::edits", "Duplicate %1"), {originals.join(QStringLiteral(", ")).toStdString()}, made);
  });
}

bool submitMove(Document& document, const QStringList& layers, int index) {
  const QStringList moved = inOrder(document, layers);
  if (moved.isEmpty()) return false;
  const auto leaving = std::count_if(moved.begin(), moved.end(), [&](const QString& layer) { return document.layerIndex(layer) < index; });
  const int target = index - static_cast<int>(leaving);
  bool isSame = true;
  for (int i = 0; i < moved.size(); ++i) isSame = isSame && document.layerIndex(moved[i]) == target + i;
  if (isSame) return false;
  return attempt(document, [&] {
    if (moved.size() == 1) return moveLayerEdit(document.json(), moved.first().toStdString(), target);
    EditSequence sequence(document);
    // Downwards the last goes first, so that the ones that wait keep their places.
    const bool isDown = document.layerIndex(moved.first()) < target;
    for (qsizetype i = 0; i < moved.size(); ++i) {
      const qsizetype k = isDown ? moved.size() - 1 - i : i;
      sequence.add(moveLayerEdit(sequence.document(), moved[k].toStdString(), target + static_cast<int>(k)));
    }
    return sequence.finish(STRATA_TEXT("strata::ui::edits", "Move %1"), {moved.join(QStringLiteral(", ")).toStdString()}, plain(moved));
  });
}

bool submitShift(Document& document, const QStringList& layers, int by) {
  const QStringList moved = inOrder(document, layers);
  if (moved.isEmpty()) return false;
  const int first = document.layerIndex(moved.first()), last = document.layerIndex(moved.last());
  if (by < 0) return first > 0 && submitMove(document, moved, first - 1);
  return last + 1 < document.layers().size() && submitMove(document, moved, last + 2);
}

}  // namespace strata::ui
