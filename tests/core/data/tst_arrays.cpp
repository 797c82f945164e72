// SPDX-License-Identifier: Apache-2.0
// Tests CIFAR's binary files and NumPy arrays as data sources.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/dataset.h"
#include "core/interchange/npz.h"
#include "gpu/base/error.h"
#include "tests/support/has.h"
#include "tests/support/npy_file.h"
#include "tests/support/paths.h"

using namespace strata;
namespace fs = std::filesystem;

namespace {

Project projectOf(const std::string& source, const std::string& data = "",
                  const std::string& loss = "sparse_categorical_crossentropy") {
  return Project(parseJson(R"({"format":"strata-project","version":1,"data":{"source":)" + source +
                               (data.empty() ? "" : ",") + data +
                               R"(},"model":{"layers":[]},"training":{"loss":")" + loss + R"("}})",
                           "test"));
}

std::string errorOf(const Project& project) {
  try {
    loadDataset(project);
  }
  catch (const Error& error) {
    return error.line();
  }
  return "";
}

/// Returns CIFAR records in which pixel p of plane c is label + 10 * c + p % 7.
std::string records(std::initializer_list<int> labels, bool isHundred = false) {
  std::string bytes;
  for (const int label : labels) {
    if (isHundred) bytes += static_cast<char>(label % 20);
    bytes += static_cast<char>(label);
    for (int c = 0; c < 3; ++c)
      for (int p = 0; p < 1024; ++p)
        bytes += static_cast<char>(label + 10 * c + p % 7);
  }
  return bytes;
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_SUITE("cifar") {
  TEST_CASE("CIFAR-10: planes become pixels, batch files are joined, and class names are read") {
    const TemporaryFolder folder;
    write(folder / "data_batch_1.bin", records({3, 9}));
    write(folder / "data_batch_2.bin", records({0}));
    write(folder / "test_batch.bin", records({5}));
    write(folder / "batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n\n");
    const Project project =
        projectOf(R"({"type":"cifar","path":")" + folder.path().string() + "\"}");
    const auto data = loadDataset(project);
    CHECK(data->train->x[0].type() == TensorType{DType::U8, Shape{3, 32, 32, 3}});
    CHECK(data->test->count() == 1);
    CHECK(data->targets[0].classNames[3] == "d");
    const auto y = data->train->y[0].as<int32_t>();
    CHECK(std::vector<int32_t>(y.begin(), y.end()) == std::vector<int32_t>{3, 9, 0});
    const auto* pixel = data->train->x[0].as<uint8_t>().data() + 3072 + 5 * 3;
    CHECK(pixel[0] == 14);
    CHECK(pixel[1] == 24);
    CHECK(pixel[2] == 34);
    CHECK(has(data->train->placeOf(2), "data_batch_2.bin, record 0"));
    CHECK(has(errorOf(projectOf(R"({"type":"cifar","label_mode":"coarse","path":")" +
                                folder.path().string() + "\"}")),
              "one kind of labels"));
    CHECK(has(errorOf(projectOf(R"({"type":"cifar","path":")" + folder.path().string() + "\"}",
                                R"("test_split":0.5)")),
              "already has a test set"));
  }

  TEST_CASE("CIFAR-100: fine or coarse labels are read") {
    const TemporaryFolder folder;
    write(folder / "train.bin", records({99, 21}, true));
    const auto load = [&](const char* mode) {
      return loadDataset(projectOf(R"({"type":"cifar","label_mode":")" + std::string(mode) +
                                   R"(","path":")" + folder.path().string() + "\"}"));
    };
    CHECK(load("fine")->train->y[0].as<int32_t>()[0] == 99);
    CHECK(load("coarse")->train->y[0].as<int32_t>()[0] == 19);
    CHECK(load("coarse")->targets[0].classNames.size() == 20);
  }

  TEST_CASE("damaged records are treated as on_damaged says") {
    const TemporaryFolder folder;
    const std::string path = folder.path().string();
    CHECK(
        has(errorOf(projectOf(R"({"type":"cifar","path":")" + path + "\"}")), "has no CIFAR data"));
    write(folder / "data_batch_1.bin", records({12, 1, 77, 2}) + "rest");
    const auto load = [&](const char* policy) {
      return loadDataset(projectOf(R"({"type":"cifar","path":")" + path + "\"}",
                                   "\"on_damaged\":\"" + std::string(policy) + "\""));
    };
    CHECK(has(errorOf(projectOf(R"({"type":"cifar","path":")" + path + "\"}")),
              "record 0, byte 0: the label is 12 (expected 0 to 9)."));
    CHECK(load("skip")->train->count() == 2);
    CHECK(load("skip")->damaged.size() == 3);
    const auto y = load("replace")->train->y[0];
    CHECK(std::vector<int32_t>(y.as<int32_t>().begin(), y.as<int32_t>().end()) ==
          std::vector<int32_t>{1, 1, 1, 2});
    const std::string whole = records({1, 2});
    for (const size_t length : {size_t{0}, size_t{1}, size_t{3072}, size_t{3073}, size_t{6000}}) {
      write(folder / "data_batch_1.bin", whole.substr(0, length));
      CHECK(errorOf(projectOf(R"({"type":"cifar","path":")" + path + "\"}")).empty() ==
            (length == 3073));
    }
  }
}

TEST_SUITE("numpy source") {
  TEST_CASE("files and archives may contain samples, labels and weights of several types") {
    const TemporaryFolder folder;
    const std::vector<double> wide{1, 2, 3, 4, 5, 6};
    const std::vector<int64_t> classes{2, 0, 1};
    writeNpy(folder / "x.npy", Tensor::from<double>(Shape{3, 2}, wide));
    writeNpy(folder / "y.npy", Tensor::from<int64_t>(Shape{3, 1}, classes));
    const std::string files = R"({"type":"numpy","x":")" + (folder / "x.npy").string() +
                              R"(","y":")" + (folder / "y.npy").string() + "\"}";
    const auto data = loadDataset(projectOf(files));
    CHECK(data->train->x[0].type() == TensorType{DType::F32, Shape{3, 2}});
    CHECK(data->train->y[0].type() == TensorType{DType::I32, Shape{3}});
    CHECK(data->train->y[0].as<int32_t>()[0] == 2);
    CHECK(data->targets[0].classNames.size() == 3);
    CHECK(loadDataset(projectOf(files, "", "mean_squared_error"))->train->y[0].dtype() ==
          DType::F32);
    // Labels may have one byte each.
    for (const char* kind : {"b1", "u1"}) {
      CAPTURE(kind);
      std::string head =
          "{'descr': '|" + std::string(kind) + "', 'fortran_order': False, 'shape': (3,), }\n";
      head = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(head.size()) + '\0' + head;
      write(folder / "y.npy", head + std::string("\1\0\1", 3));
      const auto bytes = loadDataset(projectOf(files));
      const auto labels = bytes->train->y[0].as<int32_t>();
      CHECK(std::vector<int32_t>(labels.begin(), labels.end()) == std::vector<int32_t>{1, 0, 1});
      CHECK(bytes->targets[0].hasLabels);
      CHECK(bytes->targets[0].classes == 2);
      CHECK(loadDataset(projectOf(files, "", "mean_squared_error"))->train->y[0].as<float>()[2] ==
            1);
    }
    writeNpy(folder / "y.npy", Tensor::from<int64_t>(Shape{3, 1}, std::vector<int64_t>{2, -1, 1}));
    CHECK(has(errorOf(projectOf(files)),
              "y.npy: contains the label -1 (expected integers of at least 0"));

    const std::vector<uint8_t> bytes{1, 2, 3, 4};
    const std::vector<float> weights{1, 0.5f};
    const Tensor x = Tensor::from<uint8_t>(Shape{2, 2}, bytes),
                 y = Tensor::from<int64_t>(Shape{2}, std::vector<int64_t>{0, 1}),
                 w = Tensor::from<float>(Shape{2}, weights);
    const auto view = [](const Tensor& tensor) {
      return TensorView{tensor.type(), tensor.data()};
    };
    const std::string archive = (folder / "d.npz").string();
    writeNpz(archive,
             {{"x_train", view(x)},
              {"y_train", view(y)},
              {"x_test", view(x)},
              {"y_test", view(y)},
              {"w", view(w)}},
             {});
    const auto packed =
        loadDataset(projectOf(R"({"type":"numpy","weights":"w","path":")" + archive + "\"}"));
    CHECK(packed->train->x[0].dtype() == DType::U8);
    CHECK(packed->test->count() == 2);
    CHECK(packed->train->weights[0].as<float>()[1] == 0.5f);
    CHECK(loadDataset(projectOf(R"({"type":"numpy","path":")" + archive +
                                R"(","x":"x_test","y":"y_test"})"))
              ->train->count() == 2);
    CHECK(has(errorOf(projectOf(R"({"type":"numpy","path":")" + archive + R"(","x":"z"})")),
              "has no array \"z\""));
  }

  TEST_CASE("arrays that do not match, and NaN, are errors") {
    const TemporaryFolder folder;
    const auto source = [&] {
      return R"({"type":"numpy","x":")" + (folder / "x.npy").string() + R"(","y":")" +
             (folder / "y.npy").string() + "\"}";
    };
    CHECK(has(errorOf(projectOf(R"({"type":"numpy"})")), "x is missing"));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    writeNpy(folder / "x.npy",
             Tensor::from<float>(Shape{4, 1}, std::vector<float>{nan, 1, nan, 3}));
    writeNpy(folder / "y.npy", Tensor::from<float>(Shape{3}, std::vector<float>{0, 1, 2}));
    CHECK(has(errorOf(projectOf(source())), "expected 4 targets, got 3"));
    writeNpy(folder / "e.npy", Tensor(DType::F32, {0, 1}));
    const std::string e = (folder / "e.npy").string(), y = (folder / "y.npy").string();
    CHECK(errorOf(projectOf(R"({"type":"numpy","x":")" + e + R"(","y":")" + y + "\"}")) ==
          e + ": has no samples. Choose another array.");
    CHECK(errorOf(projectOf(R"({"type":"numpy","x":")" + y + R"(","y":")" + e + "\"}")) ==
          e + ": has no samples. Choose another array.");
    writeNpy(folder / "y.npy", Tensor::from<float>(Shape{4}, std::vector<float>{0, 1, 2, 1.5f}));
    CHECK(has(errorOf(projectOf(source())), "holds 1.5 at position 3"));
    writeNpy(folder / "y.npy", Tensor::from<float>(Shape{4}, std::vector<float>{0, 1, 2, 1}));
    CHECK(has(errorOf(projectOf(source())), "sample 0 has a NaN or infinity at position 0"));
    CHECK(loadDataset(projectOf(source(), R"("on_damaged":"skip")"))->train->count() == 2);
    const auto replaced = loadDataset(projectOf(source(), R"("on_damaged":"replace")"));
    const auto x = replaced->train->x[0].as<float>();
    CHECK(std::vector<float>(x.begin(), x.end()) == std::vector<float>{1, 1, 1, 3});
    write(folder / "x.npy", "\x93NUMPY");
    CHECK(has(errorOf(projectOf(source())), "x.npy"));
  }

  TEST_CASE("a NaN is reported with the name of its array") {
    const TemporaryFolder folder;
    const float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
    const auto array = [](std::vector<float> values) {
      return Tensor::from<float>(Shape{4}, values);
    };
    const std::vector<std::string> names{"x", "y", "test_x", "test_y", "weights"};
    const auto places = [&](const std::string& wrong, float value, const std::string& loss) {
      std::string source = R"({"type":"numpy")";
      for (const std::string& name : names) {
        const fs::path file = folder / (name + ".npy");
        writeNpy(file, array({0, 1, name == wrong ? value : 1, 1}));
        source += ",\"" + name + "\":\"" + file.string() + "\"";
      }
      const auto data = loadDataset(projectOf(source + "}", R"("on_damaged":"skip")", loss));
      std::string problems;
      for (const DamagedSample& each : data->damaged)
        problems += fs::path(each.file).filename().string() + ": " + each.reason + "\n";
      CHECK(data->train->count() + data->test->count() == 7);
      CHECK(has(errorOf(projectOf(source + "}", "", loss)),
                (folder / (wrong + ".npy")).string() + ": sample 2 has"));
      return problems;
    };
    for (const std::string loss : {"sparse_categorical_crossentropy", "mean_squared_error"}) {
      CAPTURE(loss);
      for (const std::string name : {"x", "test_x"})
        CHECK(
            places(name, nan, loss) ==
            name +
                ".npy: sample 2 has a NaN or infinity at position 0 (expected finite numbers).\n");
      for (const std::string name : {"y", "test_y"})
        for (const float value : {nan, infinity})
          CHECK(places(name, value, loss) ==
                name +
                    ".npy: sample 2 has a NaN or infinity as target (expected a finite number).\n");
      for (const float value : {nan, infinity, -1.0f})
        CHECK(places("weights", value, loss) ==
              "weights.npy: sample 2 has no weight of at least 0 (expected a finite number).\n");
    }
    // For an archive, the error names the array and the file.
    const auto view = [](const Tensor& tensor) {
      return TensorView{tensor.type(), tensor.data()};
    };
    const Tensor good = array({0, 1, 0, 1}), bad = array({nan, nan, nan, nan});
    const std::string archive = (folder / "d.npz").string();
    writeNpz(archive,
             {{"x", view(good)}, {"y", view(good)}, {"x_test", view(good)}, {"y_test", view(bad)}},
             {});
    const std::string message = errorOf(
        projectOf(R"({"type":"numpy","path":")" + archive + "\"}", "", "mean_squared_error"));
    CHECK(has(message, archive +
                           ", array \"y_test\": has no undamaged sample. sample 0 has a NaN or "
                           "infinity as target"));
  }

  TEST_CASE("a target that does not fit is reported with the name of its array") {
    const TemporaryFolder folder;
    const auto view = [](const Tensor& tensor) {
      return TensorView{tensor.type(), tensor.data()};
    };
    const Tensor x = Tensor::from<float>(Shape{4, 2}, std::vector<float>(8, 1)),
                 y = Tensor::from<float>(Shape{4}, std::vector<float>{0, 1, 1, 3});
    const std::string archive = (folder / "d.npz").string();
    writeNpz(archive, {{"x", view(x)}, {"y", view(y)}}, {});
    const auto data = loadDataset(
        projectOf(R"({"type":"numpy","path":")" + archive + "\"}", "", "mean_squared_error"));
    CHECK(data->train->placeOfTarget(3, 0) == archive + ", array \"y\", sample 3");
    CHECK(data->train->placeOf(3) == archive + ", array \"x\", sample 3");
  }

  TEST_CASE("a truncated .npy file is an error or gives its complete samples, by on_damaged") {
    const TemporaryFolder folder;
    Tensor x(DType::F32, {6, 2});
    for (size_t i = 0; i < 12; ++i)
      x.as<float>()[i] = static_cast<float>(i);
    writeNpy(folder / "x.npy", x);
    writeNpy(folder / "y.npy",
             Tensor::from<int32_t>(Shape{6}, std::vector<int32_t>{0, 1, 0, 1, 0, 1}));
    const std::string source = R"({"type":"numpy","x":")" + (folder / "x.npy").string() +
                               R"(","y":")" + (folder / "y.npy").string() + "\"}";
    const auto whole = fs::file_size(folder / "x.npy");
    // The fifth row is incomplete, and the sixth row is missing.
    fs::resize_file(folder / "x.npy", whole - 3 * 4);
    CHECK(has(errorOf(projectOf(source)), "(expected 48 bytes for [6,2], got 36)"));
    const auto skipped = loadDataset(projectOf(source, R"("on_damaged":"skip")"));
    CHECK(skipped->train->count() == 4);
    REQUIRE(skipped->damaged.size() == 1);
    CHECK(skipped->damaged[0].file == (folder / "x.npy").string());
    CHECK(has(skipped->damaged[0].reason, "is cut short (expected " + std::to_string(whole) +
                                              " bytes, got " + std::to_string(whole - 12) +
                                              "): samples 4 to 5 are missing."));
    const auto replaced = loadDataset(projectOf(source, R"("on_damaged":"replace")"));
    REQUIRE(replaced->train->count() == 6);
    CHECK(replaced->train->x[0].as<float>()[10] == 6);
    CHECK(replaced->train->y[0].as<int32_t>()[5] == 1);
    // Samples without targets are skipped, too.
    fs::resize_file(folder / "y.npy", fs::file_size(folder / "y.npy") - 16);
    CHECK(loadDataset(projectOf(source, R"("on_damaged":"skip")"))->train->count() == 2);
    fs::resize_file(folder / "x.npy", whole - 48 + 7);
    CHECK(has(errorOf(projectOf(source, R"("on_damaged":"skip")")),
              "(expected 48 bytes for [6,2], got 7)"));
    // If a header claims gigabytes, the missing values are not replaced.
    write(folder / "x.npy", npyHead({DType::F32, {int64_t{1} << 30}}) + std::string(16, '\0'));
    CHECK(has(errorOf(projectOf(source, R"("on_damaged":"replace")")),
              "(expected 4294967296 bytes for [1073741824], got 16)"));
  }
}
