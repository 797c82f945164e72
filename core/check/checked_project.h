// SPDX-License-Identifier: Apache-2.0
// A project with its parsed parts: model, training options, execution options, their requirements
// on the data, and all problems of these parts. Callers pass this object on, so that no part is
// parsed twice. Not here: problems that concern several parts together (validate.h).
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

  /// Returns the problems of /model.
  const Diagnostics& problemsOfModel() const { return m_problemsOfModel; }
  /// Returns the problems of /training and /execution.
  const Diagnostics& problemsOfTraining() const { return m_problemsOfTraining; }
  /// Checks that model, training and execution have no errors. Fails: InvalidProject with the first
  /// error.
  void requireSound() const;

  /// Returns the source's description of the data. The first call creates the description.
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

/// Returns the requirements of a network on its data. Requirements that are not known keep their
/// defaults.
DataNeeds dataNeedsOf(const Project& project, const Model& model, const TrainingOptions& recipe,
                      const ExecutionOptions& execution);

// These functions call the functions of core/data with the same names, and pass the requirements of
// a checked project. They fail in the same cases.
DatasetInfo describeDataset(const CheckedProject& project, Diagnostics& diagnostics);
std::shared_ptr<const Dataset> loadDataset(const CheckedProject& project);
Preprocessing preprocessingOf(const CheckedProject& project, const std::string& weights = {});

}  // namespace strata
