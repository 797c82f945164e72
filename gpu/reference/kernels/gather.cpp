// SPDX-License-Identifier: Apache-2.0
// Gathers rows of a table by index. The gradient adds rows to a table by index.
#include <limits>

#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

std::unique_ptr<HostKernel> makeGatherRows(const KernelSetup& setup) {
  const int64_t rows = setup.inputShape()[0], columns = setup.inputShape()[1],
                count = setup.inputShape(1).numElements();
  return forIndex(setup, setup.inputType(1), [&](auto index) {
    return forFloating(setup, setup.inputType(), [&](auto type) {
      using I = decltype(index);
      using T = decltype(type);
      return makeKernel(
          [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
            const T* table = inputOf<T>(arguments, 0);
            const I* indices = inputOf<I>(arguments, 1);
            T* y = outputOf<T>(arguments);
            const WorkRange range = shareOf(count, worker, workers);
            for (int64_t i = range.begin; i < range.end; ++i) {
              const auto row = static_cast<int64_t>(indices[i]);
              if (row >= 0 && row < rows)
                std::copy_n(table + row * columns, columns, y + i * columns);
              else
                std::fill_n(y + i * columns, columns, std::numeric_limits<T>::quiet_NaN());
            }
          });
    });
  });
}

/// Makes the kernel of gather_backward. Each worker handles a range of the table's rows and reads
/// all indices, so that each row sums in the order of the indices.
std::unique_ptr<HostKernel> makeGatherRowsBackward(const KernelSetup& setup) {
  const int64_t rows = setup.outputShape()[0], columns = setup.outputShape()[1],
                count = setup.inputShape(1).numElements();
  return forIndex(setup, setup.inputType(1), [&](auto index) {
    return forFloating(setup, setup.inputType(), [&](auto type) {
      using I = decltype(index);
      using T = decltype(type);
      return makeKernel([=, isOfSquares = setup.flag("squares"), workers = setup.numWorkers](
                            const KernelArguments& arguments, int, int worker) {
        const T* dy = inputOf<T>(arguments, 0);
        const I* indices = inputOf<I>(arguments, 1);
        T* table = outputOf<T>(arguments);
        const WorkRange range = shareOf(rows, worker, workers);
        std::fill(table + range.begin * columns, table + range.end * columns, T{0});
        for (int64_t i = 0; i < count; ++i) {
          const auto row = static_cast<int64_t>(indices[i]);
          if (row < range.begin || row >= range.end) continue;
          T* sum = table + row * columns;
          for (int64_t c = 0; c < columns; ++c) {
            const T value = dy[i * columns + c];
            sum[c] += isOfSquares ? static_cast<T>(value * value) : value;
          }
        }
      });
    });
  });
}

}  // namespace strata::reference
