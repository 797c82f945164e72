// SPDX-License-Identifier: GPL-3.0-or-later
// `strata`: every command of the contract, without Qt.
#include <algorithm>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>

#include <CLI/CLI.hpp>

#include "app/cli/command.h"
#include "core/layers/schema.h"
#include "gpu/base/nearest_name.h"

namespace strata::cli {

static const Command kCommands[] = {
    {"train", "Train a network and keep it in a run directory",
     "strata train projects/mnist-cnn.json --epochs 1", setupTrain},
    {"evaluate", "Loss and metrics of trained weights on a split of the data",
     "strata evaluate projects/mnist-cnn.json --weights projects/mnist-cnn.runs/001",
     setupEvaluate},
    {"predict", "Outputs for images, rows of a table or arrays",
     "strata predict projects/mnist-cnn.json --weights projects/mnist-cnn.runs/001 "
     "resources/mnist/digit-7.png\n"
     "Each sample is answered by a line: where it is from, the class and its probability where the "
     "network chooses one, the outputs.\n"
     "--json: a list of {\"input\", \"output\": [...], \"label\", \"probability\"}; with several "
     "outputs the last three are objects by "
     "name.",
     setupPredict},
    {"export", "Write trained weights to a .safetensors or .npz file and check it",
     "strata export projects/mnist-cnn.json --weights projects/mnist-cnn.runs/001 --to "
     "mnist.safetensors",
     setupExport},
    {"import", "Take weights made elsewhere, by name, into a project or a file of another format",
     "strata import mnist.safetensors -o mnist.npz", setupImport},
    {"check", "Every problem of a project at once", "strata check projects/mnist-cnn.json",
     setupCheck},
    {"plan", "Shapes, parameters, multiply-adds, memory and step time before training",
     "strata plan projects/mnist-cnn.json --batch-size 128", setupPlan},
    {"find", "A good learning rate, or the largest batch that trains here",
     "strata find learning-rate projects/mnist-cnn.json", setupFind},
    {"dump", "The graph at a stage of compilation",
     "strata dump projects/mnist-mlp.json --stage optimized", setupDump},
    {"bench", "Steady training throughput from memory",
     "strata bench projects/mnist-cnn.json --threads 2", setupBench},
    {"devices", "What this machine can compute on, and why a GPU is not usable",
     "strata devices --json", setupDevices},
    {"layers", "The layers, losses, optimizers, metrics, activations, ... with their fields",
     "strata layers Conv2D", setupLayers},
    {"verify", "Run a file of reference results through this build",
     "strata verify layers.json --device reference", setupVerify},
};

static const char* const kNotInThisVersion[] = {"runs"};

static int fail(const std::string& line, int code) {
  tell(line);
  return code;
}

/// Standard output took all that was written to it? Else the answer is lost, whatever the work came
/// to.
static int finish(int code) {
  std::cout.flush();
  if (std::cout) return code;
  const int failed = fail(
      "standard output: can't be written (disk full or closed pipe?). Give it a place that takes "
      "the answer.",
      kFailed);
  return code == kStopped ? code : failed;
}

/// Of the command in words[1]: the first word that looks like an option and is none.
static std::string unknownOption(const CLI::App& app, const std::vector<const char*>& words) {
  if (words.size() < 2 || words[1][0] == '-') return {};
  const CLI::App* command = app.get_subcommand(words[1]);
  std::vector<std::string> names;
  for (const CLI::Option* option : command->get_options())
    for (const std::string& name : option->get_lnames())
      names.push_back("--" + name);
  for (size_t i = 2; i < words.size(); ++i) {
    const std::string word(words[i], std::strcspn(words[i], "="));
    if (!word.starts_with("--") || word == "--" ||
        std::find(names.begin(), names.end(), word) != names.end())
      continue;
    const std::string near = nearestName(word, names);
    return word + ": no such option" + (near.empty() ? "" : " (did you mean " + near + "?)");
  }
  return {};
}

static int run(int argc, char** argv) {
  CLI::App app("Strata: assemble, train and understand neural networks.");
  app.name("strata");
  app.set_version_flag("--version", "strata 0.1.0");
  app.require_subcommand(1);
  app.footer(
      "Example: strata train projects/mnist-cnn.json\nHelp of one command: strata COMMAND --help");
  std::vector<std::string> names;
  Action action;
  for (const Command& command : kCommands) {
    CLI::App* sub = app.add_subcommand(command.name, command.help);
    sub->footer(std::string("Example: ") + command.example);
    Arguments accepted(*sub);
    sub->callback([&action, commandAction = command.setup(accepted)] { action = commandAction; });
    names.push_back(command.name);
  }
  std::vector<const char*> words(argv, argv + argc);
  // `strata help train` is `strata train --help`
  if (argc > 1 && std::string(argv[1]) == "help") {
    words.erase(words.begin() + 1);
    words.insert(words.begin() + (words.size() > 1 ? 2 : 1), "--help");
  }
  const std::string first = words.size() > 1 ? words[1] : "";
  if (!first.empty() && first.front() != '-') {
    for (const char* name : kNotInThisVersion)
      if (first == name) return fail(first + ": not in this version", kWrongUsage);
    if (std::find(names.begin(), names.end(), first) == names.end()) {
      const std::string near = nearestName(first, names);
      return fail(first + ": no such command" +
                      (near.empty() ? "" : " (did you mean " + near + "?)") +
                      ". See strata --help.",
                  kWrongUsage);
    }
  }
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  }
  catch (const CLI::Success& success) {
    // --help, --version
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
  std::setlocale(LC_NUMERIC, "C");
  // A file that passes the process's limit is an error of writing, which has a message
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
    return strata::cli::fail("memory: none is left. Use a smaller batch or network.",
                             strata::cli::kFailed);
  }
  catch (const std::exception& error) {
    return strata::cli::fail(error.what(), strata::cli::kFailed);
  }
}
