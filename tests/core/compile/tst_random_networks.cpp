// SPDX-License-Identifier: Apache-2.0
// Tests networks of random layers: the allocated memory equals the predicted peak, memory limits
// are respected, and freed memory is returned to the system. Canaries detect writes out of bounds.
#include <doctest/doctest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include <nlohmann/json.hpp>

#include "core/train/network.h"
#include "core/train/plan.h"
#include "gpu/base/rng.h"

using namespace strata;

namespace {

/// Returns a network of random layers: convolutions, pooling, normalization, activations, dropout,
/// sums and concatenations, sometimes attention, and finally dense layers.
Project randomNetwork(uint64_t seed) {
  RandomStream random(seed, streamOf("network"));
  const auto pick = [&](uint32_t count) {
    return static_cast<int>(random.below(count));
  };
  Json layers = Json::array();
  const int side = 6 + pick(7), channels = 1 + pick(4);
  layers.push_back({{"type", "Input"}, {"name", "in"}, {"shape", {side, side, channels}}});
  int number = 0;
  const auto push = [&](Json layer) {
    layer["name"] = "l" + std::to_string(number++);
    layers.push_back(std::move(layer));
    return layers.back()["name"].get<std::string>();
  };
  const char* const activations[] = {"linear", "relu", "tanh", "sigmoid", "elu", "gelu"};
  for (int i = 1 + pick(6); i > 0; --i) {
    const std::string before = layers.back()["name"];
    switch (pick(12)) {
      case 0:
      case 1:
        push({{"type", "Conv2D"},
              {"filters", 1 + pick(20)},
              {"kernel_size", {1 + pick(3), 1 + pick(3)}},
              {"padding", "same"},
              {"activation", activations[pick(6)]}});
        break;
      case 2: push({{"type", "BatchNormalization"}}); break;
      case 3: push({{"type", "Dropout"}, {"rate", 0.3}}); break;
      case 4:
        push({{"type", "DepthwiseConv2D"}, {"kernel_size", {3, 3}}, {"padding", "same"}});
        break;
      case 5:
        push({{"type", pick(2) ? "MaxPooling2D" : "AveragePooling2D"},
              {"pool_size", {2, 2}},
              {"padding", "same"}});
        break;
      case 6: {
        const std::string branch =
            push({{"type", "Activation"}, {"activation", activations[1 + pick(5)]}});
        push({{"type", "Add"}, {"inputs", {before, branch}}});
        break;
      }
      case 7:
        push({{"type", "Conv2DTranspose"},
              {"filters", 1 + pick(9)},
              {"kernel_size", {1 + pick(3), 1 + pick(3)}},
              {"padding", "same"},
              {"activation", activations[pick(6)]}});
        break;
      case 8:
        push({{"type", "SeparableConv2D"},
              {"filters", 1 + pick(12)},
              {"kernel_size", {3, 3}},
              {"padding", "same"}});
        break;
      case 9: push({{"type", pick(2) ? "LayerNormalization" : "RMSNormalization"}}); break;
      case 10:
        push({{"type", "UpSampling2D"}, {"size", {2, 2}}});
        push({{"type", "AveragePooling2D"}, {"pool_size", {2, 2}}});
        break;
      default: {
        const std::string branch =
            push({{"type", "Conv2D"}, {"filters", 1 + pick(8)}, {"kernel_size", {1, 1}}});
        push({{"type", "Concatenate"}, {"inputs", {before, branch}}});
      }
    }
  }
  push(pick(2) ? Json{{"type", "Flatten"}} : Json{{"type", "GlobalAveragePooling2D"}});
  if (pick(4) == 0) {
    push({{"type", "Dense"}, {"units", 24}});
    const std::string sequence = push({{"type", "Reshape"}, {"target_shape", {4, 6}}});
    const std::string attention = push({{"type", "MultiHeadAttention"},
                                        {"num_heads", 2},
                                        {"key_dim", 3},
                                        {"inputs", {sequence, sequence}}});
    push({{"type", "Add"}, {"inputs", {sequence, attention}}});
    push({{"type", "GlobalAveragePooling1D"}});
  }
  for (int i = pick(3); i > 0; --i)
    push({{"type", "Dense"}, {"units", 1 + pick(60)}, {"activation", activations[pick(6)]}});
  push({{"type", "Dense"}, {"units", 5}, {"activation", "softmax"}});
  const char* const optimizers[] = {"sgd", "adam", "rmsprop", "adagrad"};
  Json training{{"loss", "sparse_categorical_crossentropy"},
                {"optimizer", optimizers[pick(4)]},
                {"metrics", {"accuracy"}},
                {"batch_size", 1 + pick(9)},
                {"seed", 3}};
  if (pick(4) == 0) training["gradient_accumulation_steps"] = 1 + pick(4);
  return Project(Json{{"model", {{"layers", layers}}}, {"training", training}}, "");
}

size_t residentBytes() {
  size_t total = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu %zu", &total, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

/// Returns the state after two updates on random inputs.
std::map<std::string, Tensor> trained(Network& network, bool hasCanaries) {
  const int64_t batch = network.steps().batchSize();
  network.prepare({batch}, {});
  network.state().initialize(3);
  for (int step = 1; step <= 2; ++step)
    for (const MicroBatch& piece : network.steps().microBatchesOf(batch)) {
      Program& program = network.trainProgram(piece);
      program.setCanaries(hasCanaries);
      RandomStream random(7, streamOf("data"));
      Tensor input(program.graph().type(findInput(program.graph(), "in")));
      for (float& value : input.as<float>())
        value = random.uniform() - 0.5f;
      program.writeInput("in", input);
      setStep(program, step, 0.01, 3, piece.offset,
              static_cast<double>(piece.samples) / static_cast<double>(batch));
      CHECK(program.run() == Program::Outcome::Done);
    }
  return network.state().all();
}

bool isBitEqual(const std::map<std::string, Tensor>& a, const std::map<std::string, Tensor>& b) {
  for (const auto& [name, tensor] : a)
    if (!tensor.isBitEqual(b.at(name))) return false;
  return a.size() == b.size();
}

}  // namespace

TEST_SUITE("random networks") {
  TEST_CASE(
      "two hundred networks allocate the predicted peak, in training and evaluation, with and "
      "without limits") {
    int limited = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      CAPTURE(seed);
      const Project project = randomNetwork(seed);
      NetworkOptions options;
      options.threads = 1 + static_cast<int>(seed % 2);
      PlanOptions planning;
      planning.threads = options.threads;
      planning.findsLargestBatch = planning.measuresStepTime = false;
      planning.recompute = options.recompute = seed % 3 == 0 ? Recompute::All : Recompute::None;
      const TrainingPlan plan = planTraining(project, planning);
      Network network(project, options);
      const auto state = trained(network, false);
      CHECK(network.allocatedBytes() == network.plannedPeakBytes());
      CHECK(plan.peakBytes == network.allocatedBytes());
      CHECK(plan.lowerBoundBytes <= plan.peakBytes);
      CHECK((plan.whyAboveBound.empty() ==
             (plan.peakBytes - plan.lowerBoundBytes <= plan.lowerBoundBytes / 100)));
      network.prepare({}, {3, 1});
      CHECK(network.allocatedBytes() == network.plannedPeakBytes());
      if (seed % 5 != 0) continue;
      Network watched(project, options);
      CHECK(isBitEqual(state, trained(watched, true)));
      // A limit between the smallest and the largest peak is respected, with bit-identical results.
      planning.recompute = Recompute::All;
      const TrainingPlan smallest = planTraining(project, planning);
      if (smallest.peakBytes >= smallest.keptPeakBytes) continue;
      ++limited;
      NetworkOptions tight = options;
      tight.recompute = Recompute::Auto;
      tight.memoryLimitBytes =
          smallest.peakBytes + (smallest.keptPeakBytes - smallest.peakBytes) / 3;
      Network small(project, tight);
      CHECK(isBitEqual(state, trained(small, true)));
      CHECK(small.allocatedBytes() <= *tight.memoryLimitBytes);
      planning.recompute = tight.recompute;
      planning.memoryLimitBytes = tight.memoryLimitBytes;
      CHECK(planTraining(project, planning).peakBytes == small.allocatedBytes());
      // The limit and the predicted peak also hold with the smaller last batch of an epoch, for
      // which the step may recompute less.
      Json document = project.document();
      const int64_t batch = small.steps().batchSize(), ragged = batch / 2;
      document["data"]["source"] = {{"type", "random"},
                                    {"samples", 3 * batch + ragged},
                                    {"shape", document["model"]["layers"][0]["shape"]},
                                    {"classes", 5}};
      small.prepare(small.steps().batchesOf(3 * batch + ragged), {});
      CHECK(planTraining(Project(document, ""), planning).peakBytes == small.allocatedBytes());
      CHECK(small.allocatedBytes() <= *tight.memoryLimitBytes);
    }
    CHECK(limited > 10);
  }

  TEST_CASE("freed memory is returned to the system between runs") {
    const Json layers = Json::parse(R"([{"type": "Input", "name": "in", "shape": [32, 32, 8]},
      {"type": "Conv2D", "name": "a", "filters": 16, "kernel_size": [3, 3], "padding": "same", "activation": "relu"},
      {"type": "Conv2D", "name": "b", "filters": 16, "kernel_size": [3, 3], "padding": "same", "activation": "relu"},
      {"type": "GlobalAveragePooling2D", "name": "gap"}, {"type": "Dense", "name": "out", "units": 5, "activation": "softmax"}])");
    const size_t before = residentBytes();
    size_t held = 0, after = 0;
    for (const int64_t batch : {24, 200, 50, 120, 24}) {
      {
        Network network(Project(Json{{"model", {{"layers", layers}}},
                                     {"training",
                                      {{"loss", "sparse_categorical_crossentropy"},
                                       {"optimizer", "sgd"},
                                       {"batch_size", batch}}}},
                                ""),
                        {});
        trained(network, false);
        held = std::max(held, residentBytes());
      }
      after = std::max(after, residentBytes());
    }
    MESSAGE("resident before, while and after: ", before >> 20, " ", held >> 20, " ", after >> 20,
            " MiB");
    CHECK(held > before + (size_t{40} << 20));
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("a sanitizer keeps freed memory: what goes back was not looked at");
#else
    CHECK(after < before + (size_t{20} << 20));
#endif
  }
}
