// SPDX-License-Identifier: Apache-2.0
#include "core/launch/launch_command.h"

#include <unistd.h>

#include <algorithm>

#include "core/launch/worker_control.h"

namespace strata {

static std::vector<std::string> srunWords(const LaunchOptions& options) {
  std::vector<std::string> words{"srun", "--ntasks=" + std::to_string(options.processes),
                                 "--kill-on-bad-exit=0", "--mpi=pmix"};
  if (!options.stateFile.empty()) words.emplace_back("--label");
  if (options.hosts.empty()) return words;
  std::string list = "--nodelist=";
  for (const std::string& host : options.hosts)
    list += (list.ends_with('=') ? "" : ",") + host;
  words.push_back(list);
  return words;
}

static std::vector<std::string> mpirunWords(const LaunchOptions& options) {
  // mpirun would bind each process to one core. A process that is told to end may save for 8 s.
  std::vector<std::string> words{
      "mpirun", "--quiet",         "-np",   std::to_string(options.processes), "--bind-to",
      "none",   "--oversubscribe", "--mca", "odls_base_sigkill_timeout",       "8"};
  if (!options.hosts.empty()) {
    // Each host gets as many neighbouring ranks as the others
    const auto hosts = static_cast<int>(options.hosts.size()),
               each = (options.processes + hosts - 1) / hosts;
    std::string list;
    for (const std::string& host : options.hosts)
      list += (list.empty() ? "" : ",") + host + ":" + std::to_string(each);
    words.insert(words.end(), {"--host", list});
  }
  if (options.isContainer)
    words.insert(words.end(), {"--mca", "btl_vader_single_copy_mechanism", "none"});
  if (!options.temporaries.empty())
    words.insert(words.end(), {"--mca", "orte_tmpdir_base", options.temporaries});
  if (!options.stateFile.empty()) words.emplace_back("--tag-output");
  words.insert(words.end(), {"-x", kLaunchAddresses, "-x", kLaunchSecret});
  return words;
}

LaunchCommand composeCommand(const LaunchOptions& options, const std::string& addresses,
                             const std::string& secret) {
  LaunchCommand command{options.isSlurm ? srunWords(options) : mpirunWords(options),
                        {{kLaunchAddresses, addresses}, {kLaunchSecret, secret}}};
  command.words.push_back(options.program);
  command.words.insert(command.words.end(), options.words.begin(), options.words.end());
  if (::geteuid() == 0 && !options.isSlurm) {
    command.environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
    command.environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  return command;
}

std::vector<std::string> wordsToResume(const std::vector<std::string>& words,
                                       const std::string& run) {
  std::vector<std::string> result;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--resume" || word == "--run-dir")
      ++i;
    else if (!word.starts_with("--resume=") && !word.starts_with("--run-dir="))
      result.push_back(word);
  }
  result.insert(result.end(), {"--resume", run});
  return result;
}

std::string commandText(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const bool isPlain =
        !word.empty() && word.find_first_of(" \t\n\"'$&;|<>*?()[]{}\\`#~!") == std::string::npos;
    std::string quoted = "'";
    for (const char c : word)
      quoted += c == '\'' ? "'\\''" : std::string(1, c);
    text += (text.empty() ? "" : " ") + (isPlain ? word : quoted + "'");
  }
  return text;
}

}  // namespace strata
