// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/dataset.h"
#include "core/data/load_progress.h"
#include "gpu/base/error.h"
#include "tests/support/image_files.h"
#include "tests/support/paths.h"

using namespace strata;
namespace fs = std::filesystem;

namespace {

constexpr int kImagesOfAClass = 150;

Project projectWithImages(const fs::path& root) {
  for (const char* name : {"first", "second"}) {
    fs::create_directories(root / name);
    for (int i = 0; i < kImagesOfAClass; ++i)
      writePngFile((root / name / (std::to_string(i) + ".png")).string(),
                   plainImage(4, 4, {static_cast<uint8_t>(i), 0, 0}));
  }
  return Project(parseJson(
      R"({"format":"strata-project","version":1,"data":{"source":{"type":"image_folder","path":")" +
          root.string() +
          R"("}},"model":{"layers":[]},"training":{"loss":"sparse_categorical_crossentropy"}})",
      "test"));
}

}  // namespace

TEST_SUITE("load progress") {
  TEST_CASE("images are counted while they are read") {
    const TemporaryFolder folder;
    const Project project = projectWithImages(folder / "images");
    std::atomic<int> reports{0};
    std::atomic<int64_t> most{0};
    const LoadProgress loading(
        [&](int64_t done, int64_t total) {
          ++reports;
          CHECK(total == 2 * kImagesOfAClass);
          CHECK(done <= total);
          int64_t known = most;
          while (done > known && !most.compare_exchange_weak(known, done)) {
          }
        },
        {});
    CHECK(loadDataset(project)->trainCount > 0);
    CHECK(most == 2 * kImagesOfAClass);
    CHECK(reports <= 2 * kImagesOfAClass);
    CHECK(reports >= 50);
  }

  TEST_CASE("another thread stops the reading") {
    const TemporaryFolder folder;
    const Project project = projectWithImages(folder / "images");
    std::stop_source stop;
    std::atomic<int64_t> last{0};
    const LoadProgress loading(
        [&](int64_t done, int64_t) {
          last = done;
          stop.request_stop();
        },
        stop.get_token());
    try {
      loadDataset(project);
      FAIL("the reading was not stopped");
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::Stopped);
    }
    CHECK(last < 2 * kImagesOfAClass);
  }
}
