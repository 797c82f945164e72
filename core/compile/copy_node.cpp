// SPDX-License-Identifier: Apache-2.0
#include "core/compile/copy_node.h"

#include <string>
#include <utility>

#include "gpu/graph/op.h"

namespace strata {

NodeId copyNode(Graph& to, const Graph& from, const Node& node, std::vector<ValueId> inputs) {
  const Scope scope(to, node.layer, node.phase, from.value(node.outputs.front()).category);
  const NodeId copied = to.addNode(*node.op, std::move(inputs), node.attributes, node.payload);
  to.edit().mutableNode(copied).slices = node.slices;
  for (size_t i = 0; i < node.outputs.size(); ++i)
    to.edit().setCategory(to.node(copied).outputs[i], from.value(node.outputs[i]).category);
  return copied;
}

ValueId copySource(Graph& to, const Graph& from, const Node& node) {
  const ValueId value = node.outputs.front();
  const Scope scope(to, node.layer, node.phase, from.value(value).category);
  if (node.op->role != OpRole::Input)
    return to.node(to.addNode(*node.op, {}, node.attributes, node.payload)).outputs.front();
  const auto& name = node.attributes.get<std::string>("name");
  if (const ValueId known = findInput(to, name); known.isValid()) return known;
  const ValueId own = to.addInput(name, from.type(value));
  to.edit().setCategory(own, from.value(value).category);
  return own;
}

ValueId copyVariable(Graph& to, const Graph& from, const Node& node) {
  const auto& name = node.attributes.get<std::string>("name");
  if (const Variable* const known = to.findVariable(name)) return known->value;
  const ValueId value = node.outputs.front();
  const Scope scope(to, node.layer, node.phase, from.value(value).category);
  const ValueId own = to.addVariable(name, from.type(value), from.value(value).category,
                                     from.findVariable(name)->trainable);
  to.edit().mutableNode(to.value(own).producer).attributes = node.attributes;
  return own;
}

}  // namespace strata
