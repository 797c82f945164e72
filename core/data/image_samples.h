// SPDX-License-Identifier: Apache-2.0
// Reads the images of a list of files as samples of equal size. If they do not fit into memory, all
// are checked once, and those of a batch are decoded when it is needed. Not here: finding the files
// (image_files.h).
// Thread: the functions use all cores and block the calling thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/data/image.h"
#include "core/data/image_files.h"
#include "core/data/selection.h"

namespace strata {

struct ImageOptions {
  ImageReading reading;
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
  // Bytes of an image
  size_t bytes() const {
    return static_cast<size_t>(height * width * reading.channels) * dtypeBytes(reading.dtype());
  }
};

/// Returns the samples of these files in order. Damaged files are left out or replaced before skip
/// and take of `selection` apply, and are added to `damaged`. Sets the size in `options` if it is
/// 0. Adds the used files of which blending made a single color to `plain`. `root` is used only in
/// messages. Fails: InvalidFile if no image is left, or if the images must be kept in memory but do
/// not fit.
std::shared_ptr<const Samples> readImages(const std::string& root,
                                          const std::vector<ImageFile>& files,
                                          const Selection& selection, ImageOptions& options,
                                          std::vector<DamagedSample>& damaged,
                                          std::vector<std::string>& plain);
/// Returns the training samples, followed by the validation samples.
std::shared_ptr<const Samples> joinedSamples(const std::shared_ptr<const Samples>& training,
                                             const std::shared_ptr<const Samples>& validation);

}  // namespace strata
