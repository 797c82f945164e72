// SPDX-License-Identifier: Apache-2.0
// The definition of a data source: its schema, a function that describes it without reading
// samples, and a function that loads its samples. Sources are registered in sources.cpp.
// Thread: definitions are constant. `describe` and `load` are pure, except for caches of files.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/data/data_needs.h"
#include "core/data/dataset.h"
#include "core/data/selection.h"
#include "core/recipe/outputs.h"

namespace strata {

struct SourceInput {
  // The checked fields, including default values
  const Json& fields;
  // The object in the project, for values that a schema cannot describe
  const Json& object;
  // Folder of the project file, where relative paths start
  std::string folder;
  // Names of the Input layers; a single "" if the network is not known
  std::vector<std::string> inputs = {};
  // Targets of the trained outputs; there is at least one
  std::vector<WantedTarget> targets = {};
  // Outputs without a loss. The data may contain targets for them, which are ignored.
  std::vector<std::string> untrained = {};
  Selection selection = {};
  // Whether a damaged file is an error
  bool stopsAtDamaged = true;
  // Whether the nearest good sample replaces a damaged sample. Otherwise damaged samples are left
  // out.
  bool replacesDamaged = false;
  // Memory limit of the project
  size_t memoryLimitBytes = SIZE_MAX;
  // Shapes of the Input layers without the batch dimension, if they are known
  std::vector<std::optional<Shape>> inputShapes = {};
  // Returns the number of values per sample of an output, or INT64_MAX if it is not known.
  std::function<int64_t(const std::string&)> outputSize = {};
  std::vector<std::string> targetNames() const;
};

/// Arrays larger than this are compared with the network before they are read, because a small
/// compressed file may expand to more than fits into memory. Smaller arrays are compared by
/// core/check, which also suggests fixes.
constexpr size_t kJudgedBeyondBytes = size_t{256} << 20;
/// Checks that the samples of an array have as many elements as the Input layer with index `place`,
/// if its shape is known. Fails: InvalidFile.
void requireFitsInput(const SourceInput& input, size_t place, const Shape& array,
                      const std::string& file, const std::string& what = {});

struct LoadedSamples {
  // `test` is null if the source has no test set.
  std::shared_ptr<const Samples> train, test;
  // Shapes, classes and class names of the targets
  std::vector<DataTarget> targets{1};
  std::vector<DamagedSample> damaged = {};
  // Encodings of the inputs, as in Dataset
  Encodings encodings{1};
  // Warnings about the data itself
  Diagnostics notes = {};
  // Number of samples that were dropped as requested
  int64_t dropped = 0;
  // Columns with missing values that were replaced as requested
  std::vector<FilledColumn> filled = {};
  // Whether skip and take have been applied
  bool isSliced = false;
  // Whether the whole selection has been applied. `train` then contains trainCount training
  // samples, followed by the validation samples.
  bool isSplit = false;
  // Number of training samples; set if isSplit is true
  int64_t trainCount = 0;
  // Number of samples at the end of `train` that the source reserves for validation. skip, take,
  // test_split and split_seed do not apply to them, and validation_split is not used.
  int64_t ownValidation = 0;
  // Folders of the splits, if the source found them
  std::vector<std::string> splitFolders = {};
  // Largest value of an input, as in DataInput
  double largest = 0;
};

struct SourceDef {
  Schema schema;
  /// `ofInputs` contains the names of fields that may be an object with an entry for each Input
  /// layer, and `ofOutputs` does the same for outputs. If the list is empty, the source has only
  /// one array of inputs or targets.
  std::vector<std::string> ofInputs = {}, ofOutputs = {};
  /// Fills in inputs, targets and counts. trainCount counts all training samples before the split.
  /// If the pointer is null, only the samples contain this information, and they are read again
  /// whenever `state` changes.
  void (*describe)(const SourceInput&, DatasetInfo&, Diagnostics&) = nullptr;
  LoadedSamples (*load)(const SourceInput&) = nullptr;
  /// Returns a text that changes when a file changes. It contains the names, sizes and modification
  /// times of all files. Required if `describe` is null. If both exist, the samples are read to
  /// describe them unless damaged samples are an error. Fails: InvalidFile.
  std::string (*state)(const SourceInput&) = nullptr;
};

/// Checks that the list of problems is empty. Fails: InvalidProject with the first problem.
void requireNoProblem(const Diagnostics& problems);

/// Appends an error about a field of a data section to `diagnostics`.
void addProblem(Diagnostics& diagnostics, std::string code, std::string field, Text message,
                Arguments arguments = {});

/// Converts both "mnist" and {"type": "mnist"} to an object. Returns null for other values.
Json typedObject(const Json& json);

/// Returns the values of a source's field for `names`, in order. The field is an object with an
/// entry for each name, or a single value if there is one name. The object may also have entries
/// for the names in `passedOver`. If an entry is missing or has an unknown name, adds the problem
/// to `diagnostics`, and the value of each affected name is null. `what` is "Input layer" or
/// "output".
std::vector<const Json*> byName(const Json& value, const std::string& pointer,
                                const std::vector<std::string>& names, Text what,
                                Diagnostics& diagnostics,
                                const std::vector<std::string>& passedOver = {});

/// Returns the sample weights of each trained output. The entry of an output without weights is a
/// JSON null. It is nullptr if the weights have a problem.
std::vector<const Json*> weightsByOutput(const SourceInput& input, Diagnostics& diagnostics);

/// Returns "0", "1", ... for classes without other names. Returns an empty list if there are more
/// than a thousand.
std::vector<std::string> numbersAsNames(int64_t classes);

/// Returns the schema of a field in the data section. With the default "null" the field may be
/// null, and with "" it is required.
FieldSchema dataField(const char* name, FieldType type, const char* defaultJson, Text title,
                      Text help);
/// Returns the values of a field in SourceDef::ofInputs or ofOutputs, as byName() does, but throws
/// the first problem. Fails: InvalidProject.
std::vector<const Json*> valuesByName(const SourceInput& input, const char* field,
                                      const std::vector<std::string>& names, Text what);

FieldSchema choiceField(const char* name, const char* defaultJson, std::vector<std::string> choices,
                        Text title, Text help);
/// Returns the schema of a text field. With `isOptional`, the default is null.
FieldSchema textField(const char* name, Text title, Text help, bool isOptional = false);
/// Returns the schema of a field with the path of a file or folder.
FieldSchema pathField(PathKind kind, const char* name, Text title, Text help,
                      bool isOptional = false);
/// Returns the path in a field, resolved relative to the project file, or "" if the field is null.
std::string pathOf(const SourceInput& input, const char* field);
std::string pathOf(const SourceInput& input, const Json& value);
/// Returns all paths in a field, which is a single path, or an object with a path for each name.
std::vector<std::string> pathsOf(const SourceInput& input, const char* field);
/// Returns the state of a file for SourceDef::state. Fails: InvalidFile if the file does not exist.
std::string fileState(const std::string& path);

/// Returns the definitions of all sources.
std::span<const SourceDef> allSources();

SourceDef mnistSource();
SourceDef idxSource();
SourceDef randomSource();
SourceDef valuesSource();
SourceDef csvSource();
SourceDef imageFolderSource();
SourceDef cifarSource();
SourceDef numpySource();

}  // namespace strata
