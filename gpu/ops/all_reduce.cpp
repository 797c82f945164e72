// SPDX-License-Identifier: Apache-2.0
// Sums over all replicas of a step, in the order of their ranks. All replicas get the same bits. A
// device without replicas returns its operands.
//
// all_reduce {number} (x1, x2, ..) -> y1, y2, ..: replicas of one process.
// all_reduce_start {number, count, processes, packed} (x1, x2, ..) -> y1, y2, .., buffer: begins
// the sums over the replicas of several processes. Until the node all_reduce_done of this number,
// nothing else may use the results, which others change meanwhile. The buffer u8[bytes] gets the
// elements of other processes. With packed = 1, `processes` counts cards, and all elements are in
// the buffer (PackedSums).
// all_reduce_done {number, count, processes, packed} (y1, y2, .., buffer) -> z1, z2, ..: waits for
// them.
//
// Operands: f32 or f64 of any shapes. Results: the same types. They may overwrite the operands.
// number: that of the collective in the step, of `count`. All replicas have the same ones in the
// same order, so passes must not merge, drop, repeat or move them past each other.
//
// Gradient: none, because they are added after differentiation.
// Errors: InvalidArgument.
// Numerics: ((x of rank 0 + x of rank 1) + x of rank 2) + .., each sum rounded to the type.
// Source: own definition.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"
#include "gpu/ops/sum_layout.h"

namespace strata {
namespace {

void requireFloats(const ShapeContext& c, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (c.inputs[i].dtype != DType::F32 && c.inputs[i].dtype != DType::F64)
      throw Error(ErrorCode::InvalidArgument, c.op.name,
                  "operand " + std::to_string(i) + " is " +
                      std::string(dtypeName(c.inputs[i].dtype)) + " (expected f32 or f64).");
}

std::vector<TensorType> inferAllReduce(const ShapeContext& c) {
  requireFloats(c, c.inputs.size());
  return {c.inputs.begin(), c.inputs.end()};
}

TensorType bufferOf(const ShapeContext& c, size_t count) {
  const int64_t processes = c.attributes.get<int64_t>("processes");
  if (processes < 1)
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "processes is " + std::to_string(processes) + " (expected 1 or more).");
  const auto operands = std::span(c.inputs).first(count);
  const auto parts = static_cast<int>(processes);
  const size_t bytes = c.attributes.getOr<int64_t>("packed", 0) != 0
                           ? PackedSums(operands, parts).bufferBytes()
                           : SumLayout(operands, parts).bufferBytes();
  return {DType::U8, Shape{static_cast<int64_t>(bytes)}};
}

std::vector<TensorType> inferStart(const ShapeContext& c) {
  std::vector<TensorType> types = inferAllReduce(c);
  types.push_back(bufferOf(c, c.inputs.size()));
  return types;
}

std::vector<TensorType> inferDone(const ShapeContext& c) {
  const size_t count = c.inputs.size() - 1;
  requireFloats(c, count);
  if (c.inputs.back() != bufferOf(c, count))
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "the last operand is " + c.inputs.back().toString() +
                    " (expected the buffer of all_reduce_start).");
  return {c.inputs.begin(), c.inputs.end() - 1};
}

OpDef collective(const char* name, std::vector<TensorType> (*infer)(const ShapeContext&)) {
  OpDef op;
  op.name = name;
  op.kind = OpKind::Compute;
  op.minInputs = 1;
  op.maxInputs = -1;
  op.numOutputs = 1;
  op.attributes = {{"number", int64_t{0}, true}};
  op.infer = infer;
  op.noGradientReason = "it is added after differentiation";
  op.overwritesOperands = true;
  op.isCollective = true;
  return op;
}

}  // namespace

std::vector<OpDef> defineAllReduce() {
  OpDef start = collective("all_reduce_start", inferStart),
        done = collective("all_reduce_done", inferDone);
  for (OpDef* op : {&start, &done}) {
    op->attributes.push_back({"count", int64_t{1}, true});
    op->attributes.push_back({"processes", int64_t{1}, true});
    op->attributes.push_back({"packed", int64_t{0}});
  }
  done.minInputs = 2;
  start.role = OpRole::SumStart;
  return {collective("all_reduce", inferAllReduce), start, done};
}

std::vector<ValueId> allReduce(Graph& g, std::vector<ValueId> values, int64_t number) {
  return g.node(g.addNode(opNamed("all_reduce"), std::move(values), {{"number", number}})).outputs;
}

static Attributes attributesOf(const SumPlace& place) {
  Attributes attributes{
      {"number", place.number}, {"count", place.count}, {"processes", place.processes}};
  if (place.isPacked) attributes.set("packed", int64_t{1});
  return attributes;
}

std::vector<ValueId> startAllReduce(Graph& g, std::vector<ValueId> values, const SumPlace& place) {
  const std::vector<ValueId> started =
      g.node(g.addNode(opNamed("all_reduce_start"), std::move(values), attributesOf(place)))
          .outputs;
  g.edit().setCategory(started.back(), Category::Communication);
  return started;
}

std::vector<ValueId> finishAllReduce(Graph& g, std::vector<ValueId> started,
                                     const SumPlace& place) {
  return g.node(g.addNode(opNamed("all_reduce_done"), std::move(started), attributesOf(place)))
      .outputs;
}

}  // namespace strata
