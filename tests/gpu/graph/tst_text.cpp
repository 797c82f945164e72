// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "gpu/base/error.h"
#include "gpu/base/rng.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "gpu/graph/verify.h"
#include "gpu/ops/build.h"
#include "tests/support/random_graph.h"

using namespace strata;

namespace {

std::string errorOf(const std::string& lines) {
  try {
    (void)parseGraph("strata-graph 1\n" + lines);
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidFile);
    return error.what();
  }
  return "no error";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("graph text") {
  TEST_CASE("constants of 16-bit types are printed as numbers") {
    const std::string text =
        "strata-graph 1\n"
        "%0 = constant() splat 0.5 : bf16[3] !activation\n"
        "%1 = constant() data [1.0,-65504.0,0.099975586] : f16[3] !activation\n"
        "output \"a\" = %0\n"
        "output \"b\" = %1\n";
    CHECK(printGraph(parseGraph(text)) == text);
  }

  TEST_CASE("the text has the documented form") {
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {64, 784}});
    const ValueId w =
        g.addVariable("out/kernel", {DType::F32, {784, 10}}, Category::Parameter, true);
    ValueId y;
    {
      Scope scope(g, "out", Phase::Forward, Category::Activation);
      y = multiplyScalar(g, matmul(g, x, w), 0.5);
    }
    Scope scope(g, "out", Phase::Update, Category::Parameter);
    g.setNext("out/kernel", assign(g, w, constantFill(g, g.type(w), 1)));
    g.addOutput("prediction", y);
    CHECK(printGraph(g) ==
          "strata-graph 1\n"
          "%0 = input() {name=\"x\"} : f32[64,784] !input\n"
          "%1 = variable() {name=\"out/kernel\", trainable=true} : f32[784,10] !parameter\n"
          "%2 = matmul(%0, %1) : f32[64,10] !activation @\"out\" forward\n"
          "%3 = affine(%2) {scale=0.5} : f32[64,10] !activation @\"out\" forward\n"
          "%4 = constant() splat 1.0 : f32[784,10] !temporary @\"out\" update\n"
          "%5 = assign(%1, %4) : f32[784,10] !parameter @\"out\" update\n"
          "next \"out/kernel\" = %5\n"
          "output \"prediction\" = %3\n");
    CHECK(printGraph(parseGraph(printGraph(g))) == printGraph(g));
  }

  TEST_CASE("a graph of every op prints and parses to the same text") {
    const Graph g = graphOfEveryOp();
    std::set<std::string> seen;
    for (NodeId id : g.order())
      seen.insert(g.node(id).op->name);
    for (const OpDef* op : allOps()) {
      CAPTURE(op->name);
      CHECK(seen.contains(op->name));
    }
    verify(g);
    const std::string text = printGraph(g);
    CHECK(printGraph(parseGraph(text)) == text);
  }

  TEST_CASE("slices are printed and parsed like an attribute, but are none") {
    const std::string text =
        "strata-graph 1\n"
        "%0 = input() {name=\"x\"} : f32[1,4,4,2] !input\n"
        "%1 = input() {name=\"w\"} : f32[3,3,2,2] !input\n"
        "%2 = conv2d(%0, %1) {slices=4, strides=[2,2]} : f32[1,1,1,2] !activation forward\n"
        "%3 = conv2d(%0, %1) {strides=[2,2]} : f32[1,1,1,2] !activation forward\n"
        "output \"y\" = %2\n"
        "output \"z\" = %3\n";
    const Graph g = parseGraph(text);
    CHECK(printGraph(g) == text);
    const Node &sliced = g.node(g.order()[2]), &plain = g.node(g.order()[3]);
    CHECK(sliced.slices == 4);
    CHECK(plain.slices == 1);
    CHECK(sliced.attributes == plain.attributes);
    CHECK(attributesText(sliced) == "{slices=4, strides=[2,2]}");
    const std::string lines = "%0 = input() {name=\"x\"} : f32[2]\n%1 = exp(%0) {slices=";
    CHECK(has(errorOf(lines + "0}\n"), "expected 1 or more"));
    CHECK(has(errorOf(lines + "2, slices=2}\n"), "given twice"));
  }

  TEST_CASE("random graphs print and parse to the same text") {
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      const Graph g = randomGraph(seed);
      const std::string text = printGraph(g);
      CAPTURE(seed);
      CHECK(printGraph(parseGraph(text)) == text);
    }
  }

  TEST_CASE("constants keep every bit") {
    Graph g;
    const float odd[] = {0.1f,
                         -0.0f,
                         std::numeric_limits<float>::infinity(),
                         -std::numeric_limits<float>::infinity(),
                         1e-45f,
                         3.4028235e38f};
    g.addOutput("a \"quoted\"\n\\name", g.addConstant(Tensor::from<float>({2, 3}, odd)));
    const int64_t wide[] = {INT64_MIN, INT64_MAX};
    g.addOutput("wide", g.addConstant(Tensor::from<int64_t>({2}, wide)));
    const uint8_t bytes[] = {0, 255, 7};
    g.addOutput("bytes", g.addConstant(Tensor::from<uint8_t>({3}, bytes)));
    g.addOutput("none", g.addConstant(Tensor(DType::F64, {0, 2})));
    const Graph back = parseGraph(printGraph(g));
    CHECK(printGraph(back) == printGraph(g));
    for (const NamedValue& output : g.outputs()) {
      const Tensor& before = *g.node(g.value(output.value).producer).payload;
      const ValueId other = findOutput(back, output.name);
      REQUIRE(other.isValid());
      CHECK(back.node(back.value(other).producer).payload->isBitEqual(before));
    }
  }

  TEST_CASE("a large constant is printed as a hash, and parsing it is an error") {
    Graph g;
    Tensor large(DType::F32, {5000});
    large.as<float>()[17] = 3;
    g.addOutput("c", g.addConstant(large));
    const std::string text = printGraph(g);
    CHECK(has(text, "constant() hash "));
    CHECK(has(errorOf(text.substr(text.find('\n') + 1)), "too large to print"));
  }

  TEST_CASE("errors name the line and the column") {
    CHECK(has(errorOf("%0 = input() {name=\"x\"} : f32[2,3]\n%1 = matmull(%0, %0)\n"),
              "line 3, column 6"));
    CHECK(has(errorOf("%0 = matmull()\n"), "Did you mean \"matmul\"?"));
    CHECK(has(errorOf("%0 = exp(%1)\n"),
              "line 2, column 10: this value is used before it is defined"));
    CHECK(has(errorOf("%0 = input() {name=\"x\"} : f32[2,3]\n%0 = exp(%0)\n"), "defined twice"));
    CHECK(has(errorOf("%0 = input() {name=\"x\"} : f32[2,3]\n%1 = exp(%0) : f32[3,2]\n"),
              "line 3, column 16"));
    CHECK(has(errorOf("%0 = input() {name=\"x\"} : f32[2,3]\n%1 = exp(%0) {axis=1}\n"),
              "no attribute \"axis\""));
    CHECK(has(errorOf("%0 = input() {name=\"x\"} : f32[2,3]\n%1 = matmul(%0, %0)\n"),
              "inner sizes differ"));
    CHECK(has(errorOf("%0 = input() {name=\"x\"} : f31[2]\n"), "unknown dtype \"f31\""));
    CHECK(has(errorOf("%0 = input() {name=\"x\"}\n"), "needs one type"));
    CHECK(has(errorOf("%0 = input() {name=\"x} : f32[2]\n"), "closing quote is missing"));
    CHECK(has(errorOf("%0 = input() {name=\"x\"} : f32[2] !food\n"), "unknown category"));
    CHECK(has(errorOf("%0 = input() {name=\"x\"} : f32[2] sideways\n"), "unknown phase"));
    CHECK(has(errorOf("%0 = input() {name=\"x\"} : f32[2] forward more\n"), "end of the line"));
    CHECK(has(errorOf("%0 = input() {name=\"x\"} : f32[-2]\n"), "negative"));
    CHECK(has(errorOf("%0 = input() {name=\"x\"} : f32[9223372036854775807,9223372036854775807]\n"),
              "too many elements to fit in memory"));
    CHECK(
        has(errorOf("%0 = constant() splat 1 : f32[9000000000]\n"), "too large for a graph text"));
    CHECK(has(errorOf("%0 = constant() data [1,2] : f32[3]\n"), "has 2 elements"));
    CHECK(has(errorOf("%0 = constant() data [1,x] : f32[2]\n"), "line 2, column 25"));
    CHECK(has(errorOf("%0 = constant() data [256] : u8[1]\n"), "0 to 255"));
    CHECK(has(errorOf("%0 = constant() : f32[1]\n"), "splat NUMBER"));
    CHECK(
        has(errorOf("%0, %1 = input() {name=\"x\"} : f32[2]\n"), "has 1 outputs, but 2 are named"));
    CHECK(has(errorOf("next \"w\" = %0\n"), "used before it is defined"));
    CHECK(has(errorOf("nonsense\n"), "expected a node"));
    CHECK(has(errorOf("%0 = variable() {name=\"w\"} : f32[2]\n%1 = assign(%0, %0)\n"),
              "no next value"));
    CHECK_THROWS_AS(parseGraph(""), Error);
    CHECK_THROWS_AS(parseGraph("strata-graph 2\n"), Error);
  }

  TEST_CASE("damaged text gives an error and never a crash") {
    const std::string text = printGraph(graphOfEveryOp());
    RandomStream random(7, 7);
    for (int i = 0; i < 400; ++i) {
      std::string damaged = text;
      for (int k = 0; k < 3; ++k) {
        const size_t at = random.below(static_cast<uint32_t>(damaged.size()));
        if (random.below(2) == 0)
          damaged[at] = static_cast<char>(32 + random.below(95));
        else
          damaged.erase(at, 1 + random.below(5));
      }
      try {
        (void)parseGraph(damaged);
      }
      catch (const Error& error) {
        CHECK(error.code() == ErrorCode::InvalidFile);
      }
    }
  }

  TEST_CASE("dot output names every node and edge") {
    Graph g;
    g.context.layer = "in";
    const ValueId x = g.addInput("x", {DType::F32, {2}});
    g.addOutput("y", exp(g, x));
    const std::string dot = toDot(g);
    CHECK(has(dot, R"(label="x\nin")"));
    CHECK(has(dot, "n0 -> n1 [label=\"f32[2]\"]"));
    CHECK(has(dot, "n1 -> o0"));
    CHECK(has(dot, R"(label="exp\nin")"));
  }
}
