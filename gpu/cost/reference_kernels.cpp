// SPDX-License-Identifier: Apache-2.0
// Lists the kernels that a calibration runs. Each family in work.cpp has examples that are smaller
// and larger, narrower and wider than the usual kernels of a step.
#include "gpu/cost/calibration.h"
#include "gpu/ops/activation_kinds.h"

namespace strata {
namespace {

using Ints = std::vector<int64_t>;

TensorType f32(Shape shape) { return {DType::F32, shape}; }

class List {
 public:
  explicit List(int numWorkers) : m_workers(numWorkers) {}

  std::vector<ReferenceKernel> run() {
    products();
    convolutions();
    maps();
    recurrent();
    attention();
    elementwise();
    updates();
    sums();
    return std::move(m_kernels);
  }

 private:
  void add(std::string op, Attributes attributes, std::vector<TensorType> inputs) {
    m_kernels.push_back({std::move(op), std::move(attributes), std::move(inputs)});
  }

  void products() {
    struct Size {
      int64_t m, k, n;
    };
    for (const auto& [m, k, n] : {Size{32, 784, 1024},
                                  {128, 512, 512},
                                  {64, 784, 128},
                                  {128, 512, 256},
                                  {32, 400, 120},
                                  {64, 64, 10},
                                  {128, 512, 10},
                                  {128, 2048, 10},
                                  {16, 100, 30},
                                  {256, 96, 96},
                                  {48, 1024, 1024}})
      add("matmul", {}, {f32({m, k}), f32({k, n})});
    for (const auto& [m, k, n] : {Size{128, 10, 512},
                                  {32, 10, 1024},
                                  {64, 64, 576},
                                  {64, 120, 400},
                                  {128, 512, 512},
                                  {32, 10, 128},
                                  {64, 256, 784},
                                  {2, 10, 4096},
                                  {16, 3, 20}})
      add("matmul", {{"transpose_b", true}}, {f32({m, k}), f32({n, k})});
    for (const auto& [m, k, n] : {Size{784, 32, 1024},
                                  {512, 128, 10},
                                  {1024, 32, 10},
                                  {512, 64, 512},
                                  {576, 64, 64},
                                  {300, 96, 200},
                                  {128, 32, 10},
                                  {4096, 2, 10},
                                  {64, 4096, 64},
                                  {16, 512, 16},
                                  {96, 2048, 32},
                                  {20, 16, 3}})
      add("matmul", {{"transpose_a", true}}, {f32({k, m}), f32({k, n})});
    for (const auto& [m, k, n] : {Size{784, 32, 128},
                                  {512, 128, 512},
                                  {128, 32, 10},
                                  {400, 64, 120},
                                  {84, 64, 10},
                                  {256, 64, 256},
                                  {4096, 2, 10},
                                  {20, 16, 3},
                                  {20, 16, 20}}) {
      const TensorType w = f32({m, n}), a = f32({k, m}), b = f32({k, n}), scalar = f32({});
      add("matmul_adam_update", {}, {w, a, b, w, w, scalar, {DType::I64, Shape{}}});
      add("matmul_sgd_update", {}, {w, a, b, scalar});
      add("matmul_sgd_update", {{"momentum", 0.9}}, {w, a, b, scalar, w});
    }
  }

  void convolution(const Shape& x, int64_t k, int64_t window, int64_t stride, int64_t pad,
                   bool isDepthwise = false) {
    const Ints pads{pad, pad}, strides{stride, stride};
    const Attributes forward{
        {"strides", strides}, {"padding_before", pads}, {"padding_after", pads}};
    const std::string name = isDepthwise ? "depthwise_conv2d" : "conv2d";
    const Shape w = isDepthwise ? Shape{window, window, x[3], 1} : Shape{window, window, x[3], k};
    const int64_t p = (x[1] + 2 * pad - window) / stride + 1,
                  q = (x[2] + 2 * pad - window) / stride + 1;
    const Shape y{x[0], p, q, isDepthwise ? x[3] : k};
    add(name, forward, {f32(x), f32(w)});
    Attributes data = forward, weights = forward;
    data.set("input_shape", Ints(x.dims().begin(), x.dims().end()));
    weights.set("weight_shape", Ints(w.dims().begin(), w.dims().end()));
    if (x[3] > 3) add(name + "_backward_data", data, {f32(y), f32(w)});
    add(name + "_backward_weights", weights, {f32(x), f32(y)});
  }

  void convolutions() {
    const int64_t n = 2 * m_workers;
    for (const auto& [images, side, c, k, window, stride, pad] :
         std::vector<std::array<int64_t, 7>>{{4 * n, 28, 1, 32, 3, 1, 0},
                                             {n, 32, 3, 64, 3, 1, 1},
                                             {n, 24, 16, 16, 3, 1, 1},
                                             {4 * n, 12, 6, 16, 5, 1, 0},
                                             {n, 16, 64, 128, 3, 2, 1},
                                             {n, 8, 128, 256, 3, 2, 1},
                                             {4 * n, 28, 1, 6, 5, 1, 0},
                                             {n, 32, 3, 5, 3, 1, 1},
                                             {n, 30, 3, 32, 3, 2, 1},
                                             {n, 20, 24, 48, 3, 1, 1},
                                             // Windows of 1x1
                                             {n, 16, 32, 64, 1, 1, 0},
                                             {n, 16, 128, 128, 1, 1, 0},
                                             {4 * n, 8, 256, 256, 1, 1, 0},
                                             {n, 32, 16, 32, 1, 1, 0},
                                             {n, 16, 64, 128, 1, 2, 0},
                                             // Windows of 3x3 with many channels
                                             {n, 16, 64, 64, 3, 1, 1},
                                             {n, 8, 128, 128, 3, 1, 1},
                                             {n, 24, 32, 32, 3, 1, 1},
                                             {8 * n, 4, 256, 256, 3, 1, 1},
                                             {2 * n, 13, 32, 64, 3, 1, 0},
                                             {n, 32, 64, 64, 3, 1, 1},
                                             {8 * n, 8, 128, 128, 3, 1, 1},
                                             {8 * n, 16, 128, 128, 3, 1, 1},
                                             {8 * n, 8, 256, 256, 3, 1, 1},
                                             {2 * n, 4, 512, 512, 3, 1, 1},
                                             // Small images with many channels
                                             {2 * n, 5, 192, 192, 3, 1, 1},
                                             {2 * n, 6, 256, 192, 3, 1, 1},
                                             {4 * n, 5, 192, 256, 3, 1, 1}})
      convolution({images, side, side, c}, k, window, stride, pad);
    // Feature maps that are larger than the caches
    convolution({64, 32, 32, 32}, 32, 3, 1, 1);
    convolution({64, 32, 32, 32}, 32, 1, 1, 0);
    convolution({64, 32, 32, 16}, 32, 3, 1, 1);
    for (const auto& [images, side, c, window, stride] :
         std::vector<std::array<int64_t, 5>>{{64, 32, 64, 3, 1},
                                             {64, 32, 64, 3, 2},
                                             {n, 32, 32, 3, 2},
                                             {n, 32, 32, 3, 1},
                                             {n, 16, 64, 3, 1},
                                             {2 * n, 8, 128, 3, 1},
                                             {n, 16, 64, 3, 2},
                                             {n, 14, 48, 5, 1}})
      convolution({images, side, side, c}, 0, window, stride, window / 2, true);
  }

  void maps() {
    const int64_t n = 4 * m_workers;
    for (const Shape& x :
         {Shape{n, 24, 24, 32}, Shape{n, 16, 16, 64}, Shape{n, 8, 8, 128}, Shape{4 * n, 4, 4, 256},
          Shape{8 * n, 96}, Shape{n, 32, 32, 16}, Shape{16, 64, 64, 64}}) {
      const TensorType map = f32(x), channels = f32({x.dim(-1)});
      add("batch_norm", {}, {map, channels, channels});
      add("batch_norm", {}, {map, channels, channels, map});
      add("batch_norm_backward", {}, {map, map, channels, channels, channels});
      add("batch_norm_backward", {}, {map, map, channels, channels, channels, map});
    }
    for (const Shape& x : {Shape{n, 16, 64}, Shape{n, 32, 128}, Shape{n, 64, 256}, Shape{8 * n, 96},
                           Shape{16, 128, 512}}) {
      const TensorType all = f32(x), row = f32({x.dim(-1)});
      TensorType number = f32({});
      for (int i = 0; i + 1 < x.rank(); ++i)
        number.shape.append(x[i]);
      add("layer_norm", {{"scale", true}, {"center", true}}, {all, row, row});
      add("layer_norm_backward", {{"scale", true}}, {all, all, number, number, row});
    }
    for (const auto& [images, side, c, window, stride] :
         std::vector<std::array<int64_t, 5>>{{n, 26, 32, 2, 2},
                                             {n, 16, 64, 3, 2},
                                             {n, 8, 128, 2, 2},
                                             {2 * n, 10, 16, 2, 2},
                                             {n, 12, 64, 3, 3},
                                             {16, 64, 64, 2, 2},
                                             {4 * n, 28, 6, 2, 2},
                                             {n, 12, 20, 3, 2},
                                             {n, 10, 40, 2, 2}}) {
      const int64_t side2 = (side - window) / stride + 1;
      const Attributes pool{{"pool_size", Ints{window, window}}, {"strides", Ints{stride, stride}}};
      Attributes backward = pool;
      backward.set("input_shape", Ints{images, side, side, c});
      const Shape x{images, side, side, c}, y{images, side2, side2, c};
      add("max_pool2d", pool, {f32(x)});
      add("max_pool2d_backward", backward, {f32(y), {DType::U8, y}});
      add("avg_pool2d", pool, {f32(x)});
      add("avg_pool2d_backward", backward, {f32(y)});
    }
  }

  void recurrent() {
    for (const auto& [name, gates] :
         {std::pair{"simple", 1}, {"lstm", 4}, {"gru", 3}, {"gru_reset_before", 3}})
      for (const auto& [samples, steps, units] :
           {std::array<int64_t, 3>{16, 8, 20}, {32, 12, 64}, {64, 10, 128}}) {
        const std::string cell = name;
        const TensorType all = f32({samples, steps, gates * units}),
                         kernel = f32({units, gates * units}), one = f32({samples, steps, units});
        add("recurrent", {{"cell", cell}}, {all, kernel});
        std::vector<TensorType> operands{all, kernel, one, one};
        if (cell != "simple") operands.push_back(one);
        add("recurrent_backward", {{"cell", cell}, {"has_sequence", true}}, operands);
      }
  }

  void attention() {
    const TensorType number{DType::I64, Shape{}};
    for (const double rate : {0.0, 0.1})
      for (const auto& [samples, steps, heads, size] : {std::array<int64_t, 4>{4, 32, 2, 16},
                                                        {4, 64, 2, 64},
                                                        {2, 128, 2, 32},
                                                        {2, 16, 4, 32}}) {
        const TensorType all = f32({samples, steps, heads, size}),
                         sums = f32({samples, heads, steps});
        const Attributes attributes{{"scale", 0.2}, {"rate", rate}};
        std::vector<TensorType> forward{all, all, all}, backward{all, all, all, all, sums, all};
        for (int i = 0; rate > 0 && i < 3; ++i) {
          forward.push_back(number);
          backward.push_back(number);
        }
        add("attention", attributes, forward);
        add("attention_backward", attributes, backward);
      }
  }

  /// Returns sizes whose operands fit in the first-level or second-level cache of each core.
  std::vector<Shape> sizes() const {
    return {Shape{2048 * m_workers}, Shape{8192 * m_workers}, Shape{49152 * m_workers}};
  }

  void elementwise() {
    const std::vector<Shape> two{Shape{4096 * m_workers}, Shape{12288 * m_workers}};
    for (const Shape& size : two) {
      for (const char* op : {"negate", "abs", "sign", "exp", "expm1", "log", "log1p", "sqrt",
                             "rsqrt", "square", "reciprocal", "erf", "floor", "is_finite"})
        add(op, {}, {f32(size)});
      for (const char* op : {"add", "subtract", "multiply", "divide", "maximum", "minimum", "less",
                             "less_equal", "greater", "greater_equal", "equal", "not_equal"})
        add(op, {}, {f32(size), f32(size)});
      add("affine", {{"scale", 2.0}}, {f32(size)});
      for (const char* kind :
           {"relu",        "relu6",       "leaky_relu", "elu",         "selu",
            "gelu",        "gelu_tanh",   "tanh",       "sigmoid",     "hard_sigmoid",
            "silu",        "hard_silu",   "mish",       "softplus",    "softsign",
            "exponential", "celu",        "hard_tanh",  "tanh_shrink", "soft_shrink",
            "hard_shrink", "log_sigmoid", "squareplus", "sparse_plus", "sparse_sigmoid"}) {
        add("activation", {{"kind", std::string(kind)}, {"alpha", 0.5}}, {f32(size)});
        add("activation_backward", {{"kind", std::string(kind)}, {"alpha", 0.5}},
            {f32(size), f32(size)});
      }
    }
    const TensorType number{DType::I64, Shape{}};
    for (const Shape& size : sizes())
      add("dropout", {{"rate", 0.3}, {"stream", std::string("a")}},
          {f32({size[0] / 64, 64}), number, number, number});
    for (const Shape& size : sizes())
      add("random_uniform",
          {{"shape", std::vector<int64_t>{size[0] / 64, 64}}, {"stream", std::string("a")}},
          {number, number, number});
  }

  void updates() {
    const TensorType scalar = f32({}), number{DType::I64, Shape{}};
    std::vector<Shape> all = sizes();
    all.push_back(Shape{300});
    all.push_back(Shape{2 << 20});
    for (const Shape& size : all) {
      const TensorType w = f32(size);
      add("adam_update", {}, {w, w, w, w, scalar, number});
      add("adam_update", {{"amsgrad", true}}, {w, w, w, w, scalar, number, w});
      add("sgd_update", {}, {w, w, scalar});
      add("sgd_update", {{"momentum", 0.9}}, {w, w, scalar, w});
      add("rmsprop_update", {}, {w, w, w, scalar});
      add("rmsprop_update", {{"momentum", 0.9}}, {w, w, w, scalar, w});
      add("adagrad_update", {}, {w, w, w, scalar});
      add("assign", {}, {w, w});
    }
  }

  void sums() {
    const TensorType few{DType::I32, Shape{32}}, several{DType::I32, Shape{2048}};
    for (const TensorType& type : {few, several}) {
      add("equal", {}, {type, type});
      add("cast", {{"dtype", std::string("f32")}}, {type});
    }
    add("argmax", {}, {f32({16, 10})});
    for (const Shape& x : {Shape{32, 128}, Shape{64, 10}, Shape{128, 512}, Shape{64, 1024},
                           Shape{4096, 32}, Shape{2048, 128}, Shape{16384, 40}, Shape{8192, 24}})
      add("reduce_sum", {{"axes", Ints{0}}}, {f32(x)});
    add("reduce_sum", {{"axes", Ints{1, 2}}}, {f32({16, 8, 8, 64})});
    for (const Shape& x : {Shape{64, 128}, Shape{512, 256}, Shape{32, 10}, Shape{4, 4}}) {
      add("reduce_sum", {{"axes", Ints{1}}}, {f32(x)});
      add("reduce_max", {{"axes", Ints{1}}}, {f32(x)});
    }
    for (const Shape& x :
         {Shape{16, 3}, Shape{32, 10}, Shape{128, 10}, Shape{256, 100}, Shape{64, 1000}}) {
      add("softmax", {}, {f32(x)});
      add("log_softmax", {}, {f32(x)});
      add("softmax_cross_entropy", {}, {f32(x), {DType::I32, Shape{x[0]}}});
      add("softmax_cross_entropy_backward", {}, {f32({x[0]}), f32(x), {DType::I32, Shape{x[0]}}});
    }
    for (const Shape& x : {Shape{64, 64}, Shape{256, 512}}) {
      add("transpose", {{"permutation", Ints{1, 0}}}, {f32(x)});
      add("broadcast_to", {{"shape", Ints{4, x[0], x[1]}}}, {f32(x)});
      add("slice", {{"begin", Ints{0, 8}}, {"size", Ints{x[0], x[1] / 2}}}, {f32(x)});
      add("concatenate", {{"axis", int64_t{1}}}, {f32(x), f32(x)});
      add("pad", {{"before", Ints{1, 1}}, {"after", Ints{1, 1}}}, {f32(x)});
      add("argmax", {}, {f32(x)});
    }
  }

  const int64_t m_workers;
  std::vector<ReferenceKernel> m_kernels;
};

}  // namespace

std::vector<ReferenceKernel> referenceKernels(int numWorkers) { return List(numWorkers).run(); }

}  // namespace strata
