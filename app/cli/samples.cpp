// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/samples.h"

#include <charconv>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/data/standard_input.h"

namespace strata::cli {

std::string shortNumber(const Json& number) {
  if (!number.is_number()) return number.get<std::string>();
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number.get<double>(),
                                std::chars_format::general, 6)
                      .ptr};
}

std::string classNameOf(const Evaluator& evaluator, size_t output, int64_t index) {
  const ClassNames& all = evaluator.preprocessing().classNames;
  const auto place = static_cast<size_t>(index);
  return output < all.size() && place < all[output].size() ? all[output][place]
                                                           : std::to_string(index);
}

std::vector<NamedInput> samplesOf(const std::string& path, const Evaluator& evaluator) {
  if (path != "-")
    return readInputs(path, evaluator.inputs(), evaluator.preprocessing(), printMessage);
  const StandardInput input;
  const auto shown = [&](const std::string& text) {
    return text.starts_with(input.path()) ? "-" + text.substr(input.path().size()) : text;
  };
  try {
    std::vector<NamedInput> samples =
        readInputs(input.path(), evaluator.inputs(), evaluator.preprocessing(),
                   [&](const std::string& note) { printMessage(shown(note)); });
    for (NamedInput& sample : samples)
      sample.name = shown(sample.name);
    return samples;
  }
  catch (const Error& error) {
    throw Error(error.code(), shown(error.subject()), error.what());
  }
}

}  // namespace strata::cli
