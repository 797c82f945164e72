// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/graph/graph.h"
#include "gpu/graph/op.h"
#include "gpu/graph/verify.h"
#include "gpu/ops/build.h"

using namespace strata;

namespace {

ErrorCode codeOf(const std::function<void()>& action) {
  try {
    action();
  }
  catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::Stopped;
}

}  // namespace

TEST_SUITE("graph") {
  TEST_CASE("attributes are sorted, can be compared and have types") {
    Attributes a{{"zeta", 1.5}, {"alpha", int64_t{3}}};
    a.set("middle", std::string("x"));
    CHECK(a.entries()[0].first == "alpha");
    CHECK(a.entries()[2].first == "zeta");
    CHECK(a.get<double>("zeta") == 1.5);
    CHECK(a.getOr<bool>("missing", true));
    CHECK_THROWS_AS(a.get<int64_t>("zeta"), Error);
    CHECK_THROWS_AS(a.get<double>("missing"), Error);
    Attributes b{{"alpha", int64_t{3}}, {"middle", std::string("x")}, {"zeta", 1.5}};
    CHECK(a == b);
    b.remove("middle");
    CHECK_FALSE(a == b);
  }

  TEST_CASE("uses are updated by every edit") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {4}}), y = g.addInput("y", {DType::F32, {4}});
    const ValueId sum = add(g, x, x), product = multiply(g, sum, y);
    g.addOutput("out", product);
    CHECK(g.value(x).uses.size() == 2);
    g.edit().setInput(g.value(sum).producer, 1, y);
    CHECK(g.value(x).uses.size() == 1);
    CHECK(g.value(y).uses.size() == 2);
    verify(g);
    g.edit().replaceAllUses(sum, x);
    CHECK(g.node(g.value(product).producer).inputs[0] == x);
    CHECK_FALSE(g.value(sum).isUsed());
    g.edit().removeNode(g.value(sum).producer);
    verify(g);
    CHECK_THROWS_AS(g.edit().removeNode(g.value(product).producer), Error);
    CHECK_THROWS_AS(g.edit().removeNode(g.value(x).producer), Error);
    g.edit().replaceAllUses(product, y);
    CHECK(findOutput(g, "out") == y);
  }

  TEST_CASE("references to nodes and values stay valid while the graph grows") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {2, 3}});
    ValueId last = exp(g, x);
    const Shape& shape = g.shape(x);
    const Node& node = g.node(g.value(last).producer);
    for (int i = 0; i < 5000; ++i)
      last = exp(g, last);
    CHECK(&shape == &g.shape(x));
    CHECK(&node == &g.node({1}));
  }

  TEST_CASE("the next of a variable follows the value that replaces it") {
    Graph g;
    const TensorType type{DType::F32, {4}};
    const ValueId x = g.addInput("x", type);
    std::vector<ValueId> made;
    for (int i = 0; i < 3; ++i)
      made.push_back(exp(g, x));
    for (const char* name : {"a", "b", "c"})
      g.addVariable(name, type, Category::Parameter, true);
    g.setNext("a", made[0]);
    g.setNext("b", made[0]);
    g.setNext("c", made[1]);
    g.edit().replaceAllUses(made[0], made[2]);
    CHECK(g.findVariable("a")->next == made[2]);
    CHECK(g.findVariable("b")->next == made[2]);
    CHECK(g.findVariable("c")->next == made[1]);
    CHECK_FALSE(g.value(made[0]).isUsed());
    g.edit().replaceAllUses(made[1], made[2]);
    CHECK(g.value(made[2]).names == 3);
    // "b" is the second of the three variables that have this value as their next value.
    g.setNext("b", made[0]);
    g.edit().replaceAllUses(made[2], made[1]);
    CHECK(g.findVariable("a")->next == made[1]);
    CHECK(g.findVariable("b")->next == made[0]);
    CHECK(g.findVariable("c")->next == made[1]);
    CHECK(g.value(made[1]).names == 2);
  }

  TEST_CASE("nodes are inserted at the insertion point") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {4}});
    const ValueId a = exp(g, x);
    g.edit().setInsertionPoint(g.value(a).producer);
    const ValueId b = negate(g, x);
    g.edit().setInsertionPoint();
    g.edit().setInput(g.value(a).producer, 0, b);
    verify(g);
    std::vector<NodeId> order = g.order();
    std::reverse(order.begin(), order.end());
    CHECK(codeOf([&] { g.edit().setOrder(order); }) == ErrorCode::Internal);
    order = g.order();
    order.pop_back();
    CHECK(codeOf([&] { g.edit().setOrder(order); }) == ErrorCode::Internal);
  }

  TEST_CASE("a copy is a separate graph") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {4}});
    Graph copy = g;
    copy.addOutput("y", exp(copy, x));
    CHECK(g.value(x).uses.empty());
    CHECK(g.outputs().empty());
  }

  TEST_CASE("names are unique, and next has the type of its variable") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {4}});
    CHECK(codeOf([&] { g.addInput("x", {DType::F32, {4}}); }) == ErrorCode::InvalidArgument);
    g.addVariable("w", {DType::F32, {3}}, Category::Parameter, true);
    CHECK(codeOf([&] {
            g.addVariable("w", {DType::F32, {3}}, Category::Parameter, true);
          }) == ErrorCode::InvalidArgument);
    CHECK(codeOf([&] { g.setNext("w", x); }) == ErrorCode::ShapeMismatch);
    CHECK(codeOf([&] { g.setNext("v", x); }) == ErrorCode::InvalidArgument);
  }

  TEST_CASE("verify detects broken graphs") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {2, 3}}),
                  t = g.addInput("t", {DType::F32, {3, 2}});
    const ValueId w = g.addVariable("w", {DType::F32, {2, 3}}, Category::Parameter, true);
    const ValueId y = add(g, x, w);
    const ValueId next = assign(g, w, y);
    g.setNext("w", next);
    g.addOutput("y", y);
    verify(g);
    const auto breaks = [&](const std::function<void(Graph&)>& damage) {
      Graph broken = g;
      damage(broken);
      return codeOf([&] { verify(broken); }) == ErrorCode::Internal;
    };
    SUBCASE("operands of a wrong shape") {
      CHECK(breaks([&](Graph& b) { b.edit().setInput(b.value(y).producer, 0, t); }));
    }
    SUBCASE("an operand that is computed later") {
      CHECK(breaks([&](Graph& b) { b.edit().setInput(b.value(y).producer, 0, exp(b, x)); }));
    }
    SUBCASE("an unknown attribute") {
      CHECK(breaks([&](Graph& b) {
        b.edit().mutableNode(b.value(y).producer).attributes.set("speed", 1.0);
      }));
    }
    SUBCASE("an attribute of the wrong type") {
      CHECK(breaks([&](Graph& b) {
        const ValueId s = softmax(b, x);
        b.edit().mutableNode(b.value(s).producer).attributes.set("axis", 1.0);
      }));
    }
    SUBCASE("a missing attribute") {
      CHECK(breaks([&](Graph& b) {
        const ValueId s = softmax(b, x);
        b.edit().mutableNode(b.value(s).producer).attributes.remove("axis");
      }));
    }
    SUBCASE("another op with the same shapes") {
      CHECK(breaks(
          [&](Graph& b) { b.edit().mutableNode(b.value(y).producer).op = &opNamed("matmul"); }));
    }
    SUBCASE("an operand that is not in the graph") {
      CHECK(breaks([&](Graph& b) { b.edit().mutableNode(b.value(y).producer).inputs[0] = w; }));
    }
    SUBCASE("a reader of overwritten state") {
      CHECK(breaks([&](Graph& b) { b.addOutput("late", exp(b, w)); }));
    }
    SUBCASE("a reader of a view of overwritten state") {
      CHECK(breaks([&](Graph& b) {
        b.edit().setInsertionPoint(b.value(next).producer);
        const ValueId view = reshape(b, w, {3, 2});
        b.edit().setInsertionPoint();
        b.addOutput("late", exp(b, view));
      }));
    }
    SUBCASE("an output that is overwritten in the step") {
      CHECK(breaks([&](Graph& b) { b.addOutput("old", w); }));
    }
    SUBCASE("a next value that is not written in place") {
      CHECK(breaks([&](Graph& b) { b.setNext("w", y); }));
    }
    SUBCASE("an update without a next value") {
      CHECK(breaks([&](Graph& b) { b.setNext("w", w); }));
    }
    SUBCASE("an update of a value that is not state") {
      CHECK(breaks([&](Graph& b) { assign(b, y, x); }));
    }
    SUBCASE("reading the next value is allowed") {
      Graph fine = g;
      fine.addOutput("new", exp(fine, next));
      verify(fine);
    }
  }
}
