// SPDX-License-Identifier: Apache-2.0
// Tests inputs whose digits do not fit into float32, such as timestamps: they keep double precision
// until the transforms have been applied, in training and in predict.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/data/inputs.h"
#include "core/interchange/npy.h"
#include "tests/support/csv_file.h"
#include "tests/support/has.h"
#include "tests/support/npy_file.h"

using namespace strata;

namespace {

constexpr const char* kLoss = "mean_squared_error";

/// Returns the transformed values of one sample.
std::vector<float> transformed(const std::vector<Tensor>& arrays, const InputTransform& transform) {
  Samples samples;
  Shape shape{1};
  for (const int64_t dim : arrays[0].shape().dims())
    shape.append(dim);
  samples.x[0] = arrays[0].reshaped(shape);
  std::vector<float> result;
  forEachSample(samples, 0, transform, 1, [&](int64_t, std::span<const float> values) {
    result.assign(values.begin(), values.end());
  });
  return result;
}

/// Returns the transformed training samples.
std::vector<float> inputsOf(const Dataset& data) {
  std::vector<float> result;
  forEachSample(*data.train, 0, data.transforms[0], data.train->count(),
                [&](int64_t, std::span<const float> values) {
                  result.insert(result.end(), values.begin(), values.end());
                });
  return result;
}

Preprocessing savedOf(const Dataset& data) {
  return parsePreprocessing(parseJson(printPreprocessing(data.preprocessing()), "kept"), "kept");
}

std::string timestamps() {
  std::string text = "t,y\n";
  for (int i = 0; i < 12; ++i)
    text += std::to_string(1700000000 + i) + "," + std::to_string(i) + "\n";
  return text;
}

}  // namespace

TEST_SUITE("exact inputs") {
  TEST_CASE("timestamps are standardized and scaled with all their digits, also in predict") {
    CsvFile table;
    table.write(timestamps());
    const auto predicted = [&](const Dataset& data, const std::string& text) {
      table.write(text, "new.csv");
      const Preprocessing kept = savedOf(data);
      std::vector<float> result;
      for (const NamedInput& row :
           readInputs(table.path("new.csv"), {{"x", Shape{1}}}, kept, [](const std::string&) {}))
        result.push_back(transformed(row.arrays, kept.transforms[0])[0]);
      return result;
    };
    const double deviation = std::sqrt((144.0 - 1) / 12);
    const auto standard = table.load("", R"("transforms":["standardize"])", kLoss);
    const std::vector<float> inputs = inputsOf(*standard);
    for (size_t i = 0; i < 12; ++i)
      CHECK(inputs[i] == doctest::Approx((static_cast<double>(i) - 5.5) / deviation).epsilon(1e-6));
    const auto ends = predicted(*standard, "t\n1700000000\n1700000011\n");
    CHECK(ends == std::vector<float>{inputs[0], inputs[11]});
    CHECK(ends[1] == doctest::Approx(1.5933).epsilon(1e-4));
    const auto scaled = table.load("", R"("transforms":["min_max"])", kLoss);
    CHECK(inputsOf(*scaled)[11] == 1);
    CHECK(predicted(*scaled, "t\n1700000000\n1700000011\n") == std::vector<float>{0, 1});
    // Steps before and after it have the same precision.
    const auto several = table.load(
        "",
        R"("transforms":[{"type":"clip","minimum":1700000002,"maximum":1700000009},"min_max",{"type":"rescale","scale":7}])",
        kLoss);
    CHECK(inputsOf(*several) == std::vector<float>{0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 7, 7});
    CHECK(predicted(*several, "t\n1700000003\n") == std::vector<float>{1});
    CHECK(table.report("", R"("transforms":["standardize"])", kLoss).empty());
  }

  TEST_CASE("numbers that become equal in float32 are reported, with a fix") {
    CsvFile table;
    table.write(timestamps());
    const std::string report = table.report("", "", kLoss);
    CHECK(has(report, "warning lost_digits"));
    CHECK(has(report, "Column \"t\": float32 rounds its values (1700000000.0 to 1700000011.0)"));
    const Project fixed =
        table.fixed(table.project("", "", kLoss), "Add the transform standardize");
    Diagnostics none;
    describeDataset(fixed, none);
    CHECK(none.empty());
    CHECK(has(table.report("", R"("transforms":["log1p"])", kLoss), "lost_digits"));
    table.write("a,t\n1,1700000000\n2,1700000001\n3,1700000003\n");
    CHECK(has(table.report("", "", kLoss), "Column \"t\": float32 rounds the labels"));
  }

  TEST_CASE("other numbers keep their type and bits") {
    CsvFile table;
    table.write("a,b,c,y\n0.1,5,7.25,0\n0.2,5,1e6,1\n0.4,5,2e6,0\n");
    const auto data = table.load("", R"("transforms":["standardize"])", kLoss);
    CHECK(data->train->x[0].dtype() == DType::F32);
    CHECK_FALSE(data->transforms[0].isExact);
    CHECK(data->transforms[0].more->at(0).exactShift.empty());
  }

  TEST_CASE("the sources numpy and values keep the digits, too") {
    std::vector<double> times;
    Json inline_ = Json::array(), labels = Json::array();
    for (int i = 0; i < 12; ++i) {
      times.push_back(1700000000 + i);
      inline_.push_back(Json::array({1700000000 + i}));
      labels.push_back(i);
    }
    const TemporaryFolder folder;
    const std::string x = (folder.path() / "x.npy").string(),
                      y = (folder.path() / "y.npy").string();
    const auto projectWith = [&](const Json& source) {
      return Project(Json{{"format", "strata-project"},
                          {"version", 1},
                          {"data", {{"source", source}, {"transforms", {"standardize"}}}},
                          {"model", {{"layers", Json::array()}}},
                          {"training", {{"loss", kLoss}}}});
    };
    const auto check = [&](const Project& project) {
      const auto data = loadDataset(project);
      CHECK(data->transforms[0].isExact);
      CHECK(inputsOf(*data)[11] == doctest::Approx(1.5933).epsilon(1e-4));
      return data;
    };
    writeNpy(x, Tensor::from<double>(Shape{12, 1}, times));
    writeNpy(y, Tensor::from<double>(Shape{12}, std::vector<double>(times.begin(), times.end()))
                    .converted(DType::F32));
    const auto data = check(projectWith({{"type", "numpy"}, {"x", x}, {"y", y}}));
    const Preprocessing kept = savedOf(*data);
    const auto rows = readInputs(x, {{"x", Shape{1}}}, kept, [](const std::string&) {});
    CHECK(transformed(rows.at(11).arrays, kept.transforms[0])[0] == inputsOf(*data)[11]);
    // Whole numbers of 32 bits have more digits than float32, too.
    std::vector<int32_t> whole(times.begin(), times.end());
    writeNpy(x, Tensor::from<int32_t>(Shape{12, 1}, whole));
    check(projectWith({{"type", "numpy"}, {"x", x}, {"y", y}}));
    check(projectWith({{"type", "values"}, {"x", inline_}, {"y", labels}}));
    writeNpy(x, Tensor::from<double>(Shape{12, 1}, std::vector<double>(12, 0.1)));
    CHECK(loadDataset(projectWith({{"type", "numpy"}, {"x", x}, {"y", y}}))->train->x[0].dtype() ==
          DType::F32);
  }

  TEST_CASE("a column whose deviation is below epsilon is reported, with a fix") {
    CsvFile table;
    std::string text = "t,c,u,y\n";
    for (int i = 0; i < 12; ++i)
      text += std::to_string(i) + "e-9,0.1," + std::to_string(i) + ",1.5\n";
    table.write(text);
    const std::string data = R"("transforms":["standardize"])";
    CHECK(has(table.report("", data, "mean_squared_error"),
              "Value \"t\": its standard deviation (3.45e-09) is below epsilon (1e-07)"));
    const Project fixed =
        table.fixed(table.project("", data, "mean_squared_error"), "Set epsilon to 0");
    Diagnostics none;
    describeDataset(fixed, none);
    CHECK(none.empty());
    const auto dataset = loadDataset(fixed);
    forEachSample(*dataset->train, 0, dataset->transforms[0], 1,
                  [](int64_t, std::span<const float> values) {
                    CHECK(values[0] == doctest::Approx(-1.593).epsilon(0.001));
                  });
    CHECK(table.report(R"("ignore":["t"])", data, "mean_squared_error").empty());
  }
}
