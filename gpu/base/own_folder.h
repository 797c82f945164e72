// SPDX-License-Identifier: Apache-2.0
// Folders that Strata makes for this user, and small files in them. Such a folder is opened once,
// without following links, and judged by its descriptor: it belongs to the user, and nobody else
// may write to it. So other users cannot replace its files, or lead Strata to other ones. Not here:
// which folders these are (cache_folder.h, core/runs).
// Thread: only one thread at a time may use an object. Other processes may use the same folder.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// What a folder permits other users after it was opened. Nothing sets mode 0700. Reading only
/// removes their right to write, because users share the results of runs.
enum class OthersMay : unsigned char { Nothing, Read };

/// The content of a file, and the time since it was written.
struct OwnFile {
  std::string bytes;
  std::chrono::seconds age{0};
};

class OwnFolder {
 public:
  /// Opens `outer`/name/name/... and makes missing folders with mode 0700. Folders in `names` are
  /// not followed if they are links; `outer` is the user's own choice, may be a link, and is made
  /// too. Fails: InvalidFile with the folder and what to do (a link, no folder, another owner,
  /// writable for others); IoFailure if it cannot be made or opened.
  static OwnFolder make(const std::filesystem::path& outer, const std::vector<std::string>& names,
                        OthersMay others);
  /// Opens a folder that exists, or returns nullopt. Fails as make().
  static std::optional<OwnFolder> find(const std::filesystem::path& outer,
                                       const std::vector<std::string>& names, OthersMay others);
  ~OwnFolder();
  OwnFolder(OwnFolder&& other) noexcept;
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  const std::filesystem::path& path() const { return m_path; }
  /// Makes a new folder in this one with mode 0700. Returns 0, or the system's error number.
  int makeFolder(const std::string& name) const;
  /// Moves a file or folder of this folder to another one. Never replaces anything there. Returns
  /// 0, or the system's error number, such as EEXIST, or EXDEV for another file system.
  int move(const std::string& name, const OwnFolder& to, const std::string& newName) const;

  /// Returns a file, or nullopt if it does not exist or cannot be used: a link, not
  /// a regular file, of another owner, writable for others, with several names, or too large.
  std::optional<OwnFile> read(const std::string& name, size_t maxBytes) const;
  /// Replaces a file completely or not at all, through a new file with a random name. Fails:
  /// IoFailure.
  void write(const std::string& name, std::string_view bytes) const;
  /// Removes a file if it exists. A link is removed, and not its target.
  void remove(const std::string& name) const;

 private:
  OwnFolder(std::filesystem::path path, int descriptor)
      : m_path(std::move(path)), m_descriptor(descriptor) {}
  static std::optional<OwnFolder> open(const std::filesystem::path& outer,
                                       const std::vector<std::string>& names, OthersMay others,
                                       bool makes);

  std::filesystem::path m_path;
  int m_descriptor = -1;
};

/// Returns a part of a file name that other processes cannot guess, such as "5f0c9a1e-77b2".
std::string randomNamePart();

}  // namespace strata
