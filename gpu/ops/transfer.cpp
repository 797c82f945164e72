// SPDX-License-Identifier: Apache-2.0
// Moves values between the devices of a step that several devices compute together, each a part of
// its graph (core/compile/cut_step.h).
//
// send {number, to} (x) -> token u8[1]: lets the part `to` read x.
// receive {number, from, dtype, shape} () -> y: waits for the value that the part `from` sends with
// this number, and copies it.
// sent {number, to} (x, token) -> token u8[1]: waits until the part `to` has copied x. Nothing may
// overwrite x before.
//
// number: that of the transfer in the step. Each part has its transfers in the order of the whole
// step, so passes must not merge, drop, repeat or move them past each other.
//
// A device that computes a step alone receives zeros.
// Gradient: none, because they are added after differentiation.
// Errors: InvalidArgument.
// Numerics: exact copies.
// Source: own definition.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"

namespace strata {
namespace {

std::vector<TensorType> inferToken(const ShapeContext&) { return {{DType::U8, Shape{1}}}; }

std::vector<TensorType> inferReceive(const ShapeContext& c) {
  const auto& name = c.attributes.get<std::string>("dtype");
  const std::optional<DType> dtype = dtypeFromName(name);
  if (!dtype)
    throw Error(ErrorCode::InvalidArgument, c.op.name, "there is no element type " + name + ".");
  Shape shape;
  for (const int64_t size : c.attributes.get<std::vector<int64_t>>("shape"))
    shape.append(size);
  return {{*dtype, shape}};
}

OpDef transfer(const char* name, int inputs, const char* other) {
  OpDef op;
  op.name = name;
  op.kind = OpKind::Compute;
  op.minInputs = op.maxInputs = inputs;
  op.attributes = {{"number", int64_t{0}, true}, {other, int64_t{0}, true}};
  op.infer = inferToken;
  op.noGradientReason = "it is added after differentiation";
  op.isCollective = true;
  return op;
}

}  // namespace

std::vector<OpDef> defineTransfers() {
  OpDef send = transfer("send", 1, "to"), receive = transfer("receive", 0, "from"),
        sent = transfer("sent", 2, "to");
  send.role = OpRole::Send;
  sent.role = OpRole::Sent;
  receive.role = OpRole::Receive;
  receive.infer = inferReceive;
  receive.attributes.push_back({"dtype", std::string("f32"), true});
  receive.attributes.push_back({"shape", std::vector<int64_t>{}, true});
  return {send, receive, sent};
}

ValueId send(Graph& g, ValueId x, int64_t number, int64_t to) {
  return g.add(opNamed("send"), {x}, {{"number", number}, {"to", to}});
}

ValueId receive(Graph& g, const TensorType& type, int64_t number, int64_t from) {
  std::vector<int64_t> shape;
  for (int i = 0; i < type.shape.rank(); ++i)
    shape.push_back(type.shape[i]);
  return g.add(opNamed("receive"), {},
               {{"number", number},
                {"from", from},
                {"dtype", std::string(dtypeName(type.dtype))},
                {"shape", shape}});
}

ValueId awaitSent(Graph& g, ValueId x, ValueId token, int64_t number, int64_t to) {
  return g.add(opNamed("sent"), {x, token}, {{"number", number}, {"to", to}});
}

}  // namespace strata
