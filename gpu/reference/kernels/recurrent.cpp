// SPDX-License-Identifier: Apache-2.0
// Recurrent cells and their gradients, one sample at a time, with sums in double. The formulas are
// in gpu/ops/recurrent.cpp. Each worker handles its samples through all steps.
#include "gpu/ops/recurrent.h"
#include "gpu/ops/activation_kinds.h"
#include "gpu/reference/kernels/activation.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

/// One of the two activations of a cell.
struct CellActivation {
  ActivationFormula formula;
  double alpha = 0;
  bool savesOutput = true;
  double value(double x) const { return formula.value(x, alpha); }
  double saved(double x, double y) const { return savesOutput ? y : x; }
  double valueOf(double saved) const { return savesOutput ? saved : value(saved); }
  double slopeOf(double saved) const { return formula.slope(saved, alpha); }
};

struct Recurrence {
  RecurrentForm form;
  int64_t samples, steps, units;
  CellActivation act, gate;

  Recurrence(const KernelSetup& setup, const RecurrentForm& form_)
      : form(form_),
        samples(setup.inputShape()[0]),
        steps(setup.inputShape()[1]),
        units(setup.inputShape(1)[0]) {
    const auto named = [&](const char* kind, const char* alpha) {
      return CellActivation{activationFormula(setup, setup.text(kind)), setup.real(alpha),
                            activationSaves(setup.text(kind)) == Saved::Output};
    };
    act = named("activation", "alpha");
    gate = named("recurrent_activation", "recurrent_alpha");
  }
  int64_t width() const { return form.gates * units; }
  int64_t step(int64_t s) const { return form.isBackwards ? steps - 1 - s : s; }
};

template <class T>
double at(const T* values, int64_t i) {
  return static_cast<double>(values[i]);
}
template <class T>
const T* optionalInput(const KernelArguments& arguments, int place) {
  return place < 0 ? nullptr : inputOf<T>(arguments, static_cast<size_t>(place));
}

/// Computes sums[columns] = left[units] * kernel, for the columns of the kernel from `first` on.
template <class T>
void multiplyInto(const double* left, const T* kernel, int64_t units, int64_t width, int64_t first,
                  int64_t columns, double* sums) {
  std::fill(sums, sums + columns, 0.0);
  for (int64_t k = 0; k < units; ++k)
    for (int64_t j = 0; j < columns; ++j)
      sums[j] += left[k] * at(kernel, k * width + first + j);
}
/// Computes to[units] += kernel * change[columns], for the columns of the kernel from `first` on.
template <class T>
void multiplyBack(const double* change, const T* kernel, int64_t units, int64_t width,
                  int64_t first, int64_t columns, double* to) {
  for (int64_t k = 0; k < units; ++k)
    for (int64_t j = 0; j < columns; ++j)
      to[k] += change[j] * at(kernel, k * width + first + j);
}

}  // namespace

std::unique_ptr<HostKernel> makeRecurrent(const KernelSetup& setup) {
  const Recurrence r(setup, recurrentForm(setup.attributes));
  const int64_t scratch = 3 * r.units + r.width() + r.units;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const int64_t units = r.units, width = r.width();
          const T *projection = inputOf<T>(arguments, 0), *kernel = inputOf<T>(arguments, 1);
          const T *bias = optionalInput<T>(arguments, r.form.bias),
                  *state = optionalInput<T>(arguments, r.form.state),
                  *cellState = optionalInput<T>(arguments, r.form.cellState),
                  *factors = optionalInput<T>(arguments, r.form.factors),
                  *mask = optionalInput<T>(arguments, r.form.mask);
          T *sequence = outputOf<T>(arguments), *last = outputOf<T>(arguments, 1),
            *gates = outputOf<T>(arguments, static_cast<size_t>(r.form.gatesOut));
          T* const inner = r.form.innerOut < 0
                               ? nullptr
                               : outputOf<T>(arguments, static_cast<size_t>(r.form.innerOut));
          double* const h = reinterpret_cast<double*>(arguments.workspace) + worker * scratch;
          double *const c = h + units, *const previous = c + units, *const sums = previous + units,
                        *const resets = sums + width;
          const WorkRange range = shareOf(r.samples, worker, workers);
          for (int64_t n = range.begin; n < range.end; ++n) {
            for (int64_t u = 0; u < units; ++u) {
              h[u] = state ? at(state, n * units + u) : 0;
              c[u] = cellState ? at(cellState, n * units + u) : 0;
            }
            for (int64_t s = 0; s < r.steps; ++s) {
              const int64_t cell = n * r.steps + r.step(s);
              const T* const p = projection + cell * width;
              T* const saved = gates + cell * width;
              for (int64_t u = 0; u < units; ++u)
                previous[u] = factors ? h[u] * at(factors, n * units + u) : h[u];
              const bool isResetBefore = r.form.cell == RecurrentCell::GruResetBefore,
                         isKept = mask && at(mask, cell) == 0;
              multiplyInto(previous, kernel, units, width, 0, isResetBefore ? 2 * units : width,
                           sums);
              if (bias)
                for (int64_t j = 0; j < width; ++j)
                  sums[j] += at(bias, j);
              const auto apply = [&](const CellActivation& f, int64_t j, double x) {
                const double y = f.value(x);
                saved[j] = static_cast<T>(f.saved(x, y));
                return y;
              };
              const auto keep = [&](int64_t u, double next) {
                if (!isKept) h[u] = next;
                sequence[cell * units + u] = static_cast<T>(h[u]);
              };
              // `p` and `saved` may be the same memory, so each element is read before it is
              // written.
              switch (r.form.cell) {
                case RecurrentCell::Simple:
                  for (int64_t u = 0; u < units; ++u)
                    keep(u, apply(r.act, u, at(p, u) + sums[u]));
                  break;
                case RecurrentCell::Lstm:
                  for (int64_t u = 0; u < units; ++u) {
                    const auto x = [&](int64_t g) {
                      return at(p, g * units + u) + sums[g * units + u];
                    };
                    const double i = apply(r.gate, u, x(0)), f = apply(r.gate, units + u, x(1)),
                                 g = apply(r.act, 2 * units + u, x(2)),
                                 o = apply(r.gate, 3 * units + u, x(3));
                    if (!isKept) c[u] = f * c[u] + i * g;
                    inner[cell * units + u] = static_cast<T>(c[u]);
                    keep(u, o * r.act.value(c[u]));
                  }
                  break;
                case RecurrentCell::Gru:
                case RecurrentCell::GruResetBefore:
                  for (int64_t u = 0; u < units; ++u) {
                    const double z = at(p, u) + sums[u],
                                 reset =
                                     apply(r.gate, units + u, at(p, units + u) + sums[units + u]);
                    sums[u] = apply(r.gate, u, z);
                    resets[u] = isResetBefore ? reset * previous[u] : reset;
                    inner[cell * units + u] =
                        static_cast<T>(isResetBefore ? resets[u] : sums[2 * units + u]);
                  }
                  if (isResetBefore)
                    multiplyInto(resets, kernel, units, width, 2 * units, units, sums + 2 * units);
                  for (int64_t u = 0; u < units; ++u) {
                    const double x = sums[2 * units + u];
                    const double next =
                        apply(r.act, 2 * units + u,
                              at(p, 2 * units + u) + (isResetBefore ? x : resets[u] * x));
                    keep(u, sums[u] * h[u] + (1 - sums[u]) * next);
                  }
                  break;
              }
            }
            for (int64_t u = 0; u < units; ++u)
              last[n * units + u] = static_cast<T>(h[u]);
            if (r.form.lastCell >= 0)
              for (int64_t u = 0; u < units; ++u)
                outputOf<T>(arguments, static_cast<size_t>(r.form.lastCell))[n * units + u] =
                    static_cast<T>(c[u]);
          }
        },
        1, static_cast<size_t>(setup.numWorkers * scratch) * sizeof(double));
  });
}

std::unique_ptr<HostKernel> makeRecurrentBackward(const KernelSetup& setup) {
  const Recurrence r(setup, recurrentBackwardForm(setup.attributes));
  const int64_t scratch = 4 * r.units + 2 * r.width();
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const RecurrentForm& form = r.form;
          const int64_t units = r.units, width = r.width();
          const T *gates = inputOf<T>(arguments, 0), *kernel = inputOf<T>(arguments, 1),
                  *sequence = inputOf<T>(arguments, 2);
          const auto optional = [&](int place) {
            return optionalInput<T>(arguments, place);
          };
          const T *inner = optional(form.inner), *state = optional(form.state),
                  *cellState = optional(form.cellState), *factors = optional(form.factors),
                  *mask = optional(form.mask), *dsequence = optional(form.sequenceGradient),
                  *dlast = optional(form.lastGradient),
                  *dlastCell = optional(form.lastCellGradient);
          const auto result = [&](int place) {
            return place < 0 ? nullptr : outputOf<T>(arguments, static_cast<size_t>(place));
          };
          T *const dp = result(0), *const before = result(form.previous),
                   *const drecurrent = result(form.recurrentGradient),
                   *const dstate = result(form.stateGradient),
                   *const dcellState = result(form.cellStateGradient);
          double* const dh = reinterpret_cast<double*>(arguments.workspace) + worker * scratch;
          double *const dc = dh + units, *const back = dc + units, *const held = back + units,
                        *const change = held + units, *const own = change + width;
          const WorkRange range = shareOf(r.samples, worker, workers);
          for (int64_t n = range.begin; n < range.end; ++n) {
            for (int64_t u = 0; u < units; ++u) {
              dh[u] = dlast ? at(dlast, n * units + u) : 0;
              dc[u] = dlastCell ? at(dlastCell, n * units + u) : 0;
            }
            for (int64_t s = r.steps - 1; s >= 0; --s) {
              const int64_t cell = n * r.steps + r.step(s),
                            earlier = n * r.steps + (s > 0 ? r.step(s - 1) : 0);
              const T* const saved = gates + cell * width;
              const auto factor = [&](int64_t u) {
                return factors ? at(factors, n * units + u) : 1.0;
              };
              for (int64_t u = 0; u < units; ++u) {
                if (s > 0)
                  held[u] = at(sequence, earlier * units + u);
                else
                  held[u] = state ? at(state, n * units + u) : 0;
                before[cell * units + u] = static_cast<T>(held[u] * factor(u));
                if (dsequence) dh[u] += at(dsequence, cell * units + u);
                back[u] = 0;
              }
              // The step was masked, so the state did not change
              if (mask && at(mask, cell) == 0) {
                std::fill(dp + cell * width, dp + (cell + 1) * width, T{0});
                if (drecurrent)
                  std::fill(drecurrent + cell * width, drecurrent + (cell + 1) * width, T{0});
                continue;
              }
              const auto value = [&](const CellActivation& f, int64_t j) {
                return f.valueOf(at(saved, j));
              };
              const auto slope = [&](const CellActivation& f, int64_t j) {
                return f.slopeOf(at(saved, j));
              };
              switch (form.cell) {
                case RecurrentCell::Simple:
                  for (int64_t u = 0; u < units; ++u) {
                    change[u] = dh[u] * slope(r.act, u);
                    dh[u] = 0;
                  }
                  break;
                case RecurrentCell::Lstm:
                  for (int64_t u = 0; u < units; ++u) {
                    const double c = at(inner, cell * units + u), wide = r.act.value(c);
                    double earlierCell = 0;
                    if (s > 0)
                      earlierCell = at(inner, earlier * units + u);
                    else if (cellState)
                      earlierCell = at(cellState, n * units + u);
                    const double i = value(r.gate, u), f = value(r.gate, units + u),
                                 g = value(r.act, 2 * units + u), o = value(r.gate, 3 * units + u);
                    const double d = dc[u] + dh[u] * o * r.act.slopeOf(r.act.saved(c, wide));
                    change[u] = d * g * slope(r.gate, u);
                    change[units + u] = d * earlierCell * slope(r.gate, units + u);
                    change[2 * units + u] = d * i * slope(r.act, 2 * units + u);
                    change[3 * units + u] = dh[u] * wide * slope(r.gate, 3 * units + u);
                    dc[u] = d * f;
                    dh[u] = 0;
                  }
                  break;
                case RecurrentCell::Gru:
                case RecurrentCell::GruResetBefore:
                  for (int64_t u = 0; u < units; ++u) {
                    const double z = value(r.gate, u), next = value(r.act, 2 * units + u);
                    change[u] = dh[u] * (held[u] - next) * slope(r.gate, u);
                    change[2 * units + u] = dh[u] * (1 - z) * slope(r.act, 2 * units + u);
                    dh[u] *= z;
                  }
                  if (form.cell == RecurrentCell::Gru) {
                    for (int64_t u = 0; u < units; ++u)
                      change[units + u] = change[2 * units + u] * at(inner, cell * units + u) *
                                          slope(r.gate, units + u);
                    break;
                  }
                  std::fill(own, own + units, 0.0);
                  multiplyBack(change + 2 * units, kernel, units, width, 2 * units, units, own);
                  for (int64_t u = 0; u < units; ++u) {
                    change[units + u] = own[u] * held[u] * factor(u) * slope(r.gate, units + u);
                    back[u] = own[u] * value(r.gate, units + u);
                  }
                  break;
              }
              std::copy(change, change + width, own);
              if (form.cell == RecurrentCell::Gru)
                for (int64_t u = 0; u < units; ++u)
                  own[2 * units + u] *= value(r.gate, units + u);
              multiplyBack(own, kernel, units, width, 0,
                           form.cell == RecurrentCell::GruResetBefore ? 2 * units : width, back);
              for (int64_t j = 0; j < width; ++j) {
                dp[cell * width + j] = static_cast<T>(change[j]);
                if (drecurrent) drecurrent[cell * width + j] = static_cast<T>(own[j]);
              }
              for (int64_t u = 0; u < units; ++u)
                dh[u] += back[u] * factor(u);
            }
            for (int64_t u = 0; u < units; ++u) {
              if (dstate) dstate[n * units + u] = static_cast<T>(dh[u]);
              if (dcellState) dcellState[n * units + u] = static_cast<T>(dc[u]);
            }
          }
        },
        1, static_cast<size_t>(setup.numWorkers * scratch) * sizeof(double));
  });
}

}  // namespace strata::reference
