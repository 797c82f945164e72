// SPDX-License-Identifier: Apache-2.0
// The project file: read, checked, versioned, saved without losing what it does not know. The JSON
// document is the truth; typed views are parsed from it.
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
  // An empty valid project
  Project();
  Project(const Project&);
  Project& operator=(const Project&);
  Project(Project&&) noexcept;
  Project& operator=(Project&&) noexcept;
  ~Project();
  explicit Project(Json document, std::string path = {});

  const Json& document() const { return *m_document; }
  Json& document() { return *m_document; }
  // Absolute, "" for a new one
  const std::string& path() const { return m_path; }
  void setPath(std::string path) { m_path = std::move(path); }
  // "name", else the file's stem
  std::string name() const;

 private:
  std::unique_ptr<Json> m_document;
  std::string m_path;
};

/// Fails: InvalidFile (no such file), IoFailure, InvalidProject (not JSON, wrong format or version,
/// a top-level part of the wrong type); one line naming file and place. Problems inside layers and
/// training are left to validate().
Result<Project> loadProject(const std::string& path);
/// The same for a check of the rest: a top-level part of the wrong type, and a model whose layers
/// are no list, is left out and told in `wrong`.
Result<Project> loadSoundParts(const std::string& path, Diagnostics& wrong);
Result<Project> parseProject(std::string_view text, const std::string& file);
/// Written beside the target, fsync, rename, fsync of the folder: whole or not at all. Fails:
/// IoFailure naming the file and the reason.
Result<void> saveProject(const Project& project, const std::string& path);
/// saveProject's way for any file. Fails (throws): IoFailure.
void writeFileAtomically(const std::string& path, std::string_view bytes,
                         Links links = Links::Follow);
/// A regular file of at most that many bytes, as large as it is now. Fails: as RegularFile;
/// InvalidFile (too large), IoFailure.
std::string readFile(const std::string& path, size_t limitBytes);

/// --set /json/pointer=VALUE (VALUE is JSON, or a string where it does not parse; a pointer that
/// ends in "/-" appends to a list).
/// Fails: InvalidArgument, or InvalidProject where the document is no project any more, naming the
/// pointer.
void setByPointer(Project& project, const std::string& assignment);

}  // namespace strata
