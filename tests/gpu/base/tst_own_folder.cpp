// SPDX-License-Identifier: Apache-2.0
// Folders of this user: links, other owners and rights of others are refused, and files are judged
// when they are opened. Tests with another owner need root.
#include <cstdlib>
#include <fstream>
#include <set>

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "gpu/base/cache_folder.h"
#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/base/own_folder.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

namespace strata::test {

namespace fs = std::filesystem;

namespace {

constexpr uid_t kNobody = 65534;

mode_t modeOf(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777;
}

void put(const fs::path& path, const std::string& text, mode_t mode = 0600) {
  std::ofstream(path) << text;
  ::chmod(path.c_str(), mode);
}

/// Returns the message with which a folder is refused, or "".
std::string refusal(const fs::path& outer, const std::vector<std::string>& names) {
  try {
    (void)OwnFolder::make(outer, names, OthersMay::Nothing);
    return {};
  }
  catch (const Error& error) {
    return error.line();
  }
}

/// Sets a variable of the environment while it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : m_name(name) {
    if (const char* before = std::getenv(name)) m_before = before;
    if (value.empty())
      ::unsetenv(name);
    else
      ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (m_before)
      ::setenv(m_name, m_before->c_str(), 1);
    else
      ::unsetenv(m_name);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* m_name;
  std::optional<std::string> m_before;
};

}  // namespace

TEST_SUITE("own folder") {
  TEST_CASE("folders are made with mode 0700, whatever the mask") {
    const TemporaryFolder folder;
    const mode_t mask = ::umask(0);
    const OwnFolder own = OwnFolder::make(folder / "new", {"a", "b"}, OthersMay::Nothing);
    ::umask(mask);
    CHECK(own.path() == folder / "new/a/b");
    for (const char* name : {"new", "new/a", "new/a/b"})
      CHECK(modeOf(folder / name) == 0700);
    CHECK_FALSE(OwnFolder::find(folder / "new", {"a", "c"}, OthersMay::Nothing));
    CHECK_FALSE(fs::exists(folder / "new/a/c"));
  }

  TEST_CASE("rights of others are taken away") {
    const TemporaryFolder folder;
    fs::create_directory(folder / "a");
    ::chmod((folder / "a").c_str(), 0777);
    (void)OwnFolder::make(folder.path(), {"a"}, OthersMay::Read);
    CHECK(modeOf(folder / "a") == 0755);
    (void)OwnFolder::make(folder.path(), {"a"}, OthersMay::Nothing);
    CHECK(modeOf(folder / "a") == 0700);
  }

  TEST_CASE("links, other files and folders of others are refused") {
    const TemporaryFolder folder;
    fs::create_directories(folder / "elsewhere/b");
    fs::create_directory_symlink(folder / "elsewhere", folder / "link");
    put(folder / "file", "x");
    CHECK(has(refusal(folder.path(), {"link"}), "link: is a link (expected a real folder"));
    CHECK(has(refusal(folder.path(), {"link", "b"}), "link: is a link"));
    CHECK(has(refusal(folder.path(), {"file"}), "file: is not a folder"));
    // The outer folder is the choice of the user
    CHECK(refusal(folder / "link", {"b"}).empty());
    fs::create_directory_symlink(folder / "nowhere", folder / "dangling");
    CHECK(has(refusal(folder.path(), {"dangling"}), "dangling: is a link"));
    CHECK_FALSE(fs::exists(folder / "nowhere"));
    if (::geteuid() != 0) {
      MESSAGE("skipped: another owner needs root");
      return;
    }
    fs::create_directory(folder / "theirs");
    REQUIRE(::chown((folder / "theirs").c_str(), kNobody, kNobody) == 0);
    CHECK(has(refusal(folder.path(), {"theirs"}), "theirs: belongs to another user"));
    CHECK(has(refusal(folder.path(), {"theirs", "b"}), "theirs: belongs to another user"));
    CHECK_FALSE(fs::exists(folder / "theirs/b"));
  }

  TEST_CASE("only whole files of this user are read") {
    const TemporaryFolder folder;
    const OwnFolder own = OwnFolder::make(folder.path(), {"own"}, OthersMay::Nothing);
    own.write("good", "content");
    CHECK(modeOf(folder / "own/good") == 0600);
    REQUIRE(own.read("good", 100));
    CHECK(own.read("good", 100)->bytes == "content");
    CHECK(own.read("good", 100)->age < std::chrono::minutes(1));
    CHECK_FALSE(own.read("good", 6));
    CHECK_FALSE(own.read("absent", 100));
    put(folder / "secret", "secret");
    fs::create_symlink(folder / "secret", folder / "own/link");
    fs::create_hard_link(folder / "secret", folder / "own/hard");
    put(folder / "own/shared", "x", 0666);
    REQUIRE(::mkfifo((folder / "own/pipe").c_str(), 0600) == 0);
    fs::create_directory(folder / "own/folder");
    for (const char* name : {"link", "hard", "shared", "pipe", "folder"})
      CHECK_MESSAGE(!own.read(name, 100), name);
    // Writing replaces the name, and not what it leads to
    own.write("link", "new");
    own.write("hard", "new");
    CHECK(own.read("link", 100)->bytes == "new");
    CHECK(own.read("hard", 100)->bytes == "new");
    std::string secret;
    std::ifstream(folder / "secret") >> secret;
    CHECK(secret == "secret");
    own.remove("link");
    CHECK_FALSE(fs::exists(folder / "own/link"));
    CHECK_THROWS_AS(own.write("folder", "x"), Error);
    size_t files = 0;
    for (const auto& each : fs::directory_iterator(folder / "own"))
      files += each.path().extension() == ".tmp" ? 1 : 0;
    CHECK(files == 0);
    if (::geteuid() != 0) return;
    REQUIRE(::chown((folder / "own/good").c_str(), kNobody, kNobody) == 0);
    CHECK_FALSE(own.read("good", 100));
  }

  TEST_CASE("names of temporary files do not repeat") {
    std::set<std::string> names;
    for (int i = 0; i < 1000; ++i)
      names.insert(randomNamePart());
    CHECK(names.size() == 1000);
  }

  TEST_CASE("a cache that another user made first is not used, and a warning says so once") {
    const TemporaryFolder folder;
    const Variable noCache("XDG_CACHE_HOME", ""), noHome("HOME", ""),
        temporary("TMPDIR", folder.path().string());
    const std::string name = "strata-" + std::to_string(::geteuid());
    CHECK(cacheFolder() == folder / name);
    const CacheStore store("kinds");
    store.write("file", "content");
    CHECK(modeOf(folder / name) == 0700);
    REQUIRE(store.read("file", 100));
    CHECK(store.fileOf("file") == folder / name / "kinds/file");
    fs::remove_all(folder / name);
    fs::create_directories(folder / "theirs/kinds");
    put(folder / "theirs/kinds/file", "evil");
    fs::create_directory_symlink(folder / "theirs", folder / name);
    std::vector<std::string> warnings;
    setLogSink([&](LogLevel level, std::string_view text) {
      if (level == LogLevel::Warning) warnings.emplace_back(text);
    });
    CHECK_FALSE(store.read("file", 100));
    store.write("file", "content");
    setLogSink({});
    REQUIRE(warnings.size() == 1);
    CHECK(has(warnings[0], name + ": is a link"));
    CHECK(has(warnings[0], "nothing is cached"));
    std::string kept;
    std::ifstream(folder / "theirs/kinds/file") >> kept;
    CHECK(kept == "evil");
  }

  TEST_CASE("a relative XDG_CACHE_HOME and a wrong TMPDIR are ignored") {
    const Variable cache("XDG_CACHE_HOME", "here"), noHome("HOME", ""),
        temporary("TMPDIR", "/no/such/folder");
    CHECK(cacheFolder() == "/tmp/strata-" + std::to_string(::geteuid()));
  }
}

}  // namespace strata::test
