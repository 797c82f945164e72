// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "core/project/atomic_file.h"
#include "core/project/line_file.h"
#include "gpu/base/error.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

namespace fs = std::filesystem;

std::vector<std::string> linesOf(const fs::path& path, size_t most, uint64_t begin = 0) {
  LineFile file(path.string(), most, begin);
  std::vector<std::string> lines;
  for (std::string line; file.next(line);)
    lines.push_back(line + (file.isCutOff() ? "|" : ""));
  return lines;
}

std::string contentOf(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_SUITE("files of lines, and files that are replaced") {
  TEST_CASE("lines are read one by one, and lines that are too long are skipped") {
    const TemporaryFolder folder;
    std::ofstream(folder / "a") << "one\n\nthree33\nfour\nlast";
    CHECK(linesOf(folder / "a", 100) ==
          std::vector<std::string>{"one", "", "three33", "four", "last|"});
    CHECK(linesOf(folder / "a", 5) == std::vector<std::string>{"one", "", "four", "last|"});
    CHECK(linesOf(folder / "a", 3) == std::vector<std::string>{"one", ""});
    CHECK(linesOf(folder / "a", 100, 13) == std::vector<std::string>{"four", "last|"});
    CHECK(linesOf(folder / "a", 100, 1000).empty());
    std::ofstream(folder / "empty");
    CHECK(linesOf(folder / "empty", 100).empty());
    // Lines across the parts that are read at once
    std::ofstream big(folder / "big");
    std::vector<std::string> expected;
    for (size_t i = 0; i < 300; ++i) {
      const std::string line(i * 7 % 1000 + (i == 200 ? 200000 : 0), 'x');
      big << line << "\n";
      if (i != 200) expected.push_back(line);
    }
    big.close();
    CHECK(linesOf(folder / "big", 1000) == expected);
    CHECK_THROWS_AS(LineFile(folder.path().string(), 100), Error);
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK_THROWS_AS(LineFile((folder / "pipe").string(), 100), Error);
  }

  TEST_CASE("the name of a temporary file is random, and is recognized") {
    const TemporaryFolder folder;
    std::set<std::string> names;
    for (int i = 0; i < 20; ++i) {
      const AtomicFile file((folder / "target").string());
      for (const auto& each : fs::directory_iterator(folder.path())) {
        names.insert(each.path().filename().string());
        CHECK(isTemporaryOf(each.path().filename().string(), "target"));
      }
    }
    CHECK(names.size() == 20);
    CHECK(isTemporaryOf("target.77-1.tmp", "target"));
    for (const char* name : {"target.tmp", "target.mine.tmp", "target.1-2.tmp.keep",
                             "target2.1-2.tmp", "target.-1.tmp", "target.1-.tmp"})
      CHECK_FALSE(isTemporaryOf(name, "target"));
    CHECK(fs::is_empty(folder.path()));
  }

  TEST_CASE("links of this user are followed, and those of others in shared folders are not") {
    const TemporaryFolder folder;
    std::ofstream(folder / "file") << "old";
    fs::create_symlink("file", folder / "one");
    fs::create_symlink("one", folder / "two");
    AtomicFile file((folder / "two").string());
    file.write("new");
    file.commit();
    CHECK(contentOf(folder / "file") == "new");
    CHECK(fs::is_symlink(folder / "two"));
    fs::create_symlink("circle", folder / "circle");
    CHECK_THROWS_AS(AtomicFile((folder / "circle").string()), Error);
    if (::geteuid() != 0) {
      MESSAGE("skipped: another user needs root");
      return;
    }
    constexpr uid_t kNobody = 65534;
    fs::create_directory(folder / "shared");
    ::chmod((folder / "shared").c_str(), 01777);
    fs::create_symlink(folder / "file", folder / "shared/link");
    REQUIRE(::lchown((folder / "shared/link").c_str(), kNobody, kNobody) == 0);
    fs::create_symlink("shared/link", folder / "to-link");
    for (const char* name : {"shared/link", "to-link"}) {
      try {
        const AtomicFile refused((folder / name).string());
        FAIL("not refused");
      }
      catch (const Error& error) {
        CHECK(error.code() == ErrorCode::InvalidFile);
        CHECK(has(error.what(), "is a link of another user"));
      }
    }
    CHECK(contentOf(folder / "file") == "new");
  }
}
