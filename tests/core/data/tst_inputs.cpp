// SPDX-License-Identifier: Apache-2.0
// Tests arrays and IDX files for predict: samples along the first dimension, arrays with names of
// Input layers, and inputs that do not match.
#include <numeric>

#include <doctest/doctest.h>

#include "core/data/inputs.h"
#include "core/interchange/npz.h"
#include "gpu/base/error.h"
#include "tests/support/has.h"
#include "tests/support/npy_file.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

/// Returns a tensor with the values 0, 1, 2 and so on.
template <class T>
Tensor counting(Shape shape) {
  Tensor tensor(dtypeOf<T>(), shape);
  std::iota(tensor.as<T>().begin(), tensor.as<T>().end(), T{0});
  return tensor;
}

std::vector<NamedInput> read(const std::filesystem::path& path,
                             const std::vector<WantedInput>& inputs) {
  return readInputs(path.string(), inputs,
                    {InputTransforms(inputs.size()), Encodings(inputs.size()), ClassNames(1)},
                    [](const std::string&) {});
}

std::string errorOf(const std::filesystem::path& path, const std::vector<WantedInput>& inputs) {
  try {
    read(path, inputs);
  }
  catch (const Error& error) {
    CHECK(error.subject() == path.string());
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_SUITE("inputs") {
  TEST_CASE("a .npy file contains one or more samples, and a last dimension of 1 may be missing") {
    const TemporaryFolder folder;
    const auto path = folder / "a.npy";
    writeNpy(path, counting<float>({3, 2, 2}));
    const auto samples = read(path, {{"x", {2, 2}}});
    REQUIRE(samples.size() == 3);
    CHECK(samples[2].name == path.string() + ":2");
    CHECK(samples[2].arrays[0].isBitEqual(
        Tensor::from<float>(Shape{2, 2}, std::vector<float>{8, 9, 10, 11})));
    const auto one = read(path, {{"x", {3, 2, 2}}});
    REQUIRE(one.size() == 1);
    CHECK(one[0].arrays[0].shape() == Shape{3, 2, 2});
    const auto grey = read(path, {{"x", {2, 2, 1}}});
    REQUIRE(grey.size() == 3);
    CHECK(grey[1].arrays[0].isBitEqual(
        Tensor::from<float>(Shape{2, 2, 1}, std::vector<float>{4, 5, 6, 7})));
    CHECK(read(path, {{"x", {3, 2, 2, 1}}}).size() == 1);
    writeNpy(path, counting<int64_t>({4}));
    const auto numbers = read(path, {{"x", {1}}});
    REQUIRE(numbers.size() == 4);
    CHECK(
        numbers[3].arrays[0].isBitEqual(Tensor::from<int32_t>(Shape{1}, std::vector<int32_t>{3})));
    writeNpy(path, counting<double>({2}));
    CHECK(read(path, {{"x", {2}}})[0].arrays[0].dtype() == DType::F32);
  }

  TEST_CASE(
      "a .npz file contains arrays with the names of the Input layers, or one array for a single "
      "Input layer") {
    const TemporaryFolder folder;
    const auto path = folder / "a.npz";
    const auto write = [&](const std::map<std::string, Tensor>& arrays) {
      writeNpz(path.string(), viewsOf(arrays), {});
    };
    write({{"b", counting<uint8_t>({2, 3})},
           {"a", counting<float>({2, 2})},
           {"other", counting<float>({9})}});
    const std::vector<WantedInput> both{{"a", {2}}, {"b", {3}}};
    const auto samples = read(path, both);
    REQUIRE(samples.size() == 2);
    CHECK(samples[1].arrays[0].isBitEqual(Tensor::from<float>(Shape{2}, std::vector<float>{2, 3})));
    CHECK(samples[1].arrays[1].isBitEqual(
        Tensor::from<uint8_t>(Shape{3}, std::vector<uint8_t>{3, 4, 5})));
    CHECK(has(errorOf(path, {{"a", {2}}, {"c", {3}}}),
              "no array for the Input layer \"c\" (expected the name c, got a, b, other)"));
    CHECK(has(errorOf(path, {{"c", {3}}}), "(expected the name c or x, got a, b, other)"));
    write({{"b", counting<uint8_t>({4, 3})}, {"a", counting<float>({2, 2})}});
    CHECK(has(errorOf(path, both),
              "array \"b\" has another number of samples than that of \"a\" (expected 2, got 4)"));
    write({{"whatever", counting<float>({2, 2})}});
    CHECK(read(path, {{"c", {2}}}).size() == 2);
    write({{"x_test", counting<float>({5, 2})}, {"y_test", counting<float>({5})}});
    CHECK(read(path, {{"c", {2}}}).size() == 5);
  }

  TEST_CASE("an IDX file may have any name") {
    const TemporaryFolder folder;
    const auto path = folder / "t10k-images-idx3-ubyte";
    std::ofstream(path, std::ios::binary)
        << std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x01", 16) << "abcd";
    const auto samples = read(path, {{"x", {2, 1, 1}}});
    REQUIRE(samples.size() == 2);
    CHECK(samples[1].arrays[0].isBitEqual(
        Tensor::from<uint8_t>(Shape{2, 1, 1}, std::vector<uint8_t>{'c', 'd'})));
    std::filesystem::resize_file(path, 18);
    CHECK(has(errorOf(path, {{"x", {2, 1, 1}}}), "is cut short (expected 20 bytes, got 18)"));
  }

  TEST_CASE("errors about inputs that do not match say what was expected") {
    const TemporaryFolder folder;
    const auto path = folder / "a.npy";
    writeNpy(path, counting<float>({3, 5}));
    CHECK(has(errorOf(path, {{"x", {4}}}),
              "does not fit the network (expected samples of [4] along the first dimension, got an "
              "array of [3,5])"));
    CHECK(has(errorOf(path, {{"x", {5, 3}}}), "got an array of [3,5]"));
    CHECK(has(errorOf(path, {{"a", {5}}, {"b", {5}}}),
              "has one array, but the network has 2 Input layers (expected an array for each of "
              "a, b)"));
    writeNpy(path, counting<float>({0, 5}));
    CHECK(has(errorOf(path, {{"x", {5}}}), "has no samples"));
    std::filesystem::resize_file(path, 40);
    CHECK(has(errorOf(path, {{"x", {5}}}), "cut short"));
    CHECK(has(errorOf(folder / "none.npy", {{"x", {5}}}), "cannot be opened (No such file"));
    CHECK(has(errorOf(folder / "none", {{"x", {5}}}), "cannot be opened (No such file"));
  }
}
