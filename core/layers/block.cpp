// SPDX-License-Identifier: Apache-2.0
// Block: a group of layers, repeated. Formula: y = f(f(...f(x))), f the layers in it. Input: that of its first layer. Output: that of its last. Each repeat has weights of its
// own, `<block>/<i>/<layer>/<variable>`. Gradient: by its layers. Errors: those of its layers, also where a repeat does not take what the one before gives.
// Source: the repeated stages of VGG (Simonyan and Zisserman 2014) and ResNet (He et al. 2015).
#include <map>

#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "core/model/model.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

/// One run through the layers in it; `prefix` "block/3/".
ValueId lowerOnce(LayerContext& context, const std::string& prefix, const std::vector<ValueId>& inputs,
                  const std::vector<std::string>& inputNames) {
  std::map<std::string, ValueId, std::less<>> values, maskOf;
  ValueId end, endMask;
  for (const Layer& layer : context.inner->layers) {
    std::vector<ValueId> taken, masks;
    if (layer.index == 0) {
      taken = inputs;
      masks = context.masks;
    }
    for (const std::string& input : layer.inputs) {
      taken.push_back(values.at(input));
      masks.push_back(maskOf[input]);
    }
    const std::string name = prefix + layer.name;
    try {
      withMemoryFor(name, [&] {
        LayerCall call{*layer.definition,
                       name,
                       *layer.fields,
                       std::move(taken),
                       layer.index == 0 ? inputNames : layer.inputs,
                       context.mode,
                       context.batchSize,
                       layer.inner.get(),
                       std::move(masks)};
        call.stateRows = context.stateRows;
        LoweredLayer lowered = lowerLayer(context.graph, std::move(call));
        for (auto& variable : lowered.variables) context.variables.push_back(std::move(variable));
        for (auto& next : lowered.nextValues) context.nextValues.push_back(std::move(next));
        for (const ValueId each : lowered.penalties) context.penalties.push_back(each);
        end = lowered.value;
        endMask = maskOf[layer.name] = lowered.mask;
        lowered.forEachOutput(layer.name, [&](const std::string& called, ValueId value) { values.emplace(called, value); });
        maskOf[layer.name + ":0"] = lowered.mask;
      });
    } catch (const LayerProblem& problem) {
      Diagnostic diagnostic = problem.diagnostic();
      completeFixes(diagnostic, "layers/" + std::to_string(layer.index));
      throw LayerProblem(std::move(diagnostic));
    }
  }
  const Layer* last = context.inner->at(static_cast<int>(context.inner->drafts.size()) - 1);
  context.masks = {last ? maskOf[last->name] : endMask};  // of what comes next
  return last ? values.at(last->name) : end;
}

ValueId lowerBlock(LayerContext& context) {
  if (!context.inner || context.inner->layers.empty())
    context.fail("empty_block", "layers", STRATA_TEXT("problem", "the Block holds no layers (expected one or more). Add one."), {});
  std::vector<ValueId> inputs = context.inputs;
  std::vector<std::string> names = context.inputNames;
  const int64_t repeat = context.integer("repeat");
  for (int64_t i = 0; i < repeat; ++i) {
    inputs = {lowerOnce(context, context.name + "/" + std::to_string(i) + "/", inputs, names)};
    names = {pathOfLayer(context.name)};
  }
  context.outputMask = context.mask();
  return inputs.front();
}

}  // namespace

const LayerDef& blockLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Block",
                 .group = "Structure",
                 .help = STRATA_TEXT("layers", "A group of layers with names of its own, repeated one after the other"),
                 .formula = "y = f(f(...f(x))), f the layers in it, each time with weights of its own",
                 .source = "the repeated stages of VGG (Simonyan and Zisserman 2014) and ResNet (He et al. 2015)",
                 .fields = {{.name = "layers",
                             .type = FieldType::Layers,
                             .exampleJson = R"([{"type": "Dense", "name": "dense", "units": 64, "activation": "relu"}])",
                             .hasOneValue = true,
                             .help =
                                 STRATA_TEXT("layers", "What is repeated: the first takes the Block's input, the last gives its output"),
                             .title = STRATA_TEXT("layers", "Layers")},
                            {.name = "repeat",
                             .type = FieldType::Integer,
                             .defaultJson = "1",
                             .minimum = 1.0,
                             .maximum = static_cast<double>(kMaxRepeats),
                             .help = STRATA_TEXT("layers", "How often the layers follow each other, each time with weights of their own"),
                             .title = STRATA_TEXT("layers", "Repeat")}}},
      .maxInputs = -1,
      .lower = lowerBlock,
  };
  return definition;
}

}  // namespace strata
