// SPDX-License-Identifier: Apache-2.0
// How a project or a run reads images: as fields of the source, and as the record in
// preprocessing.json. Not here: decoding (image.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/data/image.h"
#include "core/layers/schema.h"
#include "core/project/project.h"

namespace strata {

/// Returns the fields of a source that determine how it reads images: background, bit_depth and
/// exif_orientation.
std::vector<FieldSchema> imageReadingFields();

/// Returns the background with this name: white, black, gray, black_linear, or #RRGGBB. Returns
/// nullopt for other texts.
std::optional<Background> backgroundNamed(const std::string& name);
/// Returns the shortest name of a background.
std::string backgroundName(const Background& background);

/// Whether the inputs of a network are images that a source read.
bool isImageEncoding(const std::shared_ptr<const Json>& encoding);
/// Returns the encoding of images that are read in this way and have this size.
Json imageEncoding(const ImageReading& reading, int64_t height, int64_t width, bool isCropped);
/// Returns the reading of an encoding with isImageEncoding(). Encodings of earlier versions do not
/// contain it: then values have 8 bits, transparency is blended with black in linear light, and the
/// orientation of EXIF data is ignored. Throws an exception of the JSON library, or
/// std::out_of_range, if a member is wrong.
ImageReading imageReadingIn(const Json& encoding, int channels);
/// Returns the project with a source that reads images and numbers classes as the run of `weights`
/// did. Returns the project unchanged if its source has no images, or if `weights` belong to no run
/// that recorded its preprocessing. Fails: InvalidFile if the record is damaged.
Project withRecordedReading(Project project, const std::string& weights);

}  // namespace strata
