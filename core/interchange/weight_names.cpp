// SPDX-License-Identifier: Apache-2.0
#include "core/interchange/weight_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "core/interchange/weights_file.h"
#include "core/layers/schema.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

bool isNumber(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Removes TensorFlow's output index: "conv1/kernel:0" -> "conv1/kernel".
std::string withoutOutput(const std::string& name) {
  const size_t colon = name.rfind(':');
  return colon != std::string::npos && isNumber(std::string_view(name).substr(colon + 1))
             ? name.substr(0, colon)
             : name;
}

std::vector<std::string_view> partsOf(std::string_view name) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t slash = name.find('/');
    parts.push_back(name.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    name.remove_prefix(slash + 1);
  }
}

/// Removes the numbers that Keras appends to the names of parts within a layer: "td/dense_3/kernel"
/// -> "td/dense/kernel".
std::string withoutCounts(std::string_view name) {
  std::string result;
  for (const std::string_view part : partsOf(name)) {
    const size_t mark = part.rfind('_');
    const bool isCounted = !result.empty() && mark != std::string_view::npos && mark > 0 &&
                           isNumber(part.substr(mark + 1));
    result += (result.empty() ? "" : "/") + std::string(isCounted ? part.substr(0, mark) : part);
  }
  return result;
}

/// Removes the index 0 of a Block that is not repeated, because Keras uses a nested model instead:
/// "left/0/dense/kernel" -> "left/dense/kernel".
std::string withoutRepeat(std::string_view name) {
  std::string result;
  for (const std::string_view part : partsOf(name))
    if (result.empty() || part != "0") result += (result.empty() ? "" : "/") + std::string(part);
  return result;
}

/// Replaces all separators between the parts of a name by "_".
std::string flattened(std::string name) {
  for (char& c : name)
    if (std::string_view("/.\\|-").find(c) != std::string_view::npos) c = '_';
  return name;
}

/// Whether the name belongs to a tensor that is only needed for training.
bool isPassedOver(const std::string& name) {
  // Optimizer state in a checkpoint, such as "out/kernel:m"
  if (name.find(':') != std::string::npos) return true;
  // Names of optimizers in lower case, without the "_" that Keras puts between words
  static constexpr std::array<std::string_view, 18> kOptimizers{"adam",
                                                                "adamw",
                                                                "adamax",
                                                                "nadam",
                                                                "sgd",
                                                                "rmsprop",
                                                                "adagrad",
                                                                "adadelta",
                                                                "ftrl",
                                                                "lion",
                                                                "lamb",
                                                                "muon",
                                                                "adafactor",
                                                                "lars",
                                                                "optimizer",
                                                                "optimizervariables",
                                                                "optimizerweights",
                                                                "lossscaleoptimizer"};
  static constexpr std::array<std::string_view, 7> kCounts{
      "seed_generator_state", "iteration", "iterations", "count", "total", "rnn_state",
      "rnn_state_1"};
  const std::vector<std::string_view> parts = partsOf(name);
  if (std::find(kCounts.begin(), kCounts.end(), parts.back()) != kCounts.end()) return true;
  for (std::string_view part : {parts[0], parts.size() > 1 ? parts[1] : std::string_view()}) {
    // Removes the number of a name like "adam_1".
    const size_t mark = part.rfind('_');
    if (mark != std::string_view::npos && isNumber(part.substr(mark + 1)))
      part = part.substr(0, mark);
    std::string plain;
    for (const char c : part)
      if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (parts.size() > 1 &&
        std::find(kOptimizers.begin(), kOptimizers.end(), plain) != kOptimizers.end())
      return true;
  }
  return false;
}

/// Returns the first names, and how many more there are, as text.
std::string listOf(const std::vector<std::string>& names) {
  constexpr size_t kShown = 3;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += (i > 0 ? ", " : "") + excerpt(names[i], 60);
  return names.size() > kShown ? text + " and " + std::to_string(names.size() - kShown) + " more"
                               : text;
}

class WeightMatcher {
 public:
  WeightMatcher(const std::map<std::string, TensorType>& found,
                const std::vector<WantedTensor>& wanted, const std::string& file)
      : m_found(found), m_wanted(wanted), m_file(file) {}

  MatchedNames match() {
    for (const auto& [name, type] : m_found)
      m_free.insert(name);
    std::vector<const WantedTensor*> missing;
    for (const WantedTensor& each : m_wanted) {
      const auto found = m_found.find(each.name);
      if (found != m_found.end())
        take(each, found->first);
      else
        missing.push_back(&each);
    }
    if (!missing.empty())
      takeByEnds(missing, [](std::string_view name) { return std::string(name); });
    if (!missing.empty()) takeByEnds(missing, withoutRepeat);
    if (!missing.empty())
      takeByEnds(missing, [](std::string_view name) { return withoutCounts(withoutRepeat(name)); });
    if (!missing.empty())
      takeByEnds(missing, [](std::string_view name) {
        return flattened(withoutCounts(withoutRepeat(name)));
      });
    for (const WantedTensor* each : missing)
      if (!each->isOptional) failMissing(*each);
    noteRest();
    return std::move(m_result);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::InvalidFile, m_file, message);
  }

  void take(const WantedTensor& wanted, const std::string& name) {
    const TensorType& type = m_found.at(name);
    const std::string shown = "tensor \"" + excerpt(name, 100) + "\" ";
    // A tensor with one element may have another rank, such as [] instead of [1].
    const bool isAlike = type.shape == wanted.shape ||
                         (type.shape.numElements() == 1 && wanted.shape.numElements() == 1);
    if (!isAlike && wanted.isOptional) return;
    if (!isAlike)
      fail(shown + "belongs to another network (expected " + wanted.shape.toString() + ", got " +
           type.shape.toString() + "). Use weights of this network.");
    if (!isFloating(type.dtype))
      fail(shown + "is not a weight (expected f32, got " + type.toString() +
           "). Use weights of this network.");
    m_result.found.emplace(wanted.name, name);
    m_free.erase(name);
    if (name != wanted.name) m_renamed.push_back(name + " is " + wanted.name);
  }

  /// Matches each missing variable with a tensor whose name, or the end of whose name, has the same
  /// key. If several tensors match, uses the one whose remaining prefix occurs most often among all
  /// matches. In a tie, the variable stays missing.
  template <class Key>
  void takeByEnds(std::vector<const WantedTensor*>& missing, Key&& key) {
    struct Candidate {
      std::string name, beginning;
    };
    std::map<std::string, std::vector<Candidate>> byEnd;
    for (const std::string& name : m_free) {
      const std::string plain = withoutOutput(name);
      for (size_t at = 0; at != std::string::npos;) {
        byEnd[key(std::string_view(plain).substr(at))].push_back({name, plain.substr(0, at)});
        at = plain.find('/', at);
        if (at != std::string::npos) ++at;
      }
    }
    std::map<std::string, size_t> votes;
    for (const WantedTensor* each : missing)
      if (const auto found = byEnd.find(key(each->name)); found != byEnd.end())
        for (const Candidate& candidate : found->second)
          ++votes[candidate.beginning];
    std::vector<const WantedTensor*> left;
    for (const WantedTensor* each : missing) {
      const auto found = byEnd.find(key(each->name));
      const Candidate* best = nullptr;
      bool isTied = false;
      if (found != byEnd.end())
        for (const Candidate& candidate : found->second) {
          if (!m_free.contains(candidate.name)) continue;
          const size_t vote = votes[candidate.beginning], most = best ? votes[best->beginning] : 0;
          if (best && vote == most) isTied = true;
          if (vote <= most) continue;
          best = &candidate;
          isTied = false;
        }
      if (best && !isTied)
        take(*each, best->name);
      else
        left.push_back(each);
    }
    missing = std::move(left);
  }

  [[noreturn]] void failMissing(const WantedTensor& wanted) const {
    const std::vector<std::string> names(m_free.begin(), m_free.end());
    std::string near = nearestName(wanted.name, names);
    // If no name is similar, suggests the same variable of another layer.
    if (near.empty())
      for (const std::string& name : names)
        if (near.empty() && partsOf(name).back() == partsOf(wanted.name).back() &&
            m_found.at(name).shape == wanted.shape)
          near = name;
    std::string got;
    if (!near.empty())
      got = "; the nearest is \"" + excerpt(near, 100) + "\", " + m_found.at(near).shape.toString();
    else if (m_found.empty())
      got = ", got no other tensors";
    else if (names.empty())
      got = ", got only " + std::to_string(m_found.size()) + " used by other layers";
    else
      got = ", got others: " + listOf(names);
    fail("has no tensor \"" + wanted.name + "\" (expected " + wanted.shape.toString() + got +
         "). Use weights of this network.");
  }

  void noteRest() {
    std::vector<std::string> passed, names;
    for (const WantedTensor& each : m_wanted)
      names.push_back(each.name);
    for (const std::string& name : m_free) {
      if (!isPassedOver(name)) {
        const std::string near = nearestName(name, names);
        fail("tensor \"" + excerpt(name, 100) + "\" is not in this network (expected " +
             counted(static_cast<int64_t>(m_wanted.size()), "tensor") + " of its layers" +
             (near.empty() ? "" : "; the nearest is \"" + near + "\"") +
             "). Use weights of this network.");
      }
      // Optimizer state in a checkpoint and carried state need no note.
      if (name.find(':') == std::string::npos && !isCarriedState(name)) passed.push_back(name);
    }
    if (!m_renamed.empty())
      m_result.notes.push_back(counted(static_cast<int64_t>(m_renamed.size()), "tensor") +
                               " with another name: " + listOf(m_renamed));
    if (!passed.empty())
      m_result.notes.push_back(counted(static_cast<int64_t>(passed.size()), "tensor") +
                               " ignored, because they belong to no layer: " + listOf(passed));
  }

  const std::map<std::string, TensorType>& m_found;
  const std::vector<WantedTensor>& m_wanted;
  const std::string& m_file;
  std::set<std::string> m_free;
  std::vector<std::string> m_renamed;
  MatchedNames m_result;
};

}  // namespace

bool isCarriedState(const std::string& name) {
  return name.ends_with("/rnn_state") || name.ends_with("/rnn_state_1");
}

MatchedNames matchNames(const std::map<std::string, TensorType>& found,
                        const std::vector<WantedTensor>& wanted, const std::string& file) {
  return WeightMatcher(found, wanted, file).match();
}

NamedTensors matchWeights(TensorReader& found, const std::vector<WantedTensor>& wanted,
                          const std::string& file) {
  MatchedNames matched = matchNames(found.types(), wanted, file);
  requireHash(found, file);
  NamedTensors result{{}, std::move(matched.notes)};
  for (const WantedTensor& each : wanted) {
    const auto name = matched.found.find(each.name);
    if (name == matched.found.end()) continue;
    Tensor tensor = found.read(name->second);
    if (tensor.dtype() != DType::F32) tensor = tensor.converted(DType::F32);
    result.tensors.emplace(
        each.name, tensor.shape() == each.shape ? std::move(tensor) : tensor.reshaped(each.shape));
  }
  return result;
}

NamedTensors matchWeights(const std::map<std::string, Tensor>& found,
                          const std::vector<WantedTensor>& wanted, const std::string& file) {
  TensorsInMemory reader(viewsOf(found));
  return matchWeights(reader, wanted, file);
}

}  // namespace strata
