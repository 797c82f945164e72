// SPDX-License-Identifier: GPL-3.0-or-later
// The example projects that a new project can start from. Thread: any.
#pragma once

#include <QString>
#include <vector>

namespace strata::ui {

struct ProjectTemplate {
  QString name, path;
  // What it teaches
  QString notes;
  // Of the notes
  QString firstSentence;
};

/// Those that can be read, by file name. Throws: Error where the folder of resources is missing.
std::vector<ProjectTemplate> projectTemplates();

}  // namespace strata::ui
