// SPDX-License-Identifier: Apache-2.0
// Reads images in one folder per class. If the images do not fit into memory, all are checked once,
// and those of a batch are decoded when it is needed.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>

#include <nlohmann/json.hpp>

#include "core/data/image.h"
#include "core/data/parallel.h"
#include "core/data/source.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/base/rng.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxFolderDepth = 16;
// Number of images that a thread decodes at a time
constexpr int64_t kImagesAtOnce = 32;
// Minimum number of additional images that are decoded together to replace damaged ones
constexpr size_t kLookedAtOnce = 64;
// Fraction of the memory for images. The network uses the rest.
constexpr double kShareOfMemory = 0.6;

struct ImageFile {
  std::string path;
  int32_t label = 0;
};

struct ImageOptions {
  int channels = 3;
  // Size of the images; 0 for the size of the first image
  int64_t height = 0, width = 0;
  bool isCropped = false;
  // The field `cache`: "auto", "memory" or "none"
  std::string cache;
  // Number of bytes that are available for images
  double room = 0;
  // Number of copies of the images in memory while samples are selected
  int copies = 1;
  bool replacesDamaged = false;
};

[[noreturn]] void failFolder(const std::string& path, const std::string& message) {
  throw Error(ErrorCode::InvalidFile, path, message);
}

/// Returns the entries of a folder that are not hidden, sorted by the bytes of their names.
std::vector<fs::directory_entry> entriesOf(const std::string& folder) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (!it->path().filename().string().starts_with('.')) entries.push_back(*it);
  if (error)
    failFolder(
        folder,
        error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory
            ? std::string(
                  "is not a folder (expected one with a folder for each class). Check the name.")
            : "cannot be read (" + error.message() + "). Check its permissions.");
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a.path().filename().string() < b.path().filename().string();
  });
  return entries;
}

void collectImages(const std::string& folder, int32_t label, int depth,
                   std::vector<ImageFile>& files) {
  if (depth > kMaxFolderDepth)
    failFolder(folder, "is nested too deeply (expected at most " + std::to_string(kMaxFolderDepth) +
                           " folders). Check for a link to a parent folder.");
  for (const fs::directory_entry& entry : entriesOf(folder)) {
    std::error_code error;
    const std::string path = entry.path().string();
    if (entry.is_directory(error))
      collectImages(path, label, depth + 1, files);
    else if (isImageName(path) || isOtherImageName(path))
      files.push_back({path, label});
  }
}

std::vector<std::string> classFolders(const std::string& root) {
  std::vector<std::string> names;
  bool hasImages = false;
  for (const fs::directory_entry& entry : entriesOf(root)) {
    std::error_code error;
    if (entry.is_directory(error)) names.push_back(entry.path().filename().string());
    if (!names.empty() && !isUtf8(names.back()))
      failFolder(root,
                 "the folder \"" + names.back() +
                     "\" has a name that is not UTF-8 (expected the name of a class). Rename it.");
    hasImages = hasImages || isImageName(entry.path().string());
  }
  if (names.empty())
    failFolder(root, hasImages ? "has images but no folders (expected a folder for each class). "
                                 "Put the images of each class into a separate folder."
                               : "has no folders (expected one for each class, with PNG or JPEG "
                                 "images). Choose another folder.");
  return names;
}

/// Returns the images of all classes. Each class is spread evenly, so that all parts of the list
/// contain the classes in the same proportions.
std::vector<ImageFile> imagesIn(const std::string& root, const std::vector<std::string>& classes) {
  struct Placed {
    double place;
    ImageFile file;
  };
  std::vector<Placed> placed;
  for (size_t i = 0; i < classes.size(); ++i) {
    const std::string folder = (fs::path(root) / classes[i]).string();
    std::error_code error;
    if (!fs::is_directory(folder, error)) continue;
    std::vector<ImageFile> files;
    collectImages(folder, static_cast<int32_t>(i), 0, files);
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
    failFolder(root,
               "has no images in its folders (expected PNG or JPEG files). Choose another folder.");
  return result;
}

Tensor fittedImage(Tensor image, const ImageOptions& options) {
  if (image.shape()[0] == options.height && image.shape()[1] == options.width) return image;
  if (options.isCropped) image = cropToProportions(image, options.height, options.width);
  return resizeImage(image, options.height, options.width);
}

/// Returns whether `count` images are kept in memory, and reserves room for them if so. Fails:
/// InvalidFile if the images must be kept in memory but do not fit.
bool takeRoom(const std::string& root, int64_t count, ImageOptions& options) {
  const double need = static_cast<double>(count) *
                      static_cast<double>(options.height * options.width * options.channels) *
                      static_cast<double>(options.copies);
  if (options.cache == "none" || (options.cache == "auto" && need > options.room)) return false;
  if (need > options.room) {
    const double shrink = std::sqrt(options.room / need);
    const auto shrunk = [&](int64_t side) {
      return std::to_string(
          std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(side) * shrink)));
    };
    failFolder(
        root,
        "does not fit into memory (" + counted(count, "image") + " of " +
            std::to_string(options.height) + " x " + std::to_string(options.width) + " x " +
            std::to_string(options.channels) + " need " +
            std::to_string(static_cast<int64_t>(need)) +
            " bytes, available: " + std::to_string(static_cast<int64_t>(options.room)) +
            "). Set cache of the source to auto, image_size to [" + shrunk(options.height) + ", " +
            shrunk(options.width) + "], or take of data to " +
            std::to_string(static_cast<int64_t>(static_cast<double>(count) * options.room / need)) +
            ".");
  }
  options.room -= need;
  return true;
}

/// Returns the index of a file for each sample. Checks files in order with `isGood` until there are
/// enough samples. A damaged file is left out or replaced by the nearest good file of its class,
/// preferably an earlier one. Damaged files that are not needed are not reported.
std::vector<size_t> filesOfSamples(const std::vector<ImageFile>& files, size_t wanted,
                                   bool replacesDamaged,
                                   const std::function<bool(size_t)>& isGood) {
  std::vector<size_t> kept;
  std::map<int32_t, size_t> lastGood;
  // Indices in `kept` that wait for the first good file of their class
  std::map<int32_t, std::vector<size_t>> waiting;
  // Number of these indices that belong to wanted samples
  size_t open = 0;
  for (size_t i = 0; i < files.size() && (kept.size() < wanted || open > 0); ++i) {
    const int32_t label = files[i].label;
    if (isGood(i)) {
      lastGood[label] = i;
      for (const size_t place : waiting[label]) {
        kept[place] = i;
        if (place < wanted) --open;
      }
      waiting[label].clear();
      kept.push_back(i);
      continue;
    }
    if (!replacesDamaged) continue;
    const auto good = lastGood.find(label);
    if (good == lastGood.end()) {
      waiting[label].push_back(kept.size());
      if (kept.size() < wanted) ++open;
    }
    kept.push_back(good == lastGood.end() ? SIZE_MAX : good->second);
  }
  // Removes damaged images of classes without a good image.
  std::erase(kept, SIZE_MAX);
  kept.resize(std::min(kept.size(), wanted));
  return kept;
}

/// Returns the samples of these files. Damaged files are left out or replaced before skip and take
/// of `selection` apply.
std::shared_ptr<const Samples> readImages(const std::string& root,
                                          const std::vector<ImageFile>& files,
                                          const Selection& selection, ImageOptions& options,
                                          std::vector<DamagedSample>& damaged) {
  const auto first =
      static_cast<size_t>(std::min<int64_t>(selection.skip, static_cast<int64_t>(files.size())));
  // The number of samples if no file is damaged
  const int64_t most = selection.sliced(static_cast<int64_t>(files.size()));
  if (most == 0) failFolder(root, "has no image left after skip of data. Lower skip.");
  const size_t wanted = first + static_cast<size_t>(most);
  for (size_t i = first; i < files.size() && options.height == 0; ++i)
    try {
      const Shape size = imageSize(files[i].path);
      options.height = size[0];
      options.width = size[1];
    }
    catch (const Error&) {
      // Damaged files are reported below.
    }
  if (options.height == 0) {
    try {
      imageSize(files[first].path);
    }
    catch (const Error& error) {
      failFolder(root, "has no readable image. " + error.line());
    }
  }
  const bool isKept = takeRoom(root, most, options);
  // Decoded images of the files from `first` to `wanted`, if they are kept in memory
  Tensor images(DType::U8, {isKept ? most : 0, options.height, options.width, options.channels});
  const size_t bytes = static_cast<size_t>(options.height * options.width * options.channels);
  std::vector<std::string> reasons(files.size());
  // Number of files that have been decoded to find damaged ones
  size_t looked = 0;
  const auto lookUntil = [&](size_t end) {
    const size_t begin = looked;
    looked = std::min(end, files.size());
    forAllInParallel(static_cast<int64_t>(looked - begin), kImagesAtOnce, [&](int64_t i) {
      const size_t at = begin + static_cast<size_t>(i);
      try {
        Tensor image = readImage(files[at].path, options.channels);
        if (isKept && at >= first && at < wanted)
          std::memcpy(images.data() + (at - first) * bytes,
                      fittedImage(std::move(image), options).data(), bytes);
      }
      catch (const Error& error) {
        if (error.code() != ErrorCode::InvalidFile && error.code() != ErrorCode::IoFailure) throw;
        reasons[at] = error.what();
      }
    });
  };
  lookUntil(wanted);
  const auto isGood = [&](size_t i) {
    // The number of additional files doubles each time, so that few passes are needed even if most
    // files are damaged.
    if (i == looked) lookUntil(looked + std::max(kLookedAtOnce, looked - wanted));
    if (!reasons[i].empty()) damaged.push_back({files[i].path, reasons[i]});
    return reasons[i].empty();
  };
  std::vector<size_t> kept = filesOfSamples(files, wanted, options.replacesDamaged, isGood);
  if (kept.empty())
    failFolder(root,
               "has no readable image. " + damaged.front().file + ": " + damaged.front().reason);
  if (kept.size() <= first)
    failFolder(root, "has no image left after skip of data (" +
                         counted(static_cast<int64_t>(kept.size()), "image") +
                         " can be read, skip is " + std::to_string(selection.skip) +
                         "). Lower skip.");
  kept.erase(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(first));
  auto samples = std::make_shared<Samples>();
  const auto good = static_cast<int64_t>(kept.size());
  bool isAsRead = good == most;
  for (size_t i = 0; i < kept.size() && isAsRead; ++i)
    isAsRead = kept[i] == first + i;
  if (!isKept || isAsRead) {
    samples->x[0] = std::move(images);
  }
  else {
    samples->x[0] = Tensor(DType::U8, {good, options.height, options.width, options.channels});
    forAllInParallel(good, kImagesAtOnce, [&](int64_t i) {
      const size_t place = static_cast<size_t>(i), file = kept[place];
      std::byte* const row = samples->x[0].data() + place * bytes;
      if (file >= first && file < wanted)
        std::memcpy(row, images.data() + (file - first) * bytes, bytes);
      else
        std::memcpy(row, fittedImage(readImage(files[file].path, options.channels), options).data(),
                    bytes);
    });
  }
  samples->y[0] = Tensor(DType::I32, Shape{good});
  const auto paths = std::make_shared<std::vector<std::string>>();
  for (size_t i = 0; i < kept.size(); ++i) {
    samples->y[0].as<int32_t>()[i] = files[kept[i]].label;
    paths->push_back(files[kept[i]].path);
  }
  samples->origin = [paths](int64_t i) {
    return paths->at(static_cast<size_t>(i));
  };
  if (!isKept)
    samples->decode = [paths, options, bytes](int64_t i, std::byte* row) {
      const Tensor image =
          fittedImage(readImage(paths->at(static_cast<size_t>(i)), options.channels), options);
      std::memcpy(row, image.data(), bytes);
    };
  return samples;
}

/// Returns the class names in the project or, if there are none, the names of the folders.
std::vector<std::string> classesOf(const SourceInput& input, const std::string& root) {
  const std::vector<std::string> found = classFolders(root);
  const Json& given = input.fields.at("class_names");
  if (!given.is_array() || given.empty()) return found;
  const auto names = given.get<std::vector<std::string>>();
  for (const std::string& name : names)
    if (std::find(found.begin(), found.end(), name) == found.end())
      failFolder(root, "has no folder \"" + excerpt(name, 60) +
                           "\" (one of class_names). Correct class_names, or create the folder.");
  return names;
}

/// Reports classes without images.
void reportEmptyClasses(const std::string& root, const std::vector<ImageFile>& files,
                        const std::vector<std::string>& classes, Diagnostics& notes) {
  std::vector<bool> hasImage(classes.size(), false);
  for (const ImageFile& file : files)
    hasImage[static_cast<size_t>(file.label)] = true;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (hasImage[i]) continue;
    addProblem(
        notes, "empty_class", "/data/source/path",
        STRATA_TEXT(
            "data",
            "The folder %1 has no images (expected PNG or JPEG files), but still counts as a "
            "class. Add images, remove the folder, or list only the other classes in class_names."),
        {(fs::path(root) / classes[i]).string()});
    notes.back().severity = Severity::Warning;
  }
}

LoadedSamples loadImageFolder(const SourceInput& input) {
  ImageOptions options;
  const auto mode = input.fields.at("color_mode").get<std::string>();
  options.channels = mode == "rgba" ? 4 : 3;
  if (mode == "grayscale") options.channels = 1;
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
  const std::string root = pathOf(input, "path"), testRoot = pathOf(input, "test_path");
  LoadedSamples loaded;
  loaded.targets[0].classNames = classesOf(input, root);
  const std::vector<ImageFile> files = imagesIn(root, loaded.targets[0].classNames);
  reportEmptyClasses(root, files, loaded.targets[0].classNames, loaded.notes);
  // Skip and take are applied here, so that no more images are read than needed.
  loaded.isSliced = true;
  loaded.train = readImages(root, files, input.selection, options, loaded.damaged);
  if (!testRoot.empty()) {
    for (const std::string& name : classFolders(testRoot))
      if (std::find(loaded.targets[0].classNames.begin(), loaded.targets[0].classNames.end(),
                    name) == loaded.targets[0].classNames.end() &&
          !(input.fields.at("class_names").is_array() && !input.fields.at("class_names").empty()))
        failFolder(testRoot,
                   "has a folder \"" + excerpt(name, 60) +
                       "\" that is not a class of the training folder. Rename or remove it.");
    loaded.test = readImages(testRoot, imagesIn(testRoot, loaded.targets[0].classNames), {},
                             options, loaded.damaged);
  }
  loaded.encodings[0] =
      std::make_shared<const Json>(Json{{"type", "image"},
                                        {"height", options.height},
                                        {"width", options.width},
                                        {"channels", options.channels},
                                        {"crop_to_aspect_ratio", options.isCropped}});
  return loaded;
}

uint64_t folderHash(const std::string& folder, int depth) {
  uint64_t hash = streamOf(folder);
  if (depth > kMaxFolderDepth) return hash;
  for (const fs::directory_entry& entry : entriesOf(folder)) {
    std::error_code error;
    const std::string path = entry.path().string();
    if (entry.is_directory(error)) {
      hash = hash * 31 + folderHash(path, depth + 1);
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

std::string imageFolderState(const SourceInput& input) {
  std::string state = std::to_string(folderHash(pathOf(input, "path"), 0));
  if (const std::string test = pathOf(input, "test_path"); !test.empty())
    state += " " + std::to_string(folderHash(test, 0));
  return state;
}

}  // namespace

SourceDef imageFolderSource() {
  SourceDef source;
  Schema& schema = source.schema;
  schema.type = "image_folder";
  schema.group = "Source";
  schema.help =
      STRATA_TEXT("data",
                  "PNG and JPEG images in one folder per class; classes are sorted by name. Each "
                  "class is spread evenly over the samples, so that every split contains all "
                  "classes. Values are sRGB: the gamma of a PNG is corrected, color profiles are "
                  "not applied, and transparency is blended with black unless color_mode is rgba.");
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
      pathField(PathKind::Folder, "test_path", STRATA_TEXT("data", "Test folder"),
                STRATA_TEXT("data", "Folder with the same classes, used as the test set."), true),
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
  source.load = loadImageFolder;
  source.state = imageFolderState;
  return source;
}

}  // namespace strata
