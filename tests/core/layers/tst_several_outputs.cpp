// SPDX-License-Identifier: Apache-2.0
// Tests layers with several outputs, such as recurrent layers that return their states. Other
// layers refer to one of these outputs by a name like "layer:1".
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/compile/compile.h"
#include "core/model/layer_edits.h"
#include "core/model/model.h"
#include "core/project/edit.h"
#include "core/project/input_ref.h"
#include "gpu/reference/evaluate.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

/// Returns an encoder whose states initialize a decoder, as in Keras's sequence-to-sequence
/// example.
Json encoderAndDecoder(const char* kind, const Json& more = Json::object()) {
  const bool hasCell = std::string(kind) == "LSTM";
  Json encoder{{"type", kind}, {"name", "encoder"}, {"units", 4}, {"return_state", true}},
      states = Json::array({"x", "encoder:1"});
  if (hasCell) states.push_back("encoder:2");
  encoder.update(more);
  return Json::array(
      {{{"type", "Input"}, {"name", "x"}, {"shape", {5, 3}}},
       encoder,
       {{"type", kind},
        {"name", "decoder"},
        {"units", 4},
        {"return_sequences", true},
        {"inputs", states}},
       {{"type", "Flatten"}, {"name", "flat"}},
       {{"type", "Dense"}, {"name", "out"}, {"units", 3}, {"activation", "softmax"}}});
}

Project projectOf(const Json& layers) {
  Project project = smallProject();
  project.document()["model"]["layers"] = layers;
  project.document()["data"]["source"]["shape"] = {5, 3};
  return project;
}

std::string problemsIn(const Project& project) {
  std::string text;
  for (const Diagnostic& each : validate(project))
    text += std::string(each.code) + " " + each.line() + "\n";
  return text;
}

}  // namespace

TEST_SUITE("several outputs") {
  TEST_CASE("an entry of inputs names a layer and one of its outputs") {
    CHECK(inputRefOf("lstm").layer == "lstm");
    CHECK(inputRefOf("lstm").output == 0);
    CHECK(inputRefOf("lstm:2").layer == "lstm");
    CHECK(inputRefOf("lstm:2").output == 2);
    CHECK(inputRefOf("lstm:0").text() == "lstm");
    for (const char* whole : {"lstm:", ":1", "lstm:x", "lstm:-1", "lstm:12345", "lstm:1x"})
      CHECK(inputRefOf(whole).layer == whole);
  }

  TEST_CASE("a decoder starts with the states of an encoder, and both are trained") {
    for (const char* kind : {"SimpleRNN", "GRU", "LSTM"}) {
      CAPTURE(kind);
      TemporaryFolder folder;
      const Project project = projectOf(encoderAndDecoder(kind));
      CHECK(problemsIn(project) == "");
      Recorder recorder;
      const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(recorder.steps.back().loss < recorder.steps.front().loss);
    }
  }

  TEST_CASE("the last state is the last output, and the decoder's initial state matters") {
    Diagnostics diagnostics;
    const Model model =
        parseModel(projectOf(encoderAndDecoder("LSTM", {{"return_sequences", true}})), diagnostics);
    REQUIRE(diagnostics.empty());
    Graph graph;
    std::vector<VariableRequest> variables;
    NextValues next;
    const std::vector<ValueId> values =
        lowerLayers(graph, model, StepMode::Predict, 2, variables, next);
    CHECK(graph.shape(values[1]) == Shape{2, 5, 4});
    CHECK(graph.shape(values[2]) == Shape{2, 5, 4});
  }

  TEST_CASE("Bidirectional returns both directions and the states of both") {
    for (const bool hasStates : {false, true}) {
      const Json inner{
          {"type", "GRU"}, {"units", 4}, {"return_sequences", true}, {"return_state", hasStates}};
      Json layers = Json::array(
          {{{"type", "Input"}, {"name", "x"}, {"shape", {5, 3}}},
           {{"type", "Bidirectional"}, {"name", "both"}, {"merge_mode", nullptr}, {"layer", inner}},
           {{"type", "Subtract"}, {"name", "less"}, {"inputs", {"both", "both:1"}}},
           {{"type", "GlobalAveragePooling1D"}, {"name", "mean"}}});
      if (hasStates)
        layers.push_back(
            {{"type", "Concatenate"}, {"name", "join"}, {"inputs", {"mean", "both:2", "both:3"}}});
      layers.push_back(
          {{"type", "Dense"}, {"name", "out"}, {"units", 3}, {"activation", "softmax"}});
      const Project project = projectOf(layers);
      CHECK(problemsIn(project) == "");
      Diagnostics ignored;
      const ModelSummary summary =
          summarizeModel(parseModel(project, ignored), project, 2, ignored);
      CHECK(summary.layers[2].outputShape == Shape{5, 4});
      if (hasStates) CHECK(summary.layers[4].outputShape == Shape{12});
      Recorder recorder;
      const RunOutcome outcome = trainAll(optionsFor(project), recorder);
      CHECK_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    }
  }

  TEST_CASE("ConvLSTM2D returns its states and starts from given ones") {
    const Json conv{{"filters", 2}, {"kernel_size", {3, 3}}, {"padding", "same"}};
    Json first{{"type", "ConvLSTM2D"}, {"name", "first"}, {"return_state", true}},
        second{{"type", "ConvLSTM2D"}, {"name", "second"}, {"inputs", {"x", "first:1", "first:2"}}};
    first.update(conv);
    second.update(conv);
    Project project = projectOf(Json::array(
        {{{"type", "Input"}, {"name", "x"}, {"shape", {2, 4, 4, 1}}},
         first,
         second,
         {{"type", "Flatten"}, {"name", "flat"}},
         {{"type", "Dense"}, {"name", "out"}, {"units", 3}, {"activation", "softmax"}}}));
    project.document()["data"]["source"]["shape"] = {2, 4, 4, 1};
    CHECK(problemsIn(project) == "");
    project.document()["model"]["layers"][2]["inputs"] = {"x", "first:1"};
    CHECK(problemsIn(project).find("second: it has 2 inputs (expected the sequence, or the "
                                   "sequence and the initial state and cell state") !=
          std::string::npos);
  }

  TEST_CASE("outputs that do not exist are reported") {
    Json layers = encoderAndDecoder("LSTM");
    layers[1].erase("return_state");
    CHECK(problemsIn(projectOf(layers))
              .find("missing_output decoder: its input encoder:1 is a state, but encoder does not "
                    "return its states") != std::string::npos);
    layers = encoderAndDecoder("GRU");
    layers[2]["inputs"] = {"x", "encoder:7"};
    CHECK(problemsIn(projectOf(layers))
              .find("encoder:7 is not an output of encoder (expected at most encoder:1)") !=
          std::string::npos);
    layers[2]["inputs"] = {"x:1"};
    CHECK(problemsIn(projectOf(layers)).find("x:1 does not exist because x has only one output") !=
          std::string::npos);
    layers[2]["inputs"] = {"x", "incoder:1"};
    CHECK(problemsIn(projectOf(layers)).find("Did you mean \"encoder\"") != std::string::npos);
  }

  TEST_CASE("edits keep the chosen output") {
    Json document = projectOf(encoderAndDecoder("LSTM")).document();
    applyEdit(document, renameLayerEdit(document, "encoder", "first"));
    CHECK(document["model"]["layers"][2]["inputs"] == Json::array({"x", "first:1", "first:2"}));
    applyEdit(document, addLayerEdit(document, "Dropout", 1));
    CHECK(document["model"]["layers"][3]["inputs"] == Json::array({"x", "first:1", "first:2"}));
    applyEdit(document, moveLayerEdit(document, "flat", 3));
    CHECK(document["model"]["layers"][4]["inputs"] == Json::array({"x", "first:1", "first:2"}));
    CHECK_THROWS_AS(groupLayersEdit(document, {"first"}), Error);
  }

  TEST_CASE("a stateful layer needs whole batches") {
    Project project = projectOf(encoderAndDecoder("GRU"));
    project.document()["model"]["layers"][1]["stateful"] = true;
    CHECK(problemsIn(project).find("uneven_batches encoder: it is stateful, but 117 samples "
                                   "cannot be divided into batches of 16") != std::string::npos);
    project.document()["training"]["batch_size"] = 13;
    CHECK(problemsIn(project) == "");
    project.document()["training"]["gradient_accumulation_steps"] = 2;
    CHECK(
        problemsIn(project).find(
            "uneven_pieces encoder: it is stateful, but batches are split into 2 micro-batches") !=
        std::string::npos);
  }
}
