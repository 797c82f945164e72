// SPDX-License-Identifier: Apache-2.0
// Plans of cuDNN for the cards of resources/cudnn-devices, and descriptors of cuBLASLt, without a
// GPU. Skipped with a message where a library is not installed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "gpu/cuda/plugin.h"
#include "gpu/cuda/visible_devices.h"
#include "gpu/tensor/dtype.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

TEST_SUITE_BEGIN("library plans");

namespace strata::test {

namespace {

constexpr size_t kLimit = size_t{512} << 20;

struct PlannedCard {
  const char* file;
  int major, minor;
};
constexpr PlannedCard kCards[] = {{"t4", 7, 5},      {"a100", 8, 0},    {"rtx3060", 8, 6},
                                  {"rtx4090", 8, 9}, {"h100", 9, 0},    {"h200", 9, 0},
                                  {"b200", 10, 0},   {"rtx5090", 12, 0}};

/// Returns the tables of a simulated card with the properties of a file. With `compilesEngines`
/// every plan is complete, as on a real card.
StrataCardTables openCard(const PlannedCard& card, bool compilesEngines = false) {
  const std::string path =
      (sourceDir() / "resources" / "cudnn-devices" / (std::string(card.file) + ".json")).string();
  std::stringstream properties;
  properties << std::ifstream(path).rdbuf();
  const std::string text = properties.str();
  REQUIRE_FALSE(text.empty());
  StrataSimulatedCard description{};
  description.name = card.file;
  description.major = card.major;
  description.minor = card.minor;
  description.multiprocessors = 1;
  description.memoryBytes = size_t{64} << 20;
  description.bytesPerSecond = 1e12;
  for (double& rate : description.flopsPerSecond)
    rate = 1e13;
  description.cudnnProperties = text.c_str();
  description.compilesEngines = compilesEngines ? 1 : 0;
  description.threads = 1;
  StrataCardTables tables{};
  REQUIRE(cuda::plugin()->openSimulated(&description, &tables) == 0);
  return tables;
}

/// Returns what the plug-in found of a library, or null without the plug-in.
std::string problemOf(const std::string& library) {
  StrataLibraryState list[16];
  const size_t count = cuda::plugin()->libraries(list, std::size(list));
  for (size_t i = 0; i < count; ++i)
    if (list[i].name == library) return list[i].problem;
  return library + " is not in the list";
}

/// Returns whether a test that needs the library can run.
bool hasLibrary(const std::string& library) {
  if (!canRun(cuda::pluginProblem())) return false;
  return canRun(problemOf(library));
}

void setNhwc(int64_t (&dims)[4], int64_t (&strides)[4], int64_t n, int64_t c, int64_t h,
             int64_t w) {
  const int64_t all[] = {n, c, h, w}, steps[] = {h * w * c, 1, w * c, c};
  std::copy_n(all, 4, dims);
  std::copy_n(steps, 4, strides);
}

/// A convolution of images with as many rows as columns.
struct Convolution {
  int64_t images, size, channels, filters, window, stride, padding, groups;
};
// Of the shared workloads: LeNet, mnist-cnn, VGG, ResNet, depthwise separable, autoencoder, U-Net
constexpr Convolution kConvolutions[] = {
    {32, 28, 1, 6, 5, 1, 2, 1},     {32, 14, 6, 16, 5, 1, 0, 1},   {64, 28, 1, 32, 3, 1, 1, 1},
    {64, 28, 32, 64, 3, 1, 1, 1},   {64, 14, 64, 64, 3, 1, 1, 1},  {64, 32, 3, 64, 3, 1, 1, 1},
    {64, 32, 64, 64, 3, 1, 1, 1},   {64, 16, 64, 128, 3, 1, 1, 1}, {64, 16, 128, 128, 3, 1, 1, 1},
    {64, 8, 128, 256, 3, 1, 1, 1},  {64, 4, 512, 512, 3, 1, 1, 1}, {64, 32, 64, 128, 3, 2, 1, 1},
    {64, 16, 128, 256, 3, 2, 1, 1}, {64, 8, 256, 512, 3, 2, 1, 1}, {64, 32, 64, 128, 1, 2, 0, 1},
    {64, 16, 128, 256, 1, 2, 0, 1}, {16, 56, 64, 256, 1, 1, 0, 1}, {16, 224, 3, 64, 7, 2, 3, 1},
    {64, 32, 32, 32, 3, 1, 1, 32},  {64, 32, 64, 64, 3, 2, 1, 64}, {64, 16, 128, 128, 3, 1, 1, 128},
    {64, 32, 32, 64, 1, 1, 0, 1},   {64, 28, 1, 16, 3, 2, 1, 1},   {64, 14, 16, 32, 3, 2, 1, 1},
    {8, 32, 16, 16, 3, 1, 1, 1},    {32, 16, 64, 64, 3, 1, 1, 4},
};

StrataLibraryCall callOf(const Convolution& shape, int direction, DType dtype) {
  StrataLibraryCall call;
  std::memset(&call, 0, sizeof call);
  call.kind = STRATA_CALL_CONVOLUTION;
  call.isDeterministic = 1;
  StrataConvolution& convolution = call.of.convolution;
  convolution.direction = direction;
  const int64_t out = (shape.size + 2 * shape.padding - shape.window) / shape.stride + 1;
  setNhwc(convolution.xDims, convolution.xStrides, shape.images, shape.channels, shape.size,
          shape.size);
  setNhwc(convolution.wDims, convolution.wStrides, shape.filters, shape.channels / shape.groups,
          shape.window, shape.window);
  setNhwc(convolution.yDims, convolution.yStrides, shape.images, shape.filters, out, out);
  for (int i = 0; i < 2; ++i) {
    convolution.paddingBefore[i] = convolution.paddingAfter[i] = shape.padding;
    convolution.stride[i] = shape.stride;
    convolution.dilation[i] = 1;
  }
  convolution.groups = shape.groups;
  convolution.type = convolution.weightGradientType = static_cast<StrataType>(dtype);
  return call;
}

std::string describe(const Convolution& shape, int direction, DType dtype) {
  std::stringstream text;
  text << shape.window << "x" << shape.window << " stride " << shape.stride << " groups "
       << shape.groups << " " << shape.channels << "->" << shape.filters << " " << dtypeName(dtype)
       << " direction " << direction;
  return text.str();
}

struct Attention {
  int64_t batch, heads, steps, size;
};
// Of the shared workload "transformer" (the first one), and other usual sizes
constexpr Attention kAttentions[] = {{16, 4, 128, 64},  {16, 8, 128, 64}, {32, 12, 384, 64},
                                     {8, 16, 1024, 80}, {2, 8, 77, 40},   {4, 32, 512, 128}};

StrataLibraryCall attentionCall(const Attention& shape, bool isBackward, bool isCausal,
                                DType dtype) {
  StrataLibraryCall call;
  std::memset(&call, 0, sizeof call);
  call.kind = STRATA_CALL_ATTENTION;
  call.isDeterministic = 1;
  StrataAttention& attention = call.of.attention;
  attention.isBackward = isBackward ? 1 : 0;
  attention.isCausal = isCausal ? 1 : 0;
  attention.batch = shape.batch;
  attention.heads = shape.heads;
  attention.queries = attention.keys = shape.steps;
  attention.headSize = attention.valueSize = shape.size;
  // [B,T,H,D] in memory
  const int64_t strides[] = {shape.steps * shape.heads * shape.size, shape.size,
                             shape.heads * shape.size, 1};
  for (auto* each :
       {&attention.qStrides, &attention.kStrides, &attention.vStrides, &attention.oStrides})
    std::copy_n(strides, 4, *each);
  attention.type = static_cast<StrataType>(dtype);
  attention.scale = 0.125f;
  return call;
}

/// Plans a call. Returns the algorithm, or one named "" and reports why there is none.
StrataAlgorithm planOf(const StrataCardTables& tables, const StrataLibraryCall& call,
                       const char* name = nullptr) {
  const StrataLibraries& libraries = tables.libraries;
  StrataPlan* plan = nullptr;
  StrataAlgorithm chosen{};
  if (libraries.plan(libraries.self, &call, name, kLimit, &plan, &chosen) != 0) {
    FAIL_CHECK(libraries.lastError(libraries.self));
    return {};
  }
  libraries.destroyPlan(libraries.self, plan);
  return chosen;
}

/// Checks that attention has plans on a card, and that compiled engines need the workspace that
/// plans without them state.
void checkAttention(const PlannedCard& card, bool isCausal) {
  CAPTURE(std::string(card.file));
  CAPTURE(isCausal);
  const StrataCardTables tables = openCard(card), compiled = openCard(card, true);
  for (const bool isBackward : {false, true}) {
    CAPTURE(isBackward);
    const StrataLibraryCall call = attentionCall(kAttentions[0], isBackward, isCausal, DType::BF16);
    const StrataAlgorithm stated = planOf(tables, call), chosen = planOf(compiled, call);
    const std::string name = chosen.name;
    CHECK(name.starts_with("eng"));
    CHECK(name == stated.name);
    CHECK(chosen.workspaceBytes == stated.workspaceBytes);
    MESSAGE(name << ", " << chosen.workspaceBytes << " bytes");
  }
}

/// Checks that all convolutions have plans on a card, with its own engines.
void checkConvolutions(const PlannedCard& card, bool compilesEngines) {
  CAPTURE(std::string(card.file));
  const StrataCardTables tables = openCard(card, compilesEngines), plain = openCard(card);
  int numPlans = 0;
  size_t largest = 0;
  std::set<std::string> engines;
  for (const Convolution& shape : kConvolutions)
    for (const DType dtype : {DType::F32, DType::BF16, DType::F16}) {
      // Compute capability 7.5 has no bf16
      if (dtype == DType::BF16 && card.major < 8) continue;
      for (int direction = 0; direction < 3; ++direction) {
        CAPTURE(describe(shape, direction, dtype));
        const StrataLibraryCall call = callOf(shape, direction, dtype);
        const StrataAlgorithm chosen = planOf(tables, call);
        CHECK(std::string(chosen.name).starts_with("eng"));
        CHECK(chosen.workspaceBytes <= kLimit);
        // Tensor cores would round operands of f32 to tf32
        if (dtype == DType::F32) CHECK(chosen.usesTensorCores == 0);
        if (compilesEngines) {
          const StrataAlgorithm stated = planOf(plain, call);
          CHECK(std::string(chosen.name) == stated.name);
          CHECK(chosen.workspaceBytes == stated.workspaceBytes);
        }
        engines.insert(chosen.name);
        largest = std::max(largest, chosen.workspaceBytes);
        ++numPlans;
      }
    }
  MESSAGE(numPlans << " plans, " << engines.size() << " engines, largest workspace "
                   << (largest >> 20) << " MiB");
}

}  // namespace

TEST_CASE("every convolution of the workloads has a plan on every card") {
  if (!hasLibrary("libcudnn.so.9")) return;
  for (const PlannedCard& card : kCards)
    checkConvolutions(card, false);
}

// The tests that doctest skips take minutes; the test "gpu.plans" runs them (tests/CMakeLists.txt)
TEST_CASE("every convolution has a compiled plan with the same workspace" * doctest::skip()) {
  if (!hasLibrary("libcudnn.so.9")) return;
  for (const PlannedCard& card : kCards)
    checkConvolutions(card, true);
}

TEST_CASE("an engine of cuDNN can be listed and chosen by its name") {
  if (!hasLibrary("libcudnn.so.9")) return;
  const StrataCardTables tables = openCard({"h100", 9, 0});
  const StrataLibraryCall call = callOf(kConvolutions[6], 0, DType::BF16);
  StrataAlgorithm list[12];
  size_t count = std::size(list);
  REQUIRE(tables.libraries.algorithms(tables.libraries.self, &call, list, &count) == 0);
  REQUIRE(count > 3);
  std::set<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    const StrataAlgorithm chosen = planOf(tables, call, list[i].name);
    CHECK(std::string(chosen.name) == list[i].name);
    CHECK(chosen.workspaceBytes == list[i].workspaceBytes);
    names.insert(chosen.name);
  }
  CHECK(names.size() == count);
  StrataPlan* plan = nullptr;
  StrataAlgorithm chosen{};
  const StrataLibraries& libraries = tables.libraries;
  for (const char* wrong : {"eng", "eng5{", "eng5{k2}", "eng5{k2=3,", "fast", "eng99999"}) {
    CAPTURE(std::string(wrong));
    CHECK(libraries.plan(libraries.self, &call, wrong, kLimit, &plan, &chosen) != 0);
  }
}

TEST_CASE("a workspace limit and TF32 change the plan of a convolution") {
  if (!hasLibrary("libcudnn.so.9")) return;
  const StrataCardTables tables = openCard({"a100", 8, 0});
  StrataLibraryCall call = callOf(kConvolutions[6], 0, DType::F32);
  const StrataAlgorithm free = planOf(tables, call);
  REQUIRE(free.workspaceBytes > 0);
  const StrataLibraries& libraries = tables.libraries;
  StrataPlan* plan = nullptr;
  StrataAlgorithm chosen{};
  REQUIRE(libraries.plan(libraries.self, &call, "", free.workspaceBytes - 1, &plan, &chosen) == 0);
  libraries.destroyPlan(libraries.self, plan);
  CHECK(chosen.workspaceBytes < free.workspaceBytes);
  call.compute = STRATA_COMPUTE_TF32;
  CHECK(planOf(tables, call).usesTensorCores == 1);
}

TEST_CASE("convolutions whose padding differs between the sides have plans on every card") {
  if (!hasLibrary("libcudnn.so.9")) return;
  for (const PlannedCard& card : kCards) {
    CAPTURE(std::string(card.file));
    const StrataCardTables tables = openCard(card);
    for (const Convolution& shape : {kConvolutions[11], kConvolutions[17], kConvolutions[22]})
      for (const DType dtype : {DType::F32, DType::F16})
        for (int direction = 0; direction < 3; ++direction) {
          CAPTURE(describe(shape, direction, dtype));
          StrataLibraryCall call = callOf(shape, direction, dtype);
          StrataConvolution& convolution = call.of.convolution;
          const int64_t out = convolution.yDims[2];
          for (int i = 0; i < 2; ++i)
            --convolution.paddingBefore[i];
          // The last window then ends before the border, or lacks a row
          const int64_t fitting =
              (shape.size + 2 * shape.padding - 1 - shape.window) / shape.stride + 1;
          if (fitting != out)
            setNhwc(convolution.yDims, convolution.yStrides, shape.images, shape.filters, fitting,
                    fitting);
          CHECK(std::string(planOf(tables, call).name).starts_with("eng"));
        }
  }
}

TEST_CASE("fused bias and activation of a convolution have a plan") {
  if (!hasLibrary("libcudnn.so.9")) return;
  for (const PlannedCard& card : kCards) {
    CAPTURE(std::string(card.file));
    const StrataCardTables tables = openCard(card);
    for (const DType dtype : {DType::F32, DType::F16}) {
      StrataLibraryCall call = callOf(kConvolutions[6], 0, dtype);
      call.of.convolution.hasBias = 1;
      call.of.convolution.activation = STRATA_ACTIVATION_RELU;
      CHECK(std::string(planOf(tables, call).name).starts_with("eng"));
    }
  }
}

// The engine casts the gradient where the call is refused. A call that only the host computes would
// hide that.
TEST_CASE("a gradient of weights in f32 of 16-bit operands has an engine, or is refused") {
  if (!hasLibrary("libcudnn.so.9")) return;
  int numPlans = 0, numRefused = 0;
  for (const PlannedCard& card : kCards) {
    CAPTURE(std::string(card.file));
    const StrataCardTables tables = openCard(card);
    const StrataLibraries& libraries = tables.libraries;
    for (const Convolution& shape : {kConvolutions[1], kConvolutions[6], kConvolutions[11]}) {
      StrataLibraryCall call = callOf(shape, 2, DType::F16);
      call.of.convolution.weightGradientType = static_cast<StrataType>(DType::F32);
      StrataPlan* plan = nullptr;
      StrataAlgorithm chosen{};
      const int result = libraries.plan(libraries.self, &call, "", kLimit, &plan, &chosen);
      if (result != 0) {
        CHECK(result == STRATA_STATUS_UNSUPPORTED);
        ++numRefused;
        continue;
      }
      libraries.destroyPlan(libraries.self, plan);
      CHECK(std::string(chosen.name).starts_with("eng"));
      ++numPlans;
    }
  }
  MESSAGE(numPlans << " plans, " << numRefused << " refused");
}

TEST_CASE("attention in 16-bit types has plans on every card since compute capability 8.0") {
  if (!hasLibrary("libcudnn.so.9")) return;
  int numPlans = 0;
  for (const PlannedCard& card : kCards) {
    CAPTURE(std::string(card.file));
    const StrataCardTables tables = openCard(card);
    for (const Attention& shape : kAttentions)
      for (const DType dtype : {DType::BF16, DType::F16})
        for (int i = 0; i < 4; ++i) {
          CAPTURE(shape.size);
          CAPTURE(i);
          const StrataLibraryCall call = attentionCall(shape, i % 2 == 1, i / 2 == 1, dtype);
          if (card.major >= 8) {
            CHECK(std::string(planOf(tables, call).name).starts_with("eng"));
            ++numPlans;
            continue;
          }
          // The engine then uses its own kernels
          StrataPlan* plan = nullptr;
          StrataAlgorithm chosen{};
          CHECK(tables.libraries.plan(tables.libraries.self, &call, "", kLimit, &plan, &chosen) ==
                STRATA_STATUS_UNSUPPORTED);
        }
  }
  MESSAGE(numPlans << " plans");
}

TEST_CASE("gradients of attention have plans with and without a padding mask") {
  if (!hasLibrary("libcudnn.so.9")) return;
  for (const PlannedCard& card : kCards) {
    if (card.major < 8) continue;
    CAPTURE(std::string(card.file));
    const StrataCardTables tables = openCard(card);
    for (const bool isCausal : {false, true})
      for (const int64_t steps : {77, 128, 200}) {
        CAPTURE(isCausal);
        CAPTURE(steps);
        StrataLibraryCall call = attentionCall({2, 8, steps, 64}, true, isCausal, DType::BF16);
        const size_t plain = planOf(tables, call).workspaceBytes;
        for (const int64_t version : {90800, 91002, 91500, 91600}) {
          CAPTURE(version);
          call.of.attention.cudnnVersion = version;
          const StrataAlgorithm chosen = planOf(tables, call);
          CHECK(std::string(chosen.name).starts_with("eng"));
          // The mask reads the lengths of queries and keys from the workspace
          const bool hasMask = version <= 91500 && steps % 128 != 0;
          CHECK((chosen.workspaceBytes > plain) == hasMask);
        }
      }
  }
}

TEST_CASE("gradients of attention that cuDNN gets wrong or does not have are refused") {
  if (!hasLibrary("libcudnn.so.9")) return;
  const StrataCardTables tables = openCard({"h100", 9, 0});
  const StrataLibraries& libraries = tables.libraries;
  const auto statusOf = [&](const StrataLibraryCall& call, size_t limit, StrataAlgorithm& chosen) {
    StrataPlan* plan = nullptr;
    const int status = libraries.plan(libraries.self, &call, "", limit, &plan, &chosen);
    if (status == 0) libraries.destroyPlan(libraries.self, plan);
    return status;
  };
  StrataAlgorithm chosen{};
  StrataLibraryCall call = attentionCall(kAttentions[0], true, false, DType::BF16);
  for (const int64_t version : {91000, 91001}) {
    call.of.attention.cudnnVersion = version;
    CHECK(statusOf(call, kLimit, chosen) == STRATA_STATUS_UNSUPPORTED);
    CHECK(std::string(libraries.lastError(libraries.self)).find("9.10.0") != std::string::npos);
  }
  call = attentionCall({2, 4, 1, 64}, true, false, DType::BF16);
  CHECK(statusOf(call, kLimit, chosen) == STRATA_STATUS_UNSUPPORTED);

  call = attentionCall({11, 12, 1024, 64}, true, false, DType::BF16);
  REQUIRE(statusOf(call, kLimit, chosen) == 0);
  const size_t needed = chosen.workspaceBytes;
  CHECK(statusOf(call, needed / 2, chosen) == STRATA_STATUS_WORKSPACE_LIMIT);
  const size_t smallest = chosen.workspaceBytes;
  CHECK(smallest > needed / 2);
  CHECK(smallest <= needed);
  CHECK(statusOf(call, smallest - 1, chosen) == STRATA_STATUS_WORKSPACE_LIMIT);
  CHECK(statusOf(call, smallest, chosen) == 0);
}

// cuDNN compiles engines here, for minutes. The test "gpu.plans" runs these, too.
TEST_CASE("attention in bf16 has plans on an H100" * doctest::skip()) {
  if (!hasLibrary("libcudnn.so.9")) return;
  checkAttention({"h100", 9, 0}, true);
}

TEST_CASE("attention in bf16 has plans on every card since compute capability 8.0" *
          doctest::skip()) {
  if (!hasLibrary("libcudnn.so.9")) return;
  for (const PlannedCard& card : kCards)
    for (const bool isCausal : {false, true})
      if (card.major >= 8) checkAttention(card, isCausal);
}

TEST_CASE("descriptors of cuBLASLt contain the fields of a matrix product") {
  if (!hasLibrary("libcublasLt.so.13")) return;
  const auto fieldsOf = [](const StrataLibraryCall& call) {
    char text[1024];
    REQUIRE(cuda::plugin()->describeCall(&call, text, sizeof text) == 0);
    std::map<std::string, int64_t> fields;
    std::stringstream words(text);
    for (std::string word; words >> word;)
      fields[word.substr(0, word.find('='))] = std::stoll(word.substr(word.find('=') + 1));
    return fields;
  };
  StrataLibraryCall call;
  std::memset(&call, 0, sizeof call);
  call.kind = STRATA_CALL_MATMUL;
  StrataMatmul& matmul = call.of.matmul;
  matmul.m = 5;
  matmul.n = 7;
  matmul.k = 11;
  matmul.batches = 3;
  matmul.transposeA = 1;
  matmul.lda = 12;
  matmul.ldb = 13;
  matmul.ldd = 6;
  matmul.strideA = 60;
  matmul.strideB = 0;
  matmul.strideD = 42;
  matmul.operandType = static_cast<StrataType>(DType::BF16);
  matmul.resultType = static_cast<StrataType>(DType::F32);
  matmul.alpha = 1;
  auto fields = fieldsOf(call);
  // cudaDataType: 0 is f32, 2 f16, 14 bf16; cublasOperation_t: 1 is T; cublasComputeType_t: 68 f32
  CHECK(fields["compute"] == 68);
  CHECK(fields["transa"] == 1);
  CHECK(fields["transb"] == 0);
  CHECK(fields["epilogue"] == 1);
  CHECK(fields["a.type"] == 14);
  CHECK(fields["a.rows"] == 11);
  CHECK(fields["a.cols"] == 5);
  CHECK(fields["a.ld"] == 12);
  CHECK(fields["a.batches"] == 3);
  CHECK(fields["a.stride"] == 60);
  CHECK(fields["b.rows"] == 11);
  CHECK(fields["b.cols"] == 7);
  CHECK(fields["b.ld"] == 13);
  CHECK(fields["b.stride"] == 0);
  CHECK(fields["d.type"] == 0);
  CHECK(fields["d.rows"] == 5);
  CHECK(fields["d.cols"] == 7);
  CHECK(fields["d.ld"] == 6);
  CHECK(fields["d.stride"] == 42);
  matmul.transposeA = 0;
  matmul.transposeB = 1;
  matmul.operandType = matmul.resultType = static_cast<StrataType>(DType::F32);
  matmul.hasBias = 1;
  call.compute = STRATA_COMPUTE_TF32;
  fields = fieldsOf(call);
  CHECK(fields["compute"] == 77);
  CHECK(fields["epilogue"] == 4);
  CHECK(fields["a.rows"] == 5);
  CHECK(fields["a.cols"] == 11);
  CHECK(fields["b.rows"] == 7);
  CHECK(fields["b.cols"] == 11);
  matmul.activation = STRATA_ACTIVATION_RELU;
  CHECK(fieldsOf(call)["epilogue"] == 6);
  matmul.activation = STRATA_ACTIVATION_GELU_TANH;
  CHECK(fieldsOf(call)["epilogue"] == 36);
  matmul.hasBias = 0;
  CHECK(fieldsOf(call)["epilogue"] == 32);
}

TEST_CASE("a text compiles for all architectures") {
  if (!hasLibrary("libnvrtc.so.13")) return;
  const StrataCudaPlugin& plugin = *cuda::plugin();
  for (const int architecture : {75, 80, 86, 89, 90, 100, 120}) {
    CAPTURE(architecture);
    void* image = nullptr;
    size_t bytes = 0;
    const int result = plugin.compileFor(
        architecture, "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }",
        "twice.cu", &image, &bytes);
    REQUIRE_MESSAGE(result == 0, plugin.lastError());
    CHECK(bytes > 100);
    CHECK(std::memcmp(image, "\177ELF", 4) == 0);
    plugin.freeImage(image);
  }
  void* image = nullptr;
  size_t bytes = 0;
  CHECK(plugin.compileFor(90, "extern \"C\" __global__ void broken() { nothing(); }", "broken.cu",
                          &image, &bytes) != 0);
  CHECK(std::string(plugin.lastError()).find("broken.cu(1)") != std::string::npos);
}

TEST_CASE("the plug-in lists every library, or what is missing") {
  if (!canRun(cuda::pluginProblem())) return;
  StrataLibraryState list[16];
  const size_t count = cuda::plugin()->libraries(list, std::size(list));
  CHECK(count == 7);
  for (size_t i = 0; i < count; ++i) {
    CAPTURE(std::string(list[i].name));
    CHECK((*list[i].path == '\0') == (*list[i].problem != '\0'));
  }
  const char* reason = nullptr;
  if (!cuda::plugin()->driver(&reason)) {
    MESSAGE("no driver: " << std::string(reason));
    CHECK(std::strlen(reason) > 20);
    StrataCardTables tables{};
    CHECK(cuda::plugin()->openCard(0, &tables) != 0);
    CHECK(std::string(cuda::plugin()->lastError()) == reason);
  }
  CHECK(cuda::plugin()->numImages > 0);
}

TEST_CASE("CUDA_VISIBLE_DEVICES is explained by its value") {
  const auto explain = cuda::explainVisibleDevices;
  CHECK(explain(nullptr, 1).empty());
  CHECK(explain("0", 1).empty());
  CHECK(explain("0,1", 2).empty());
  CHECK(explain("1", -1).empty());
  CHECK(explain("", 1) ==
        "CUDA_VISIBLE_DEVICES is \"\", which hides all GPUs. Unset it to use all GPUs");
  CHECK(explain("-1", 4).find("hides all GPUs") != std::string::npos);
  CHECK(explain("-1,0", 4).find("hides all GPUs") != std::string::npos);
  CHECK(
      explain("1", 1) ==
      "CUDA_VISIBLE_DEVICES is \"1\", but this machine has one GPU, number 0. The value is a list "
      "of GPU numbers, not a switch. Unset it to use all GPUs");
  CHECK(explain("7", 4).find("numbers 0 to 3") != std::string::npos);
  CHECK(explain("GPU-1234", 1).find("no GPU with that UUID") != std::string::npos);
  CHECK(explain("true", 1).find("no GPU with that UUID") != std::string::npos);
}

}  // namespace strata::test

TEST_SUITE_END();
