// SPDX-License-Identifier: Apache-2.0
#include "core/data/image_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/data/image.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/rng.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxFolderDepth = 16;

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Whether an operating system, an archive program or a storage device makes folders of this name.
bool isSystemFolder(const std::string& name) {
  static constexpr std::array<std::string_view, 7> kNames{
      "__macosx",   "@eadir",      "$recycle.bin", "system volume information",
      "lost+found", "__pycache__", "#recycle"};
  return std::find(kNames.begin(), kNames.end(), lowered(name)) != kNames.end();
}

struct Entries {
  // Sorted by the bytes of their names
  std::vector<fs::directory_entry> used;
  // Names of folders and images that are hidden or belong to the system
  std::vector<std::string> skipped;
};

Entries entriesOf(const std::string& folder) {
  std::error_code error;
  Entries entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    const bool isFolder = it->is_directory(ignored);
    if (!name.starts_with('.') && !(isFolder && isSystemFolder(name)))
      entries.used.push_back(*it);
    else if (isFolder || isImageName(name))
      entries.skipped.push_back(name);
  }
  if (error)
    failFolder(
        folder,
        error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory
            ? std::string(
                  "is not a folder (expected one with a folder for each class). Check the name.")
            : "cannot be read (" + error.message() + "). Check its permissions.");
  std::sort(entries.used.begin(), entries.used.end(), [](const auto& a, const auto& b) {
    return a.path().filename().string() < b.path().filename().string();
  });
  std::sort(entries.skipped.begin(), entries.skipped.end());
  return entries;
}

/// Collects the images of a class. `shown` is the path of the folder relative to the root.
void collectImages(const std::string& folder, const std::string& shown, int32_t label, int depth,
                   std::vector<ImageFile>& files, std::vector<std::string>& skipped) {
  if (depth > kMaxFolderDepth)
    failFolder(folder, "is nested too deeply (expected at most " + std::to_string(kMaxFolderDepth) +
                           " folders). Check for a link to a parent folder.");
  const Entries entries = entriesOf(folder);
  for (const std::string& name : entries.skipped)
    skipped.push_back(shown + "/" + name);
  for (const fs::directory_entry& entry : entries.used) {
    std::error_code error;
    const std::string path = entry.path().string();
    if (entry.is_directory(error))
      collectImages(path, shown + "/" + entry.path().filename().string(), label, depth + 1, files,
                    skipped);
    else if (isImageName(path) || isOtherImageName(path))
      files.push_back({path, label});
  }
}

uint64_t hashOf(const std::string& folder, int depth) {
  uint64_t hash = streamOf(folder);
  if (depth > kMaxFolderDepth) return hash;
  const Entries entries = entriesOf(folder);
  // A warning names these.
  for (const std::string& name : entries.skipped)
    hash = hash * 31 + streamOf(name);
  for (const fs::directory_entry& entry : entries.used) {
    std::error_code error;
    const std::string path = entry.path().string();
    if (entry.is_directory(error)) {
      hash = hash * 31 + hashOf(path, depth + 1);
      continue;
    }
    const auto size = entry.file_size(error);
    const auto time = entry.last_write_time(error).time_since_epoch().count();
    hash = (hash ^ streamOf(path)) * 0x100000001b3u;
    hash = (hash ^ static_cast<uint64_t>(size)) * 0x100000001b3u;
    hash = (hash ^ static_cast<uint64_t>(time)) * 0x100000001b3u;
  }
  return hash;
}

}  // namespace

void failFolder(const std::string& folder, const std::string& message) {
  throw Error(ErrorCode::InvalidFile, folder, message);
}

FolderContents contentsOf(const std::string& folder) {
  FolderContents contents;
  for (const fs::directory_entry& entry : entriesOf(folder).used) {
    std::error_code error;
    if (entry.is_directory(error))
      contents.folders.push_back(entry.path().filename().string());
    else
      contents.hasImages = contents.hasImages || isImageName(entry.path().string());
  }
  return contents;
}

ImageTree imageTree(const std::string& root) {
  Entries entries = entriesOf(root);
  ImageTree tree{root, {}, {}, std::move(entries.skipped)};
  for (const fs::directory_entry& entry : entries.used) {
    std::error_code error;
    if (!entry.is_directory(error)) {
      if (isImageName(entry.path().string()))
        tree.stray.push_back(entry.path().filename().string());
      continue;
    }
    tree.classes.push_back(entry.path().filename().string());
    if (!isUtf8(tree.classes.back()))
      failFolder(root,
                 "the folder \"" + tree.classes.back() +
                     "\" has a name that is not UTF-8 (expected the name of a class). Rename it.");
  }
  if (tree.classes.empty())
    failFolder(root, !tree.stray.empty()
                         ? "has images but no folders (expected a folder for each class). "
                           "Put the images of each class into a separate folder."
                         : "has no folders (expected one for each class, with PNG or JPEG "
                           "images). Choose another folder.");
  return tree;
}

std::vector<ImageFile> imagesOf(ImageTree& tree, const std::vector<std::string>& classes) {
  struct Placed {
    double place;
    ImageFile file;
  };
  std::vector<Placed> placed;
  for (size_t i = 0; i < classes.size(); ++i) {
    const std::string folder = (fs::path(tree.root) / classes[i]).string();
    std::error_code error;
    if (!fs::is_directory(folder, error)) continue;
    std::vector<ImageFile> files;
    collectImages(folder, classes[i], static_cast<int32_t>(i), 0, files, tree.skipped);
    for (size_t k = 0; k < files.size(); ++k)
      placed.push_back({(static_cast<double>(k) + 0.5) / static_cast<double>(files.size()),
                        std::move(files[k])});
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return a.place < b.place; });
  std::vector<ImageFile> result;
  for (Placed& each : placed)
    result.push_back(std::move(each.file));
  if (result.empty())
    failFolder(tree.root,
               "has no images in its folders (expected PNG or JPEG files). Choose another folder.");
  return result;
}

uint64_t hashOfFolder(const std::string& folder) { return hashOf(folder, 0); }

}  // namespace strata
