// SPDX-License-Identifier: Apache-2.0
// Finds the images of a folder that has a folder for each class. Not here: folders for each of
// training, validation and test (split_folders.h), reading images (source_image_folder.cpp).
// Thread: the functions only read folders, so any thread may call them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata {

struct ImageFile {
  std::string path;
  // Index of the class
  int32_t label = 0;
};

/// What a folder contains, except hidden entries and folders of operating systems.
struct FolderContents {
  // Names of the folders, sorted by their bytes
  std::vector<std::string> folders;
  // Whether there are images next to the folders
  bool hasImages = false;
};

/// The classes and images of one folder.
struct ImageTree {
  std::string root;
  // Names of the class folders, sorted by their bytes
  std::vector<std::string> classes;
  // Names of images next to the class folders. They have no class.
  std::vector<std::string> stray = {};
  // Folders and images that do not count, because they are hidden or belong to the operating
  // system: paths relative to `root`
  std::vector<std::string> skipped;
};

/// Returns the contents of a folder. Fails: InvalidFile if it cannot be read.
FolderContents contentsOf(const std::string& folder);
/// Returns the class folders. Fails: InvalidFile if the folder has none, cannot be read, or has a
/// folder whose name is not UTF-8.
ImageTree imageTree(const std::string& root);
/// Returns the images of these classes. Each class is spread evenly, so that all parts of the list
/// contain the classes in the same proportions. Adds to `tree.skipped`. Fails: InvalidFile if there
/// are no images.
std::vector<ImageFile> imagesOf(ImageTree& tree, const std::vector<std::string>& classes);
/// Throws InvalidFile with the path of a folder.
[[noreturn]] void failFolder(const std::string& folder, const std::string& message);
/// Returns a number that changes if files are added, removed or changed.
uint64_t hashOfFolder(const std::string& folder);

}  // namespace strata
