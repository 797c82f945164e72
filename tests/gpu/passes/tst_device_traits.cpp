// SPDX-License-Identifier: Apache-2.0
// Tests that passes fuse only what the traits of the device allow, and that traits of ops are
// consistent.
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <set>
#include <string>

#include "gpu/devices/devices.h"
#include "gpu/exec/device.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "gpu/graph/verify.h"
#include "gpu/passes/pass.h"
#include "tests/gpu/passes/pass_check.h"
#include "tests/support/pass_options.h"
#include "tests/support/random_graph.h"

using namespace strata;

namespace {

/// A graph that a fusion changes, and a device that declines this fusion.
struct Fusion {
  const char* pass;
  // The part of the text that only the fused graph contains
  std::string fused;
  test::GraphText graph;
  std::function<void(DeviceTraits&)> decline;
};

std::vector<Fusion> fusions() {
  const std::string variables = R"(%0 = variable() {name="w"} : f32[3,3]
                                   %1 = variable() {name="b"} : f32[3]
                                   %2 = variable() {name="v"} : f32[3,3]
                                   %3 = input() {name="rate"} : f32[]
                                   %4 = input() {name="image"} : f32[2,4,4,3]
                                   %5 = input() {name="large"} : f32[128,64])";
  return {
      {"fuse_bias_activation",
       "matmul(%0, %2, %3)",
       {variables, R"(%9 = matmul(%100, %0)
                      %10 = add(%9, %1)
                      output "o" = %10)"},
       [](DeviceTraits& device) {
         device.addsBias = false;
       }},
      {"fuse_bias_activation",
       "{activation=\"gelu\"}",
       {variables, R"(%9 = matmul(%100, %0)
                      %10 = activation(%9) {kind="gelu"}
                      output "o" = %10)"},
       [](DeviceTraits& device) {
         device.productActivations = FusedActivations::PiecewiseLinear;
       }},
      {"fuse_siblings",
       "matmul_siblings",
       {variables, R"(%9 = matmul(%100, %0)
                      %10 = matmul(%100, %2)
                      output "o" = %9
                      output "p" = %10)"},
       [](DeviceTraits& device) {
         device.maxSiblingMultiplyAdds = 2 * 3 * 3 - 1;
       }},
      {"fuse_batch_norm",
       "activation=\"relu\"",
       {variables, R"(%9, %10, %11 = batch_norm(%100, %1, %1)
                      %12 = activation(%9) {kind="relu"}
                      output "o" = %12)"},
       [](DeviceTraits& device) {
         device.normalizesWithRelu = false;
       }},
      {"fuse_norm_gradients",
       "adds=true",
       {variables, R"(%9 = input() {name="rows"} : f32[2]
                      %10, %11, %12 = layer_norm_backward(%100, %101, %9, %9) backward
                      %13 = add(%100, %10) backward
                      output "o" = %13)"},
       [](DeviceTraits& device) {
         device.addsToNormGradients = false;
       }},
      {"fuse_loss",
       "classification_loss",
       {variables, R"(%9 = input() {name="labels"} : i32[2]
                      %10, %11 = softmax_cross_entropy(%100, %9)
                      %12 = reduce_sum(%10) {axes=[0]}
                      output "o" = %12)"},
       [](DeviceTraits& device) {
         device.fusesLossAndMetrics = false;
       }},
      {"fuse_update",
       "matmul_sgd_update",
       {variables, R"(%9 = matmul(%100, %101) {transpose_a=true} backward
                      %10 = sgd_update(%0, %9, %3) update
                      next "w" = %10)"},
       [](DeviceTraits& device) {
         device.updatesWithProducts = false;
       }},
      {"fuse_update",
       "matmul_sgd_update",
       {variables, R"(%9 = matmul(%100, %101) {transpose_a=true} backward
                      %10 = sgd_update(%0, %9, %3) update
                      next "w" = %10)"},
       [](DeviceTraits& device) {
         device.maxBytesUntilUpdate = 2 * 2 * 3 * 4 - 1;
       }},
      {"fuse_pooling",
       "activation=\"relu\"",
       {variables, R"(%9, %10 = max_pool2d(%4) {pool_size=[2,2], strides=[2,2]}
                      %11 = activation(%9) {kind="relu"}
                      output "o" = %11)"},
       [](DeviceTraits& device) {
         device.poolingActivations = FusedActivations::None;
       }},
      {"fuse_pointwise",
       "fused_pointwise",
       {variables, R"(%9 = exp(%5)
                      %10 = log(%9)
                      output "o" = %10)"},
       [](DeviceTraits& device) {
         device.maxPointwiseSteps = 1;
       }},
      {"fuse_pointwise",
       "fused_pointwise",
       {variables, R"(%9 = exp(%5)
                      %10 = log(%9)
                      output "o" = %10)"},
       [](DeviceTraits& device) {
         device.minPointwiseElements = 128 * 64 + 1;
       }},
      {"fuse_pointwise",
       "fused_pointwise",
       {variables, R"(%9 = exp(%5)
                      %10 = multiply(%9, %5)
                      %11 = add(%10, %3)
                      output "o" = %11)"},
       [](DeviceTraits& device) {
         device.maxPointwiseSteps = 2;
         device.maxPointwiseInputs = 0;
       }},
  };
}

}  // namespace

TEST_SUITE("device traits") {
  TEST_CASE("a device that declines a fusion gets no such node") {
    for (const Fusion& fusion : fusions()) {
      CAPTURE(fusion.graph.text());
      PipelineOptions options = test::onlyPass(fusion.pass);
      Graph fused = test::graphOf(fusion.graph);
      runPasses(fused, options);
      CHECK(printGraph(fused).find(fusion.fused) != std::string::npos);
      fusion.decline(options.device);
      Graph kept = test::graphOf(fusion.graph);
      const std::string before = printGraph(kept);
      for (const PassReport& report : runPasses(kept, options))
        CHECK(report.rewrites == 0);
      CHECK(printGraph(kept) == before);
    }
  }

  TEST_CASE("a device without traits gets no fused op, and the results stay the same") {
    PipelineOptions options = allPasses();
    options.device = {};
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      const Graph before = randomGraph(seed);
      Graph after = before;
      for (const PassReport& report : runPasses(after, options))
        CHECK(report.failure == "");
      for (const NodeId id : after.order()) {
        const OpDef& op = *after.node(id).op;
        CAPTURE(op.name);
        CHECK(op.work != WorkKind::FusedSteps);
        CHECK(op.work != WorkKind::SiblingProducts);
        CHECK(op.work != WorkKind::ProductWithUpdate);
        CHECK(op.name != "classification_loss");
        if (op.role == OpRole::LayerNormBackward)
          CHECK_FALSE(after.node(id).attributes.get<bool>("adds"));
        if (op.takesBiasAndActivation) CHECK(after.node(id).inputs.size() == 2);
      }
      CHECK(differenceOnRandomValues(before, after, seed) <= 1e-11);
    }
  }

  TEST_CASE("the CPU and the reference compile the same graphs") {
    const DeviceTraits cpu = openDevice("cpu", {1, 0})->traits(),
                       reference = openDevice("reference", {1, 0})->traits();
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      Graph first = randomGraph(seed, DType::F32), second = first;
      PipelineOptions options = allPasses();
      options.device = cpu;
      runPasses(first, options);
      options.device = reference;
      runPasses(second, options);
      CHECK(printGraph(first) == printGraph(second));
    }
  }

  TEST_CASE("the traits of ops are consistent") {
    std::map<OpRole, std::string> roles;
    for (const OpDef* op : allOps()) {
      CAPTURE(op->name);
      if (op->role != OpRole::Other) CHECK(roles.emplace(op->role, op->name).second);
      if (!op->updateWithProduct.empty()) {
        const OpDef& fused = opNamed(op->updateWithProduct);
        CHECK(op->kind == OpKind::Update);
        CHECK(fused.work == WorkKind::ProductWithUpdate);
        CHECK(fused.minInputs == op->minInputs + 1);
      }
      if (op->canBeStep) CHECK(op->kind == OpKind::Elementwise);
      const auto hasAttribute = [&](std::string_view name) {
        return std::ranges::any_of(op->attributes,
                                   [&](const AttributeSpec& spec) { return spec.name == name; });
      };
      // The name belongs to Node::slices in the text form.
      CHECK_FALSE(hasAttribute("slices"));
      if (op->takesBiasAndActivation) {
        CHECK(op->maxInputs == 3);
        CHECK(hasAttribute("activation"));
        CHECK(hasAttribute("alpha"));
      }
    }
    for (const OpRole role : {OpRole::Input, OpRole::Variable, OpRole::Constant})
      CHECK(roles.contains(role));
  }
}
