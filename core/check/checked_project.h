// SPDX-License-Identifier: Apache-2.0
// A project that is parsed once: model, training options, execution, what they need of the data,
// and all problems of these parts. Pass it on instead of parsing a part again. Not here: problems
// that concern several parts together (validate.h).
// Thread: data() caches its result, so only one thread at a time may use an object.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/recipe/options.h"

namespace strata {

class CheckedProject {
 public:
  /// Parses everything except the data. The constructor is implicit, so that callers can pass a
  /// Project.
  CheckedProject(Project project);

  const Project& project() const { return m_project; }
  const Model& model() const { return m_model; }
  const TrainingOptions& recipe() const { return m_recipe; }
  const ExecutionOptions& execution() const { return m_execution; }
  const DataNeeds& needs() const { return m_needs; }

  /// The first function returns the problems of /model, the second one those of /training and
  /// /execution.
  const Diagnostics& problemsOfModel() const { return m_problemsOfModel; }
  const Diagnostics& problemsOfTraining() const { return m_problemsOfTraining; }
  /// Fails: InvalidProject with the first error among these problems.
  void requireSound() const;

  /// Returns the description of the data by its source. The first call creates it.
  const DatasetInfo& data() const;
  const Diagnostics& problemsOfData() const;

 private:
  struct DescribedData {
    DatasetInfo info;
    Diagnostics problems;
  };
  const DescribedData& described() const;

  Project m_project;
  Model m_model;
  TrainingOptions m_recipe;
  ExecutionOptions m_execution;
  DataNeeds m_needs;
  Diagnostics m_problemsOfModel, m_problemsOfTraining;
  mutable std::shared_ptr<const DescribedData> m_data;
};

/// Returns what a network needs of its data. Unknown needs keep their defaults.
DataNeeds dataNeedsOf(const Project& project, const Model& model, const TrainingOptions& recipe,
                      const ExecutionOptions& execution);

// These functions call those of core/data with the needs of a checked project. They fail in the
// same cases.
DatasetInfo describeDataset(const CheckedProject& project, Diagnostics& diagnostics);
std::shared_ptr<const Dataset> loadDataset(const CheckedProject& project);
Preprocessing preprocessingOf(const CheckedProject& project, const std::string& weights = {});

}  // namespace strata
