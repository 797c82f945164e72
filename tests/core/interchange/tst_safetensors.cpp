// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <fstream>
#include <numeric>

#include <doctest/doctest.h>

#include "core/interchange/npz.h"
#include "core/interchange/safetensors.h"
#include "core/interchange/weight_names.h"
#include "core/interchange/weights_file.h"
#include "gpu/base/error.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

void writeBytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
std::string readBytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
std::string withHeader(const std::string& header, const std::string& data = {}) {
  const uint64_t size = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &size, 8);
  return bytes + header + data;
}

TensorFile example() {
  TensorFile file;
  Tensor kernel(DType::F32, Shape{2, 3});
  std::iota(kernel.as<float>().begin(), kernel.as<float>().end(), 0.5f);
  file.tensors["dense/kernel"] = kernel;
  file.tensors["dense/bias"] = Tensor::from<float>(Shape{3}, std::vector<float>{1, -2, 3});
  file.tensors["steps"] = Tensor::from<int64_t>(Shape{1}, std::vector<int64_t>{7});
  file.tensors["pixels"] = Tensor::from<uint8_t>(Shape{3}, std::vector<uint8_t>{1, 2, 255});
  file.tensors["none"] = Tensor(DType::F32, Shape{0, 4});
  file.metadata = {{"project", "a \"quoted\" name"}, {"step", "12"}};
  return file;
}

/// Returns the message of the error that reading the file causes, or "" if the file can be read.
std::string failureOf(const std::filesystem::path& path) {
  try {
    readSafetensors(path.string());
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidFile);
    CHECK(error.subject() == path.string());
    return error.what();
  }
  return {};
}

}  // namespace

TEST_SUITE("safetensors") {
  TEST_CASE("reading returns the bits, names and metadata that were written") {
    TemporaryFolder folder;
    const std::string path = (folder / "w.safetensors").string();
    const TensorFile file = example();
    writeSafetensors(path, file);
    const TensorFile back = readSafetensors(path);
    CHECK(back.metadata == file.metadata);
    REQUIRE(back.tensors.size() == file.tensors.size());
    for (const auto& [name, tensor] : file.tensors)
      CHECK(back.tensors.at(name).isBitEqual(tensor));
    // No temporary file is left.
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  }

  TEST_CASE("the hash depends on every bit, name and shape") {
    TensorFile file = example();
    const std::string hash = weightsHash(file.tensors);
    CHECK(hash.size() == 16);
    CHECK(weightsHash(example().tensors) == hash);
    file.tensors["dense/bias"].as<float>()[1] = -2.0000002f;
    CHECK(weightsHash(file.tensors) != hash);
    file = example();
    file.tensors["dense/kernel"] = file.tensors["dense/kernel"].reshaped(Shape{3, 2});
    CHECK(weightsHash(file.tensors) != hash);
    file = example();
    file.tensors["renamed"] = file.tensors["steps"];
    file.tensors.erase("steps");
    CHECK(weightsHash(file.tensors) != hash);
  }

  TEST_CASE("a truncated file is refused") {
    TemporaryFolder folder;
    const auto path = folder / "w.safetensors";
    writeSafetensors(path.string(), example());
    const std::string whole = readBytes(path);
    for (size_t size = 0; size < whole.size(); ++size) {
      writeBytes(path, whole.substr(0, size));
      CHECK_MESSAGE(!failureOf(path).empty(), "cut to " << size << " bytes");
    }
    writeBytes(path, whole + "x");
    CHECK(failureOf(path).find("no tensor") != std::string::npos);
  }

  TEST_CASE("hostile headers are refused before memory is allocated") {
    TemporaryFolder folder;
    const auto path = folder / "bad.safetensors";
    const auto refused = [&](const std::string& bytes, const char* word) {
      writeBytes(path, bytes);
      const std::string message = failureOf(path);
      CHECK_MESSAGE(message.find(word) != std::string::npos, message);
    };
    refused(std::string("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10), "length");
    refused(withHeader("[]"), "not JSON");
    refused(withHeader("{\"a\":"), "header");
    refused(withHeader(R"({"a":5})"), "object");
    refused(withHeader(R"({"a":{"dtype":"F32","shape":[2]}})"), "data_offsets");
    refused(withHeader(R"({"a":{"dtype":"Q4","shape":[1],"data_offsets":[0,1]}})", "x"), "dtype");
    refused(withHeader(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", "12345678"),
            "does not fit");
    refused(withHeader(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})"), "outside");
    refused(withHeader(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", "1234"),
            "outside");
    refused(withHeader(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "1234"),
            "integers");
    refused(withHeader(R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", "1234"),
            "integers");
    refused(
        withHeader(R"({"a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,4]}})",
                   "1234"),
        "larger than any memory");
    refused(withHeader(R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}})",
                       "1234"),
            "dimensions");
    refused(
        withHeader(
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
            "123456"),
        "overlaps");
    refused(withHeader(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "12345678"),
            "gap");
    refused(
        withHeader(
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
            "1234"),
        "header");
    refused(withHeader(R"({"__metadata__":{"x":1}})"), "__metadata__");
    refused(withHeader("{" + std::string(20000, '[')), "header");
    CHECK_THROWS_AS(readSafetensors((folder / "absent").string()), Error);
    CHECK_THROWS_AS(readSafetensors(folder.path().string()), Error);
  }

  TEST_CASE("the time per name for reading and writing does not grow with the number of names") {
    TemporaryFolder folder;
    const Tensor one = Tensor::from<float>(Shape{1}, std::vector<float>{1});
    TensorViews views;
    for (int i = 0; i < 80000; ++i)
      views.emplace("layer_" + std::to_string(i) + "/kernel", TensorView{one.type(), one.data()});
    const std::string path = (folder / "w.safetensors").string(),
                      archive = (folder / "w.npz").string();
    const std::map<std::string, std::string> metadata{{"format", "strata-weights"},
                                                      {"hash", weightsHash(views)}};
    writeSafetensors(path, views, metadata);
    const auto names = openSafetensors(path);
    CHECK(names->types().size() == views.size());
    CHECK_NOTHROW(requireHash(*names, path));
    writeNpz(archive, *names, names->metadata());
    const auto archived = openNpz(archive);
    CHECK(archived->metadata() == metadata);
    CHECK_NOTHROW(requireHash(*archived, archive));
    std::vector<WantedTensor> wanted;
    for (const auto& [name, type] : names->types())
      wanted.push_back({"model/" + name, type.shape});
    try {
      // No name in the file has this prefix, so each tensor must be searched by the end of its
      // name.
      matchNames(archived->types(), wanted, archive);
      FAIL("they are other names");
    }
    catch (const Error& error) {
      CHECK(error.subject() == archive);
    }
  }

  TEST_CASE("tensors are read one by one and converted block by block") {
    TemporaryFolder folder;
    const auto path = folder / "w.safetensors";
    // The tensor is larger than one block.
    std::string halves;
    for (int i = 0; i < 1500000; ++i)
      halves += i % 2 == 0 ? std::string("\0\x3c", 2) : std::string("\0\xc0", 2);
    writeBytes(
        path,
        withHeader(
            R"({"h":{"dtype":"F16","shape":[1500000],"data_offsets":[0,3000000]},"b":{"dtype":"BOOL","shape":[1],)"
            R"("data_offsets":[3000000,3000001]}})",
            halves + "\2"));
    const auto reader = openSafetensors(path.string());
    CHECK(reader->types().at("h") == TensorType{DType::F32, Shape{1500000}});
    const Tensor read = reader->read("h");
    CHECK(read.as<float>()[0] == 1);
    CHECK(read.as<float>()[1499999] == -2);
    CHECK(reader->read("b").as<uint8_t>()[0] == 1);
    CHECK(weightsHash(*reader) == weightsHash(readSafetensors(path.string()).tensors));
  }

  TEST_CASE("saving to a missing folder is an error and leaves no files") {
    TemporaryFolder folder;
    try {
      writeSafetensors((folder / "no/w.safetensors").string(), example());
      FAIL("it was written");
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::IoFailure);
    }
    CHECK(std::filesystem::is_empty(folder.path()));
  }

  TEST_CASE("reference files can be loaded") {
    const auto shared = sharedDir();
    if (shared.empty()) {
      MESSAGE("no shared folder: skipped");
      return;
    }
    const TensorFile file = readSafetensors((shared / "golden/trainings.safetensors").string());
    CHECK(file.tensors.at("data/x").dtype() == DType::U8);
    CHECK(file.tensors.at("data/y").dtype() == DType::I32);
  }
}
