// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"
#include "gpu/ops/activation_kinds.h"
#include "gpu/ops/build.h"

using namespace strata;

TEST_SUITE("ops registry") {
  TEST_CASE("every op has a shape rule, and a gradient rule or a reason for none") {
    CHECK(allOps().size() > 50);
    for (const OpDef* op : allOps()) {
      CAPTURE(op->name);
      CHECK((op->infer != nullptr || op->name == "input" || op->name == "variable"));
      CHECK((op->gradient != nullptr) == op->noGradientReason.empty());
      CHECK((op->maxInputs < 0 || op->minInputs <= op->maxInputs));
      CHECK(findOp(op->name) == op);
      std::set<std::string> names;
      for (const AttributeSpec& spec : op->attributes)
        CHECK(names.insert(spec.name).second);
      if (op->kind == OpKind::Update)
        CHECK((op->mustAlias.size() >= 1 || op->updatesFirstOperands));
      if (op->kind == OpKind::View) CHECK(op->mustAlias.size() == 1);
    }
  }

  TEST_CASE("the error about an unknown op suggests the nearest name") {
    try {
      (void)opNamed("matmull");
      FAIL("no error");
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::UnsupportedOp);
      CHECK(std::string(error.what()).find("\"matmul\"") != std::string::npos);
    }
  }

  TEST_CASE("the visitor has the names of the activations in the same order") {
    for (std::string_view name : kActivationNames) {
      std::string_view found;
      CHECK(visitActivation(name, [&](auto kind) { found = decltype(kind)::kName; }));
      CHECK(found == name);
    }
    CHECK_FALSE(visitActivation("rellu", [](auto) {}));
  }

  TEST_CASE("derivatives of activations agree with finite differences") {
    for (std::string_view name : kActivationNames)
      for (double x : {-4.3, -2.1, -0.7, -0.2, 0.3, 0.8, 2.2, 5.1, 7.5})
        visitActivation(name, [&](auto kind) {
          using Kind = decltype(kind);
          const double alpha = Kind::kAlpha, h = 1e-6;
          const double y = Kind::forward(x, alpha);
          const double expected =
              (Kind::forward(x + h, alpha) - Kind::forward(x - h, alpha)) / (2 * h);
          CAPTURE(name);
          CAPTURE(x);
          CHECK(Kind::derivative(Kind::kSaved == Saved::Output ? y : x, alpha) ==
                doctest::Approx(expected).epsilon(1e-5));
        });
  }

  TEST_CASE("errors contain the layer and both shapes") {
    Graph g;
    Scope scope(g, "dense_3", Phase::Forward, Category::Activation);
    const ValueId a = g.addInput("a", {DType::F32, {2, 3}}),
                  b = g.addInput("b", {DType::F32, {4, 5}});
    try {
      matmul(g, a, b);
      FAIL("no error");
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::ShapeMismatch);
      CHECK(error.subject() == "dense_3");
      const std::string what = error.what();
      CHECK(what.find("[2,3]") != std::string::npos);
      CHECK(what.find("[4,5]") != std::string::npos);
      CHECK(what.starts_with("[matmul] "));
    }
    CHECK_THROWS_AS(g.add(opNamed("softmax"), {a}, {{"axes", int64_t{1}}}), Error);
    CHECK_THROWS_AS(g.add(opNamed("softmax"), {a}, {{"axis", 1.0}}), Error);
    CHECK_THROWS_AS(g.add(opNamed("reshape"), {a}), Error);
  }
}
