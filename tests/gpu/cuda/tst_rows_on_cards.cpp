// SPDX-License-Identifier: Apache-2.0
// Runs every row of the op table, forward and backward, as a program on a simulated card, captured
// and uncaptured, in f32, bf16 and f16. The results are compared with those of the interpreter.
// STRATA_TEST_ROWS=text runs only the rows whose name contains the text; STRATA_TEST_SKIP=names,
// one a line, omits rows. STRATA_TEST_DUMP=file adds each tensor that is wrong to the file, next to
// its reference and the graph. STRATA_TEST_PRESENT=file gets the name of the row that runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <optional>

#include "gpu/base/error.h"
#include "gpu/cuda/cuda_kernel.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/gpu/ops/op_rows.h"
#include "tests/support/naive.h"

TEST_SUITE_BEGIN("rows on cards");

namespace strata::test {

namespace {

// The first step has canaries, the next two run uncaptured, and the others as a graph
constexpr int kSteps = 5;

bool isChosen(const OpRow& row) {
  const char* skipped = std::getenv("STRATA_TEST_SKIP");
  if (skipped &&
      ("\n" + std::string(skipped) + "\n").find("\n" + row.name + "\n") != std::string::npos)
    return false;
  const char* chosen = std::getenv("STRATA_TEST_ROWS");
  return !chosen || row.name.find(chosen) != std::string::npos;
}

/// The largest difference relative to the largest magnitude, or to 1. It is infinite if only one of
/// two elements is NaN, or infinities differ.
double differenceOf(const Tensor& got, const Tensor& expected) {
  const Tensor a = got.converted(DType::F64), b = expected.converted(DType::F64);
  double largest = 1, worst = 0;
  for (const double value : b.as<double>())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  for (size_t i = 0; i < a.as<double>().size(); ++i) {
    const double x = a.as<double>()[i], y = b.as<double>()[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double difference = std::abs(x - y) / largest;
    worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
  }
  return worst;
}

/// Adds a tensor that is wrong to the file STRATA_TEST_DUMP, with the elements that differ most.
void dump(const RowRun& run, const std::string& row, const std::string& name, const Tensor& got,
          const Tensor& expected, int step) {
  const char* path = std::getenv("STRATA_TEST_DUMP");
  if (!path) return;
  constexpr size_t kElements = 8;
  const Tensor a = got.converted(DType::F64), b = expected.converted(DType::F64);
  const auto x = a.as<double>(), y = b.as<double>();
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto difference = [&](size_t i) {
    const double value = std::abs(x[i] - y[i]);
    return std::isnan(value) ? INFINITY : value;
  };
  const size_t count = std::min(kElements, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](size_t i, size_t j) { return difference(i) > difference(j); });
  std::ofstream file(path, std::ios::app);
  file << "row " << row << ", step " << step << ", tensor " << name << ", "
       << dtypeName(got.dtype()) << ", " << x.size() << " elements\n";
  file << "index: got, expected\n";
  for (size_t i = 0; i < count; ++i)
    file << order[i] << ": " << x[order[i]] << ", " << y[order[i]] << "\n";
  file << printGraph(run.graph) << "\n";
}

void runRow(const RowRun& run, const std::string& row, Device& device, double tolerance) {
  State state(device);
  const std::unique_ptr<Program> program = Program::build(run.graph, device, state);
  program->bind();
  const Evaluation expected = evaluateGraph(run.graph, run.inputs, run.variables);
  NamedTensors first;
  for (int step = 0; step < kSteps; ++step) {
    program->setCanaries(step == 0);
    for (const auto& [name, tensor] : run.inputs)
      program->writeInput(name, tensor);
    for (const auto& [name, tensor] : run.variables)
      state.write(name, tensor);
    if (program->run() != Program::Outcome::Done)
      throw Error(ErrorCode::Internal, "step " + std::to_string(step), "the step is not done.");
    const auto compare = [&](const NamedTensors& wanted, auto&& read) {
      for (const auto& [name, tensor] : wanted) {
        CAPTURE(name);
        const Tensor got = read(name);
        const bool isGood = isFloating(tensor.dtype()) ? differenceOf(got, tensor) <= tolerance
                                                       : got.isBitEqual(tensor);
        if (!isGood) dump(run, row, name, got, tensor, step);
        if (isFloating(tensor.dtype()))
          CHECK(differenceOf(got, tensor) <= tolerance);
        else
          CHECK(got.isBitEqual(tensor));
        // Captured and uncaptured steps give the same bits
        if (step == 0)
          first.emplace(name, got);
        else
          CHECK(got.isBitEqual(first.find(name)->second));
      }
    };
    compare(expected.outputs, [&](const std::string& name) { return program->readOutput(name); });
    compare(expected.variables, [&](const std::string& name) { return state.read(name); });
  }
}

/// Returns why cards do not run a row, as a part of the message, or "" if they run it.
std::string refusalOfRow(const Graph& graph) {
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (const std::string_view reason = cuda::refusalOf(node.op->name); !reason.empty())
      return std::string(reason);
    if (observesGradients(node) && node.attributes.get<int64_t>("pairs") > 0)
      return "pairs of " + node.op->name + " have no kernel";
    for (const ValueId value : node.outputs)
      if (graph.type(value).dtype == DType::F64) return "does not run on f64 elements";
  }
  return {};
}

/// A card that tests open again after an error, because a card that has failed answers every call
/// with the same error.
class TestCard {
 public:
  explicit TestCard(std::function<std::unique_ptr<Device>()> open = [] { return openTestCard(); })
      : m_open(std::move(open)), m_device(m_open()) {}
  bool isAvailable() const { return m_device != nullptr; }
  /// Runs a row, or checks that the card refuses it. Returns whether it was run.
  bool run(const RowRun& run, const std::string& row, double tolerance) {
    if (const char* path = std::getenv("STRATA_TEST_PRESENT")) std::ofstream(path) << row;
    const std::string refusal = refusalOfRow(run.graph);
    try {
      runRow(run, row, *m_device, tolerance);
    }
    catch (const Error& error) {
      const bool isExpected = error.code() == ErrorCode::UnsupportedOp && !refusal.empty() &&
                              error.line().find(refusal) != std::string::npos;
      if (!isExpected) FAIL_CHECK(error.line());
      if (error.code() == ErrorCode::DeviceFailure) {
        m_device = nullptr;
        m_device = m_open();
      }
      return false;
    }
    CHECK_MESSAGE(refusal.empty(), "the row was not refused, although it " << refusal);
    return true;
  }

 private:
  std::function<std::unique_ptr<Device>()> m_open;
  std::unique_ptr<Device> m_device;
};

}  // namespace

TEST_CASE("each op has a kernel on cards, or a reason why not") {
  for (const OpDef* op : allOps()) {
    if (op->kind == OpKind::Source) continue;
    CAPTURE(op->name);
    const bool hasKernel = cuda::findKernelMaker(op->name) != nullptr,
               isRefused = !cuda::refusalOf(op->name).empty();
    CHECK(hasKernel != isRefused);
  }
}

TEST_CASE("rows in f32 on a card agree with the interpreter") {
  TestCard card;
  if (!card.isAvailable()) return;
  int numRun = 0;
  for (const OpRow& row : opRows()) {
    if (!isChosen(row)) continue;
    CAPTURE(row.name);
    // Sums of the card are in f32, those of the interpreter in f64
    numRun +=
        card.run(makeRowRun(row, DType::F32, true), row.name, std::max(row.floatTolerance, 2e-5));
  }
  MESSAGE(numRun << " rows");
}

TEST_CASE("rows in bf16 and f16 on a card agree with the interpreter") {
  TestCard card;
  if (!card.isAvailable()) return;
  for (const DType dtype : {DType::BF16, DType::F16}) {
    CAPTURE(dtypeName(dtype));
    const double rounding = dtype == DType::BF16 ? 0x1p-8 : 0x1p-11;
    int numRun = 0;
    for (const OpRow& row : opRows()) {
      if (!isChosen(row)) continue;
      CAPTURE(row.name);
      std::optional<RowRun> run;
      try {
        run = makeRowRun(row, dtype, true);
      }
      catch (const Error&) {
        // An op of the row does not take the type
        continue;
      }
      numRun += card.run(*run, row.name, 4 * rounding);
    }
    MESSAGE(dtypeName(dtype) << ": " << numRun << " rows");
  }
}

TEST_CASE("products that the library refuses agree with the interpreter") {
  if (!canRun(cuda::pluginProblem())) return;
  for (const int refused : {STRATA_REFUSED_WITH_BIAS, STRATA_REFUSED_ALL}) {
    CAPTURE(refused);
    TestCard card([refused] { return openRefusingCard("card of rows", refused); });
    const auto hasProduct = [](const Graph& graph) {
      return std::ranges::any_of(graph.order(), [&](NodeId id) {
        const std::string& op = graph.node(id).op->name;
        return op == "matmul" || op.starts_with("recurrent");
      });
    };
    int numRun = 0;
    for (const DType dtype : {DType::F32, DType::BF16, DType::F16})
      for (const OpRow& row : opRows()) {
        CAPTURE(row.name);
        CAPTURE(dtypeName(dtype));
        std::optional<RowRun> run;
        try {
          run = makeRowRun(row, dtype, true);
        }
        catch (const Error&) {
          continue;
        }
        if (!hasProduct(run->graph)) continue;
        double tolerance = std::max(row.floatTolerance, 2e-5);
        if (dtype != DType::F32) tolerance = 4 * (dtype == DType::BF16 ? 0x1p-8 : 0x1p-11);
        numRun += card.run(*run, row.name, tolerance);
      }
    CHECK(numRun > 30);
  }
}

}  // namespace strata::test

TEST_SUITE_END();
