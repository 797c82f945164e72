// SPDX-License-Identifier: GPL-3.0-or-later
// The entry point of `strata`, the command line: it lists the commands, parses the arguments and
// returns the exit code. It does not use Qt. Thread: main thread only.
#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string_view>

#include <CLI/CLI.hpp>

#include "app/cli/command.h"
#include "app/cli/safe_output.h"
#include "core/layers/schema.h"
#include "gpu/base/nearest_name.h"
#include "gpu/base/standard_streams.h"
#include "gpu/base/version.h"

namespace strata::cli {

static const Command kCommands[] = {
    {"train", "Train a network and save the run in a directory",
     "strata train projects/mnist-cnn.json --epochs 1", setupTrain},
    {"launch", "Train a network in several processes, on this machine or on several hosts",
     "strata launch -np 2 train projects/mnist-cnn.json --steps 20\n"
     "Starts the processes with mpirun, or with srun in a job of Slurm. --hosts node1,node2 shares "
     "them among hosts, and --device of train names the devices of each process. The results have "
     "the same bits as those of as many devices in one process.",
     setupLaunch},
    {"evaluate", "Compute the loss and metrics of trained weights on a split of the data",
     "strata evaluate projects/mnist-cnn.json --weights projects/mnist-cnn.runs/001",
     setupEvaluate},
    {"predict", "Compute the outputs for images, table rows or arrays",
     "strata predict projects/mnist-cnn.json --weights projects/mnist-cnn.runs/001 "
     "resources/mnist/digit-7.png\n"
     "Prints one line per sample: its origin, the predicted class with its probability (for a "
     "classifier), and the outputs.\n"
     "--json prints a list of {\"input\", \"output\": [...], \"label\", \"probability\"}. For a "
     "network with several outputs, the last three are objects with a member for each output.",
     setupPredict},
    {"explain", "Show what a trained network sees in a sample, or the filters of a layer",
     "strata explain projects/mnist-cnn.json --weights projects/mnist-cnn.runs/001 "
     "resources/mnist/digit-7.png --method grad_cam --to map.png\n"
     "The score of a class is its logit if the output is a softmax or sigmoid, otherwise the value "
     "of the output.\n"
     "--json prints {\"method\", \"input\", \"output\", \"class\", \"label\", \"score\", "
     "\"shape\", "
     "\"values\": [...]} and what belongs to the method.",
     setupExplain},
    {"export", "Write trained weights to a .safetensors or .npz file and verify the file",
     "strata export projects/mnist-cnn.json --weights projects/mnist-cnn.runs/001 --to "
     "mnist.safetensors",
     setupExport},
    {"import", "Import weights into a project, or convert them to another format",
     "strata import mnist.safetensors -o mnist.npz", setupImport},
    {"check", "Report all problems of a project", "strata check projects/mnist-cnn.json",
     setupCheck},
    {"plan", "Show shapes, parameters, memory and step time before training",
     "strata plan projects/mnist-cnn.json --batch-size 128", setupPlan},
    {"find", "Find a good learning rate, or the largest batch size for this machine",
     "strata find learning-rate projects/mnist-cnn.json", setupFind},
    {"dump", "Print the graph at a stage of compilation",
     "strata dump projects/mnist-mlp.json --stage optimized", setupDump},
    {"bench", "Measure the training throughput, with the data in memory",
     "strata bench projects/mnist-cnn.json --threads 2", setupBench},
    {"runs", "List, compare, annotate and delete the runs of a project",
     "strata runs projects/mnist-cnn.json --sort best_val_accuracy\n"
     "Without a command, lists the runs. strata runs COMMAND --help shows the options of a "
     "command.\n"
     "A RUN is a run directory, such as mnist-cnn.runs/003, or a number after a project: "
     "mnist-cnn.json 3 4.",
     setupRuns},
    {"profile", "Show the kernels of a run that was trained with --profile, or export a trace",
     "strata profile projects/mnist-cnn.runs/001 --trace trace.json", setupProfile},
    {"devices", "List the compute devices, and why a GPU is not usable",
     "strata devices --catalogue\n"
     "A card of the catalogue that can be simulated is a device, too: strata train PROJECT "
     "--device \"simulated:RTX 4090\". Its results are true, its times are predicted.",
     setupDevices},
    {"doctor", "Say what this machine has and lacks for each kind of device, and how to get it",
     "strata doctor", setupDoctor},
    {"layers", "List layers, losses, optimizers, metrics and other types with their fields",
     "strata layers Conv2D", setupLayers},
    {"verify",
     "Compare the results of this build with reference results, or a layer on two devices",
     "strata verify layers.json --device reference\n"
     "strata verify projects/mnist-cnn.json --layer conv1 --device cuda:0\n"
     "With --layer, runs one layer of a project forward and backward, and prints the largest "
     "differences of its output and of each gradient from those of the reference device.",
     setupVerify},
};

static int fail(const std::string& line, int code) {
  printMessage(line);
  return code;
}

/// Flushes standard output and returns the exit code. If some output could not be written, returns
/// a failure instead.
static int finish(int code) {
  std::cout.flush();
  if (std::cout) return code;
  const int failed = fail(
      "standard output: can't be written (disk full or pipe closed?). Redirect it to a writable "
      "file.",
      kFailed);
  return code == kStopped ? code : failed;
}

static bool isCommandOf(const CLI::App& command, const std::string& word) {
  return std::ranges::any_of(command.get_subcommands([](const CLI::App*) { return true; }),
                             [&](const CLI::App* each) { return each->get_name() == word; });
}

/// Returns a message about the first option that the command in words[1] does not know. Returns an
/// empty string if it knows all options.
static std::string unknownOption(const CLI::App& app, const std::vector<const char*>& words) {
  if (words.size() < 2 || words[1][0] == '-') return {};
  const CLI::App* command = app.get_subcommand(words[1]);
  size_t first = 2;
  if (words.size() > first && isCommandOf(*command, words[first]))
    command = command->get_subcommand(words[first++]);
  std::vector<std::string> names;
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  for (size_t i = first; i < words.size(); ++i) {
    const std::string word(words[i], std::strcspn(words[i], "="));
    // The words after it belong to another command
    if (word == "--") break;
    if (!word.starts_with("--") || word == "--" ||
        std::find(names.begin(), names.end(), word) != names.end())
      continue;
    const std::string near = nearestName(word, names);
    return word + ": no such option" + (near.empty() ? "" : " (did you mean " + near + "?)");
  }
  return {};
}

/// Separates the options of launch from the command that it starts.
static void separateLaunch(std::vector<const char*>& words) {
  for (size_t i = 2; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "-np") words[i] = "--np";
    if (word == "--" || word == "--help") return;
    const std::string_view before = words[i - 1];
    if (word.starts_with("-") || before == "--np" || before == "--hosts" ||
        before == "--max-restarts" || before == "--state")
      continue;
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(i), "--");
    return;
  }
}

/// Adds the command `list` to `strata runs` if no command is named.
static void completeRuns(const CLI::App& runs, std::vector<const char*>& words) {
  const std::string_view word = words.size() > 2 ? words[2] : "";
  if (word != "--help" && word != "-h" && !isCommandOf(runs, std::string(word)))
    words.insert(words.begin() + 2, "list");
}

static int run(int argc, char** argv) {
  CLI::App app("Strata: design, train and inspect neural networks.");
  app.name("strata");
  app.set_version_flag("--version", kStrataVersion);
  app.require_subcommand(1);
  app.footer(
      "Example: strata train projects/mnist-cnn.json\n"
      "Run strata COMMAND --help for the options of a command.");
  std::vector<std::string> names;
  Action action;
  for (const Command& command : kCommands) {
    CLI::App* sub = app.add_subcommand(command.name, command.help);
    sub->footer(std::string("Example: ") + command.example);
    Arguments accepted(*sub);
    sub->callback([&action, commandAction = command.setup(accepted)] { action = commandAction; });
    names.emplace_back(command.name);
  }
  std::vector<const char*> words(argv, argv + argc);
  // `strata help train` means `strata train --help`.
  if (argc > 1 && std::string(argv[1]) == "help") {
    words.erase(words.begin() + 1);
    words.insert(words.begin() + (words.size() > 1 ? 2 : 1), "--help");
  }
  const std::string first = words.size() > 1 ? words[1] : "";
  if (!first.empty() && first.front() != '-') {
    if (std::find(names.begin(), names.end(), first) == names.end()) {
      const std::string near = nearestName(first, names);
      return fail(first + ": no such command" +
                      (near.empty() ? "" : " (did you mean " + near + "?)") +
                      ". See strata --help.",
                  kWrongUsage);
    }
  }
  if (first == "launch") separateLaunch(words);
  if (first == "runs") completeRuns(*app.get_subcommand("runs"), words);
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  }
  catch (const CLI::Success& success) {
    // CLI11 reports --help and --version as a success.
    app.exit(success);
    return finish(kDone);
  }
  catch (const CLI::ParseError& error) {
    std::string what = unknownOption(app, words);
    if (what.empty()) what = error.what();
    while (!what.empty() && (what.back() == '\n' || what.back() == '.'))
      what.pop_back();
    const std::string command = first.empty() || first.front() == '-' ? "" : first;
    return fail((command.empty() ? "" : command + ": ") + what + ". See strata " +
                    (command.empty() ? "" : command + " ") + "--help.",
                kWrongUsage);
  }
  return finish(action());
}

}  // namespace strata::cli

int main(int argc, char** argv) {
  strata::openMissingStreams();
  strata::cli::makeOutputSafe();
  std::setlocale(LC_NUMERIC, "C");
  // Ignore SIGXFSZ, so that a write beyond the file size limit fails with an error instead of
  // ending the process.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return strata::cli::run(argc, argv);
  }
  catch (const strata::cli::Reported& reported) {
    return reported.code;
  }
  catch (const strata::Error& error) {
    return strata::cli::fail(error.line(), strata::cli::exitCodeOf(error));
  }
  catch (const std::bad_alloc&) {
    return strata::cli::fail("memory: exhausted. Use a smaller batch or network.",
                             strata::cli::kFailed);
  }
  catch (const std::exception& error) {
    return strata::cli::fail(error.what(), strata::cli::kFailed);
  }
}
