// SPDX-License-Identifier: Apache-2.0
// What replicas on several simulated cards do together: sums, gathered updates, and values that
// they send each other. A wait between two cards that is missing is an error of these cards
// (gpu/simulated/access_order.h).
#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

#include "gpu/base/error.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/plugin.h"
#include "gpu/exec/program.h"
#include "gpu/exec/replica_group.h"
#include "gpu/ops/build.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/support/skip.h"

namespace strata {
namespace {

constexpr int64_t kSize = 3000;
const TensorType kVector{DType::F32, Shape{kSize}};

/// How copies between the cards work (STRATA_SIMULATED_PEER). With "same", all replicas are on one
/// card.
const char* const kPeers[] = {"0", "1", "2", "same"};

/// Cards that run a step side by side, each its own graph.
class CardReplicas {
 public:
  using Build = std::function<void(Graph&, int rank)>;

  CardReplicas(int count, const char* peer, const Build& build) : m_group(count) {
    setenv("STRATA_SIMULATED_PEER", peer, 1);
    const CardData data = test::testCard(std::string("card of sums ") + peer);
    for (int rank = 0; rank < count; ++rank)
      m_devices.push_back(std::make_unique<cuda::CudaDevice>(
          cuda::Card::openSimulated(kSimulatedPrefix + data.name, data, 1,
                                    std::string(peer) == "same" ? 0 : rank),
          false, ReplicaPlace{&m_group, rank}));
    unsetenv("STRATA_SIMULATED_PEER");
    m_detour = connectDevices(m_devices);
    m_group.reserveTransfers(8);
    for (int rank = 0; rank < count; ++rank) {
      m_states.push_back(std::make_unique<State>(*m_devices[static_cast<size_t>(rank)]));
      Graph graph;
      build(graph, rank);
      m_programs.push_back(Program::build(std::move(graph), *m_devices[static_cast<size_t>(rank)],
                                          *m_states.back()));
      m_programs.back()->bind();
    }
    write(1);
  }

  const std::string& detour() const { return m_detour; }
  void write(float value) {
    Tensor all(kVector.dtype, kVector.shape);
    for (float& each : all.as<float>())
      each = value;
    for (const auto& state : m_states)
      state->write("w", all);
  }
  std::vector<float> read(int rank) const {
    const Tensor weight = m_states[static_cast<size_t>(rank)]->read("w");
    return {weight.as<float>().begin(), weight.as<float>().end()};
  }

  /// Runs a step of all replicas. Returns the outcomes by rank. The replica `stopped` leaves it at
  /// once.
  std::vector<StepOutcome> run(int stopped = -1) {
    std::vector<StepOutcome> outcomes(m_programs.size());
    m_group.begin();
    std::vector<std::jthread> threads;
    for (size_t rank = 0; rank < m_programs.size(); ++rank)
      threads.emplace_back([&, rank] {
        std::stop_source stop;
        if (static_cast<int>(rank) == stopped) stop.request_stop();
        try {
          Ticket ticket = m_programs[rank]->submit(stop.get_token());
          outcomes[rank] = ticket.wait();
        }
        catch (const Error& error) {
          FAIL_CHECK(std::string(error.what()));
        }
        m_group.leave(static_cast<int>(rank));
      });
    return outcomes;
  }
  const CollectiveLog& log() const { return m_group.log(); }

 private:
  ReplicaGroup m_group;
  std::vector<std::unique_ptr<Device>> m_devices;
  std::vector<std::unique_ptr<State>> m_states;
  std::vector<std::unique_ptr<Program>> m_programs;
  std::string m_detour;
};

ValueId weightOf(Graph& graph) {
  return graph.addVariable("w", kVector, Category::Parameter, true);
}

/// Returns values that the caller needs for a moment, so that their memory is used again.
ValueId passing(Graph& graph, ValueId x) {
  return sqrt(graph, square(graph, sqrt(graph, square(graph, x))));
}

/// w becomes the sum of w + rank over the replicas. Another sum is on its way meanwhile.
void sums(Graph& graph, int rank, int replicas) {
  const ValueId weight = weightOf(graph);
  const ValueId own = add(graph, weight, constantFill(graph, kVector, static_cast<float>(rank)));
  const auto placeOf = [&](int64_t number) {
    return SumPlace{number, 2, replicas, true};
  };
  std::vector<ValueId> first = startAllReduce(graph, {passing(graph, own)}, placeOf(0));
  std::vector<ValueId> second = startAllReduce(
      graph, {passing(graph, square(graph, own)), reduceSum(graph, own, {0}, false)}, placeOf(1));
  const ValueId sum = finishAllReduce(graph, std::move(first), placeOf(0))[0];
  const ValueId between = passing(graph, sum);
  const std::vector<ValueId> squares = finishAllReduce(graph, std::move(second), placeOf(1));
  const ValueId after = passing(graph, between);
  graph.setNext("w", assign(graph, weight, after));
  graph.addOutput("squares", passing(graph, squares[0]));
}

/// Each replica doubles its third of w, and all get the parts of the others.
void gathers(Graph& graph, int rank, int replicas) {
  const ValueId weight = weightOf(graph);
  std::vector<int64_t> begins, counts;
  for (int i = 0; i < replicas; ++i) {
    begins.push_back(kSize * i / replicas);
    counts.push_back(kSize * (i + 1) / replicas - begins.back());
  }
  const auto at = static_cast<size_t>(rank);
  const ValueId part = slice(graph, weight, {begins[at]}, {counts[at]});
  const ValueId doubled = affine(graph, passing(graph, part), 2, static_cast<double>(rank));
  graph.setNext("w", allGather(graph, {weight, doubled}, 0, rank, replicas, begins, counts)[0]);
}

/// The first card sends w, the second one doubles it, and the first one gets it back.
void transfers(Graph& graph, int rank, int) {
  const ValueId weight = weightOf(graph);
  if (rank == 0) {
    const ValueId sent = passing(graph, weight);
    const ValueId token = send(graph, sent, 0, 1);
    const ValueId back = receive(graph, kVector, 1, 1);
    graph.addOutput("token", awaitSent(graph, sent, token, 0, 1));
    graph.setNext("w", assign(graph, weight, passing(graph, back)));
    return;
  }
  const ValueId received = receive(graph, kVector, 0, 0);
  const ValueId doubled = affine(graph, passing(graph, received), 2, 0);
  const ValueId token = send(graph, doubled, 1, 0);
  graph.addOutput("token", awaitSent(graph, doubled, token, 1, 0));
  graph.setNext("w", assign(graph, weight, passing(graph, doubled)));
}

/// The second card copies a value of the first one, which then waits for the third.
void waits(Graph& graph, int rank, int) {
  const ValueId weight = weightOf(graph);
  if (rank == 0) {
    const ValueId sent = passing(graph, weight);
    const ValueId token = send(graph, sent, 0, 1);
    const ValueId received = receive(graph, kVector, 1, 2);
    graph.addOutput("token", awaitSent(graph, sent, token, 0, 1));
    graph.addOutput("received", passing(graph, received));
  }
  else if (rank == 1) {
    graph.addOutput("received", passing(graph, receive(graph, kVector, 0, 0)));
  }
  else {
    const ValueId token = send(graph, weight, 1, 0);
    graph.addOutput("token", awaitSent(graph, weight, token, 1, 0));
  }
}

CardReplicas replicasOf(void (*build)(Graph&, int, int), int count, const char* peer) {
  return {count, peer, [&](Graph& graph, int rank) {
            build(graph, rank, count);
          }};
}

}  // namespace

TEST_SUITE("card") {
  TEST_CASE("replicas on several cards get the same sums, captured and uncaptured") {
    if (!test::canRun(cuda::pluginProblem())) return;
    constexpr int kReplicas = 3, kSteps = 6;
    for (const char* peer : kPeers) {
      CAPTURE(std::string(peer));
      CardReplicas replicas = replicasOf(sums, kReplicas, peer);
      CHECK(replicas.detour().empty() == (*peer == '0' || *peer == 's'));
      float expected = 1;
      for (int step = 0; step < kSteps; ++step) {
        for (const StepOutcome outcome : replicas.run())
          REQUIRE(outcome == StepOutcome::Done);
        expected = (expected + (expected + 1)) + (expected + 2);
      }
      for (int rank = 0; rank < kReplicas; ++rank)
        REQUIRE(replicas.read(rank) == std::vector<float>(kSize, expected));
      const CollectiveTimes& times = replicas.log().of(1).at({"all_reduce", 1});
      CHECK(times.calls == kSteps);
      CHECK(times.bytes == (kSize + 1) * sizeof(float));
      CHECK(times.durations.back().count() > 0);
    }
  }

  TEST_CASE("replicas on several cards gather the parts that each has updated") {
    if (!test::canRun(cuda::pluginProblem())) return;
    constexpr int kReplicas = 3;
    for (const char* peer : kPeers) {
      CAPTURE(std::string(peer));
      CardReplicas replicas = replicasOf(gathers, kReplicas, peer);
      for (int step = 0; step < 5; ++step)
        replicas.run();
      for (int rank = 0; rank < kReplicas; ++rank) {
        const std::vector<float> w = replicas.read(rank);
        for (const int part : {0, 1, 2})
          CHECK(w[static_cast<size_t>(part) * 1000 + 500] == 32 + 31 * static_cast<float>(part));
      }
    }
  }

  TEST_CASE("a value goes from card to card and back") {
    if (!test::canRun(cuda::pluginProblem())) return;
    for (const char* peer : kPeers) {
      CAPTURE(std::string(peer));
      CardReplicas replicas = replicasOf(transfers, 2, peer);
      for (int step = 0; step < 5; ++step)
        replicas.run();
      for (const int rank : {0, 1})
        CHECK(replicas.read(rank) == std::vector<float>(kSize, 32));
    }
  }

  TEST_CASE("a card that leaves a step does not disturb what others still copy") {
    if (!test::canRun(cuda::pluginProblem())) return;
    for (const char* peer : kPeers) {
      CAPTURE(std::string(peer));
      CardReplicas replicas = replicasOf(waits, 3, peer);
      for (int step = 0; step < 8; ++step) {
        const std::vector<StepOutcome> outcomes = replicas.run(step % 2 == 0 ? 2 : -1);
        CHECK((outcomes[0] == StepOutcome::Done) == (step % 2 == 1));
        CHECK(outcomes[1] == StepOutcome::Done);
      }
    }
  }

  TEST_CASE("no replica on a card changes a value if one has stopped") {
    if (!test::canRun(cuda::pluginProblem())) return;
    for (const auto build : {sums, gathers, transfers})
      for (const int stopped : {0, 1}) {
        CAPTURE(stopped);
        CardReplicas replicas = replicasOf(build, 2, "0");
        for (int step = 0; step < 4; ++step)
          replicas.run();
        const std::vector<float> before = replicas.read(0);
        // The steps after it must not meet what is left of it
        for (int again = 0; again < 3; ++again) {
          for (const StepOutcome outcome : replicas.run(stopped))
            CHECK(outcome != StepOutcome::Done);
          for (const int rank : {0, 1})
            CHECK(replicas.read(rank) == before);
        }
        for (const StepOutcome outcome : replicas.run())
          CHECK(outcome == StepOutcome::Done);
        CHECK(replicas.read(0) != before);
        CHECK(replicas.read(0) == replicas.read(1));
      }
  }
}

}  // namespace strata
