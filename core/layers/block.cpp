// SPDX-License-Identifier: Apache-2.0
// Block repeats a group of layers. Each repeat has separate weights,
// `<block>/<i>/<layer>/<variable>`.
// Formula: y = f(f(...f(x))), where f applies the layers of the group.
// Input: that of its first layer.
// Output: that of its last layer.
// Gradient: derived from its layers.
// Errors: those of its layers, for example if a repeat does not accept the output of the previous
//   one.
// Source: the repeated stages of VGG (Simonyan and Zisserman, 2014) and ResNet (He et al., 2015).
#include "core/layers/layer.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

/// Lowers a Block. core/model lowers its contents, because they form a network.
ValueId lowerBlock(LayerContext& context) {
  // core/model has already reported an empty Block to the user
  if (!context.lowerContents)
    throw Error(ErrorCode::InvalidProject, context.name, "the Block is empty");
  return context.lowerContents(context);
}

}  // namespace

const LayerDef& blockLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "Block",
           .group = "Structure",
           .help =
               STRATA_TEXT("layers", "A group of layers, repeated one or more times in sequence"),
           .formula = "y = f(f(...f(x))), where f are the layers, with separate weights each time",
           .source =
               "Repeated stages of VGG (Simonyan and Zisserman, 2014) and ResNet (He et al., 2015)",
           .fields =
               {{.name = "layers",
                 .type = FieldType::Layers,
                 .exampleJson =
                     R"([{"type": "Dense", "name": "dense", "units": 64, "activation": "relu"}])",
                 .hasOneValue = true,
                 .help = STRATA_TEXT("layers",
                                     "Layers of the Block: the first takes the Block's input, the "
                                     "last returns its output"),
                 .title = STRATA_TEXT("layers", "Layers")},
                {.name = "repeat",
                 .type = FieldType::Integer,
                 .defaultJson = "1",
                 .minimum = 1.0,
                 .maximum = static_cast<double>(kMaxRepeats),
                 .help = STRATA_TEXT(
                     "layers", "Number of repetitions in sequence, each with its own weights"),
                 .title = STRATA_TEXT("layers", "Repetitions")}}},
      .maxInputs = -1,
      .lower = lowerBlock,
  };
  return definition;
}

}  // namespace strata
