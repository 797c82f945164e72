// SPDX-License-Identifier: Apache-2.0
// The definition of a data source: its schema, its description without reading samples, and loading
// its samples. Registration: one line in sources.cpp.
// Thread: definitions are constant; describe and load are pure, except for the cache of bundled
// files.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/data/data_needs.h"
#include "core/data/dataset.h"
#include "core/data/selection.h"
#include "core/recipe/outputs.h"

namespace strata {

struct SourceInput {
  // Checked, defaults filled in
  const Json& fields;
  // The object in the project, for values that a schema cannot describe
  const Json& object;
  // Folder of the project file, where relative paths start
  std::string folder;
  // Names of the Input layers; a single "" if the network is not known
  std::vector<std::string> inputs = {};
  // At least one
  std::vector<WantedTarget> targets = {};
  // Outputs whose targets may exist and are ignored
  std::vector<std::string> untrained = {};
  Selection selection = {};
  // A damaged file is an error
  bool stopsAtDamaged = true;
  // The nearest good sample replaces a damaged one; otherwise it is left out
  bool replacesDamaged = false;
  // Memory limit of the project
  size_t memoryLimitBytes = SIZE_MAX;
  // Shapes of the Input layers, without the batch, if known
  std::vector<std::optional<Shape>> inputShapes = {};
  // Values of an output per sample; INT64_MAX if not known
  std::function<int64_t(const std::string&)> outputSize = {};
  std::vector<std::string> targetNames() const;
};

/// A small packed file may unpack to more than fits into memory: larger arrays than this are
/// compared with the network before they are read. For smaller ones a check reports misfits and
/// suggests fixes.
constexpr size_t kJudgedBeyondBytes = size_t{256} << 20;
/// Refuses an array whose samples do not have the shape of the Input layer, if that is known.
/// Fails: InvalidFile.
void requireFitsInput(const SourceInput& input, size_t place, const Shape& array,
                      const std::string& file, const std::string& what = {});

struct LoadedSamples {
  // test is null if the source has no test set
  std::shared_ptr<const Samples> train, test;
  // Classes and their names; shapes of the targets
  std::vector<DataTarget> targets{1};
  std::vector<DamagedSample> damaged = {};
  // As Dataset::encodings
  Encodings encodings{1};
  // Warnings about the data itself
  Diagnostics notes = {};
  // Samples that were dropped as requested
  int64_t dropped = 0;
  // Skip and take have been applied
  bool isSliced = false;
  // The whole selection has been applied: train has trainCount training samples, followed by the
  // validation samples
  bool isSplit = false;
  // If isSplit
  int64_t trainCount = 0;
};

struct SourceDef {
  Schema schema;
  /// Fields that may be an object by Input layer, or by output; if empty, the source has one array
  /// of inputs, or of targets.
  std::vector<std::string> ofInputs = {}, ofOutputs = {};
  /// Fills inputs, targets and the counts (trainCount: all training samples, before the split).
  /// Null: only the samples tell, so they are read, once until `state` changes.
  void (*describe)(const SourceInput&, DatasetInfo&, Diagnostics&) = nullptr;
  LoadedSamples (*load)(const SourceInput&) = nullptr;
  /// Names, sizes and times of its files: a text that changes when a file changes. Required if
  /// describe is null; with both, samples are read to describe them unless damaged ones are an
  /// error. Fails: InvalidFile.
  std::string (*state)(const SourceInput&) = nullptr;
};

/// Fails: InvalidProject with the first problem.
void requireNoProblem(const Diagnostics& problems);

/// Appends an error about a field of a data section to `diagnostics`.
void addProblem(Diagnostics& diagnostics, std::string code, std::string field, Text message,
                Arguments arguments = {});

/// Both "mnist" and {"type": "mnist"} as an object; null for other values.
Json typedObject(const Json& json);

/// The values of a source's field for `names`, in order: an object by name, or one value if there
/// is one name. Null if a name is missing or unknown, with the problem in `diagnostics`. what:
/// "Input layer" or "output".
std::vector<const Json*> byName(const Json& value, const std::string& pointer,
                                const std::vector<std::string>& names, Text what,
                                Diagnostics& diagnostics,
                                const std::vector<std::string>& passedOver = {});

/// The sample weights of each trained output; a JSON null if there are none, nullptr after a
/// problem.
std::vector<const Json*> weightsByOutput(const SourceInput& input, Diagnostics& diagnostics);

/// "0", "1", ... for classes without other names; empty if there are more than a thousand.
std::vector<std::string> numbersAsNames(int64_t classes);

/// A field of the data section; with the default "null" it may be null, with "" it is required.
FieldSchema dataField(const char* name, FieldType type, const char* defaultJson, Text title,
                      Text help);
/// As byName() for a field of SourceDef::ofInputs or ofOutputs, but problems are exceptions. Fails:
/// InvalidProject.
std::vector<const Json*> valuesByName(const SourceInput& input, const char* field,
                                      const std::vector<std::string>& names, Text what);

FieldSchema choiceField(const char* name, const char* defaultJson, std::vector<std::string> choices,
                        Text title, Text help);
/// A text field; `isOptional`: null by default.
FieldSchema textField(const char* name, Text title, Text help, bool isOptional = false);
/// A field with the path of a file or folder.
FieldSchema pathField(PathKind kind, const char* name, Text title, Text help,
                      bool isOptional = false);
/// The path in a field, relative to the project file; "" if it is null.
std::string pathOf(const SourceInput& input, const char* field);
std::string pathOf(const SourceInput& input, const Json& value);
/// All paths in a field: a single one, or an object by name.
std::vector<std::string> pathsOf(const SourceInput& input, const char* field);
/// The state of a file, for SourceDef::state. Fails: InvalidFile if the file does not exist.
std::string fileState(const std::string& path);

SourceDef mnistSource();
SourceDef idxSource();
SourceDef randomSource();
SourceDef valuesSource();
SourceDef csvSource();
SourceDef imageFolderSource();
SourceDef cifarSource();
SourceDef numpySource();

}  // namespace strata
