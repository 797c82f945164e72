// SPDX-License-Identifier: Apache-2.0
// How devices are connected, by a made-up management library.
#include <doctest/doctest.h>

#include "gpu/devices/nvml.h"
#include "gpu/devices/topology.h"

using namespace strata;

namespace {

// Three GPUs: the first two have NVLink, the third one is behind another processor
int handle(const char* address, void** device) {
  const std::string text(address);
  if (text.size() != 1 || text < "a" || text > "c") return kNvmlNotFound;
  *device = reinterpret_cast<void*>(static_cast<uintptr_t>(text[0]));
  return 0;
}

int p2p(void* first, void* second, int capability, int* status) {
  const auto number = [](void* device) {
    return reinterpret_cast<uintptr_t>(device);
  };
  *status = capability == 2 && number(first) + number(second) == 'a' + 'b' ? 0 : 1;
  return 0;
}

int ancestor(void*, void*, int* level) {
  *level = 50;
  return 0;
}

int linkState(void*, unsigned link, int* isActive) {
  if (link >= 6) return kNvmlNotSupported;
  *isActive = link < 4;
  return 0;
}

NvmlTable table() {
  NvmlTable library;
  library.handleByPciBusId = handle;
  library.p2pStatus = p2p;
  library.commonAncestor = ancestor;
  library.nvLinkState = linkState;
  return library;
}

}  // namespace

TEST_SUITE("topology") {
  TEST_CASE("links of GPUs") {
    const std::vector<std::string> addresses{"a", "b", "c"};
    const std::vector<DeviceLink> links = linksBetween(table(), addresses);
    REQUIRE(links.size() == 3);
    CHECK(links[0].kind == DeviceLink::Kind::NvLink);
    CHECK(links[0].nvLinks == 4);
    CHECK(links[1].first == 0);
    CHECK(links[1].second == 2);
    CHECK(links[1].kind == DeviceLink::Kind::System);
    CHECK(links[2].kind == DeviceLink::Kind::System);
  }

  TEST_CASE("what an older driver, or an unknown address, does not say is unknown") {
    NvmlTable library = table();
    library.p2pStatus = nullptr;
    library.commonAncestor = nullptr;
    CHECK(linksBetween(library, std::vector<std::string>{"a", "b"})[0].kind ==
          DeviceLink::Kind::Unknown);
    CHECK(linksBetween(table(), std::vector<std::string>{"a", "z"})[0].kind ==
          DeviceLink::Kind::Unknown);
    CHECK(linksBetween(table(), std::vector<std::string>{"a"}).empty());
  }

  TEST_CASE("logical processors share memory, and simulated cards copy through the host") {
    const std::vector<DeviceLink> links = linksBetween("cpu*3");
    REQUIRE(links.size() == 3);
    CHECK(links[2].kind == DeviceLink::Kind::SharedMemory);
    CHECK(linksBetween("cpu").empty());
    CHECK(linksBetween("simulated:H100*2")[0].kind == DeviceLink::Kind::Host);
  }
}
