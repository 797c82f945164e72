// SPDX-License-Identifier: Apache-2.0
// Targets that read files which Strata ships or saves for itself, reference files, and the engine's
// texts.
#include <nlohmann/json.hpp>

#include "core/cost/algorithms_file.h"
#include "core/cost/calibration_file.h"
#include "core/cost/catalogue.h"
#include "core/cost/kernel_choices_file.h"
#include "core/interchange/safetensors.h"
#include "core/layers/formula.h"
#include "core/verify/verify.h"
#include "gpu/base/error.h"
#include "gpu/graph/text.h"
#include "gpu/ops/fused_pointwise.h"
#include "tests/fuzz/target.h"
#include "tests/support/random_graph.h"

namespace strata::fuzz {

namespace {

constexpr const char* kCatalogue =
    R"({"format": "strata-devices", "version": 1, "notes": "", "devices": [
  {"name": "GeForce GTX 1060 6GB", "vendor": "NVIDIA", "kind": "desktop", "compute_capability": "6.1", "cores": 1280, "boost_mhz": 1708, "memory_bytes": 6442450944, "bandwidth_gb_per_second": 192, "tflops": {"float32": 4.37, "tf32": null, "bfloat16": null, "float16": null}, "source": "https://www.nvidia.com/"},
  {"name": "Radeon X", "vendor": "AMD", "kind": "laptop", "compute_capability": null, "cores": 100, "boost_mhz": 1000, "memory_bytes": 8589934592, "bandwidth_gb_per_second": 100.5, "tflops": {"float32": 5, "tf32": null, "bfloat16": 10, "float16": 20}, "source": "https://www.amd.com/"}]})";

std::string calibrationText() {
  Calibration calibration;
  calibration.threads = 2;
  calibration.processor = "A \"processor\"";
  calibration.instructions = "avx2";
  calibration.flopsPerSecond = 1.5e11;
  calibration.stepSeconds = 4e-7;
  calibration.memory = {{65536, 2e11}, {131072, 1e11}};
  calibration.families["gemm nn"] = {{1e-11, 2e-10, 0, 0, 3e-7}, 4e5, 0.5, 0.03};
  calibration.families["softmax"] = {{1e-9, 0, 0, 0, 1e-7}, 4e4, -1, 0.01};
  return printCalibration(calibration);
}

std::string measurementsText() {
  return printKernelMeasurements(
      {{"conv2d a -> b {}", {{"", 1e-3, true}, {"direct", 5e-4, true}}}});
}

const DeviceVersions kCardVersions{{"card", "simulated:H100"}, {"cuDNN", "9.19.0"}};

std::string algorithmsText() {
  return printAlgorithms(
      kCardVersions,
      {{"conv2d a -> b {}", {{"", 1e-3, true, "eng0", 64}, {"eng5{k2=3}", 5e-4, true, "", 4096}}}});
}

constexpr const char* kManifest =
    R"({"format": "strata-reference", "tensors": "set.safetensors", "cases": [
  {"id": "decay", "kind": "schedule", "schedule": {"type": "ExponentialDecay", "initial_learning_rate": 1, "decay_steps": 10, "decay_rate": 0.5}},
  {"id": "dense", "kind": "layer", "training": false, "layers": [{"type": "Input", "name": "x", "shape": [2]}, {"type": "Dense", "name": "d", "units": 3}]},
  {"id": "loss", "kind": "loss", "loss": {"type": "mean_squared_error"}},
  {"id": "metric", "kind": "metric", "metric": {"type": "mean_absolute_error"}, "updates": [1, 1]},
  {"id": "train", "kind": "training", "layers": [{"type": "Input", "name": "x", "shape": [2]}, {"type": "Dense", "name": "d", "units": 3}],
   "training": {"loss": "mean_squared_error", "optimizer": {"type": "sgd", "learning_rate": 0.1}, "batch_size": 2}, "data": {"x": "train/x", "y": "train/y"}, "steps": 2},
  {"id": "sgd", "kind": "optimizer", "optimizer": {"type": "sgd", "learning_rate": 0.1}, "checked": [1], "steps": 1}]})";

std::string manifestTensors() {
  std::map<std::string, Tensor> tensors;
  tensors.emplace("decay/step", Tensor::from<int64_t>(Shape{2}, std::vector<int64_t>{0, 10}));
  tensors.emplace("decay/value", Tensor::from<double>(Shape{2}, std::vector<double>{1, 0.5}));
  tensors.emplace("dense/input/0", counted<float>({1, 2}));
  tensors.emplace("dense/weight/d/kernel", counted<float>({2, 3}));
  tensors.emplace("dense/weight/d/bias", counted<float>({3}));
  tensors.emplace("dense/output", counted<float>({1, 3}));
  for (const char* id : {"loss", "metric"}) {
    tensors.emplace(std::string(id) + "/prediction", counted<float>({2, 3}));
    tensors.emplace(std::string(id) + "/target", counted<float>({2, 3}));
    tensors.emplace(std::string(id) + "/value", Tensor(DType::F32, Shape{}));
  }
  tensors.emplace("loss/prediction_gradient", Tensor(DType::F32, {2, 3}));
  tensors.emplace("sgd/weight/w", counted<float>({3}));
  tensors.emplace("sgd/gradient/1/w", Tensor(DType::F32, Shape{3}));
  tensors.emplace("sgd/weight_after/1/w", counted<float>({3}));
  tensors.emplace("train/weight/d/kernel", counted<float>({2, 3}));
  tensors.emplace("train/weight/d/bias", counted<float>({3}));
  tensors.emplace("train/x", Tensor(DType::F32, {4, 2}));
  tensors.emplace("train/y", Tensor(DType::F32, {4, 3}));
  tensors.emplace("train/loss", counted<float>({2}));
  return bytesWritten(
      [&](const std::string& path) { writeSafetensors(path, viewsOf(tensors), {}, false); });
}

std::vector<Seed> manifestSeeds() {
  return {{kManifest, Kind::Json, "set.json"}, {manifestTensors(), Kind::Bytes, "set.safetensors"}};
}

std::string readManifest(const Mutant& mutant) {
  static const std::vector<Seed> whole = manifestSeeds();
  for (const Seed& seed : whole)
    if (seed.file != mutant.file) mutant.put(seed.file, seed.bytes);
  mutant.put(mutant.file);
  (void)verifyManifest((mutant.folder / "set.json").string(), "reference");
  return "";
}

std::vector<Seed> graphSeeds() {
  std::vector<Seed> seeds{{printGraph(graphOfEveryOp()), Kind::Text}};
  for (uint64_t seed = 1; seed <= 6; ++seed)
    seeds.push_back({printGraph(randomGraph(seed)), Kind::Text});
  return seeds;
}

}  // namespace

void addEngineTargets(std::vector<Target>& targets) {
  const auto textTarget = [&](const char* name, Kind kind, std::vector<std::string> (*texts)(),
                              void (*read)(const std::string&)) {
    targets.push_back({name,
                       [kind, texts] {
                         std::vector<Seed> seeds;
                         for (std::string& text : texts())
                           seeds.push_back({std::move(text), kind});
                         return seeds;
                       },
                       [read](const Mutant& mutant) {
                         read(mutant.bytes);
                         return std::string();
                       }});
  };
  textTarget(
      "catalogue", Kind::Json, [] { return std::vector<std::string>{kCatalogue}; },
      [](const std::string& text) {
        const auto devices = parseCatalogue(text, "devices.json");
        for (const CatalogueDevice& device : devices)
          (void)device.isTooOld();
        (void)catalogueDevice(devices, "GTX 1060");
      });
  textTarget(
      "calibration", Kind::Json, [] { return std::vector<std::string>{calibrationText()}; },
      [](const std::string& text) {
        (void)parseCalibration(text, "calibration.json").secondsPerByte(1e5);
      });
  textTarget(
      "measurements", Kind::Json, [] { return std::vector<std::string>{measurementsText()}; },
      [](const std::string& text) { (void)parseKernelMeasurements(text, "kernels.json"); });
  textTarget(
      "algorithms", Kind::Json, [] { return std::vector<std::string>{algorithmsText()}; },
      [](const std::string& text) {
        (void)parseAlgorithms(text, "algorithms.json", kCardVersions);
      });
  targets.push_back({"manifest", manifestSeeds, readManifest});
  targets.push_back({"graph", graphSeeds, [](const Mutant& mutant) {
                       const std::string text = printGraph(parseGraph(mutant.bytes));
                       if (printGraph(parseGraph(text)) != text)
                         throw std::logic_error("a graph that was read prints to another one");
                       return std::string();
                     }});
  textTarget(
      "pointwise", Kind::Text,
      [] {
        return std::vector<std::string>{"subtract x0 x1; multiply t0 x2; activation relu 0 t1",
                                        "affine 2 0.5 x0; add t0 x1; exp t1; add t2 x2",
                                        "multiply x0 x1; add t0 x2"};
      },
      [](const std::string& text) { (void)printPointwise(parsePointwise(text, 3), 3); });
  textTarget(
      "formula", Kind::Text,
      [] {
        return std::vector<std::string>{"x * 2 + max(x, 0.5) ^ 2", "-(y - 1) / (x >= 0.25)",
                                        "exp(sin(x))"};
      },
      [](const std::string& text) {
        Graph graph;
        const ValueId x = graph.addInput("x", {DType::F32, {2, 3}});
        try {
          (void)appendFormula(graph, text, [&](const std::string& name) {
            return name == "x" || name == "y" ? x : ValueId{};
          });
        }
        catch (const FormulaProblem&) {
          // FormulaProblem is the only exception that the formula parser throws.
          throw Error(ErrorCode::InvalidProject, "formula", "has a problem.");
        }
      });
}

}  // namespace strata::fuzz
