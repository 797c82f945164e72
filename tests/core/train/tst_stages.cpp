// SPDX-License-Identifier: Apache-2.0
// Stages with frozen layers, settings that change at a step, steps_per_epoch, validation within
// epochs; each resumes with the same bits.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/interchange/safetensors.h"
#include "core/model/model.h"
#include "core/runs/history.h"
#include "core/train/plan.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

Project projectWith(const std::vector<std::pair<const char*, const char*>>& values) {
  Project project = smallProject();
  for (const auto& [pointer, value] : values)
    project.document()[Json::json_pointer(pointer)] = Json::parse(value);
  return project;
}

std::map<std::string, Tensor> weightsIn(const std::filesystem::path& run) {
  return readSafetensors((run / "weights.safetensors").string()).tensors;
}

bool isSame(const std::map<std::string, Tensor>& a, const std::map<std::string, Tensor>& b,
            const std::string& name) {
  const Tensor &x = a.at(name), &y = b.at(name);
  return x.bytes() == y.bytes() && std::memcmp(x.data(), y.data(), x.bytes()) == 0;
}

/// Trains to the end, stopped after `stopAt` (0: never) and then resumed. Returns the outcome of
/// the last part.
RunOutcome trained(const Project& project, const std::filesystem::path& run, int64_t stopAt,
                   Recorder& recorder) {
  if (stopAt > 0) {
    Recorder first;
    TrainingSession session(optionsFor(project, run), first);
    first.onStepDone = [&](int64_t step) {
      if (step == stopAt) session.stop();
    };
    session.start();
    REQUIRE(session.wait().outcome == Outcome::Stopped);
  }
  SessionOptions options = optionsFor(project, run);
  if (stopAt > 0) options.resumeFrom = run.string();
  return trainAll(options, recorder);
}

/// A run stopped at each of these steps ends with the bits of one that is not, and reports the same
/// epochs and settings.
void checkContinues(const Project& project, const std::vector<int64_t>& stops) {
  TemporaryFolder folder;
  Recorder whole;
  const RunOutcome expected = trained(project, folder / "whole", 0, whole);
  REQUIRE_MESSAGE(expected.outcome == Outcome::Finished, messageOf(expected));
  for (const int64_t stop : stops) {
    CAPTURE(stop);
    const auto run = folder / std::to_string(stop);
    Recorder recorder;
    const RunOutcome outcome = trained(project, run, stop, recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(outcome.weightsHash == expected.weightsHash);
    CHECK(outcome.steps == expected.steps);
    CHECK(outcome.endedBy == expected.endedBy);
    CHECK(outcome.restoredEpoch == expected.restoredEpoch);
    CHECK(outcome.testLoss == expected.testLoss);
    const HistoryReader history((run / "history.bin").string()),
        wanted((folder / "whole/history.bin").string());
    REQUIRE(history.size() == wanted.size());
    for (size_t i = 0; i < history.size(); ++i) {
      CHECK(history[i].step == wanted[i].step);
      CHECK(history[i].kind == wanted[i].kind);
      CHECK(history[i].loss == wanted[i].loss);
      CHECK(history[i].learningRate == wanted[i].learningRate);
    }
  }
}

}  // namespace

TEST_SUITE("stages") {
  TEST_CASE("a frozen layer keeps its bits during its stage, and its gradient is not computed") {
    TemporaryFolder folder;
    Recorder recorder;
    const Project project = projectWith(
        {{"/training/stages",
          R"([{"name": "head", "epochs": 2, "trainable": ["out"]}, {"frozen": ["out"]}])"}});
    SessionOptions options = optionsFor(project, folder / "run");
    options.maxSteps = 16;
    REQUIRE(trainAll(options, recorder).outcome == Outcome::Finished);
    const auto head = weightsIn(folder / "run");
    Recorder none;
    Project plain = smallProject();
    plain.document()["training"]["optimizer"] = Json{{"type", "sgd"}, {"learning_rate", 0.0}};
    REQUIRE(trainAll(optionsFor(plain, folder / "initial"), none).outcome == Outcome::Finished);
    const auto initial = weightsIn(folder / "initial");
    CHECK(isSame(head, initial, "conv/kernel"));
    CHECK(isSame(head, initial, "norm/gamma"));
    CHECK_FALSE(isSame(head, initial, "out/kernel"));
    Recorder second;
    REQUIRE(trainAll(optionsFor(project, folder / "both"), second).outcome == Outcome::Finished);
    const auto both = weightsIn(folder / "both");
    CHECK(isSame(both, head, "out/kernel"));
    CHECK_FALSE(isSame(both, head, "conv/kernel"));
    REQUIRE(second.settings.size() == 2);
    CHECK(second.settings[1].name == "stage");
    CHECK(second.settings[1].step == 17);
    CHECK(second.settings[1].value == 2);
    std::ifstream choices(folder / "run/choices.json");
    const std::string text(std::istreambuf_iterator<char>(choices), {});
    for (const char* op : {"conv2d_backward_weights", "batch_norm_backward"})
      CHECK(text.find(op) == std::string::npos);
    std::ifstream all(folder / "initial/choices.json");
    const std::string usual(std::istreambuf_iterator<char>(all), {});
    for (const char* op : {"conv2d_backward_weights", "batch_norm_backward"})
      CHECK(usual.find(op) != std::string::npos);
  }

  TEST_CASE("a stage that exceeds the limit is reported before the first step") {
    const auto bytesOf = [](const Project& project) {
      Recorder recorder;
      REQUIRE(trainAll(optionsFor(project), recorder).outcome == Outcome::Finished);
      return recorder.outcome.peakBytes;
    };
    const Project project =
        projectWith({{"/training/stages", R"([{"epochs": 1, "trainable": ["out"]}, {}])"},
                     {"/execution", R"({"recompute": "none"})"}});
    const size_t head = bytesOf(projectWith({{"/training/stages", R"([{"trainable": ["out"]}])"}})),
                 all = bytesOf(project);
    REQUIRE(head < all);
    Recorder recorder;
    SessionOptions options = optionsFor(project);
    options.memoryLimitBytes = (head + all) / 2;
    const RunOutcome outcome = trainAll(options, recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->code() == ErrorCode::OutOfMemory);
    CHECK(recorder.steps.empty());
    options.memoryLimitBytes = all;
    Recorder fits;
    CHECK(trainAll(options, fits).outcome == Outcome::Finished);
    CHECK(fits.start.plannedPeakBytes == all);
  }

  TEST_CASE("the state left by layers of an earlier stage is planned for, also in a resumed run") {
    TemporaryFolder folder;
    for (const char* pieces : {"1", "2"}) {
      const Project project = projectWith(
          {{"/training/stages",
            R"([{"epochs": 1, "trainable": ["out"]}, {"trainable": ["conv", "norm"]}])"},
           {"/training/gradient_accumulation_steps", pieces}});
      PlanOptions options;
      options.device = "reference";
      options.threads = 2;
      options.measuresStepTime = options.findsLargestBatch = false;
      const TrainingPlan plan = planTraining(project, options);
      for (const int64_t stopAt : {0, 12}) {
        Recorder recorder;
        const RunOutcome outcome =
            trained(project, folder / (pieces + std::to_string(stopAt)), stopAt, recorder);
        REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
        CHECK(outcome.peakBytes == plan.peakBytes);
        CHECK(recorder.start.plannedPeakBytes == plan.peakBytes);
      }
    }
  }

  TEST_CASE(
      "the moving average of a layer that starts training in a later stage begins with its "
      "weights") {
    TemporaryFolder folder;
    Recorder recorder, none;
    const Project project = projectWith(
        {{"/training/optimizer", R"({"type": "sgd", "learning_rate": 0.0001, "use_ema": true})"},
         {"/training/stages", R"([{"epochs": 1, "trainable": ["out"]}, {}])"}});
    REQUIRE(trainAll(optionsFor(project, folder / "run"), recorder).outcome == Outcome::Finished);
    const Project still =
        projectWith({{"/training/optimizer", R"({"type": "sgd", "learning_rate": 0.0})"}});
    REQUIRE(trainAll(optionsFor(still, folder / "initial"), none).outcome == Outcome::Finished);
    const Tensor averaged = weightsIn(folder / "run").at("conv/kernel"),
                 initial = weightsIn(folder / "initial").at("conv/kernel");
    const auto a = averaged.as<float>(), b = initial.as<float>();
    for (size_t i = 0; i < a.size(); ++i)
      CHECK(a[i] == doctest::Approx(b[i]).epsilon(0.05));
  }

  TEST_CASE(
      "a layer that starts training in a later stage takes the step of Keras's optimizer, which "
      "counts all steps") {
    struct Row {
      const char* optimizer;
      // In learning rates: Keras 3.15 at its step 6, and at the first step of a new optimizer.
      double goesOn, fresh;
    };
    for (const Row& row :
         {Row{"adam", 0.5221, 1}, Row{"nadam", 1.2646, 1.0628}, Row{"adamax", 0.2134, 1}})
      for (const bool isAnew : {false, true}) {
        CAPTURE(row.optimizer);
        CAPTURE(isAnew);
        TemporaryFolder folder;
        const auto kernel = [&](int64_t steps) {
          Recorder recorder;
          Project project =
              projectWith({{"/model/layers/4/rate", "0"},
                           {"/training/stages",
                            R"([{"steps": 5, "trainable": ["out"]}, {"trainable": ["conv"]}])"}});
          project.document()["training"]["stages"][1]["reset_optimizer"] = isAnew;
          project.document()["training"]["optimizer"] = {
              {"type", row.optimizer}, {"learning_rate", 0.01}, {"epsilon", 1e-12}};
          SessionOptions options = optionsFor(project, folder / std::to_string(steps));
          options.maxSteps = steps;
          REQUIRE(trainAll(options, recorder).outcome == Outcome::Finished);
          return weightsIn(folder / std::to_string(steps)).at("conv/kernel");
        };
        const Tensor before = kernel(5), after = kernel(6);
        for (size_t i = 0; i < before.as<float>().size(); ++i)
          CHECK(std::abs(after.as<float>()[i] - before.as<float>()[i]) / 0.01f ==
                doctest::Approx(isAnew ? row.fresh : row.goesOn).epsilon(2e-3));
      }
  }

  TEST_CASE("Nadam's momentum product covers all steps, also for a layer that was frozen in some") {
    TemporaryFolder folder;
    Recorder recorder;
    const Project project = projectWith(
        {{"/training/optimizer", R"({"type": "nadam"})"},
         {"/training/stages",
          R"([{"steps": 2}, {"steps": 2, "trainable": ["out"]}, {"steps": 2, "frozen": ["out"]}, {}])"}});
    SessionOptions options = optionsFor(project, folder / "run");
    options.maxSteps = 8;
    REQUIRE(trainAll(options, recorder).outcome == Outcome::Finished);
    const auto state = readSafetensors(recorder.checkpoints.back().path).tensors;
    double product = 1;
    for (int step = 1; step <= 8; ++step)
      product *= 0.9 * (1 - 0.5 * std::pow(0.96, step));
    for (const char* variable : {"conv/kernel", "out/kernel"})
      CHECK(static_cast<double>(state.at(std::string(variable) + ":u_product").as<float>()[0]) ==
            doctest::Approx(product).epsilon(1e-5));
  }

  TEST_CASE("reset_optimizer also resets layers that are frozen at the time") {
    TemporaryFolder folder;
    const auto weights = [&](const char* name, const char* last) {
      const std::string
          head =
              R"([{"epochs": 1, "trainable": ["out"]}, {"epochs": 1, "trainable": ["conv"], "reset_optimizer": true}, )",
          stages = head + R"({"trainable": ["out"], "reset_optimizer": )" + last + "}]";
      Recorder recorder;
      const Project project =
          projectWith({{"/training/optimizer", R"({"type": "adagrad", "learning_rate": 0.05})"},
                       {"/training/stages", stages.c_str()},
                       {"/model/layers/4/rate", "0"}});
      REQUIRE(trainAll(optionsFor(project, folder / name), recorder).outcome == Outcome::Finished);
      return weightsIn(folder / name);
    };
    // Without dropout nothing counts steps: only the state decides, and that of `out` is as the
    // second stage left it.
    CHECK(isSame(weights("once", "false"), weights("twice", "true"), "out/kernel"));
  }

  TEST_CASE("stages equal consecutive runs that pass their weights on") {
    TemporaryFolder folder;
    const auto runs = [&](const char* optimizer, const char* reset) {
      const std::string first = R"({"epochs": 1, "trainable": ["out"], "reset_optimizer": )" +
                                std::string(reset) + "}",
                        stages = "[" + first + R"(, {"learning_rate": 0.02, "reset_optimizer": )" +
                                 reset + "}]";
      Recorder recorder;
      Project project = projectWith({{"/training/optimizer", optimizer},
                                     {"/training/shuffle", "false"},
                                     {"/training/epochs", "3"},
                                     {"/training/stages", stages.c_str()}});
      const auto name = std::string(reset) + Json::parse(optimizer)["type"].get<std::string>();
      REQUIRE(trainAll(optionsFor(project, folder / (name + "stages")), recorder).outcome ==
              Outcome::Finished);
      project.document()["training"].erase("stages");
      project.document()["training"]["epochs"] = 1;
      for (const size_t frozen : {1, 2})
        project.document()["model"]["layers"][frozen]["trainable"] = false;
      REQUIRE(trainAll(optionsFor(project, folder / (name + "1")), recorder).outcome ==
              Outcome::Finished);
      for (const size_t frozen : {1, 2})
        project.document()["model"]["layers"][frozen].erase("trainable");
      project.document()["training"]["epochs"] = 2;
      project.document()["training"]["optimizer"]["learning_rate"] = 0.02;
      project.document()["training"]["initial_weights"] =
          (folder / (name + "1/weights.safetensors")).string();
      REQUIRE(trainAll(optionsFor(project, folder / (name + "2")), recorder).outcome ==
              Outcome::Finished);
      const auto staged = weightsIn(folder / (name + "stages")),
                 carried = weightsIn(folder / (name + "2"));
      for (const auto& [variable, tensor] : carried)
        CHECK_MESSAGE(isSame(staged, carried, variable), name, " ", variable);
    };
    runs(R"({"type": "adam", "learning_rate": 0.01})", "true");
    runs(R"({"type": "sgd", "learning_rate": 0.01, "momentum": 0.9})", "true");
  }

  TEST_CASE(
      "stages, changed settings and callbacks resume after a stop as if it had not happened") {
    checkContinues(
        projectWith(
            {{"/training/epochs", "6"},
             {"/training/stages",
              R"([{"steps": 5, "trainable": ["out"]}, {"epochs": 2, "frozen": ["out"]},
                                                         {"epochs": 1, "learning_rate": {"type": "ExponentialDecay", "initial_learning_rate": 0.05, "decay_steps": 3, "decay_rate": 0.5}},
                                                         {"learning_rate": 0.003, "reset_optimizer": true}])"},
             {"/training/changes",
              R"([{"step": 7, "name": "clipnorm", "value": 0.5}, {"step": 12, "name": "drop/rate", "value": 0.5},
                                                          {"step": 30, "name": "learning_rate", "value": 0.02}, {"step": 12, "name": "weight_decay", "value": 0.01}])"}}),
        {1, 4, 5, 6, 7, 11, 12, 16, 24, 30, 41});
    checkContinues(
        projectWith({{"/training/epochs", "12"},
                     {"/training/optimizer", R"({"type": "adam", "learning_rate": 0.05})"},
                     {"/training/callbacks",
                      R"([{"type": "EarlyStopping", "patience": 4, "restore_best_weights": true},
                                                            {"type": "ReduceLROnPlateau", "patience": 1, "factor": 0.5, "monitor": "loss"},
                                                            {"type": "ModelCheckpoint", "save_freq": 3, "keep_last": 2}])"}}),
        {3, 8, 9, 17, 25});
    checkContinues(projectWith({{"/training/steps_per_epoch", "5"},
                                {"/training/validation_freq", "2"},
                                {"/training/validation_freq_steps", "3"}}),
                   {1, 3, 5, 6, 8, 9, 10, 14});
    checkContinues(projectWith({{"/training/steps_per_epoch", "11"},
                                {"/training/gradient_accumulation_steps", "2"}}),
                   {2, 8, 11, 12, 20});
  }

  TEST_CASE("with steps_per_epoch an epoch continues in the data where the previous one ended") {
    Recorder usual, cut;
    REQUIRE(trainAll(optionsFor(smallProject()), usual).outcome == Outcome::Finished);
    REQUIRE(trainAll(optionsFor(projectWith(
                         {{"/training/steps_per_epoch", "6"}, {"/training/epochs", "4"}})),
                     cut)
                .outcome == Outcome::Finished);
    REQUIRE(usual.steps.size() == 24);
    REQUIRE(cut.steps.size() == 24);
    for (size_t i = 0; i < 24; ++i)
      CHECK(cut.steps[i].loss == usual.steps[i].loss);
    CHECK(cut.steps[6].epoch == 2);
    REQUIRE(cut.epochs.size() == 4);
    CHECK(cut.start.stepsPerEpoch == 6);
    CHECK(cut.epochs[1].step == 12);
  }

  TEST_CASE("validation after some epochs, and after steps") {
    Recorder recorder;
    REQUIRE(trainAll(optionsFor(projectWith(
                         {{"/training/epochs", "5"}, {"/training/validation_freq", "2"}})),
                     recorder)
                .outcome == Outcome::Finished);
    for (const EpochMetrics& epoch : recorder.epochs)
      CHECK(epoch.hasValidation == (epoch.epoch % 2 == 0));
    Recorder listed;
    REQUIRE(trainAll(optionsFor(projectWith(
                         {{"/training/epochs", "5"}, {"/training/validation_freq", "[1, 5]"}})),
                     listed)
                .outcome == Outcome::Finished);
    for (const EpochMetrics& epoch : listed.epochs)
      CHECK(epoch.hasValidation == (epoch.epoch == 1 || epoch.epoch == 5));
    Recorder plain, steps;
    REQUIRE(trainAll(optionsFor(smallProject()), plain).outcome == Outcome::Finished);
    REQUIRE(trainAll(optionsFor(projectWith({{"/training/validation_freq_steps", "4"}})), steps)
                .outcome == Outcome::Finished);
    CHECK(steps.outcome.weightsHash == plain.outcome.weightsHash);
    std::vector<int64_t> at;
    for (const ValidationMetrics& each : steps.validations)
      at.push_back(each.step);
    // The ends of epochs validate at 8, 16 and 24.
    CHECK(at == std::vector<int64_t>{4, 12, 20});
  }

  TEST_CASE("settings change during training, from the given step on") {
    TemporaryFolder folder;
    const Project project = projectWith({{"/training/epochs", "4"}});
    const auto live = [&](const std::filesystem::path& run, const char* name, double value,
                          int64_t at, Recorder& recorder) {
      TrainingSession session(optionsFor(project, run), recorder);
      recorder.onStepDone = [&](int64_t step) {
        if (step == 3) session.change(name, value, at);
      };
      session.start();
      return session.wait();
    };
    for (const auto& [name, value] :
         std::vector<std::pair<const char*, double>>{{"clipnorm", 0.1},
                                                     {"clipvalue", 0.001},
                                                     {"global_clipnorm", 0.2},
                                                     {"weight_decay", 0.1},
                                                     {"drop/rate", 0.75},
                                                     {"learning_rate", 0.1}}) {
      CAPTURE(name);
      std::string file = name;
      std::replace(file.begin(), file.end(), '/', '-');
      Recorder recorder, planned, plain;
      const RunOutcome outcome = live(folder / file, name, value, 10, recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(recorder.warnings.empty());
      REQUIRE(recorder.settings.size() == 1);
      CHECK(recorder.settings[0].step == 10);
      CHECK(recorder.settings[0].name == name);
      REQUIRE(trainAll(optionsFor(project), plain).outcome == Outcome::Finished);
      for (size_t i = 0; i < 9; ++i)
        CHECK(recorder.steps[i].loss == plain.steps[i].loss);
      CHECK(outcome.weightsHash != plain.outcome.weightsHash);
      Project with = project;
      with.document()["training"]["changes"] =
          Json::array({{{"step", 10}, {"name", name}, {"value", value}}});
      REQUIRE(trainAll(optionsFor(with), planned).outcome == Outcome::Finished);
      CHECK(planned.outcome.weightsHash == outcome.weightsHash);
    }
    Recorder recorder;
    CHECK(live(folder / "wrong", "drop/rat", 0.1, 0, recorder).outcome == Outcome::Finished);
    REQUIRE(recorder.warnings.size() == 1);
    CHECK(recorder.warnings[0].find("Did you mean \"drop/rate\"") != std::string::npos);
    Recorder other;
    CHECK(live(folder / "range", "drop/rate", 1.5, 0, other).outcome == Outcome::Finished);
    CHECK(other.warnings.size() == 1);
    CHECK(other.settings.empty());
  }

  TEST_CASE(
      "a setting changed by hand is restored from the events if the run was killed before the next "
      "checkpoint") {
    TemporaryFolder folder;
    const Project project = projectWith({{"/training/epochs", "4"}});
    std::string hash;
    {
      Recorder recorder;
      TrainingSession session(optionsFor(project, folder / "whole"), recorder);
      recorder.onStepDone = [&](int64_t step) {
        if (step == 10) session.change("drop/rate", 0.6);
        if (step == 12) session.change("learning_rate", 0.002);
        if (step != 14) return;
        // What a kill at this point would leave.
        std::filesystem::copy(folder / "whole", folder / "killed",
                              std::filesystem::copy_options::recursive);
      };
      session.start();
      hash = session.wait().weightsHash;
    }
    // The second time it was killed right after resuming.
    for (int time = 0; time < 2; ++time) {
      std::filesystem::copy(folder / "killed", folder / ("again" + std::to_string(time)),
                            std::filesystem::copy_options::recursive);
      const auto run = folder / ("again" + std::to_string(time));
      if (time == 1) {
        Recorder recorder;
        TrainingSession session(
            [&] {
              SessionOptions options = optionsFor(project, run);
              options.resumeFrom = run.string();
              return options;
            }(),
            recorder);
        recorder.onStepDone = [&](int64_t step) {
          if (step == 9)
            std::filesystem::copy(run, folder / "twice", std::filesystem::copy_options::recursive);
        };
        session.start();
        session.wait();
      }
      const auto last = time == 1 ? folder / "twice" : run;
      Recorder recorder;
      SessionOptions options = optionsFor(project, last);
      options.resumeFrom = last.string();
      const RunOutcome outcome = trainAll(options, recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(recorder.start.firstStep == 8);
      CHECK(recorder.settings.size() == 2);
      CHECK(outcome.weightsHash == hash);
    }
  }

  TEST_CASE("checkpoints that a callback keeps, the best weights, and what the disk holds") {
    TemporaryFolder folder;
    Recorder recorder;
    const Project project = projectWith(
        {{"/training/epochs", "6"},
         {"/training/callbacks",
          R"([{"type": "ModelCheckpoint", "monitor": "loss", "save_freq": 5, "keep_last": 2, "keep_best": 1}])"}});
    const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    std::vector<std::string> names;
    uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "run/checkpoints")) {
      names.push_back(entry.path().stem().string().substr(9));
      bytes += entry.file_size();
    }
    std::sort(names.begin(), names.end());
    CHECK(std::find(names.begin(), names.end(), "040") != names.end());
    CHECK(std::find(names.begin(), names.end(), "045") != names.end());
    CHECK(std::find(names.begin(), names.end(), "048") != names.end());
    CHECK(names.size() <= 6);
    CHECK(outcome.checkpointBytes == bytes);
    CHECK(outcome.bestPath == (folder / "run/best.safetensors").string());
    const CheckpointSaved* best = nullptr;
    double least = 1e9;
    for (const CheckpointSaved& saved : recorder.checkpoints) {
      CHECK(saved.diskBytes >= saved.bytes);
      CHECK(saved.files > 0);
      if (!saved.isBest) continue;
      CHECK(saved.monitor == "loss");
      CHECK(saved.value < least);
      least = saved.value;
      best = &saved;
    }
    REQUIRE(best);
    CHECK(readSafetensors(outcome.bestPath).metadata["step"] == std::to_string(best->step));
  }

  TEST_CASE(
      "EarlyStopping ends with the weights of its best epoch, and the run resumes when more epochs "
      "are requested") {
    TemporaryFolder folder;
    Recorder recorder;
    const Project project = projectWith(
        {{"/training/epochs", "30"},
         {"/training/optimizer", R"({"type": "adam", "learning_rate": 0.05})"},
         {"/training/callbacks",
          R"([{"type": "EarlyStopping", "patience": 2, "restore_best_weights": true}])"}});
    const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    REQUIRE(outcome.endedBy == "EarlyStopping");
    REQUIRE(recorder.epochs.size() < 30);
    CHECK(outcome.restoredEpoch == outcome.epochs - 2);
    Project shorter = project;
    shorter.document()["training"].erase("callbacks");
    shorter.document()["training"]["epochs"] = outcome.restoredEpoch;
    Recorder best;
    CHECK(trainAll(optionsFor(shorter), best).weightsHash == outcome.weightsHash);
    SessionOptions options = optionsFor(project, folder / "run");
    options.resumeFrom = (folder / "run").string();
    Recorder again;
    // It has ended
    CHECK(trainAll(options, again).weightsHash == outcome.weightsHash);
    CHECK(again.steps.empty());
    options.epochs = 30;
    Recorder more;
    CHECK(trainAll(options, more).outcome == Outcome::Finished);
    CHECK(!more.steps.empty());
  }

  TEST_CASE("wrong stages and changes of a project") {
    const auto of = [](const char* pointer, const char* value) {
      const Diagnostics diagnostics = validate(projectWith({{pointer, value}}));
      return diagnostics.empty() ? std::string() : diagnostics[0].line();
    };
    const auto stages = [&](const char* value) {
      return of("/training/stages", value);
    };
    CHECK(stages(R"([{"epochs": 1, "trainable": ["out"]}, {}])") == "");
    CHECK(stages(R"([{"epochs": 1, "trainable": ["outt"]}, {}])").find("Did you mean \"out\"") !=
          std::string::npos);
    CHECK(stages(R"([{"epochs": 1, "steps": 2}, {}])").find("epochs and steps are both set") !=
          std::string::npos);
    CHECK(stages(R"([{}, {}])").find("neither epochs nor steps") != std::string::npos);
    CHECK(stages(R"([{"epochs": 3}, {}])")
              .find("stage 2 never starts: the stages before it last 3 epochs (expected fewer than "
                    "the 3 epochs of") != std::string::npos);
    CHECK(stages(R"([{"epochs": 1, "trainable": []}, {}])").find("this stage trains no layer") !=
          std::string::npos);
    CHECK(stages(R"([{"epochs": 1, "trainable": ["nope"]}, {}])")
              .find("this stage trains no layer") == std::string::npos);
    CHECK(stages(R"([{"epochs": 1}, {"epochs": 1}])").find("lasts until the end of training") !=
          std::string::npos);
    CHECK(stages(R"([{"epochs": 0}, {}])")
              .find("epochs is out of range (expected at least 1, got 0)") != std::string::npos);
    CHECK(stages(R"([{"epochs": 1, "frozn": ["out"]}, {}])").find("Did you mean frozen") !=
          std::string::npos);
    CHECK(stages("3").find("stages has the wrong type (expected a list, got 3)") !=
          std::string::npos);
    const auto changes = [&](const char* value) {
      return of("/training/changes", value);
    };
    CHECK(changes(R"([{"step": 1, "name": "clipnorm", "value": 0}])") == "");
    CHECK(changes(R"([{"step": 24, "name": "clipnorm", "value": 1}])") == "");
    const Diagnostics late = validate(
        projectWith({{"/training/changes", R"([{"step": 25, "name": "clipnorm", "value": 1}])"}}));
    REQUIRE(late.size() == 1);
    CHECK(late[0].severity == Severity::Warning);
    CHECK(late[0].code == "unused");
    CHECK(late[0].line() ==
          "training: the change of clipnorm at step 25 has no effect: training ends at step 24 "
          "(expected at most 24). Lower its step, or increase epochs of training.");
    CHECK(validate(projectWith({{"/training/steps_per_epoch", "1000"},
                                {"/training/changes",
                                 R"([{"step": 25, "name": "clipnorm", "value": 1}])"}}))
              .empty());
    CHECK(changes(R"([{"step": 0, "name": "clipnorm", "value": 1}])")
              .find("step is out of range (expected at least 1") != std::string::npos);
    CHECK(changes(R"([{"step": 1, "name": "clipnrm", "value": 1}])")
              .find("Did you mean \"clipnorm\"") != std::string::npos);
    CHECK(changes(R"([{"step": 1, "name": "drop/rate", "value": 1}])")
              .find("rate is out of range (expected less than 1") != std::string::npos);
    CHECK(changes(R"([{"step": 1, "name": "learning_rate", "value": 1e39}])").find("at most") !=
          std::string::npos);
    CHECK(changes(R"([{"step": 1, "value": 1}])").find("name is missing") != std::string::npos);
    CHECK(of("/training/optimizer/learning_rate", "1e39")
              .find("learning_rate is out of range (expected at most 3.4028") != std::string::npos);
  }

  TEST_CASE("class weights weigh the loss of training as Keras does") {
    Project project(parseJson(R"({"format": "strata-project", "version": 1, "name": "weights",
      "data": {"source": {"type": "values", "x": [[0.5, -1.0], [1.0, 0.25], [-0.75, 0.5], [0.1, 0.9], [0.3, -0.2], [-1.0, -0.6]], "y": [0, 1, 2, 1, 0, 2]}},
      "model": {"layers": [{"type": "Input", "name": "x", "shape": [2]}, {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}]},
      "training": {"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "sgd", "learning_rate": 0.5}, "metrics": ["accuracy"],
                   "batch_size": 4, "epochs": 3, "shuffle": false, "class_weight": {"0": 1.0, "1": 3.0, "2": 0.25}}})",
                              "test"),
                    "");
    TemporaryFolder folder;
    const std::map<std::string, Tensor> start{
        {"out/kernel", Tensor::from<float>(
                           Shape{2, 3}, std::vector<float>{0.2f, -0.1f, 0.05f, 0.3f, 0.1f, -0.2f})},
        {"out/bias", Tensor::from<float>(Shape{3}, std::vector<float>{0, 0, 0})}};
    writeSafetensors((folder / "start.safetensors").string(), viewsOf(start), {});
    project.document()["training"]["initial_weights"] = (folder / "start.safetensors").string();
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    // keras 3.15: Sequential([Dense(3, "softmax")]).fit(..., class_weight={0: 1, 1: 3, 2: 0.25})
    const std::vector<double> losses{1.7086092233657837, 1.095929503440857, 0.8441595435142517},
        accuracies{0, 2.0 / 3, 2.0 / 3};
    for (size_t i = 0; i < 3; ++i) {
      CHECK(recorder.epochs[i].loss == doctest::Approx(losses[i]).epsilon(1e-6));
      CHECK(recorder.epochs[i].metrics[0] == doctest::Approx(accuracies[i]).epsilon(1e-6));
    }
    const std::vector<float> kernel{0.16480311751365662f,  0.45101529359817505f,
                                    -0.46581846475601196f, -0.4074802100658417f,
                                    0.9204530119895935f,   -0.3129728436470032f};
    const std::map<std::string, Tensor> weights = weightsIn(folder / "run");
    for (size_t i = 0; i < kernel.size(); ++i)
      CHECK(weights.at("out/kernel").as<float>()[i] == doctest::Approx(kernel[i]).epsilon(1e-5));
  }
}
