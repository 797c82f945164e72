// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the images of samples that the Data and Results pages show: upright, with all bits, and
// with transparency.
#include <QtTest>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "tests/support/image_files.h"
#include "tests/support/paths.h"
#include "ui/pages/sample_image.h"
#include "ui/run/run_text.h"

using namespace strata;
using namespace strata::ui;

namespace {

/// A project whose classes 0 to 9 have an image each.
Project projectOf(const TemporaryFolder& folder, const std::string& png, const char* mode) {
  for (int i = 0; i < 10; ++i) {
    const auto path = folder / ("c" + std::to_string(i)) / "1.png";
    std::filesystem::create_directories(path.parent_path());
    writeFileAtomically(path.string(), png);
  }
  return Project(
      {{"format", "strata-project"},
       {"version", 1},
       {"data",
        {{"source",
          {{"type", "image_folder"}, {"path", folder.path().string()}, {"color_mode", mode}}}}},
       {"model", {{"layers", Json::array()}}},
       {"training", {{"loss", "sparse_categorical_crossentropy"}}}});
}

QImage firstImage(const Project& project) { return sampleImage(*loadDataset(project)->train, 0); }

}  // namespace

class TestSampleImages : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void imagesAreUpright() {
    const TemporaryFolder folder;
    // The left column is white in the file, and the top row in the upright image.
    const std::vector<uint16_t> values{255, 0, 0, 255, 0, 0};
    const QImage image = firstImage(projectOf(
        folder, pngOf(2, 3, 8, 0, values, pngChunk("eXIf", exifOf(6, true))), "grayscale"));
    QCOMPARE(image.size(), QSize(2, 3));
    QCOMPARE(qGray(image.pixel(0, 0)), 255);
    QCOMPARE(qGray(image.pixel(1, 0)), 255);
    QCOMPARE(qGray(image.pixel(0, 1)), 0);
  }

  void imagesOfSixteenBitsUseTheirRange() {
    const TemporaryFolder folder;
    const Project project = projectOf(
        folder, pngOf(2, 2, 16, 0, std::vector<uint16_t>{0, 1000, 2000, 4000}), "grayscale");
    const QImage image = firstImage(project);
    QCOMPARE(qGray(image.pixel(1, 1)), 255);
    QCOMPARE(qGray(image.pixel(0, 1)), 127);
    // A drawing can be tried, because it is brought into the same range.
    QVERIFY(takesDigits(project));
  }

  void transparentImagesAreShownWithTheirAlpha() {
    const TemporaryFolder folder;
    std::vector<uint16_t> values{10, 20, 30, 0, 10, 20, 30, 255};
    values.insert(values.end(), values.begin(), values.begin() + 8);
    const QImage image = firstImage(projectOf(folder, pngOf(2, 2, 8, 6, values), "rgba"));
    QCOMPARE(qAlpha(image.pixel(0, 0)), 0);
    QCOMPARE(image.pixelColor(1, 0), QColor(10, 20, 30));
  }
};

QTEST_MAIN(TestSampleImages)
#include "tst_sample_images.moc"
