// SPDX-License-Identifier: Apache-2.0
// The search adds repeated nodes one by one until the step fits the limit. It always adds the node
// that removes the most excess over the limit per second of extra time. Then it removes repeated
// nodes that turn out to be unnecessary, the most expensive first. Every guess is evaluated on the
// whole step, with workspaces that fit, because a repeated node needs memory, too.
#include "gpu/memory/recompute.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "gpu/graph/op.h"
#include "gpu/memory/step_model.h"

namespace strata {
namespace {

// Rough values for two cores of a recent processor. Only their ratios matter.
constexpr double kFlopsPerSecond = 4e11, kBytesPerSecond = 1.5e10, kSecondsPerNode = 2e-6;
// The following limits keep the running time of the search short. The work of a guess is the number
// of nodes of the graph, because each guess is evaluated on the whole step.

// Maximum number of candidates in one round
constexpr int kMaxGuesses = 400;
// Maximum work in one round
constexpr double kNodesPerRound = 400'000;
// After this much work, the search only tries whole patterns of repeated nodes
constexpr double kNodesPerSearch = 6e7;
// For graphs with more nodes than this, the search only tries whole patterns from the start
constexpr int kMaxWeighedOneByOne = 2000;
// Maximum work of one call of exchange(). More work takes seconds and saves little memory (see
// gpu/memory in tests/bench/README.md).
constexpr double kNodesPerExchange = 200'000;
constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

class Search {
 public:
  Search(const Graph& graph, const RecomputeOptions& options)
      : m_graph(graph), m_model(graph, options) {
    m_repeats.assign(static_cast<size_t>(m_model.size()), 0);
  }

  /// Returns the number of bytes of variables, constants and inputs.
  size_t fixedBytes() const { return m_model.fixedBytes(); }
  /// Returns the lower bound of the step's memory, with workspaces as small as `limit` requires.
  size_t bound(bool updatesEarly, size_t limit) {
    return m_model.weigh(m_repeats, updatesEarly, limit).boundBytes;
  }

  /// Changes m_repeats until the step fits `limit`. Returns false if the search does not find a
  /// way. m_repeats is then unchanged, unless the search exceeded its maximum work.
  bool shrinkTo(size_t limit, bool updatesEarly) {
    if (isLarge()) return tryPatterns(limit, updatesEarly);
    const std::vector<char> before = m_repeats;
    Move now{m_repeats, m_model.weigh(m_repeats, updatesEarly, limit), 0};
    // For each guess, the score from its last evaluation, or infinity before the first one
    std::vector<double> known(3 * m_repeats.size(), std::numeric_limits<double>::infinity());
    while (now.weight.excessBytes > 0) {
      if (isLarge()) return tryPatterns(limit, updatesEarly);
      Move best = now;
      std::vector<Guess> guesses;
      // A node that is already repeated may have become unnecessary
      for (const int position : positions())
        guesses.push_back({position, Guess::Kind::Remove});
      for (const int position : candidates())
        for (const auto kind : {Guess::Kind::Add, Guess::Kind::AddDeep})
          guesses.push_back({position, kind});
      const auto scoreOf = [&](const Guess& guess) -> double& {
        return known[3 * static_cast<size_t>(guess.position) + static_cast<size_t>(guess.kind)];
      };
      std::stable_sort(guesses.begin(), guesses.end(),
                       [&](const Guess& a, const Guess& b) { return scoreOf(a) > scoreOf(b); });
      // The score of a guess rarely improves after other changes. A guess that scored less than the
      // best one is therefore evaluated again only if nothing else helps.
      for (const bool isThorough : {false, true}) {
        for (const Guess& guess : guesses) {
          if (!isThorough && scoreOf(guess) <= best.score) break;
          Move move = now;
          scoreOf(guess) = 0;
          if (apply(guess, move.repeats))
            scoreOf(guess) = judge(std::move(move), now, limit, updatesEarly, best);
        }
        if (best.score > 0) break;
      }
      if (best.score <= 0) exchange(now, limit, updatesEarly, best);
      if (best.score <= 0) {
        m_repeats = before;
        return false;
      }
      now = std::move(best);
      now.score = 0;
      m_repeats = now.repeats;
    }
    return true;
  }

  /// Does the same as shrinkTo(), but starts without repeated nodes. The repeated nodes for a
  /// larger limit can be a bad start.
  bool shrinkFromScratch(size_t limit, bool updatesEarly) {
    const std::vector<char> before =
        std::exchange(m_repeats, std::vector<char>(m_repeats.size(), 0));
    if (shrinkTo(limit, updatesEarly)) return true;
    m_repeats = before;
    return false;
  }

  bool isLarge() const { return m_model.size() > kMaxWeighedOneByOne || m_work > kNodesPerSearch; }

  /// Tries a few dozen patterns of repeated nodes: all eligible nodes except every n-th, or the n
  /// nodes that save the most bytes per second. Uses the fastest pattern that fits `limit` and
  /// returns true. If no pattern fits, it returns false. It then uses the pattern with the least
  /// memory if `takesSmallest` is true, and otherwise leaves m_repeats unchanged.
  bool tryPatterns(size_t limit, bool updatesEarly, bool takesSmallest = false) {
    std::vector<int> eligible;
    for (int i = 0; i < m_model.size(); ++i)
      if (m_model.isEligible(i)) eligible.push_back(i);
    std::vector<int> byScore = eligible;
    const auto score = [&](int i) {
      return (m_model.isKept(i) ? 1.0 : 0.1) * static_cast<double>(m_model.largeBytes(i)) /
             m_model.seconds(i);
    };
    std::stable_sort(byScore.begin(), byScore.end(),
                     [&](int a, int b) { return score(a) > score(b); });
    std::vector<char> quickest, smallest = m_repeats;
    double seconds = std::numeric_limits<double>::max();
    size_t bytes = m_model.weigh(m_repeats, updatesEarly, limit).boundBytes;
    const auto attempt = [&](const std::vector<char>& repeats) {
      m_graph.checkStop();
      const StepModel::Weight weight = m_model.weigh(repeats, updatesEarly, limit);
      if (weight.boundBytes <= limit && weight.extraSeconds < seconds) {
        quickest = repeats;
        seconds = weight.extraSeconds;
      }
      if (weight.boundBytes < bytes) {
        smallest = repeats;
        bytes = weight.boundBytes;
      }
    };
    for (size_t count = 1; count / 2 < byScore.size(); count *= 2) {
      std::vector<char> repeats(m_repeats.size(), 0);
      for (size_t i = 0; i < std::min(count, byScore.size()); ++i)
        add(byScore[i], true, repeats);
      attempt(repeats);
    }
    for (size_t stride = 2; stride / 2 < eligible.size(); stride = stride * 5 / 4 + 1) {
      std::vector<char> repeats(m_repeats.size(), 0);
      for (size_t i = 0; i < eligible.size(); ++i)
        repeats[static_cast<size_t>(eligible[i])] = (i + 1) % stride != 0;
      attempt(repeats);
    }
    if (!quickest.empty())
      m_repeats = quickest;
    else if (takesSmallest)
      m_repeats = smallest;
    return !quickest.empty();
  }

  /// Removes repeated nodes that are not necessary to fit the limit.
  void relax(size_t limit, bool updatesEarly) {
    std::vector<int> repeated = positions();
    std::stable_sort(repeated.begin(), repeated.end(),
                     [&](int a, int b) { return m_model.seconds(a) > m_model.seconds(b); });
    const auto guesses = static_cast<size_t>(kNodesPerRound * 4 / std::max(1, m_model.size()));
    if (repeated.size() > guesses) repeated.resize(guesses);
    for (const int position : repeated) {
      m_graph.checkStop();
      m_repeats[static_cast<size_t>(position)] = 0;
      if (m_model.weigh(m_repeats, updatesEarly, limit).boundBytes > limit)
        m_repeats[static_cast<size_t>(position)] = 1;
    }
  }

  RecomputeChoice choice(bool updatesEarly, size_t limit = kNoLimit) {
    RecomputeChoice result;
    result.updatesEarly = updatesEarly;
    std::vector<StepModel::Shrunk> shrunk;
    const StepModel::Weight weight = m_model.weigh(m_repeats, updatesEarly, limit, &shrunk);
    for (const StepModel::Shrunk& each : shrunk)
      result.shrunk.push_back({m_graph.order()[static_cast<size_t>(each.entry.position)],
                               each.entry.isRepeat, each.choice, each.usualBytes});
    result.lowerBoundBytes = weight.boundBytes;
    result.extraSeconds = weight.extraSeconds;
    result.stepSeconds = m_model.stepSeconds();
    std::vector<char> isRepeated(m_repeats.size(), 0);
    for (const StepModel::Entry& entry : m_model.order(m_repeats, updatesEarly))
      if (entry.isRepeat)
        isRepeated[static_cast<size_t>(entry.position)] =
            m_repeats[static_cast<size_t>(entry.position)];
    m_repeats = isRepeated;
    for (size_t i = 0; i < isRepeated.size(); ++i)
      if (isRepeated[i]) result.repeated.push_back(m_graph.order()[i]);
    return result;
  }

 private:
  /// A set of repeated nodes and its evaluation.
  struct Move {
    std::vector<char> repeats;
    StepModel::Weight weight;
    // The excess bytes that the move removes per second of extra time, or 0 if it removes none
    double score = 0;
  };

  /// A change to the set of repeated nodes.
  struct Guess {
    enum class Kind { Remove, Add, AddDeep };
    int position = 0;
    Kind kind = Kind::Add;
  };
  bool apply(const Guess& guess, std::vector<char>& repeats) const {
    if (guess.kind != Guess::Kind::Remove)
      return add(guess.position, guess.kind == Guess::Kind::AddDeep, repeats);
    repeats[static_cast<size_t>(guess.position)] = 0;
    return true;
  }

  /// Evaluates a move and returns its score. Replaces `best` if the score is higher.
  double judge(Move&& move, const Move& now, size_t limit, bool updatesEarly, Move& best) {
    move.weight = m_model.weigh(move.repeats, updatesEarly, limit);
    m_work += m_model.size();
    if (move.weight.excessBytes >= now.weight.excessBytes) return 0;
    const double score = static_cast<double>(now.weight.excessBytes - move.weight.excessBytes) /
                         std::max(move.weight.extraSeconds - now.weight.extraSeconds, 1e-7);
    move.score = score;
    if (score > best.score) best = std::move(move);
    return score;
  }

  /// Tries to replace one repeated node by another one, if no single change helps.
  void exchange(const Move& now, size_t limit, bool updatesEarly, Move& best) {
    const std::vector<int> additions = candidates(), repeated = positions();
    auto guesses = static_cast<int64_t>(kNodesPerExchange / std::max(1, m_model.size()));
    for (const int position : repeated)
      for (const int addition : additions)
        for (const bool isDeep : {false, true}) {
          if (--guesses < 0) return;
          Move move = now;
          move.repeats[static_cast<size_t>(position)] = 0;
          if (add(addition, isDeep, move.repeats))
            judge(std::move(move), now, limit, updatesEarly, best);
        }
  }

  std::vector<int> positions() const {
    std::vector<int> result;
    for (int i = 0; i < m_model.size(); ++i)
      if (m_repeats[static_cast<size_t>(i)]) result.push_back(i);
    return result;
  }

  /// Returns the nodes that may be added to the repeated nodes. If there are too many, returns
  /// those that promise to save the most bytes per second of extra time.
  std::vector<int> candidates() const {
    std::vector<int> result;
    for (int i = 0; i < m_model.size(); ++i)
      if (m_model.isEligible(i) && !m_repeats[static_cast<size_t>(i)]) result.push_back(i);
    const auto most = static_cast<size_t>(
        std::clamp(kNodesPerRound / 2 / std::max(1, m_model.size()), 8.0, double{kMaxGuesses}));
    if (result.size() <= most) return result;
    const auto score = [&](int i) {
      return (m_model.isKept(i) ? 1.0 : 0.1) * static_cast<double>(m_model.largeBytes(i)) /
             m_model.seconds(i);
    };
    std::stable_sort(result.begin(), result.end(),
                     [&](int a, int b) { return score(a) > score(b); });
    result.resize(most);
    return result;
  }

  /// Adds a repeated node. If isDeep is true, also adds the nodes that produce its operands, except
  /// operands that are kept for the backward pass. Returns false if isDeep is true and no other
  /// node was added.
  bool add(int candidate, bool isDeep, std::vector<char>& repeats) const {
    repeats[static_cast<size_t>(candidate)] = 1;
    if (!isDeep) return true;
    bool isDeeper = false;
    std::vector<int> open{candidate};
    while (!open.empty()) {
      const int position = open.back();
      open.pop_back();
      for (const int producer : m_model.largeProducers(position)) {
        if (!m_model.isEligible(producer) || m_model.isKept(producer) ||
            repeats[static_cast<size_t>(producer)])
          continue;
        repeats[static_cast<size_t>(producer)] = 1;
        isDeeper = true;
        open.push_back(producer);
      }
    }
    return isDeeper;
  }

  const Graph& m_graph;
  StepModel m_model;
  std::vector<char> m_repeats;
  // The work of all guesses so far
  double m_work = 0;
};

// In the search for the smallest plan, each limit on the transient bytes is this share of the bytes
// that the last plan needed. If no plan meets it, the share grows up to the second one.
constexpr double kBudgetStep = 0.96, kLastBudgetStep = 0.99;

}  // namespace

double costSeconds(const Graph& graph, NodeId node) {
  const Cost cost = costOf(graph, graph.node(node));
  return std::max(cost.flops / kFlopsPerSecond, cost.bytes / kBytesPerSecond) + kSecondsPerNode;
}

RecomputeChoice chooseRecompute(const Graph& graph, const RecomputeOptions& options) {
  Search search(graph, options);
  const bool isEarly = options.mayUpdateEarly;
  if (options.how == Recompute::None) return search.choice(false);
  if (options.how == Recompute::Auto) {
    if (search.bound(false, kNoLimit) <= options.limitBytes) return search.choice(false);
    // Early updates free gradients without extra time, so they are tried before recomputation
    if (isEarly && search.bound(true, kNoLimit) <= options.limitBytes) return search.choice(true);
    if (search.shrinkTo(options.limitBytes, isEarly)) {
      search.relax(options.limitBytes, isEarly);
      return search.choice(isEarly, options.limitBytes);
    }
  }
  // Find the smallest plan by lowering the limit step by step
  size_t reached = search.bound(isEarly, 0);
  if (search.isLarge()) {
    search.tryPatterns(0, isEarly, true);
    reached = search.bound(isEarly, 0);
  }
  double share = kBudgetStep;
  while (!search.isLarge() && share <= kLastBudgetStep) {
    const size_t budget =
        search.fixedBytes() +
        static_cast<size_t>(share * static_cast<double>(reached - search.fixedBytes()));
    if (search.shrinkTo(budget, isEarly) || search.shrinkFromScratch(budget, isEarly))
      reached = search.bound(isEarly, 0);
    else
      share = (1 + share) / 2;
  }
  search.relax(reached, isEarly);
  RecomputeChoice all = search.choice(isEarly, reached);
  Search plain(graph, options);
  return all.lowerBoundBytes < plain.bound(false, kNoLimit) ? all : plain.choice(false);
}

std::vector<StepEntry> orderOfChoice(const Graph& graph, const RecomputeChoice& choice) {
  StepModel model(graph, {});
  std::vector<char> repeats(static_cast<size_t>(model.size()), 0);
  std::vector<int> positions(static_cast<size_t>(graph.numNodes()), -1);
  for (size_t i = 0; i < graph.order().size(); ++i)
    positions[static_cast<size_t>(graph.order()[i].index)] = static_cast<int>(i);
  for (const NodeId id : choice.repeated)
    repeats[static_cast<size_t>(positions[static_cast<size_t>(id.index)])] = 1;
  std::map<std::pair<NodeId, bool>, int64_t> slices;
  for (const ShrunkWorkspace& shrunk : choice.shrunk)
    slices[{shrunk.node, shrunk.isRepeat}] = shrunk.choice.slices;
  std::vector<StepEntry> result;
  for (const StepModel::Entry& entry : model.order(repeats, choice.updatesEarly)) {
    const NodeId id = graph.order()[static_cast<size_t>(entry.position)];
    StepEntry step{id, entry.isRepeat, 1, {}};
    if (const auto at = slices.find({id, entry.isRepeat}); at != slices.end())
      step.slices = at->second;
    for (int i = 0; i < static_cast<int>(graph.node(id).inputs.size()); ++i)
      step.readsRepeat.push_back(model.readsRepeat(entry, i, repeats));
    result.push_back(std::move(step));
  }
  return result;
}

size_t boundOfChoice(const Graph& graph, const RecomputeOptions& options,
                     const RecomputeChoice& choice) {
  StepModel model(graph, options);
  std::vector<char> repeats(static_cast<size_t>(model.size()), 0);
  for (size_t i = 0; i < graph.order().size(); ++i)
    repeats[i] = std::find(choice.repeated.begin(), choice.repeated.end(), graph.order()[i]) !=
                 choice.repeated.end();
  return model.weigh(repeats, choice.updatesEarly, options.limitBytes).boundBytes;
}

}  // namespace strata
