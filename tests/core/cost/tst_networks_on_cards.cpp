// SPDX-License-Identifier: Apache-2.0
// What real cards would be asked for by the networks of the shared workloads and of projects/,
// without a card: every convolution and attention, forward and backward, has a plan of cuDNN for
// each of eight cards, and NVRTC compiles every generated kernel for all architectures.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/cost/open_device.h"
#include "core/cost/simulated_card.h"
#include "core/project/project.h"
#include "core/train/step_builder.h"
#include "gpu/devices/machine_report.h"
#include "gpu/graph/op.h"
#include "tests/gpu/cuda/generated_kernels.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

using namespace strata;

namespace {

namespace fs = std::filesystem;

constexpr const char* kCards[] = {"T4",   "A100", "RTX 3060 12GB", "RTX 4090",
                                  "H100", "H200", "B200",          "RTX 5090"};

/// Returns whether the plug-in finds a library.
bool hasLibrary(const char* name) {
  if (!test::canRun(whyNoSimulatedCards())) return false;
  for (const FoundLibrary& library : readMachineFacts().libraries)
    if (library.name == name && library.problem.empty()) return true;
  return test::canRun("there is no " + std::string(name));
}

std::vector<fs::path> networkFiles() {
  std::vector<fs::path> files;
  std::vector<fs::path> folders{sourceDir() / "projects"};
  if (!sharedDir().empty()) folders.push_back(sharedDir() / "peers" / "workloads");
  for (const fs::path& folder : folders)
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// The training step of a network on a card.
struct CardStep {
  CardStep(const fs::path& file, const std::string& card, const char* precision)
      : steps(projectOf(file, precision), optionsOf(card)),
        graph(steps.stepGraph(StepMode::Train, steps.batchSize()).graph) {}
  StepBuilder steps;
  Graph graph;

 private:
  static Project projectOf(const fs::path& file, const char* precision) {
    Json document = loadProject(file.string()).value().document();
    document["execution"]["precision"] = precision;
    // One card computes all layers
    document["execution"].erase("strategy");
    for (Json& layer : document["model"]["layers"])
      layer.erase("device");
    return Project(std::move(document));
  }
  static NetworkOptions optionsOf(const std::string& card) {
    NetworkOptions options;
    options.device = kSimulatedPrefix + card;
    options.threads = 1;
    return options;
  }
};

}  // namespace

TEST_SUITE_BEGIN("simulated cards");

TEST_CASE("every library call of the networks has a plan of cuDNN on eight cards") {
  if (!hasLibrary("cuDNN")) return;
  int numConvolutions = 0, numAttentions = 0;
  for (const fs::path& file : networkFiles())
    for (const char* card : kCards)
      for (const char* precision : {"float32", "bfloat16", "float16"}) {
        const bool isOld = std::string_view(card) == "T4";
        if (isOld && std::string_view(precision) == "bfloat16") continue;
        CAPTURE(file.string());
        CAPTURE(std::string(card));
        CAPTURE(std::string(precision));
        const CardStep step(file, card, precision);
        for (const NodeId id : step.graph.order()) {
          const Node& node = step.graph.node(id);
          const std::string_view op = node.op->name;
          const bool isAttention = op.starts_with("attention");
          if (!isAttention && !op.starts_with("conv2d")) continue;
          CAPTURE(node.layer);
          const std::string made =
              step.steps.device().createKernel(step.graph, id)->implementation();
          if (isAttention && (isOld || !isLowPrecision(step.graph.type(node.inputs[0]).dtype))) {
            CHECK(made == op);
            continue;
          }
          CHECK_MESSAGE(made.starts_with("cuDNN eng"), made);
          (isAttention ? numAttentions : numConvolutions) += 1;
        }
      }
  MESSAGE(numConvolutions << " convolutions, " << numAttentions << " attention calls");
  CHECK(numConvolutions > 100);
  if (!sharedDir().empty()) CHECK(numAttentions > 50);
}

TEST_CASE("NVRTC compiles the generated kernels of the networks for all architectures") {
  if (!hasLibrary("NVRTC")) return;
  std::map<std::string, std::string> kernels;
  for (const fs::path& file : networkFiles())
    for (const char* precision : {"float32", "bfloat16", "float16"}) {
      CAPTURE(file.string());
      kernels.merge(test::generatedKernels(CardStep(file, "H100", precision).graph));
    }
  MESSAGE(kernels.size() << " kernels");
  CHECK(kernels.size() > 5);
  for (const auto& [name, text] : kernels)
    for (const int architecture : {75, 80, 86, 89, 90, 100, 120})
      CHECK(test::problemOfKernel(name, text, architecture) == "");
}

TEST_SUITE_END();
