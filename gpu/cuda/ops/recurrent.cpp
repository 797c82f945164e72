// SPDX-License-Identifier: Apache-2.0
// Recurrent cells: for each step one product of all samples (product.h), and a kernel for the rest.
// The cell gru_reset_before has two of both.
#include "gpu/ops/recurrent.h"
#include "gpu/base/round_up.h"

#include <algorithm>
#include <optional>

#include "gpu/cuda/kernels/recurrent.h"
#include "gpu/cuda/ops/makers.h"
#include "gpu/cuda/ops/product.h"
#include "gpu/ops/activation_kinds.h"

namespace strata::cuda {
namespace {

/// Parts of a workspace. Each is aligned as the libraries need it.
class Parts {
 public:
  size_t add(int64_t elements, size_t elementBytes) {
    const size_t offset = m_bytes;
    m_bytes += roundUp(static_cast<size_t>(elements) * elementBytes, kAlign);
    return offset;
  }
  size_t bytes() const { return m_bytes; }

 private:
  static constexpr size_t kAlign = 256;
  size_t m_bytes = 0;
};

/// What both directions have in common.
struct Recurrence {
  RecurrentForm form;
  RecurrentStep all;
  DType dtype;
  size_t elementBytes;

  Recurrence(const CudaSetup& setup, const RecurrentForm& form_)
      : form(form_), dtype(setup.inputType()), elementBytes(dtypeBytes(dtype)) {
    all.samples = setup.inputShape()[0];
    all.steps = setup.inputShape()[1];
    all.units = setup.inputShape(1)[0];
    all.width = form.gates * all.units;
    all.cell = static_cast<int32_t>(form.cell);
    const auto named = [&](const char* kind, const char* alpha) {
      return CellFunction{activationNumber(setup, setup.text(kind)),
                          activationSaves(setup.text(kind)) == Saved::Output ? 1 : 0,
                          static_cast<float>(setup.real(alpha))};
    };
    all.act = named("activation", "alpha");
    all.gate = named("recurrent_activation", "recurrent_alpha");
  }
  /// Returns step number `s` in the order of the forward pass.
  RecurrentStep step(int64_t s) const {
    const auto place = [&](int64_t i) {
      return form.isBackwards ? all.steps - 1 - i : i;
    };
    RecurrentStep step = all;
    step.step = place(s);
    step.earlier = s > 0 ? place(s - 1) : -1;
    step.isLast = s == all.steps - 1 ? 1 : 0;
    return step;
  }
  bool isResetBefore() const { return form.cell == RecurrentCell::GruResetBefore; }
  int64_t count() const { return all.samples * all.units; }
  /// The columns of the kernel that the first product reads.
  int64_t firstColumns() const { return isResetBefore() ? 2 * all.units : all.width; }
};

DeviceAddress optionalInput(const Operands& operands, int place) {
  return place < 0 ? DeviceAddress() : operands.inputs[static_cast<size_t>(place)];
}
DeviceAddress optionalOutput(const Operands& operands, int place) {
  return place < 0 ? DeviceAddress() : operands.outputs[static_cast<size_t>(place)];
}

/// Plans y[rows, columns] = a[rows, depth] op(b) with y in f32. A row of b has `pitch` elements in
/// memory.
Product planProduct(const CudaSetup& setup, int64_t rows, int64_t columns, int64_t depth,
                    bool transposesB, int64_t pitch) {
  // Column-major: y^T = op(b)^T a^T
  StrataMatmul matmul{};
  matmul.m = columns;
  matmul.n = rows;
  matmul.k = depth;
  matmul.batches = 1;
  matmul.transposeA = transposesB ? 1 : 0;
  matmul.lda = pitch;
  matmul.ldb = depth;
  matmul.ldd = columns;
  matmul.operandType = static_cast<StrataType>(setup.inputType());
  matmul.resultType = static_cast<StrataType>(DType::F32);
  matmul.alpha = 1;
  return Product::plan(setup, matmul);
}

std::unique_ptr<CudaKernel> makeEmpty() {
  return makeKernel("empty", [](Encoder&, const Operands&) {});
}

}  // namespace

std::unique_ptr<CudaKernel> makeRecurrent(const CudaSetup& setup) {
  const Recurrence r(setup, recurrentForm(setup.attributes));
  const Function& begin = setup.typed("recurrent_begin", r.dtype);
  const Function& step = setup.typed("recurrent_step", r.dtype);
  const Function& reset = setup.typed("recurrent_reset", r.dtype);
  const Function& copy = setup.typed("copy_columns", r.dtype);
  if (r.count() == 0) return makeEmpty();
  const int64_t samples = r.all.samples, units = r.all.units, width = r.all.width,
                count = r.count();
  const Product product = planProduct(setup, samples, r.firstColumns(), units, false, width);
  std::optional<Product> second;
  if (r.isResetBefore()) second = planProduct(setup, samples, units, units, false, units);
  Parts parts;
  const size_t h = parts.add(count, sizeof(float)), c = parts.add(count, sizeof(float)),
               previous = parts.add(count, r.elementBytes),
               sums = parts.add(samples * r.firstColumns(), sizeof(float));
  const int64_t secondCount = second ? count : 0;
  const size_t resets = parts.add(secondCount, r.elementBytes),
               products = parts.add(secondCount, sizeof(float)),
               columns = parts.add(second ? units * units : 0, r.elementBytes);
  const size_t own = parts.bytes(),
               library = std::max(product.workspaceBytes(), second ? second->workspaceBytes() : 0);
  return makeKernel(
      "recurrent",
      [=, &begin, &step, &reset, &copy](Encoder& encoder, const Operands& operands) {
        const DeviceAddress base = operands.workspace;
        const DeviceAddress factors = optionalInput(operands, r.form.factors),
                            gates = optionalOutput(operands, r.form.gatesOut),
                            inner = optionalOutput(operands, r.form.innerOut);
        encoder.launchElements(begin, count, optionalInput(operands, r.form.state),
                               optionalInput(operands, r.form.cellState), factors, base + h,
                               base + c, base + previous, count);
        if (second)
          encoder.launchElements(copy, units * units, operands.inputs[1], base + columns, units,
                                 width, 2 * units, units);
        for (int64_t s = 0; s < r.all.steps; ++s) {
          const RecurrentStep at = r.step(s);
          product.encode(encoder, {operands.inputs[1], base + previous, base + sums, {}, {}, {}},
                         base + own);
          if (second) {
            encoder.launchElements(reset, count, operands.inputs[0], factors, base + sums, base + h,
                                   gates, inner, base + resets, at);
            second->encode(encoder, {base + columns, base + resets, base + products, {}, {}, {}},
                           base + own);
          }
          encoder.launchElements(
              step, count, operands.inputs[0], optionalInput(operands, r.form.bias), factors,
              optionalInput(operands, r.form.mask), base + sums, base + products, base + h,
              base + c, base + previous, gates, inner, operands.outputs[0], operands.outputs[1],
              optionalOutput(operands, r.form.lastCell), at);
        }
      },
      own + library);
}

std::unique_ptr<CudaKernel> makeRecurrentBackward(const CudaSetup& setup) {
  const Recurrence r(setup, recurrentBackwardForm(setup.attributes));
  const Function& begin = setup.typed("recurrent_backward_begin", r.dtype);
  const Function& change = setup.typed("recurrent_change", r.dtype);
  const Function& resetChange = setup.typed("recurrent_reset_change", r.dtype);
  const Function& end = setup.typed("recurrent_backward_end", r.dtype);
  const Function& copy = setup.typed("copy_columns", r.dtype);
  if (r.count() == 0) return makeEmpty();
  const int64_t samples = r.all.samples, units = r.all.units, width = r.all.width,
                count = r.count();
  const Product product = planProduct(setup, samples, units, r.firstColumns(), true, width);
  std::optional<Product> second;
  if (r.isResetBefore()) second = planProduct(setup, samples, units, units, true, units);
  Parts parts;
  const size_t dh = parts.add(count, sizeof(float)), dc = parts.add(count, sizeof(float)),
               back = parts.add(count, sizeof(float)),
               changes = parts.add(samples * r.firstColumns(), r.elementBytes);
  const int64_t secondCount = second ? count : 0;
  const size_t candidates = parts.add(secondCount, r.elementBytes),
               products = parts.add(secondCount, sizeof(float)),
               columns = parts.add(second ? units * units : 0, r.elementBytes);
  const size_t own = parts.bytes(),
               library = std::max(product.workspaceBytes(), second ? second->workspaceBytes() : 0);
  return makeKernel(
      "recurrent_backward",
      [=, &begin, &change, &resetChange, &end, &copy](Encoder& encoder, const Operands& operands) {
        const DeviceAddress base = operands.workspace, gates = operands.inputs[0],
                            sequence = operands.inputs[2];
        const DeviceAddress inner = optionalInput(operands, r.form.inner),
                            state = optionalInput(operands, r.form.state),
                            cellState = optionalInput(operands, r.form.cellState),
                            factors = optionalInput(operands, r.form.factors),
                            mask = optionalInput(operands, r.form.mask),
                            dsequence = optionalInput(operands, r.form.sequenceGradient);
        encoder.launchElements(begin, count, optionalInput(operands, r.form.lastGradient),
                               optionalInput(operands, r.form.lastCellGradient), base + dh,
                               base + dc, count);
        if (second)
          encoder.launchElements(copy, units * units, operands.inputs[1], base + columns, units,
                                 width, 2 * units, units);
        for (int64_t s = r.all.steps - 1; s >= 0; --s) {
          const RecurrentStep at = r.step(s);
          encoder.launchElements(change, count, gates, sequence, inner, state, cellState, factors,
                                 mask, dsequence, at.isLast ? DeviceAddress() : base + back,
                                 base + dh, base + dc, operands.outputs[0], operands.outputs[1],
                                 optionalOutput(operands, r.form.recurrentGradient), base + changes,
                                 base + candidates, at);
          if (second) {
            second->encode(encoder,
                           {base + columns, base + candidates, base + products, {}, {}, {}},
                           base + own);
            encoder.launchElements(resetChange, count, gates, sequence, state, factors, mask,
                                   base + products, base + dh, operands.outputs[0], base + changes,
                                   at);
          }
          product.encode(encoder, {operands.inputs[1], base + changes, base + back, {}, {}, {}},
                         base + own);
        }
        if (r.form.stateGradient >= 0)
          encoder.launchElements(end, count, base + dh, base + dc, base + back, factors,
                                 optionalOutput(operands, r.form.stateGradient),
                                 optionalOutput(operands, r.form.cellStateGradient), count);
      },
      own + library);
}

}  // namespace strata::cuda
