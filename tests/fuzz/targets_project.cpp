// SPDX-License-Identifier: Apache-2.0
// Targets that read projects, JSON texts and fields with formulas.
#include <nlohmann/json.hpp>

#include "core/check/data_stages.h"
#include "core/check/validate.h"
#include "core/data/dataset.h"
#include "core/layers/layer.h"
#include "core/model/model.h"
#include "core/project/json.h"
#include "core/project/project.h"
#include "gpu/base/error.h"
#include "tests/fuzz/target.h"
#include "tests/support/paths.h"

namespace strata::fuzz {

namespace {

constexpr const char* kOfAllKinds =
    R"({"format": "strata-project", "version": 1, "name": "all", "data": {"source": {"type": "random", "samples": 20, "shape": [8, 8, 1], "classes": 3, "seed": 1}, "transforms": [{"type": "standardize"}], "validation_split": 0.2},
 "model": {"layers": [
  {"type": "Input", "name": "image", "shape": [8, 8, 1]},
  {"type": "DepthwiseConv2D", "name": "dw", "kernel_size": 3, "depth_multiplier": 2, "padding": "same", "activation": {"type": "leaky_relu", "negative_slope": 0.1}},
  {"type": "BatchNormalization", "name": "bn", "axis": -1}, {"type": "AveragePooling2D", "name": "ap", "pool_size": 2},
  {"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": [3, 1], "padding": "same", "inputs": ["ap"]},
  {"type": "Add", "name": "sum", "inputs": ["ap", "c"]}, {"type": "Concatenate", "name": "cat", "inputs": ["sum", "c"], "axis": 1},
  {"type": "Block", "name": "block", "repeat": 2, "layers": [{"type": "Dense", "name": "d", "units": 2}, {"type": "LayerNormalization", "name": "n"}]},
  {"type": "Reshape", "name": "r", "target_shape": [16, -1]}, {"type": "Dropout", "name": "drop", "rate": 0.5},
  {"type": "MultiHeadAttention", "name": "att", "num_heads": 2, "key_dim": 2, "inputs": ["drop", "drop"]},
  {"type": "Bidirectional", "name": "bi", "layer": {"type": "LSTM", "units": 3}},
  {"type": "Dense", "name": "out", "units": 3, "kernel_regularizer": {"type": "l2", "factor": 0.001}, "activation": "softmax"}]},
 "training": {"loss": {"type": "sparse_categorical_crossentropy", "ignore_class": 3}, "optimizer": {"type": "sgd", "momentum": 0.9, "clipnorm": 1.0,
  "learning_rate": {"type": "ExponentialDecay", "initial_learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.5}}, "metrics": ["accuracy"], "batch_size": 4, "epochs": 2,
  "callbacks": [{"type": "EarlyStopping", "monitor": "val_loss", "patience": 1}]},
 "execution": {"devices": "auto", "disabled_passes": ["in_place"], "memory_limit": null}})";

constexpr const char* kOfValues =
    R"({"format": "strata-project", "version": 1, "data": {"source": {"type": "values", "x": [[1, 0], [2, 0.5], [3, -1]], "y": [0, 2, 1], "weights": [1, 2, 1]}},
 "model": {"layers": [{"type": "Input", "name": "x", "shape": [2]}, {"type": "Expression", "name": "e", "formula": "x * 2 + max(x, 0.5) ^ 2"},
  {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}]},
 "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "batch_size": 2, "epochs": 1}})";

constexpr const char* kOfWords =
    R"({"format": "strata-project", "version": 1, "data": {"source": {"type": "random", "kind": "integer", "high": 20, "samples": 10, "shape": [6], "classes": 2, "seed": 1}},
 "model": {"layers": [{"type": "Input", "name": "words", "shape": [6], "dtype": "int32"}, {"type": "Embedding", "name": "e", "input_dim": 20, "output_dim": 4, "mask_zero": true},
  {"type": "GRU", "name": "g", "units": 3, "return_sequences": true}, {"type": "TimeDistributed", "name": "t", "layer": {"type": "Dense", "units": 2}},
  {"type": "GlobalMaxPooling1D", "name": "p"}, {"type": "Dense", "name": "out", "units": 2, "activation": "softmax"}]},
 "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "batch_size": 2, "epochs": 1}})";

/// Returns a project that contains the layer, with example values for its fields and the first
/// input shape that it accepts. If `inBlock` is set, the layer is the only layer of a Block with
/// one input.
std::string projectOf(const LayerDef& definition, bool inBlock) {
  if (definition.schema.type == "Input") return "";
  Json layer{{"type", definition.schema.type}, {"name", "layer"}};
  for (const FieldSchema& field : definition.schema.fields)
    if (!field.exampleJson.empty()) layer[field.name] = parseJson(field.exampleJson, field.name);
  for (const char* shape : {"[8, 8, 2]", "[6, 4]", "[4]", "[4, 4, 4, 2]", "[3, 6, 6, 2]"}) {
    Json document = parseJson(
        R"({"format": "strata-project", "version": 1, "data": {}, "model": {"layers": []}, "training": {}})",
        "seed");
    document["data"]["source"] = {{"type", "random"},
                                  {"samples", 8},
                                  {"shape", parseJson(shape, "seed")},
                                  {"classes", 2},
                                  {"seed", 1}};
    Json& layers = document["model"]["layers"];
    layers.push_back({{"type", "Input"}, {"name", "x"}, {"shape", parseJson(shape, "seed")}});
    if (!inBlock && definition.minInputs > 1)
      layer["inputs"] = std::vector<std::string>(static_cast<size_t>(definition.minInputs), "x");
    if (inBlock)
      layers.push_back({{"type", "Block"}, {"name", "block"}, {"layers", Json::array({layer})}});
    else
      layers.push_back(layer);
    layers.push_back({{"type", "Flatten"}, {"name", "flat"}});
    layers.push_back({{"type", "Dense"}, {"name", "out"}, {"units", 2}, {"activation", "softmax"}});
    document["training"] = {{"loss", "sparse_categorical_crossentropy"},
                            {"optimizer", "adam"},
                            {"batch_size", 4},
                            {"epochs", 1}};
    // A layer with two inputs has a problem in a Block with one input. This project is a seed, too.
    if (inBlock && definition.minInputs > 1 && shape == std::string("[6, 4]"))
      return printJson(document);
    if (!hasErrors(validate(Project(document)))) return printJson(document);
  }
  // The layer needs more than example values, such as inputs of different shapes. Other seeds
  // contain layers of this kind.
  return "";
}

std::vector<Seed> projectSeeds() {
  std::vector<Seed> seeds;
  for (const char* text : {kOfAllKinds, kOfValues, kOfWords})
    seeds.push_back({text, Kind::Json});
  for (const char* name :
       {"linear-regression", "random-integers", "penguins-two", "shapes", "mnist-mlp-128"})
    seeds.push_back(
        {bytesOf(sourceDir() / "projects" / (std::string(name) + ".json")), Kind::Json});
  return seeds;
}

std::vector<Seed> layerSeeds() {
  std::vector<Seed> seeds;
  for (const LayerDef* definition : allLayers())
    for (const bool inBlock : {false, true})
      if (std::string text = projectOf(*definition, inBlock); !text.empty())
        seeds.push_back({std::move(text), Kind::Json});
  return seeds;
}

/// Reads a project as the window and `strata check` do.
std::string readProject(const Mutant& mutant) {
  const std::string path = mutant.put("project.json");
  Diagnostics wrong;
  const Result<Project> sound = loadSoundParts(path, wrong);
  const Result<Project> project = loadProject(path);
  if (!sound) throw sound.error();
  if (!wrong.empty()) {
    for (const Diagnostic& each : validateRest(*sound, wrong))
      (void)each.line();
    throw project.error();
  }
  const Inspection inspection = inspectProject(project.value());
  int fixes = 0;
  for (const Diagnostic& each : inspection.diagnostics) {
    (void)each.line();
    for (const Fix& fix : each.fixes) {
      // Each fix needs a copy of the project, so the number of tested fixes is limited.
      if (++fixes > 50) break;
      Json document = project->document();
      applyEdit(document, fix.edit);
    }
  }
  Diagnostics ignored;
  if (mutant.number % 8 == 0)
    if (const CheckedProject checked(*project); checked.data().isKnown) (void)dataStages(checked);
  if (mutant.number % 8 == 1 && !hasErrors(inspection.diagnostics)) (void)preprocessingOf(*project);
  const std::string text = printJson(project->document());
  if (printJson(parseJson(text, "printed")) != text)
    throw std::logic_error("a project that was read prints to another one");
  return "";
}

}  // namespace

void addProjectTargets(std::vector<Target>& targets) {
  targets.push_back({"project", projectSeeds, readProject});
  targets.push_back({"project-layers", layerSeeds, readProject});
  targets.push_back(
      {"json",
       [] {
         std::vector<Seed> seeds{{kOfValues, Kind::Text}};
         for (
             const char* text :
             {R"({"a": [1, -2.5e-3, true, null, "\u00e9\ud83d\ude00\n"], "b": {"c": [], "d": {}}})",
              "[[[[0.1, 1e-07, 12345678901234567890]]]]", "\"text\"", "-0.0"})
           seeds.push_back({text, Kind::Text});
         return seeds;
       },
       [](const Mutant& mutant) {
         const std::string text = printJson(parseJson(mutant.bytes, "mutant"));
         if (printJson(parseJson(text, "printed")) != text)
           throw std::logic_error("JSON that was read prints to another one");
         return std::string();
       }});
}

}  // namespace strata::fuzz
