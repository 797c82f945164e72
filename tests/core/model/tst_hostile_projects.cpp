// SPDX-License-Identifier: Apache-2.0
// Tests damaged projects. Reading gives an error and validating gives diagnostics, without other
// exceptions, and every fix can be applied.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/model/model.h"
#include "gpu/base/rng.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

std::vector<Project> samples() {
  std::vector<Project> result;
  for (const char* name : {"mnist-cnn", "linear-regression", "random-integers", "lenet5"})
    result.push_back(
        *loadProject((sourceDir() / "projects" / (std::string(name) + ".json")).string()));
  result.push_back(*parseProject(
      R"({"format": "strata-project", "version": 1, "data": {"source": {"type": "mnist"}}, "model": {"layers": [
    {"type": "Input", "name": "image", "shape": [28, 28, 1]},
    {"type": "DepthwiseConv2D", "name": "dw", "kernel_size": 3, "depth_multiplier": 2, "padding": "same", "activation": {"type": "leaky_relu", "negative_slope": 0.1}},
    {"type": "BatchNormalization", "name": "bn", "axis": -1}, {"type": "AveragePooling2D", "name": "ap", "pool_size": 2},
    {"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": [3, 1], "groups": 2, "padding": "same", "inputs": ["ap"]},
    {"type": "Add", "name": "sum", "inputs": ["ap", "c"]}, {"type": "Concatenate", "name": "cat", "inputs": ["sum", "c"], "axis": 1},
    {"type": "Reshape", "name": "r", "target_shape": [28, -1]}, {"type": "Dropout", "name": "d", "rate": 0.5}, {"type": "Flatten", "name": "f"},
    {"type": "Dense", "name": "out", "units": 10, "kernel_regularizer": {"type": "l2", "factor": 0.001}, "activation": "softmax"}]},
    "training": {"loss": {"type": "sparse_categorical_crossentropy", "ignore_class": 3}, "optimizer": {"type": "sgd", "momentum": 0.9, "clipnorm": 1.0}, "metrics": ["accuracy"]},
    "execution": {"devices": "auto", "disabled_passes": ["in_place"], "memory_limit": null}})",
      "all"));
  return result;
}

void collect(Json& json, std::vector<Json*>& places) {
  places.push_back(&json);
  if (json.is_structured())
    for (Json& item : json)
      collect(item, places);
}

Json junk(RandomStream& random) {
  static const std::vector<Json> values = {nullptr,
                                           true,
                                           0,
                                           -1,
                                           1,
                                           2,
                                           7,
                                           1000000,
                                           1000000000,
                                           -9223372036854775807LL,
                                           18446744073709551615ULL,
                                           0.5,
                                           -2.5,
                                           1e300,
                                           1e-300,
                                           "",
                                           "relu",
                                           "image",
                                           "a/b",
                                           Json::array(),
                                           Json::object(),
                                           Json::array({1, 2, 3}),
                                           Json::array({-1, 0}),
                                           Json::array({"image", "image"}),
                                           Json{{"type", "l2"}},
                                           Json{{"type", 3}},
                                           Json::array({Json::array({1, 2}), 3}),
                                           Json::array({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}),
                                           std::string(500, 'x')};
  return values[random.below(static_cast<uint32_t>(values.size()))];
}

void damage(Json& document, RandomStream& random) {
  std::vector<Json*> places;
  collect(document, places);
  Json& place = *places[random.below(static_cast<uint32_t>(places.size()))];
  switch (random.below(5)) {
    case 0:
    case 1: place = junk(random); break;
    case 2:
      if (place.is_object() && !place.empty())
        place.erase(
            std::next(place.begin(), random.below(static_cast<uint32_t>(place.size()))).key());
      else if (place.is_array() && !place.empty())
        place.erase(random.below(static_cast<uint32_t>(place.size())));
      break;
    case 3:
      if (place.is_array() && !place.empty())
        place.push_back(place[random.below(static_cast<uint32_t>(place.size()))]);
      break;
    default: {
      const Json other = *places[random.below(static_cast<uint32_t>(places.size()))];
      if (&place != &document) place = other;
    }
  }
}

}  // namespace

TEST_SUITE("hostile projects") {
  TEST_CASE("damaged documents are reported, and fixes can be applied") {
    const std::vector<Project> originals = samples();
    REQUIRE_FALSE(hasErrors(validate(originals.back())));
    RandomStream random(1, streamOf("damage"));
    int64_t problems = 0, fixes = 0;
    for (int i = 0; i < 4000; ++i) {
      Project project = originals[random.below(static_cast<uint32_t>(originals.size()))];
      const uint32_t times = 1 + random.below(3);
      for (uint32_t k = 0; k < times; ++k)
        damage(project.document(), random);
      const auto read = parseProject(printJson(project.document()), "damaged");
      if (!read) {
        CHECK_FALSE(read.error().line().empty());
        continue;
      }
      CAPTURE(printJson(read->document()));
      Inspection inspection;
      REQUIRE_NOTHROW(inspection = inspectProject(*read));
      for (const auto& each : inspection.diagnostics) {
        ++problems;
        const std::string line = each.line();
        if (line.find('%') != std::string::npos || each.code.empty())
          FAIL_CHECK("incomplete: ", line);
        for (const Fix& fix : each.fixes) {
          ++fixes;
          Json document = read->document();
          REQUIRE_NOTHROW(applyEdit(document, fix.edit));
        }
      }
    }
    CHECK(problems > 1000);
    CHECK(fixes > 500);
  }

  TEST_CASE("damaged bytes give an error") {
    RandomStream random(2, streamOf("bytes"));
    std::vector<std::string> texts;
    for (const Project& project : samples())
      texts.push_back(printJson(project.document()));
    int refused = 0;
    for (int i = 0; i < 4000; ++i) {
      std::string text = texts[random.below(static_cast<uint32_t>(texts.size()))];
      for (uint32_t k = 0; k <= random.below(4); ++k) {
        const size_t at = random.below(static_cast<uint32_t>(text.size()));
        switch (random.below(4)) {
          case 0: text[at] = static_cast<char>(random.word()); break;
          case 1: text.erase(at, random.below(20)); break;
          case 2: text.insert(at, 1, "{}[]\",:0-e\\n/"[random.below(13)]); break;
          default: text.resize(std::max<size_t>(1, at)); break;
        }
      }
      const auto project = parseProject(text, "damaged");
      if (project) {
        CHECK_NOTHROW(validate(*project));
      }
      else {
        ++refused;
        const std::string line = project.error().line();
        if (line.find("damaged: ") != 0) FAIL_CHECK(line);
      }
    }
    CHECK(refused > 1000);
  }
}
