// SPDX-License-Identifier: Apache-2.0
// Describes the fields that a user can set, once for forms, the JSON reader, validation, help and
// `strata layers --json`. Layers, losses, optimizers, schedules, metrics, transforms and data
// sources use these schemas.
// Not here: fields that several layers share (core/layers/fields.h).
// Thread: schemas are constant, so any thread may use them.
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
  // A list of integers; -1 is allowed if the range of the field includes it
  Shape,
  IntegerList,
  NumberList,
  StringList,
  // An integer or a list of integers; the list has `count` elements unless `count` is 0
  IntegerOrList,
  // Numbers of elements before and after each of `count` axes, such as 1 or [[1, 2], [0, 1]].
  // [1, 2] has one number per axis; for a single axis, it is the number before and after.
  Margins,
  // A string, or an object with a `type` from `registry` ("activation", "initializer", ...). If the
  // registry has one schema, it must be an object.
  Object,
  // A list of layers. checkField() checks only that it is a list; ModelReader checks the layers.
  Layers,
  // A list of objects from `registry`. checkField() does not check it; the reader of the list does.
  // The objects have no "type" if the registry has one schema.
  Objects,
};
/// Returns the name of the type, such as "integer".
std::string_view fieldTypeName(FieldType type);
/// Whether a String is the path of a file or folder, relative to the project file.
enum class PathKind : uint8_t { None, File, Folder };

struct Schema;
/// A function that returns the schemas that an object in a field may have.
using SchemaList = std::span<const Schema* const> (*)();

struct FieldSchema {
  std::string name = {};
  FieldType type = FieldType::Integer;
  // Default value as JSON; "" if the field is required
  std::string defaultJson = {};
  // Value of the field in a new layer as JSON, if it differs from the default
  std::string exampleJson = {};
  std::optional<double> minimum = {}, maximum = {};
  bool isMinimumExclusive = false;
  bool isMaximumExclusive = false;
  bool isNullable = false;
  // Whether a run can apply a new value during training
  bool isLive = false;
  // Whether forms hide the field, because it supports only its default or is edited elsewhere
  bool hasOneValue = false;
  // Choice: its values. Integer: words that are allowed instead of a number. Object: the allowed
  // types, or empty if its whole registry is allowed.
  std::vector<std::string> choices = {};
  // The kind of objects, such as "activation" or "loss". For a String or StringList, the kind of
  // names that projectNames() lists.
  std::string registry = {};
  // Schemas of an Object or of Objects. For a Number, schemas of objects that are allowed instead
  // of a number.
  SchemaList objects = nullptr;
  // Number of elements of IntegerOrList and Margins. 1 for a StringList that also accepts a string.
  int count = 0;
  // Whether a NumberList may contain nested lists of equal length
  bool isNested = false;
  // Whether an IntegerOrList may contain null, which means the size of the input and is stored as
  // -1
  bool hasNullItems = false;
  std::string unit = {};
  Text help = {};
  // Label in forms, such as "Kernel size"
  Text title = {};
  PathKind path = PathKind::None;
};

/// Returns all schemas of a field with objects, even if its choices exclude some of them. Returns
/// an empty list for other fields.
inline std::span<const Schema* const> objectsOf(const FieldSchema& field) {
  return field.objects ? field.objects() : std::span<const Schema* const>();
}
/// Returns the schemas of a field that its choices allow, or all its schemas if it has no choices.
std::vector<const Schema*> schemasOf(const FieldSchema& field);

struct Schema {
  // Name of the type, such as "Conv2D" or "adam"
  std::string type = {};
  // Group in palettes and listings, such as "Convolution"
  std::string group = {};
  // One line of text
  Text help = {};
  // Formula as plain text
  std::string formula = {};
  // The paper or specification that defines the type
  std::string source = {};
  std::vector<FieldSchema> fields = {};
  const FieldSchema* field(std::string_view name) const;
};

/// Returns the schemas of a list of definitions.
template <class Def>
std::vector<const Schema*> schemasOf(std::span<const Def* const> definitions) {
  std::vector<const Schema*> result;
  for (const Def* definition : definitions)
    result.push_back(&definition->schema);
  return result;
}

/// Checks the object's types, ranges and choices against the schema, and returns its fields with
/// defaults filled in. The result has every field that is valid or has a default. A field of type
/// Object becomes a checked object with "type" and all its fields, or null. Unknown keys are
/// reported as warnings with the nearest known name.
/// `where` is the JSON pointer of the object, `layer` its name in diagnostics. `alsoKnown` lists
/// further valid keys.
Json checkFields(const Schema& schema, const Json& object, const std::string& where,
                 const std::string& layer, Diagnostics& diagnostics,
                 const std::vector<std::string>& alsoKnown = {"type", "name", "inputs"});
/// Checks the value of one field. Returns null if the value is wrong, after reporting it, or if the
/// value is an allowed null.
Json checkField(const FieldSchema& field, const Json& value, const std::string& where,
                const std::string& layer, Diagnostics& diagnostics);
/// Checks a string, or an object with a "type" from `schemas`. Returns the object with "type" and
/// all fields, or null if the value is wrong. `what` is the word for the object in messages, such
/// as "loss".
Json checkTyped(std::span<const Schema* const> schemas, const std::string& what, const Json& value,
                const std::string& where, const std::string& layer, Diagnostics& diagnostics,
                const std::vector<std::string>& alsoKnown = {"type"});
/// Returns the sizes of nested lists: {2, 3} for [[1, 2, 3], [4, 5, 6]], {} for a number. Returns
/// nullopt if the lengths of the lists differ.
std::optional<std::vector<int64_t>> sizesOfLists(const Json& value);
/// Escapes a key for a JSON pointer.
std::string escapedKey(const std::string& key);
Json schemaToJson(const Schema& schema);
}  // namespace strata
