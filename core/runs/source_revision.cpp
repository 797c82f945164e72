// SPDX-License-Identifier: Apache-2.0
#include "core/runs/source_revision.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/project/line_file.h"
#include "core/project/project.h"
#include "gpu/base/error.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxLineBytes = 4096;

/// Returns the first line of a small file, or "".
std::string firstLine(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  try {
    std::string text = readFile(file.string(), kMaxLineBytes);
    text.erase(std::min(text.find('\n'), text.size()));
    while (!text.empty() && (text.back() == '\r' || text.back() == ' '))
      text.pop_back();
    return text;
  }
  catch (const Error&) {
    return {};
  }
}

bool isCommit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Whether a name of a reference stays within the folder of Git.
bool isPlainReference(const std::string& name) {
  const bool isPrintable = std::ranges::all_of(
      name, [](char each) { return each > ' ' && each != '\\' && each != 0x7F; });
  return name.starts_with("refs/") && name.find("..") == std::string::npos && isPrintable;
}

/// Returns the folder of Git for the work tree around this folder, or "".
fs::path gitFolder(fs::path folder) {
  std::error_code error;
  constexpr int kMaxLevels = 100;
  for (int level = 0; level < kMaxLevels; ++level) {
    fs::path git = folder / ".git";
    if (fs::is_directory(git, error)) return git;
    // A further work tree, or a submodule
    constexpr std::string_view kLink = "gitdir: ";
    if (const std::string line = firstLine(git); line.starts_with(kLink))
      return folder / line.substr(kLink.size());
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return {};
}

/// Returns the commit of a reference among those that Git has packed, or "".
std::string packedCommit(const fs::path& file, const std::string& reference) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  constexpr size_t kMaxPackedBytes = size_t{64} << 20;
  try {
    LineFile lines(file.string(), kMaxLineBytes);
    size_t bytes = 0;
    for (std::string line; bytes < kMaxPackedBytes && lines.next(line); bytes += line.size()) {
      const size_t space = line.find(' ');
      if (space != std::string::npos && line.substr(space + 1) == reference)
        return line.substr(0, space);
    }
  }
  catch (const Error&) {
    // A damaged file has no references
  }
  return {};
}

}  // namespace

SourceRevision revisionOf(const std::string& folder) {
  std::error_code error;
  const fs::path git = gitFolder(fs::absolute(folder, error).lexically_normal());
  SourceRevision revision;
  if (git.empty()) return revision;
  const std::string head = firstLine(git / "HEAD");
  constexpr std::string_view kReference = "ref: ";
  if (!head.starts_with(kReference)) {
    if (isCommit(head)) revision.commit = head;
    return revision;
  }
  const std::string reference = head.substr(kReference.size());
  if (!isPlainReference(reference)) return revision;
  // Work trees of one repository share their branches
  const std::string shared = firstLine(git / "commondir");
  const fs::path common = shared.empty() ? git : git / shared;
  for (const std::string& commit : {firstLine(git / reference), firstLine(common / reference),
                                    packedCommit(common / "packed-refs", reference)}) {
    if (!isCommit(commit)) continue;
    revision.commit = commit;
    constexpr std::string_view kBranches = "refs/heads/";
    if (reference.starts_with(kBranches)) revision.branch = reference.substr(kBranches.size());
    break;
  }
  return revision;
}

}  // namespace strata
