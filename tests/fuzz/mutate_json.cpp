// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "tests/fuzz/mutate.h"

namespace strata::fuzz {

namespace {

using Places = std::vector<Json*>;

void collect(Json& json, Places& places) {
  places.push_back(&json);
  if (json.is_structured())
    for (Json& item : json)
      collect(item, places);
}

/// Collects the values of a key at any depth.
void collectOf(const Json& json, const std::string& key, std::vector<const Json*>& values) {
  if (!json.is_structured()) return;
  if (json.is_object())
    if (const auto found = json.find(key); found != json.end()) values.push_back(&*found);
  for (const Json& item : json)
    collectOf(item, key, values);
}

Json nested(RandomStream& random) {
  Json json = 1;
  for (uint32_t depth = 1 + random.below(2 * kMaxJsonDepth); depth > 0; --depth)
    json =
        random.below(2) == 0 ? Json::array({std::move(json)}) : Json{{"layers", std::move(json)}};
  return json;
}

Json oddValue(RandomStream& random) {
  static const std::vector<Json> values = {nullptr,
                                           true,
                                           false,
                                           0,
                                           -1,
                                           1,
                                           2,
                                           7,
                                           255,
                                           65536,
                                           1000000,
                                           1000000000,
                                           4294967296,
                                           INT64_MIN,
                                           INT64_MAX,
                                           UINT64_MAX,
                                           0.5,
                                           -2.5,
                                           1e300,
                                           -1e300,
                                           1e-300,
                                           "",
                                           "0",
                                           "nan",
                                           "relu",
                                           "a/b",
                                           "../../x",
                                           "\xe2\x82\xac\n\x1b",
                                           Json::array(),
                                           Json::object(),
                                           Json::array({1, 2, 3}),
                                           Json::array({-1, 0}),
                                           Json::array({nullptr}),
                                           Json{{"type", 3}},
                                           Json{{"type", "Dense"}},
                                           Json::array({Json::array({1, 2}), 3}),
                                           std::string(5000, 'x')};
  return values[random.below(static_cast<uint32_t>(values.size()))];
}

/// Renames a member without changing its position.
void renameMember(Json& object, const std::string& key, RandomStream& random) {
  static const std::vector<std::string> keys{"type",  "name",  "inputs", "",      "version",
                                             "shape", "units", "layers", "a/b~1", "x"};
  const std::string& name = keys[random.below(static_cast<uint32_t>(keys.size()))];
  Json copy = Json::object();
  for (const auto& [each, value] : object.items())
    copy[each == key ? name : each] = value;
  object = std::move(copy);
}

void change(Json& document, const Json& other, RandomStream& random) {
  Places places;
  collect(document, places);
  const auto any = [&](const Places& list) -> Json& {
    return *list[random.below(static_cast<uint32_t>(list.size()))];
  };
  Json& place = any(places);
  const auto childOf = [&](const Json& parent) {
    return random.below(static_cast<uint32_t>(parent.size()));
  };
  const bool hasChildren = place.is_structured() && !place.empty();
  switch (random.below(10)) {
    case 0:
    case 1: place = oddValue(random); break;
    case 2:
      if (hasChildren && place.is_object())
        place.erase(std::next(place.begin(), childOf(place)).key());
      else if (hasChildren)
        place.erase(childOf(place));
      break;
    case 3:
      if (hasChildren && place.is_array()) {
        const Json item = place[childOf(place)];
        for (uint32_t times = 1u << (random.below(6) == 0 ? random.below(11) : 0); times > 0;
             --times)
          place.push_back(item);
      }
      break;
    case 4: {
      const Json copy = any(places);
      place = copy;
      break;
    }
    case 5: {
      Json copy = other;
      Places ofOther;
      collect(copy, ofOther);
      const Json taken = any(ofOther);
      place = taken;
      break;
    }
    case 6: place = nested(random); break;
    case 7:
      // Replaces a value by another value of the same key, for example a shape by a shape.
      if (hasChildren && place.is_object()) {
        const auto member = std::next(place.begin(), childOf(place));
        std::vector<const Json*> values;
        collectOf(other, member.key(), values);
        if (!values.empty())
          member.value() = *values[random.below(static_cast<uint32_t>(values.size()))];
      }
      break;
    case 8:
      if (hasChildren && place.is_object())
        renameMember(place, std::next(place.begin(), childOf(place)).key(), random);
      break;
    default:
      if (place.is_object()) place[random.below(2) == 0 ? "unknown" : "type"] = oddValue(random);
      if (place.is_number()) place = place.get<double>() * 1e6;
      break;
  }
}

/// Returns the parsed document, or null if the text is not JSON. Each text is parsed only once,
/// because seeds are used often.
const Json* documentOf(const std::string& text) {
  static std::map<std::string, Json> known;
  const auto found = known.find(text);
  if (found != known.end()) return found->second.is_discarded() ? nullptr : &found->second;
  if (known.size() > 1000) known.clear();
  const Json& made = known.emplace(text, Json::parse(text, nullptr, false)).first->second;
  return made.is_discarded() ? nullptr : &made;
}

}  // namespace

std::string mutateJson(const std::string& text, const std::string& other, RandomStream& random) {
  const Json* const seed = documentOf(text);
  if (!seed) return mutateText(text, other, random);
  Json document = *seed;
  const Json* const found = documentOf(other);
  const Json second = found ? *found : document;
  for (uint32_t times = 1 + random.below(3); times > 0; --times)
    change(document, second, random);
  std::string result = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  return random.below(8) == 0 ? mutateText(std::move(result), other, random) : result;
}

}  // namespace strata::fuzz
