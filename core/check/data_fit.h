// SPDX-License-Identifier: Apache-2.0
// Checks that the values of a data set fit the network and its losses: targets must be in the range
// of the loss, indices must be whole numbers in the table of a layer, and a sample must not be
// masked completely if a layer averages over its steps. Other values would silently give a wrong
// loss or NaN. target_fit.cpp judges the targets. Not here: shapes (core/model).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <optional>
#include <vector>

#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/project/diagnostic.h"
#include "core/recipe/losses.h"
#include "core/recipe/options.h"

namespace strata {

/// A value of the data that does not fit.
struct DataMisfit {
  // Error: the network or the loss cannot use the value. Warning: it can, but the loss says little.
  Severity severity = Severity::Error;
  // Code of the diagnostic: "index_out_of_range", "target_out_of_range" or "masked_sample"
  const char* code = "index_out_of_range";
  // Name of the layer that cannot use the value, or "" if it is the loss
  std::string layer = {};
  // Field of the layer, or JSON pointer of the loss
  std::string field = {};
  // The file and row of the sample
  std::string place = {};
  Text message = {};
  Arguments arguments = {};
  // The loss that these targets fit; "" if it is not certain
  std::string betterLoss = {};
  // Index of the value in an input, if it is one value
  std::optional<size_t> value = {};
  /// Returns the message in English, without the place.
  std::string sentence() const { return formatText(message, arguments); }
};

/// Returns the first misfit of each input, and of each target. `widths` contains the last dimension
/// of each trained output, or -1 if it is not known. A target without an entry is not judged.
std::vector<DataMisfit> findMisfits(const Dataset& dataset, const Model& model,
                                    const TrainingOptions& training,
                                    const std::vector<int64_t>& widths);

/// Returns the first misfit of an input among these samples. `input` is an index in Samples::x.
std::optional<DataMisfit> findInputMisfit(const Samples& samples, size_t input,
                                          const InputTransform& transform, const Model& model);
/// Returns the first target that is outside the range of the loss, or nullopt.
std::optional<DataMisfit> findTargetMisfit(const Dataset& dataset, size_t target,
                                           const OutputOptions& output, int64_t width);
/// Returns the value above 0 that each row of these targets, along the last dimension, contains
/// once and otherwise zeros, such as 1 or 255. Returns nullopt if the rows have other values.
std::optional<double> oneHotValue(const Tensor& targets);
/// Returns whether oneHotValue() is 1.
bool isOneHot(const Tensor& targets);
/// Returns whether all targets are whole numbers of at least 0.
bool areClassNumbers(const Tensor& targets);

/// Returns a value of the data as text, with the fewest digits that preserve a float32.
std::string valueText(double value);

/// A layer that uses numbers as indices.
struct IndexLimit {
  std::string layer;
  // The layer accepts the indices 0 to count - 1. `field` is the field with this count.
  int64_t count = 0;
  std::string field;
};
/// Returns the smallest limit among the layers that use the values of this Input layer as indices.
/// Returns nullopt if no layer does.
std::optional<IndexLimit> indexLimit(const Model& model, const std::string& input);

}  // namespace strata
