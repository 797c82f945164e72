// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/plugin/cudnn_api.h"

#include "gpu/cuda/plugin/find_library.h"

namespace strata::plugin {
namespace {

struct Opened {
  CudnnApi api{};
  std::string problem;
};

Opened open() {
  Opened result;
  const FoundLibrary& library = findLibrary(Library::Cudnn);
  result.problem = library.problem;
  if (!library.handle) return result;
  // It ends the program if it needs cuBLASLt and does not find it
  result.problem = findLibrary(Library::CublasLt).problem;
  if (!result.problem.empty()) return result;
#define STRATA_CUDNN_ENTRY(name, symbolName)                                                  \
  result.api.name = reinterpret_cast<decltype(result.api.name)>(library.symbol(#symbolName)); \
  if (!result.api.name) result.problem = library.path + " has no function " #symbolName;
  STRATA_CUDNN_FUNCTIONS(STRATA_CUDNN_ENTRY)
#undef STRATA_CUDNN_ENTRY
  return result;
}

}  // namespace

const CudnnApi* cudnnApi(std::string& problem) {
  static const Opened kOpened = open();
  problem = kOpened.problem;
  return problem.empty() ? &kOpened.api : nullptr;
}

void checkCudnn(const CudnnApi& api, cudnnStatus_t status, const char* what) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  char details[512] = "";
  api.getLastErrorString(details, sizeof details);
  std::string text = std::string(what) + " failed: " + api.getErrorString(status);
  if (details[0] != '\0') text += std::string(" (") + details + ")";
  throw CudnnFailure(text);
}

Descriptor::Descriptor(const CudnnApi& api, cudnnBackendDescriptorType_t type) : m_api(&api) {
  checkCudnn(api, api.createDescriptor(type, &m_handle), "cudnnBackendCreateDescriptor");
}

void Descriptor::reset() {
  if (m_handle) m_api->destroyDescriptor(m_handle);
  m_handle = nullptr;
}

void Descriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                     int64_t count, const void* values) {
  checkCudnn(*m_api, m_api->setAttribute(m_handle, name, type, count, values),
             "cudnnBackendSetAttribute");
}

int64_t Descriptor::integer(cudnnBackendAttributeName_t name) const {
  int64_t value = 0, count = 0;
  checkCudnn(*m_api, m_api->getAttribute(m_handle, name, CUDNN_TYPE_INT64, 1, &count, &value),
             "cudnnBackendGetAttribute");
  return value;
}

std::vector<Descriptor> Descriptor::descriptors(cudnnBackendAttributeName_t name,
                                                cudnnBackendDescriptorType_t type,
                                                int64_t max) const {
  // cuDNN fills descriptors that the caller has created
  std::vector<Descriptor> result;
  std::vector<cudnnBackendDescriptor_t> handles;
  for (int64_t i = 0; i < max; ++i) {
    result.emplace_back(*m_api, type);
    handles.push_back(result.back().get());
  }
  int64_t count = 0;
  checkCudnn(*m_api,
             m_api->getAttribute(m_handle, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, max, &count,
                                 handles.data()),
             "cudnnBackendGetAttribute");
  result.resize(static_cast<size_t>(std::min(count, max)));
  return result;
}

}  // namespace strata::plugin
