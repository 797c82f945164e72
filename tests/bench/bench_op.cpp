// SPDX-License-Identifier: Apache-2.0
// Measures the time of each op of typical networks on the CPU device, and its share of the
// processor's peak speed. The peak is measured in the same run, so that shares can be compared
// between machines.
//   strata_op_bench [THREADS] [ROUNDS] [FILTER]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/base/machine.h"
#include "gpu/base/rng.h"
#include "gpu/cpu/cpu_kernel.h"
#include "gpu/graph/op.h"

using namespace strata;
using Ints = std::vector<int64_t>;
using Clock = std::chrono::steady_clock;

namespace {

struct Row {
  std::string workload, op;
  Attributes attributes;
  std::vector<TensorType> inputs;
  double multiplyAdds = 0;
};

TensorType f32(Shape shape) { return {DType::F32, shape}; }

std::vector<Row> rows() {
  std::vector<Row> list;
  const auto add = [&](std::string workload, std::string op, Attributes attributes,
                       std::vector<TensorType> inputs, double multiplyAdds = 0) {
    list.push_back({std::move(workload), std::move(op), std::move(attributes), std::move(inputs),
                    multiplyAdds});
  };
  const auto adam = [&](const std::string& workload, Shape w) {
    add(workload, "adam_update", {},
        {f32(w), f32(w), f32(w), f32(w), f32({}), {DType::I64, Shape{}}});
  };
  const auto relu = std::string("relu");
  const auto convolution = [&](int64_t n, int64_t h, int64_t c, int64_t k, bool wantData) {
    const int64_t p = h - 2;
    const double work = static_cast<double>(n * p * p * 9 * c * k);
    const Shape x{n, h, h, c}, w{3, 3, c, k}, y{n, p, p, k};
    add("cnn", "conv2d", {{"activation", relu}}, {f32(x), f32(w), f32({k})}, work);
    if (wantData)
      add("cnn", "conv2d_backward_data", {{"input_shape", Ints{n, h, h, c}}}, {f32(y), f32(w)},
          work);
    add("cnn", "conv2d_backward_weights", {{"weight_shape", Ints{3, 3, c, k}}}, {f32(x), f32(y)},
        work);
    add("cnn", "activation_backward", {{"kind", relu}}, {f32(y), f32(y)});
    add("cnn", "reduce_sum", {{"axes", Ints{0, 1, 2}}}, {f32(y)});
    adam("cnn", w);
  };
  // Adds 3x3 convolutions over padded feature maps, as in VGG and ResNet.
  const auto deep = [&](int64_t h, int64_t c) {
    const double work = static_cast<double>(64 * h * h * 9 * c * c);
    const Attributes same{{"padding_before", Ints{1, 1}}, {"padding_after", Ints{1, 1}}};
    const Shape x{64, h, h, c}, w{3, 3, c, c};
    add("deep", "conv2d", same, {f32(x), f32(w)}, work);
    Attributes backward = same, weights = same;
    backward.set("input_shape", Ints{64, h, h, c});
    add("deep", "conv2d_backward_data", backward, {f32(x), f32(w)}, work);
    weights.set("weight_shape", Ints{3, 3, c, c});
    add("deep", "conv2d_backward_weights", weights, {f32(x), f32(x)}, work);
  };
  // Adds 3x3 convolutions that halve the feature map and double the channels, with the padding of
  // Keras.
  const auto halving = [&](int64_t h, int64_t c) {
    const double work = static_cast<double>(64 * h * h / 4 * 9 * c * 2 * c);
    const Attributes half{
        {"strides", Ints{2, 2}}, {"padding_before", Ints{0, 0}}, {"padding_after", Ints{1, 1}}};
    const Shape x{64, h, h, c}, w{3, 3, c, 2 * c}, y{64, h / 2, h / 2, 2 * c};
    add("halving", "conv2d", half, {f32(x), f32(w)}, work);
    Attributes backward = half, weights = half;
    backward.set("input_shape", Ints{64, h, h, c});
    add("halving", "conv2d_backward_data", backward, {f32(y), f32(w)}, work);
    weights.set("weight_shape", Ints{3, 3, c, 2 * c});
    add("halving", "conv2d_backward_weights", weights, {f32(x), f32(y)}, work);
  };
  const auto pool = [&](int64_t n, int64_t h, int64_t c) {
    const Attributes window{{"pool_size", Ints{2, 2}}, {"strides", Ints{2, 2}}};
    add("cnn", "max_pool2d", window, {f32({n, h, h, c})});
    Attributes backward = window;
    backward.set("input_shape", Ints{n, h, h, c});
    add("cnn", "max_pool2d_backward", backward,
        {f32({n, h / 2, h / 2, c}), {DType::U8, Shape{n, h / 2, h / 2, c}}});
  };
  const auto dense = [&](const std::string& workload, int64_t n, int64_t in, int64_t out,
                         bool wantData, bool isLast) {
    const double work = static_cast<double>(n * in * out);
    add(workload, "matmul", {{"activation", isLast ? std::string("linear") : relu}},
        {f32({n, in}), f32({in, out}), f32({out})}, work);
    if (wantData)
      add(workload, "matmul", {{"transpose_b", true}}, {f32({n, out}), f32({in, out})}, work);
    add(workload, "matmul", {{"transpose_a", true}}, {f32({n, in}), f32({n, out})}, work);
    if (!isLast)
      add(workload, "activation_backward", {{"kind", relu}}, {f32({n, out}), f32({n, out})});
    add(workload, "reduce_sum", {{"axes", Ints{0}}}, {f32({n, out})});
    adam(workload, {in, out});
    if (!isLast)
      add(workload, "matmul_adam_update", {},
          {f32({in, out}),
           f32({n, in}),
           f32({n, out}),
           f32({in, out}),
           f32({in, out}),
           f32({}),
           {DType::I64, Shape{}}},
          work);
  };
  const auto loss = [&](const std::string& workload, int64_t n) {
    add(workload, "softmax_cross_entropy", {}, {f32({n, 10}), {DType::I32, Shape{n}}});
    add(workload, "softmax_cross_entropy_backward", {},
        {f32({n}), f32({n, 10}), {DType::I32, Shape{n}}});
  };
  convolution(64, 28, 1, 32, false);
  pool(64, 26, 32);
  convolution(64, 13, 32, 64, true);
  pool(64, 11, 64);
  convolution(64, 5, 64, 64, true);
  dense("cnn", 64, 576, 64, true, false);
  dense("cnn", 64, 64, 10, true, true);
  loss("cnn", 64);
  dense("mlp-128:32", 32, 784, 128, false, false);
  dense("mlp-128:32", 32, 128, 10, true, true);
  loss("mlp-128:32", 32);
  dense("mlp-1024:128", 128, 784, 1024, false, false);
  dense("mlp-1024:128", 128, 1024, 10, true, true);
  loss("mlp-1024:128", 128);
  deep(32, 64);
  deep(16, 128);
  deep(8, 256);
  deep(4, 512);
  const auto pointwise = [&](int64_t h, int64_t c, int64_t k) {
    const double work = static_cast<double>(64 * h * h * c * k);
    const Shape x{64, h, h, c}, w{1, 1, c, k}, y{64, h, h, k};
    add("pointwise", "conv2d", {}, {f32(x), f32(w)}, work);
    add("pointwise", "conv2d_backward_data", {{"input_shape", Ints{64, h, h, c}}}, {f32(y), f32(w)},
        work);
    add("pointwise", "conv2d_backward_weights", {{"weight_shape", Ints{1, 1, c, k}}},
        {f32(x), f32(y)}, work);
  };
  pointwise(32, 32, 64);
  pointwise(16, 64, 128);
  pointwise(16, 128, 128);
  pointwise(8, 128, 256);
  halving(32, 64);
  halving(16, 128);
  halving(8, 256);
  for (const auto& [h, c, stride] : {std::tuple<int64_t, int64_t, int64_t>{24, 32, 1},
                                     {24, 64, 2},
                                     {12, 128, 1},
                                     {12, 128, 2}}) {
    const int64_t out = h / stride, before = stride == 1 ? 1 : 0;
    const Shape x{64, h, h, c}, w{3, 3, c, 1}, y{64, out, out, c};
    const double work = static_cast<double>(y.numElements()) * 9;
    const Attributes common{{"strides", Ints{stride, stride}},
                            {"padding_before", Ints{before, before}},
                            {"padding_after", Ints{1, 1}}};
    Attributes data = common, weights = common;
    data.set("input_shape", Ints{64, h, h, c});
    weights.set("weight_shape", Ints{3, 3, c, 1});
    add("depthwise", "depthwise_conv2d", common, {f32(x), f32(w)}, work);
    add("depthwise", "depthwise_conv2d_backward_data", data, {f32(y), f32(w)}, work);
    add("depthwise", "depthwise_conv2d_backward_weights", weights, {f32(x), f32(y)}, work);
  }
  for (const auto& [h, c] :
       {std::pair<int64_t, int64_t>{32, 64}, {24, 32}, {24, 64}, {12, 128}, {8, 256}}) {
    const Shape x{64, h, h, c}, channel{c};
    add("norm", "batch_norm", {{"activation", relu}}, {f32(x), f32(channel), f32(channel)});
    add("norm", "batch_norm_backward", {{"activation", relu}},
        {f32(x), f32(x), f32(channel), f32(channel), f32(channel), f32(channel)});
  }
  for (const Shape& x : {Shape{16, 128, 256}, Shape{32, 64, 64}, Shape{8, 256, 768}}) {
    const Shape rows{x[0], x[1]}, row{x[2]};
    add("layer norm", "layer_norm", {{"scale", true}, {"center", true}},
        {f32(x), f32(row), f32(row)});
    add("layer norm", "layer_norm_backward", {{"scale", true}},
        {f32(x), f32(x), f32(rows), f32(rows), f32(row)});
  }
  return list;
}

/// Returns the highest number of multiply-adds per second that all workers together reach in
/// several attempts.
double measurePeak(ThreadPool& pool) {
  double best = 0;
  for (int i = 0; i < 300; ++i) {
    constexpr int64_t kRounds = 20000;
    std::vector<double> work(static_cast<size_t>(pool.numWorkers()) * 8);
    const auto start = Clock::now();
    pool.run(
        [&](int worker) { work[static_cast<size_t>(worker) * 8] = loops().multiplyAdds(kRounds); });
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    double total = 0;
    for (double w : work)
      total += w;
    best = std::max(best, total / seconds);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : usableProcessors();
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 200;
  const std::string filter = argc > 3 ? argv[3] : "";
  ThreadPool pool(threads);
  const double peak = measurePeak(pool);
  std::printf("%s, %d workers, %.0f GFLOP/s of multiply-adds in registers\n", loops().name, threads,
              2e-9 * peak);
  std::string workload;
  double sum = 0, sumWork = 0;
  const auto finish = [&] {
    if (sum > 0)
      std::printf("%-14s %-30s %9.1f us  %3.0f %% of the limit\n\n", workload.c_str(), "sum", sum,
                  100 * sumWork / peak / (sum * 1e-6));
    sum = sumWork = 0;
  };
  for (const Row& row : rows()) {
    if (!filter.empty() && (row.workload + " " + row.op).find(filter) == std::string::npos)
      continue;
    if (row.workload != workload) finish();
    workload = row.workload;
    const OpDef& op = opNamed(row.op);
    cpu::KernelSetup setup;
    setup.op = row.op;
    setup.inputs = row.inputs;
    setup.attributes = row.attributes;
    for (const AttributeSpec& spec : op.attributes)
      if (!setup.attributes.has(spec.name)) setup.attributes.set(spec.name, spec.defaultValue);
    setup.outputs = op.infer(ShapeContext{op, row.inputs, setup.attributes});
    setup.numWorkers = threads;
    setup.loops = &loops();
    const auto kernel = cpu::createKernel(setup);
    std::vector<Tensor> tensors;
    KernelArguments arguments;
    RandomStream random(1, 1);
    tensors.reserve(setup.inputs.size() + setup.outputs.size());
    for (const TensorType& type : setup.inputs) {
      tensors.emplace_back(type);
      if (type.dtype == DType::F32)
        for (float& x : tensors.back().as<float>())
          x = random.uniform() - 0.5f;
      arguments.inputs.push_back(tensors.back().data());
    }
    for (const TensorType& type : setup.outputs) {
      tensors.emplace_back(type);
      arguments.outputs.push_back(tensors.back().data());
    }
    for (const auto& [output, input] : op.mustAlias)
      if (static_cast<size_t>(output) < arguments.outputs.size())
        arguments.outputs[static_cast<size_t>(output)] = tensors[static_cast<size_t>(input)].data();
    AlignedBytes workspace(kernel->workspaceBytes());
    arguments.workspace = workspace.data();
    double best = 1e9;
    for (int round = 0; round < rounds; ++round) {
      double seconds = 0;
      pool.run([&](int worker) {
        pool.barrier().wait();
        const auto start = Clock::now();
        for (int stage = 0; stage < kernel->numStages(); ++stage) {
          kernel->run(arguments, stage, worker);
          pool.barrier().wait();
        }
        if (worker == 0) seconds = std::chrono::duration<double>(Clock::now() - start).count();
      });
      best = std::min(best, seconds);
    }
    std::string shape;
    for (const TensorType& type : row.inputs)
      shape += type.shape.toString();
    if (shape.size() > 44) shape.resize(44);
    std::printf("%-14s %-30s %9.1f us", row.workload.c_str(), row.op.c_str(), best * 1e6);
    if (row.multiplyAdds > 0)
      std::printf("  %3.0f %%", 100 * row.multiplyAdds / peak / best);
    else
      std::printf("       ");
    std::printf("  %-44s %s\n", shape.c_str(), kernel->implementation().c_str());
    sum += best * 1e6;
    sumWork += row.multiplyAdds;
  }
  finish();
}
