// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/project/project.h"
#include "core/project/text.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

std::string failure(const std::string& text) {
  try {
    parseJson(text, "p.json");
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidProject);
    CHECK(error.subject() == "p.json");
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_SUITE("json") {
  TEST_CASE("values are parsed") {
    const Json json = parseJson(
        R"({"b": [1, -2, 3.5, 1e-7, true, false, null], "a": "x\u00e9\n\ud83d\ude00", "big": 18446744073709551615})",
        "f");
    CHECK(json["b"][1] == -2);
    CHECK(json["b"][3] == 1e-7);
    CHECK(json["a"] == "x\xC3\xA9\n\xF0\x9F\x98\x80");
    CHECK(json["big"] == std::numeric_limits<uint64_t>::max());
    CHECK(json.begin().key() == "b");
    CHECK(parseJson("1e-999", "f") == 0.0);
  }

  TEST_CASE("errors name the line, the column and what was expected") {
    CHECK(has(failure("{\n  \"a\": 1,\n  \"b\" 2\n}"), "line 3 column 7: expected ':'"));
    CHECK(has(failure("{\n  \"a\": 1,\n}"), "trailing comma"));
    CHECK(has(failure("[1, 2"), "expected ']', got the end of the file"));
    CHECK(has(failure("{\"a\": 1, \"a\": 2}"), "\"a\" occurs twice"));
    CHECK(has(failure("{\"a\": 1, \"a\": 2}"), "line 1 column 10"));
    CHECK(has(failure("// hello\n{}"), "comment"));
    CHECK(has(failure(""), "empty file"));
    CHECK(has(failure("{} x"), "got 'x'"));
    CHECK(has(failure("[NaN]"), "got 'NaN'"));
    CHECK(has(failure("[01]"), "leading zero"));
    CHECK(has(failure("[1e999]"), "too large"));
    CHECK(has(failure("\"\xFF\""), "UTF-8"));
    CHECK(has(failure("\"\xC0\x80\""), "UTF-8"));
    CHECK(has(failure("\"\\ud800\""), "surrogate"));
    CHECK(has(failure("\"a\nb\""), "closing"));
    // A column is the number of a character, not of a byte.
    CHECK(has(failure("[\"\xC3\xA9\", x]"), "column 7"));
    CHECK(has(failure(std::string(10000, '[')), "nested too deep"));
    CHECK_NOTHROW(parseJson(std::string(100, '[') + std::string(100, ']'), "f"));
    CHECK(has(failure(std::string(101, '[') + std::string(101, ']')), "at most 100"));
  }

  TEST_CASE("numbers are printed briefly and parse to the same value") {
    const auto print = [](double value) {
      std::string text = printJson(Json(value));
      text.pop_back();
      return text;
    };
    CHECK(print(0.0001) == "0.0001");
    CHECK(print(0.001) == "0.001");
    CHECK(print(1e-7) == "1e-7");
    CHECK(print(0.00392156862745098) == "0.00392156862745098");
    CHECK(print(1.0) == "1.0");
    CHECK(print(-2.5e20) == "-2.5e20");
    CHECK(print(std::numeric_limits<double>::quiet_NaN()) == "\"nan\"");
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 20000; ++i) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      double value;
      std::memcpy(&value, &state, sizeof value);
      if (!std::isfinite(value)) continue;
      REQUIRE(parseJson(print(value), "f").get<double>() == value);
    }
  }

  TEST_CASE("printing a parsed text gives the same text") {
    for (const char* name : {"mnist-cnn", "lenet5", "linear-regression", "random-integers"}) {
      const std::string path = (sourceDir() / "projects" / (std::string(name) + ".json")).string();
      const std::string once = printJson(parseJson(readFile(path, 1 << 20), path));
      CHECK(printJson(parseJson(once, path)) == once);
      if (std::string(name) == "mnist-cnn") CHECK(once.find("[3, 3]") != std::string::npos);
    }
    Json numbers = Json::array();
    for (int i = 0; i < 1000; ++i)
      numbers.push_back(i * 0.1);
    const std::string text = printJson(numbers);
    CHECK(std::count(text.begin(), text.end(), '\n') < 200);
    CHECK(parseJson(text, "f") == numbers);
  }

  TEST_CASE("arguments replace their places in a text") {
    const Arguments arguments{"a", "b"};
    CHECK(formatText(STRATA_TEXT("test", "%1 and %2, %1; 100% %3"), arguments) ==
          "a and b, a; 100% %3");
  }

  TEST_CASE("text of a file is shortened and escaped for messages") {
    CHECK(excerpt("abcdef", 6) == "abcdef");
    CHECK(excerpt("abcdefg", 6) == "abc...");
    // Byte 5 lies inside the second character.
    CHECK(excerpt("a\u20ac\u20ac\u20ac", 8) == "a\u20ac...");
    CHECK(isUtf8("a\u20ac"));
    CHECK_FALSE(isUtf8("a\xE2\x82"));
    CHECK(asOneLine("a\nb\t\x1b[31m\u20ac") == "a\\nb\\t\\u001b[31m\u20ac");
    const std::string line = asOneLine(std::string(100000, 'x') + " the end");
    CHECK(line.size() < 2000);
    CHECK(line.ends_with(" the end"));
  }

  TEST_CASE("the noun of a count is singular or plural") {
    CHECK(counted(0, "step") == "0 steps");
    CHECK(counted(1, "step") == "1 step");
    CHECK(counted(2, "step") == "2 steps");
    CHECK(counted(-1, "step") == "-1 steps");
  }
}

TEST_SUITE("project") {
  TEST_CASE("a project is loaded and saved with its unknown keys") {
    const TemporaryFolder temporary;
    const std::string folder = temporary.path().string();
    const std::string path = folder + "/a.json";
    const std::string text =
        R"({"format": "strata-project", "version": 1, "zebra": {"x": [1, 2]}, "name": "A", "data": {}})";
    writeFileAtomically(path, text);
    auto project = loadProject(path);
    REQUIRE(project);
    CHECK(project->name() == "A");
    REQUIRE(saveProject(*project, path));
    const std::string first = readFile(path, 1 << 20);
    CHECK(first.find("zebra") < first.find("name"));
    REQUIRE(saveProject(*loadProject(path), path));
    CHECK(readFile(path, 1 << 20) == first);
    // Saving leaves no temporary file.
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);

    CHECK_FALSE(loadProject(folder + "/none.json"));
    CHECK(loadProject(folder).error().code() == ErrorCode::InvalidFile);
    CHECK_FALSE(saveProject(*project, folder + "/no/such/place.json"));
    CHECK_FALSE(parseProject("[1]", "x"));
    CHECK_FALSE(parseProject(R"({"format": "strata-project", "version": 2})", "x"));
    CHECK_FALSE(parseProject(
        R"({"format": "strata-project", "version": 1, "model": {"layers": {}}})", "x"));
  }

  TEST_CASE("--set changes a value") {
    Project project(parseJson(
        R"({"format": "strata-project", "version": 1, "training": {"batch_size": 64}, "model": {"layers": [{"units": 1}]}})",
        "f"));
    setByPointer(project, "/training/batch_size=32");
    setByPointer(project, "/training/initial_weights=a b.safetensors");
    setByPointer(project, "/model/layers/0/units=7");
    setByPointer(project, "/execution/devices=\"cpu\"");
    CHECK(project.document()["training"]["batch_size"] == 32);
    CHECK(project.document()["training"]["initial_weights"] == "a b.safetensors");
    CHECK(project.document()["model"]["layers"][0]["units"] == 7);
    CHECK(project.document()["execution"]["devices"] == "cpu");
    CHECK_THROWS_AS(setByPointer(project, "training=3"), Error);
    CHECK_THROWS_AS(setByPointer(project, "/model/layers/5/units=3"), Error);
    CHECK_THROWS_AS(setByPointer(project, "/training/batch_size/x=3"), Error);
    setByPointer(project, R"(/model/layers/-={"units": 8})");
    CHECK(project.document()["model"]["layers"][1]["units"] == 8);
    for (const char* ruin : {"/model/layers=5", "/model=[]", "/training=null", "/format=other",
                             "/version=2", "/name=7"}) {
      Project copy = project;
      CHECK_THROWS_AS(setByPointer(copy, ruin), Error);
    }
  }
}
