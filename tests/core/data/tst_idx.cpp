// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <fstream>

#include <sys/resource.h>

#include <doctest/doctest.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/check/validate.h"
#include "core/data/dataset.h"
#include "core/data/idx.h"
#include "core/project/resources.h"
#include "gpu/base/error.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

std::string idxBytes(unsigned char kind, const std::vector<uint32_t>& dims,
                     const std::string& data) {
  std::string bytes{'\0', '\0', static_cast<char>(kind), static_cast<char>(dims.size())};
  for (const uint32_t dim : dims)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes += static_cast<char>(dim >> shift);
  return bytes + data;
}

std::string failureOf(const std::filesystem::path& path) {
  try {
    readIdx(path.string());
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidFile);
    CHECK(error.subject() == path.string());
    return error.what();
  }
  return {};
}

std::string packed(const std::string& bytes, int level) {
  const TemporaryFolder folder;
  const std::string path = (folder / "packed.gz").string();
  gzFile file = ::gzopen(path.c_str(), ("wb" + std::to_string(level)).c_str());
  REQUIRE(::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())) ==
          static_cast<int>(bytes.size()));
  REQUIRE(::gzclose(file) == Z_OK);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns the peak of the resident memory of this process.
size_t peakBytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

TEST_SUITE("idx") {
  TEST_CASE("all element types are read") {
    TemporaryFolder folder;
    const auto path = folder / "a.idx";
    const auto put = [&](const std::string& bytes) {
      std::ofstream(path, std::ios::binary) << bytes;
    };
    put(idxBytes(8, {2, 2}, std::string("\x01\x02\x03\xff", 4)));
    CHECK(readIdx(path.string())
              .isBitEqual(Tensor::from<uint8_t>(Shape{2, 2}, std::vector<uint8_t>{1, 2, 3, 255})));
    put(idxBytes(9, {2}, std::string("\xff\x05", 2)));
    CHECK(readIdx(path.string())
              .isBitEqual(Tensor::from<int32_t>(Shape{2}, std::vector<int32_t>{-1, 5})));
    put(idxBytes(11, {2}, std::string("\xff\xfe\x01\x00", 4)));
    CHECK(readIdx(path.string())
              .isBitEqual(Tensor::from<int32_t>(Shape{2}, std::vector<int32_t>{-2, 256})));
    put(idxBytes(12, {1}, std::string("\x00\x01\x00\x00", 4)));
    CHECK(readIdx(path.string())
              .isBitEqual(Tensor::from<int32_t>(Shape{1}, std::vector<int32_t>{65536})));
    put(idxBytes(13, {1}, std::string("\x3f\x80\x00\x00", 4)));
    CHECK(readIdx(path.string()).isBitEqual(Tensor::from<float>(Shape{1}, std::vector<float>{1})));
  }

  TEST_CASE("wrong files are refused with expected and actual values") {
    TemporaryFolder folder;
    const auto path = folder / "bad.idx";
    const auto refused = [&](const std::string& bytes, const std::vector<const char*>& words) {
      std::ofstream(path, std::ios::binary) << bytes;
      const std::string message = failureOf(path);
      for (const char* word : words)
        CHECK_MESSAGE(message.find(word) != std::string::npos, message);
    };
    refused("", {"cut short"});
    // The sizes multiply to 2^64 - 1, and adding the size of the header overflows to 15.
    refused(idxBytes(8, {4294967295u, 641, 6700417}, "12"), {"cut short"});
    refused(std::string("\0\0", 2), {"cut short"});
    refused("GIF89a..", {"byte 0"});
    refused(idxBytes(7, {1}, "x"), {"byte 2"});
    refused(idxBytes(8, {}, ""), {"byte 3"});
    refused(idxBytes(8, {2, 2}, "abc"), {"expected 16 bytes", "got 15"});
    refused(idxBytes(8, {2, 2}, "abcde"), {"longer"});
    refused(idxBytes(14, {4000000000u, 4000000000u, 4000000000u}, ""), {"more elements"});
    refused(idxBytes(8, {4000000000u, 4}, "abcd"), {"expected 16000000012"});
  }

  TEST_CASE("truncated bundled images are refused with the file, expected and actual bytes") {
    TemporaryFolder folder;
    std::ifstream in(resourcePath("mnist/t10k-images-idx3-ubyte.gz"), std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    const auto path = folder / "images.gz";
    std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() / 2);
    const std::string message = failureOf(path);
    CHECK_MESSAGE(message.find("expected 7840016 bytes") != std::string::npos, message);
    CHECK_MESSAGE(message.find("cut short") != std::string::npos, message);
    std::string flipped = whole;
    flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x55);
    std::ofstream(path, std::ios::binary) << flipped;
    CHECK(!failureOf(path).empty());
  }

  TEST_CASE("a compressed file must match its checksum and length, in check and in a run") {
    TemporaryFolder folder;
    const auto path = folder / "x.gz";
    std::string data(4000, '\0');
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<char>(i * i / 7);
    // The file is stored uncompressed, so that only the checksum detects a changed byte.
    const std::string whole = packed(idxBytes(8, {40, 100}, data), Z_NO_COMPRESSION);
    const auto put = [&](const std::string& bytes) {
      std::ofstream(path, std::ios::binary) << bytes;
    };
    int hours = 0;
    const auto refused = [&](const std::string& bytes, const std::string& words) {
      put(bytes);
      const std::string message = failureOf(path);
      CHECK_MESSAGE(message.find(words) != std::string::npos, message);
      std::filesystem::last_write_time(
          path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(++hours));
      // The second check takes its result from a cache in memory.
      for (int i = 0; i < 2; ++i) {
        std::string checked;
        try {
          checkIdx(path.string());
        }
        catch (const Error& error) {
          checked = error.what();
        }
        CHECK(checked == message);
      }
      std::string part;
      try {
        readIdxPart(path.string());
      }
      catch (const Error& error) {
        part = error.what();
      }
      CHECK(part == message);
    };
    put(whole);
    CHECK(checkIdx(path.string()) == TensorType{DType::U8, Shape{40, 100}});
    CHECK(readIdx(path.string()).numElements() == 4000);
    std::string changed = whole;
    changed[2000] = static_cast<char>(changed[2000] ^ 1);
    refused(changed, "is damaged after byte 4012 of its uncompressed data (incorrect data check)");
    changed = whole;
    changed[changed.size() - 1] = 1;
    refused(changed,
            "is damaged after byte 4012 of its uncompressed data (incorrect length check)");
    for (const size_t missing : {1, 4, 8})
      refused(whole.substr(0, whole.size() - missing), "is cut short in the last 8 bytes");
    refused(whole + "x", "has other data after its compressed data (expected " +
                             std::to_string(whole.size()) + " bytes, got " +
                             std::to_string(whole.size() + 1) + ")");
    refused(whole + packed("y", 9), "is longer than its header says");
    // A file may consist of two complete gzip members.
    put(packed(idxBytes(8, {40, 100}, data.substr(0, 1000)), 9) + packed(data.substr(1000), 9));
    CHECK(checkIdx(path.string()) == TensorType{DType::U8, Shape{40, 100}});
    CHECK(readIdxPart(path.string()).lost.empty());
    // `strata check` reads labels block by block.
    put(packed(idxBytes(9, {3}, std::string("\0\2\1", 3)), 9));
    int64_t count = 0;
    eachOfIdx(path.string(), [&](const Tensor& piece) {
      CHECK(piece.dtype() == DType::I32);
      count += piece.numElements();
    });
    CHECK(count == 3);
  }

  TEST_CASE("a small compressed file whose header claims a large size needs little memory") {
    TemporaryFolder folder;
    const auto path = folder / "x.gz";
    gzFile file = ::gzopen(path.string().c_str(), "wb9");
    // The header claims 150 MB, but the file unpacks to 60 MB.
    std::string bytes = idxBytes(9, {7500000, 20}, "");
    for (uint32_t i = 0, value = 1; i < 100000; ++i)
      bytes += static_cast<char>((value = value * 1664525u + 1013904223u) >> 24);
    ::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    const std::string zeros(1000000, '\0');
    for (int i = 0; i < 60; ++i)
      ::gzwrite(file, zeros.data(), static_cast<unsigned>(zeros.size()));
    REQUIRE(::gzclose(file) == Z_OK);
    const size_t before = peakBytes();
    CHECK(failureOf(path).find("is cut short (expected 150000012 bytes unpacked, got 60100012)") !=
          std::string::npos);
    CHECK_THROWS_AS(checkIdx(path.string()), Error);
    CHECK_THROWS_AS(eachOfIdx(path.string(), [](const Tensor&) {}), Error);
// The address sanitizer does not return freed memory to the system, so the peak is not checked with
// it.
#ifndef __SANITIZE_ADDRESS__
    CHECK(peakBytes() < before + (size_t{64} << 20));
#else
    (void)before;
#endif
  }

  TEST_CASE("a large file is refused by its header if its samples do not match the network") {
    TemporaryFolder folder;
    gzFile file = ::gzopen((folder / "x").string().c_str(), "wb1");
    const std::string head = idxBytes(8, {300000000, 1}, ""), zeros(1000000, '\0');
    ::gzwrite(file, head.data(), static_cast<unsigned>(head.size()));
    for (int i = 0; i < 300; ++i)
      ::gzwrite(file, zeros.data(), static_cast<unsigned>(zeros.size()));
    REQUIRE(::gzclose(file) == Z_OK);
    const size_t before = peakBytes();
    for (const char* onDamaged : {"stop", "skip"}) {
      std::string message;
      try {
        loadDataset(Project(parseJson(
            R"({"format":"strata-project","version":1,"data":{"source":{"type":"idx","images":")" +
                (folder / "x").string() + R"(","labels":")" + (folder / "x").string() +
                R"("},"on_damaged":")" + onDamaged +
                R"("},"model":{"layers":[{"type":"Input","name":"x","shape":[2]},)"
                R"({"type":"Dense","name":"y","units":2}]},"training":{"loss":"sparse_categorical_crossentropy"}})",
            "test")));
      }
      catch (const Error& error) {
        message = error.line();
      }
      CHECK_MESSAGE(
          message.find(
              "expected samples of [2] along the first dimension, got an array of [300000000,1]") !=
              std::string::npos,
          message);
    }
    CHECK(peakBytes() < before + (size_t{64} << 20));
  }

  TEST_CASE("labels that are not 0 and 1 are named for a loss of two classes") {
    const TemporaryFolder folder;
    std::ofstream(folder / "x", std::ios::binary) << idxBytes(8, {4, 1, 1}, std::string(4, 'a'));
    Project project(
        Json{{"format", "strata-project"},
             {"version", 1},
             {"data",
              {{"source",
                {{"type", "idx"},
                 {"images", (folder / "x").string()},
                 {"labels", (folder / "y").string()}}}}},
             {"model",
              {{"layers",
                {{{"type", "Input"}, {"name", "x"}, {"shape", {1, 1, 1}}},
                 {{"type", "Flatten"}, {"name", "f"}},
                 {{"type", "Dense"}, {"name", "d"}, {"units", 1}, {"activation", "sigmoid"}}}}}},
             {"training", {{"loss", "binary_crossentropy"}, {"optimizer", "sgd"}}}});
    const auto problemOf = [&](const std::string& labels) {
      std::ofstream(folder / "y", std::ios::binary) << idxBytes(8, {4}, labels);
      // The labels are cached until the time or size of the file changes
      std::filesystem::last_write_time(folder / "y", std::filesystem::file_time_type::clock::now() +
                                                         std::chrono::seconds(labels[3]));
      const Diagnostics problems = validate(project);
      return problems.empty() ? std::string() : problems[0].sentence();
    };
    CHECK(problemOf("\1\2\1\2").find("Change the targets 1 and 2 to 0 and 1.") !=
          std::string::npos);
    CHECK(problemOf(std::string("\0\377\0\377", 4))
              .find("Change the targets 0 and 255 to 0 and 1.") != std::string::npos);
    Json& training = project.document()["training"];
    project.document()["model"]["layers"][2] = {
        {"type", "Dense"}, {"name", "d"}, {"units", 3}, {"activation", "softmax"}};
    training["loss"] = "sparse_categorical_crossentropy";
    CHECK(problemOf("\1\2\3\3").find("begin at 1 (expected 0 to 2, got 1 to 3)") !=
          std::string::npos);
    training["loss"] = {{"type", "sparse_categorical_crossentropy"}, {"ignore_class", 255}};
    CHECK(problemOf(std::string("\0\1\2\377", 4)).empty());
  }

  TEST_CASE("samples with non-finite floats are damaged") {
    TemporaryFolder folder;
    const auto put = [&](const char* name, const std::string& bytes) {
      std::ofstream(folder / name, std::ios::binary) << bytes;
    };
    // The five samples are 1, NaN, 2, infinity and 3.
    put("f",
        idxBytes(0x0D, {5, 1},
                 std::string("\x3f\x80\0\0\x7f\xc0\0\0\x40\0\0\0\x7f\x80\0\0\x40\x40\0\0", 20)));
    put("d", idxBytes(0x0E, {2, 1}, std::string("\x7f\xf8\0\0\0\0\0\0\x3f\xf0\0\0\0\0\0\0", 16)));
    put("y", idxBytes(8, {5}, std::string("\0\1\2\1\0", 5)));
    put("y2", idxBytes(8, {2}, std::string("\1\0", 2)));
    const auto load = [&](const char* images, const char* labels, const std::string& onDamaged) {
      return loadDataset(Project(parseJson(
          R"({"format":"strata-project","version":1,"data":{"source":{"type":"idx","images":")" +
              (folder / images).string() + R"(","labels":")" + (folder / labels).string() +
              R"("},"on_damaged":")" + onDamaged +
              R"("},"model":{"layers":[]},"training":{"loss":"sparse_categorical_crossentropy"}})",
          "test")));
    };
    const auto skipped = load("f", "y", "skip");
    REQUIRE(skipped->train->count() == 3);
    CHECK(skipped->train->x[0].as<float>()[1] == 2);
    CHECK(skipped->train->y[0].as<int32_t>()[1] == 2);
    REQUIRE(skipped->damaged.size() == 2);
    CHECK(skipped->damaged[1].reason ==
          "sample 3 has a NaN or infinity at position 0 (expected finite numbers).");
    const auto replaced = load("f", "y", "replace");
    REQUIRE(replaced->train->count() == 5);
    CHECK(replaced->train->x[0].as<float>()[1] == 1);
    // The first sample is damaged, so the next undamaged sample replaces it.
    CHECK(load("d", "y2", "replace")->train->count() == 2);
    std::string message;
    try {
      load("f", "y", "stop");
    }
    catch (const Error& error) {
      message = error.line();
    }
    CHECK_MESSAGE(message.find("sample 1 has a NaN or infinity") != std::string::npos, message);
  }

  TEST_CASE("a truncated file is an error or gives its complete samples, by on_damaged") {
    TemporaryFolder folder;
    const auto put = [&](const char* name, const std::string& bytes) {
      std::ofstream(folder / name, std::ios::binary) << bytes;
    };
    const auto project = [&](const std::string& onDamaged) {
      return Project(parseJson(
          R"({"format":"strata-project","version":1,"data":{"source":{"type":"idx","images":")" +
              (folder / "x").string() + R"(","labels":")" + (folder / "y").string() +
              R"("},"on_damaged":")" + onDamaged +
              R"("},"model":{"layers":[]},"training":{"loss":"sparse_categorical_crossentropy"}})",
          "test"));
    };
    const auto errorOf = [](const Project& wrong) -> std::string {
      try {
        loadDataset(wrong);
      }
      catch (const Error& error) {
        return error.line();
      }
      return "no error";
    };
    const std::string images = idxBytes(8, {5, 2, 1}, "aAbBcCdDeE"),
                      labels = idxBytes(9, {5}, std::string("\0\1\2\1\0", 5));
    // The file has three complete images.
    put("x", images.substr(0, images.size() - 3));
    put("y", labels);
    CHECK_MESSAGE(errorOf(project("stop")).find("x: is cut short (expected 26 bytes, got 23)") !=
                      std::string::npos,
                  errorOf(project("stop")));
    const auto skipped = loadDataset(project("skip"));
    CHECK(skipped->train->x[0].isBitEqual(Tensor::from<uint8_t>(
        Shape{3, 2, 1, 1}, std::vector<uint8_t>{'a', 'A', 'b', 'B', 'c', 'C'})));
    CHECK(skipped->train->y[0].isBitEqual(
        Tensor::from<int32_t>(Shape{3}, std::vector<int32_t>{0, 1, 2})));
    REQUIRE(skipped->damaged.size() == 1);
    CHECK(skipped->damaged[0].file == (folder / "x").string());
    CHECK(skipped->damaged[0].reason ==
          "is cut short (expected 26 bytes, got 23): samples 3 to 4 are missing.");
    const auto replaced = loadDataset(project("replace"));
    REQUIRE(replaced->train->count() == 5);
    CHECK(replaced->train->x[0].as<uint8_t>()[9] == 'C');
    CHECK(replaced->train->y[0].as<int32_t>()[4] == 2);
    Diagnostics diagnostics;
    const DatasetInfo info = describeDataset(project("skip"), diagnostics);
    CHECK(info.trainCount == 3);
    CHECK(info.damaged.size() == 1);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].severity == Severity::Warning);
    // Both files are truncated.
    put("y", labels.substr(0, labels.size() - 3));
    CHECK(loadDataset(project("skip"))->train->count() == 2);
    CHECK(loadDataset(project("skip"))->damaged.size() == 2);
    put("y", labels.substr(0, labels.size() - 5));
    CHECK(errorOf(project("skip")).find("y: is cut short (expected 13 bytes, got 8)") !=
          std::string::npos);
    // Damage other than truncation is always an error.
    put("y", labels + "x");
    CHECK(errorOf(project("skip")).find("is longer than its header says") != std::string::npos);
    put("y", idxBytes(9, {4}, std::string(4, '\0')));
    CHECK(errorOf(project("skip")).find("(expected 5 labels, got 4)") != std::string::npos);
    // The complete samples of a truncated file are read even if its header claims billions of
    // samples.
    put("x", idxBytes(8, {0xffffffff, 2, 1}, "aAb"));
    put("y", idxBytes(9, {0xffffffff}, std::string(4, '\0')));
    CHECK(loadDataset(project("skip"))->train->count() == 1);
    CHECK(errorOf(project("replace")).find("(expected at least half of 4294967295, got 1)") !=
          std::string::npos);
  }
}
