// SPDX-License-Identifier: GPL-3.0-or-later
// The example projects that a new project can start from. Thread: any.
#pragma once

#include <QString>
#include <vector>

namespace strata::ui {

struct ProjectTemplate {
  QString name, path;
  // What the project teaches
  QString notes;
  // The first sentence of the notes
  QString firstSentence;
};

/// All readable templates, by file name. Throws: Error if the resource folder is missing.
std::vector<ProjectTemplate> projectTemplates();

}  // namespace strata::ui
