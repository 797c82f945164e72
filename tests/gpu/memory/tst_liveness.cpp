// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/liveness.h"

#include <doctest/doctest.h>

#include <numeric>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "tests/support/sample_graphs.h"

using namespace strata;
using Lane = Storage::Lane;

namespace {

const Storage& storageOf(const MemoryPlan& plan, ValueId value) {
  return plan.storages[static_cast<size_t>(plan.storageOf[static_cast<size_t>(value.index)])];
}
bool isShared(const MemoryPlan& plan, ValueId a, ValueId b) {
  return plan.storageOf[static_cast<size_t>(a.index)] ==
         plan.storageOf[static_cast<size_t>(b.index)];
}

}  // namespace

TEST_SUITE_BEGIN("liveness");

TEST_CASE("views share bytes, and results overwrite operands that end, but not inputs and state") {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {8, 4}});
  const ValueId w = g.addVariable("w", {DType::F32, {8, 4}}, Category::Parameter, true);
  // Neither the input x nor the state w may be overwritten, so a needs its own storage.
  const ValueId a = add(g, x, w);
  // b overwrites a.
  const ValueId b = negate(g, a);
  const ValueId flat = reshape(g, b, {32});
  // c overwrites b through its view.
  const ValueId c = exp(g, flat);
  // c is read again, so d needs its own storage.
  const ValueId d = square(g, c);
  // e overwrites c or d.
  const ValueId e = add(g, c, d);
  g.addOutput("e", e);
  const MemoryPlan plan = planMemory(g, {});
  checkMemoryPlan(g, plan);
  CHECK(storageOf(plan, x).lane == Lane::Input);
  CHECK(storageOf(plan, w).lane == Lane::Persistent);
  CHECK_FALSE(isShared(plan, a, x));
  CHECK_FALSE(isShared(plan, a, w));
  CHECK(isShared(plan, a, b));
  CHECK(isShared(plan, b, flat));
  CHECK(isShared(plan, b, c));
  CHECK_FALSE(isShared(plan, c, d));
  CHECK((isShared(plan, e, c) || isShared(plan, e, d)));
  CHECK(plan.transientBytes == 2 * 128);

  const MemoryPlan apart = planMemory(g, {}, false);
  checkMemoryPlan(g, apart);
  CHECK_FALSE(isShared(apart, a, b));
  // A view always shares the bytes of the value that it views.
  CHECK(isShared(apart, b, flat));
  CHECK(apart.transientBytes == 3 * 128);
}

TEST_CASE(
    "results do not overwrite outputs, operands read again, operands of another size, or "
    "operands used twice") {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {8, 4}});
  const ValueId a = exp(g, x);
  g.addOutput("a", a);
  const ValueId b = negate(g, a);
  CHECK_FALSE(isShared(planMemory(g, {}), a, b));
  const ValueId row = reduceSum(g, b, {0}, true);
  // c overwrites b, because row is smaller than c.
  const ValueId c = add(g, row, b);
  const ValueId view = reshape(g, c, {8, 4});
  // c and its view share their bytes, so d must not overwrite them.
  const ValueId d = add(g, c, view);
  const ValueId e = multiply(g, d, d);
  g.addOutput("e", e);
  const MemoryPlan plan = planMemory(g, {});
  checkMemoryPlan(g, plan);
  CHECK(isShared(plan, b, c));
  CHECK_FALSE(isShared(plan, row, c));
  CHECK_FALSE(isShared(plan, c, d));
  CHECK(isShared(plan, d, e));
  CHECK(storageOf(plan, a).end == static_cast<int>(g.order().size()) - 1);
}

TEST_CASE("a variable and its next share a storage, and a next in another storage is an error") {
  Graph g;
  const ValueId w = g.addVariable("w", {DType::F32, {4}}, Category::Parameter, true);
  const ValueId next = assign(g, w, exp(g, w));
  g.setNext("w", next);
  CHECK(isShared(planMemory(g, {}), w, next));
  g.setNext("w", exp(g, w));
  try {
    planMemory(g, {});
    FAIL("no error");
  }
  catch (const Error& error) {
    CHECK(error.subject() == "w");
  }
}

TEST_CASE("workspaces live for one instruction and are counted for their layer") {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {16}});
  ValueId y;
  {
    const Scope scope(g, "conv", Phase::Forward, Category::Activation);
    y = exp(g, negate(g, x));
  }
  g.addOutput("y", y);
  const std::vector<size_t> workspaces{0, 1000, 10};
  const MemoryPlan plan = planMemory(g, workspaces);
  checkMemoryPlan(g, plan);
  CHECK(plan.peakInstant == 1);
  CHECK(plan.byCategoryAtPeak[static_cast<size_t>(Category::Workspace)] == 1000);
  CHECK(plan.byCategoryAtPeak[static_cast<size_t>(Category::Activation)] == 64);
  CHECK(plan.workspaceOf[0] == -1);
  CHECK(plan.transientBytes == 64 + 1024);
  CHECK(plan.inputBytes == 64);
  CHECK(plan.peakBytes() == 64 + 64 + 1024);
  CHECK(plan.lowerBoundBytes == plan.peakBytes());
  CHECK(plan.holesBytes == 24);
  bool found = false;
  for (const auto& row : plan.byLayerAtPeak)
    if (row.layer == "conv") {
      found = true;
      CHECK(row.bytes == 1064);
    }
  CHECK(found);
  const std::string text = printMemoryPlan(g, plan);
  CHECK(text.find("workspace") != std::string::npos);
  CHECK(text.find("conv") != std::string::npos);
}

TEST_CASE("plans of random steps are valid, have correct sums and are close to the lower bound") {
  size_t peaks = 0, bounds = 0;
  for (uint64_t seed = 0; seed < 40; ++seed)
    for (const bool inPlace : {true, false}) {
      const Graph g = test::randomStep(seed, 4 + static_cast<int>(seed), 16);
      std::vector<size_t> workspaces(g.order().size(), 0);
      for (size_t i = 0; i < workspaces.size(); i += 7)
        workspaces[i] = 100 * i;
      const MemoryPlan plan = planMemory(g, workspaces, inPlace);
      REQUIRE_NOTHROW(checkMemoryPlan(g, plan));
      // A single hole can be more than 1% of a small arena. Therefore 5% is allowed for each plan,
      // and 1% for all plans together.
      REQUIRE(static_cast<double>(plan.peakBytes()) <=
              1.05 * static_cast<double>(plan.lowerBoundBytes));
      const MemoryPlan plain = planMemory(g, {}, inPlace);
      const StorageCount count = countStorages(g, inPlace);
      REQUIRE(count.storages == static_cast<int>(plain.storages.size()));
      REQUIRE(count.liveBytes + plain.persistentBytes + plain.inputBytes == plain.lowerBoundBytes);
      peaks += plan.peakBytes();
      bounds += plan.lowerBoundBytes;
      if (!inPlace)
        REQUIRE(planMemory(g, workspaces, true).lowerBoundBytes <= plan.lowerBoundBytes);
    }
  MESSAGE("peak to bound: ", static_cast<double>(peaks) / static_cast<double>(bounds));
  CHECK(static_cast<double>(peaks) <= 1.01 * static_cast<double>(bounds));
}

TEST_CASE("the checker detects wrong sums") {
  const Graph g = test::randomStep(1, 8, 16);
  MemoryPlan plan = planMemory(g, {});
  plan.byCategoryAtPeak[0] += 4;
  CHECK_THROWS_AS(checkMemoryPlan(g, plan), Error);
  plan = planMemory(g, {});
  plan.byLayerAtPeak.front().bytes += 4;
  CHECK_THROWS_AS(checkMemoryPlan(g, plan), Error);
  plan = planMemory(g, {});
  plan.transientBytes += 64;
  CHECK_THROWS_AS(checkMemoryPlan(g, plan), Error);
}

TEST_CASE("the timeline follows the lifetimes of storages") {
  const Graph g = test::randomStep(5, 10, 16);
  const MemoryPlan plan = planMemory(g, {});
  const auto timeline = memoryTimeline(g, plan);
  REQUIRE(timeline.size() == g.order().size());
  size_t most = 0;
  for (size_t i = 0; i < timeline.size(); ++i) {
    size_t expected = 0;
    for (const Storage& storage : plan.storages)
      if (storage.begin <= static_cast<int>(i) && storage.end >= static_cast<int>(i))
        expected += storage.bytes;
    const size_t live = std::accumulate(timeline[i].begin(), timeline[i].end(), size_t{0});
    REQUIRE(live == expected);
    most = std::max(most, live);
  }
  CHECK(std::accumulate(plan.byCategoryAtPeak.begin(), plan.byCategoryAtPeak.end(), size_t{0}) ==
        most);
}

TEST_SUITE_END();
