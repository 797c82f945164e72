// SPDX-License-Identifier: Apache-2.0
// Warnings about the images of folders: what was left out, classes without images, mixed bit
// depths, and images of which blending makes a single color. Not here: damaged files.
// Thread: the functions only read files, so any thread may call them.
#pragma once

#include <string>
#include <vector>

#include "core/data/image.h"
#include "core/data/image_files.h"
#include "core/data/split_folders.h"
#include "core/project/diagnostic.h"

namespace strata {

enum class ImageUse : uint8_t { Training, Validation, Test };

/// The images that are used for one part of the split.
struct ImagePart {
  ImageUse use = ImageUse::Training;
  ImageTree tree;
  std::vector<ImageFile> files;
};

/// Reports what was left out, and classes without images in a part. The first part is for training.
void reportFolders(const SplitFolders& folders, const std::vector<ImagePart>& parts,
                   const std::vector<std::string>& classes, Diagnostics& notes);
/// Reports folders that count as classes although they may be the parts of a split, a folder that
/// only encloses the folder with the classes, and a single class. `path` is the path in the
/// project.
/// Requires: the project does not choose the classes.
void reportDoubtfulClasses(const SplitFolders& folders, const std::vector<ImagePart>& parts,
                           const std::vector<std::string>& classes, const std::string& path,
                           Diagnostics& notes);
/// Returns the number of bits that the field bit_depth ("auto", "8" or "16") means for these files.
/// Reports files with different numbers if the field is "auto".
int bitDepthOf(const std::vector<ImagePart>& parts, const std::string& field, Diagnostics& notes);
/// Reports images that became a single color, and offers a background with which they do not.
void reportPlainImages(const std::vector<std::string>& plain, const ImageReading& reading,
                       Diagnostics& notes);

}  // namespace strata
