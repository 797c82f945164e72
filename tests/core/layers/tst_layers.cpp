// SPDX-License-Identifier: Apache-2.0
// Walks the registry: each layer has a row here with its output shape and number of weights.
#include <doctest/doctest.h>

#include <set>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/layers/fields.h"
#include "core/layers/objects.h"
#include "core/model/model.h"
#include "gpu/base/nearest_name.h"

using namespace strata;

namespace {

struct LayerRow {
  const char* type;
  const char* fields;
  // Without the batch.
  Shape input, output;
  int64_t parameters;
  // For a batch of 2
  double multiplyAdds = 0;
};

// The test row of "add a layer": one line.
const std::vector<LayerRow> kRows = {
    {"Input", R"({"shape": [3, 4]})", {}, {3, 4}, 0},
    {"Dense", R"({"units": 5})", {7}, {5}, 40, 2 * 7 * 5},
    {"Dense", R"({"units": 5, "use_bias": false})", {3, 7}, {3, 5}, 35, 2 * 3 * 7 * 5},
    {"Conv2D",
     R"({"filters": 8, "kernel_size": 3})",
     {9, 8, 4},
     {7, 6, 8},
     3 * 3 * 4 * 8 + 8,
     2.0 * 7 * 6 * 8 * 36},
    {"Conv2D",
     R"({"filters": 8, "kernel_size": [1, 5], "strides": [1, 2], "padding": "same", "groups": 2})",
     {5, 11, 4},
     {5, 6, 8},
     5 * 2 * 8 + 8,
     2.0 * 5 * 6 * 8 * 10},
    {"DepthwiseConv2D",
     R"({"kernel_size": 3, "depth_multiplier": 2})",
     {6, 6, 3},
     {4, 4, 6},
     60,
     2.0 * 4 * 4 * 6 * 9},
    {"MaxPooling2D", "{}", {5, 7, 2}, {2, 3, 2}, 0},
    {"MaxPooling2D",
     R"({"pool_size": 3, "strides": 2, "padding": "same"})",
     {8, 9, 3},
     {4, 5, 3},
     0},
    {"AveragePooling2D", R"({"pool_size": [3, 3], "strides": [2, 2]})", {8, 9, 3}, {3, 4, 3}, 0},
    {"GlobalAveragePooling2D", "{}", {5, 4, 3}, {3}, 0},
    {"GlobalAveragePooling2D", R"({"keepdims": true})", {5, 4, 3}, {1, 1, 3}, 0},
    {"Flatten", "{}", {3, 4, 2}, {24}, 0},
    {"Reshape", R"({"target_shape": [4, -1]})", {2, 6}, {4, 3}, 0},
    {"Dropout", R"({"rate": 0.5})", {9}, {9}, 0},
    {"BatchNormalization", "{}", {5, 4, 3}, {5, 4, 3}, 12},
    {"BatchNormalization", R"({"scale": false, "axis": 1})", {5, 4, 3}, {5, 4, 3}, 15},
    {"Activation", R"({"activation": "gelu"})", {11}, {11}, 0},
    {"Add", "{}", {4, 5}, {4, 5}, 0},
    {"Multiply", "{}", {4, 5}, {4, 5}, 0},
    {"Concatenate", "{}", {4, 5}, {4, 10}, 0},
    {"Concatenate", R"({"axis": 1})", {4, 5}, {8, 5}, 0},
    {"Rescaling", R"({"scale": 0.5})", {4, 3}, {4, 3}, 0},
    {"Conv1D",
     R"({"filters": 8, "kernel_size": 3})",
     {9, 4},
     {7, 8},
     3 * 4 * 8 + 8,
     2.0 * 7 * 8 * 12},
    {"Conv1D",
     R"({"filters": 8, "kernel_size": [3], "padding": "causal", "strides": 2, "groups": 2})",
     {9, 4},
     {5, 8},
     56,
     2.0 * 5 * 8 * 6},
    {"Conv1DTranspose",
     R"({"filters": 5, "kernel_size": 3, "strides": 2})",
     {4, 3},
     {9, 5},
     3 * 3 * 5 + 5,
     2.0 * 4 * 3 * 15},
    {"Conv1DTranspose",
     R"({"filters": 5, "kernel_size": 3, "strides": 2, "padding": "same", "output_padding": 1})",
     {4, 3},
     {8, 5},
     50,
     2.0 * 4 * 3 * 15},
    {"Conv2DTranspose",
     R"({"filters": 5, "kernel_size": 3, "strides": 2, "padding": "same"})",
     {4, 3, 2},
     {8, 6, 5},
     95,
     2.0 * 12 * 2 * 45},
    {"DepthwiseConv1D",
     R"({"kernel_size": 3, "depth_multiplier": 2})",
     {6, 3},
     {4, 6},
     24,
     2.0 * 4 * 6 * 3},
    {"SeparableConv1D",
     R"({"filters": 5, "kernel_size": 3})",
     {6, 3},
     {4, 5},
     9 + 15 + 5,
     2.0 * (4 * 3 * 3 + 4 * 15)},
    {"SeparableConv2D",
     R"({"filters": 5, "kernel_size": 3, "padding": "same"})",
     {6, 6, 3},
     {6, 6, 5},
     27 + 15 + 5,
     2.0 * 36 * (27 + 15)},
    {"MaxPooling1D", "{}", {7, 2}, {3, 2}, 0},
    {"AveragePooling1D", R"({"pool_size": 3, "strides": 2, "padding": "same"})", {8, 3}, {4, 3}, 0},
    {"GlobalMaxPooling1D", "{}", {5, 3}, {3}, 0},
    {"GlobalMaxPooling2D", R"({"keepdims": true})", {5, 4, 3}, {1, 1, 3}, 0},
    {"GlobalMaxPooling3D", "{}", {5, 4, 2, 3}, {3}, 0},
    {"GlobalAveragePooling1D", R"({"keepdims": true})", {5, 3}, {1, 3}, 0},
    {"GlobalAveragePooling3D", "{}", {5, 4, 2, 3}, {3}, 0},
    {"Permute", R"({"dims": [2, 3, 1]})", {2, 3, 4}, {3, 4, 2}, 0},
    {"RepeatVector", R"({"n": 3})", {4}, {3, 4}, 0},
    {"ZeroPadding1D", R"({"padding": [2, 1]})", {4, 3}, {7, 3}, 0},
    {"ZeroPadding2D", R"({"padding": [[1, 0], [2, 3]]})", {3, 4, 2}, {4, 9, 2}, 0},
    {"ZeroPadding2D", R"({"padding": [1, 2]})", {3, 4, 2}, {5, 8, 2}, 0},
    {"ZeroPadding3D", "{}", {3, 4, 2, 1}, {5, 6, 4, 1}, 0},
    {"Cropping1D", "{}", {4, 3}, {2, 3}, 0},
    {"Cropping2D", R"({"cropping": [[1, 2], [0, 1]]})", {6, 5, 2}, {3, 4, 2}, 0},
    {"Cropping3D", R"({"cropping": 1})", {3, 4, 5, 1}, {1, 2, 3, 1}, 0},
    {"UpSampling1D", "{}", {4, 3}, {8, 3}, 0},
    {"UpSampling2D", R"({"size": [2, 3]})", {3, 4, 2}, {6, 12, 2}, 0},
    {"UpSampling2D",
     R"({"interpolation": "bilinear"})",
     {3, 4, 2},
     {6, 8, 2},
     0,
     2.0 * (8 * 3 * 6 + 12 * 4 * 8)},
    {"UpSampling3D", R"({"size": 2})", {1, 2, 3, 2}, {2, 4, 6, 2}, 0},
    {"PixelShuffle", R"({"upscale_factor": 2})", {3, 4, 8}, {6, 8, 2}, 0},
    {"SpatialDropout1D", R"({"rate": 0.5})", {4, 3}, {4, 3}, 0},
    {"SpatialDropout2D", R"({"rate": 0.5})", {4, 3, 2}, {4, 3, 2}, 0},
    {"SpatialDropout3D", R"({"rate": 0.5})", {4, 3, 2, 2}, {4, 3, 2, 2}, 0},
    {"LayerNormalization", "{}", {5, 8}, {5, 8}, 16},
    {"LayerNormalization", R"({"axis": [1, 2], "center": false})", {4, 6}, {4, 6}, 24},
    {"GroupNormalization", R"({"groups": 2})", {4, 4, 6}, {4, 4, 6}, 12},
    {"GroupNormalization", R"({"groups": -1, "axis": 1})", {4, 6}, {4, 6}, 8},
    {"RMSNormalization", "{}", {5, 8}, {5, 8}, 8},
    {"UnitNormalization", "{}", {7}, {7}, 0},
    {"ReLU", R"({"max_value": 1.0, "negative_slope": 0.1, "threshold": 0.2})", {13}, {13}, 0},
    {"LeakyReLU", "{}", {13}, {13}, 0},
    {"PReLU", "{}", {4, 3}, {4, 3}, 12},
    {"PReLU", R"({"shared_axes": [1, 2]})", {4, 4, 3}, {4, 4, 3}, 3},
    {"ELU", "{}", {13}, {13}, 0},
    {"Softmax", R"({"axis": [1, 2]})", {4, 6}, {4, 6}, 0},
    {"Subtract", "{}", {4, 5}, {4, 5}, 0},
    {"Average", "{}", {4, 5}, {4, 5}, 0},
    {"Maximum", "{}", {4, 5}, {4, 5}, 0},
    {"Minimum", "{}", {4, 5}, {4, 5}, 0},
    {"Dot", R"({"axes": -1})", {6}, {1}, 0, 2 * 6},
    {"Dot", R"({"axes": [1, 1], "normalize": true})", {4, 5}, {5, 5}, 0, 2 * 4 * 25},
    {"Normalization", R"({"mean": [1, 2, 3], "variance": [1, 4, 9]})", {5, 3}, {5, 3}, 0},
    {"Resizing",
     R"({"height": 8, "width": 8})",
     {4, 4, 2},
     {8, 8, 2},
     0,
     2.0 * (8 * 4 * 8 + 16 * 4 * 8)},
    {"Conv3D",
     R"({"filters": 3, "kernel_size": [2, 3, 3]})",
     {4, 6, 5, 2},
     {3, 4, 3, 3},
     111,
     2.0 * 3 * 4 * 3 * 3 * 36},
    {"Conv3D",
     R"({"filters": 4, "kernel_size": 3, "strides": 2, "padding": "same", "groups": 2, "use_bias": false})",
     {5, 6, 4, 2},
     {3, 3, 2, 4},
     108,
     2.0 * 3 * 3 * 2 * 4 * 27},
    {"MaxPooling3D", "{}", {4, 5, 6, 2}, {2, 2, 3, 2}, 0},
    {"AveragePooling3D",
     R"({"pool_size": 3, "strides": 2, "padding": "same"})",
     {4, 5, 6, 2},
     {2, 3, 3, 2},
     0},
    {"AlphaDropout", R"({"rate": 0.5})", {9}, {9}, 0},
    {"CenterCrop", R"({"height": 4, "width": 3})", {7, 6, 2}, {4, 3, 2}, 0},
    {"CenterCrop",
     R"({"height": 4, "width": 3})",
     {1, 1, 2},
     {4, 3, 2},
     0,
     2.0 * (4 * 2 + 4 * 3 * 2)},
    {"Embedding", R"({"input_dim": 9, "output_dim": 4})", {6}, {6, 4}, 36},
    {"PositionEmbedding", R"({"sequence_length": 8})", {6, 4}, {6, 4}, 32},
    {"SinePositionEncoding", "{}", {6, 4}, {6, 4}, 0},
    {"RotaryEmbedding", "{}", {6, 4}, {6, 4}, 0},
    {"RotaryEmbedding", R"({"scaling_factor": 2})", {6, 3, 4}, {6, 3, 4}, 0},
    {"MultiHeadAttention",
     R"({"num_heads": 2, "key_dim": 4})",
     {5, 6},
     {5, 6},
     3 * 56 + 54,
     2.0 * 5 * (4 * 48) + 2.0 * 2 * 2 * 25 * 4},
    {"GroupQueryAttention",
     R"({"head_dim": 4, "num_query_heads": 4, "num_key_value_heads": 2})",
     {5, 6},
     {5, 6},
     112 + 2 * 56 + 102,
     2.0 * 5 * (2 * 96 + 2 * 48) + 2.0 * 2 * 4 * 25 * 4},
    {"Attention", R"({"use_scale": true})", {5, 6}, {5, 6}, 1, 2.0 * 2 * 25 * 6},
    {"Attention",
     R"({"score_mode": "concat", "use_causal_mask": true})",
     {5, 6},
     {5, 6},
     1,
     2.0 * 25 * 6},
    {"AdditiveAttention", "{}", {5, 6}, {5, 6}, 6, 2.0 * 25 * 6},
    {"SpectralNormalization",
     R"({"layer": {"type": "Dense", "units": 5}})",
     {7},
     {5},
     45,
     2 * 7 * 5},
    {"EinsumDense",
     R"({"equation": "abc,cd->abd", "output_shape": [null, 5], "bias_axes": "d"})",
     {3, 7},
     {3, 5},
     40,
     2 * 3 * 7 * 5},
    {"EinsumDense",
     R"({"equation": "...x,xyz->...yz", "output_shape": [2, 5]})",
     {3, 7},
     {3, 2, 5},
     70,
     2 * 3 * 7 * 10},
    {"Conv3DTranspose",
     R"({"filters": 3, "kernel_size": 2, "strides": 2})",
     {2, 3, 2, 2},
     {4, 6, 4, 3},
     51,
     2.0 * 12 * 2 * 24},
    {"AdaptiveMaxPooling1D", R"({"output_size": 3})", {7, 2}, {3, 2}, 0},
    {"AdaptiveMaxPooling2D", R"({"output_size": [2, 3]})", {5, 7, 2}, {2, 3, 2}, 0},
    {"AdaptiveMaxPooling3D", R"({"output_size": 2})", {4, 5, 3, 1}, {2, 2, 2, 1}, 0},
    {"AdaptiveAveragePooling1D", R"({"output_size": 3})", {6, 2}, {3, 2}, 0},
    {"AdaptiveAveragePooling2D",
     R"({"output_size": [2, 3]})",
     {5, 6, 2},
     {2, 3, 2},
     0,
     2.0 * (12 * 5 * 2 + 4 * 6 * 3)},
    {"AdaptiveAveragePooling3D",
     R"({"output_size": 2})",
     {4, 4, 4, 1},
     {2, 2, 2, 1},
     0,
     2.0 * (16 + 8 + 4) * 4 * 2},
    {"Masking", "{}", {4, 3}, {4, 3}, 0},
    {"GaussianNoise", R"({"stddev": 0.5})", {9}, {9}, 0},
    {"GaussianDropout", R"({"rate": 0.5})", {9}, {9}, 0},
    {"ActivityRegularization", R"({"l1": 0.1, "l2": 0.1})", {9}, {9}, 0},
    {"Normalization", "{}", {5, 3}, {5, 3}, 6},
    {"Discretization", R"({"bin_boundaries": [0, 1]})", {4}, {4}, 0},
    {"Discretization", R"({"num_bins": 4, "output_mode": "one_hot"})", {5}, {5, 4}, 3},
    {"CategoryEncoding", R"({"num_tokens": 5})", {3}, {5}, 0},
    {"CategoryEncoding", R"({"num_tokens": 5, "output_mode": "one_hot"})", {3}, {3, 5}, 0},
    {"RandomFlip", "{}", {4, 5, 3}, {4, 5, 3}, 0},
    {"RandomRotation", R"({"factor": 0.1})", {4, 5, 3}, {4, 5, 3}, 0},
    {"RandomZoom", R"({"height_factor": [-0.1, 0.2]})", {4, 5, 3}, {4, 5, 3}, 0},
    {"RandomTranslation",
     R"({"height_factor": 0.1, "width_factor": 0.2})",
     {4, 5, 3},
     {4, 5, 3},
     0},
    {"RandomCrop",
     R"({"height": 3, "width": 4})",
     {6, 8, 3},
     {3, 4, 3},
     0,
     2.0 * (24 * 6 * 3 + 9 * 8 * 4)},
    {"RandomContrast", R"({"factor": 0.1})", {4, 5, 3}, {4, 5, 3}, 0},
    {"RandomBrightness", R"({"factor": 0.1})", {4, 5, 3}, {4, 5, 3}, 0},
    {"RandomErasing", "{}", {4, 5, 3}, {4, 5, 3}, 0},
    {"Expression",
     R"_({"formula": "x * sigmoid(a * x) + b", "parameters": ["a", "b"], "per_channel": true})_",
     {4, 3},
     {4, 3},
     6},
    {"SimpleRNN", R"({"units": 4})", {5, 3}, {4}, 3 * 4 + 4 * 4 + 4, 2.0 * 5 * (12 + 16)},
    {"SimpleRNN",
     R"({"units": 4, "return_sequences": true, "go_backwards": true})",
     {5, 3},
     {5, 4},
     32,
     2.0 * 5 * (12 + 16)},
    {"GRU", R"({"units": 4})", {5, 3}, {4}, 3 * 12 + 4 * 12 + 24, 2.0 * 5 * (36 + 48)},
    {"GRU",
     R"({"units": 4, "reset_after": false, "use_bias": false})",
     {5, 3},
     {4},
     84,
     2.0 * 5 * (36 + 48)},
    {"LSTM",
     R"({"units": 4, "return_sequences": true})",
     {5, 3},
     {5, 4},
     3 * 16 + 4 * 16 + 16,
     2.0 * 5 * (48 + 64)},
    {"ConvLSTM2D",
     R"({"filters": 2, "kernel_size": 3, "padding": "same", "return_sequences": true})",
     {3, 4, 5, 1},
     {3, 4, 5, 2},
     9 * 8 + 9 * 16 + 8,
     2.0 * 20 * (3 * 9 * 8 + 2 * 18 * 8)},
    {"Bidirectional",
     R"({"layer": {"type": "LSTM", "units": 4}})",
     {5, 3},
     {8},
     2 * 128,
     2.0 * 2 * 5 * (48 + 64)},
    {"Bidirectional",
     R"({"layer": {"type": "GRU", "units": 4, "return_sequences": true}, "merge_mode": "ave"})",
     {5, 3},
     {5, 4},
     2 * 108,
     2.0 * 2 * 5 * (36 + 48)},
    {"TimeDistributed",
     R"({"layer": {"type": "Dense", "units": 7}})",
     {5, 3},
     {5, 7},
     28,
     2.0 * 5 * 21},
    {"TimeDistributed",
     R"({"layer": {"type": "Conv2D", "filters": 2, "kernel_size": 3}})",
     {4, 5, 5, 1},
     {4, 3, 3, 2},
     20,
     2.0 * 4 * 9 * 18},
    {"Block",
     R"({"repeat": 3, "layers": [{"type": "Dense", "name": "d", "units": 7}]})",
     {7},
     {7},
     3 * 56,
     3 * 2 * 7 * 7},
};

Json shapeJson(const Shape& shape) {
  Json result = Json::array();
  for (const int64_t size : shape.dims())
    result.push_back(size);
  return result;
}

Project projectOf(const Json& layers) {
  return Project(
      Json{{"format", "strata-project"}, {"version", 1}, {"model", {{"layers", layers}}}});
}

/// A project with a row's layer, whose inputs all come from one Input.
Json layersOf(const LayerRow& row, const Json& shape) {
  const LayerDef* definition = findLayer(row.type);
  Json layer = Json::parse(row.fields);
  layer["type"] = row.type;
  layer["name"] = "own";
  for (int i = 0; i < std::max(1, definition->minInputs); ++i)
    layer["inputs"].push_back("x");
  return Json::array({{{"type", "Input"}, {"name", "x"}, {"shape", shape}}, layer});
}

/// The fields of the errors about the layer. Each error must say what is expected, and also the
/// actual value if there is one.
std::set<std::string> fieldsInError(const Json& layers, bool saysGot) {
  std::set<std::string> fields;
  for (const Diagnostic& each : validate(projectOf(layers))) {
    if (each.severity != Severity::Error || each.layer.substr(0, 3) != "own") continue;
    const std::string text = formatText(each.message, each.arguments);
    CAPTURE(text);
    CHECK(text.find("expected") != std::string::npos);
    if (saysGot) CHECK(text.find("got") != std::string::npos);
    fields.insert(each.field.substr(each.field.rfind('/') + 1));
  }
  return fields;
}

/// A value of a type that the field does not accept.
Json wrongValue(const FieldSchema& field) {
  switch (field.type) {
    case FieldType::Integer:
    case FieldType::Number: return "three";
    case FieldType::Boolean: return "yes";
    case FieldType::String: return 7;
    case FieldType::Choice: return "no such choice";
    case FieldType::Object: return 7.5;
    default: return Json{{"nonsense", 1}};
  }
}

}  // namespace

TEST_SUITE("layers") {
  TEST_CASE(
      "every layer: wrong types, values out of range, missing inputs and other ranks are errors "
      "that name layer, field and what is "
      "expected") {
    for (const LayerRow& row : kRows) {
      const std::string type = row.type;
      CAPTURE(type);
      if (type == "Input") continue;
      const Json good = layersOf(row, shapeJson(row.input));
      REQUIRE(fieldsInError(good, false).empty());
      for (const FieldSchema& field : findLayer(type)->schema.fields) {
        CAPTURE(field.name);
        const auto with = [&](const Json& value) {
          Json layers = good;
          layers[1][field.name] = value;
          return fieldsInError(layers, true);
        };
        if (field.name != "layers") CHECK(with(wrongValue(field)).contains(field.name));
        const bool isWhole = field.type == FieldType::Integer;
        if (!isWhole && field.type != FieldType::Number) continue;
        if (field.minimum)
          CHECK(with(isWhole ? Json(static_cast<int64_t>(*field.minimum) - 1)
                             : Json(*field.minimum - 1))
                    .contains(field.name));
        if (field.maximum && *field.maximum < 1e15)
          CHECK(with(isWhole ? Json(static_cast<int64_t>(*field.maximum) + 1)
                             : Json(*field.maximum * 2 + 1))
                    .contains(field.name));
      }
      Json lonely = good, lost = good;
      lonely[1]["inputs"] = Json::array();
      lost[1]["inputs"] = Json::array({"nothing"});
      CHECK_FALSE(fieldsInError(lonely, false).empty());
      CHECK_FALSE(fieldsInError(lost, false).empty());
      // For any input shape there is one error or none.
      for (const int64_t size : {0, 1, 2, 40}) {
        Json ones = Json::array(), more = shapeJson(row.input), fewer = more;
        for (int i = 0; i < row.input.rank(); ++i)
          ones.push_back(size);
        more.push_back(size);
        if (!fewer.empty()) fewer.erase(fewer.size() - 1);
        for (const Json& shape : {ones, more, fewer})
          fieldsInError(layersOf(row, shape), false);
      }
    }
  }

  TEST_CASE("every layer of the registry: row, help, schema") {
    std::set<std::string> rows, seen;
    for (const auto& row : kRows)
      rows.insert(row.type);
    for (const LayerDef* definition : allLayers()) {
      const Schema& schema = definition->schema;
      CAPTURE(schema.type);
      CHECK(rows.contains(schema.type));
      CHECK(seen.insert(schema.type).second);
      CHECK(findLayer(schema.type) == definition);
      CHECK_FALSE(schema.help.isEmpty());
      CHECK_FALSE(schema.group.empty());
      CHECK_FALSE(schema.formula.empty());
      CHECK_FALSE(schema.source.empty());
      CHECK(static_cast<bool>(definition->lower));
      CHECK(static_cast<int>(definition->ports.size()) >= definition->minInputs);
      std::set<std::string> names;
      for (const auto& field : schema.fields) {
        CAPTURE(field.name);
        CHECK(names.insert(field.name).second);
        CHECK_FALSE(field.help.isEmpty());
        CHECK_FALSE(field.title.isEmpty());
        CHECK((field.type != FieldType::Choice || !field.choices.empty()));
        CHECK((field.type != FieldType::Object || !objectsOf(field).empty()));
        CHECK((field.type != FieldType::Integer ||
               (field.minimum && (field.maximum || field.isNullable))));
        // Default and example must pass the field's own check, and a new layer must have its
        // initial fields.
        for (const std::string& json : {field.defaultJson, field.exampleJson}) {
          if (json.empty()) continue;
          Diagnostics diagnostics;
          checkField(field, Json::parse(json), "/f", "layer", diagnostics);
          CHECK(diagnostics.empty());
        }
        CHECK_FALSE((field.defaultJson.empty() && field.exampleJson.empty()));
      }
      CHECK(names.contains("trainable"));
      CHECK(names.contains("device"));
      CHECK(schemaToJson(schema)["fields"].size() == schema.fields.size());
    }
  }

  TEST_CASE("rows") {
    for (const auto& row : kRows) {
      CAPTURE(row.type);
      CAPTURE(row.fields);
      const LayerDef* definition = findLayer(row.type);
      REQUIRE(definition != nullptr);
      Json layer = {{"type", row.type}, {"name", "layer"}};
      const Json fields = Json::parse(row.fields);
      for (const auto& [key, value] : fields.items())
        layer[key] = value;
      Json layers = Json::array();
      if (definition->minInputs > 0)
        layers.push_back({{"type", "Input"}, {"name", "x"}, {"shape", shapeJson(row.input)}});
      if (definition->minInputs > 1) layer["inputs"] = Json::array({"x", "x"});
      layers.push_back(layer);
      Diagnostics diagnostics;
      const Project project = projectOf(layers);
      const Model model = parseModel(project, diagnostics);
      const ModelSummary summary = summarizeModel(model, project, 2, diagnostics);
      for (const auto& each : diagnostics)
        MESSAGE(each.line());
      CHECK(diagnostics.empty());
      const LayerSummary& last = summary.layers.back();
      REQUIRE(last.isKnown);
      CHECK(last.outputShape->toString() == row.output.toString());
      CHECK(last.parameters == row.parameters);
      CHECK(last.multiplyAdds == row.multiplyAdds);
    }
  }

  TEST_CASE("SpectralNormalization offers the layers that have a kernel") {
    const std::vector<const Schema*> offered =
        schemasOf(*findLayer("SpectralNormalization")->schema.field("layer"));
    for (const Schema* schema : wrappableSchemas()) {
      if (findLayer(schema->type)->minInputs > 1) continue;
      const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const LayerRow& each) {
        return each.type == schema->type;
      });
      REQUIRE(row != std::end(kRows));
      CAPTURE(schema->type);
      Json inner = Json::parse(row->fields);
      inner["type"] = row->type;
      Json layers = layersOf(*row, shapeJson(row->input));
      layers[1] = {{"type", "SpectralNormalization"},
                   {"name", "own"},
                   {"layer", inner},
                   {"inputs", layers[1]["inputs"]}};
      const bool isTaken = fieldsInError(layers, false).empty(),
                 isOffered = std::find(offered.begin(), offered.end(), schema) != offered.end();
      CHECK(isTaken == isOffered);
    }
  }

  TEST_CASE("an equation with spaces is refused, as by Keras") {
    Diagnostics diagnostics;
    const Project project = projectOf(Json::parse(R"([{"type": "Input", "name": "x", "shape": [3]},
      {"type": "EinsumDense", "name": "own", "equation": "ab, bc -> ac", "output_shape": 2}])"));
    summarizeModel(parseModel(project, diagnostics), project, 2, diagnostics);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].code == "out_of_range");
    CHECK(diagnostics[0].line().starts_with(
        "own: the equation is \"ab, bc -> ac\" (expected "
        "the form input,weights->output without spaces, such as"));
  }

  TEST_CASE("a Dot whose product has too many dimensions is reported") {
    Diagnostics diagnostics;
    const Project project =
        projectOf(Json::parse(R"([{"type": "Input", "name": "x", "shape": [2, 2, 2, 2, 2]},
      {"type": "Dot", "name": "own", "axes": -1, "inputs": ["x", "x"]}])"));
    summarizeModel(parseModel(project, diagnostics), project, 2, diagnostics);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].code == "shape_mismatch");
    CHECK(diagnostics[0].line() ==
          "own: the output would have 9 dimensions (expected at most 8). Insert a Reshape or "
          "Flatten before this layer.");
  }

  TEST_CASE(
      "axes named twice and boundaries that do not rise are refused where Keras refuses them") {
    struct Row {
      const char *layer, *problem;
    };
    for (const Row& row :
         {Row{R"({"type": "LayerNormalization", "name": "own", "axis": [2, -1]})",
              "own: axis lists dimension 2 twice"},
          Row{R"({"type": "Softmax", "name": "own", "axis": [1, 1]})",
              "own: axis lists dimension 1 twice"},
          Row{R"({"type": "UnitNormalization", "name": "own", "axis": [1, -2]})",
              "own: axis lists dimension 1 twice"},
          Row{R"({"type": "PReLU", "name": "own", "shared_axes": [1, 1]})", ""},
          Row{R"({"type": "Discretization", "name": "own", "bin_boundaries": [0, 1, 1]})", ""},
          Row{R"({"type": "Discretization", "name": "own", "bin_boundaries": [0, 2, 1]})",
              "own: bin_boundaries is [0,2,1] (expected increasing numbers, such as [0, 1, 2]). "
              "Sort "
              "them."}}) {
      CAPTURE(row.layer);
      Diagnostics diagnostics;
      const Project project =
          projectOf(Json::array({Json::parse(R"({"type": "Input", "name": "x", "shape": [3, 4]})"),
                                 Json::parse(row.layer)}));
      summarizeModel(parseModel(project, diagnostics), project, 2, diagnostics);
      if (*row.problem == '\0') {
        CHECK(diagnostics.empty());
        continue;
      }
      REQUIRE(diagnostics.size() == 1);
      CHECK(diagnostics[0].code == "out_of_range");
      CHECK(diagnostics[0].line().starts_with(row.problem));
    }
  }

  TEST_CASE("variables have Keras's names, fans and regularizers") {
    Graph graph;
    const Json shape = Json::parse(
        R"({"shape": [9, 8, 4], "dtype": "float32", "trainable": true, "learning_rate_factor": 1.0})");
    const LoweredLayer image = lowerLayer(graph, {*findLayer("Input"), "image", shape, {}, {}});
    Diagnostics diagnostics;
    const Json fields = checkFields(
        findLayer("Conv2D")->schema,
        Json::parse(
            R"({"filters": 6, "kernel_size": [3, 5], "kernel_regularizer": {"type": "l2", "factor": 0.02}, "bias_initializer": "ones", "learning_rate_factor": 0.5})"),
        "/l", "conv", diagnostics);
    CHECK(diagnostics.empty());
    const LoweredLayer conv =
        lowerLayer(graph, {*findLayer("Conv2D"), "conv", fields, {image.value}, {"image"}});
    REQUIRE(conv.variables.size() == 2);
    CHECK(conv.variables[0].name == "conv/kernel");
    CHECK(conv.variables[0].shape.toString() == "[3,5,4,6]");
    CHECK(conv.variables[0].fanIn == 60);
    CHECK(conv.variables[0].fanOut == 90);
    CHECK(conv.variables[0].regularizer.l2 == 0.02);
    CHECK(conv.variables[0].learningRateFactor == 0.5);
    CHECK(conv.variables[0].initializer.type == "glorot_uniform");
    CHECK(conv.variables[1].name == "conv/bias");
    CHECK(conv.variables[1].initializer.type == "ones");
    CHECK(graph.node(graph.value(conv.value).producer).layer == "conv");
  }
}

TEST_SUITE("schema") {
  TEST_CASE("every kind of wrong value, with a fix that works") {
    const Schema& schema = findLayer("Conv2D")->schema;
    const auto problems = [&](const char* json) {
      Diagnostics diagnostics;
      checkFields(schema, Json::parse(json), "/model/layers/0", "c", diagnostics);
      std::string text;
      for (const auto& each : diagnostics)
        text += each.code + " " + each.line() + "\n";
      return text;
    };
    CHECK(
        problems(
            R"({"filters": 4, "kernel_size": 3, "activation": {"type": "leaky_relu", "negative_slope": 0.1}})")
            .empty());
    CHECK(problems(
              R"({"filters": 4, "kernel_size": 3, "activation": null, "kernel_regularizer": "l2"})")
              .empty());
    CHECK(problems(R"({"filters": 0, "kernel_size": 3})") ==
          "out_of_range c: filters is out of range (expected at least 1, got 0). Set it to 1 or "
          "more.\n");
    CHECK(problems(R"({"filters": 2.5, "kernel_size": 3})") ==
          "wrong_type c: filters has the wrong type (expected an integer, got 2.5). Correct it.\n");
    CHECK(
        problems(R"({"filters": "4", "kernel_size": 3})") ==
        "wrong_type c: filters has the wrong type (expected an integer, got \"4\"). Correct it.\n");
    CHECK(problems(R"({"kernel_size": 3})").starts_with("missing_field c: filters is missing"));
    CHECK(problems(R"({"filters": 4, "kernel_size": [3, 3, 3]})")
              .starts_with("wrong_type c: kernel_size has the wrong type (expected an integer or a "
                           "list of two"));
    CHECK(problems(R"({"filters": 4, "kernel_size": [3, 0]})")
              .starts_with("out_of_range c: kernel_size"));
    CHECK(
        problems(R"({"filters": 4, "kernel_size": 3, "padding": "sames"})")
            .starts_with("unknown_choice c: padding has an unknown value (expected one of: valid, "
                         "same, got \"sames\")"));
    CHECK(problems(R"({"filters": 4, "kernel_size": 3, "activation": "rellu"})") ==
          "unknown_type c: there is no activation \"rellu\" (expected a name such as \"relu\"). "
          "Did you mean \"relu\"?\n");
    CHECK(problems(R"({"filters": 4, "kernel_size": 3, "activation": {"kind": 1}})")
              .starts_with("wrong_type c: activation"));
    CHECK(problems(R"({"filters": 4, "kernel_size": 3, "kernel_sise": 3})")
              .starts_with("unknown_field c: kernel_sise is not a field of Conv2D and has no "
                           "effect. Did you mean kernel_size?"));
    CHECK(problems(R"({"filters": 4, "kernel_size": 3, "stride": 3})")
              .find("Did you mean strides?") != std::string::npos);
    // All at once.
    CHECK(problems(R"({"filters": -1, "kernel_size": "x", "padding": 3, "use_bias": 1})").size() >
          200);
  }

  TEST_CASE("nearest names") {
    CHECK(nearestName("Dence", {"Dense", "Dropout"}) == "Dense");
    CHECK(nearestName("MaxPool2D", {"Conv2D", "MaxPooling2D"}) == "MaxPooling2D");
    CHECK(nearestName("tahn", {"tanh_shrink", "tanh"}) == "tanh");
    CHECK(nearestName("conv2d", {"Conv2D", "Dense"}) == "Conv2D");
    // Neighbours swapped: one change
    CHECK(nearestName("ednse", {"Dense", "Dropout"}) == "Dense");
    // This took 13 GB.
    CHECK(nearestName(std::string(100, 'a'), {std::string(size_t{1} << 24, 'b')}).empty());
    CHECK(nearestName("Transformer", {"Dense", "Conv2D"}).empty());
  }
}
