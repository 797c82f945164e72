// SPDX-License-Identifier: Apache-2.0
// Kernels that are generated for fused_pointwise nodes: on a simulated card, compiled by the host
// compiler, they have the bits of the kernel that interprets programs. NVRTC compiles them for all
// architectures. Compiled kernels are kept on disk.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/base/rng.h"
#include "gpu/cuda/generate/kernel_cache.h"
#include "gpu/cuda/generate/pointwise_text.h"
#include "gpu/exec/program.h"
#include "gpu/ops/activation_kinds.h"
#include "gpu/ops/build.h"
#include "gpu/ops/fused_pointwise.h"
#include "gpu/ops/registry.h"
#include "gpu/reference/evaluate.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

TEST_SUITE_BEGIN("kernels on cards");

namespace strata::test {

namespace {

/// Sets $XDG_CACHE_HOME to a new folder.
class OwnCache {
 public:
  OwnCache() {
    if (const char* value = std::getenv("XDG_CACHE_HOME")) m_before = value;
    setenv("XDG_CACHE_HOME", m_folder.path().c_str(), 1);
  }
  ~OwnCache() {
    if (m_before.empty())
      unsetenv("XDG_CACHE_HOME");
    else
      setenv("XDG_CACHE_HOME", m_before.c_str(), 1);
  }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
  std::filesystem::path kernels() const { return m_folder / "strata" / "compiled"; }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> result;
    for (const auto& entry : std::filesystem::directory_iterator(kernels()))
      result.push_back(entry.path());
    return result;
  }

 private:
  TemporaryFolder m_folder;
  std::string m_before;
};

/// Returns the text and the compiler of a stored kernel. After three lines, its file has a comment
/// with the compiler, the text, and the image.
std::pair<std::string, std::string> keyIn(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string format, checksum, sizes;
  std::getline(in, format);
  std::getline(in, checksum);
  std::getline(in, sizes);
  std::string key(std::stoul(sizes), ' ');
  in.read(key.data(), static_cast<std::streamsize>(key.size()));
  const size_t end = key.find('\n');
  return {key.substr(end + 1), key.substr(3, end - 3)};
}

/// Collects the log lines of warnings.
class Warnings {
 public:
  Warnings() {
    setLogSink([this](LogLevel level, std::string_view text) {
      if (level == LogLevel::Warning) lines.emplace_back(text);
    });
  }
  ~Warnings() { setLogSink({}); }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
  std::vector<std::string> lines;
};

/// A fused_pointwise node with its operands.
struct Case {
  std::string program;
  std::vector<Tensor> inputs;
  DType type = DType::F32;

  Graph graph() const {
    Graph g;
    std::vector<ValueId> values;
    for (size_t i = 0; i < inputs.size(); ++i)
      values.push_back(g.addInput("x" + std::to_string(i), inputs[i].type()));
    g.addOutput("y", g.add(opNamed("fused_pointwise"), values,
                           {{"program", program}, {"dtype", std::string(dtypeName(type))}}));
    return g;
  }
  cuda::GeneratedKernel kernel() const {
    const Graph g = graph();
    std::vector<TensorType> types;
    for (const Tensor& input : inputs)
      types.push_back(input.type());
    return cuda::generatePointwise(program, types, g.type(g.outputs()[0].value));
  }
};

struct Result {
  Tensor value;
  std::string implementation;
};

Result runOn(Device& device, const Case& c, bool generates) {
  dynamic_cast<cuda::CudaDevice&>(device).setGenerates(generates);
  State state(device);
  const std::unique_ptr<Program> program = Program::build(c.graph(), device, state);
  program->bind();
  for (size_t i = 0; i < c.inputs.size(); ++i)
    program->writeInput("x" + std::to_string(i), c.inputs[i]);
  REQUIRE(program->run() == Program::Outcome::Done);
  return {program->readOutput("y"), program->implementations().back()};
}

Tensor randomTensor(const Shape& shape, DType dtype, uint64_t seed, double low = 0.1,
                    double high = 1.9) {
  RandomStream random(seed, 23);
  std::vector<double> numbers(static_cast<size_t>(shape.numElements()));
  for (double& number : numbers)
    number = low + (high - low) * random.uniformDouble();
  return Tensor::from<double>(shape, numbers).converted(dtype);
}

/// Whether two tensors have the same bits, or both a NaN.
bool isSame(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type()) return false;
  const Tensor x = a.converted(DType::F64), y = b.converted(DType::F64);
  for (size_t i = 0; i < x.as<double>().size(); ++i) {
    const double p = x.as<double>()[i], q = y.as<double>()[i];
    if (std::isnan(p) != std::isnan(q)) return false;
    if (!std::isnan(p) && (p != q || std::signbit(p) != std::signbit(q))) return false;
  }
  return true;
}

/// Every step that programs may have, with operands to be filled in: "add", "activation relu 0".
std::vector<PointwiseStep> allSteps() {
  std::vector<PointwiseStep> steps;
  for (const OpDef* op : allOps()) {
    if (!op->canBeStep || op->role == OpRole::Cast) continue;
    PointwiseStep step;
    step.op = op->name;
    step.operands.resize(static_cast<size_t>(op->minInputs));
    if (step.op == "affine") {
      step.first = -0.75;
      step.second = 0.3;
    }
    if (step.op != "activation" && step.op != "activation_backward") {
      steps.push_back(step);
      continue;
    }
    for (const std::string_view kind : kActivationNames) {
      step.kind = kind;
      visitActivation(kind, [&](auto k) { step.first = decltype(k)::kAlpha; });
      steps.push_back(step);
    }
  }
  return steps;
}

/// Programs that add up the results of all steps, a few in each.
std::vector<Case> casesOfAllSteps(DType dtype) {
  constexpr size_t kEach = 7;
  const std::vector<PointwiseStep> all = allSteps();
  std::vector<Case> cases;
  for (size_t begin = 0; begin < all.size(); begin += kEach) {
    std::vector<PointwiseStep> steps;
    const size_t end = std::min(all.size(), begin + kEach);
    for (size_t i = begin; i < end; ++i) {
      steps.push_back(all[i]);
      // One step with the second operand first, so that each input is read
      steps.back().operands.front() = i == begin ? 1 : 0;
      if (steps.back().operands.size() > 1) steps.back().operands.back() = i == begin ? 0 : 1;
    }
    const auto add = [&](int a, int b) {
      PointwiseStep step;
      step.op = "add";
      step.operands = {a, b};
      steps.push_back(std::move(step));
    };
    if (steps.size() == 1) add(0, 1);
    const int count = static_cast<int>(steps.size());
    for (int i = 1; i < count; ++i)
      add(i == 1 ? 2 : count + i, 2 + i);
    Case c;
    c.program = printPointwise(steps, 2);
    c.type = dtype;
    // A length that is a multiple of four, and one that is not
    const Shape shape{3, begin % (2 * kEach) == 0 ? 340 : 341};
    c.inputs = {randomTensor(shape, dtype, begin + 1), randomTensor(shape, DType::F32, begin + 2)};
    cases.push_back(std::move(c));
  }
  return cases;
}

/// A random program with random types, broadcasting, and values of any sign.
Case randomCase(uint64_t seed) {
  RandomStream random(seed, 31);
  const auto below = [&](size_t count) {
    return std::min(count - 1,
                    static_cast<size_t>(random.uniformDouble() * static_cast<double>(count)));
  };
  constexpr std::array kTypes{DType::F32, DType::BF16, DType::F16};
  const int64_t rows = 1 + static_cast<int64_t>(below(40)),
                columns = seed % 2 == 0 ? 32 : 1 + static_cast<int64_t>(below(60));
  const std::vector<Shape> shapes{{rows, 2, columns}, {rows, 2, columns}, {columns},
                                  {rows, 1, 1},       {rows, 2, 1},       {},
                                  {2, columns},       {rows, 1, columns}};
  Case c;
  c.type = kTypes[below(3)];
  const size_t numInputs = 1 + below(kMaxPointwiseInputs);
  for (size_t i = 0; i < numInputs; ++i) {
    // An operand that is broadcast along a middle axis only sometimes
    const Shape& shape = shapes[i == 0 ? 0 : below(seed % 3 == 0 ? 8 : 7)];
    c.inputs.push_back(randomTensor(shape, kTypes[below(3)], seed * 10 + i, -3, 3));
  }
  const std::vector<PointwiseStep> all = allSteps();
  std::vector<PointwiseStep> steps;
  const size_t numSteps = numInputs + below(kMaxPointwiseSteps - numInputs + 1);
  for (size_t s = 0; s < numSteps; ++s) {
    PointwiseStep step = all[below(all.size())];
    // The first steps read all inputs
    while (s < numInputs && s > 0 && step.operands.size() < 2)
      step = all[below(all.size())];
    for (int& operand : step.operands)
      operand = static_cast<int>(below(numInputs + s));
    if (s < numInputs) step.operands.front() = static_cast<int>(s);
    if (s > 0 && step.operands.size() > 1)
      step.operands.back() = static_cast<int>(numInputs + s - 1);
    steps.push_back(std::move(step));
  }
  c.program = printPointwise(steps, static_cast<int>(numInputs));
  return c;
}

bool hasHostCompiler(Device& device) {
  const StrataLibraries& libraries = cardOf(device).libraries();
  return canRun(libraries.compiler(libraries.self) ? "" : "there is no C++ compiler");
}

}  // namespace

TEST_CASE("a generated kernel for each step has the bits of the interpreting one") {
  const std::unique_ptr<Device> device = openTestCard();
  if (!device || !hasHostCompiler(*device)) return;
  const OwnCache cache;
  for (const DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (const Case& c : casesOfAllSteps(dtype)) {
      CAPTURE(c.program);
      CAPTURE(dtypeName(dtype));
      const Result own = runOn(*device, c, true), interpreted = runOn(*device, c, false);
      CHECK(own.implementation == "fused");
      CHECK(interpreted.implementation == "program");
      CHECK(isSame(own.value, interpreted.value));
      NamedTensors inputs;
      for (size_t i = 0; i < c.inputs.size(); ++i)
        inputs.emplace("x" + std::to_string(i), c.inputs[i]);
      const Tensor expected =
          evaluateGraph(c.graph(), inputs, {}).outputs.at("y").converted(DType::F64);
      const Tensor got = own.value.converted(DType::F64);
      const double tolerance = dtype == DType::F32 ? 2e-6 : (dtype == DType::F16 ? 1e-3 : 8e-3);
      for (size_t i = 0; i < got.as<double>().size(); ++i) {
        const double want = expected.as<double>()[i];
        REQUIRE(std::abs(got.as<double>()[i] - want) <= tolerance * std::max(1.0, std::abs(want)));
      }
    }
}

TEST_CASE("generated kernels for random programs have the bits of the interpreting one") {
  const std::unique_ptr<Device> device = openTestCard();
  if (!device || !hasHostCompiler(*device)) return;
  const OwnCache cache;
  int numVector = 0;
  constexpr int kCases = 24;
  for (uint64_t seed = 1; seed <= kCases; ++seed) {
    const Case c = randomCase(seed);
    CAPTURE(seed);
    CAPTURE(c.program);
    const Result own = runOn(*device, c, true), interpreted = runOn(*device, c, false);
    CHECK(own.implementation == "fused");
    CHECK(isSame(own.value, interpreted.value));
    numVector += c.kernel().isVector ? 1 : 0;
  }
  CHECK(numVector > kCases / 8);
  CHECK(numVector < kCases);
}

TEST_CASE("operands that are not aligned get the interpreting kernel") {
  const std::unique_ptr<Device> device = openTestCard();
  if (!device || !hasHostCompiler(*device)) return;
  const OwnCache cache;
  dynamic_cast<cuda::CudaDevice&>(*device).setGenerates(true);
  const Case c{"add x0 x1; square t0",
               {randomTensor({8}, DType::F32, 1), randomTensor({8}, DType::F32, 2)}};
  CHECK(c.kernel().isVector);
  const Graph graph = c.graph();
  const std::unique_ptr<Kernel> kernel =
      device->createKernel(graph, graph.value(graph.outputs()[0].value).producer);
  cuda::Card& card = cardOf(*device);
  const cuda::Driver& driver = card.driver();
  CUstream stream = nullptr;
  CUdeviceptr memory = 0;
  card.use();
  driver.streamCreate(&stream, 0);
  driver.memAlloc(&memory, 1024);
  const StrataRange range{memory, 1024, 1};
  StrataWork work{};
  work.ranges = &range;
  work.numRanges = 1;
  card.annotate(stream, &work);
  for (const size_t shift : {0, 4}) {
    cuda::Operands operands;
    for (size_t i = 0; i < 2; ++i) {
      operands.inputs.push_back(DeviceAddress::fromBits(memory + 128 * i + shift));
      driver.memcpyHtoDAsync(operands.inputs[i].bits(), c.inputs[i].as<float>().data(), 32, stream);
    }
    operands.outputs.push_back(DeviceAddress::fromBits(memory + 512 + shift));
    cuda::Encoder encoder(card, stream);
    dynamic_cast<const cuda::CudaKernel&>(*kernel).encode(encoder, operands);
    std::array<float, 8> got{};
    driver.memcpyDtoHAsync(got.data(), operands.outputs[0].bits(), 32, stream);
    driver.streamSynchronize(stream);
    for (size_t i = 0; i < got.size(); ++i) {
      const float sum = c.inputs[0].as<float>()[i] + c.inputs[1].as<float>()[i];
      CHECK(got[i] == sum * sum);
    }
  }
  card.annotate(stream, nullptr);
  driver.memFree(memory);
  driver.streamDestroy(stream);
}

TEST_CASE("the name of a compiler has its version and options, so that others compile again") {
  const auto device = test::openTestCard();
  if (!device) return;
  const StrataLibraries& libraries = test::cardOf(*device).libraries();
  const char* compiler = libraries.compiler(libraries.self);
  if (!canRun(compiler ? "" : "there is no C++ compiler")) return;
  const std::string name = compiler;
  CAPTURE(name);
  const bool isNvrtc = name.starts_with("NVRTC ");
  CHECK(name.find(isNvrtc ? " --fmad=true" : " -ffp-contract=off") != std::string::npos);
  CHECK(name.find_first_of("0123456789") != std::string::npos);
}

// The kernels of networks are compiled for all architectures in tests/core
TEST_CASE("NVRTC compiles a generated kernel for each step") {
  if (!canRun(cuda::pluginProblem())) return;
  const StrataCudaPlugin& plugin = *cuda::plugin();
  std::vector<cuda::GeneratedKernel> kernels;
  for (const Case& c : casesOfAllSteps(DType::BF16))
    kernels.push_back(c.kernel());
  for (uint64_t seed = 1; seed <= 6; ++seed)
    kernels.push_back(randomCase(seed).kernel());
  // More elements than 32 bits count
  const int64_t large = int64_t{1} << 30;
  kernels.push_back(cuda::generatePointwise(
      "add x0 x1; multiply t0 x2",
      {{DType::F32, {3, large}}, {DType::BF16, {large}}, {DType::F16, {3, 1}}},
      {DType::F32, {3, large}}));
  CHECK(kernels.back().text.find("typedef long long Index;") != std::string::npos);
  CHECK(kernels.front().text.find("typedef unsigned Index;") != std::string::npos);
  constexpr std::array kArchitectures{75, 80, 86, 89, 90, 100, 120};
  for (size_t i = 0; i < kernels.size(); ++i) {
    void* image = nullptr;
    size_t bytes = 0;
    const int result =
        plugin.compileFor(kArchitectures[i % kArchitectures.size()], kernels[i].text.c_str(),
                          kernels[i].name.c_str(), &image, &bytes);
    if (result != 0 && std::string(plugin.lastError()).find("libnvrtc") != std::string::npos) {
      MESSAGE("skipped: " << std::string(plugin.lastError()));
      return;
    }
    REQUIRE_MESSAGE(result == 0, plugin.lastError());
    CHECK(std::memcmp(image, "\177ELF", 4) == 0);
    plugin.freeImage(image);
  }
}

TEST_CASE("compiled kernels are kept on disk, and compiled again if their file is damaged") {
  if (!canRun(cuda::pluginProblem())) return;
  const OwnCache cache;
  Case c{"multiply x0 x1; activation gelu 0 t0",
         {randomTensor({5, 12}, DType::F32, 1), randomTensor({12}, DType::F32, 2)}};
  const auto run = [&] {
    // A new card has no kernel in its memory
    const std::unique_ptr<Device> device = openNewTestCard();
    if (!hasHostCompiler(*device)) return std::optional<Tensor>();
    return std::optional(runOn(*device, c, true).value);
  };
  const Warnings warnings;
  const std::optional<Tensor> first = run();
  if (!first) return;
  REQUIRE(cache.files().size() == 1);
  const std::filesystem::path file = cache.files()[0];
  CHECK(file.extension() == ".kernel");
  const auto made = std::filesystem::last_write_time(file);
  CHECK(isSame(*run(), *first));
  CHECK(std::filesystem::last_write_time(file) == made);
  std::stringstream contents;
  contents << std::ifstream(file, std::ios::binary).rdbuf();
  const std::string whole = contents.str();
  CHECK(whole.find("activations::Gelu::forward") != std::string::npos);
  CHECK(warnings.lines.empty());
  // A byte changed in each part of the file, and the file cut off
  std::vector<std::string> damages;
  for (const size_t at :
       {size_t{3}, size_t{20}, size_t{36}, size_t{90}, whole.size() / 2, whole.size() - 1}) {
    damages.push_back(whole);
    damages.back()[at] ^= 1;
  }
  damages.push_back(whole.substr(0, whole.size() / 2));
  damages.push_back(whole.substr(0, whole.size() - 1));
  damages.emplace_back();
  for (const std::string& damage : damages) {
    std::ofstream(file, std::ios::binary) << damage;
    const size_t before = warnings.lines.size();
    CHECK(isSame(*run(), *first));
    REQUIRE(warnings.lines.size() == before + 1);
    CHECK(warnings.lines.back().find("is damaged, and is compiled again") != std::string::npos);
    CHECK(warnings.lines.back().find(file.string()) != std::string::npos);
  }
  REQUIRE(cache.files().size() == 1);
  std::stringstream again;
  again << std::ifstream(file, std::ios::binary).rdbuf();
  CHECK(again.str().size() == whole.size());
}

TEST_CASE("a stored image without the kernel is compiled again") {
  if (!cuda::plugin()) return;
  const OwnCache cache;
  const Tensor x0 = randomTensor({5, 12}, DType::F32, 1), x1 = randomTensor({12}, DType::F32, 2);
  const auto run = [&](const char* text) {
    Case c{text, {x0, x1}};
    const std::unique_ptr<Device> device = openNewTestCard();
    if (!hasHostCompiler(*device)) return std::optional<Tensor>();
    return std::optional(runOn(*device, c, true).value);
  };
  constexpr const char *kOne = "multiply x0 x1; activation gelu 0 t0",
                       *kOther = "multiply x0 x1; activation tanh 0 t0";
  const std::optional<Tensor> expected = run(kOne);
  if (!expected) {
    MESSAGE("skipped: no C++ compiler");
    return;
  }
  const std::filesystem::path one = cache.files()[0];
  REQUIRE(run(kOther));
  const auto files = cache.files();
  REQUIRE(files.size() == 2);
  const auto [text, compiler] = keyIn(one);
  const auto [otherText, sameCompiler] = keyIn(files[0] == one ? files[1] : files[0]);
  REQUIRE(compiler == sameCompiler);
  const cuda::KernelCache kernels;
  REQUIRE(kernels.fileOf(text, compiler) == one);
  const auto image = kernels.find(otherText, compiler);
  REQUIRE(image);
  // A whole file, whose image is of another kernel
  kernels.store(text, compiler, *image);
  const Warnings warnings;
  CHECK(isSame(*run(kOne), *expected));
  REQUIRE(warnings.lines.size() == 1);
  CHECK(warnings.lines[0].find("is damaged, and is compiled again") != std::string::npos);
  CHECK(isSame(*run(kOne), *expected));
  CHECK(warnings.lines.size() == 1);
  // Images that are too short for their headers are damaged. One that states another size than it
  // has is refused by the driver, as it might refuse one of another version: that is no warning
  for (const size_t size : {size_t{0}, size_t{40}, image->size() - 1}) {
    std::vector<char> damaged(*kernels.find(text, compiler));
    if (size < damaged.size()) damaged.resize(size);
    for (size_t i = 24; i < std::min<size_t>(32, damaged.size()); ++i)
      damaged[i] = '\xff';
    kernels.store(text, compiler, damaged);
    CHECK(isSame(*run(kOne), *expected));
  }
  CHECK(warnings.lines.size() == 3);
}

TEST_CASE("a cache folder that cannot be written is no error") {
  const OwnCache cache;
  const cuda::KernelCache kernels;
  std::filesystem::create_directories(cache.kernels().parent_path());
  std::ofstream(cache.kernels()) << "no folder";
  {
    const Warnings warnings;
    kernels.store("text", "compiler", {'a', 'b'});
    CHECK_FALSE(kernels.find("text", "compiler"));
    REQUIRE(warnings.lines.size() == 1);
    CHECK(warnings.lines[0].find("compiled: is not a folder") != std::string::npos);
  }
  std::filesystem::remove(cache.kernels());
  const std::vector<char> image(200, 'a');
  kernels.store("text", "compiler", image);
  CHECK(kernels.find("text", "compiler") == image);
  CHECK_FALSE(kernels.find("text", "other compiler"));
  CHECK_FALSE(kernels.find("other text", "compiler"));
}

TEST_CASE("a kernel that the compiler refuses is reported, and the interpreting one is used") {
  const std::unique_ptr<Device> device = openTestCard();
  if (!device || !hasHostCompiler(*device)) return;
  const OwnCache cache;
  const Warnings warnings;
  cuda::GeneratedKernel broken;
  broken.name = "broken";
  broken.text = "extern \"C\" __global__ void broken() { nothing(); }\n";
  CHECK(cardOf(*device).generated(broken) == nullptr);
  CHECK(cardOf(*device).generated(broken) == nullptr);
  REQUIRE(warnings.lines.size() == 1);
  CHECK(warnings.lines[0].find("cannot compile a fused kernel") != std::string::npos);
  CHECK(warnings.lines[0].find("broken.cpp:1") != std::string::npos);
}

}  // namespace strata::test

TEST_SUITE_END();
