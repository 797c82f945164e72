// SPDX-License-Identifier: Apache-2.0
#include "core/data/image_reading.h"

#include <array>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/data/source.h"

namespace strata {

namespace {

constexpr const char* kBackground = "background";
constexpr const char* kBitDepth = "bit_depth";
constexpr const char* kOrientation = "exif_orientation";
constexpr const char* kLinearBlack = "black_linear";

const std::array<std::pair<const char*, Background>, 3> kNamed{
    {{"white", {{255, 255, 255}}}, {"black", {{0, 0, 0}}}, {"gray", {{128, 128, 128}}}}};

}  // namespace

std::vector<FieldSchema> imageReadingFields() {
  FieldSchema background = textField(
      kBackground, STRATA_TEXT("data", "Background"),
      STRATA_TEXT("data",
                  "Color behind transparent pixels if color_mode is not rgba: white, black, gray "
                  "or #RRGGBB. black_linear blends with black in linear light, as versions without "
                  "this field did."));
  background.defaultJson = "\"white\"";
  return {background,
          choiceField(kBitDepth, "\"auto\"", {"auto", "8", "16"}, STRATA_TEXT("data", "Bit depth"),
                      STRATA_TEXT("data",
                                  "Bits of a value. 8: 0 to 255; 16: 0 to 65535, with images of 8 "
                                  "bits multiplied by 257; auto: 16 if any PNG file has 16 bits, "
                                  "otherwise 8.")),
          dataField(kOrientation, FieldType::Boolean, "true", STRATA_TEXT("data", "Upright images"),
                    STRATA_TEXT("data",
                                "Turns images upright, as the orientation in their EXIF data "
                                "requires."))};
}

std::optional<Background> backgroundNamed(const std::string& name) {
  if (name == kLinearBlack) return Background{{0, 0, 0}, true};
  for (const auto& [known, background] : kNamed)
    if (name == known) return background;
  if (name.size() != 7 || name[0] != '#' ||
      name.find_first_not_of("0123456789abcdefABCDEF", 1) != std::string::npos)
    return std::nullopt;
  Background result;
  for (size_t i = 0; i < 3; ++i)
    result.rgb[i] = static_cast<uint8_t>(std::stoi(name.substr(1 + 2 * i, 2), nullptr, 16));
  return result;
}

std::string backgroundName(const Background& background) {
  if (background.isLinearBlack) return kLinearBlack;
  for (const auto& [known, each] : kNamed)
    if (each == background) return known;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name = "#";
  for (const uint8_t value : background.rgb) {
    name += kDigits[value / 16];
    name += kDigits[value % 16];
  }
  return name;
}

bool isImageEncoding(const std::shared_ptr<const Json>& encoding) {
  return encoding && encoding->is_object() && encoding->value("type", std::string()) == "image";
}

Json imageEncoding(const ImageReading& reading, int64_t height, int64_t width, bool isCropped) {
  return {{"type", "image"},
          {"height", height},
          {"width", width},
          {"channels", reading.channels},
          {"crop_to_aspect_ratio", isCropped},
          {kOrientation, reading.isUpright},
          {kBitDepth, reading.bits},
          {kBackground, backgroundName(reading.background)}};
}

ImageReading imageReadingIn(const Json& encoding, int channels) {
  if (!encoding.contains(kBitDepth)) return {channels, 8, {{0, 0, 0}, true}, false};
  ImageReading reading;
  reading.channels = channels;
  reading.bits = encoding.at(kBitDepth).get<int>();
  reading.isUpright = encoding.at(kOrientation).get<bool>();
  const auto background = backgroundNamed(encoding.at(kBackground).get<std::string>());
  if (!background || (reading.bits != 8 && reading.bits != 16)) throw std::out_of_range("image");
  reading.background = *background;
  return reading;
}

Project withRecordedReading(Project project, const std::string& weights) {
  Json* const data = project.document().is_object() && project.document().contains("data")
                         ? &project.document()["data"]
                         : nullptr;
  if (!data || memberOf(memberOf(*data, "source"), "type") != "image_folder") return project;
  const std::string kept = savedPreprocessing(weights);
  if (kept.empty()) return project;
  const Preprocessing preprocessing = readPreprocessing(kept);
  if (!isImageEncoding(preprocessing.encodings[0]) || preprocessing.classNames.empty())
    return project;
  const ImageReading reading = imageReadingIn(*preprocessing.encodings[0], 3);
  Json& source = (*data)["source"];
  source[kBitDepth] = std::to_string(reading.bits);
  source[kOrientation] = reading.isUpright;
  source[kBackground] = backgroundName(reading.background);
  // The folders may have changed since the run, or have other classes for this version.
  const std::vector<std::string>& classes = preprocessing.classNames[0];
  if (memberOf(source, "class_names").is_null() && !classes.empty())
    source["class_names"] = classes;
  return project;
}

}  // namespace strata
