// SPDX-License-Identifier: Apache-2.0
#include "core/layers/fields.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "core/layers/objects.h"

namespace strata {

std::vector<FieldSchema> commonLayerFields() {
  return {
      switchField("trainable", "true",
                  STRATA_TEXT("layers", "Update the weights of this layer during training"),
                  STRATA_TEXT("layers", "Trainable")),
      {.name = "learning_rate_factor",
       .type = FieldType::Number,
       .defaultJson = "1.0",
       .minimum = 0.0,
       .help =
           STRATA_TEXT("layers", "Factor by which the learning rate of this layer is multiplied"),
       .title = STRATA_TEXT("layers", "Learning rate factor")},
      {.name = "device",
       .type = FieldType::Integer,
       .defaultJson = "null",
       .minimum = 0.0,
       .maximum = 1023.0,
       .isNullable = true,
       .help = STRATA_TEXT("layers",
                           "Index of the device that computes this layer, in the list of devices; "
                           "default: the device of its input"),
       .title = STRATA_TEXT("layers", "Device")},
  };
}

FieldSchema dataFormatField() {
  return {.name = "data_format",
          .type = FieldType::Choice,
          .defaultJson = "\"channels_last\"",
          .isNullable = true,
          .choices = {"channels_last", "channels_first"},
          .help = STRATA_TEXT("layers",
                              "Order of the dimensions: channels last, as in [height, width, "
                              "channels], or channels first"),
          .title = STRATA_TEXT("layers", "Data format")};
}

FieldSchema activationField(const char* defaultJson) {
  return {.name = "activation",
          .type = FieldType::Object,
          .defaultJson = defaultJson,
          .exampleJson = *defaultJson ? "" : "\"relu\"",
          .isNullable = true,
          .registry = "activation",
          .objects = activationSchemas,
          .help = STRATA_TEXT("layers", "Activation function of the output"),
          .title = STRATA_TEXT("layers", "Activation")};
}

FieldSchema ignoredSwitch(const char* name, const char* defaultJson) {
  return {.name = name,
          .type = FieldType::Boolean,
          .defaultJson = defaultJson,
          .isNullable = true,
          .hasOneValue = true,
          .help = STRATA_TEXT("layers", "Accepted for Keras compatibility; has no effect"),
          .title = STRATA_TEXT("layers", "Implementation")};
}

FieldSchema switchField(const char* name, const char* defaultJson, Text help, Text title) {
  return {.name = name,
          .type = FieldType::Boolean,
          .defaultJson = defaultJson,
          .help = help,
          .title = title};
}

FieldSchema useBiasField() {
  return switchField("use_bias", "true", STRATA_TEXT("layers", "Add a bias to the output"),
                     STRATA_TEXT("layers", "Bias"));
}

FieldSchema initializerField(const char* name, const char* defaultJson, Text title) {
  return {.name = name,
          .type = FieldType::Object,
          .defaultJson = defaultJson,
          .registry = "initializer",
          .objects = initializerSchemas,
          .help = STRATA_TEXT("layers", "How to initialize these weights"),
          .title = title};
}

FieldSchema regularizerField(const char* name, Text title) {
  return {.name = name,
          .type = FieldType::Object,
          .defaultJson = "null",
          .isNullable = true,
          .registry = "regularizer",
          .objects = regularizerSchemas,
          .help = STRATA_TEXT("layers", "Penalty on the weights, added to the loss"),
          .title = title};
}

FieldSchema constraintField(const std::string& name) {
  static const std::map<std::string, Text, std::less<>> titles{
      {"kernel_constraint", STRATA_TEXT("layers", "Kernel constraint")},
      {"bias_constraint", STRATA_TEXT("layers", "Bias constraint")},
      {"depthwise_constraint", STRATA_TEXT("layers", "Depthwise constraint")},
      {"pointwise_constraint", STRATA_TEXT("layers", "Pointwise constraint")},
      {"gamma_constraint", STRATA_TEXT("layers", "Gamma constraint")},
      {"beta_constraint", STRATA_TEXT("layers", "Beta constraint")},
      {"alpha_constraint", STRATA_TEXT("layers", "Alpha constraint")},
      {"embeddings_constraint", STRATA_TEXT("layers", "Embeddings constraint")},
      {"recurrent_constraint", STRATA_TEXT("layers", "Recurrent constraint")}};
  const auto title = titles.find(name);
  return {.name = name,
          .type = FieldType::Object,
          .defaultJson = "null",
          .isNullable = true,
          .registry = "constraint",
          .objects = constraintSchemas,
          .help = STRATA_TEXT("layers", "Constraint on the weights after each update"),
          .title = title == titles.end() ? STRATA_TEXT("layers", "Constraint") : title->second};
}

FieldSchema kernelSizeField() {
  return {.name = "kernel_size",
          .type = FieldType::IntegerPair,
          .exampleJson = "[3, 3]",
          .minimum = 1.0,
          .maximum = 1024.0,
          .unit = "px",
          .help = STRATA_TEXT("layers", "Height and width of the convolution window"),
          .title = STRATA_TEXT("layers", "Kernel size")};
}

FieldSchema poolSizeField() {
  return {.name = "pool_size",
          .type = FieldType::IntegerPair,
          .defaultJson = "[2, 2]",
          .minimum = 1.0,
          .maximum = 1024.0,
          .unit = "px",
          .help = STRATA_TEXT("layers", "Height and width of the pooling window"),
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
          .help = isPooling ? STRATA_TEXT("layers",
                                          "Step size of the pooling window; by default pool_size")
                            : STRATA_TEXT("layers", "Step size of the convolution window"),
          .title = STRATA_TEXT("layers", "Strides")};
}

FieldSchema paddingField() {
  return {.name = "padding",
          .type = FieldType::Choice,
          .defaultJson = "\"valid\"",
          .choices = {"valid", "same"},
          .help = STRATA_TEXT(
              "layers", "valid: no padding; same: padding that keeps the size if the stride is 1"),
          .title = STRATA_TEXT("layers", "Padding")};
}

FieldSchema dilationField() {
  return {.name = "dilation_rate",
          .type = FieldType::IntegerPair,
          .defaultJson = "[1, 1]",
          .minimum = 1.0,
          .maximum = 1024.0,
          .unit = "px",
          .help = STRATA_TEXT(
              "layers", "Spacing between the elements of the filter; 1 is an ordinary convolution"),
          .title = STRATA_TEXT("layers", "Dilation rate")};
}

FieldSchema sequenceKernelField() {
  FieldSchema field{.name = "kernel_size",
                    .type = FieldType::IntegerOrList,
                    .exampleJson = "3",
                    .minimum = 1.0,
                    .maximum = 65536.0,
                    .count = 1};
  field.unit = STRATA_TEXT("argument", "steps").source;
  field.help = STRATA_TEXT("layers", "Length of the convolution window");
  field.title = STRATA_TEXT("layers", "Kernel size");
  return field;
}

FieldSchema sequencePoolField() {
  FieldSchema field = sequenceKernelField();
  field.name = "pool_size";
  field.defaultJson = "2";
  field.exampleJson.clear();
  field.help = STRATA_TEXT("layers", "Length of the pooling window");
  field.title = STRATA_TEXT("layers", "Pool size");
  return field;
}

FieldSchema sequenceStridesField(const char* defaultJson) {
  FieldSchema field = stridesField(defaultJson);
  field.type = FieldType::IntegerOrList;
  field.count = 1;
  field.maximum = 65536.0;
  field.unit = STRATA_TEXT("argument", "steps").source;
  return field;
}

FieldSchema sequencePaddingField(bool hasCausal) {
  FieldSchema field = paddingField();
  if (!hasCausal) return field;
  field.choices.push_back("causal");
  field.help = STRATA_TEXT("layers",
                           "valid: no padding; same: zero padding at both ends; causal: zero "
                           "padding only at the start, so that no time step depends on later ones");
  return field;
}

FieldSchema sequenceDilationField() {
  FieldSchema field = dilationField();
  field.type = FieldType::IntegerOrList;
  field.defaultJson = "1";
  field.count = 1;
  field.maximum = 65536.0;
  field.unit = STRATA_TEXT("argument", "steps").source;
  return field;
}

namespace {

FieldSchema volumeField(const char* name, const char* defaultJson, Text help, Text title) {
  FieldSchema field{.name = name,
                    .type = FieldType::IntegerOrList,
                    .defaultJson = defaultJson,
                    .minimum = 1.0,
                    .maximum = 1024.0};
  field.isNullable = field.defaultJson == "null";
  field.count = 3;
  field.help = help;
  field.title = title;
  return field;
}

}  // namespace

FieldSchema volumePoolField() {
  return volumeField("pool_size", "[2, 2, 2]",
                     STRATA_TEXT("layers", "Depth, height and width of the pooling window"),
                     STRATA_TEXT("layers", "Pool size"));
}

FieldSchema volumeStridesField(const char* defaultJson) {
  return volumeField("strides", defaultJson, stridesField(defaultJson).help,
                     STRATA_TEXT("layers", "Strides"));
}

FieldSchema volumeDilationField() {
  return volumeField("dilation_rate", "[1, 1, 1]", dilationField().help,
                     STRATA_TEXT("layers", "Dilation rate"));
}

FieldSchema volumeKernelField() {
  FieldSchema field = volumeField(
      "kernel_size", "", STRATA_TEXT("layers", "Depth, height and width of the convolution window"),
      STRATA_TEXT("layers", "Kernel size"));
  field.exampleJson = "[3, 3, 3]";
  return field;
}

FieldSchema depthMultiplierField() {
  return {.name = "depth_multiplier",
          .type = FieldType::Integer,
          .defaultJson = "1",
          .minimum = 1.0,
          .maximum = 1e4,
          .help = STRATA_TEXT("layers", "Number of depthwise filters per input channel"),
          .title = STRATA_TEXT("layers", "Depth multiplier")};
}

FieldSchema rateField(const char* exampleJson, Text help) {
  return {.name = "rate",
          .type = FieldType::Number,
          .exampleJson = exampleJson,
          .minimum = 0.0,
          .maximum = 1.0,
          .isMaximumExclusive = true,
          .isLive = true,
          .help = help,
          .title = STRATA_TEXT("layers", "Rate")};
}

FieldSchema seedField() {
  return {.name = "seed",
          .type = FieldType::Integer,
          .defaultJson = "null",
          .minimum = 0.0,
          .maximum = 9007199254740992.0,
          .isNullable = true,
          .help = STRATA_TEXT("layers", "Random seed; by default the project's seed"),
          .title = STRATA_TEXT("layers", "Seed")};
}

FieldSchema filtersField() {
  return {
      .name = "filters",
      .type = FieldType::Integer,
      .exampleJson = "32",
      .minimum = 1.0,
      .maximum = 1e6,
      .help = STRATA_TEXT("layers", "Number of filters, which is the number of output channels"),
      .title = STRATA_TEXT("layers", "Filters")};
}

FieldSchema groupsField() {
  return {
      .name = "groups",
      .type = FieldType::Integer,
      .defaultJson = "1",
      .minimum = 1.0,
      .maximum = 1e6,
      .help = STRATA_TEXT(
          "layers",
          "Number of groups that the channels are split into; each group is convolved separately"),
      .title = STRATA_TEXT("layers", "Groups")};
}

FieldSchema epsilonField(const char* defaultJson, Text help) {
  return {.name = "epsilon",
          .type = FieldType::Number,
          .defaultJson = defaultJson,
          .minimum = 0.0,
          .maximum = 1.0,
          .isMinimumExclusive = true,
          .help = help,
          .title = STRATA_TEXT("layers", "Epsilon")};
}

FieldSchema centerField() {
  return switchField("center", "true", STRATA_TEXT("layers", "Add the learned offset beta"),
                     STRATA_TEXT("layers", "Center"));
}

FieldSchema scaleField() {
  return switchField("scale", "true", STRATA_TEXT("layers", "Multiply by the learned scale gamma"),
                     STRATA_TEXT("layers", "Scale"));
}

FieldSchema outputSizeField(const char* name, const char* exampleJson, Text help, Text title) {
  return {.name = name,
          .type = FieldType::Integer,
          .exampleJson = exampleJson,
          .minimum = 1.0,
          .maximum = 65536.0,
          .unit = "px",
          .help = help,
          .title = title};
}

FieldSchema keepDimsField() {
  return switchField("keepdims", "false",
                     STRATA_TEXT("layers", "Keep the reduced dimensions with size 1"),
                     STRATA_TEXT("layers", "Keep dimensions"));
}

FieldSchema axisField(const char* defaultJson, bool isList, Text help) {
  return {.name = "axis",
          .type = isList ? FieldType::IntegerOrList : FieldType::Integer,
          .defaultJson = defaultJson,
          .minimum = -7.0,
          .maximum = 7.0,
          .help = help,
          .title = STRATA_TEXT("layers", "Axis")};
}

std::vector<int64_t> severalOf(const LayerContext& context, std::string_view field, int count) {
  const Json& value = context.fields.at(std::string(field));
  if (value.is_array()) return value.get<std::vector<int64_t>>();
  return std::vector<int64_t>(static_cast<size_t>(count), value.get<int64_t>());
}

std::vector<int64_t> axesOf(const LayerContext& context, std::string_view field, bool mayRepeat) {
  const Json& value = context.fields.at(std::string(field));
  std::vector<int64_t> axes = value.is_array() ? value.get<std::vector<int64_t>>()
                                               : std::vector<int64_t>{value.get<int64_t>()};
  const int rank = context.inputShape().rank();
  if (rank < 2) context.requireRank(2);
  for (int64_t& axis : axes) {
    const int64_t given = axis;
    if (axis < 0) axis += rank;
    if (axis < 1 || axis >= rank)
      context.fail(
          "out_of_range", std::string(field),
          STRATA_TEXT("problem",
                      "%1 is %2 (expected 1 to %3, or -1 for the last dimension). Set it to -1."),
          {std::string(field), std::to_string(given), std::to_string(rank - 1)},
          {context.setFieldFix(std::string(field), "-1")});
  }
  std::sort(axes.begin(), axes.end());
  if (mayRepeat) axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  if (const auto twice = std::adjacent_find(axes.begin(), axes.end()); twice != axes.end())
    context.fail("out_of_range", std::string(field),
                 STRATA_TEXT("problem",
                             "%1 lists dimension %2 twice (expected each dimension once, got %3). "
                             "Remove one of them."),
                 {std::string(field), std::to_string(*twice), value.dump()});
  return axes;
}

std::vector<std::pair<int64_t, int64_t>> marginsOf(const LayerContext& context,
                                                   std::string_view field) {
  std::vector<std::pair<int64_t, int64_t>> result;
  for (const Json& pair : context.fields.at(std::string(field)))
    result.emplace_back(pair[0].get<int64_t>(), pair[1].get<int64_t>());
  return result;
}

ValueId asImage(Graph& g, ValueId sequence) {
  const Shape shape = g.shape(sequence);
  return reshape(g, sequence, {shape[0], 1, shape[1], shape[2]});
}

ValueId asSequence(Graph& g, ValueId image) {
  const Shape shape = g.shape(image);
  return reshape(g, image, {shape[0], shape[2], shape[3]});
}

Window2D sequenceWindow(const LayerContext& context, int64_t window, int64_t stride,
                        int64_t dilation) {
  context.requireRank(3);
  Window2D result;
  result.strides = {1, stride};
  result.dilation = {1, dilation};
  const std::string padding = context.string("padding");
  const int64_t size = context.inputShape()[1], span = (window - 1) * dilation + 1;
  if (padding == "causal") {
    result.paddingBefore[1] = span - 1;
  }
  else if (padding == "same") {
    const int64_t cells =
        std::max<int64_t>(0, ((size + stride - 1) / stride - 1) * stride + span - size);
    result.paddingBefore[1] = cells / 2;
    result.paddingAfter[1] = cells - cells / 2;
  }
  else if (span > size) {
    context.fail(
        "shape_mismatch", context.fields.contains("kernel_size") ? "kernel_size" : "pool_size",
        STRATA_TEXT(
            "problem",
            "a window of %1 steps does not fit into a sequence of %2 steps (expected a window no "
            "longer than the sequence). Make the window shorter, or set padding to same."),
        {std::to_string(span), std::to_string(size)}, {context.setFieldFix("padding", "\"same\"")});
  }
  return result;
}

Window2D imageWindow(const LayerContext& context, const std::vector<int64_t>& window,
                     const std::vector<int64_t>& strides, const std::vector<int64_t>& dilation) {
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
    }
    else if (span > size) {
      context.fail(
          "shape_mismatch", context.fields.contains("kernel_size") ? "kernel_size" : "pool_size",
          STRATA_TEXT("problem",
                      "a window of %1 does not fit into an image of %2 (expected a window no "
                      "larger than the image). Make the window smaller, or set padding to same."),
          {std::to_string((window[0] - 1) * dilation[0] + 1) + " x " +
               std::to_string((window[1] - 1) * dilation[1] + 1),
           std::to_string(context.inputShape()[1]) + " x " +
               std::to_string(context.inputShape()[2])},
          {context.setFieldFix("padding", "\"same\"")});
    }
  }
  return result;
}

}  // namespace strata
