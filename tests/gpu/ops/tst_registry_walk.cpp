// SPDX-License-Identifier: Apache-2.0
// Tests that every registered op has a reference kernel and at least one row. An op without a
// gradient rule must state the reason.
#include <doctest/doctest.h>

#include <set>

#include "gpu/graph/op.h"
#include "gpu/reference/reference_kernel.h"
#include "tests/gpu/ops/op_rows.h"

TEST_SUITE_BEGIN("op_registry");

namespace strata::test {

TEST_CASE("every op has a kernel, a gradient or a reason for none, and a row") {
  // `reached` contains the ops in the graphs of all rows. `differentiated` contains the ops whose
  // gradient rule a row tests.
  std::set<std::string> reached, differentiated;
  for (const OpRow& row : opRows()) {
    CAPTURE(row.name);
    const RowRun run = makeRowRun(row, DType::F64, true);
    for (NodeId id : run.graph.order()) {
      const Node& node = run.graph.node(id);
      reached.insert(node.op->name);
      if (row.hasGradient && node.phase == Phase::Forward && !run.differentiated.empty())
        differentiated.insert(node.op->name);
    }
  }
  for (const OpDef* op : allOps()) {
    CAPTURE(op->name);
    const bool hasRule = op->gradient != nullptr, hasShapeRule = op->infer != nullptr,
               hasKernel = reference::findKernelMaker(op->name) != nullptr;
    CHECK(hasRule == op->noGradientReason.empty());
    if (op->kind == OpKind::Source) continue;
    CHECK(hasShapeRule);
    CHECK(hasKernel);
    CHECK(reached.count(op->name) == 1);
    // one_hot has only integer operands, so there is nothing to differentiate.
    if (hasRule && op->name != "one_hot") CHECK(differentiated.count(op->name) == 1);
  }
}

TEST_CASE("row names are unique") {
  std::set<std::string> names;
  for (const OpRow& row : opRows()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
  }
}

}  // namespace strata::test

TEST_SUITE_END();
