// SPDX-License-Identifier: Apache-2.0
// Reads images in one folder per class. The folder may be split into training, validation and test.
// Not here: finding files (image_files.h), decoding them as samples (image_samples.h), and problems
// of their contents (image_notes.h).
#include <algorithm>
#include <filesystem>
#include <set>

#include <nlohmann/json.hpp>

#include "core/data/image_files.h"
#include "core/data/image_notes.h"
#include "core/data/image_reading.h"
#include "core/data/image_samples.h"
#include "core/data/source.h"
#include "core/data/split_folders.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

// Fraction of the memory for images. The network uses the rest.
constexpr double kShareOfMemory = 0.6;

const Json& classNamesField(const SourceInput& input) {
  static const Json none;
  const Json& given = input.fields.at("class_names");
  return given.is_array() && !given.empty() ? given : none;
}

/// Returns the folders of the three parts: the ones in the fields, or else the ones that the
/// folder contains.
SplitFolders foldersOf(const SourceInput& input) {
  const std::string root = pathOf(input, "path");
  const Json& names = classNamesField(input);
  // If the folder itself contains the requested classes, it is not split.
  const auto hasClasses = [&] {
    if (names.is_null()) return false;
    const std::vector<std::string> found = imageTree(root).classes;
    return std::find(found.begin(), found.end(), names[0].get<std::string>()) != found.end();
  };
  SplitFolders folders = hasClasses() ? SplitFolders{root, "", ""} : splitFoldersIn(root);
  if (!folders.rivals.empty())
    failFolder(root,
               "has two folders for the same part of the split: " + joinedNames(folders.rivals) +
                   " (expected one). Rename or remove one, or set path to the training folder, and "
                   "validation_path or test_path to another one.");
  if (const std::string path = pathOf(input, "validation_path"); !path.empty())
    folders.validation = path;
  if (const std::string path = pathOf(input, "test_path"); !path.empty()) folders.test = path;
  return folders;
}

/// Returns the class names in the project or, if there are none, all folders of the parts, sorted.
std::vector<std::string> classesOf(const SourceInput& input, const std::vector<ImagePart>& parts) {
  std::set<std::string> found;
  for (const ImagePart& part : parts)
    found.insert(part.tree.classes.begin(), part.tree.classes.end());
  const Json& given = classNamesField(input);
  if (given.is_null()) return {found.begin(), found.end()};
  const auto names = given.get<std::vector<std::string>>();
  // A name in the project counts even if the folder would be left out, such as __MACOSX.
  const auto exists = [&](const std::string& name) {
    std::error_code error;
    const bool isName = name != ".." && fs::path(name).filename() == name;
    return isName && std::any_of(parts.begin(), parts.end(), [&](const ImagePart& part) {
             return fs::is_directory(fs::path(part.tree.root) / name, error);
           });
  };
  for (const std::string& name : names)
    if (!found.contains(name) && !exists(name))
      throw Error(ErrorCode::InvalidFile, parts[0].tree.root,
                  "has no folder \"" + excerpt(name, 60) +
                      "\" (one of class_names). Correct class_names, or create the folder.");
  return names;
}

ImageOptions optionsOf(const SourceInput& input) {
  ImageOptions options;
  const auto mode = input.fields.at("color_mode").get<std::string>();
  options.reading.channels = mode == "rgba" ? 4 : 3;
  if (mode == "grayscale") options.reading.channels = 1;
  options.reading.isUpright = input.fields.at("exif_orientation").get<bool>();
  const auto name = input.fields.at("background").get<std::string>();
  const std::optional<Background> background = backgroundNamed(name);
  if (!background)
    throw Error(ErrorCode::InvalidProject, "/data/source/background",
                "background is not a color (expected white, black, gray or #RRGGBB, got " +
                    excerpt(name, 40) + "). Correct it.");
  options.reading.background = *background;
  options.isCropped = input.fields.at("crop_to_aspect_ratio").get<bool>();
  options.cache = input.fields.at("cache").get<std::string>();
  options.room = kShareOfMemory *
                 static_cast<double>(std::min(availableMemoryBytes(), input.memoryLimitBytes));
  if (input.selection.splitSeed || input.selection.testSplit > 0) options.copies = 2;
  options.replacesDamaged = input.replacesDamaged;
  if (const Json& size = input.fields.at("image_size"); size.is_array()) {
    options.height = size[0].get<int64_t>();
    options.width = size[1].get<int64_t>();
  }
  else if (size.is_number()) {
    options.height = options.width = size.get<int64_t>();
  }
  return options;
}

/// Returns the parts that have a folder, with their class folders.
std::vector<ImagePart> partsOf(const SplitFolders& folders) {
  std::vector<ImagePart> parts;
  const auto add = [&](ImageUse use, const std::string& folder) {
    if (!folder.empty()) parts.push_back({use, imageTree(folder), {}});
  };
  add(ImageUse::Training, folders.train);
  add(ImageUse::Validation, folders.validation);
  add(ImageUse::Test, folders.test);
  return parts;
}

LoadedSamples loadImageFolder(const SourceInput& input) {
  ImageOptions options = optionsOf(input);
  const SplitFolders folders = foldersOf(input);
  std::vector<ImagePart> parts = partsOf(folders);
  LoadedSamples loaded;
  const std::vector<std::string> classes = classesOf(input, parts);
  loaded.targets[0].classNames = classes;
  for (ImagePart& part : parts)
    part.files = imagesOf(part.tree, classes);
  reportFolders(folders, parts, classes, loaded.notes);
  if (classNamesField(input).is_null())
    reportDoubtfulClasses(folders, parts, classes, input.fields.at("path").get<std::string>(),
                          loaded.notes);
  options.reading.bits =
      bitDepthOf(parts, input.fields.at("bit_depth").get<std::string>(), loaded.notes);
  loaded.largest = options.reading.bits == 16 ? 65535 : 255;
  if (!folders.validation.empty()) options.copies = 2;
  // Skip and take are applied here, so that no more images are read than needed.
  loaded.isSliced = true;
  std::vector<std::string> plain;
  for (const ImagePart& part : parts) {
    const bool isTraining = part.use == ImageUse::Training;
    auto samples =
        readImages(part.tree.root, part.files, isTraining ? input.selection : Selection{}, options,
                   loaded.damaged, plain);
    if (isTraining)
      loaded.train = std::move(samples);
    else if (part.use == ImageUse::Test)
      loaded.test = std::move(samples);
    else {
      loaded.ownValidation = samples->count();
      loaded.train = joinedSamples(loaded.train, samples);
    }
    if (parts.size() > 1) loaded.splitFolders.push_back(part.tree.root);
  }
  reportPlainImages(plain, options.reading, loaded.notes);
  loaded.encodings[0] = std::make_shared<const Json>(
      imageEncoding(options.reading, options.height, options.width, options.isCropped));
  return loaded;
}

std::string imageFolderState(const SourceInput& input) {
  std::string state = std::to_string(hashOfFolder(pathOf(input, "path")));
  for (const char* field : {"validation_path", "test_path"})
    if (const std::string path = pathOf(input, field); !path.empty())
      state += " " + std::to_string(hashOfFolder(path));
  return state;
}

}  // namespace

SourceDef imageFolderSource() {
  SourceDef source;
  Schema& schema = source.schema;
  schema.type = "image_folder";
  schema.group = "Source";
  schema.help = STRATA_TEXT(
      "data",
      "PNG and JPEG images in one folder per class; classes are sorted by name. Each "
      "class is spread evenly over the samples, so that every split contains all "
      "classes. If the folder contains train, valid and test (or similar names, such as "
      "seg_train or holdout) with a folder per class in each, these are the splits. Values are "
      "sRGB: the gamma of a "
      "PNG of 8 bits is corrected, and color profiles are not applied. Hidden files "
      "and folders of operating systems, such as __MACOSX, are left out.");
  schema.source = "Keras 3, keras.utils.image_dataset_from_directory";
  FieldSchema size = dataField(
      "image_size", FieldType::IntegerPair, "null", STRATA_TEXT("data", "Image size"),
      STRATA_TEXT(
          "data",
          "Height and width that all images are resized to; by default those of the first image."));
  size.minimum = 1;
  size.maximum = 16384;
  size.unit = "pixels";
  schema.fields = {
      pathField(
          PathKind::Folder, "path", STRATA_TEXT("data", "Folder"),
          STRATA_TEXT(
              "data",
              "Path of a folder with one subfolder per class, relative to the project file.")),
      pathField(PathKind::Folder, "validation_path", STRATA_TEXT("data", "Validation folder"),
                STRATA_TEXT("data",
                            "Folder with the same classes, used as the validation set; by default "
                            "valid, val or validation in a split folder."),
                true),
      pathField(PathKind::Folder, "test_path", STRATA_TEXT("data", "Test folder"),
                STRATA_TEXT("data",
                            "Folder with the same classes, used as the test set; by default test "
                            "in a split folder."),
                true),
      size,
      choiceField(
          "color_mode", "\"rgb\"", {"grayscale", "rgb", "rgba"}, STRATA_TEXT("data", "Color mode"),
          STRATA_TEXT("data",
                      "grayscale, rgb or rgba: images are converted to 1, 3 or 4 channels.")),
      dataField(
          "crop_to_aspect_ratio", FieldType::Boolean, "false", STRATA_TEXT("data", "Crop"),
          STRATA_TEXT("data",
                      "Images with a different aspect ratio are cropped instead of stretched.")),
      dataField("class_names", FieldType::StringList, "null", STRATA_TEXT("data", "Class folders"),
                STRATA_TEXT("data",
                            "Folders to use, in the order of their class numbers; by default all, "
                            "sorted by name.")),
      choiceField(
          "cache", "\"auto\"", {"auto", "memory", "none"}, STRATA_TEXT("data", "Keep in memory"),
          STRATA_TEXT("data",
                      "memory: images are decoded once and kept; none: the images of a batch are "
                      "decoded during the previous step; auto: memory if all images take at most "
                      "60% of the free memory and of memory_limit, otherwise none."))};
  for (FieldSchema& field : imageReadingFields())
    schema.fields.push_back(std::move(field));
  source.load = loadImageFolder;
  source.state = imageFolderState;
  return source;
}

}  // namespace strata
