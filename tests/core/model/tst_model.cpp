// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/model/model.h"
#include "core/recipe/options.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

Json document(const std::string& layers,
              const std::string& training =
                  R"({"loss": "sparse_categorical_crossentropy", "optimizer": "adam"})") {
  return parseJson(
      R"({"format": "strata-project", "version": 1, "data": {"source": {"type": "mnist"}}, "model": {"layers": [)" +
          layers + R"(]}, "training": )" + training + "}",
      "p");
}

constexpr const char* kInput = R"({"type": "Input", "name": "image", "shape": [28, 28, 1]},)";

std::string lines(const Diagnostics& diagnostics) {
  std::string text;
  for (const auto& each : diagnostics)
    text += (each.severity == Severity::Warning ? "warning " : "") + each.code + " | " +
            each.line() + "\n";
  return text;
}

std::string problems(const std::string& layers,
                     const std::string& training =
                         R"({"loss": "sparse_categorical_crossentropy", "optimizer": "adam"})") {
  return lines(validate(Project(document(layers, training))));
}

/// The first fix of the first problem that has one removes that problem.
void checkFix(const Json& before) {
  const Diagnostics found = validate(Project(before));
  for (const auto& each : found) {
    if (each.fixes.empty()) continue;
    for (const auto& fix : each.fixes) {
      CAPTURE(each.line());
      CAPTURE(formatText(fix.label, fix.arguments));
      Json after = before;
      const ProjectEdit inverse = applyEdit(after, fix.edit);
      const std::string left = lines(validate(Project(after)));
      CHECK(left.find(each.line()) == std::string::npos);
      applyEdit(after, inverse);
      CHECK(printJson(after) == printJson(before));
    }
    return;
  }
  FAIL("no problem has a fix: ", lines(found));
}

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("the projects have no problems") {
    for (const auto& entry : std::filesystem::directory_iterator(sourceDir() / "projects")) {
      if (entry.path().extension() != ".json") continue;
      CAPTURE(entry.path().string());
      const auto project = loadProject(entry.path().string());
      REQUIRE(project);
      CHECK(lines(validate(*project)) == "");
    }
  }

  TEST_CASE("parameters and shapes of the MNIST CNN") {
    const auto project = loadProject((sourceDir() / "projects/mnist-cnn.json").string());
    REQUIRE(project);
    const Inspection inspection = inspectProject(*project);
    CHECK(inspection.summary.parameters == 93322);
    CHECK(inspection.summary.trainableParameters == 93322);
    CHECK(inspection.summary.layers[1].outputShape->toString() == "[26,26,32]");
    CHECK(inspection.summary.layers[1].multiplyAdds == 64.0 * 26 * 26 * 32 * 9);
    CHECK(inspection.summary.layers.back().inputs == std::vector<std::string>{"hidden"});
  }

  TEST_CASE("many layers with one name are reported at once, each with a free name") {
    // Searching all names again for each free name took minutes.
    std::string layers = R"({"type": "Input", "name": "image", "shape": [1]})";
    for (int i = 0; i < 20000; ++i)
      layers += R"(, {"type": "Dense", "units": 1, "name": "a)" +
                (i < 10000 ? "_" + std::to_string(i + 2) : "") + "\"}";
    Diagnostics diagnostics;
    (void)parseModel(Project(document(layers)), diagnostics);
    REQUIRE(diagnostics.size() == 9999);
    CHECK(diagnostics[0].fixes[0].arguments == Arguments{"a_10002"});
  }

  TEST_CASE(
      "a large network with wrong inputs is reported at once, with fixes for the first ones") {
    std::string layers = R"({"type": "Input", "name": "image", "shape": [1]})";
    // Comparing each wrong name with each of these took minutes.
    const std::string stem(80, 'x');
    for (int i = 0; i < 4000; ++i)
      layers += R"(, {"type": "Dense", "name": ")" + stem + std::to_string(i) +
                R"(", "units": 1, "inputs": [")" + stem + "y" + std::to_string(i % 10) + "\"]}";
    Diagnostics diagnostics;
    (void)parseModel(Project(document(layers)), diagnostics);
    REQUIRE(diagnostics.size() >= 4000);
    CHECK_FALSE(diagnostics.front().fixes.empty());
    CHECK(diagnostics[3999].fixes.empty());
  }

  TEST_CASE("order, inputs and outputs") {
    Diagnostics diagnostics;
    const Model model = parseModel(
        Project(document(
            R"({"type": "Add", "name": "sum", "inputs": ["a", "image"]}, {"type": "Dense", "name": "a", "units": 1, "inputs": ["image"]},
      {"type": "Input", "name": "image", "shape": [1]})")),
        diagnostics);
    CHECK(diagnostics.empty());
    REQUIRE(model.layers.size() == 3);
    CHECK(model.layers[0].name == "image");
    CHECK(model.layers[1].name == "a");
    CHECK(model.outputs == std::vector<std::string>{"sum"});
  }

  TEST_CASE("every problem at once, each tied to its layer") {
    const std::string text = problems(std::string(kInput) + R"(
      {"type": "Convv2D", "name": "conv1", "filters": 4, "kernel_size": 3},
      {"type": "Flatten", "name": "flat"},
      {"type": "Dense", "name": "fc", "units": 0},
      {"type": "Dense", "name": "fc", "units": 3, "unitz": 4},
      {"type": "Dense", "name": "out", "units": 10, "inputs": ["nobody"], "activation": "softmax"})");
    CHECK(has(text,
              "unknown_type | conv1: this version has no layer type \"Convv2D\". Did you mean "
              "\"Conv2D\"?"));
    CHECK(has(text,
              "out_of_range | fc: units is out of range (expected at least 1, got 0). Set it to 1 "
              "or more."));
    CHECK(has(text, "duplicate_name | fc: layers 4 and 5"));
    CHECK(has(text, "warning unknown_field | fc: unitz is not a field"));
    CHECK(has(text, "missing_input | out: its input \"nobody\" does not exist"));
  }

  TEST_CASE("problems and their fixes") {
    const std::string in = kInput;
    CHECK(has(problems(R"({"type": "Dense", "name": "a", "units": 3})"),
              "missing_input | a: it has no input (expected an Input layer before it)"));
    checkFix(document(R"({"type": "Dense", "name": "a", "units": 3})"));
    CHECK(has(problems(""), "empty_model"));
    CHECK(has(problems(in + R"({"type": "Add", "name": "a"})"),
              "missing_input | a: it has too few inputs (expected at least 2: x1, x2; got 1)"));
    CHECK(
        has(problems(in +
                     R"({"type": "Dense", "name": "a", "units": 1, "inputs": ["image", "image"]})"),
            "too_many_inputs | a: it has too many inputs (expected 1, got 2)"));
    checkFix(document(in + R"({"type": "Flatten", "name": "a", "inputs": ["image", "image"]})"));
    CHECK(has(problems(in + R"({"type": "Flatten", "name": "f", "inputs": ["imag"]})"),
              "Did you mean \"image\"?"));
    checkFix(document(in + R"({"type": "Flatten", "name": "f", "inputs": ["imag"]})"));
    CHECK(has(problems(in + R"({"type": "Flatten", "name": "f", "inputs": 3})"),
              "wrong_type | f: inputs has the wrong type (expected a list of layer names, got 3)"));
    CHECK(has(problems(in + "3"), "layer 2 is not an object"));
    CHECK(has(problems(in + R"({"type": "Dense"})"), "missing_name"));
    checkFix(document(in + R"({"type": "Flatten"})"));
    CHECK(has(problems(in + R"({"name": "a"})"), "missing_type | a"));
    CHECK(has(problems(in + R"({"type": "Flatten", "name": "a/b"})"), "invalid_name | a/b"));
    checkFix(document(in + R"({"type": "Flatten", "name": "a/b"})"));
    for (const std::string& name : std::vector<std::string>{"target", "share", "sample_weight"})
      CHECK(has(problems(R"({"type": "Input", "name": ")" + name + R"(", "shape": [28, 28, 1]})"),
                "invalid_name | " + name));
    CHECK(has(problems(in + R"({"type": "Flatten", "name": "f", "device": 1})"),
              "not_in_version | f: device is 1"));
    CHECK(has(
        problems(
            in +
            R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "a", "units": 1000000}, {"type": "Dense", "name": "b", "units": 100000000})"),
        "too_large | b: [1000000,100000000]"));
    CHECK(
        has(problems(
                R"({"type": "Input", "name": "i", "shape": [1000000000, 1000000000, 1000000000]})"),
            "too_large | i"));
  }

  TEST_CASE("a cycle names its layers") {
    const std::string text = problems(std::string(kInput) + R"(
      {"type": "Add", "name": "a", "inputs": ["image", "c"]}, {"type": "Activation", "name": "b", "activation": "relu"}, {"type": "Activation", "name": "c", "activation": "relu"},
      {"type": "Flatten", "name": "f"})");
    CHECK(has(text, "cycle | a: it is part of a cycle: a -> b -> c -> a (expected"));
    CHECK(has(text, "a -> b -> c -> a"));
    CHECK(has(problems(std::string(kInput) +
                       R"({"type": "Flatten", "name": "self", "inputs": ["self"]})"),
              "self -> self"));
    // Other layers are not ends of the network.
    const std::string last = problems(
        std::string(kInput) +
        R"({"type": "Flatten", "name": "flat"}, {"type": "Dense", "name": "hidden", "units": 8,
      "activation": "relu"}, {"type": "Dense", "name": "out", "units": 10, "inputs": ["out"]})");
    CHECK(has(last, "out -> out"));
    CHECK(last.find("hidden") == std::string::npos);
  }

  TEST_CASE("shapes that do not match") {
    const std::string in = kInput;
    CHECK(has(
        problems(
            in +
            R"({"type": "Flatten", "name": "f"}, {"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": 3})"),
        "shape_mismatch | c: the input has the shape [784] (expected an image: [height, width, "
        "channels])"));
    CHECK(has(problems(in + R"({"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": 30})"),
              "a window of 30 x 30 does not fit into an image of 28 x 28"));
    checkFix(document(in + R"({"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": 30})"));
    CHECK(has(
        problems(in +
                 R"({"type": "Conv2D", "name": "c", "filters": 4, "kernel_size": 3, "groups": 2})"),
        "groups is 2, which does not divide the 1 channels"));
    checkFix(document(
        in + R"({"type": "Conv2D", "name": "c", "filters": 4, "kernel_size": 3, "groups": 2})"));
    CHECK(has(problems(in + R"({"type": "Reshape", "name": "r", "target_shape": [5, -1]})"),
              "target_shape [5,-1] does not match the 784 values"));
    CHECK(has(
        problems(
            in +
            R"({"type": "Reshape", "name": "f", "target_shape": [16, 49]}, {"type": "Add", "name": "s", "inputs": ["image", "f"]})"),
        "the input f has the shape [16,49] (expected [28,28,1], the shape of image)"));
    CHECK(has(
        problems(
            in +
            R"({"type": "Flatten", "name": "f"}, {"type": "Concatenate", "name": "s", "inputs": ["image", "f"]})"),
        "shape_mismatch | s"));
    // The first axis is the batch: the rows would not be samples.
    for (const char* axis : {"0", "-4"}) {
      const std::string joined =
          in + R"({"type": "Concatenate", "name": "s", "inputs": ["image", "image"], "axis": )" +
          axis + "}";
      CHECK(has(problems(joined),
                std::string("out_of_range | s: axis is ") + axis +
                    ", the batch dimension (expected 1 to 3, or -1 for the last dimension)"));
      checkFix(document(joined));
    }
    // Shapes after a broken layer are unknown and not reported again.
    const Inspection inspection = inspectProject(Project(document(
        in +
        R"({"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": 30}, {"type": "Flatten", "name": "f"})")));
    CHECK_FALSE(inspection.summary.layers[2].isKnown);
    CHECK(inspection.summary.layers[2].parameters == -1);
    CHECK(std::count_if(inspection.diagnostics.begin(), inspection.diagnostics.end(),
                        [](const Diagnostic& each) { return each.severity == Severity::Error; }) ==
          1);
  }

  TEST_CASE(
      "after a layer with a problem, everything that does not depend on its inputs is still "
      "checked") {
    const std::string in = kInput;
    const std::string tooLarge =
        in + R"({"type": "Conv2D", "name": "c", "filters": 4, "kernel_size": 30},)";
    const std::string end =
        R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out", "units": 7, "activation": "softmax"})";
    const std::string outputs =
        "shape_mismatch | out: the network has 7 outputs (expected at least 10";
    CHECK(has(problems(tooLarge + end), "a window of 30 x 30 does not fit"));
    CHECK(has(problems(tooLarge + end), outputs));
    checkFix(document(tooLarge + end));
    // A wrong field, an unknown type, an unknown input, no input, a duplicate name, a cycle.
    for (
        const char* broken :
        {R"({"type": "Conv2D", "name": "c", "filters": 0, "kernel_size": 3},)",
         R"({"type": "Konv2D", "name": "c"},)",
         R"({"type": "Conv2D", "name": "c", "filters": 4, "kernel_size": 3, "inputs": ["imgae"]},)",
         R"({"type": "Conv2D", "name": "c", "filters": 4, "kernel_size": 3, "inputs": []},)",
         R"({"type": "Conv2D", "name": "image", "filters": 4, "kernel_size": 3},)",
         R"({"type": "Add", "name": "a", "inputs": ["image", "b"]}, {"type": "Activation", "name": "b"},)"})
      CHECK_MESSAGE(has(problems(in + broken + end), outputs), std::string(broken),
                    problems(in + broken + end));
    CHECK(has(problems(R"({"type": "Conv2D", "name": "c", "filters": 4, "kernel_size": 3},)" + end),
              outputs));
    // Channels are known where height and width are not; for a Flatten at least the rank is known.
    CHECK(
        has(problems(
                tooLarge +
                R"({"type": "Conv2D", "name": "d", "filters": 6, "kernel_size": 3, "groups": 3},)" +
                end),
            "d: groups is 3, which does not divide the 4 channels"));
    CHECK(has(
        problems(
            tooLarge +
            R"({"type": "Conv2D", "name": "d", "filters": 6, "kernel_size": 1, "padding": "same"},
                                     {"type": "Add", "name": "s", "inputs": ["c", "d"]},)" +
            end),
        "s: the input d has the shape [?,?,6] (expected [?,?,4], the shape of c)"));
    CHECK(has(
        problems(
            tooLarge +
            R"({"type": "Flatten", "name": "g"}, {"type": "Conv2D", "name": "d", "filters": 6, "kernel_size": 3},)" +
            end),
        "shape_mismatch | d: the input has"));
    // What it does decide is not guessed at.
    for (
        const char* fine :
        {R"({"type": "Conv2D", "name": "d", "filters": 6, "kernel_size": 700},)",
         R"({"type": "Reshape", "name": "r", "target_shape": [11, -1]},)",
         R"({"type": "Conv2D", "name": "d", "filters": 4, "kernel_size": 3, "padding": "same"}, {"type": "Add", "name": "s", "inputs": ["c", "d"]},)",
         R"({"type": "Flatten", "name": "g"}, {"type": "Reshape", "name": "r", "target_shape": [13, 17]},)"}) {
      const std::string text = problems(tooLarge + fine + end);
      CHECK_MESSAGE(std::count(text.begin(), text.end(), '\n') == 2, std::string(fine), text);
    }
    const Inspection inspection =
        inspectProject(Project(document(tooLarge + R"({"type": "Flatten", "name": "f"},
      {"type": "Dense", "name": "d", "units": 7}, {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})")));
    CHECK_FALSE(inspection.summary.layers[2].outputShape);
    CHECK(inspection.summary.layers[3].outputShape->toString() == "[7]");
    CHECK(inspection.summary.layers[3].parameters == -1);
    CHECK(inspection.summary.layers[4].parameters == 80);
  }

  TEST_CASE("one broken layer of an example is the only problem") {
    for (const auto& entry : std::filesystem::directory_iterator(sourceDir() / "projects")) {
      if (entry.path().extension() != ".json") continue;
      const Json good = loadProject(entry.path().string())->document();
      REQUIRE_FALSE(hasErrors(validate(Project(good, entry.path().string()))));
      for (size_t i = 0; i < good["model"]["layers"].size(); ++i)
        for (const char* field : {"type", "units", "kernel_size", "pool_size", "rate", "name",
                                  "axis", "filters", "target_shape"}) {
          Json broken = good;
          Json& layer = broken["model"]["layers"][i];
          if (!layer.contains(field)) continue;
          layer[field] = std::string(field) == "name" ? Json("a/b") : Json(-99999);
          const std::string name = layer["name"];
          int ofIt = 0;
          for (const auto& each : validate(Project(broken, entry.path().string()))) {
            if (each.severity != Severity::Error) continue;
            const bool isOfIt = each.layer == name || each.code == "missing_input" ||
                                each.code == "several_outputs";
            CHECK_MESSAGE(isOfIt, entry.path().filename().string(), ": ", name, " ", field, ": ",
                          each.line());
            ofIt += isOfIt;
          }
          CHECK(ofIt > 0);
        }
    }
  }

  TEST_CASE("data, loss and output together") {
    const std::string in = kInput, flat = in + R"({"type": "Flatten", "name": "f"},)";
    const std::string five =
        flat + R"({"type": "Dense", "name": "out", "units": 5, "activation": "softmax"})";
    CHECK(has(problems(five),
              "shape_mismatch | out: the network has 5 outputs (expected at least 10"));
    checkFix(document(five));
    CHECK(has(
        problems(
            R"({"type": "Input", "name": "image", "shape": [14, 14, 4]}, {"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})"),
        "shape_mismatch | image: shape is [14,14,4] (expected [28,28,1]"));
    checkFix(document(
        R"({"type": "Input", "name": "image", "shape": [14, 14, 4]}, {"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})"));
    const std::string ten = flat + R"({"type": "Dense", "name": "out", "units": 10})";
    CHECK(has(problems(ten), "warning not_probabilities | out"));
    checkFix(document(ten));
    const std::string good =
        flat + R"({"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})";
    CHECK(problems(good).empty());
    const std::string layer = ten + R"(, {"type": "Softmax", "name": "last"})";
    CHECK(problems(layer).empty());
    for (const char* inner : {R"({"type": "Dense", "units": 10, "activation": "softmax"})",
                              R"({"type": "Dense", "units": 10})"}) {
      const std::string wrapped = problems(
          flat + R"({"type": "SpectralNormalization", "name": "out", "layer": )" + inner + "}");
      CHECK(wrapped.empty() == (std::string(inner).find("softmax") != std::string::npos));
    }
    CHECK(has(
        problems(
            layer,
            R"({"loss": {"type": "sparse_categorical_crossentropy", "from_logits": true}, "optimizer": "adam"})"),
        "warning not_logits | last"));
    CHECK(
        problems(
            good +
            R"(, {"type": "Dense", "name": "two", "units": 10, "activation": "softmax", "inputs": ["f"]},
                               {"type": "Average", "name": "both", "inputs": ["out", "two"]})")
            .empty());
    CHECK(has(problems(good, R"({"loss": "categorical_crossentropy", "optimizer": "adam"})"),
              "loss_mismatch | training"));
    const std::string yes =
        R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out", "activation": "sigmoid", "units": )";
    for (const std::string loss : {"binary_crossentropy", "binary_focal_crossentropy"})
      for (const std::string units : {"1", "10"}) {
        CAPTURE(loss);
        CAPTURE(units);
        const std::string text =
            problems(in + yes + units + "}",
                     std::string(R"({"optimizer": "adam", "loss": ")") + loss + "\"}");
        CHECK_FALSE(has(text, "one_class"));
        CHECK_FALSE(has(text, "not_probabilities"));
      }
    CHECK(has(problems(in + yes + "10}",
                       R"({"loss": "categorical_focal_crossentropy", "optimizer": "adam"})"),
              "not_probabilities"));
    CHECK(has(problems(good, R"({"loss": "mean_squared_error", "optimizer": "adam"})"),
              "shape_mismatch | out"));
    CHECK(has(
        problems(
            good,
            R"({"loss": {"type": "sparse_categorical_crossentropy", "from_logits": true}, "optimizer": "adam"})"),
        "warning not_logits | out"));
    CHECK(has(
        problems(
            good,
            R"({"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "metrics": ["mean_absolute_error"]})"),
        "metric_mismatch"));
    CHECK(has(
        problems(
            in +
            R"({"type": "Flatten", "name": "loose"}, {"type": "Flatten", "name": "f", "inputs": ["image"]}, {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})"),
        "several_outputs | loose: its output is not connected"));
  }

  TEST_CASE("training and execution") {
    const std::string good =
        std::string(kInput) +
        R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})";
    const auto of = [&](const std::string& training) {
      return problems(good, training);
    };
    CHECK(has(of("{}"), "missing_field | training: loss is missing"));
    CHECK(has(of("{}"), "optimizer is missing"));
    CHECK(has(of(R"({"loss": "sparse_crossentropy", "optimizer": "adan"})"),
              "there is no optimizer \"adan\" (expected a name such as \"adam\"). Did you mean "
              "\"adam\"?"));
    const std::string several = of(
        R"({"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "adam", "beta_1": 1.5}, "batch_size": 0, "epochs": "x", "metrics": ["acuracy"], "lr": 1})");
    CHECK(has(several, "training/optimizer: beta_1 is out of range"));
    CHECK(has(several, "training: batch_size is out of range (expected at least 1, got 0)"));
    CHECK(has(several, "training: epochs has the wrong type (expected an integer"));
    CHECK(has(several,
              "there is no metric \"acuracy\" (expected a name such as \"accuracy\"). Did you mean "
              "\"accuracy\"?"));
    CHECK(has(several, "warning unknown_field | training: lr"));
    CHECK(has(
        of(R"({"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "adam", "learning_rate": {"type": "CosineDecay", "initial_learning_rate": 0.1}}})"),
        "missing_field | training/optimizer/learning_rate: decay_steps is missing"));
    CHECK(has(
        of(R"({"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "sgd", "clipnorm": 1, "clipvalue": 1}})"),
        "conflict | training/optimizer: clipnorm and clipvalue"));
    CHECK(has(
        of(R"({"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "callbacks": [{"type": "EarlyStopping"}]})"),
        "monitors val_loss, but there are no validation samples"));
    Json execution = document(good);
    execution["execution"] = Json::parse(
        R"({"devices": "cuda:0", "precision": "bfloat16", "disabled_passes": ["fold_constant", "nonsense"]})");
    const std::string text = lines(validate(Project(execution)));
    CHECK(has(text, "this version does not support the device \"cuda:0\""));
    CHECK(has(text, "does not support the precision bfloat16"));
    CHECK(has(text, "there is no pass \"fold_constant\". Did you mean \"fold_constants\"?"));
    CHECK(has(text, "there is no pass \"nonsense\" (expected one of remove_dead, "));
    checkFix(execution);
    execution["execution"] = Json::parse(R"({"devices": ["cpu", "cuda:0"]})");
    CHECK(has(lines(validate(Project(execution))), "this version cannot train on 2 devices"));
    checkFix(execution);
  }

  TEST_CASE("passes of every backend, a list of one device and memory limits by device are known") {
    Json json = document(
        std::string(kInput) +
        R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})");
    json["execution"] = Json::parse(
        R"({"devices": ["reference"], "disabled_passes": ["pool_gradients_first"], "memory_limit": {"cpu": 5000, "reference": 7000, "cuda:0": 1, "cpu:1": 2}})");
    CHECK(lines(validate(Project(json))).empty());
    Diagnostics none;
    ExecutionOptions options = parseExecution(Project(json), none);
    CHECK(options.device == "reference");
    CHECK(options.disabledPasses.contains("pool_gradients_first"));
    CHECK(options.memoryLimitBytes == 7000);
    CHECK(options.limitOf("cpu") == 5000);
    json["execution"]["devices"] = "auto";
    CHECK(parseExecution(Project(json), none).memoryLimitBytes == 5000);
    json["execution"]["memory_limit"].erase("cpu");
    CHECK_FALSE(parseExecution(Project(json), none).memoryLimitBytes.has_value());
    json["execution"]["memory_limit"] = 9;
    CHECK(parseExecution(Project(json), none).limitOf("reference") == 9);

    json["execution"]["memory_limit"] = Json::parse(R"({"cpi": 5000})");
    CHECK(has(lines(validate(Project(json))),
              "unknown_device | execution/memory_limit: there is no device \"cpi\". Did you mean "
              "\"cpu\"?"));
    checkFix(json);
    json["execution"]["memory_limit"] = Json::parse(R"({"cpu": 0, "cuda:x": 5})");
    const std::string text = lines(validate(Project(json)));
    CHECK(has(text,
              "execution/memory_limit: memory_limit is out of range (expected at least 1, got 0)"));
    CHECK(has(text, "there is no device \"cuda:x\""));
  }

  TEST_CASE("unknown keys are reported with the nearest name") {
    Json json = document(
        std::string(kInput) +
        R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})");
    json["traning"] = Json::object();
    json["design"] = Json::object();
    json["model"]["layer"] = 1;
    const std::string text = lines(validate(Project(json)));
    CHECK(has(
        text,
        "warning unknown_field | traning: traning is not a field of a project and has no effect"));
    CHECK(has(text, "layer is not a field of model and has no effect. Did you mean layers?"));
    CHECK_FALSE(text.find("design") != std::string::npos);

    // The intended key may be present too, or be one that no form shows.
    json.erase("traning");
    json["model"].erase("layer");
    json["data"]["validation_spli"] = 0.5;
    json["data"]["validation_split"] = 0.1;
    json["data"]["transform"] = Json::array();
    json["data"]["foo"] = 1;
    json["training"]["optimiser"] = "sgd";
    json["training"]["los"] = "x";
    json["execution"] = Json::parse(R"({"precison": "float32", "disable_passes": []})");
    json["model"]["layers"][2]["input"] = Json::array();
    json["model"]["layers"][2]["nam"] = "x";
    const std::string more = lines(validate(Project(json)));
    for (const char* expected :
         {"validation_spli is not a field of data and has no effect. Did you mean "
          "validation_split?",
          "Did you mean transforms?", "foo is not a field of data and has no effect. Remove it.",
          "Did you mean optimizer?", "Did you mean loss?", "Did you mean precision?",
          "Did you mean disabled_passes?",
          "out: input is not a field of Dense and has no effect. Did you mean inputs?",
          "Did you mean name?"})
      CHECK(has(more, expected));
    json["training"].erase("optimizer");
    json["training"].erase("los");
    const std::string before = lines(validate(Project(json)));
    CHECK(has(before, "optimizer is missing"));
    for (const auto& each : validate(Project(json)))
      if (each.field == "/training/optimiser") {
        REQUIRE(each.fixes.size() == 2);
        // The value is kept.
        applyEdit(json, each.fixes[0].edit);
        break;
      }
    CHECK(json["training"]["optimizer"] == "sgd");
  }

  TEST_CASE(
      "a part of the project with a wrong type is reported, and the other parts are still "
      "checked") {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "p.json").string();
    const Json sound = document(
        std::string(kInput) +
            R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out", "units": 0})",
        R"({"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "adam", "learning_rate": -1}})");
    const auto report = [&](const std::string& change, bool isList = true) {
      Json json = sound;
      json.merge_patch(Json::parse(change));
      if (!isList) json["model"]["layers"] = 7;
      writeFileAtomically(path, printJson(json));
      CHECK(bool(loadProject(path)) == (change == "{}"));
      Diagnostics wrong;
      const auto project = loadSoundParts(path, wrong);
      REQUIRE(project);
      return lines(validateRest(*project, wrong));
    };
    const std::string ofLayer =
        "out_of_range | out: units is out of range (expected at least 1, got 0). Set it to 1 or "
        "more.\n";
    const std::string ofTraining = "out_of_range | training/optimizer: learning_rate is";
    const std::string data = report(R"({"data": "x"})");
    CHECK(
        data.starts_with("wrong_type | data: data has the wrong type (expected an object, got "
                         "\"x\"). Correct it.\n" +
                         ofLayer));
    CHECK(has(data, ofTraining));
    CHECK(std::count(data.begin(), data.end(), '\n') == 3);
    CHECK(report(R"({"training": 3})") ==
          "wrong_type | training: training has the wrong type (expected an object, got 3). Correct "
          "it.\n" +
              ofLayer);
    CHECK(report(R"({"execution": [1], "name": 5})") ==
          "wrong_type | name: name has the wrong type (expected a string, got 5). Correct it.\n"
          "wrong_type | execution: execution has the wrong type (expected an object, got [1]). "
          "Correct it.\n" +
              report("{}"));
    CHECK(
        report(R"({"data": {"skip": -1}})", false)
            .starts_with(
                "wrong_type | model: layers has the wrong type (expected a list of layers, got 7). "
                "Correct it.\nout_of_range | data: skip is"));
    CHECK(
        report(R"({"data": "x", "training": 3, "model": true})") ==
        "wrong_type | data: data has the wrong type (expected an object, got \"x\"). Correct it.\n"
        "wrong_type | model: model has the wrong type (expected an object, got true). Correct it.\n"
        "wrong_type | training: training has the wrong type (expected an object, got 3). Correct "
        "it.\n");
    writeFileAtomically(path, R"({"format": "strata-project", "version": 2})");
    Diagnostics wrong;
    CHECK_FALSE(loadSoundParts(path, wrong));
    CHECK_FALSE(loadSoundParts(path + "x", wrong));
    CHECK(wrong.empty());
  }

  TEST_CASE("problems found only when the graph is built are reported too") {
    CHECK(has(
        problems(
            R"({"type": "Input", "name": "image", "shape": [28, 28, 1], "dtype": "int32"}, {"type": "Flatten", "name": "f"})"),
        "unsupported | "));
  }

  TEST_CASE("two hundred layers are checked within a tenth of a second") {
    std::string layers = kInput;
    for (int i = 0; i < 98; ++i)
      layers +=
          R"({"type": "Conv2D", "name": "c)" + std::to_string(i) +
          R"(", "filters": 8, "kernel_size": 3, "padding": "same"}, {"type": "BatchNormalization", "name": "b)" +
          std::to_string(i) + R"("},)";
    layers +=
        R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})";
    const Project project(document(layers));
    validate(project);
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const Inspection inspection = inspectProject(project);
      best = std::min(
          best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                    .count());
      CHECK(inspection.diagnostics.empty());
    }
    MESSAGE("199 layers inspected in ", best, " ms");
#ifdef NDEBUG
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("a sanitizer takes time of its own: no limit was checked");
#else
    CHECK(best < 100);
#endif
#endif
  }
}
