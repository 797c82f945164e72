// SPDX-License-Identifier: Apache-2.0
// The fields a user can set, described once for forms, the JSON reader, validation, help and
// `strata layers --json`. Used by layers, losses, optimizers, schedules, metrics, transforms and
// data sources. Thread: constant after start.
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
  // A list of integers; -1 where the range of the field allows it
  Shape,
  IntegerList,
  NumberList,
  StringList,
  // An integer or a list; `count` integers where that is not 0
  IntegerOrList,
  // Cells before and after along `count` axes: 1, [1, 2] (one number per axis, or before and after
  // of a single axis) or [[1, 2], [0, 1]]
  Margins,
  // A string or an object with `type` from `registry` ("activation", "initializer", ...); an object
  // only where the registry has one schema
  Object,
  // A list of layers, checked where networks are read
  Layers,
  // A list of objects of the registry, checked where they are read; without "type" where the
  // registry has one schema
  Objects,
};
// "integer", ...
std::string_view fieldTypeName(FieldType type);
/// Whether a String is a path of a file or folder, relative to the project file.
enum class PathKind : uint8_t { None, File, Folder };

struct Schema;
/// Returns the schemas that an object in a field may have.
using SchemaList = std::span<const Schema* const> (*)();

struct FieldSchema {
  std::string name = {};
  FieldType type = FieldType::Integer;
  // Empty: the field is required
  std::string defaultJson = {};
  // The value of a new layer, if it is not the default
  std::string exampleJson = {};
  std::optional<double> minimum = {}, maximum = {};
  bool isMinimumExclusive = false;
  bool isMaximumExclusive = false;
  bool isNullable = false;
  // A run applies a new value during training
  bool isLive = false;
  // Hidden in forms: only the default is supported, or the field is edited elsewhere
  bool hasOneValue = false;
  // Values of a Choice; words allowed instead of an Integer; the types allowed for an Object, if
  // not all of its registry
  std::vector<std::string> choices = {};
  // The kind of its objects or names: "activation", "loss". For a String or StringList: what
  // projectNames() lists.
  std::string registry = {};
  // Schemas of an Object or of Objects; for a Number: objects allowed instead of the number.
  SchemaList objects = nullptr;
  // Number of elements of IntegerOrList and Margins; 1 for a StringList: a string counts as a list
  // of one
  int count = 0;
  // Whether a NumberList may contain nested lists of equal length
  bool isNested = false;
  // Whether an IntegerOrList may contain null, stored as -1: the size of the input
  bool hasNullItems = false;
  std::string unit = {};
  Text help = {};
  // "Kernel size"
  Text title = {};
  PathKind path = PathKind::None;
};

/// The schemas of a field with objects, whatever its choices; empty for other fields.
inline std::span<const Schema* const> objectsOf(const FieldSchema& field) {
  return field.objects ? field.objects() : std::span<const Schema* const>();
}
/// The same, limited to its choices where it lists some.
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
  // A paper or specification
  std::string source = {};
  std::vector<FieldSchema> fields = {};
  const FieldSchema* field(std::string_view name) const;
};

/// The schemas of a list of definitions.
template <class Def>
std::vector<const Schema*> schemasOf(std::span<const Def* const> definitions) {
  std::vector<const Schema*> result;
  for (const Def* definition : definitions)
    result.push_back(&definition->schema);
  return result;
}

/// Checks the object's types, ranges and choices against the schema and returns its fields with
/// defaults filled in. Unknown keys are warnings with the nearest known name. `where`: JSON pointer
/// of the object; `layer`: its name in diagnostics. The result has every field that is valid or has
/// a default; a field of type Object becomes a checked object with "type" and all its fields, or
/// null. `alsoKnown`: other keys that are valid, such as "type", "name" and "inputs".
Json checkFields(const Schema& schema, const Json& object, const std::string& where,
                 const std::string& layer, Diagnostics& diagnostics,
                 const std::vector<std::string>& alsoKnown = {"type", "name", "inputs"});
/// Checks one value of a field. Null where it is wrong (and reported), or where it is an allowed
/// null.
Json checkField(const FieldSchema& field, const Json& value, const std::string& where,
                const std::string& layer, Diagnostics& diagnostics);
/// Checks a string or an object with `type` from `schemas`. Returns the object with "type" and all
/// fields, or null where it is wrong. `what` is the word in messages: "loss", "optimizer",
/// "activation".
Json checkTyped(std::span<const Schema* const> schemas, const std::string& what, const Json& value,
                const std::string& where, const std::string& layer, Diagnostics& diagnostics,
                const std::vector<std::string>& alsoKnown = {"type"});
/// The sizes of nested lists: [[1, 2, 3], [4, 5, 6]] -> {2, 3}, a number {}. Empty where the
/// lengths differ.
std::optional<std::vector<int64_t>> sizesOfLists(const Json& value);
/// Escapes a key for a JSON pointer.
std::string escapedKey(const std::string& key);
Json schemaToJson(const Schema& schema);
}  // namespace strata
