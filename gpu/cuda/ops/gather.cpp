// SPDX-License-Identifier: Apache-2.0
// Lookups of rows in a table, and their gradient.
#include "gpu/cuda/kernels/gather.h"
#include "gpu/base/round_up.h"

#include "gpu/base/error.h"
#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {
namespace {

// The parts of a workspace begin at multiples of this
constexpr size_t kPartAlignment = 256;

}  // namespace

std::unique_ptr<CudaKernel> makeGather(const CudaSetup& setup) {
  const Function& function = setup.outputType() == setup.inputType()
                                 ? setup.typed("gather", setup.inputType())
                                 : setup.typed("gather_rounded", setup.outputType());
  const int64_t rows = setup.inputShape()[0], columns = setup.inputShape()[1],
                count = setup.outputShape().numElements();
  const auto indexBytes = static_cast<int32_t>(dtypeBytes(setup.inputType(1)));
  return makeKernel("gather", [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.inputs[1],
                           operands.outputs[0], count, columns, rows, indexBytes);
  });
}

std::unique_ptr<CudaKernel> makeGatherBackward(const CudaSetup& setup) {
  const int64_t rows = setup.outputShape()[0], columns = setup.outputShape()[1],
                count = setup.inputShape(1).numElements();
  if (rows >= INT32_MAX || count >= INT32_MAX)
    throw Error(ErrorCode::UnsupportedOp, setup.layer.empty() ? setup.op : setup.layer,
                "tables and batches with more than 2^31 rows have no kernel on " +
                    setup.card->name() + ". Use a smaller batch or --device cpu.");
  const Function& keys = setup.function("gather_keys");
  const Function& countDigits = setup.function("gather_count");
  const Function& scan = setup.function("gather_scan");
  const Function& move = setup.function("gather_move");
  const Function& join = setup.function("gather_join_tiles");
  const Function& sum = setup.typed("gather_sum_tiles", setup.inputType());
  const auto indexBytes = static_cast<int32_t>(dtypeBytes(setup.inputType(1))),
             isOfSquares = static_cast<int32_t>(setup.flag("squares"));
  // The largest key is `rows`
  int32_t passes = 1;
  while (passes * kDigitBits < 31 && rows >> (passes * kDigitBits) > 0)
    ++passes;
  const int64_t chunks = Encoder::blocksFor(count, kKeysPerChunk),
                tiles = Encoder::blocksFor(count, kLookupsPerTile);
  const size_t listBytes = roundUp(static_cast<size_t>(count) * sizeof(int32_t), kPartAlignment),
               countBytes =
                   roundUp(static_cast<size_t>(chunks * kDigits) * sizeof(int32_t), kPartAlignment),
               totalBytes = roundUp(kDigits * sizeof(int32_t), kPartAlignment),
               sumBytes =
                   roundUp(static_cast<size_t>(tiles * columns) * sizeof(float), kPartAlignment);
  return makeKernel(
      "gather_backward sorted",
      [=, &keys, &countDigits, &scan, &move, &join, &sum, bytes = setup.outputs[0].bytes()](
          Encoder& encoder, const Operands& operands) {
        const DeviceAddress table = operands.outputs[0];
        encoder.clear(table, bytes);
        if (count == 0 || columns == 0) return;
        DeviceAddress at = operands.workspace;
        const auto take = [&](size_t size) {
          const DeviceAddress result = at;
          at = at + size;
          return result;
        };
        DeviceAddress list = take(listBytes), lookups = take(listBytes),
                      otherList = take(listBytes), otherLookups = take(listBytes);
        const DeviceAddress counts = take(countBytes), totals = take(totalBytes),
                            firsts = take(sumBytes), lasts = take(sumBytes);
        encoder.launchElements(keys, count, operands.inputs[1], list, lookups, count, rows,
                               indexBytes);
        for (int32_t pass = 0; pass < passes; ++pass) {
          const int32_t shift = pass * kDigitBits;
          encoder.launchElements(countDigits, chunks, list, counts, count, shift, chunks);
          encoder.launchElements(scan, kDigits * kWarpThreads, counts, totals, int64_t{kDigits},
                                 chunks);
          encoder.launchElements(scan, kWarpThreads, totals, DeviceAddress(), int64_t{1},
                                 int64_t{kDigits});
          encoder.launchElements(move, chunks, list, lookups, otherList, otherLookups, counts,
                                 totals, count, shift, chunks);
          std::swap(list, otherList);
          std::swap(lookups, otherLookups);
        }
        const int threads = static_cast<int>(
            std::min<int64_t>(kBlock, Encoder::blocksFor(columns, kWarpThreads) * kWarpThreads));
        const Grid grid{Encoder::blocksFor(columns, threads) * tiles};
        encoder.launch(sum, grid, threads, operands.inputs[0], list, lookups, table, firsts, lasts,
                       count, columns, rows, isOfSquares);
        encoder.launch(join, grid, threads, list, firsts, lasts, table, count, columns, rows);
      },
      4 * listBytes + countBytes + totalBytes + 2 * sumBytes);
}

}  // namespace strata::cuda
