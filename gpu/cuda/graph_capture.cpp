// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/graph_capture.h"

namespace strata::cuda {

GraphHandle captureGraph(CudaStream& stream, const std::function<void()>& addWork) {
  const Driver& driver = stream.card().driver();
  const CUstream compute = stream.compute();
  CUgraph graph = nullptr;
  driver.streamBeginCapture(compute, STRATA_CUDA_CAPTURE_THREAD_LOCAL);
  stream.setCapturing(true);
  try {
    addWork();
    stream.setCapturing(false);
    driver.streamEndCapture(compute, &graph);
  }
  catch (...) {
    stream.setCapturing(false);
    // The stream must not go on capturing. What a failed call left in `graph` is no graph
    graph = nullptr;
    if (driver.table().streamEndCapture(compute, &graph) == STRATA_CUDA_SUCCESS && graph)
      driver.table().graphDestroy(graph);
    throw;
  }
  CUgraphExec executable = nullptr;
  const int result = driver.table().graphInstantiate(&executable, graph, 0);
  driver.table().graphDestroy(graph);
  driver.check(result, "cuGraphInstantiate");
  return {stream.card(), executable};
}

}  // namespace strata::cuda
