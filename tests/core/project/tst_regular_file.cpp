// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "core/project/project.h"
#include "core/project/regular_file.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

std::string errorOf(const std::string& path) {
  try {
    readFile(path, size_t{1} << 20);
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidFile);
    CHECK(error.subject() == path);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_SUITE("regular file") {
  TEST_CASE("errors name pipes, sockets, devices and folders, and nothing waits for them") {
    const TemporaryFolder folder;
    const std::string pipe = (folder / "pipe").string(), socket = (folder / "s").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(has(errorOf(pipe), "is not a regular file (expected a file, got a pipe)"));
    CHECK(has(errorOf("/dev/zero"), "got a device"));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(socket.size() < sizeof address.sun_path);
    socket.copy(address.sun_path, socket.size());
    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    CHECK(has(errorOf(socket), "got a socket"));
    ::close(descriptor);
    CHECK(has(errorOf(folder.path().string()), "is a folder"));
    std::filesystem::create_symlink("/dev/zero", folder / "link");
    CHECK(has(errorOf((folder / "link").string()), "got a device"));
    CHECK(has(errorOf((folder / "none").string()), "No such file"));
  }

  TEST_CASE("a regular file is read completely, up to a limit") {
    const TemporaryFolder folder;
    const std::string path = (folder / "a").string();
    std::ofstream(path) << "four";
    CHECK(readFile(path, 4) == "four");
    CHECK_THROWS_AS(readFile(path, 3), Error);
    std::ofstream(path) << "";
    CHECK(readFile(path, 4).empty());
    CHECK(RegularFile(path).size() == 0);
  }
}
