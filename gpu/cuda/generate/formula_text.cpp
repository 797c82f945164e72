// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/generate/formula_text.h"

#include <algorithm>
#include <vector>

#include "gpu/base/error.h"

namespace strata::cuda {

/// The text of gpu/ops/activation_kinds.h (gpu/CMakeLists.txt).
extern const char* const kActivationKindsText;

namespace {

constexpr std::string_view kBegin = "namespace activations {\n", kEnd = "}  // namespace",
                           kStruct = "\nstruct ";

struct Formula {
  std::string name, kind, text;
};
struct Formulas {
  // Functions that the structs call
  std::string functions;
  // In the order of the file: a struct uses only earlier ones
  std::vector<Formula> structs;
};

/// Returns the text between two others, or "" if they are missing.
std::string_view between(std::string_view text, std::string_view from, std::string_view to) {
  const size_t begin = std::min(text.size(), text.find(from));
  text.remove_prefix(std::min(text.size(), begin + from.size()));
  const size_t end = text.find(to);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

/// Returns the lines without those that only the host needs.
std::string withoutHostLines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    bool isKept = true;
    for (const std::string_view word : {"kName", "kSaved", "kAlpha"})
      isKept = isKept && line.find(word) == std::string_view::npos;
    if (isKept) result += line;
  }
  return result;
}

Formulas readFormulas() {
  std::string_view rest = between(kActivationKindsText, kBegin, kEnd);
  Formulas result;
  result.functions = rest.substr(0, std::min(rest.size(), rest.find(kStruct)));
  for (size_t at = rest.find(kStruct); at != std::string_view::npos; at = rest.find(kStruct)) {
    rest.remove_prefix(at + 1);
    const std::string_view text = rest.substr(0, rest.find("\n};\n") + 4);
    result.structs.push_back({std::string(between(text, "struct ", " {")),
                              std::string(between(text, "kName = \"", "\"")),
                              withoutHostLines(text)});
  }
  return result;
}

const Formulas& formulas() {
  static const Formulas result = readFormulas();
  return result;
}

}  // namespace

std::string activationName(std::string_view kind) {
  const auto found = std::ranges::find(formulas().structs, kind, &Formula::kind);
  require(found != formulas().structs.end(), "the activation is in activation_kinds.h");
  return found->name;
}

std::string activationText(const std::set<std::string>& kinds) {
  std::string text;
  const std::vector<Formula>& all = formulas().structs;
  for (auto formula = all.rbegin(); formula != all.rend(); ++formula)
    if (kinds.contains(formula->kind) || text.find(formula->name + "::") != std::string::npos)
      text.insert(0, formula->text);
  return "#define STRATA_FORMULA __device__\nnamespace activations {\n" + formulas().functions +
         text + "}\n";
}

}  // namespace strata::cuda
