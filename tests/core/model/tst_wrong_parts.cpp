// SPDX-License-Identifier: Apache-2.0
// Tests projects in which a whole part has a wrong type: the part is reported, and the other parts
// are still checked.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/project/project.h"
#include "tests/core/model/mnist_project.h"
#include "tests/support/diagnostic_lines.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

const std::string kWrongUnits =
    "out_of_range | out: units is out of range (expected at least 1, got 0). Set it to 1 or "
    "more.\n";

/// Returns all problems of a project after these changes. Without changes, it has one problem in
/// its layers and one in its optimizer. If `hasLayerList` is false, `layers` is a number.
std::string problemsAfter(const std::string& changes, bool hasLayerList = true) {
  Json document = test::documentOf(
      test::kImage +
          std::string(
              R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out", "units": 0})"),
      R"({"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "adam", "learning_rate": -1}})");
  document.merge_patch(Json::parse(changes));
  if (!hasLayerList) document["model"]["layers"] = 7;
  const TemporaryFolder folder;
  const std::string path = (folder / "p.json").string();
  writeFileAtomically(path, printJson(document));
  CHECK(bool(loadProject(path)) == (changes == "{}"));
  Diagnostics wrongParts;
  const auto project = loadSoundParts(path, wrongParts);
  REQUIRE(project);
  return linesOf(validateRest(*project, wrongParts));
}

}  // namespace

TEST_SUITE("wrong parts") {
  TEST_CASE("if `data` has a wrong type, layers and training are still checked") {
    const std::string text = problemsAfter(R"({"data": "x"})");
    CHECK(
        text.starts_with("wrong_type | data: data has the wrong type (expected an object, got "
                         "\"x\"). Correct it.\n" +
                         kWrongUnits));
    CHECK(has(text, "out_of_range | training/optimizer: learning_rate is"));
    CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  }

  TEST_CASE("if `training`, `execution` or `name` has a wrong type, the rest is still checked") {
    CHECK(problemsAfter(R"({"training": 3})") ==
          "wrong_type | training: training has the wrong type (expected an object, got 3). Correct "
          "it.\n" +
              kWrongUnits);
    CHECK(problemsAfter(R"({"execution": [1], "name": 5})") ==
          "wrong_type | name: name has the wrong type (expected a string, got 5). Correct it.\n"
          "wrong_type | execution: execution has the wrong type (expected an object, got [1]). "
          "Correct it.\n" +
              problemsAfter("{}"));
  }

  TEST_CASE("if `layers` is not a list, the data is still checked") {
    CHECK(
        problemsAfter(R"({"data": {"skip": -1}})", false)
            .starts_with(
                "wrong_type | model: layers has the wrong type (expected a list of layers, got 7). "
                "Correct it.\nout_of_range | data: skip is"));
  }

  TEST_CASE("several parts of a wrong type are reported together") {
    CHECK(
        problemsAfter(R"({"data": "x", "training": 3, "model": true})") ==
        "wrong_type | data: data has the wrong type (expected an object, got \"x\"). Correct it.\n"
        "wrong_type | model: model has the wrong type (expected an object, got true). Correct it.\n"
        "wrong_type | training: training has the wrong type (expected an object, got 3). Correct "
        "it.\n");
  }

  TEST_CASE("another version or a missing file is an error and not a wrong part") {
    const TemporaryFolder folder;
    const std::string path = (folder / "p.json").string();
    writeFileAtomically(path, R"({"format": "strata-project", "version": 2})");
    Diagnostics wrongParts;
    CHECK_FALSE(loadSoundParts(path, wrongParts));
    CHECK_FALSE(loadSoundParts(path + "x", wrongParts));
    CHECK(wrongParts.empty());
  }
}
