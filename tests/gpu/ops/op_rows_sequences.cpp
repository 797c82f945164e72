// SPDX-License-Identifier: Apache-2.0
// The rows of recurrent cells and attention.
#include "tests/gpu/ops/op_row_makers.h"

namespace strata::test {

namespace {

/// Returns a row of a recurrent op. Its operands are the projection and the kernel, followed by the
/// optional operands in the order of the parameters.
OpRow sequence(std::string name, RecurrentOptions options, Shape projection, int64_t units,
               bool hasBias = false, bool hasState = false, bool hasFactors = false,
               bool hasMask = false, int seeded = -1) {
  const int64_t samples = projection[0], width = projection[2];
  std::vector<OperandSpec> operands{f(projection), f({units, width}, -0.7, 0.7)};
  if (hasBias) operands.push_back(f({width}));
  for (int i = 0; hasState && i < (options.cell == "lstm" ? 2 : 1); ++i)
    operands.push_back(f({samples, units}));
  if (hasFactors)
    operands.push_back(
        {.shape = {samples, units}, .dtype = {}, .low = 0, .high = 2, .isDifferentiated = false});
  if (hasMask) {
    // The mask hides steps at the beginning, in the middle and at the end.
    std::vector<double> kept;
    for (int64_t i = 0; i < samples * projection[1]; ++i)
      kept.push_back(i % 3 == 0 || i % 5 == 1 ? 0 : 1);
    operands.push_back(fixed({samples, projection[1]}, kept, false));
  }
  OpRow row{"recurrent/" + name, std::move(operands), [=](Graph& g, const Values& x) {
              RecurrentOptions own = options;
              size_t next = 2;
              if (hasBias) own.bias = x[next++];
              if (hasState) own.state = x[next++];
              if (hasState && options.cell == "lstm") own.cellState = x[next++];
              if (hasFactors) own.factors = x[next++];
              if (hasMask) own.mask = x[next++];
              const RecurrentResult y = recurrent(g, x[0], x[1], own);
              Values outputs{y.last, y.sequence};
              if (y.lastCell.isValid()) outputs.push_back(y.lastCell);
              return outputs;
            }};
  row.seededOutputs = seeded;
  return row;
}

void addRecurrent(Rows& rows) {
  const auto cell = [](const char* name, bool isBackwards = false) {
    RecurrentOptions options;
    options.cell = name;
    options.isBackwards = isBackwards;
    return options;
  };
  for (const auto& [name, gates] :
       {std::pair{"simple", 1}, {"lstm", 4}, {"gru", 3}, {"gru_reset_before", 3}}) {
    const std::string text = name;
    rows.push_back(sequence(text, cell(name), {3, 4, gates * 5}, 5));
    rows.push_back(sequence(text + " last alone", cell(name), {2, 3, gates * 4}, 4, false, false,
                            false, false, 1));
    rows.push_back(sequence(text + " backwards from a state", cell(name, true), {2, 3, gates * 3},
                            3, text == "gru", true));
    rows.push_back(sequence(text + " masked, factors", cell(name), {3, 5, gates * 2}, 2,
                            text == "gru", true, true, true));
    RecurrentOptions others = cell(name);
    others.activation = "silu";
    others.recurrentActivation = "hard_sigmoid";
    rows.push_back(sequence(text + " other functions", others, {2, 3, gates * 3}, 3));
    rows.push_back(sequence(text + " one step", cell(name), {2, 1, gates * 2}, 2));
  }
}

/// Returns a row of attention with the operands q [N,T,H,D], k [N,S,G,D] and v [N,S,G,E]. The row
/// has a mask unless `maskSteps` is 0.
OpRow pairs(std::string name, AttentionOptions options, Shape query, Shape key, int64_t valueSize,
            int64_t maskSteps = 0, int hiddenRow = -1) {
  std::vector<OperandSpec> operands{f(query, -2, 2), f(key, -2, 2),
                                    f({key[0], key[1], key[2], valueSize})};
  if (maskSteps > 0) {
    std::vector<double> kept;
    for (int64_t i = 0; i < query[0] * maskSteps * key[1]; ++i)
      kept.push_back(i % 3 == 1 || i / key[1] == hiddenRow ? 0 : 1);
    operands.push_back(fixed({query[0], maskSteps, key[1]}, kept, false));
  }
  OpRow row{"attention/" + name, std::move(operands), [=](Graph& g, const Values& x) {
              AttentionOptions own = options;
              own.scale = 0.6;
              if (maskSteps > 0) own.mask = x[3];
              if (own.rate > 0) {
                const auto number = [&](int64_t value) {
                  Tensor tensor(DType::I64, {});
                  tensor.as<int64_t>()[0] = value;
                  return g.addConstant(std::move(tensor));
                };
                own.seed = number(7);
                own.step = number(3);
                own.firstSample = number(5);
                own.stream = "pairs";
              }
              return Values{attention(g, x[0], x[1], x[2], own)};
            }};
  row.seededOutputs = 1;
  return row;
}

/// Returns a row of attention and its gradient with one operand for all: they are qkv [N,T,3H,D],
/// dy [N,T,H,D] and, if `hasMask`, a mask [N,1,T].
OpRow ofOneOperand(const std::string& name, Shape joined, Attributes attributes,
                   bool hasMask = false) {
  std::vector<OperandSpec> operands{f(joined), f({joined[0], joined[1], joined[2] / 3, joined[3]})};
  attributes.set("joined", true);
  attributes.set("scale", 0.6);
  attributes.set("has_mask", hasMask);
  if (hasMask) {
    std::vector<double> kept;
    for (int64_t i = 0; i < joined[0] * joined[1]; ++i)
      kept.push_back(i % 3 == 1 ? 0 : 1);
    operands.push_back(fixed({joined[0], 1, joined[1]}, kept, false));
  }
  OpRow row{"attention/joined, " + name, std::move(operands), [=](Graph& g, const Values& x) {
              const Values mask(x.begin() + 2, x.end());
              Values inputs{x[0]};
              inputs.insert(inputs.end(), mask.begin(), mask.end());
              const Values results =
                  g.node(g.addNode(opNamed("attention"), inputs, attributes)).outputs;
              inputs = {x[0], results[0], results[1], x[1]};
              inputs.insert(inputs.end(), mask.begin(), mask.end());
              return Values{results[0], results[1],
                            g.add(opNamed("attention_backward"), inputs, attributes)};
            }};
  row.hasGradient = false;
  return row;
}

void addAttention(Rows& rows) {
  AttentionOptions causal, dropped, all;
  causal.isCausal = true;
  dropped.rate = 0.4;
  all.isCausal = true;
  all.rate = 0.3;
  all.dropsHidden = true;
  rows.push_back(pairs("two heads", {}, {2, 5, 2, 3}, {2, 4, 2, 3}, 6));
  rows.push_back(pairs("causal", causal, {2, 6, 1, 4}, {2, 6, 1, 4}, 4));
  rows.push_back(pairs("causal, fewer keys", causal, {1, 7, 2, 2}, {1, 3, 2, 2}, 3));
  rows.push_back(pairs("shared keys", {}, {2, 4, 6, 2}, {2, 3, 2, 2}, 5));
  rows.push_back(pairs("dropped", dropped, {2, 5, 2, 3}, {2, 17, 2, 3}, 2));
  rows.push_back(pairs("masked keys", {}, {2, 3, 2, 4}, {2, 7, 2, 4}, 3, 1));
  rows.push_back(pairs("masked, a step sees nothing", {}, {2, 3, 2, 4}, {2, 5, 2, 4}, 3, 3, 1));
  rows.push_back(
      pairs("causal, masked, dropped, shared", all, {2, 4, 4, 3}, {2, 4, 2, 3}, 3, 4, 5));
  rows.push_back(pairs("one step", causal, {1, 1, 1, 1}, {1, 1, 1, 1}, 1));
  // Sizes that fused kernels of libraries take
  rows.push_back(pairs("multiples of 8", {}, {2, 5, 2, 8}, {2, 7, 2, 8}, 16));
  rows.push_back(pairs("multiples of 8, causal", causal, {1, 70, 3, 16}, {1, 66, 3, 16}, 8));
  rows.push_back(pairs("many steps", causal, {1, 45, 2, 20}, {1, 70, 1, 20}, 33));
  rows.push_back(ofOneOperand("two heads", {2, 5, 6, 3}, {}));
  rows.push_back(ofOneOperand("causal, masked", {3, 66, 3, 5}, {{"causal", true}}, true));
  rows.push_back(ofOneOperand("multiples of 8", {2, 7, 6, 8}, {}));
  rows.push_back(ofOneOperand("multiples of 8, causal", {1, 70, 9, 16}, {{"causal", true}}));
}

}  // namespace

void addSequenceRows(std::vector<OpRow>& rows) {
  addRecurrent(rows);
  addAttention(rows);
}

}  // namespace strata::test
