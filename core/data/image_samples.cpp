// SPDX-License-Identifier: Apache-2.0
#include "core/data/image_samples.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <utility>

#include "core/data/load_progress.h"
#include "core/data/parallel.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

// Number of images that a thread decodes at a time
constexpr int64_t kImagesAtOnce = 32;
// Minimum number of additional images that are decoded together to replace damaged ones
constexpr size_t kLookedAtOnce = 64;

Tensor fittedImage(Tensor image, const ImageOptions& options) {
  if (image.shape()[0] == options.height && image.shape()[1] == options.width) return image;
  if (options.isCropped) image = cropToProportions(image, options.height, options.width);
  return resizeImage(image, options.height, options.width);
}

/// Returns whether `count` images are kept in memory, and reserves room for them if so. Fails:
/// InvalidFile if the images must be kept in memory but do not fit.
bool takeRoom(const std::string& root, int64_t count, ImageOptions& options) {
  const double need = static_cast<double>(count) * static_cast<double>(options.bytes()) *
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
            std::to_string(options.reading.channels) + " need " +
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

}  // namespace

std::shared_ptr<const Samples> readImages(const std::string& root,
                                          const std::vector<ImageFile>& files,
                                          const Selection& selection, ImageOptions& options,
                                          std::vector<DamagedSample>& damaged,
                                          std::vector<std::string>& plain) {
  const auto first =
      static_cast<size_t>(std::min<int64_t>(selection.skip, static_cast<int64_t>(files.size())));
  // The number of samples if no file is damaged
  const int64_t most = selection.sliced(static_cast<int64_t>(files.size()));
  if (most == 0) failFolder(root, "has no image left after skip of data. Lower skip.");
  const size_t wanted = first + static_cast<size_t>(most);
  for (size_t i = first; i < files.size() && options.height == 0; ++i)
    try {
      const Shape size = imageSize(files[i].path, options.reading.isUpright);
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
  const DType dtype = options.reading.dtype();
  const int64_t channels = options.reading.channels;
  Tensor images(dtype, {isKept ? most : 0, options.height, options.width, channels});
  const size_t bytes = options.bytes();
  std::vector<std::string> reasons(files.size());
  std::vector<BlendedImage> blended(files.size());
  // Number of files that have been decoded to find damaged ones
  size_t looked = 0;
  const auto lookUntil = [&](size_t end) {
    const size_t begin = looked;
    looked = std::min(end, files.size());
    LoadProgress* const progress = LoadProgress::current();
    if (progress) progress->begin(static_cast<int64_t>(looked - begin));
    forAllInParallel(static_cast<int64_t>(looked - begin), kImagesAtOnce, [&](int64_t i) {
      const size_t at = begin + static_cast<size_t>(i);
      if (progress) progress->step();
      try {
        Tensor image = readImage(files[at].path, options.reading, &blended[at]);
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
    samples->x[0] = Tensor(dtype, {good, options.height, options.width, channels});
    forAllInParallel(good, kImagesAtOnce, [&](int64_t i) {
      const size_t place = static_cast<size_t>(i), file = kept[place];
      std::byte* const row = samples->x[0].data() + place * bytes;
      if (file >= first && file < wanted)
        std::memcpy(row, images.data() + (file - first) * bytes, bytes);
      else
        std::memcpy(row, fittedImage(readImage(files[file].path, options.reading), options).data(),
                    bytes);
    });
  }
  samples->y[0] = Tensor(DType::I32, Shape{good});
  const auto paths = std::make_shared<std::vector<std::string>>();
  for (size_t i = 0; i < kept.size(); ++i) {
    samples->y[0].as<int32_t>()[i] = files[kept[i]].label;
    paths->push_back(files[kept[i]].path);
    if (blended[kept[i]].isPlain) plain.push_back(files[kept[i]].path);
  }
  samples->origin = [paths](int64_t i) {
    return paths->at(static_cast<size_t>(i));
  };
  if (!isKept)
    samples->decode = [paths, options, bytes](int64_t i, std::byte* row) {
      const Tensor image =
          fittedImage(readImage(paths->at(static_cast<size_t>(i)), options.reading), options);
      std::memcpy(row, image.data(), bytes);
    };
  return samples;
}

std::shared_ptr<const Samples> joinedSamples(const std::shared_ptr<const Samples>& training,
                                             const std::shared_ptr<const Samples>& validation) {
  const int64_t first = training->count();
  const auto isOfFirst = [first](int64_t i) {
    return i < first;
  };
  const auto joined = [](const Tensor& a, const Tensor& b) {
    Shape shape = a.shape();
    shape.set(0, a.shape()[0] + b.shape()[0]);
    Tensor result(a.dtype(), shape);
    std::memcpy(result.data(), a.data(), a.bytes());
    std::memcpy(result.data() + a.bytes(), b.data(), b.bytes());
    return result;
  };
  auto samples = std::make_shared<Samples>();
  samples->y[0] = joined(training->y[0], validation->y[0]);
  samples->origin = [=](int64_t i) {
    return isOfFirst(i) ? training->origin(i) : validation->origin(i - first);
  };
  if (!training->decode && !validation->decode) {
    samples->x[0] = joined(training->x[0], validation->x[0]);
    return samples;
  }
  // If one part is decoded for each batch, so is the other.
  samples->x[0] = Tensor(training->x[0].dtype(), [&] {
    Shape shape = training->x[0].shape();
    shape.set(0, 0);
    return shape;
  }());
  const auto decodes = [](const std::shared_ptr<const Samples>& part, int64_t i, std::byte* row) {
    if (part->decode) return part->decode(i, row);
    const size_t bytes = part->x[0].bytes() / static_cast<size_t>(part->count());
    std::memcpy(row, part->x[0].data() + static_cast<size_t>(i) * bytes, bytes);
  };
  samples->decode = [=](int64_t i, std::byte* row) {
    if (isOfFirst(i))
      decodes(training, i, row);
    else
      decodes(validation, i - first, row);
  };
  return samples;
}

}  // namespace strata
