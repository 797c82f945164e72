// SPDX-License-Identifier: Apache-2.0
// Tests the file with the classes of the validations of a run.
#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "core/evaluation/class_file.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

ClassValidation validationAt(int64_t step, int64_t classes = 3) {
  ClassValidation validation{step, step / 10, {}};
  OutputClasses& output = validation.outputs.emplace_back();
  output.output = "out";
  output.confusion.classes = classes;
  output.confusion.counts.resize(static_cast<size_t>(classes * classes));
  std::iota(output.confusion.counts.begin(), output.confusion.counts.end(), step);
  output.confusion.counts[1] = 0;
  for (int64_t k = 0; k < classes; ++k)
    output.classNames.push_back("class \"" + std::to_string(k) + "\"");
  return validation;
}

std::vector<ClassValidation> readAll(const std::filesystem::path& path) {
  std::vector<ClassValidation> all;
  readClassFile(path.string(), [&](ClassValidation&& validation) {
    all.push_back(std::move(validation));
    return true;
  });
  return all;
}

std::vector<int64_t> stepsIn(const std::filesystem::path& path) {
  std::vector<int64_t> steps;
  for (const ClassValidation& validation : readAll(path))
    steps.push_back(validation.step);
  return steps;
}

}  // namespace

TEST_SUITE("class_file") {
  TEST_CASE("a validation comes back as it was, and damaged lines are skipped") {
    const TemporaryFolder folder;
    const auto path = folder / kClassFile;
    CHECK(readAll(path).empty());
    ClassLog log(path.string(), std::nullopt);
    log.append(validationAt(10));
    log.append(validationAt(20));
    std::ofstream(path, std::ios::app) << R"({"step": 30, "epoch": 3, "outputs": [{"output": "out",
"classes": ["a"], "confusion": [[7, 1]]}]})"
                                       << "\n{\"step\": 40, \"epo";
    const std::vector<ClassValidation> all = readAll(path);
    REQUIRE(all.size() == 2);
    const ClassValidation expected = validationAt(20);
    CHECK(all[1].step == 20);
    CHECK(all[1].epoch == 2);
    REQUIRE(all[1].outputs.size() == 1);
    CHECK(all[1].outputs[0].output == "out");
    CHECK(all[1].outputs[0].classNames == expected.outputs[0].classNames);
    CHECK(all[1].outputs[0].confusion.counts == expected.outputs[0].confusion.counts);
    // The log cuts what it did not write
    log.append(validationAt(50));
    CHECK(stepsIn(path) == std::vector<int64_t>{10, 20, 50});
  }

  TEST_CASE("a continued run removes what follows its checkpoint") {
    const TemporaryFolder folder;
    const auto path = folder / kClassFile;
    {
      ClassLog log(path.string(), std::nullopt);
      for (const int64_t step : {10, 20, 30})
        log.append(validationAt(step));
    }
    ClassLog log(path.string(), 20);
    CHECK(stepsIn(path) == std::vector<int64_t>{10, 20});
    log.append(validationAt(25));
    CHECK(stepsIn(path) == std::vector<int64_t>{10, 20, 25});
    // A continued run may repeat a validation
    log.append(validationAt(25));
    CHECK(stepsIn(path) == std::vector<int64_t>{10, 20, 25});
    // A new run begins a new file
    ClassLog other(path.string(), std::nullopt);
    other.append(validationAt(7));
    CHECK(stepsIn(path) == std::vector<int64_t>{7});
  }

  TEST_CASE("a full file drops every second validation, but not the last one") {
    const TemporaryFolder folder;
    const auto path = folder / kClassFile;
    constexpr uint64_t kMaxBytes = 4000;
    ClassLog log(path.string(), std::nullopt, kMaxBytes);
    for (int64_t step = 1; step <= 200; ++step) {
      log.append(validationAt(step));
      CHECK(std::filesystem::file_size(path) <= kMaxBytes);
    }
    const std::vector<int64_t> steps = stepsIn(path);
    CHECK(steps.size() > 5);
    CHECK(steps.back() == 200);
    CHECK(std::ranges::is_sorted(steps));
  }

  TEST_CASE("the matrix of 1000 classes fits") {
    const TemporaryFolder folder;
    const auto path = folder / kClassFile;
    ClassLog log(path.string(), std::nullopt);
    log.append(validationAt(100, 1000));
    const std::vector<ClassValidation> all = readAll(path);
    REQUIRE(all.size() == 1);
    CHECK(all[0].outputs[0].confusion.counts ==
          validationAt(100, 1000).outputs[0].confusion.counts);
  }
}
