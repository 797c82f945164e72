// SPDX-License-Identifier: Apache-2.0
// What a person may set, described once: forms, the JSON reader, validation, help and `strata
// layers --json` are made from it. Used by layers, losses, optimizers, schedules, metrics,
// transforms and data sources. Thread: constant after start.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/diagnostic.h"
#include "core/project/json.h"
#include "gpu/base/nearest_name.h"

namespace strata {

enum class FieldType : uint8_t {
  Integer,
  Number,
  Boolean,
  String,
  // One of `choices`
  Choice,
  // An integer or [h, w]
  IntegerPair,
  // List of integers (-1 where the schema's range allows it)
  Shape,
  IntegerList,
  NumberList,
  StringList,
  // An integer or a list; `count` integers where that is not 0
  IntegerOrList,
  // Cells before and after along `count` axes: 1, [1, 2] (one number an axis; of one axis: before
  // and after) or [[1, 2], [0, 1]]
  Margins,
  // A string or an object with `type` from the registry named in `registry`: "activation",
  // "initializer", ...; of a registry with one schema an object alone
  Object,
  // List of layers, checked where networks are read
  Layers,
  // List of objects of the registry, checked where they are read; those of a registry with one
  // schema have no "type"
  Objects,
};
// "integer", ...
std::string_view fieldTypeName(FieldType type);
/// What the text of a String names on disk, relative to the project file.
enum class PathKind : uint8_t { None, File, Folder };

struct Schema;
/// What an object of a field may be.
using SchemaList = std::span<const Schema* const> (*)();

struct FieldSchema {
  std::string name = {};
  FieldType type = FieldType::Integer;
  // "" : required
  std::string defaultJson = {};
  // What a new layer starts with where that is not the default
  std::string exampleJson = {};
  std::optional<double> minimum = {}, maximum = {};
  bool isMinimumExclusive = false;
  bool isMaximumExclusive = false;
  bool isNullable = false;
  // A run takes a new number over while it trains
  bool isLive = false;
  // Its default is the only choice in this version, or it is edited elsewhere: forms leave it out
  bool hasOneValue = false;
  // Of a Choice; of an Integer: words that may stand in its place; of an Object: those of its
  // registry that it takes, if not all
  std::vector<std::string> choices = {};
  // What its objects, or the names in it, are called: "activation", "loss". Of a String and a
  // StringList, what projectNames() lists.
  std::string registry = {};
  // Of an Object and of Objects; of a Number: an object of these stands in the number's place as
  // well.
  SchemaList objects = nullptr;
  // Of IntegerOrList and Margins; of StringList 1: a string is a list of one
  int count = 0;
  // Of NumberList: lists of one length may stand in it, to any depth
  bool isNested = false;
  // Of IntegerOrList: null in the list is kept as -1, what the input has
  bool hasNullItems = false;
  std::string unit = {};
  Text help = {};
  // "Kernel size"
  Text title = {};
  PathKind path = PathKind::None;
};

/// What a field that holds an object takes, its choices left aside; empty for other fields.
inline std::span<const Schema* const> objectsOf(const FieldSchema& field) {
  return field.objects ? field.objects() : std::span<const Schema* const>();
}
/// The same, of them only its choices where it lists some.
std::vector<const Schema*> schemasOf(const FieldSchema& field);

struct Schema {
  // "Conv2D", "adam", ...
  std::string type = {};
  // "Convolution", ...
  std::string group = {};
  // One line
  Text help = {};
  // Plain text
  std::string formula = {};
  // Paper or specification
  std::string source = {};
  std::vector<FieldSchema> fields = {};
  const FieldSchema* field(std::string_view name) const;
};

/// Of definitions that have a schema each.
template <class Def>
std::vector<const Schema*> schemasOf(std::span<const Def* const> definitions) {
  std::vector<const Schema*> result;
  for (const Def* definition : definitions)
    result.push_back(&definition->schema);
  return result;
}

/// The object's fields with defaults filled in, checked against the schema: types, ranges, choices;
/// unknown keys are warnings with the nearest known name. `where`: JSON pointer of the object;
/// `layer`: for the diagnostics. The answer holds every schema field that is valid or defaulted; a
/// field of type Object comes back as a checked object with "type" and all its fields, or null.
/// `alsoKnown`: further keys that are not reported and may be meant ("type", "name", "inputs").
Json checkFields(const Schema& schema, const Json& object, const std::string& where,
                 const std::string& layer, Diagnostics& diagnostics,
                 const std::vector<std::string>& alsoKnown = {"type", "name", "inputs"});
/// One value of one field; null where it is wrong (and reported) or null is allowed and given.
Json checkField(const FieldSchema& field, const Json& value, const std::string& where,
                const std::string& layer, Diagnostics& diagnostics);
/// A string or an object with `type` from `schemas`: the checked object with "type" and all fields,
/// null where it is wrong. `what` is the word for people: "loss", "optimizer", "activation".
Json checkTyped(std::span<const Schema* const> schemas, const std::string& what, const Json& value,
                const std::string& where, const std::string& layer, Diagnostics& diagnostics,
                const std::vector<std::string>& alsoKnown = {"type"});
/// Of lists in each other: [[1, 2, 3], [4, 5, 6]] -> {2, 3}, a number {}; none where they are not
/// of one length.
std::optional<std::vector<int64_t>> sizesOfLists(const Json& value);
/// A key as a part of a JSON pointer.
std::string escapedKey(const std::string& key);
Json schemaToJson(const Schema& schema);
}  // namespace strata
