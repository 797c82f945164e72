// SPDX-License-Identifier: Apache-2.0
// Layers into a Block and out of it again. Both write the list of layers anew: one operation, so that undo brings back what was there.
#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/project/edit.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

using Names = std::vector<std::string>;

// More rows than a person can read, and a document of megabytes.
constexpr int64_t kMostWrittenOut = 1000;

std::string stringOf(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

/// Requires: /model/layers is a list.
const Json& layersOf(const Json& document) {
  if (!document.is_object() || !document.contains("model") || !document["model"].is_object() || !document["model"].contains("layers") ||
      !document["model"]["layers"].is_array())
    throw Error(ErrorCode::InvalidArgument, "model", "there are no layers.");
  return document["model"]["layers"];
}

size_t indexOf(const Json& layers, const std::string& name) {
  for (size_t i = 0; i < layers.size(); ++i)
    if (stringOf(layers[i], "name") == name) return i;
  throw Error(ErrorCode::InvalidArgument, name, "there is no layer of this name.");
}

/// With "the layer before" written out.
Names inputsOf(const Json& layers, size_t i) {
  Names names;
  if (layers[i].is_object() && layers[i].contains("inputs")) {
    if (layers[i]["inputs"].is_array())
      for (const Json& input : layers[i]["inputs"])
        if (input.is_string()) names.push_back(input.get<std::string>());
  } else if (i > 0 && stringOf(layers[i], "type") != "Input") {
    names.push_back(stringOf(layers[i - 1], "name"));
  }
  return names;
}

std::string freshName(std::set<std::string>& taken, const std::string& stem) {
  std::string name = stem;
  for (int number = 2; !taken.insert(name).second; ++number) name = stem + "_" + std::to_string(number);
  return name;
}

std::set<std::string> namesOf(const Json& layers) {
  std::set<std::string> names;
  for (const Json& layer : layers) names.insert(stringOf(layer, "name"));
  return names;
}

void renameInputs(Json& layer, const std::map<std::string, std::string>& names) {
  if (!layer.is_object() || !layer.contains("inputs") || !layer["inputs"].is_array()) return;
  for (Json& input : layer["inputs"])
    if (input.is_string())
      if (const auto found = names.find(input.get<std::string>()); found != names.end()) input = found->second;
}

ProjectEdit writeLayers(Text name, std::vector<std::string> arguments, const Json& layers, Names select) {
  return {name, std::move(arguments), {{EditOperation::Kind::Set, "/model/layers", layers.dump(), 0}}, std::move(select)};
}

[[noreturn]] void refuse(const std::string& layer, const std::string& why) { throw Error(ErrorCode::InvalidArgument, layer, why); }

}  // namespace

ProjectEdit groupLayersEdit(const Json& document, const std::vector<std::string>& names) {
  const Json& layers = layersOf(document);
  if (names.empty()) refuse("", "no layers are selected. Select layers that follow each other.");
  std::set<size_t> chosen;
  for (const auto& name : names) chosen.insert(indexOf(layers, name));
  const size_t first = *chosen.begin(), last = *chosen.rbegin();
  if (last - first + 1 != chosen.size())
    refuse(names.front(), "the layers do not follow each other in the list (expected a run of layers). Move them together.");
  const std::string firstName = stringOf(layers[first], "name"), lastName = stringOf(layers[last], "name");
  std::set<std::string> inside;
  for (size_t i = first; i <= last; ++i) {
    if (stringOf(layers[i], "type") == "Input") refuse(stringOf(layers[i], "name"), "an Input cannot be in a Block. Leave it out.");
    inside.insert(stringOf(layers[i], "name"));
  }
  for (size_t i = 0; i < layers.size(); ++i) {
    const bool isInside = chosen.contains(i);
    for (const std::string& input : inputsOf(layers, i)) {
      if (isInside && i != first && !inside.contains(input))
        refuse(stringOf(layers[i], "name"), "it takes \"" + input +
                                                "\" from outside, and only the first layer of a Block takes what goes into it. "
                                                "Select that layer, too.");
      if (isInside && i == first && inside.contains(input)) refuse(firstName, "it takes a layer that would be in the Block with it.");
      if (!isInside && inside.contains(input) && input != lastName)
        refuse(input,
               "\"" + stringOf(layers[i], "name") + "\" takes it, and only the last layer of a Block gives its output. Select more.");
    }
  }

  std::set<std::string> taken = namesOf(layers);
  const std::string name = freshName(taken, "block");
  Json block = {{"type", "Block"}, {"name", name}};
  if (layers[first].contains("inputs")) block["inputs"] = layers[first]["inputs"];
  block["repeat"] = 1;
  block["layers"] = Json::array();
  Json next = Json::array();
  for (size_t i = 0; i < layers.size(); ++i) {
    if (i == first) next.push_back(nullptr);
    Json layer = layers[i];
    if (!chosen.contains(i)) {
      renameInputs(layer, {{lastName, name}});
      next.push_back(std::move(layer));
      continue;
    }
    if (i == first) layer.erase("inputs");
    block["layers"].push_back(std::move(layer));
  }
  next[first] = std::move(block);
  return writeLayers(STRATA_TEXT("edit", "Group into %1"), {name}, next, {name});
}

ProjectEdit ungroupBlockEdit(const Json& document, const std::string& name) {
  const Json& layers = layersOf(document);
  const size_t place = indexOf(layers, name);
  const Json& block = layers[place];
  if (stringOf(block, "type") != "Block" || !block.contains("layers") || !block["layers"].is_array() || block["layers"].empty())
    refuse(name, "it is no Block with layers in it.");
  const Json& inner = block["layers"];
  const int64_t repeat = block.contains("repeat") && block["repeat"].is_number_integer() ? block["repeat"].get<int64_t>() : 1;
  if (repeat < 1 || repeat > kMostWrittenOut || repeat * static_cast<int64_t>(inner.size()) > kMostWrittenOut)
    refuse(name, "written out it would be more than " + std::to_string(kMostWrittenOut) + " layers. Repeat it less.");
  const bool isFrozen = block.contains("trainable") && block["trainable"] == false;
  const bool hasFactor = block.contains("learning_rate_factor") && block["learning_rate_factor"].is_number();
  const double factor = hasFactor ? block["learning_rate_factor"].get<double>() : 1;

  std::set<std::string> taken = namesOf(layers);
  taken.erase(name);
  Json next = Json::array();
  Names select;
  std::string end;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (i != place) {
      next.push_back(layers[i]);
      continue;
    }
    for (int64_t time = 0; time < repeat; ++time) {
      std::map<std::string, std::string> renamed;
      for (const Json& layer : inner) {
        const std::string own = stringOf(layer, "name");
        renamed[own] = freshName(taken, repeat == 1 ? own : own + "_" + std::to_string(time + 1));
      }
      for (size_t k = 0; k < inner.size(); ++k) {
        Json layer = inner[k];
        if (layer.is_object()) {
          layer["name"] = renamed.at(stringOf(inner[k], "name"));
          renameInputs(layer, renamed);
          if (time == 0 && k == 0 && block.contains("inputs")) layer["inputs"] = block["inputs"];
          if (isFrozen) layer["trainable"] = false;
          if (factor != 1) {
            const auto own = layer.find("learning_rate_factor");
            layer["learning_rate_factor"] = factor * (own != layer.end() && own->is_number() ? own->get<double>() : 1.0);
          }
        }
        end = stringOf(layer, "name");
        select.push_back(end);
        next.push_back(std::move(layer));
      }
    }
  }
  for (size_t i = 0; i < next.size(); ++i) {
    const bool wasInside = i >= place && i < place + select.size();
    if (!wasInside || i == place) renameInputs(next[i], {{name, end}});
  }
  return writeLayers(STRATA_TEXT("edit", "Ungroup %1"), {name}, next, std::move(select));
}

}  // namespace strata
