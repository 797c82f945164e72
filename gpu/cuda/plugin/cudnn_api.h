// SPDX-License-Identifier: Apache-2.0
// The functions of cuDNN 9 that Strata calls, and an owner of its descriptors.
// Not here: graphs (cudnn_graph.h), engines and plans (cudnn.h).
// Thread: as cuDNN; a descriptor belongs to one thread at a time.
#pragma once

#include <cudnn_graph.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace strata::plugin {

/// X(name in the table, symbol)
#define STRATA_CUDNN_FUNCTIONS(X)                     \
  X(getVersion, cudnnGetVersion)                      \
  X(getErrorString, cudnnGetErrorString)              \
  X(getLastErrorString, cudnnGetLastErrorString)      \
  X(create, cudnnCreate)                              \
  X(destroy, cudnnDestroy)                            \
  X(setStream, cudnnSetStream)                        \
  X(createDescriptor, cudnnBackendCreateDescriptor)   \
  X(destroyDescriptor, cudnnBackendDestroyDescriptor) \
  X(finalize, cudnnBackendFinalize)                   \
  X(setAttribute, cudnnBackendSetAttribute)           \
  X(getAttribute, cudnnBackendGetAttribute)           \
  X(execute, cudnnBackendExecute)

struct CudnnApi {
#define STRATA_CUDNN_ENTRY(name, symbol) decltype(&::symbol) name;
  STRATA_CUDNN_FUNCTIONS(STRATA_CUDNN_ENTRY)
#undef STRATA_CUDNN_ENTRY
};

/// Opens cuDNN. Returns null and a problem if it cannot be used.
const CudnnApi* cudnnApi(std::string& problem);

/// A call of cuDNN failed.
class CudnnFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Fails: CudnnFailure with `what` and cuDNN's reason.
void checkCudnn(const CudnnApi& api, cudnnStatus_t status, const char* what);

/// An owned descriptor. Functions fail with CudnnFailure.
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const CudnnApi& api, cudnnBackendDescriptorType_t type);
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept
      : m_api(other.m_api), m_handle(std::exchange(other.m_handle, nullptr)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this == &other) return *this;
    reset();
    m_api = other.m_api;
    m_handle = std::exchange(other.m_handle, nullptr);
    return *this;
  }

  cudnnBackendDescriptor_t get() const { return m_handle; }
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
           const void* values);
  void setInteger(cudnnBackendAttributeName_t name, int64_t value) {
    set(name, CUDNN_TYPE_INT64, 1, &value);
  }
  void setFlag(cudnnBackendAttributeName_t name, bool value) {
    set(name, CUDNN_TYPE_BOOLEAN, 1, &value);
  }
  void setDataType(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
    set(name, CUDNN_TYPE_DATA_TYPE, 1, &value);
  }
  void setDescriptor(cudnnBackendAttributeName_t name, cudnnBackendDescriptor_t value) {
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
  }
  /// Returns whether cuDNN accepts the descriptor.
  cudnnStatus_t tryFinalize() { return m_api->finalize(m_handle); }
  void finalize(const char* what) { checkCudnn(*m_api, tryFinalize(), what); }
  int64_t integer(cudnnBackendAttributeName_t name) const;
  /// Returns the values of an attribute that is a list of enums.
  template <class T>
  std::vector<T> list(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                      size_t max) const {
    std::vector<T> result(max);
    int64_t count = 0;
    checkCudnn(
        *m_api,
        m_api->getAttribute(m_handle, name, type, static_cast<int64_t>(max), &count, result.data()),
        "cudnnBackendGetAttribute");
    result.resize(static_cast<size_t>(count));
    return result;
  }
  /// Returns the descriptors in an attribute.
  std::vector<Descriptor> descriptors(cudnnBackendAttributeName_t name,
                                      cudnnBackendDescriptorType_t type, int64_t max) const;

 private:
  void reset();
  const CudnnApi* m_api = nullptr;
  cudnnBackendDescriptor_t m_handle = nullptr;
};

}  // namespace strata::plugin
