// SPDX-License-Identifier: Apache-2.0
// Tests the check of fields against a schema, with Conv2D as the example, and the search for the
// nearest name.
#include <doctest/doctest.h>

#include <string>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/base/nearest_name.h"

using namespace strata;

namespace {

/// Returns the problems of the fields of a Conv2D, one per line.
std::string problemsOf(const Json& fields) {
  Diagnostics diagnostics;
  checkFields(findLayer("Conv2D")->schema, fields, "/model/layers/0", "c", diagnostics);
  std::string text;
  for (const Diagnostic& each : diagnostics)
    text += each.code + " " + each.line() + "\n";
  return text;
}

/// Returns the problems of a Conv2D with four filters, a kernel of 3 x 3 and these fields.
std::string problemsWith(const char* changes) {
  Json fields{{"filters", 4}, {"kernel_size", 3}};
  fields.update(Json::parse(changes));
  return problemsOf(fields);
}

}  // namespace

TEST_SUITE("schema") {
  TEST_CASE("an object field accepts an object, a name and null") {
    CHECK(problemsWith(R"({"activation": {"type": "leaky_relu", "negative_slope": 0.1}})").empty());
    CHECK(problemsWith(R"({"activation": null, "kernel_regularizer": "l2"})").empty());
  }

  TEST_CASE("a value out of range is an error with the range and the value") {
    CHECK(problemsWith(R"({"filters": 0})") ==
          "out_of_range c: filters is out of range (expected at least 1, got 0). Set it to 1 or "
          "more.\n");
    CHECK(problemsWith(R"({"kernel_size": [3, 0]})").starts_with("out_of_range c: kernel_size"));
  }

  TEST_CASE("a value of a wrong type is an error with the type and the value") {
    CHECK(problemsWith(R"({"filters": 2.5})") ==
          "wrong_type c: filters has the wrong type (expected an integer, got 2.5). Correct it.\n");
    CHECK(
        problemsWith(R"({"filters": "4"})") ==
        "wrong_type c: filters has the wrong type (expected an integer, got \"4\"). Correct it.\n");
    CHECK(problemsWith(R"({"kernel_size": [3, 3, 3]})")
              .starts_with("wrong_type c: kernel_size has the wrong type (expected an integer or a "
                           "list of two"));
    CHECK(problemsWith(R"({"activation": {"kind": 1}})").starts_with("wrong_type c: activation"));
  }

  TEST_CASE("a missing field is an error") {
    CHECK(problemsOf(Json{{"kernel_size", 3}}).starts_with("missing_field c: filters is missing"));
  }

  TEST_CASE("an unknown choice or type is an error that names the valid ones") {
    CHECK(
        problemsWith(R"({"padding": "sames"})")
            .starts_with("unknown_choice c: padding has an unknown value (expected one of: valid, "
                         "same, got \"sames\")"));
    CHECK(problemsWith(R"({"activation": "rellu"})") ==
          "unknown_type c: there is no activation \"rellu\" (expected a name such as \"relu\"). "
          "Did you mean \"relu\"?\n");
  }

  TEST_CASE("an unknown field is reported with the nearest name") {
    CHECK(problemsWith(R"({"kernel_sise": 3})")
              .starts_with("unknown_field c: kernel_sise is not a field of Conv2D and has no "
                           "effect. Did you mean kernel_size?"));
    CHECK(problemsWith(R"({"stride": 3})").find("Did you mean strides?") != std::string::npos);
  }

  TEST_CASE("after a hundred unknown fields the others are counted") {
    Json fields{{"filters", 2}, {"kernel_size", 3}};
    for (int i = 0; i < 250; ++i)
      fields["zz" + std::to_string(i)] = i;
    const std::string text = problemsOf(fields);
    CHECK(std::count(text.begin(), text.end(), '\n') == 101);
    CHECK(text.find("Unknown fields of Conv2D that are not listed: 150.") != std::string::npos);
  }

  TEST_CASE("all problems of the fields are reported at once") {
    CHECK(
        problemsWith(R"({"filters": -1, "kernel_size": "x", "padding": 3, "use_bias": 1})").size() >
        200);
  }

  TEST_CASE("the nearest name has the fewest changed letters, and a far name has none") {
    CHECK(nearestName("Dence", {"Dense", "Dropout"}) == "Dense");
    CHECK(nearestName("MaxPool2D", {"Conv2D", "MaxPooling2D"}) == "MaxPooling2D");
    CHECK(nearestName("tahn", {"tanh_shrink", "tanh"}) == "tanh");
    CHECK(nearestName("conv2d", {"Conv2D", "Dense"}) == "Conv2D");
    // Two swapped letters count as one change.
    CHECK(nearestName("ednse", {"Dense", "Dropout"}) == "Dense");
    CHECK(nearestName("Transformer", {"Dense", "Conv2D"}).empty());
  }

  TEST_CASE("the search for the nearest name needs little memory for a long name") {
    // A table of all distances would need 13 GB.
    CHECK(nearestName(std::string(100, 'a'), {std::string(size_t{1} << 24, 'b')}).empty());
  }
}
