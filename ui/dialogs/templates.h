// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the example projects that a new project can start from. Thread: any.
#pragma once

#include <QString>
#include <vector>

namespace strata::ui {

struct ProjectTemplate {
  QString name, path;
  // Describes what the project teaches.
  QString notes;
  // The first sentence of the notes.
  QString firstSentence;
};

/// Returns all readable templates, sorted by file name. Throws Error if the resource folder is
/// missing.
std::vector<ProjectTemplate> projectTemplates();

}  // namespace strata::ui
