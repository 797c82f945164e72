// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/onednn/convolution.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>

#include "gpu/base/error.h"
#include "gpu/reference/kernels/window.h"

namespace strata::cpu {

namespace {

using dnnl::memory;
using reference::WindowGeometry;
using reference::windowGeometry;

enum class Direction { Forward, Data, Weights };

const dnnl::engine& cpuEngine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// A oneDNN primitive with its operands. Each run sets the addresses of the operands and executes
/// the primitive, without allocating memory.
class Call {
 public:
  void make(const dnnl::primitive& primitive,
            std::initializer_list<std::pair<int, memory::desc>> operands) {
    m_primitive = primitive;
    for (const auto& [argument, desc] : operands) {
      m_operands.emplace_back(desc, cpuEngine(), nullptr);
      m_arguments.push_back({argument, m_operands.back().get()});
    }
  }
  /// Runs the primitive. `handles` contains the address of each operand, in the order given to
  /// make().
  void run(const dnnl::stream& stream, std::initializer_list<const void*> handles) const {
    size_t i = 0;
    for (const void* handle : handles)
      check(dnnl_memory_set_data_handle(m_operands[i++].get(), const_cast<void*>(handle)));
    check(dnnl_primitive_execute(m_primitive.get(), stream.get(),
                                 static_cast<int>(m_arguments.size()), m_arguments.data()));
  }

 private:
  static void check(dnnl_status_t status) {
    if (status != dnnl_success)
      throw Error(ErrorCode::DeviceFailure, "",
                  "oneDNN failed with status " + std::to_string(static_cast<int>(status)) +
                      ". Try --device reference.");
  }
  dnnl::primitive m_primitive;
  std::vector<memory> m_operands;
  std::vector<dnnl_exec_arg_t> m_arguments;
};

size_t floatsOf(const memory::desc& desc) {
  return alignedFloats((desc.get_size() + sizeof(float) - 1) / sizeof(float));
}

/// The share of one worker, which is `count` images from `first`. The worker reorders them to
/// oneDNN's blocked layout, runs the convolution, and reorders the result to the layout of the
/// graph. Offsets are in floats, from the beginning of the share's workspace.
struct Share {
  int64_t first = 0, count = 0;
  // Forward reorders only x before the convolution, backward data only y, and backward weights
  // both. `out` reorders the result
  Call intoX, intoY, convolution, out;
  size_t xAt = 0, yAt = 0, weightsAt = 0, scratchAt = 0, floats = 0;
};

class OnednnConvolution final : public HostKernel {
 public:
  OnednnConvolution(const KernelSetup& setup, Direction direction, const WindowGeometry& g);
  size_t workspaceBytes() const override { return m_floats * sizeof(float); }
  int numStages() const override { return 2; }
  void run(const KernelArguments& arguments, int stage, int worker) const override;
  std::string implementation() const override { return "onednn " + m_name; }
  /// The memory objects of a worker hold the addresses of the operands during a call.
  bool isStateless() const override { return false; }
  bool isReference() const {
    return m_name.find("ref") != std::string::npos || m_name.find("gemm") != std::string::npos;
  }

 private:
  void makeShare(Share& share, bool isRelu);
  void runShare(const Share& share, const KernelArguments& arguments, float* workspace) const;

  const Direction m_direction;
  const WindowGeometry m_g;
  const Loops* const m_loops;
  const int m_workers;
  bool m_hasBias = false;
  std::optional<ActivationKind> m_activateAfter;
  float m_alpha = 0;
  std::string m_name;
  // The weights as the graph stores them (HWIO), and as the primitive needs them
  memory::desc m_plainWeights, m_blockedWeights;
  std::vector<Share> m_shares;
  // Reorders the weights once per run, for forward and backward data
  Call m_weightsIn;
  dnnl::stream m_stream;
  size_t m_weightFloats = 0, m_floats = 0;
  std::vector<size_t> m_shareAt;
};

OnednnConvolution::OnednnConvolution(const KernelSetup& setup, Direction direction,
                                     const WindowGeometry& g)
    : m_direction(direction),
      m_g(g),
      m_loops(setup.loops),
      m_workers(setup.numWorkers),
      m_stream(cpuEngine()) {
  bool isRelu = false;
  if (direction == Direction::Forward) {
    m_hasBias = setup.inputs.size() == 3;
    const std::string& activation = setup.text("activation");
    isRelu = activation == "relu";
    if (!isRelu && activation != "linear") m_activateAfter = activationKindOf(activation);
    m_alpha = static_cast<float>(setup.real("alpha"));
  }
  m_plainWeights = memory::desc({g.outputChannels, g.channels, g.window.h, g.window.w},
                                memory::data_type::f32, memory::format_tag::hwio);
  m_shares.resize(static_cast<size_t>(m_workers));
  for (int worker = 0; worker < m_workers; ++worker) {
    Share& share = m_shares[static_cast<size_t>(worker)];
    const WorkRange range = shareOf(g.n, worker, m_workers);
    share.first = range.begin;
    share.count = range.end - range.begin;
    if (share.count > 0) makeShare(share, isRelu);
  }
  if (direction == Direction::Weights) {
    m_weightFloats =
        alignedFloats(static_cast<size_t>(g.window.h * g.window.w * g.channels * g.outputChannels));
    // All workers except the first need memory for their partial sums
    m_floats = m_weightFloats * static_cast<size_t>(m_workers - 1);
  }
  else {
    m_weightFloats = floatsOf(m_blockedWeights);
    m_floats = m_weightFloats;
    m_weightsIn.make(dnnl::reorder(dnnl::reorder::primitive_desc(cpuEngine(), m_plainWeights,
                                                                 cpuEngine(), m_blockedWeights)),
                     {{DNNL_ARG_FROM, m_plainWeights}, {DNNL_ARG_TO, m_blockedWeights}});
  }
  for (const Share& share : m_shares) {
    m_shareAt.push_back(m_floats);
    m_floats += share.floats;
  }
}

void OnednnConvolution::makeShare(Share& share, bool isRelu) {
  const WindowGeometry& g = m_g;
  const auto f32 = memory::data_type::f32;
  const auto any = memory::format_tag::any, nhwc = memory::format_tag::nhwc;
  const memory::dims x{share.count, g.channels, g.input.h, g.input.w},
      y{share.count, g.outputChannels, g.output.h, g.output.w},
      w{g.outputChannels, g.channels, g.window.h, g.window.w}, strides{1, 1},
      before{g.padding.h, g.padding.w},
      after{g.output.h + g.window.h - 1 - g.input.h - g.padding.h,
            g.output.w + g.window.w - 1 - g.input.w - g.padding.w};
  const auto algorithm = dnnl::algorithm::convolution_direct;
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  dnnl::primitive_attr forwardAttributes = attributes;
  if (isRelu) {
    dnnl::post_ops post;
    post.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
    forwardAttributes.set_post_ops(post);
  }
  const memory::desc bias =
      m_hasBias ? memory::desc({g.outputChannels}, f32, memory::format_tag::a) : memory::desc();
  const dnnl::convolution_forward::primitive_desc forward(
      m_hasBias ? dnnl::convolution_forward::desc(dnnl::prop_kind::forward_training, algorithm,
                                                  {x, f32, any}, {w, f32, any}, bias, {y, f32, any},
                                                  strides, before, after)
                : dnnl::convolution_forward::desc(dnnl::prop_kind::forward_training, algorithm,
                                                  {x, f32, any}, {w, f32, any}, {y, f32, any},
                                                  strides, before, after),
      forwardAttributes, cpuEngine());
  const memory::desc plainX(x, f32, nhwc), plainY(y, f32, nhwc);
  memory::desc blockedX, blockedY, scratch;
  const auto reorder = [](Call& call, const memory::desc& from, const memory::desc& to) {
    call.make(dnnl::reorder(dnnl::reorder::primitive_desc(cpuEngine(), from, cpuEngine(), to)),
              {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  };
  if (m_direction == Direction::Forward) {
    m_name = forward.impl_info_str();
    blockedX = forward.src_desc();
    blockedY = forward.dst_desc();
    m_blockedWeights = forward.weights_desc();
    scratch = forward.scratchpad_desc();
    if (m_hasBias)
      share.convolution.make(dnnl::convolution_forward(forward),
                             {{DNNL_ARG_SRC, blockedX},
                              {DNNL_ARG_WEIGHTS, m_blockedWeights},
                              {DNNL_ARG_DST, blockedY},
                              {DNNL_ARG_SCRATCHPAD, scratch},
                              {DNNL_ARG_BIAS, bias}});
    else
      share.convolution.make(dnnl::convolution_forward(forward),
                             {{DNNL_ARG_SRC, blockedX},
                              {DNNL_ARG_WEIGHTS, m_blockedWeights},
                              {DNNL_ARG_DST, blockedY},
                              {DNNL_ARG_SCRATCHPAD, scratch}});
    reorder(share.intoX, plainX, blockedX);
    reorder(share.out, blockedY, plainY);
  }
  else if (m_direction == Direction::Data) {
    const dnnl::convolution_backward_data::primitive_desc backward(
        dnnl::convolution_backward_data::desc(algorithm, {x, f32, any}, {w, f32, any},
                                              {y, f32, any}, strides, before, after),
        attributes, cpuEngine(), forward);
    m_name = backward.impl_info_str();
    blockedX = backward.diff_src_desc();
    blockedY = backward.diff_dst_desc();
    m_blockedWeights = backward.weights_desc();
    scratch = backward.scratchpad_desc();
    share.convolution.make(dnnl::convolution_backward_data(backward),
                           {{DNNL_ARG_DIFF_SRC, blockedX},
                            {DNNL_ARG_WEIGHTS, m_blockedWeights},
                            {DNNL_ARG_DIFF_DST, blockedY},
                            {DNNL_ARG_SCRATCHPAD, scratch}});
    reorder(share.intoY, plainY, blockedY);
    reorder(share.out, blockedX, plainX);
  }
  else {
    const dnnl::convolution_backward_weights::primitive_desc backward(
        dnnl::convolution_backward_weights::desc(algorithm, {x, f32, any}, {w, f32, any},
                                                 {y, f32, any}, strides, before, after),
        attributes, cpuEngine(), forward);
    m_name = backward.impl_info_str();
    blockedX = backward.src_desc();
    blockedY = backward.diff_dst_desc();
    m_blockedWeights = backward.diff_weights_desc();
    scratch = backward.scratchpad_desc();
    share.convolution.make(dnnl::convolution_backward_weights(backward),
                           {{DNNL_ARG_SRC, blockedX},
                            {DNNL_ARG_DIFF_WEIGHTS, m_blockedWeights},
                            {DNNL_ARG_DIFF_DST, blockedY},
                            {DNNL_ARG_SCRATCHPAD, scratch}});
    reorder(share.intoX, plainX, blockedX);
    reorder(share.intoY, plainY, blockedY);
    reorder(share.out, m_blockedWeights, m_plainWeights);
  }
  share.yAt = floatsOf(blockedX);
  share.weightsAt = share.yAt + floatsOf(blockedY);
  share.scratchAt =
      share.weightsAt + (m_direction == Direction::Weights ? floatsOf(m_blockedWeights) : 0);
  share.floats = share.scratchAt + floatsOf(scratch) + 16;
}

void OnednnConvolution::runShare(const Share& share, const KernelArguments& arguments,
                                 float* workspace) const {
  const int64_t inFloats = m_g.input.h * m_g.input.w * m_g.channels,
                outFloats = m_g.output.h * m_g.output.w * m_g.outputChannels;
  const size_t index = static_cast<size_t>(&share - m_shares.data());
  float* const own = workspace + m_shareAt[index];
  float *const x = own + share.xAt, *const y = own + share.yAt,
               *const weights = own + share.weightsAt, *const scratch = own + share.scratchAt;
  switch (m_direction) {
    case Direction::Forward: {
      float* const result = outputOf<float>(arguments) + share.first * outFloats;
      share.intoX.run(m_stream, {inputOf<float>(arguments, 0) + share.first * inFloats, x});
      if (m_hasBias)
        share.convolution.run(m_stream, {x, workspace, y, scratch, inputOf<float>(arguments, 2)});
      else
        share.convolution.run(m_stream, {x, workspace, y, scratch});
      share.out.run(m_stream, {y, result});
      if (m_activateAfter)
        m_loops->activation(*m_activateAfter, result, result, share.count * outFloats, m_alpha);
      break;
    }
    case Direction::Data:
      share.intoY.run(m_stream, {inputOf<float>(arguments, 0) + share.first * outFloats, y});
      share.convolution.run(m_stream, {x, workspace, y, scratch});
      share.out.run(m_stream, {x, outputOf<float>(arguments) + share.first * inFloats});
      break;
    case Direction::Weights:
      share.intoX.run(m_stream, {inputOf<float>(arguments, 0) + share.first * inFloats, x});
      share.intoY.run(m_stream, {inputOf<float>(arguments, 1) + share.first * outFloats, y});
      share.convolution.run(m_stream, {x, weights, y, scratch});
      share.out.run(m_stream, {weights, index == 0 ? outputOf<float>(arguments)
                                                   : workspace + m_weightFloats * (index - 1)});
      break;
  }
}

void OnednnConvolution::run(const KernelArguments& arguments, int stage, int worker) const {
  // OpenMP keeps this setting per thread. Each worker must run its primitive on one thread
  omp_set_num_threads(1);
  float* const workspace = reinterpret_cast<float*>(arguments.workspace);
  const Share& share = m_shares[static_cast<size_t>(worker)];
  if (m_direction != Direction::Weights) {
    if (stage == 1 && share.count > 0) runShare(share, arguments, workspace);
    if (stage == 0 && worker == 0)
      m_weightsIn.run(m_stream, {inputOf<float>(arguments, 1), workspace});
    return;
  }
  if (stage == 0) {
    if (share.count > 0) runShare(share, arguments, workspace);
    return;
  }
  // Adds the partial sums in the order of the workers. Worker 0 wrote its sum directly to the
  // output. Its share is never empty, because only the last shares can be empty.
  const int64_t count = m_g.window.h * m_g.window.w * m_g.channels * m_g.outputChannels;
  const WorkRange range = shareOf(count, worker, m_workers, 16);
  float* const dw = outputOf<float>(arguments) + range.begin;
  for (size_t other = 1; other < m_shares.size(); ++other)
    if (m_shares[other].count > 0)
      m_loops->accumulate(dw, workspace + m_weightFloats * (other - 1) + range.begin,
                          range.end - range.begin);
}

}  // namespace

std::unique_ptr<HostKernel> makeOnednnConvolution(const KernelSetup& setup) {
  Direction direction = Direction::Forward;
  if (setup.op == "conv2d_backward_data") direction = Direction::Data;
  if (setup.op == "conv2d_backward_weights") direction = Direction::Weights;
  const Shape& weights =
      direction == Direction::Weights ? setup.outputShape() : setup.inputShape(1);
  const Shape& x = direction == Direction::Data ? setup.outputShape() : setup.inputShape(0);
  const Shape& dy = setup.inputShape(direction == Direction::Data ? 0 : 1);
  const Shape& y = direction == Direction::Forward ? setup.outputShape() : dy;
  const WindowGeometry g = windowGeometry(setup, x, y, {weights[0], weights[1]});
  const bool isPlain = g.window.h == 3 && g.window.w == 3 && g.stride.h == 1 && g.stride.w == 1 &&
                       g.dilation.h == 1 && g.dilation.w == 1 && g.groups == 1;
  if (!isPlain || g.padding.h > 1 || g.padding.w > 1 || g.n == 0) return nullptr;
  if (setup.loops->width < 16 || g.channels < 192 || g.outputChannels < 192 ||
      g.channels % 16 != 0 || g.outputChannels % 16 != 0 || g.output.h * g.output.w < 16)
    return nullptr;
  // oneDNN prepares a primitive for the number of OpenMP threads that is set when it is created.
  // Each worker runs its primitive on one thread.
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  std::unique_ptr<OnednnConvolution> kernel;
  try {
    kernel = std::make_unique<OnednnConvolution>(setup, direction, g);
    if (kernel->isReference()) kernel.reset();
  }
  catch (const dnnl::error&) {
    // oneDNN does not support this convolution, so another kernel is used
    kernel.reset();
  }
  omp_set_num_threads(threads);
  return kernel;
}

}  // namespace strata::cpu
