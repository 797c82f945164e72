// SPDX-License-Identifier: Apache-2.0
// Source of attributes and their types: NVIDIA cuDNN Backend API reference, 9.
#include "gpu/cuda/plugin/cudnn_graph.h"

#include <string>

#include "gpu/base/round_up.h"
#include "gpu/tensor/dtype.h"

namespace strata::plugin {
namespace {

constexpr int64_t kAlignment = STRATA_CALL_ALIGNMENT;
constexpr size_t kScratchAlignment = 256;

Four fourOf(const int64_t (&values)[4]) { return {values[0], values[1], values[2], values[3]}; }

void buildConvolution(GraphBuilder& builder, const StrataConvolution& call) {
  const cudnnDataType_t type = cudnnTypeOf(call.type);
  const Four xDims = fourOf(call.xDims), xStrides = fourOf(call.xStrides),
             wDims = fourOf(call.wDims), wStrides = fourOf(call.wStrides),
             yDims = fourOf(call.yDims), yStrides = fourOf(call.yStrides);
  switch (call.direction) {
    case STRATA_CONVOLUTION_FORWARD: {
      const int64_t x = builder.operand(xDims, xStrides, type),
                    w = builder.operand(wDims, wStrides, type);
      const int64_t y = builder.operand(yDims, yStrides, type);
      const bool hasActivation = call.activation != STRATA_ACTIVATION_NONE;
      const auto next = [&](bool isLast) {
        return isLast ? y : builder.temporary(yDims, yStrides, CUDNN_DATA_FLOAT);
      };
      int64_t value = next(!call.hasBias && !hasActivation);
      builder.convolution(call, x, w, value);
      if (call.hasBias) {
        const int64_t bias =
            builder.operand({1, yDims[1], 1, 1}, {yDims[1], 1, yDims[1], yDims[1]}, type);
        const int64_t sum = next(!hasActivation);
        builder.pointwise(CUDNN_POINTWISE_ADD, value, bias, sum);
        value = sum;
      }
      if (hasActivation)
        builder.pointwise(call.activation == STRATA_ACTIVATION_RELU
                              ? CUDNN_POINTWISE_RELU_FWD
                              : CUDNN_POINTWISE_GELU_APPROX_TANH_FWD,
                          value, y);
      return;
    }
    case STRATA_CONVOLUTION_BACKWARD_DATA: {
      const int64_t dy = builder.operand(yDims, yStrides, type),
                    w = builder.operand(wDims, wStrides, type);
      builder.convolution(call, builder.operand(xDims, xStrides, type), w, dy);
      return;
    }
    default: {
      const int64_t x = builder.operand(xDims, xStrides, type),
                    dy = builder.operand(yDims, yStrides, type);
      builder.convolution(
          call, x, builder.operand(wDims, wStrides, cudnnTypeOf(call.weightGradientType)), dy);
    }
  }
}

}  // namespace

cudnnDataType_t cudnnTypeOf(StrataType type) {
  switch (static_cast<DType>(type)) {
    case DType::F32: return CUDNN_DATA_FLOAT;
    case DType::BF16: return CUDNN_DATA_BFLOAT16;
    case DType::F16: return CUDNN_DATA_HALF;
    default: throw CudnnFailure("cuDNN: the type of an operand is not supported");
  }
}

int64_t GraphBuilder::tensor(const Four& dims, const Four& strides, cudnnDataType_t type,
                             bool isVirtual, bool isByValue) {
  const auto uid = static_cast<int64_t>(m_tensors.size()) + 1;
  Descriptor result(m_api, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  result.setDataType(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
  result.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims.data());
  result.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides.data());
  result.setInteger(CUDNN_ATTR_TENSOR_UNIQUE_ID, uid);
  result.setInteger(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment);
  if (isVirtual) result.setFlag(CUDNN_ATTR_TENSOR_IS_VIRTUAL, true);
  if (isByValue) result.setFlag(CUDNN_ATTR_TENSOR_IS_BY_VALUE, true);
  result.finalize("a tensor of cuDNN");
  m_tensors.push_back(keep(std::move(result)));
  return uid;
}

int64_t GraphBuilder::operand(const Four& dims, const Four& strides, cudnnDataType_t type) {
  const int64_t uid = tensor(dims, strides, type, false, false);
  m_result.operands.push_back(uid);
  return uid;
}

int64_t GraphBuilder::temporary(const Four& dims, const Four& strides, cudnnDataType_t type) {
  return tensor(dims, strides, type, true, false);
}

int64_t GraphBuilder::scratch(const Four& dims, const Four& strides, cudnnDataType_t type) {
  const int64_t uid = tensor(dims, strides, type, false, false);
  const size_t bytes = static_cast<size_t>(dims[0] * dims[1] * dims[2] * dims[3]) * 4;
  m_result.scratch.push_back({uid, m_result.scratchBytes, 0, 0});
  m_result.scratchBytes += roundUp(bytes, kScratchAlignment);
  return uid;
}

int64_t GraphBuilder::lengths(int64_t count, int64_t value) {
  const int64_t uid = scratch({count, 1, 1, 1}, {1, 1, 1, 1}, CUDNN_DATA_INT32);
  m_result.scratch.back().count = static_cast<size_t>(count);
  m_result.scratch.back().value = static_cast<int32_t>(value);
  return uid;
}

int64_t GraphBuilder::scalar(float value) {
  const int64_t uid = tensor({1, 1, 1, 1}, {1, 1, 1, 1}, CUDNN_DATA_FLOAT, false, true);
  m_result.scalars.push_back({uid, value});
  return uid;
}

cudnnBackendDescriptor_t GraphBuilder::at(int64_t uid) const {
  return m_tensors[static_cast<size_t>(uid - 1)];
}

cudnnBackendDescriptor_t GraphBuilder::keep(Descriptor descriptor) {
  m_result.parts.push_back(std::move(descriptor));
  return m_result.parts.back().get();
}

void GraphBuilder::addOperation(Descriptor operation, const char* what) {
  operation.finalize(what);
  m_operations.push_back(keep(std::move(operation)));
}

void GraphBuilder::convolution(const StrataConvolution& call, int64_t x, int64_t w, int64_t y) {
  Descriptor shape(m_api, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  shape.setInteger(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, 2);
  shape.setDataType(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  shape.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, &mode);
  shape.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, call.paddingBefore);
  shape.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, call.paddingAfter);
  shape.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, call.stride);
  shape.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, call.dilation);
  shape.finalize("a convolution of cuDNN");
  const cudnnBackendDescriptor_t kept = keep(std::move(shape));

  struct Names {
    cudnnBackendDescriptorType_t operation;
    cudnnBackendAttributeName_t shape, x, w, y, alpha, beta;
  };
  static constexpr Names kNames[] = {
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA},
  };
  const Names& names = kNames[call.direction];
  const float one = 1, zero = 0;
  Descriptor operation(m_api, names.operation);
  operation.setDescriptor(names.shape, kept);
  operation.setDescriptor(names.x, at(x));
  operation.setDescriptor(names.w, at(w));
  operation.setDescriptor(names.y, at(y));
  operation.set(names.alpha, CUDNN_TYPE_FLOAT, 1, &one);
  operation.set(names.beta, CUDNN_TYPE_FLOAT, 1, &zero);
  addOperation(std::move(operation), "a convolution operation of cuDNN");
}

cudnnBackendDescriptor_t GraphBuilder::pointwiseMode(cudnnPointwiseMode_t mode,
                                                     cudnnDataType_t compute, int64_t axis) {
  Descriptor result(m_api, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  result.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
  result.setDataType(CUDNN_ATTR_POINTWISE_MATH_PREC, compute);
  if (axis >= 0) result.setInteger(CUDNN_ATTR_POINTWISE_AXIS, axis);
  result.finalize("a pointwise function of cuDNN");
  return keep(std::move(result));
}

void GraphBuilder::unary(cudnnPointwiseMode_t mode, int64_t x, int64_t y, int64_t axis) {
  Descriptor operation(m_api, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.setDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
                          pointwiseMode(mode, CUDNN_DATA_FLOAT, axis));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, at(x));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, at(y));
  addOperation(std::move(operation), "a pointwise operation of cuDNN");
}

void GraphBuilder::pointwise(cudnnPointwiseMode_t mode, int64_t x, int64_t b, int64_t y,
                             cudnnDataType_t compute) {
  Descriptor operation(m_api, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.setDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
                          pointwiseMode(mode, compute, -1));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, at(x));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, at(b));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, at(y));
  addOperation(std::move(operation), "a pointwise operation of cuDNN");
}

void GraphBuilder::select(int64_t mask, int64_t x, int64_t b, int64_t y) {
  Descriptor operation(m_api, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  operation.setDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
                          pointwiseMode(CUDNN_POINTWISE_BINARY_SELECT, CUDNN_DATA_FLOAT, -1));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, at(x));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, at(b));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, at(mask));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, at(y));
  addOperation(std::move(operation), "a selection of cuDNN");
}

void GraphBuilder::reduction(cudnnReduceTensorOp_t mode, int64_t x, int64_t y) {
  Descriptor shape(m_api, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  shape.setDataType(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  shape.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 1, &mode);
  shape.finalize("a reduction of cuDNN");
  Descriptor operation(m_api, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  operation.setDescriptor(CUDNN_ATTR_OPERATION_REDUCTION_DESC, keep(std::move(shape)));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, at(x));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, at(y));
  addOperation(std::move(operation), "a reduction operation of cuDNN");
}

void GraphBuilder::matmul(int64_t a, int64_t b, int64_t c, const Lengths& lengths) {
  Descriptor shape(m_api, CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  shape.setDataType(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
  shape.finalize("a matrix product of cuDNN");
  Descriptor operation(m_api, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  operation.setDescriptor(CUDNN_ATTR_OPERATION_MATMUL_DESC, keep(std::move(shape)));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_MATMUL_ADESC, at(a));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_MATMUL_BDESC, at(b));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_MATMUL_CDESC, at(c));
  for (const auto& [name, uid] :
       {std::pair(CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC, lengths.m),
        {CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC, lengths.n},
        {CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC, lengths.k}})
    if (uid != 0) operation.setDescriptor(name, at(uid));
  addOperation(std::move(operation), "a matrix product operation of cuDNN");
}

void GraphBuilder::reshape(int64_t x, int64_t y) {
  Descriptor operation(m_api, CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  operation.setDescriptor(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, at(x));
  operation.setDescriptor(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, at(y));
  addOperation(std::move(operation), "a reshape operation of cuDNN");
}

CudnnGraph GraphBuilder::finish() {
  m_result.graph = Descriptor(m_api, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  m_result.graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                     static_cast<int64_t>(m_operations.size()), m_operations.data());
  if (m_handle)
    m_result.graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &m_handle);
  m_result.graph.finalize("an operation graph of cuDNN");
  return std::move(m_result);
}

CudnnGraph makeCudnnGraph(const CudnnApi& api, cudnnHandle_t handle,
                          const StrataLibraryCall& call) {
  GraphBuilder builder(api, handle);
  if (call.kind == STRATA_CALL_CONVOLUTION)
    buildConvolution(builder, call.of.convolution);
  else if (call.kind == STRATA_CALL_ATTENTION)
    buildAttention(builder, call.of.attention,
                   call.of.attention.cudnnVersion != 0 ? call.of.attention.cudnnVersion
                                                       : static_cast<int64_t>(api.getVersion()));
  else
    throw CudnnFailure("cuDNN: the call is of an unknown kind");
  return builder.finish();
}

}  // namespace strata::plugin
