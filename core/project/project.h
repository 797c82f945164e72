// SPDX-License-Identifier: Apache-2.0
// Loads and saves project files. Loading checks the version, and saving preserves unknown keys. The
// JSON document is the source of truth, and typed views are parsed from it.
// Thread: a value type without shared state.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/project/atomic_file.h"
#include "core/project/diagnostic.h"
#include "core/project/json.h"
#include "gpu/base/error.h"

namespace strata {

class Project {
 public:
  // Creates a project with default settings and without layers.
  Project();
  Project(const Project&);
  Project& operator=(const Project&);
  Project(Project&&) noexcept;
  Project& operator=(Project&&) noexcept;
  ~Project();
  explicit Project(Json document, std::string path = {});

  const Json& document() const { return *m_document; }
  Json& document() { return *m_document; }
  // Returns the absolute path of the file, or "" for a new project.
  const std::string& path() const { return m_path; }
  void setPath(std::string path) { m_path = std::move(path); }
  // Returns the member "name" or, if it is missing or empty, the file name without its suffix.
  std::string name() const;

 private:
  std::unique_ptr<Json> m_document;
  std::string m_path;
};

/// Returns a project without layers and data. Its problems say what to add.
Project emptyProject();

/// Loads a project. Fails: InvalidFile (no such file); IoFailure; InvalidProject (not JSON, wrong
/// format or version, a top-level part of the wrong type). The message is one line that names the
/// file and the place. core/check finds problems inside layers and training.
Result<Project> loadProject(const std::string& path);
/// Loads a project without parts of the wrong type, so that the rest can be checked. If the layers
/// are not a list, omits the whole model. Appends a problem for each omitted part to `wrong`. Fails
/// with the other errors of loadProject().
Result<Project> loadSoundParts(const std::string& path, Diagnostics& wrong);
/// Parses a project. `file` is the file name for error messages. Fails: InvalidProject.
Result<Project> parseProject(std::string_view text, const std::string& file);
/// Saves the project completely or not at all (see AtomicFile). Fails: IoFailure naming the file
/// and the reason.
Result<void> saveProject(const Project& project, const std::string& path);
/// Writes any file completely or not at all. Unlike saveProject(), throws the error instead of
/// returning it. Fails: IoFailure.
void writeFileAtomically(const std::string& path, std::string_view bytes,
                         Links links = Links::Follow);
/// Reads a regular file of at most `limitBytes`. Fails: InvalidFile if the file is too large or not
/// a regular file; IoFailure.
std::string readFile(const std::string& path, size_t limitBytes);

/// Applies the option --set /json/pointer=VALUE. VALUE is JSON, or a string if it is not valid
/// JSON. A pointer that ends in "/-" appends to a list. Fails: InvalidArgument; InvalidProject
/// naming the pointer if the document would no longer be a valid project.
void setByPointer(Project& project, const std::string& assignment);

}  // namespace strata
