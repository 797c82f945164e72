// SPDX-License-Identifier: Apache-2.0
// Measures the time that the window needs after an edit: for checks, for the shapes and costs of
// the layers, and for the memory of a step. Without a project, the benchmark uses two
// networks of 200 layers: convolutions with batch normalization, and dense layers.
//   strata_refresh_bench [-n ROUNDS] [PROJECT.json...]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/model/model.h"
#include "core/train/plan.h"

using namespace strata;
using Clock = std::chrono::steady_clock;

namespace {

Project deepProject(bool isDense, int layers) {
  Json list = Json::array();
  list.push_back(
      {{"type", "Input"}, {"name", "x"}, {"shape", isDense ? Json({64}) : Json({32, 32, 3})}});
  for (int i = 1; i + 2 < layers; ++i) {
    const std::string name = "l" + std::to_string(i);
    if (isDense)
      list.push_back({{"type", "Dense"}, {"name", name}, {"units", 64}, {"activation", "relu"}});
    else if (i % 2 == 1)
      list.push_back({{"type", "Conv2D"},
                      {"name", name},
                      {"filters", 16 + 16 * (i / 50)},
                      {"kernel_size", {3, 3}},
                      {"padding", "same"}});
    else
      list.push_back({{"type", "BatchNormalization"}, {"name", name}});
  }
  list.push_back({{"type", "Flatten"}, {"name", "flat"}});
  list.push_back({{"type", "Dense"}, {"name", "out"}, {"units", 10}, {"activation", "softmax"}});
  return Project({{"format", "strata-project"},
                  {"version", 1},
                  {"name", isDense ? "200 dense layers" : "200 layers of maps"},
                  {"data",
                   {{"source",
                     {{"type", "random"},
                      {"samples", 640},
                      {"shape", list[0]["shape"]},
                      {"classes", 10},
                      {"seed", 1}}}}},
                  {"model", {{"layers", list}}},
                  {"training",
                   {{"loss", {{"type", "sparse_categorical_crossentropy"}}},
                    {"optimizer", {{"type", "adam"}}},
                    {"batch_size", 64},
                    {"epochs", 1}}}},
                 "");
}

void measure(const Project& project, const std::string& name, int rounds) {
  std::vector<double> all, checking;
  for (int i = 0; i < rounds; ++i) {
    const auto start = Clock::now();
    Diagnostics diagnostics;
    const Model model = parseModel(project, diagnostics);
    (void)summarizeModel(model, project, 64, diagnostics);
    checking.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    PlanOptions options;
    options.findsLargestBatch = options.measuresStepTime = false;
    (void)planTraining(project, options);
    all.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::sort(all.begin(), all.end());
  std::sort(checking.begin(), checking.end());
  std::printf("%-22s %5.1f ms (least %.1f, most %.1f), of these checking and shapes %.1f ms\n",
              name.c_str(), 1e3 * all[all.size() / 2], 1e3 * all.front(), 1e3 * all.back(),
              1e3 * checking[checking.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = 15, first = 1;
  if (first + 1 < argc && std::strcmp(argv[first], "-n") == 0) {
    rounds = std::max(1, std::atoi(argv[first + 1]));
    first += 2;
  }
  for (const bool isDense : {false, true})
    if (first == argc) {
      const Project project = deepProject(isDense, 200);
      measure(project, project.name(), rounds);
    }
  for (int i = first; i < argc; ++i)
    measure(loadProject(argv[i]).value(), argv[i], rounds);
}
