// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/edits.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "core/model/layer_edits.h"
#include "ui/document/document.h"
#include "ui/document/field_text.h"
#include "ui/format.h"

namespace strata::ui {

namespace {

/// Submits the edit that `make` returns. If `make` throws an Error or the document refuses the
/// edit, editRefused() gives the reason.
template <class Make>
bool attempt(Document& document, Make make) {
  try {
    return document.submit(make());
  }
  catch (const Error& error) {
    Q_EMIT document.editRefused(text(error.line()));
    return false;
  }
}

/// Changes a title for use inside a sentence: "Batch size" becomes "batch size". "L2 weight" stays
/// unchanged.
std::string inSentence(QString title) {
  if (title.size() > 1 && title[1].isLower()) title[0] = title[0].toLower();
  return title.toStdString();
}

QString titleOf(const std::string& field) {
  FieldSchema schema;
  schema.name = field;
  return fieldTitle(schema);
}

QString layerFieldTitle(const Document& document, const LayerPath& layer,
                        const std::string& field) {
  const int index = document.layers().indexOf(layer);
  const LayerDef* definition =
      index < 0 ? nullptr : findLayer(document.layers()[index].type.toStdString());
  if (definition) {
    for (const FieldSchema& each : definition->schema.fields)
      if (each.name == field) return fieldTitle(each);
  }
  return titleOf(field);
}

LayerList listOf(const LayerEntry& entry) { return entry.path.list(); }

/// Returns the layer's reference and list in the form that core's edits use.
std::pair<LayerRef, LayerList> inList(const Document& document, const LayerPath& layer) {
  const int index = document.layers().indexOf(layer);
  if (index < 0) return {layer.text(), {}};
  return {document.layers()[index].place(), listOf(document.layers()[index])};
}

/// Returns the first row after a layer and its contents.
int endOfRow(const Document& document, int row) {
  const auto& rows = document.layers();
  int end = row + 1;
  while (end < rows.size() && rows[end].depth > rows[row].depth)
    ++end;
  return end;
}

/// Returns the rows of these layers in order, without duplicates. Omits layers inside a listed
/// Block.
QList<int> outermost(const Document& document, const QList<LayerPath>& layers) {
  QList<int> rows;
  for (const LayerPath& layer : layers)
    if (const int row = document.layers().indexOf(layer); row >= 0) rows << row;
  std::sort(rows.begin(), rows.end());
  QList<int> kept;
  int end = 0;
  for (const int row : rows) {
    if (row < end || row >= document.layers().size()) continue;
    kept << row;
    end = endOfRow(document, row);
  }
  return kept;
}

bool refuse(Document& document, const Text& why) {
  Q_EMIT document.editRefused(translated(why, {}));
  return false;
}

/// Returns whether the layers are in one list. If not, reports a refusal.
bool areInOneList(Document& document, const QList<int>& rows) {
  const auto& layers = document.layers();
  if (std::all_of(rows.begin(), rows.end(),
                  [&](int row) { return layers[row].list == layers[rows.first()].list; }))
    return true;
  return refuse(document, STRATA_TEXT("strata::ui::edits",
                                      "The selected layers are not all in the same place. Select "
                                      "only layers of the network, or only layers of one Block."));
}

std::vector<LayerRef> placesOf(const Document& document, const QList<int>& rows) {
  std::vector<LayerRef> places;
  for (const int row : rows)
    places.emplace_back(document.layers()[row].place());
  return places;
}

std::string namesOf(const Document& document, const QList<int>& rows) {
  QStringList names;
  for (const int row : rows)
    names << document.layers()[row].name;
  return names.join(QStringLiteral(", ")).toStdString();
}

/// Selects layers by place, because names may not be unique.
void selectPlaces(Document& document, const std::string& list, int first, int count) {
  QList<LayerPath> paths;
  for (const LayerEntry& entry : document.layers()) {
    const bool isOne =
        entry.list == list && entry.place() >= first && entry.place() < first + count;
    if (isOne) paths << entry.path;
  }
  if (!paths.isEmpty()) document.select(paths);
}

/// Returns the list and the position for an insertion before `row`. At the end of a Block, the
/// selected layer decides between the Block and the surrounding list. An empty Block that is
/// selected receives the insertion.
std::pair<LayerList, int> placeBefore(const Document& document, int row) {
  const auto& rows = document.layers();
  const int selected = document.layers().indexOf(document.selectedLayers().value(0));
  if (selected >= 0 && selected < row && endOfRow(document, selected) == row) {
    const LayerEntry& entry = rows[selected];
    const Json& layer = document.json().at(Json::json_pointer(entry.pointer()));
    if (entry.type == QStringLiteral("Block") &&
        (!layer.contains("layers") || layer["layers"] == Json::array()))
      return {{entry.pointer() + "/layers", entry.name.toStdString() + "/"}, 0};
    return {listOf(entry), entry.place() + 1};
  }
  if (row >= 0 && row < rows.size()) return {listOf(rows[row]), rows[row].place()};
  int count = 0;
  for (const LayerEntry& entry : rows)
    count += entry.depth == 0;
  return {LayerList(), count};
}

/// Returns the number of rows above `row` that belong to this list.
int positionIn(const Document& document, const std::string& list, int row) {
  int count = 0;
  for (int i = 0; i < row && i < document.layers().size(); ++i)
    count += document.layers()[i].list == list;
  return count;
}

}  // namespace

EditSequence::EditSequence(const Document& document) : EditSequence(document.json()) {}
EditSequence::EditSequence(const Json& json) : m_json(std::make_unique<Json>(json)) {}
EditSequence::~EditSequence() = default;

void EditSequence::add(const ProjectEdit& edit) {
  applyEdit(*m_json, edit);
  m_edit.operations.insert(m_edit.operations.end(), edit.operations.begin(), edit.operations.end());
}

ProjectEdit EditSequence::finish(const Text& name, Arguments arguments,
                                 std::vector<std::string> select) {
  m_edit.name = name;
  m_edit.arguments = std::move(arguments);
  m_edit.layers = std::move(select);
  return std::move(m_edit);
}

QList<LayerPath> pathsOf(const Document& document, const QStringList& layers) {
  QList<LayerPath> paths;
  for (const QString& layer : layers)
    if (const LayerPath path = document.layers().pathOf(layer); path.hasPlaces()) paths << path;
  return paths;
}

bool submitAdd(Document& document, const QString& type, int index) {
  return attempt(document, [&] {
    const auto [list, position] = placeBefore(document, index);
    return addLayerEdit(document.json(), type.toStdString(), position, list);
  });
}

int indexAfterSelection(const Document& document) {
  const QList<int> selected = outermost(document, document.selectedLayers());
  if (selected.isEmpty()) return static_cast<int>(document.layers().size());
  return endOfRow(document, selected.last());
}

bool submitRemove(Document& document, const QList<LayerPath>& layers) {
  const QList<int> removed = outermost(document, layers);
  if (removed.isEmpty()) return false;
  const LayerEntry first = document.layers()[removed.first()];
  const bool isRemoved = attempt(document, [&] {
    std::map<std::string, QList<int>> byList;
    for (const int row : removed)
      byList[document.layers()[row].list] << row;
    if (byList.size() == 1)
      return removeLayersEdit(document.json(), placesOf(document, removed), listOf(first));
    // Deeper lists go first, so that the places in the other lists stay valid.
    std::vector<QList<int>> lists;
    for (auto& [list, own] : byList)
      lists.push_back(own);
    const auto depth = [&](const QList<int>& own) {
      return document.layers()[own.first()].depth;
    };
    std::stable_sort(lists.begin(), lists.end(),
                     [&](const auto& a, const auto& b) { return depth(a) > depth(b); });
    EditSequence sequence(document);
    for (const QList<int>& own : lists)
      sequence.add(removeLayersEdit(sequence.document(), placesOf(document, own),
                                    listOf(document.layers()[own.first()])));
    return sequence.finish(STRATA_TEXT("edit", "Remove %1 layers"),
                           {std::to_string(removed.size())}, {});
  });
  if (!isRemoved) return false;
  // Select the layer that is now at the place of the first removed layer, or the Block if it is
  // empty.
  int left = 0;
  for (const LayerEntry& entry : document.layers())
    left += entry.list == first.list;
  if (left > 0)
    selectPlaces(document, first.list, std::min(first.place(), left - 1), 1);
  else if (first.depth > 0)
    document.setSelection({first.name.chopped(first.label.size() + 1)});
  return true;
}

bool submitRename(Document& document, const LayerPath& layer, const QString& name) {
  return attempt(document, [&] {
    const auto [ref, list] = inList(document, layer);
    return renameLayerEdit(document.json(), ref, name.toStdString(), list);
  });
}

bool submitConnect(Document& document, const LayerPath& layer,
                   const std::vector<std::string>& inputs) {
  return attempt(document, [&] {
    const auto [ref, list] = inList(document, layer);
    return connectEdit(document.json(), ref, inputs, list);
  });
}

bool submitField(Document& document, const LayerPath& layer, const std::string& field,
                 const Json& value) {
  return attempt(document, [&] {
    const auto [ref, list] = inList(document, layer);
    ProjectEdit edit = setFieldEdit(document.json(), ref, field, value, list);
    edit.name = STRATA_TEXT("strata::ui::edits", "Change %1 of %2");
    edit.arguments = {inSentence(layerFieldTitle(document, layer, field)), layer.text()};
    return edit;
  });
}

bool submitResetField(Document& document, const LayerPath& layer, const std::string& field) {
  return attempt(document, [&] {
    const auto [ref, list] = inList(document, layer);
    ProjectEdit edit = resetFieldEdit(document.json(), ref, field, list);
    edit.arguments = {inSentence(layerFieldTitle(document, layer, field)), layer.text()};
    return edit;
  });
}

bool submitRename(Document& document, const QString& layer, const QString& name) {
  return submitRename(document, document.layers().pathOf(layer), name);
}

bool submitConnect(Document& document, const QString& layer,
                   const std::vector<std::string>& inputs) {
  return submitConnect(document, document.layers().pathOf(layer), inputs);
}

bool submitField(Document& document, const QString& layer, const std::string& field,
                 const Json& value) {
  return submitField(document, document.layers().pathOf(layer), field, value);
}

bool submitResetField(Document& document, const QString& layer, const std::string& field) {
  return submitResetField(document, document.layers().pathOf(layer), field);
}

bool submitValue(Document& document, const std::string& pointer, const Json& value,
                 const QString& title) {
  return attempt(document, [&] {
    ProjectEdit edit = setValueEdit(document.json(), pointer, value);
    edit.name = STRATA_TEXT("strata::ui::edits", "Change %1");
    edit.arguments = {
        inSentence(title.isEmpty() ? titleOf(pointer.substr(pointer.rfind('/') + 1)) : title)};
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

bool submitDuplicate(Document& document, const QList<LayerPath>& layers) {
  const QList<int> originals = outermost(document, layers);
  if (originals.isEmpty() || !areInOneList(document, originals)) return false;
  return attempt(document, [&] {
    const LayerList list = listOf(document.layers()[originals.first()]);
    const Json::json_pointer place(list.pointer);
    EditSequence sequence(document);
    std::vector<std::string> made;
    int index = document.layers()[originals.last()].place() + 1;
    for (const int row : originals) {
      const LayerEntry& entry = document.layers()[row];
      const Json source = sequence.document().at(place).at(static_cast<size_t>(entry.place()));
      if (!source.is_object())
        throw Error(ErrorCode::InvalidArgument, entry.name.toStdString(),
                    "this entry is not a layer (expected an object). Correct it.");
      sequence.add(addLayerEdit(sequence.document(), entry.type.toStdString(), index, list));
      const Json fresh = sequence.document().at(place).at(static_cast<size_t>(index));
      // Copy every field except the name, the type and the inputs.
      for (const auto& [key, value] : source.items()) {
        if (key == "name" || key == "type" || key == "inputs") continue;
        sequence.add(setFieldEdit(sequence.document(), index, key, value, list));
      }
      for (const auto& [key, value] : fresh.items()) {
        if (!source.contains(key) && key != "inputs")
          sequence.add(resetFieldEdit(sequence.document(), index, key, list));
      }
      made.push_back(list.prefix + fresh.at("name").get<std::string>());
      ++index;
    }
    return sequence.finish(STRATA_TEXT("strata::ui::edits", "Duplicate %1"),
                           {namesOf(document, originals)}, made);
  });
}

namespace {

/// Moves layers within their list. They are placed before the layer that is at `position` before
/// the move.
bool moveTo(Document& document, const QList<int>& moved, int position) {
  std::vector<int> places;
  for (const int row : moved)
    places.push_back(document.layers()[row].place());
  const auto leaving =
      std::count_if(places.begin(), places.end(), [&](int place) { return place < position; });
  const int target = position - static_cast<int>(leaving);
  bool isSame = true;
  for (size_t i = 0; i < places.size(); ++i)
    isSame = isSame && places[i] == target + static_cast<int>(i);
  if (isSame) return false;
  const LayerList list = listOf(document.layers()[moved.first()]);
  const bool isMoved = attempt(document, [&] {
    if (places.size() == 1) return moveLayerEdit(document.json(), places.front(), target, list);
    EditSequence sequence(document);
    // If the layers move down, the last one moves first, so that the places of the others stay
    // valid.
    const bool isDown = places.front() < target;
    for (size_t i = 0; i < places.size(); ++i) {
      const size_t k = isDown ? places.size() - 1 - i : i;
      sequence.add(
          moveLayerEdit(sequence.document(), places[k], target + static_cast<int>(k), list));
    }
    std::vector<std::string> names;
    for (const int row : moved)
      names.push_back(document.layers()[row].name.toStdString());
    return sequence.finish(STRATA_TEXT("strata::ui::edits", "Move %1"), {namesOf(document, moved)},
                           names);
  });
  if (isMoved) selectPlaces(document, list.pointer, target, static_cast<int>(places.size()));
  return isMoved;
}

/// Returns whether the gap above `row` is next to a layer of the entry's list.
bool isGapOf(const Document& document, const LayerEntry& entry, int row) {
  const auto& rows = document.layers();
  if (row < rows.size() && rows[row].list == entry.list) return true;
  if (row <= 0 || row > rows.size() || (row < rows.size() && rows[row].depth >= entry.depth))
    return false;
  // The gap is at the end of the list if the row above belongs to the list or to a list nested in
  // it.
  const std::string& above = rows[row - 1].list;
  return above == entry.list || above.starts_with(entry.list + "/");
}

}  // namespace

bool submitMove(Document& document, const QList<LayerPath>& layers, int index) {
  const QList<int> moved = outermost(document, layers);
  if (moved.isEmpty() || !areInOneList(document, moved)) return false;
  const LayerEntry& first = document.layers()[moved.first()];
  if (!isGapOf(document, first, index))
    return refuse(document, STRATA_TEXT("strata::ui::edits",
                                        "Layers can move only within the network or within their "
                                        "Block. To move them out, ungroup the Block."));
  return moveTo(document, moved, positionIn(document, first.list, index));
}

bool submitShift(Document& document, const QList<LayerPath>& layers, int by) {
  const QList<int> moved = outermost(document, layers);
  if (moved.isEmpty() || !areInOneList(document, moved)) return false;
  const LayerEntry &first = document.layers()[moved.first()],
                   &last = document.layers()[moved.last()];
  if (by < 0) return first.place() > 0 && moveTo(document, moved, first.place() - 1);
  const int count = positionIn(document, first.list, static_cast<int>(document.layers().size()));
  return last.place() + 1 < count && moveTo(document, moved, last.place() + 2);
}

bool submitGroup(Document& document, const QList<LayerPath>& layers) {
  const QList<int> grouped = outermost(document, layers);
  if (grouped.isEmpty() || !areInOneList(document, grouped)) return false;
  return attempt(document, [&] {
    return groupLayersEdit(document.json(), placesOf(document, grouped),
                           listOf(document.layers()[grouped.first()]));
  });
}

bool submitUngroup(Document& document, const LayerPath& block) {
  if (document.layers().indexOf(block) < 0) return false;
  return attempt(document, [&] {
    const auto [ref, list] = inList(document, block);
    return ungroupBlockEdit(document.json(), ref, list);
  });
}

}  // namespace strata::ui
