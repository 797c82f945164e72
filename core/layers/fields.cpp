// SPDX-License-Identifier: Apache-2.0
#include "core/layers/fields.h"

#include <nlohmann/json.hpp>

#include "core/layers/layer.h"

namespace strata {

std::vector<FieldSchema> commonLayerFields() {
  return {
      {.name = "trainable",
       .type = FieldType::Boolean,
       .defaultJson = "true",
       .help = STRATA_TEXT("layers", "Off: the weights stay as they are while training"),
       .title = STRATA_TEXT("layers", "Trainable")},
      {.name = "learning_rate_factor",
       .type = FieldType::Number,
       .defaultJson = "1.0",
       .minimum = 0.0,
       .help = STRATA_TEXT("layers", "The learning rate of this layer is multiplied by it"),
       .title = STRATA_TEXT("layers", "Learning rate factor")},
      {.name = "device",
       .type = FieldType::Integer,
       .defaultJson = "0",
       .minimum = 0.0,
       .maximum = 1023.0,
       .hasOneValue = true,
       .help = STRATA_TEXT("layers", "Place in the list of devices of the one that computes this layer; this version trains on one device"),
       .title = STRATA_TEXT("layers", "Device")},
  };
}

FieldSchema activationField(const char* defaultJson) {
  return {.name = "activation",
          .type = FieldType::Object,
          .defaultJson = defaultJson,
          .exampleJson = *defaultJson ? "" : "\"relu\"",
          .isNullable = true,
          .registry = "activation",
          .help = STRATA_TEXT("layers", "Function applied to each output value"),
          .title = STRATA_TEXT("layers", "Activation")};
}

FieldSchema useBiasField() {
  return {.name = "use_bias",
          .type = FieldType::Boolean,
          .defaultJson = "true",
          .help = STRATA_TEXT("layers", "Adds a learned number to each output"),
          .title = STRATA_TEXT("layers", "Bias")};
}

FieldSchema initializerField(const char* name, const char* defaultJson, Text title) {
  return {.name = name,
          .type = FieldType::Object,
          .defaultJson = defaultJson,
          .registry = "initializer",
          .help = STRATA_TEXT("layers", "How these weights start"),
          .title = title};
}

FieldSchema regularizerField(const char* name, Text title) {
  return {.name = name,
          .type = FieldType::Object,
          .defaultJson = "null",
          .isNullable = true,
          .registry = "regularizer",
          .help = STRATA_TEXT("layers", "Cost of large weights, added to the loss"),
          .title = title};
}

FieldSchema kernelSizeField() {
  return {.name = "kernel_size",
          .type = FieldType::IntegerPair,
          .exampleJson = "[3, 3]",
          .minimum = 1.0,
          .maximum = 1024.0,
          .unit = "px",
          .help = STRATA_TEXT("layers", "Height and width of the filter"),
          .title = STRATA_TEXT("layers", "Kernel size")};
}

FieldSchema poolSizeField() {
  return {.name = "pool_size",
          .type = FieldType::IntegerPair,
          .defaultJson = "[2, 2]",
          .minimum = 1.0,
          .maximum = 1024.0,
          .unit = "px",
          .help = STRATA_TEXT("layers", "Height and width of the window"),
          .title = STRATA_TEXT("layers", "Pool size")};
}

FieldSchema stridesField(const char* defaultJson) {
  const bool isPooling = std::string_view(defaultJson) == "null";
  return {.name = "strides",
          .type = FieldType::IntegerPair,
          .defaultJson = defaultJson,
          .minimum = 1.0,
          .maximum = 1024.0,
          .isNullable = isPooling,
          .unit = "px",
          .help = isPooling ? STRATA_TEXT("layers", "How far the window moves each time; left out, as far as it is large")
                            : STRATA_TEXT("layers", "How far the filter moves each time"),
          .title = STRATA_TEXT("layers", "Strides")};
}

FieldSchema paddingField() {
  return {.name = "padding",
          .type = FieldType::Choice,
          .defaultJson = "\"valid\"",
          .choices = {"valid", "same"},
          .help = STRATA_TEXT("layers", "valid: only whole windows; same: zeros around, so that stride 1 keeps the size"),
          .title = STRATA_TEXT("layers", "Padding")};
}

FieldSchema dilationField() {
  return {.name = "dilation_rate",
          .type = FieldType::IntegerPair,
          .defaultJson = "[1, 1]",
          .minimum = 1.0,
          .maximum = 1024.0,
          .unit = "px",
          .help = STRATA_TEXT("layers", "Distance between neighbouring cells of the filter"),
          .title = STRATA_TEXT("layers", "Dilation")};
}

Window2D imageWindow(const LayerContext& context, const std::vector<int64_t>& window, const std::vector<int64_t>& strides,
                     const std::vector<int64_t>& dilation) {
  context.requireRank(4);
  Window2D result;
  result.strides = strides;
  result.dilation = dilation;
  const bool isSame = context.string("padding") == "same";
  for (size_t axis = 0; axis < 2; ++axis) {
    const int64_t size = context.inputShape()[static_cast<int>(axis) + 1];
    const int64_t span = (window[axis] - 1) * dilation[axis] + 1;
    if (isSame) {
      const int64_t outputs = (size + strides[axis] - 1) / strides[axis];
      const int64_t padding = std::max<int64_t>(0, (outputs - 1) * strides[axis] + span - size);
      result.paddingBefore[axis] = padding / 2;
      result.paddingAfter[axis] = padding - padding / 2;
    } else if (span > size) {
      context.fail(
          "shape_mismatch", context.fields.contains("kernel_size") ? "kernel_size" : "pool_size",
          STRATA_TEXT(
              "problem",
              "the window of %1 does not fit into an image of %2 (expected at most its size). Make it smaller, or set padding to same."),
          {std::to_string((window[0] - 1) * dilation[0] + 1) + " x " + std::to_string((window[1] - 1) * dilation[1] + 1),
           std::to_string(context.inputShape()[1]) + " x " + std::to_string(context.inputShape()[2])},
          {context.setFieldFix("padding", "\"same\"")});
    }
  }
  return result;
}

}  // namespace strata
