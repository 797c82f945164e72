// SPDX-License-Identifier: Apache-2.0
// A project parsed once: model, recipe, execution, and what they need of the data, with all
// problems of these parts. Pass it on instead of parsing a part again. Not here: problems that
// concern several parts together (validate.h).
// Thread: a value; data() caches its result, so only one thread at a time.
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
  /// Parses everything except the data. Not explicit, so that a Project can be passed as well.
  CheckedProject(Project project);

  const Project& project() const { return m_project; }
  const Model& model() const { return m_model; }
  const TrainingOptions& recipe() const { return m_recipe; }
  const ExecutionOptions& execution() const { return m_execution; }
  const DataNeeds& needs() const { return m_needs; }

  /// Problems of /model; problems of /training and /execution.
  const Diagnostics& problemsOfModel() const { return m_problemsOfModel; }
  const Diagnostics& problemsOfTraining() const { return m_problemsOfTraining; }
  /// Fails: InvalidProject with the first error of these.
  void requireSound() const;

  /// The data as described by its source, on the first call; and the problems found.
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

/// What a network needs of its data, as far as known.
DataNeeds dataNeedsOf(const Project& project, const Model& model, const TrainingOptions& recipe,
                      const ExecutionOptions& execution);

// The functions of core/data for a checked project, which knows what its network needs. They fail
// as the originals do.
DatasetInfo describeDataset(const CheckedProject& project, Diagnostics& diagnostics);
std::shared_ptr<const Dataset> loadDataset(const CheckedProject& project);
Preprocessing preprocessingOf(const CheckedProject& project, const std::string& weights = {});

}  // namespace strata
