// SPDX-License-Identifier: Apache-2.0
// The project file: loaded, checked, versioned and saved with unknown keys preserved. The JSON
// document is the source of truth; typed views are parsed from it.
// Thread: a value.
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
  // A valid project without layers
  Project();
  Project(const Project&);
  Project& operator=(const Project&);
  Project(Project&&) noexcept;
  Project& operator=(Project&&) noexcept;
  ~Project();
  explicit Project(Json document, std::string path = {});

  const Json& document() const { return *m_document; }
  Json& document() { return *m_document; }
  // Absolute; "" for a new project
  const std::string& path() const { return m_path; }
  void setPath(std::string path) { m_path = std::move(path); }
  // The member "name", else the stem of the file name
  std::string name() const;

 private:
  std::unique_ptr<Json> m_document;
  std::string m_path;
};

/// Fails: InvalidFile (no such file), IoFailure, InvalidProject (not JSON, wrong format or version,
/// a top-level part of the wrong type); one line naming file and place. Problems inside layers and
/// training are left to core/check.
Result<Project> loadProject(const std::string& path);
/// The same, but leaves out top-level parts of the wrong type (and a model whose layers are not a
/// list) and reports them in `wrong`, so that the rest can be checked.
Result<Project> loadSoundParts(const std::string& path, Diagnostics& wrong);
Result<Project> parseProject(std::string_view text, const std::string& file);
/// Saves completely or not at all (AtomicFile). Fails: IoFailure naming the file and the reason.
Result<void> saveProject(const Project& project, const std::string& path);
/// The same for any file. Fails (throws): IoFailure.
void writeFileAtomically(const std::string& path, std::string_view bytes,
                         Links links = Links::Follow);
/// Reads a regular file of at most `limitBytes`. Fails: like RegularFile; InvalidFile (too large),
/// IoFailure.
std::string readFile(const std::string& path, size_t limitBytes);

/// Applies --set /json/pointer=VALUE. VALUE is JSON, or a string where it does not parse; a pointer
/// that ends in "/-" appends to a list.
/// Fails: InvalidArgument, or InvalidProject naming the pointer where the document is no longer a
/// valid project.
void setByPointer(Project& project, const std::string& assignment);

}  // namespace strata
