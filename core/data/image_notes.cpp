// SPDX-License-Identifier: Apache-2.0
#include "core/data/image_notes.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/data/image_reading.h"
#include "core/data/parallel.h"
#include "core/data/source.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

// Maximum number of names in a warning
constexpr size_t kMaxNames = 5;
// A fix for more classes would be too long to read.
constexpr size_t kMaxClassesInFix = 50;
// Maximum number of images that are decoded to find a better background
constexpr size_t kMaxTried = 50;
// Number of files that a thread reads at a time
constexpr int64_t kFilesAtOnce = 64;

constexpr const char* kPath = "/data/source/path";
constexpr const char* kClassNames = "/data/source/class_names";

Diagnostic& addWarning(Diagnostics& notes, const char* code, const char* field, Text message,
                       Arguments arguments) {
  addProblem(notes, code, field, message, std::move(arguments));
  notes.back().severity = Severity::Warning;
  return notes.back();
}

/// Returns the first few names as a list.
std::string firstNames(std::vector<std::string> names) {
  const bool isCut = names.size() > kMaxNames;
  if (isCut) names.resize(kMaxNames);
  for (std::string& name : names)
    name = excerpt(name, 60);
  return joinedNames(names) + (isCut ? ", ..." : "");
}

/// Returns which classes have images in a part.
std::vector<bool> classesWithImages(const ImagePart& part, size_t classes) {
  std::vector<bool> has(classes, false);
  for (const ImageFile& file : part.files)
    has[static_cast<size_t>(file.label)] = true;
  return has;
}

void reportSkipped(const std::vector<ImagePart>& parts, Diagnostics& notes) {
  for (const ImagePart& part : parts)
    if (const std::vector<std::string>& names = part.tree.skipped; !names.empty())
      addWarning(notes, "skipped_files", kPath,
                 STRATA_TEXT("data",
                             "Hidden files and folders, and folders of operating systems, are left "
                             "out of %1 (%2): %3. Rename the ones that contain samples."),
                 {part.tree.root, std::to_string(names.size()), firstNames(names)});
}

void reportStrayImages(const std::vector<ImagePart>& parts, Diagnostics& notes) {
  for (const ImagePart& part : parts)
    if (const std::vector<std::string>& names = part.tree.stray; !names.empty())
      addWarning(notes, "stray_images", kPath,
                 STRATA_TEXT("data",
                             "Images next to the class folders of %1 are left out (%2): %3. Move "
                             "them into the folder of their class."),
                 {part.tree.root, std::to_string(names.size()), firstNames(names)});
}

void reportEmptyClass(const std::string& folder, const std::vector<std::string>& others,
                      Diagnostics& notes) {
  Diagnostic& added = addWarning(
      notes, "empty_class", kPath,
      STRATA_TEXT(
          "data",
          "The folder %1 has no images (expected PNG or JPEG files), but still counts as a "
          "class. Add images, remove the folder, or list only the other classes in class_names."),
      {folder});
  if (!others.empty() && others.size() <= kMaxClassesInFix)
    added.fixes = {setFix(kClassNames, others)};
}

}  // namespace

void reportFolders(const SplitFolders& folders, const std::vector<ImagePart>& parts,
                   const std::vector<std::string>& classes, Diagnostics& notes) {
  reportSkipped(parts, notes);
  reportStrayImages(parts, notes);
  if (!folders.unused.empty())
    addWarning(notes, "unused_folder", kPath,
               STRATA_TEXT("data",
                           "The folder %1 is the training set, so these folders next to it are "
                           "not used: %2. Each needs a folder for each class."),
               {folders.train, firstNames(folders.unused)});
  std::vector<bool> anywhere(classes.size(), false);
  std::vector<std::vector<bool>> has;
  for (const ImagePart& part : parts) {
    has.push_back(classesWithImages(part, classes.size()));
    for (size_t i = 0; i < classes.size(); ++i)
      anywhere[i] = anywhere[i] || has.back()[i];
  }
  std::vector<std::string> others;
  for (size_t i = 0; i < classes.size(); ++i)
    if (anywhere[i]) others.push_back(classes[i]);
  for (size_t i = 0; i < classes.size(); ++i)
    if (!anywhere[i])
      reportEmptyClass((fs::path(folders.train) / classes[i]).string(), others, notes);
  for (size_t k = 0; k < parts.size(); ++k) {
    std::vector<std::string> missing;
    for (size_t i = 0; i < classes.size(); ++i)
      if (anywhere[i] && !has[k][i]) missing.push_back(classes[i]);
    if (missing.empty()) continue;
    const bool isTraining = parts[k].use == ImageUse::Training;
    addWarning(
        notes, isTraining ? "unseen_class" : "missing_class", kPath,
        isTraining
            ? STRATA_TEXT("data",
                          "The training folder %1 has no images of these classes, which other "
                          "folders have, so they cannot be learned: %2. Add images, or list only "
                          "the other classes in class_names.")
            : STRATA_TEXT("data",
                          "The folder %1 has no images of these classes of other folders, so its "
                          "results do not include them: %2. Add images."),
        {parts[k].tree.root, firstNames(missing)});
  }
}

void reportDoubtfulClasses(const SplitFolders& folders, const std::vector<ImagePart>& parts,
                           const std::vector<std::string>& classes, const std::string& path,
                           Diagnostics& notes) {
  if (!folders.doubtful.empty()) {
    const Arguments arguments{folders.train, firstNames(folders.doubtful),
                              firstNames(folders.sharedNames)};
    addWarning(notes, "doubtful_split", kPath,
               folders.sharedNames.empty()
                   ? STRATA_TEXT("data",
                                 "The folders in %1 are named like the parts of a split, but count "
                                 "as classes: %2. If they are parts, each needs a folder for each "
                                 "class. Otherwise list them in class_names.")
                   : STRATA_TEXT("data",
                                 "The folders in %1 (%2) contain folders with the same names (%3), "
                                 "so they may be the parts of a split, but count as classes. "
                                 "Rename parts to train, valid and test, or list classes in "
                                 "class_names."),
               arguments)
        .fixes = {setFix(kClassNames, folders.doubtful)};
    return;
  }
  if (classes.size() != 1) return;
  const std::string only = (fs::path(parts[0].tree.root) / classes[0]).string();
  const FolderContents contents = contentsOf(only);
  if (parts.size() == 1 && contents.folders.size() > 1 && !contents.hasImages) {
    Diagnostic& added = addWarning(
        notes, "single_class", kPath,
        STRATA_TEXT("data",
                    "%1 contains only the folder \"%2\", so all images have the same class. "
                    "Choose \"%2\" as the folder: it contains %3."),
        {parts[0].tree.root, excerpt(classes[0], 60), firstNames(contents.folders)});
    Fix use = setFix(kPath, (fs::path(path) / classes[0]).generic_string());
    use.label = STRATA_TEXT("data", "Use the folder \"%1\"");
    use.arguments = {excerpt(classes[0], 60)};
    added.fixes = {use};
    return;
  }
  addWarning(notes, "single_class", kPath,
             STRATA_TEXT("data",
                         "All images of %1 have the same class, \"%2\" (expected at least 2 "
                         "classes), so there is nothing to distinguish. Choose a folder with a "
                         "folder for each class."),
             {parts[0].tree.root, excerpt(classes[0], 60)});
}

int bitDepthOf(const std::vector<ImagePart>& parts, const std::string& field, Diagnostics& notes) {
  if (field != "auto") return field == "16" ? 16 : 8;
  std::vector<const std::string*> paths;
  for (const ImagePart& part : parts)
    for (const ImageFile& file : part.files)
      paths.push_back(&file.path);
  std::vector<char> isDeep(paths.size());
  forAllInParallel(static_cast<int64_t>(paths.size()), kFilesAtOnce, [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    isDeep[at] = hasSixteenBits(*paths[at]);
  });
  const auto firstDeep = std::find(isDeep.begin(), isDeep.end(), true),
             firstByte = std::find(isDeep.begin(), isDeep.end(), false);
  if (firstDeep == isDeep.end()) return 8;
  if (firstByte == isDeep.end()) return 16;
  const auto pathAt = [&](auto place) {
    return *paths[static_cast<size_t>(place - isDeep.begin())];
  };
  Diagnostic& added = addWarning(
      notes, "mixed_bit_depth", "/data/source/bit_depth",
      STRATA_TEXT("data",
                  "%1 of %2 images have 16 bits, such as %3, and the others have 8, such as %4. "
                  "Values of 8 bits are multiplied by 257, so that all range from 0 to 65535. Set "
                  "bit_depth to confirm this, or to round all values to 8 bits."),
      {std::to_string(std::count(isDeep.begin(), isDeep.end(), true)), std::to_string(paths.size()),
       pathAt(firstDeep), pathAt(firstByte)});
  added.fixes = {setFix("/data/source/bit_depth", "16"), setFix("/data/source/bit_depth", "8")};
  return 16;
}

/// Returns the name of a background with which none of the images is a single color, or "".
static std::string betterBackground(const std::vector<std::string>& plain,
                                    const ImageReading& reading) {
  for (const char* name : {"white", "black", "gray"}) {
    ImageReading other = reading;
    other.background = *backgroundNamed(name);
    const bool isBetter = std::none_of(plain.begin(), plain.end(), [&](const std::string& path) {
      BlendedImage blended;
      (void)readImage(path, other, &blended);
      return blended.isPlain;
    });
    if (isBetter) return name;
  }
  return {};
}

void reportPlainImages(const std::vector<std::string>& plain, const ImageReading& reading,
                       Diagnostics& notes) {
  if (plain.empty()) return;
  const std::vector<std::string> tried(
      plain.begin(),
      plain.begin() + static_cast<std::ptrdiff_t>(std::min(plain.size(), kMaxTried)));
  const std::string better = betterBackground(tried, reading);
  const Arguments arguments{std::to_string(plain.size()), plain.front(),
                            backgroundName(reading.background)};
  constexpr const char* kField = "/data/source/background";
  if (better.empty()) {
    addWarning(notes, "plain_images", kField,
               STRATA_TEXT("data",
                           "Images become a single color when their transparent pixels are "
                           "blended with the background %3 (%1, such as %2), so they hold no "
                           "information. Choose another background, or set color_mode to rgba."),
               arguments);
    return;
  }
  addWarning(notes, "plain_images", kField,
             STRATA_TEXT("data",
                         "Images become a single color when their transparent pixels are blended "
                         "with the background %3 (%1, such as %2), because what they show has the "
                         "same color. Choose another background."),
             arguments)
      .fixes = {setFix(kField, better)};
}

}  // namespace strata
