// SPDX-License-Identifier: Apache-2.0
// A project read once: model, recipe, execution and what they need of the data, with every problem
// of these parts. Whoever needs a part is given this, and parses nothing again. What only shows
// when the parts are seen together is validate.h's.
// Thread: a value; data() remembers its answer, so one thread at a time.
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
  /// Reads all but the data. Not explicit: what takes a checked project takes a project as well.
  CheckedProject(Project project);

  const Project& project() const { return m_project; }
  const Model& model() const { return m_model; }
  const TrainingOptions& recipe() const { return m_recipe; }
  const ExecutionOptions& execution() const { return m_execution; }
  const DataNeeds& needs() const { return m_needs; }

  /// Of /model; then of /training and /execution.
  const Diagnostics& problemsOfModel() const { return m_problemsOfModel; }
  const Diagnostics& problemsOfTraining() const { return m_problemsOfTraining; }
  /// Fails: InvalidProject with the first error of these.
  void requireSound() const;

  /// The data as its source describes it, looked at at the first question; and the problems of
  /// that.
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

/// What a network needs of its data, as far as it is known.
DataNeeds dataNeedsOf(const Project& project, const Model& model, const TrainingOptions& recipe,
                      const ExecutionOptions& execution);

// core/data's questions, for a project whose network says what it needs. Fail: as there.
DatasetInfo describeDataset(const CheckedProject& project, Diagnostics& diagnostics);
std::shared_ptr<const Dataset> loadDataset(const CheckedProject& project);
Preprocessing preprocessingOf(const CheckedProject& project, const std::string& weights = {});

}  // namespace strata
