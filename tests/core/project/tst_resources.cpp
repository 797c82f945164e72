// SPDX-License-Identifier: Apache-2.0
#include "core/project/resources.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gpu/base/error.h"
#include "tests/support/paths.h"

using namespace strata;

TEST_SUITE("resources") {
  TEST_CASE("bundled data and projects are found in the source tree") {
    CHECK(std::filesystem::file_size(resourcePath("mnist/t10k-labels-idx1-ubyte.gz")) == 4517);
    CHECK(std::filesystem::is_regular_file(resourcePath("projects/mnist-cnn.json")));
  }

  TEST_CASE("STRATA_RESOURCES is searched first, and then the other folders") {
    TemporaryFolder folder;
    std::filesystem::create_directories(folder / "projects");
    std::ofstream(folder / "projects" / "mnist-cnn.json") << "{}";
    setenv("STRATA_RESOURCES", folder.path().c_str(), 1);
    const std::string own = resourcePath("projects/mnist-cnn.json");
    const std::string other = resourcePath("projects/mnist-mlp.json");
    unsetenv("STRATA_RESOURCES");
    CHECK(own == (folder / "projects" / "mnist-cnn.json").string());
    CHECK(other == (sourceDir() / "projects" / "mnist-mlp.json").string());
  }

  TEST_CASE("a missing file and a path that leaves the folder are refused") {
    for (const char* name : {"mnist/none.gz", "../README.md", "/etc/passwd", ""}) {
      CAPTURE(name);
      CHECK_THROWS_AS(resourcePath(name), Error);
    }
  }
}
