// SPDX-License-Identifier: Apache-2.0
// Tests how the pixels of image files become numbers: orientation, bit depth and transparency. The
// expected values come from definitions that are written out here.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/data/exif.h"
#include "core/data/image.h"
#include "core/data/image_reading.h"
#include "gpu/base/error.h"
#include "gpu/base/rng.h"
#include "tests/support/image_files.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

std::vector<uint16_t> randomValues(size_t count, uint32_t largest) {
  RandomStream random(5, 1);
  std::vector<uint16_t> values(count);
  // The ends of the range occur often, because they are the usual values of alpha.
  for (uint16_t& value : values) {
    const uint32_t kind = random.below(4);
    value = static_cast<uint16_t>(kind == 0 ? 0 : kind == 1 ? largest : random.below(largest + 1));
  }
  return values;
}

std::vector<double> valuesOf(const Tensor& image) {
  const Tensor values = image.converted(DType::F64);
  return {values.as<double>().begin(), values.as<double>().end()};
}

/// Returns the RGBA values of each pixel of a PNG with this color type.
std::vector<std::array<double, 4>> pixelsOf(std::span<const uint16_t> values, int colorType,
                                            double largest) {
  const size_t channels = colorType == 0 ? 1 : colorType == 4 ? 2 : colorType == 2 ? 3 : 4;
  std::vector<std::array<double, 4>> pixels;
  for (size_t i = 0; i < values.size(); i += channels) {
    const auto at = [&](size_t k) {
      return static_cast<double>(values[i + k]);
    };
    if (channels < 3)
      pixels.push_back({at(0), at(0), at(0), channels == 2 ? at(1) : largest});
    else
      pixels.push_back({at(0), at(1), at(2), channels == 4 ? at(3) : largest});
  }
  return pixels;
}

/// Returns the value of an image in a channel, blended with a background in the range of values.
double expectedValue(const std::array<double, 4>& pixel, const ImageReading& reading, int channel,
                     double largest) {
  if (reading.channels == 4) return pixel[static_cast<size_t>(channel)];
  double rgb[3];
  for (size_t k = 0; k < 3; ++k) {
    const double behind = reading.background.rgb[k] * (largest / 255);
    rgb[k] = std::round((pixel[k] * pixel[3] + behind * (largest - pixel[3])) / largest);
  }
  if (reading.channels == 3) return rgb[channel];
  return std::floor((19595 * rgb[0] + 38470 * rgb[1] + 7471 * rgb[2] + 32768) / 65536);
}

}  // namespace

TEST_SUITE("image reading") {
  TEST_CASE("each orientation of EXIF data turns PNG and JPEG images upright") {
    const std::vector<uint16_t> stored{0, 10, 20, 30, 40, 50};
    const std::vector<std::vector<double>> upright{
        {0, 10, 20, 30, 40, 50}, {20, 10, 0, 50, 40, 30}, {50, 40, 30, 20, 10, 0},
        {30, 40, 50, 0, 10, 20}, {0, 30, 10, 40, 20, 50}, {30, 0, 40, 10, 50, 20},
        {50, 20, 40, 10, 30, 0}, {20, 50, 10, 40, 0, 30}};
    const TemporaryFolder folder;
    const std::string png = (folder / "a.png").string(), jpeg = (folder / "a.jpg").string();
    Tensor picture(DType::U8, {8, 16, 3});
    for (size_t i = 0; i < picture.bytes(); ++i)
      picture.as<uint8_t>()[i] = static_cast<uint8_t>(i * 255 / picture.bytes());
    writeJpegFile(jpeg, picture);
    const std::string plain = readFile(jpeg, 1 << 20);
    for (const bool isLittleEndian : {false, true})
      for (int orientation = 1; orientation <= 8; ++orientation) {
        CAPTURE(orientation);
        const std::string exif = exifOf(orientation, isLittleEndian);
        const Shape size = orientation < 5 ? Shape{2, 3} : Shape{3, 2};
        for (const int bits : {8, 16}) {
          writeFileAtomically(png, pngOf(2, 3, bits, 0, stored, pngChunk("eXIf", exif)));
          const Tensor image = readImage(png, {1, bits});
          CHECK(image.shape() == Shape{size[0], size[1], 1});
          CHECK(valuesOf(image) == upright[static_cast<size_t>(orientation - 1)]);
          CHECK(imageSize(png) == size);
          CHECK(imageSize(png, false) == Shape{2, 3});
          const ImageReading asStored{1, bits, {}, false};
          CHECK(valuesOf(readImage(png, asStored)) == upright[0]);
        }
        writeFileAtomically(jpeg, withExif(plain, exif));
        CHECK(imageOrientation(readFile(jpeg, 1 << 20)) == orientation);
        const Tensor unturned = decodeImage(plain, "plain", {3});
        CHECK(readImage(jpeg, {3}).isBitEqual(uprightImage(unturned, orientation)));
        CHECK(readImage(jpeg, {3, 8, {}, false}).isBitEqual(unturned));
      }
  }

  TEST_CASE("damaged EXIF data is ignored") {
    const TemporaryFolder folder;
    writeJpegFile((folder / "a.jpg").string(), plainImage(4, 8, {90, 90, 90}));
    const std::string plain = readFile((folder / "a.jpg").string(), 1 << 20);
    for (const bool isLittleEndian : {false, true}) {
      const std::string exif = exifOf(6, isLittleEndian);
      // The last four bytes are the offset of the next directory, which is not needed.
      for (size_t length = 0; length + 6 < exif.size(); ++length) {
        CHECK(image_parts::orientationInTiff(exif.substr(0, length)) == 1);
        CHECK(decodeImage(withExif(plain, exif.substr(0, length)), "a.jpg", {3}).shape() ==
              Shape{4, 8, 3});
      }
      for (const int wrong : {0, 9, 65535})
        CHECK(image_parts::orientationInTiff(exifOf(wrong, isLittleEndian)) == 1);
      // Byte order, magic number, offset of the directory, type and number of values
      for (const size_t at : {0, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29}) {
        std::string wrong = exif;
        wrong[at] = static_cast<char>(wrong[at] ^ 0x55);
        CAPTURE(at);
        CHECK(image_parts::orientationInTiff(wrong) == 1);
      }
      RandomStream random(9, 1);
      for (int i = 0; i < 3000; ++i) {
        std::string wrong = withExif(plain, exif);
        for (int k = 0; k < 3; ++k)
          wrong[12 + random.below(static_cast<uint32_t>(exif.size()))] =
              static_cast<char>(random.below(256));
        const int orientation = imageOrientation(wrong);
        CHECK((orientation >= 1 && orientation <= 8));
        CHECK(decodeImage(wrong, "a.jpg", {3}).numElements() == 96);
      }
    }
    CHECK(imageOrientation("") == 1);
    CHECK(imageOrientation("\xFF\xD8") == 1);
    CHECK(imageOrientation(std::string("\xFF\xD8\xFF\xE1\xFF\xFF"
                                       "Exif",
                                       10)) == 1);
    CHECK(imageOrientation(std::string("\xFF\xD8\xFF\xFF\xFF\xFF", 6)) == 1);
  }

  TEST_CASE("transparency is blended in the range of the values, rounded to the nearest integer") {
    for (const int bits : {8, 16})
      for (const int colorType : {0, 2, 4, 6}) {
        const double largest = bits == 8 ? 255 : 65535;
        const std::vector<uint16_t> values =
            randomValues(12 * 10 * 4, static_cast<uint32_t>(largest));
        const std::string png = pngOf(10,
                                      48 / (colorType == 0   ? 1
                                            : colorType == 4 ? 2
                                                             : 4),
                                      bits, colorType, std::span(values).first(480));
        if (colorType == 2) continue;
        const auto pixels = pixelsOf(values, colorType, largest);
        for (const char* name : {"white", "black", "gray", "#12ab00"})
          for (const int channels : {1, 3, 4}) {
            CAPTURE(bits);
            CAPTURE(colorType);
            CAPTURE(name);
            const ImageReading reading{channels, bits, *backgroundNamed(name)};
            const std::vector<double> got = valuesOf(decodeImage(png, "a.png", reading));
            REQUIRE(got.size() == pixels.size() * static_cast<size_t>(channels));
            int wrong = 0;
            for (size_t i = 0; i < got.size(); ++i)
              wrong += got[i] != expectedValue(pixels[i / static_cast<size_t>(channels)], reading,
                                               static_cast<int>(i) % channels, largest);
            CHECK(wrong == 0);
          }
      }
  }

  TEST_CASE("a PNG of 16 bits keeps its values") {
    const std::vector<uint16_t> deep{0, 100, 200, 300, 500, 1000, 2000, 4095, 65535};
    const std::string gray = pngOf(3, 3, 16, 0, deep), rgb = pngOf(1, 3, 16, 2, deep);
    const std::vector<double> stored(deep.begin(), deep.end());
    CHECK(decodeImage(gray, "a.png", {1, 16}).type() == TensorType{DType::F32, Shape{3, 3, 1}});
    CHECK(valuesOf(decodeImage(gray, "a.png", {1, 16})) == stored);
    CHECK(valuesOf(decodeImage(rgb, "a.png", {3, 16})) == stored);
    CHECK(valuesOf(decodeImage(gray, "a.png", {4, 16}))[3] == 65535);
    // tRNS makes the pixels of one gray value transparent.
    const std::string keyed =
        pngOf(3, 3, 16, 0, deep, pngChunk("tRNS", std::string("\x01\xF4", 2)));
    std::vector<double> blended = stored;
    blended[4] = 65535;
    CHECK(valuesOf(decodeImage(keyed, "a.png", {1, 16})) == blended);
    // With 8 bits, values are rounded as v / 257.
    const std::vector<double> bytes = valuesOf(decodeImage(gray, "a.png", {1}));
    for (size_t i = 0; i < bytes.size(); ++i)
      CHECK(bytes[i] == std::round(stored[i] / 257));
    // Images of 8 bits have 257 times their values.
    const std::vector<uint16_t> shallow{0, 1, 77, 128, 254, 255};
    std::vector<double> raised;
    for (const uint16_t value : shallow)
      raised.push_back(value * 257.0);
    CHECK(valuesOf(decodeImage(pngOf(2, 3, 8, 0, shallow), "a.png", {1, 16})) == raised);
    const std::string palette = pngOf(
        1, 3, 8, 3, std::vector<uint16_t>{1, 0, 1},
        pngChunk("PLTE", std::string("\0\0\0\1\2\3", 6)) + pngChunk("tRNS", std::string(1, 0)));
    CHECK(valuesOf(decodeImage(palette, "a.png", {3})) ==
          std::vector<double>{1, 2, 3, 255, 255, 255, 1, 2, 3});
    for (size_t length = 0; length + 12 < gray.size(); ++length)
      CHECK_THROWS_AS(decodeImage(gray.substr(0, length), "a.png", {1, 16}), Error);
    // A small file cannot declare a large image.
    const std::string head("\0\0\x1F\x40\0\0\x1F\x40\x10\6\0\0\0", 13);
    CHECK_THROWS_AS(decodeImage("\x89PNG\r\n\x1A\n" + pngChunk("IHDR", head) +
                                    pngChunk("IDAT", "x") + pngChunk("IEND", ""),
                                "a.png", {3, 16}),
                    Error);
    // Images are resized and cropped with all their bits.
    CHECK(valuesOf(resizeImage(decodeImage(gray, "a.png", {1, 16}), 1, 1))[0] ==
          std::round(valuesOf(resizeImage(decodeImage(gray, "a.png", {1, 16}), 1, 1))[0]));
    CHECK(valuesOf(cropToProportions(decodeImage(gray, "a.png", {1, 16}), 1, 3)) ==
          std::vector<double>{300, 500, 1000});
  }

  TEST_CASE("blending that makes a single color of an image is noticed") {
    const auto isPlain = [](const std::string& png, const char* background, int channels = 3) {
      BlendedImage blended;
      (void)decodeImage(png, "a.png", {channels, 8, *backgroundNamed(background)}, &blended);
      return blended.isPlain;
    };
    // A black line on transparent ground, gray with alpha
    const std::string line = pngOf(1, 4, 8, 4, std::vector<uint16_t>{0, 0, 0, 255, 0, 9, 0, 0});
    CHECK(isPlain(line, "black"));
    CHECK(!isPlain(line, "white"));
    CHECK(!isPlain(line, "black", 4));
    // An image that is a single color in the file, and one without alpha
    CHECK(!isPlain(pngOf(1, 2, 8, 4, std::vector<uint16_t>{7, 0, 7, 0}), "black"));
    CHECK(!isPlain(pngOf(1, 2, 8, 0, std::vector<uint16_t>{7, 7}), "black"));
  }

  TEST_CASE("backgrounds have names") {
    for (const char* name : {"white", "black", "gray", "black_linear", "#0a1bff"})
      CHECK(backgroundName(*backgroundNamed(name)) == name);
    CHECK(backgroundName(*backgroundNamed("#FFffFF")) == "white");
    for (const char* name : {"", "White", "#12345", "#1234567", "#12345g", "255"})
      CHECK(!backgroundNamed(name));
  }

  TEST_CASE("encodings of earlier versions stand for their reading") {
    const Json old = parseJson(R"({"type":"image","height":2,"width":3,"channels":1})", "old");
    const ImageReading before = imageReadingIn(old, 1);
    CHECK(before == ImageReading{1, 8, {{0, 0, 0}, true}, false});
    // libpng blends with black in linear light: half of white is more than 128.
    const std::string half = pngOf(1, 2, 8, 4, std::vector<uint16_t>{255, 128, 255, 255});
    CHECK(valuesOf(decodeImage(half, "a.png", before)) == std::vector<double>{186, 255});
    const ImageReading now{3, 16, *backgroundNamed("#010203"), true};
    CHECK(imageReadingIn(imageEncoding(now, 5, 6, true), 3) == now);
    for (const char* wrong :
         {R"({"bit_depth":12,"exif_orientation":true,"background":"white"})",
          R"({"bit_depth":8,"exif_orientation":true,"background":"none"})",
          R"({"bit_depth":8,"exif_orientation":1,"background":"white"})", R"({"bit_depth":8})"})
      CHECK_THROWS(imageReadingIn(parseJson(wrong, "wrong"), 3));
  }
}
