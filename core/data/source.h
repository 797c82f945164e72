// SPDX-License-Identifier: Apache-2.0
// The parts a data source is made of: its schema, what it says about itself before anything is
// read, and its samples. Registration: one line in sources.cpp. Thread: definitions are constant;
// describe and load are pure but for the cache of bundled files.
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
  // As in the project, for what a schema cannot describe
  const Json& object;
  // Of the project file: relative paths start here
  std::string folder;
  // Names of the Input layers; one "" where the network is not known
  std::vector<std::string> inputs = {};
  // At least one
  std::vector<WantedTarget> targets = {};
  // Outputs whose targets may be there and are not looked at
  std::vector<std::string> untrained = {};
  Selection selection = {};
  // Nothing is made of a damaged file
  bool stopsAtDamaged = true;
  // The nearest good sample takes the place of a damaged one; else it is left out
  bool replacesDamaged = false;
  // The project's
  size_t memoryLimitBytes = SIZE_MAX;
  // Of the Input layers, without the batch, where they are known
  std::vector<std::optional<Shape>> inputShapes = {};
  // Numbers of an output, for a sample; INT64_MAX where it is not known
  std::function<int64_t(const std::string&)> outputSize = {};
  std::vector<std::string> targetNames() const;
};

/// What a small packed file holds may fill the memory: arrays of more bytes than this are held
/// against the network before they are read. Of smaller ones a check tells, and offers what would
/// fit.
constexpr size_t kJudgedBeyondBytes = size_t{256} << 20;
/// Refuses an array with samples of another size than the Input layer's, where that is known.
/// Fails: InvalidFile.
void requireFitsInput(const SourceInput& input, size_t place, const Shape& array,
                      const std::string& file, const std::string& what = {});

struct LoadedSamples {
  // test: null where the source has none
  std::shared_ptr<const Samples> train, test;
  // Classes and their names; shapes are the samples'
  std::vector<DataTarget> targets{1};
  std::vector<DamagedSample> damaged = {};
  // As Dataset's
  Encodings encodings{1};
  // Warnings about the data itself
  Diagnostics notes = {};
  // Samples left out as the source was told to
  int64_t dropped = 0;
  // Skip and take are done
  bool isSliced = false;
  // All of the selection is done: train holds trainCount samples, then those that validate
  bool isSplit = false;
  // Where isSplit
  int64_t trainCount = 0;
};

struct SourceDef {
  Schema schema;
  /// Fields that may be an object by Input layer, or by output; without any the source has one
  /// array of inputs and one of targets.
  std::vector<std::string> ofInputs = {}, ofOutputs = {};
  /// Fills inputs, targets and the counts (trainCount: all training samples, before the split).
  /// Null: only its samples tell, so they are read, once as long as `state` says the same.
  void (*describe)(const SourceInput&, DatasetInfo&, Diagnostics&) = nullptr;
  LoadedSamples (*load)(const SourceInput&) = nullptr;
  /// Names, sizes and times of the files it reads: another text when one of them changed. Needed
  /// where describe is null; with both, the samples are read to describe them where damaged ones
  /// are not to stop it. Fails: InvalidFile.
  std::string (*state)(const SourceInput&) = nullptr;
};

/// Fails: InvalidProject with the first problem.
void requireNoProblem(const Diagnostics& problems);

/// Puts an error about the field of a data section at the end of `diagnostics`.
void addProblem(Diagnostics& diagnostics, std::string code, std::string field, Text message,
                Arguments arguments = {});

/// "mnist" and {"type": "mnist"} alike as an object; null where neither.
Json typedObject(const Json& json);

/// What a field of a source says for each of `names`, in their order: an object by name, or one
/// value where there is one of them. Null where a name is missing or another one stands there, with
/// the problem in `diagnostics`. what: "Input layer", "output".
std::vector<const Json*> byName(const Json& value, const std::string& pointer,
                                const std::vector<std::string>& names, Text what,
                                Diagnostics& diagnostics,
                                const std::vector<std::string>& passedOver = {});

/// What it says for each output that is trained, JSON's null where nothing; a problem leaves
/// nullptr.
std::vector<const Json*> weightsByOutput(const SourceInput& input, Diagnostics& diagnostics);

/// "0", "1", ... for classes that have no other names; none at all beyond a thousand, where nobody
/// reads them.
std::vector<std::string> numbersAsNames(int64_t classes);

/// A field of the data section; one with the default "null" may be null, one with "" has to be
/// given.
FieldSchema dataField(const char* name, FieldType type, const char* defaultJson, Text title,
                      Text help);
/// The same for a field of SourceDef::ofInputs or ofOutputs, where problems are errors. Fails:
/// InvalidProject.
std::vector<const Json*> valuesByName(const SourceInput& input, const char* field,
                                      const std::vector<std::string>& names, Text what);

FieldSchema choiceField(const char* name, const char* defaultJson, std::vector<std::string> choices,
                        Text title, Text help);
/// A field of a path or name; `isOptional`: null by default.
FieldSchema textField(const char* name, Text title, Text help, bool isOptional = false);
/// The same for a file or folder of the disk.
FieldSchema pathField(PathKind kind, const char* name, Text title, Text help,
                      bool isOptional = false);
/// The file that a field names, relative to the project file; "" where it is null.
std::string pathOf(const SourceInput& input, const char* field);
std::string pathOf(const SourceInput& input, const Json& value);
/// All files that it names, as one or by name.
std::vector<std::string> pathsOf(const SourceInput& input, const char* field);
/// For SourceDef::state. Fails: InvalidFile where the file is not there.
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
