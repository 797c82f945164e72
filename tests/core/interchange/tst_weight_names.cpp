// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "core/interchange/weight_names.h"
#include "gpu/base/error.h"

using namespace strata;

namespace {

using Names = std::vector<std::pair<std::string, Shape>>;

std::map<std::string, Tensor> tensorsOf(const Names& names) {
  std::map<std::string, Tensor> result;
  float value = 0;
  for (const auto& [name, shape] : names) {
    Tensor tensor(DType::F32, shape);
    for (float& each : tensor.as<float>())
      each = ++value;
    result.emplace(name, std::move(tensor));
  }
  return result;
}

std::vector<WantedTensor> wantedOf(const Names& names) {
  std::vector<WantedTensor> result;
  for (const auto& [name, shape] : names)
    result.push_back({name, shape});
  return result;
}

std::string failureOfMatch(const Names& found, const Names& wanted) {
  try {
    matchWeights(tensorsOf(found), wantedOf(wanted), "file.npz");
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidFile);
    CHECK(error.subject() == "file.npz");
    return error.what();
  }
  return {};
}

const Names kTwoLayers{{"a/kernel", {2, 3}}, {"a/bias", {3}}, {"td/dense/kernel", {3, 1}}};

}  // namespace

TEST_SUITE("weight names") {
  TEST_CASE("names of Keras match the same variables") {
    const auto expected = tensorsOf(kTwoLayers);
    for (const std::string prefix : {"", "model/", "outer/model_1/"})
      for (const std::string suffix : {"", ":0"})
        for (const std::string inner : {"dense", "dense_17"}) {
          CAPTURE(prefix + "|" + suffix + "|" + inner);
          const Names found{{prefix + "a/kernel" + suffix, {2, 3}},
                            {prefix + "a/bias" + suffix, {3}},
                            {prefix + "td/" + inner + "/kernel" + suffix, {3, 1}}};
          const NamedTensors named = matchWeights(tensorsOf(found), wantedOf(kTwoLayers), "f");
          REQUIRE(named.tensors.size() == 3);
          for (const auto& [name, tensor] : expected)
            CHECK(named.tensors.at(name).isBitEqual(tensor));
          CHECK(named.notes.empty() == (prefix + suffix == "" && inner == "dense"));
        }
    const Names flat{{"a.kernel", {2, 3}}, {"a.bias", {3}}, {"td_dense_kernel", {3, 1}}};
    CHECK(matchWeights(tensorsOf(flat), wantedOf(kTwoLayers), "f").tensors.size() == 3);
  }

  TEST_CASE("a Block without repetitions matches a nested model of Keras") {
    const Names wanted{{"left/0/dense/kernel", {2}},
                       {"left/0/dense_1/kernel", {2}},
                       {"right/0/dense/kernel", {2}},
                       {"dense/kernel", {2}}};
    for (const std::string prefix : {"", "model/"}) {
      Names found;
      for (const char* name :
           {"left/dense/kernel", "left/dense_1/kernel", "right/dense/kernel", "dense/kernel"})
        found.emplace_back(prefix + name, Shape{2});
      const auto tensors = tensorsOf(found);
      const NamedTensors named = matchWeights(tensors, wantedOf(wanted), "f");
      for (size_t i = 0; i < wanted.size(); ++i)
        CHECK(named.tensors.at(wanted[i].first).isBitEqual(tensors.at(found[i].first)));
    }
    CHECK(failureOfMatch({{"left/dense/kernel", {2}}}, {{"left/1/dense/kernel", {2}}})
              .find("left/1/dense/kernel") != std::string::npos);
  }

  TEST_CASE("of several names with the same end, the one with the common prefix is used") {
    const Names found{{"teacher/b/kernel", {1}},
                      {"model/a/kernel", {2}},
                      {"model/b/kernel", {1}},
                      {"optimizer/x", {1}}};
    const Names wanted{{"a/kernel", {2}}, {"b/kernel", {1}}};
    // The tensor with another prefix is reported, because it belongs to no layer.
    CHECK(failureOfMatch(found, wanted).find("teacher/b/kernel") != std::string::npos);
  }

  TEST_CASE("optimizer state, seeds and counts are ignored") {
    Names found = kTwoLayers;
    for (const char* name : {"adam/iteration", "adam/learning_rate", "Adam/a_kernel_momentum",
                             "sgd_1/a_kernel_momentum", "seed_generator_3/seed_generator_state",
                             "norm/count", "optimizer_weights/vars/0", "a/kernel:m"})
      found.emplace_back(name, Shape{});
    const NamedTensors named = matchWeights(tensorsOf(found), wantedOf(kTwoLayers), "f");
    CHECK(named.tensors.size() == 3);
    REQUIRE(named.notes.size() == 1);
    CHECK(named.notes[0].find("7 tensors ignored") == 0);
  }

  TEST_CASE("tensors that do not match or are ignored are not read") {
    struct CountedReads : TensorsInMemory {
      using TensorsInMemory::TensorsInMemory;
      Tensor read(const std::string& name) override {
        names.push_back(name);
        return TensorsInMemory::read(name);
      }
      std::vector<std::string> names;
    };
    Names found = kTwoLayers;
    found.emplace_back("adam/momentum", Shape{1000});
    const auto tensors = tensorsOf(found);
    CountedReads fits(viewsOf(tensors));
    CHECK(matchWeights(fits, wantedOf(kTwoLayers), "f").tensors.size() == 3);
    CHECK(fits.names == std::vector<std::string>{"a/kernel", "a/bias", "td/dense/kernel"});
    found.emplace_back("b/kernel", Shape{1000});
    const auto more = tensorsOf(found);
    CountedReads doesNot(viewsOf(more));
    CHECK_THROWS_AS(matchWeights(doesNot, wantedOf(kTwoLayers), "f"), Error);
    CHECK(doesNot.names.empty());
  }

  TEST_CASE("tensors that do not match are reported with names and shapes") {
    CHECK(failureOfMatch({{"a/kernel", {2, 3}}, {"a/biass", {3}}, {"td/dense/kernel", {3, 1}}},
                         kTwoLayers)
              .find("nearest is \"a/biass\"") != std::string::npos);
    CHECK(failureOfMatch({{"a/kernel", {2, 3}}, {"a/bias", {4}}, {"td/dense/kernel", {3, 1}}},
                         kTwoLayers)
              .find("expected [3], got [4]") != std::string::npos);
    Names more = kTwoLayers;
    more.emplace_back("b/kernel", Shape{1});
    CHECK(failureOfMatch(more, kTwoLayers).find("tensor \"b/kernel\" is not in this network") !=
          std::string::npos);
    CHECK(failureOfMatch({}, kTwoLayers).find("no other tensors") != std::string::npos);
    Names fewer = kTwoLayers;
    fewer.pop_back();
    CHECK(failureOfMatch(fewer, kTwoLayers)
              .find("got only " + std::to_string(fewer.size()) + " used by other layers") !=
          std::string::npos);
    auto whole = tensorsOf(kTwoLayers);
    whole["a/bias"] = Tensor(DType::I32, Shape{3});
    CHECK_THROWS_AS(matchWeights(whole, wantedOf(kTwoLayers), "f"), Error);
  }
}
