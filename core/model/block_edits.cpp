// SPDX-License-Identifier: Apache-2.0
// Groups layers into a Block and ungroups them. Both edits replace the whole list in one operation,
// so that undo restores it exactly.
#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/model/layer_edits.h"
#include "core/model/layer_rows.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

using Names = std::vector<std::string>;

// A longer list would be unreadable and make the document several megabytes large.
constexpr int64_t kMaxUngrouped = 1000;

void renameInputs(Json& layer, const std::map<std::string, std::string>& names) {
  if (!layer.is_object() || !layer.contains("inputs") || !layer["inputs"].is_array()) return;
  for (Json& input : layer["inputs"])
    if (input.is_string()) {
      const InputRef ref = inputRefOf(input.get<std::string>());
      if (const auto found = names.find(ref.layer); found != names.end())
        input = InputRef{found->second, ref.output}.text();
    }
}

ProjectEdit writeLayers(Text name, Arguments arguments, const Json& layers, const LayerList& list,
                        Names select) {
  for (std::string& layer : select)
    layer.insert(0, list.prefix);
  return {name,
          std::move(arguments),
          {{EditOperation::Kind::Set, list.pointer, layers.dump(), 0}},
          std::move(select)};
}

[[noreturn]] void refuse(const std::string& layer, const std::string& why) {
  throw Error(ErrorCode::InvalidArgument, layer, why);
}

}  // namespace

ProjectEdit groupLayersEdit(const Json& document, const std::vector<LayerRef>& layers,
                            const LayerList& list) {
  const LayerRows table(document, list);
  const std::vector<LayerRow>& rows = table.rows();
  if (layers.empty()) refuse("", "no layers are selected. Select adjacent layers.");
  std::set<int> chosen;
  for (const LayerRef& layer : layers)
    chosen.insert(static_cast<int>(table.placeOf(layer)));
  const int first = *chosen.begin(), last = *chosen.rbegin();
  const std::string &firstName = rows[static_cast<size_t>(first)].name,
                    &lastName = rows[static_cast<size_t>(last)].name;
  if (last - first + 1 != static_cast<int>(chosen.size()))
    refuse(
        firstName,
        "the layers are not adjacent in the list (expected adjacent layers). Move them together.");
  for (const LayerRow& row : rows) {
    const bool isInside = chosen.contains(row.id);
    if (isInside && row.isInput())
      refuse(row.name, "a Block cannot contain an Input. Deselect it.");
    for (const LayerSource& input : row.inputs) {
      const bool isFromInside = chosen.contains(input.id);
      if (isInside && row.id != first && !isFromInside)
        refuse(row.name, "it takes \"" + input.name +
                             "\" from outside, but only the first layer of a Block can take the "
                             "input of the Block. Select that layer, too.");
      if (row.id == first && isFromInside)
        refuse(firstName,
               "its input would be a later layer of the same Block. Change its inputs first.");
      if (!isInside && isFromInside && input.output > 0)
        refuse(input.name, "\"" + row.name + "\" takes " + input.text() +
                               ", but a Block has only one output. Select that layer, too.");
      if (!isInside && isFromInside && input.id != last)
        refuse(input.name, "\"" + row.name +
                               "\" uses it, but only the last layer of a Block gives the output of "
                               "the Block. Select more layers.");
    }
  }

  const std::string name = table.freshName("block");
  Json block = {{"type", "Block"}, {"name", name}};
  if (const Json& top = table.json()[static_cast<size_t>(first)]; top.contains("inputs"))
    block["inputs"] = top["inputs"];
  block["repeat"] = 1;
  block["layers"] = Json::array();
  Json next = Json::array();
  for (const LayerRow& row : rows) {
    Json layer = table.json()[static_cast<size_t>(row.id)];
    if (row.id == first) {
      if (layer.is_object()) layer.erase("inputs");
      next.push_back(nullptr);
    }
    if (chosen.contains(row.id)) {
      block["layers"].push_back(std::move(layer));
      continue;
    }
    if (table.placeOf(LayerRef(lastName)) == static_cast<size_t>(last))
      renameInputs(layer, {{lastName, name}});
    next.push_back(std::move(layer));
  }
  next[static_cast<size_t>(first)] = std::move(block);
  return writeLayers(STRATA_TEXT("edit", "Group into %1"), {name}, next, list, {name});
}

ProjectEdit ungroupBlockEdit(const Json& document, const LayerRef& layer, const LayerList& list) {
  const LayerRows table(document, list);
  const size_t place = table.placeOf(layer);
  const std::string& name = table.rows()[place].name;
  const Json& block = table.json()[place];
  if (stringIn(block, "type") != "Block" || !block.contains("layers") ||
      !block["layers"].is_array() || block["layers"].empty())
    refuse(name, "it is not a Block, or it is empty.");
  const Json& inner = block["layers"];
  const int64_t repeat = block.contains("repeat") && block["repeat"].is_number_integer()
                             ? block["repeat"].get<int64_t>()
                             : 1;
  if (repeat < 1 || repeat > kMaxUngrouped ||
      repeat * static_cast<int64_t>(inner.size()) > kMaxUngrouped)
    refuse(name, "ungrouped, it would have more than " + std::to_string(kMaxUngrouped) +
                     " layers. Reduce repeat.");
  const bool isFrozen = block.contains("trainable") && block["trainable"] == false;
  const bool hasFactor =
      block.contains("learning_rate_factor") && block["learning_rate_factor"].is_number();
  const double factor = hasFactor ? block["learning_rate_factor"].get<double>() : 1;

  std::set<std::string> taken;
  for (const LayerRow& row : table.rows())
    if (row.id != static_cast<int>(place)) taken.insert(row.name);
  Json written = Json::array();
  Names select;
  for (int64_t time = 0; time < repeat; ++time) {
    // If several layers have the same name, the name refers to the first of these layers.
    std::map<std::string, std::string> renamed;
    Names names;
    for (const Json& each : inner) {
      const std::string own = stringIn(each, "name");
      names.push_back(
          takeFreshName(taken, repeat == 1 ? own : own + "_" + std::to_string(time + 1)));
      renamed.emplace(own, names.back());
    }
    for (size_t k = 0; k < inner.size(); ++k) {
      Json each = inner[k];
      if (each.is_object()) {
        each["name"] = names[k];
        // In the first repeat, the first layer takes the input of the Block. In later repeats, it
        // takes the output of the layer before it.
        if (k == 0)
          each.erase("inputs");
        else
          renameInputs(each, renamed);
        if (time == 0 && k == 0 && block.contains("inputs")) each["inputs"] = block["inputs"];
        if (isFrozen) each["trainable"] = false;
        if (factor != 1) {
          const auto own = each.find("learning_rate_factor");
          each["learning_rate_factor"] =
              factor * (own != each.end() && own->is_number() ? own->get<double>() : 1.0);
        }
      }
      select.push_back(stringIn(each, "name"));
      written.push_back(std::move(each));
    }
  }
  const std::string end = select.back();
  Json next = Json::array();
  for (size_t i = 0; i < table.rows().size(); ++i) {
    if (i == place) {
      for (Json& each : written)
        next.push_back(std::move(each));
      continue;
    }
    next.push_back(table.json()[i]);
    if (table.placeOf(LayerRef(name)) == place) renameInputs(next.back(), {{name, end}});
  }
  return writeLayers(STRATA_TEXT("edit", "Ungroup %1"), {name}, next, list, std::move(select));
}

}  // namespace strata
