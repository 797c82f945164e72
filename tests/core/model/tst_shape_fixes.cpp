// SPDX-License-Identifier: Apache-2.0
// Tests that problems with shapes have a fix that removes all errors of the layer.
#include <doctest/doctest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/project/edit.h"
#include "tests/core/model/mnist_project.h"
#include "tests/support/diagnostic_lines.h"

using namespace strata;

namespace {

Json network(const std::string& layers) { return test::documentOf(test::kImage + layers); }

constexpr const char* kEnd = R"(,{"type": "Flatten", "name": "flat"},
  {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})";

std::string labelOf(const Fix& fix) { return formatText(fix.label, fix.arguments); }

/// Applies the fix with this label to the document, and checks that undo restores it. Returns the
/// problems that remain after the fix.
std::string afterFix(Json document, const std::string& label) {
  const std::string before = printJson(document);
  std::string labels;
  for (const Diagnostic& each : validate(Project(document))) {
    for (const Fix& fix : each.fixes) {
      labels += labelOf(fix) + "; ";
      if (labelOf(fix) != label) continue;
      const ProjectEdit inverse = applyEdit(document, fix.edit);
      const std::string left = linesOf(validate(Project(document)));
      applyEdit(document, inverse);
      CHECK(printJson(document) == before);
      return left;
    }
  }
  return "no such fix, but: " + labels;
}

}  // namespace

TEST_CASE("shape fixes: a Flatten is inserted before the last Dense") {
  const Json document = network(
      R"({"type": "Conv2D", "name": "conv", "filters": 4, "kernel_size": 3},
         {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})");
  CHECK(afterFix(document, "Insert Flatten before out") == "");
}

TEST_CASE("shape fixes: the Flatten also sets the units, and keeps named inputs") {
  const Json document = network(
      R"({"type": "Conv2D", "name": "conv", "filters": 4, "kernel_size": 3},
         {"type": "Dense", "name": "out", "units": 7, "activation": "softmax",
          "inputs": ["conv"]})");
  CHECK(afterFix(document, "Insert Flatten before out") == "");
}

TEST_CASE("shape fixes: an output without a Dense gets a Flatten and a Dense") {
  const Json document =
      network(R"({"type": "Conv2D", "name": "conv", "filters": 4, "kernel_size": 3})");
  CHECK(afterFix(document, "Add Flatten and Dense with 10 units") == "");
}

TEST_CASE("shape fixes: a sequence layer gets a sequence as its input") {
  const Json document = network(
      R"({"type": "Flatten", "name": "f"}, {"type": "LSTM", "name": "lstm", "units": 4})" +
      std::string(R"(,{"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})"));
  CHECK(afterFix(document, "Insert Reshape to [784,1] before lstm") == "");
}

TEST_CASE("shape fixes: a window larger than the image gets padding") {
  const Json document = network(
      R"({"type": "Conv2D", "name": "conv", "filters": 4, "kernel_size": 29})" + std::string(kEnd));
  CHECK(afterFix(document, "Set padding to same") == "");
}

TEST_CASE("shape fixes: branches that differ by valid padding get the same padding") {
  for (const char* merge : {"Add", "Concatenate"}) {
    CAPTURE(merge);
    const Json document = network(
        R"({"type": "Conv2D", "name": "a", "filters": 4, "kernel_size": 3},
           {"type": "Conv2D", "name": "b", "filters": 4, "kernel_size": 3},
           {"type": ")" +
        std::string(merge) + R"(", "name": "join", "inputs": ["b", "a"]})" + kEnd);
    CHECK(afterFix(document, "Set padding of b to same") == "");
  }
}

TEST_CASE("shape fixes: branches with different channels get the same number") {
  const Json document = network(
      R"({"type": "Conv2D", "name": "a", "filters": 4, "kernel_size": 3, "padding": "same"},
         {"type": "Conv2D", "name": "b", "filters": 6, "kernel_size": 3, "padding": "same"},
         {"type": "Add", "name": "join", "inputs": ["b", "a"]})" +
      std::string(kEnd));
  const std::string left = afterFix(document, "Set filters of b to 4");
  CHECK_MESSAGE(left == "", left);
}

TEST_CASE("shape fixes: padding and channels are fixed together") {
  const Json document = network(
      R"({"type": "Conv2D", "name": "a", "filters": 4, "kernel_size": 3},
         {"type": "Conv2D", "name": "b", "filters": 6, "kernel_size": 3},
         {"type": "Add", "name": "join", "inputs": ["b", "a"]})" +
      std::string(kEnd));
  CHECK(afterFix(document, "Set filters of b to 4 and padding of b to same") == "");
}

TEST_CASE("shape fixes: a Concatenate of an image and a vector gets a Flatten") {
  const Json document = network(
      R"({"type": "Conv2D", "name": "a", "filters": 4, "kernel_size": 3},
         {"type": "Flatten", "name": "f", "inputs": ["image"]},
         {"type": "Dense", "name": "d", "units": 5},
         {"type": "Concatenate", "name": "join", "inputs": ["d", "a"]},
         {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})");
  CHECK(afterFix(document, "Insert Flatten before join") == "");
}

TEST_CASE("shape fixes: a merge layer with one input gets the nearest matching layer") {
  const Json document = network(
      R"({"type": "Conv2D", "name": "a", "filters": 4, "kernel_size": 3, "padding": "same"},
         {"type": "Conv2D", "name": "b", "filters": 4, "kernel_size": 3, "padding": "same"},
         {"type": "Add", "name": "join"})" +
      std::string(kEnd));
  CHECK(afterFix(document, "Add a as input") == "");
}

TEST_CASE("shape fixes: fixes work inside a Block") {
  const Json document = network(
      R"({"type": "Block", "name": "block", "layers": [
           {"type": "Conv2D", "name": "a", "filters": 4, "kernel_size": 3},
           {"type": "Conv2D", "name": "b", "filters": 4, "kernel_size": 3},
           {"type": "Add", "name": "join", "inputs": ["b", "a"]}]})" +
      std::string(kEnd));
  CHECK(afterFix(document, "Set padding of b to same") == "");
}

TEST_CASE("shape fixes: the units of the output are set to the number of classes") {
  const auto dense = [](int units) {
    return network(R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out",
                       "activation": "softmax", "units": )" +
                   std::to_string(units) + "}");
  };
  for (const int units : {5, 11}) {
    CAPTURE(units);
    const Diagnostics found = validate(Project(dense(units)));
    REQUIRE(found.size() == 1);
    // Too few units are an error. Too many units are only a warning, because Keras allows them.
    CHECK(found[0].severity == (units < 10 ? Severity::Error : Severity::Warning));
    CHECK(found[0].layer == "out");
    CHECK(found[0].field == "units");
    CHECK(afterFix(dense(units), "Set units to 10") == "");
  }
  CHECK(validate(Project(dense(10))).empty());
}
