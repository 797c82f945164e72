// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <fstream>

#include <doctest/doctest.h>

#include "core/data/array_files.h"
#include "core/interchange/npz.h"
#include "core/interchange/zip.h"
#include "gpu/base/error.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

TensorFile exampleArrays() {
  TensorFile file;
  file.tensors["dense/kernel"] =
      Tensor::from<float>(Shape{2, 3}, std::vector<float>{1, 2, 3, 4, 5, -6});
  file.tensors["scalar"] = Tensor::scalar<double>(0.125);
  file.tensors["steps"] = Tensor::from<int64_t>(Shape{1}, std::vector<int64_t>{-7});
  file.tensors["pixels"] = Tensor::from<uint8_t>(Shape{3}, std::vector<uint8_t>{1, 2, 255});
  file.tensors["none"] = Tensor(DType::F32, Shape{0, 4});
  file.metadata = {{"project", "a \"quoted\" name"}, {"step", "12"}};
  return file;
}

std::string bytesOf(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string npyOf(const std::string& head, const std::string& data) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(head.size());
  bytes += '\0';
  return bytes + head + data;
}

template <class T>
std::string raw(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

Tensor parsed(const std::string& bytes) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.npy", std::ios::binary) << bytes;
  return readNpyArray((folder / "a.npy").string(), ArrayUse::AsStored).tensor;
}

std::string failureOfNpz(const std::filesystem::path& path) {
  try {
    readNpz(path.string());
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidFile);
    CHECK(error.subject() == path.string());
    return error.what();
  }
  return {};
}

}  // namespace

TEST_SUITE("npz") {
  TEST_CASE("reading returns the bits, names and metadata that were written") {
    TemporaryFolder folder;
    const std::string path = (folder / "w.npz").string();
    const TensorFile file = exampleArrays();
    writeNpz(path, viewsOf(file.tensors), file.metadata);
    CHECK(openNpz(path)->types().size() == file.tensors.size());
    const TensorFile back = readNpz(path);
    CHECK(back.metadata == file.metadata);
    REQUIRE(back.tensors.size() == file.tensors.size());
    for (const auto& [name, tensor] : file.tensors)
      CHECK(back.tensors.at(name).isBitEqual(tensor));
    const std::string first = bytesOf(path);
    writeNpz(path, viewsOf(file.tensors), file.metadata);
    // The file contains no times, so writing it again gives the same bytes.
    CHECK(bytesOf(path) == first);
  }

  TEST_CASE("a truncated archive is refused, and a changed byte never causes a crash") {
    TemporaryFolder folder;
    const auto path = folder / "w.npz";
    writeNpz(path.string(), viewsOf(exampleArrays().tensors), {});
    const std::string whole = bytesOf(path);
    for (size_t size = 0; size < whole.size(); ++size) {
      std::ofstream(path, std::ios::binary) << whole.substr(0, size);
      CHECK_MESSAGE(!failureOfNpz(path).empty(), "cut to " << size << " bytes");
    }
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 0x81);
      std::ofstream(path, std::ios::binary) << changed;
      failureOfNpz(path);
    }
    std::string changed = whole;
    const size_t number = whole.find("dense/kernel.npy") + 16 + 128;
    changed[number] = static_cast<char>(changed[number] ^ 1);
    std::ofstream(path, std::ios::binary) << changed;
    CHECK(failureOfNpz(path).find("dense/kernel") != std::string::npos);
  }

  TEST_CASE("an archive whose directory lacks or renames a member is damaged") {
    TemporaryFolder folder;
    const auto path = folder / "w.npz";
    writeNpz(path.string(), viewsOf(exampleArrays().tensors), {});
    const std::string whole = bytesOf(path);
    const auto failureOf = [&](const std::string& bytes) {
      std::ofstream(path, std::ios::binary) << bytes;
      return failureOfNpz(path);
    };
    std::string renamed = whole;
    // The name in the directory differs from that in the member's own header.
    renamed[whole.rfind("dense/kernel.npy") + 13] = 'm';
    CHECK(has(failureOf(renamed), "own header"));
    std::string fewer = whole;
    const size_t end = whole.rfind("PK\5\6");
    fewer[end + 10] = static_cast<char>(fewer[end + 10] - 1);
    CHECK(has(failureOf(fewer), "damaged directory"));
    // Both counts of members are now too small for the length of the directory.
    fewer[end + 8] = fewer[end + 10];
    CHECK(has(failureOf(fewer), "damaged directory"));
    std::string none = whole;
    // The directory has no members and no bytes.
    for (size_t i = 8; i < 16; ++i)
      none[end + i] = '\0';
    CHECK(has(failureOf(none), "damaged directory"));
  }

  TEST_CASE("arrays may have any type, byte order and order of dimensions") {
    const auto head = [](const std::string& descr, const char* order, const char* shape) {
      return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape +
             ", }\n";
    };
    CHECK(parsed(npyOf(head("<f4", "False", "(2,)"), raw<float>({1, -2.5f}))).as<float>()[1] ==
          -2.5f);
    CHECK(
        parsed(npyOf(head(">i2", "False", "(1,)"), std::string("\x01\x02", 2))).as<int32_t>()[0] ==
        258);
    CHECK(parsed(npyOf(head("|i1", "False", "(1,)"), "\xff")).as<int32_t>()[0] == -1);
    CHECK(parsed(npyOf(head("|b1", "False", "(1,)"), "\x02")).as<uint8_t>()[0] == 1);
    CHECK(parsed(npyOf(head("<u4", "False", "(1,)"), "\xff\xff\xff\xff")).as<int64_t>()[0] ==
          4294967295);
    const Tensor halves = parsed(npyOf(head("<f2", "False", "(5,)"),
                                       raw<uint16_t>({0x3C00, 0xC500, 0x0001, 0x7C00, 0x7E00})));
    CHECK(halves.as<float>()[0] == 1);
    CHECK(halves.as<float>()[1] == -5);
    CHECK(halves.as<float>()[2] == std::ldexp(1.0f, -24));
    CHECK(std::isinf(halves.as<float>()[3]));
    CHECK(std::isnan(halves.as<float>()[4]));
    CHECK(parsed(npyOf(head("|V2", "False", "(1,)"), raw<uint16_t>({0xC040}))).as<float>()[0] ==
          -3);
    // `columns` and `rows` contain the same array of shape [2,3,2]. The first index varies fastest
    // in `columns`, and the last index in `rows`.
    std::vector<float> columns, rows;
    for (int c = 0; c < 2; ++c)
      for (int b = 0; b < 3; ++b)
        for (int a = 0; a < 2; ++a)
          columns.push_back(static_cast<float>(100 * a + 10 * b + c));
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 3; ++b)
        for (int c = 0; c < 2; ++c)
          rows.push_back(static_cast<float>(100 * a + 10 * b + c));
    std::string data(columns.size() * 4, '\0');
    std::memcpy(data.data(), columns.data(), data.size());
    const Tensor turned = parsed(npyOf(head("<f4", "True", "(2, 3, 2)"), data));
    CHECK(std::vector<float>(turned.as<float>().begin(), turned.as<float>().end()) == rows);
    CHECK(parsed(npyOf(head("<f4", "True", "(0, 281474976710656, 281474976710656)"), ""))
              .numElements() == 0);
  }

  TEST_CASE("wrong headers are refused before memory is allocated") {
    const auto refused = [](const std::string& bytes, const char* word) {
      try {
        parsed(bytes);
        FAIL("taken: " << bytes);
      }
      catch (const Error& error) {
        CHECK(error.code() == ErrorCode::InvalidFile);
        CHECK_MESSAGE(std::string(error.what()).find(word) != std::string::npos, error.what());
      }
    };
    refused("", "is not a NumPy array");
    refused("PK\x03\x04 and more of it", "is not a NumPy array");
    refused(npyOf("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "12345678"),
            "objects");
    refused(npyOf("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"),
            "records");
    refused(npyOf("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "12345678"),
            "another kind");
    refused(npyOf("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }", "1234"),
            "fortran_order");
    refused(npyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "1234"), "shape");
    refused(npyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (1e3,), }", "1234"), "head");
    refused(npyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999), }",
                  "1234"),
            "larger than any memory");
    refused(
        npyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }", "1234"),
        "dimensions");
    refused(npyOf("{'descr': '<f4', 'fortran_order': False, }", "1234"), "incomplete header");
    refused(npyOf("{'descr': '<f4', 'shape': (1,), 'fortran_order': False, 'x': 1}", "1234"),
            "unknown key");
    refused(npyOf("import os", "1234"), "head");
    refused(npyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "1234"),
            "do not fit");
    refused(npyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "12345"),
            "do not fit");
  }

  TEST_CASE("saving to a missing folder is an error and leaves no files") {
    TemporaryFolder folder;
    try {
      writeNpz((folder / "no/w.npz").string(), viewsOf(exampleArrays().tensors), {});
      FAIL("it was written");
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::IoFailure);
    }
    CHECK(std::filesystem::is_empty(folder.path()));
  }
}
