// SPDX-License-Identifier: Apache-2.0
// The parts a data source is made of: its schema, what it says about itself before anything is read, and its samples.
// Registration: one line in sources.cpp. Thread: definitions are constant; describe and load are pure but for the cache of bundled files.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/data/dataset.h"

namespace strata {

struct SourceInput {
  const Json& fields;           // checked, defaults filled in
  const Json& object;           // as in the project, for what a schema cannot describe
  std::string folder;           // of the project file: relative paths start here
  bool isSparseTarget = false;  // the loss takes class labels
};

struct LoadedSamples {
  std::shared_ptr<const Samples> train, test;
  std::vector<std::string> classNames;
  bool hasLabels = true;
};

struct SourceDef {
  Schema schema;
  /// Fills sampleShape, targetShape, sampleType, hasLabels, classes and the counts (trainCount: all training samples, before the split).
  void (*describe)(const SourceInput&, DatasetInfo&, Diagnostics&) = nullptr;
  LoadedSamples (*load)(const SourceInput&) = nullptr;
};

/// Puts an error about the field of a data section at the end of `diagnostics`.
void addProblem(Diagnostics& diagnostics, std::string code, std::string field, Text message, std::vector<std::string> arguments = {});

/// "0", "1", ... for classes that have no other names; none at all beyond a thousand, where nobody reads them.
std::vector<std::string> numbersAsNames(int64_t classes);

SourceDef mnistSource();
SourceDef idxSource();
SourceDef randomSource();
SourceDef valuesSource();

}  // namespace strata
