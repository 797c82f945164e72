// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/generate/pointwise_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <map>
#include <set>

#include "gpu/base/error.h"
#include "gpu/cuda/generate/formula_text.h"
#include "gpu/cuda/generate/prelude_text.h"
#include "gpu/cuda/generate/text_hash.h"
#include "gpu/cuda/kernels/parameters.h"
#include "gpu/ops/fused_pointwise.h"
#include "gpu/reference/reference_kernel.h"

namespace strata::cuda {
namespace {

/// The ops with one operand a, or with the operands a and b. Products, sums and differences are
/// intrinsics, because each step must be rounded: the compiler would fuse products with sums.
const std::map<std::string_view, std::string_view>& expressions() {
  static const std::map<std::string_view, std::string_view> kExpressions{
      {"negate", "-a"},
      {"abs", "fabsf(a)"},
      {"sign", "a > 0 ? 1.0f : (a < 0 ? -1.0f : a)"},
      {"square", "__fmul_rn(a, a)"},
      {"exp", "expf(a)"},
      {"expm1", "expm1f(a)"},
      {"log", "logf(a)"},
      {"log1p", "log1pf(a)"},
      {"sqrt", "sqrtf(a)"},
      {"rsqrt", "1.0f / sqrtf(a)"},
      {"reciprocal", "1.0f / a"},
      {"erf", "erff(a)"},
      {"floor", "floorf(a)"},
      {"is_finite", "isfinite(a) ? 1.0f : 0.0f"},
      {"add", "__fadd_rn(a, b)"},
      {"subtract", "__fsub_rn(a, b)"},
      {"multiply", "__fmul_rn(a, b)"},
      {"divide", "a / b"},
      // A NaN wins
      {"maximum", "a > b || a != a ? a : b"},
      {"minimum", "a < b || a != a ? a : b"},
      {"less", "a < b ? 1.0f : 0.0f"},
      {"less_equal", "a <= b ? 1.0f : 0.0f"},
      {"greater", "a > b ? 1.0f : 0.0f"},
      {"greater_equal", "a >= b ? 1.0f : 0.0f"},
      {"equal", "a == b ? 1.0f : 0.0f"},
      {"not_equal", "a != b ? 1.0f : 0.0f"}};
  return kExpressions;
}

std::string_view typeName(DType dtype) {
  switch (dtype) {
    case DType::F32: return "F32";
    case DType::BF16: return "Bf16";
    case DType::F16: return "F16";
    default: require(false, "programs of cards read f32, bf16 and f16"); return {};
  }
}

/// Writes a float so that it has the same bits in the kernel.
std::string constant(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "__uint_as_float(0x%08xu /* %.9g */)",
                std::bit_cast<uint32_t>(static_cast<float>(value)), value);
  return text.data();
}

std::string numbered(const char* letter, size_t number) { return letter + std::to_string(number); }

/// Returns the type of indices for `count` elements. Divisions of 32 bits take much less time.
const char* indexType(int64_t count) { return count <= INT32_MAX ? "unsigned" : "long long"; }

/// An operand of the node and where element i of the result finds its element.
struct Input {
  std::string_view type;
  Spread spread = Spread::Same;
  std::string place;
  // Whether four neighbours of the result read four neighbours, or one element
  bool isVector = true;
};

std::string stridedPlace(const Shape& own, const Shape& out) {
  const auto strides = reference::broadcastStrides(own, out);
  std::string place;
  int64_t inner = 1;
  for (int axis = out.rank() - 1; axis >= 0; inner *= out[axis], --axis) {
    const int64_t stride = strides[static_cast<size_t>(axis)];
    if (stride == 0 || out[axis] == 1) continue;
    place += (place.empty() ? "" : " + ") + std::string("i / ") + std::to_string(inner) + " % " +
             std::to_string(out[axis]) + " * " + std::to_string(stride);
  }
  return place.empty() ? "0" : place;
}

Input inputOf(const TensorType& own, const Shape& out) {
  Input input;
  input.type = typeName(own.dtype);
  input.spread = spreadOf(own.shape, out);
  const int64_t elements = std::max<int64_t>(1, own.shape.numElements());
  switch (input.spread) {
    case Spread::Same: input.place = "i"; break;
    case Spread::Single: input.place = "0"; break;
    case Spread::Repeated:
      input.place = "i % " + std::to_string(elements);
      input.isVector = elements % kPerThread == 0;
      break;
    case Spread::Stretched: {
      const int64_t times = out.numElements() / elements;
      input.place = "i / " + std::to_string(std::max<int64_t>(1, times));
      input.isVector = times % kPerThread == 0;
      break;
    }
    case Spread::Other:
      input.place = stridedPlace(own.shape, out);
      input.isVector = false;
      break;
  }
  return input;
}

class Writer {
 public:
  Writer(std::string_view program, const std::vector<TensorType>& inputs, const TensorType& output)
      : m_steps(parsePointwise(program, static_cast<int>(inputs.size()))),
        m_type(typeName(output.dtype)),
        m_count(output.shape.numElements()) {
    for (const TensorType& input : inputs)
      m_inputs.push_back(inputOf(input, output.shape));
    m_isVector = m_count % kPerThread == 0 &&
                 std::ranges::all_of(m_inputs, [](const Input& input) { return input.isVector; });
  }

  GeneratedKernel run() {
    const std::string body = bodyText(), formulas = formulaText();
    GeneratedKernel result;
    result.isVector = m_isVector;
    result.name = "fused_" + hashText(formulas + body);
    result.text =
        kGeneratedPrelude + formulas + "extern \"C\" __global__ void " + result.name + "(";
    for (int i = 0; i < kMaxPointwiseInputs; ++i)
      result.text += "const void* x" + std::to_string(i) + ", ";
    result.text += "void* y, long long count) {\n" + body + "}\n";
    return result;
  }

 private:
  std::string bodyText() const {
    std::string text = "  typedef " + std::string(indexType(m_count)) + " Index;\n";
    const std::string four = "[" + std::to_string(kPerThread) + "]";
    for (size_t n = 0; n < m_inputs.size(); ++n)
      text += "  float " + numbered("v", n) + four + ";\n";
    text += "  float result" + four + ";\n";
    if (m_isVector)
      text += "  const Index i = ((Index)blockIdx.x * blockDim.x + threadIdx.x) * " +
              std::to_string(kPerThread) + ";\n  if (i >= (Index)count) return;\n";
    else
      text += "  const Index first = (Index)blockIdx.x * blockDim.x * " +
              std::to_string(kPerThread) + " + threadIdx.x;\n";
    // All loads come first, so that they overlap, and because the result may replace an operand
    text += m_isVector ? vectorLoads() : loads();
    text += loop() + " {\n";
    for (size_t s = 0; s < m_steps.size(); ++s)
      text += "    const float " + numbered("t", s) + " = " + expression(m_steps[s]) + ";\n";
    text += "    result[e] = " + numbered("t", m_steps.size() - 1) + ";\n  }\n";
    if (m_isVector)
      return text + "  " + std::string(m_type) + "::store4(y, i / " + std::to_string(kPerThread) +
             ", result);\n";
    return text + loop() + " {\n" + place() + "    if (i < (Index)count) " + std::string(m_type) +
           "::store(y, i, result[e]);\n  }\n";
  }

  static std::string loop() {
    return "#pragma unroll\n  for (int e = 0; e < " + std::to_string(kPerThread) + "; ++e)";
  }
  static std::string place() { return "    const Index i = first + e * blockDim.x;\n"; }

  std::string loads() const {
    std::string text = loop() + " {\n" + place() + "    const bool isInside = i < (Index)count;\n";
    for (size_t n = 0; n < m_inputs.size(); ++n)
      text += "    " + numbered("v", n) + "[e] = isInside ? " + loadOf(n) + " : 0.0f;\n";
    return text + "  }\n";
  }

  std::string vectorLoads() const {
    std::string text;
    for (size_t n = 0; n < m_inputs.size(); ++n) {
      const Input& input = m_inputs[n];
      const std::string value = numbered("v", n);
      if (input.spread == Spread::Same || input.spread == Spread::Repeated)
        text += "  " + std::string(input.type) + "::load4(" + numbered("x", n) + ", (" +
                input.place + ") / " + std::to_string(kPerThread) + ", " + value + ");\n";
      else
        text += "  " + value + "[0] = " + loadOf(n) + ";\n  for (int e = 1; e < " +
                std::to_string(kPerThread) + "; ++e) " + value + "[e] = " + value + "[0];\n";
    }
    return text;
  }

  std::string loadOf(size_t n) const {
    return std::string(m_inputs[n].type) + "::load(" + numbered("x", n) + ", " + m_inputs[n].place +
           ")";
  }

  std::string operand(int index) const {
    const auto at = static_cast<size_t>(index);
    return at < m_inputs.size() ? numbered("v", at) + "[e]" : numbered("t", at - m_inputs.size());
  }

  std::string expression(const strata::PointwiseStep& step) const {
    const std::string a = operand(step.operands.front()), b = operand(step.operands.back());
    if (step.op == "affine")
      return "__fadd_rn(__fmul_rn(" + a + ", " + constant(step.first) + "), " +
             constant(step.second) + ")";
    if (!step.kind.empty()) {
      const std::string formula = "activations::" + activationName(step.kind) + "::";
      const std::string alpha = ", " + constant(step.first) + ")";
      if (step.op == "activation") return formula + "forward(" + a + alpha;
      return "__fmul_rn(" + a + ", " + formula + "derivative(" + b + alpha + ")";
    }
    return replaced(expressions().at(step.op), a, b);
  }

  /// Puts the operands into an expression of a and b.
  static std::string replaced(std::string_view text, const std::string& a, const std::string& b) {
    const auto isLetter = [&](size_t i) {
      return i < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    };
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
      const bool isWord = !isLetter(i + 1) && (i == 0 || !isLetter(i - 1));
      if (isWord && text[i] == 'a')
        result += a;
      else if (isWord && text[i] == 'b')
        result += b;
      else
        result += text[i];
    }
    return result;
  }

  std::string formulaText() const {
    std::set<std::string> kinds;
    for (const strata::PointwiseStep& step : m_steps)
      if (!step.kind.empty()) kinds.insert(step.kind);
    return kinds.empty() ? std::string() : activationText(kinds);
  }

  const std::vector<strata::PointwiseStep> m_steps;
  const std::string_view m_type;
  const int64_t m_count;
  std::vector<Input> m_inputs;
  bool m_isVector = false;
};

}  // namespace

GeneratedKernel generatePointwise(std::string_view program, const std::vector<TensorType>& inputs,
                                  const TensorType& output) {
  return Writer(program, inputs, output).run();
}

}  // namespace strata::cuda
