// SPDX-License-Identifier: Apache-2.0
// The rule that decides which values share bytes. The memory plan (liveness.cpp) and the model of a
// step (step_model.cpp) use it, so that both compute the same memory.
// Thread: the functions only read their arguments.
#pragma once

#include "gpu/graph/op.h"

namespace strata {

/// Returns whether an output of a node may overwrite an input. The input must have the same element
/// type and size, and its storage must be transient and not be used afterwards.
///
/// `Step` describes the node at its position in the step, with these functions:
///   numInputs(), numOutputs()
///   input(i)             an id of the value that input i reads; equal ids mean equal values
///   inputStorage(i), outputStorage(i)     the storage of a value, or -1 if it has none yet
///   inputDType(i), outputDType(i), outputBytes(i)
///   canReuse(storage, bytes)     whether the storage is transient, has this size, and is not used
///                                after this node
template <class Step>
bool mayOverwrite(const OpDef& op, const Step& step, int output, int input) {
  const int storage = step.inputStorage(input);
  if (!step.canReuse(storage, step.outputBytes(output))) return false;
  if (step.inputDType(input) != step.outputDType(output)) return false;
  for (int other = 0; other < step.numOutputs(); ++other)
    if (step.outputStorage(other) == storage) return false;
  for (int other = 0; other < step.numInputs(); ++other) {
    if (other == input || step.inputStorage(other) != storage) continue;
    // An elementwise op such as x * x may overwrite x. Other ops must not overwrite bytes that they
    // also read through another operand.
    if (op.kind != OpKind::Elementwise || step.input(other) != step.input(input)) return false;
  }
  return true;
}

/// Returns the input whose storage an output gets, or -1 if it gets a new one. Views and updates
/// always share (sharedPairs()). Other outputs overwrite the first input that they may
/// (OpDef::mayAlias) if `inPlace` is true.
template <class Step>
int sharedInput(const OpDef& op, const Step& step, int output, bool inPlace) {
  if (op.updatesFirstOperands) return output;
  for (const auto& [out, in] : op.mustAlias)
    if (out == output && in < step.numInputs()) return in;
  if (!inPlace) return -1;
  if (op.overwritesOperands)
    return output < step.numInputs() && mayOverwrite(op, step, output, output) ? output : -1;
  for (const auto& [out, in] : op.mayAlias)
    if (out == output && in < step.numInputs() && mayOverwrite(op, step, output, in)) return in;
  return -1;
}

}  // namespace strata
