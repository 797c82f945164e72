// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/templates.h"

#include <QDir>
#include <nlohmann/json.hpp>

#include "core/project/project.h"
#include "core/project/resources.h"
#include "ui/format.h"
#include "ui/project_notes.h"

namespace strata::ui {

std::vector<ProjectTemplate> projectTemplates() {
  std::vector<ProjectTemplate> templates;
  const QDir folder(text(resourcePath("projects")));
  const QStringList names{QStringLiteral("*.json")};
  for (const QString& file : folder.entryList(names, QDir::Files, QDir::Name)) {
    const QString path = folder.filePath(file);
    const Result<Project> project = loadProject(path.toStdString());
    if (!project) continue;
    const Json& json = project.value().document();
    templates.push_back(
        {text(project.value().name()), path, projectNotes(json), firstSentenceOfNotes(json)});
  }
  return templates;
}

}  // namespace strata::ui
