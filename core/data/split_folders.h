// SPDX-License-Identifier: Apache-2.0
// Finds out whether a folder is split into training, validation and test: by the names of its
// folders, and by the folders in them. Not here: finding images (image_files.h).
// Thread: the function only reads folders, so any thread may call it.
#pragma once

#include <string>
#include <vector>

namespace strata {

/// Paths of folders with a folder for each class. "" stands for a set without a folder.
struct SplitFolders {
  std::string train, validation, test;
  // Names of the other folders at the same place
  std::vector<std::string> unused = {};
  // Names of folders that count as classes, although they may be parts of a split
  std::vector<std::string> doubtful = {};
  // Names of folders that all doubtful folders contain; empty if they contain images
  std::vector<std::string> sharedNames = {};
  // Names of folders that are named like the same part and contain the same classes. `train` is
  // then the folder itself.
  std::vector<std::string> rivals = {};
};

/// Returns the parts of a folder that is split into training, validation and test by folders named
/// "train", "val", "test" or similar. Each part contains folders. Names that only contain such a
/// word, such as "seg_train", and parts with images next to their folders also need the same
/// classes as the training folder. Without a part besides "train", all other folders must have such
/// names, because "train" may be a class. If the folder is not split in this way, `train` is the
/// folder itself.
SplitFolders splitFoldersIn(const std::string& root);

}  // namespace strata
