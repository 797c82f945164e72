// SPDX-License-Identifier: Apache-2.0
#include "core/data/split_folders.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/data/image_files.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

enum class Part : uint8_t { Train, Validation, Test };
constexpr std::array kParts{Part::Train, Part::Validation, Part::Test};

// More folders are more likely classes with equal subfolders than the parts of a split.
constexpr size_t kMaxParts = 12;

char lowered(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// Returns the words of a name in lower case. Capitals, digits and signs separate words.
std::vector<std::string> wordsOf(const std::string& name) {
  std::vector<std::string> words(1);
  char before = ' ';
  for (const char c : name) {
    const bool isLetter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    const bool isCapitalAfterSmall = std::isupper(static_cast<unsigned char>(c)) != 0 &&
                                     std::islower(static_cast<unsigned char>(before)) != 0;
    if ((!isLetter || isCapitalAfterSmall) && !words.back().empty()) words.emplace_back();
    if (isLetter) words.back() += lowered(c);
    before = c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool hasWord(const std::vector<std::string>& words, Part part) {
  static constexpr std::array<std::string_view, 5> kTrain{"train", "training", "trainset",
                                                          "trainval", "trn"};
  static constexpr std::array<std::string_view, 10> kValidation{
      "valid", "val",   "validation", "validate", "valset",
      "dev",   "devel", "devset",     "eval",     "evaluation"};
  static constexpr std::array<std::string_view, 6> kTest{"test",    "testing", "tests",
                                                         "testset", "holdout", "heldout"};
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    const auto isIn = [&](const auto& names) {
      return std::find(names.begin(), names.end(), word) != names.end();
    };
    if (part == Part::Train) return isIn(kTrain);
    return part == Part::Validation ? isIn(kValidation) : isIn(kTest);
  });
}

/// Returns the part that a name means, or nullopt if it contains words of no or several parts.
std::optional<Part> partOf(const std::string& name) {
  std::vector<std::string> words = wordsOf(name);
  for (size_t i = 1; i < words.size(); ++i)
    if (words[i] == "out" && (words[i - 1] == "hold" || words[i - 1] == "held"))
      words[i - 1] += "out";
  std::optional<Part> found;
  for (const Part part : kParts) {
    if (!hasWord(words, part)) continue;
    if (found) return std::nullopt;
    found = part;
  }
  return found;
}

/// Whether the name consists of the usual word for a part, and perhaps the word "set".
bool isUsualName(const std::string& name) {
  static constexpr std::array<std::string_view, 14> kNames{
      "train",   "training",       "train_set", "training_set", "valid",
      "val",     "validation",     "test",      "testing",      "valid_set",
      "val_set", "validation_set", "test_set",  "testing_set"};
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), lowered);
  return std::find(kNames.begin(), kNames.end(), lower) != kNames.end();
}

/// A folder in the folder that may be split.
struct Candidate {
  std::string name, path;
  std::optional<Part> part;
  FolderContents contents;
  // Whether it contains folders for classes: at least one without images next to it, or several
  bool hasClasses = false;
};

Candidate candidateOf(const std::string& root, const std::string& name) {
  Candidate candidate{name, (fs::path(root) / name).string(), partOf(name), {}};
  candidate.contents = contentsOf(candidate.path);
  const auto hasClasses = [](const FolderContents& contents) {
    return contents.folders.size() > (contents.hasImages ? 1 : 0);
  };
  // Archives often contain a folder within a folder of the same name.
  if (const auto& folders = candidate.contents.folders;
      candidate.part && folders.size() == 1 && folders[0] == name) {
    const std::string inner = (fs::path(candidate.path) / name).string();
    if (FolderContents contents = contentsOf(inner); hasClasses(contents)) {
      candidate.path = inner;
      candidate.contents = std::move(contents);
    }
  }
  candidate.hasClasses = hasClasses(candidate.contents);
  return candidate;
}

std::vector<std::string> sharedNames(const std::vector<std::string>& a,
                                     const std::vector<std::string>& b) {
  std::vector<std::string> shared;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
  return shared;
}

/// Whether at least half of the folders of the smaller one occur in the other.
bool haveSameClasses(const Candidate& a, const Candidate& b) {
  if (!a.hasClasses || !b.hasClasses) return false;
  const size_t fewer = std::min(a.contents.folders.size(), b.contents.folders.size());
  return 2 * sharedNames(a.contents.folders, b.contents.folders).size() >= fewer;
}

/// Returns the folder itself as training set, with the folders that may be parts of a split.
SplitFolders withoutSplit(const std::string& root, const std::vector<Candidate>& candidates) {
  SplitFolders found{root, "", ""};
  if (candidates.size() < 2 || candidates.size() > kMaxParts) return found;
  std::vector<std::string> names;
  bool areNamedParts = true, isTrainNamed = false;
  std::vector<std::string> shared = candidates[0].contents.folders;
  for (const Candidate& each : candidates) {
    names.push_back(each.name);
    areNamedParts = areNamedParts && each.part.has_value();
    isTrainNamed = isTrainNamed || each.part == Part::Train;
    shared =
        each.hasClasses ? sharedNames(shared, each.contents.folders) : std::vector<std::string>();
  }
  // A single common name, such as "images", is not a sign of classes.
  const bool isSplitByStructure = shared.size() > 1 || (areNamedParts && !shared.empty());
  if (!isSplitByStructure && !(areNamedParts && isTrainNamed)) return found;
  found.doubtful = std::move(names);
  found.sharedNames = std::move(shared);
  return found;
}

}  // namespace

SplitFolders splitFoldersIn(const std::string& root) {
  std::vector<Candidate> candidates;
  for (const std::string& name : contentsOf(root).folders)
    candidates.push_back(candidateOf(root, name));
  const auto train = std::ranges::find_if(candidates, [&](const Candidate& each) {
    if (each.part != Part::Train || !each.hasClasses) return false;
    // With images next to its folders, it is a class unless another part has the same classes
    return !each.contents.hasImages || std::ranges::any_of(candidates, [&](const Candidate& other) {
      return other.part && other.part != Part::Train && haveSameClasses(other, each);
    });
  });
  if (train == candidates.end()) return withoutSplit(root, candidates);
  SplitFolders found;
  // Whether a folder may be a class next to the class "train"
  bool hasOther = false;
  const Candidate* chosen[kParts.size()] = {};
  for (const Candidate& each : candidates) {
    const bool isMixed = each.hasClasses && each.contents.hasImages;
    const bool isPart =
        each.part && ((isUsualName(each.name) && !isMixed) || haveSameClasses(each, *train));
    hasOther = hasOther || !isPart;
    if (!isPart || !each.hasClasses) {
      found.unused.push_back(each.name);
      continue;
    }
    const Candidate*& place = chosen[static_cast<size_t>(*each.part)];
    // Two folders for the same part without common classes are more likely classes.
    if (place && !haveSameClasses(*place, each)) return withoutSplit(root, candidates);
    if (place) {
      SplitFolders rivals{root, "", ""};
      rivals.rivals = {place->name, each.name};
      return rivals;
    }
    place = &each;
  }
  const auto pathOf = [&](Part part) {
    const Candidate* const each = chosen[static_cast<size_t>(part)];
    return each ? each->path : std::string();
  };
  found.train = pathOf(Part::Train);
  found.validation = pathOf(Part::Validation);
  found.test = pathOf(Part::Test);
  const bool isSplit = !found.validation.empty() || !found.test.empty();
  const bool isTrainUsual = isUsualName(train->name);
  if (found.train.empty() || (!isSplit && (hasOther || !isTrainUsual)))
    return withoutSplit(root, candidates);
  return found;
}

}  // namespace strata
