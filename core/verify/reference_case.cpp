// SPDX-License-Identifier: Apache-2.0
#include "core/verify/reference_case.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "gpu/base/error.h"

namespace strata {

namespace {

std::string textIn(const Json& item, const char* key) {
  const Json& text = memberOf(item, key);
  return text.is_string() ? text.get<std::string>() : "?";
}

}  // namespace

ReferenceCase::ReferenceCase(const Json& item, const TensorFile& file, Device& device)
    : m_item(item), m_file(file), m_device(device) {
  m_row.id = textIn(item, "id");
  m_row.kind = textIn(item, "kind");
}

const Tensor& ReferenceCase::tensor(const std::string& name) const {
  const Tensor* found = find(m_row.id + "/" + name);
  if (!found)
    throw Error(ErrorCode::InvalidFile, m_row.id,
                "the tensor " + name + " is missing from the file.");
  return *found;
}

const Tensor* ReferenceCase::find(const std::string& name) const {
  const auto found = m_file.tensors.find(name);
  return found == m_file.tensors.end() ? nullptr : &found->second;
}

std::vector<std::string> ReferenceCase::namesUnder(const std::string& prefix) const {
  const std::string start = m_row.id + "/" + prefix;
  std::vector<std::string> names;
  for (auto it = m_file.tensors.lower_bound(start);
       it != m_file.tensors.end() && it->first.starts_with(start); ++it)
    names.push_back(it->first.substr(start.size()));
  return names;
}

int64_t ReferenceCase::countIn(const Json& value, const char* what, int64_t most) const {
  const auto count = value.get<int64_t>();
  if (count < 1 || count > most)
    throw Error(ErrorCode::InvalidFile, m_row.id,
                std::string("the ") + what + " do not fit the tensors (expected 1 to " +
                    std::to_string(most) + ", got " + std::to_string(count) + ").");
  return count;
}

int64_t ReferenceCase::rowCount(const Tensor& tensor) const {
  if (tensor.shape().rank() < 1 || tensor.numElements() < 1)
    throw Error(ErrorCode::InvalidFile, m_row.id, "a tensor has no rows.");
  return tensor.shape()[0];
}

void ReferenceCase::writeWeight(State& state, const std::string& name) const {
  Tensor weight = tensor("weight/" + name).converted(DType::F32);
  if (const TensorType& type = state.type(name);
      type.shape.rank() == 0 && weight.numElements() == 1)
    // Reference files store scalars with shape [1].
    weight = weight.reshaped(type.shape);
  state.write(name, weight);
}

void ReferenceCase::fail(const std::string& message) {
  m_row.state = VerifyRow::State::Failed;
  m_row.largestError = std::numeric_limits<double>::infinity();
  m_row.message = message;
}

void ReferenceCase::skip(const std::string& type) {
  m_row.state = VerifyRow::State::Skipped;
  m_row.message = type;
}

void ReferenceCase::judge(const std::string& name, double error, double tolerance) {
  const bool isTooLarge = !(error <= tolerance);
  const bool isWorst =
      m_row.tolerance == 0 || !(error / tolerance <= m_row.largestError / m_row.tolerance);
  if (isWorst) {
    m_row.largestError = error;
    m_row.tolerance = tolerance;
  }
  if (!isTooLarge) return;
  m_row.state = VerifyRow::State::Failed;
  if (isWorst) m_row.message = name;
}

void ReferenceCase::compare(const std::string& name, const Tensor& got, const Tensor& expected,
                            double tolerance) {
  if (got.numElements() != expected.numElements()) {
    fail(name + " has shape " + got.shape().toString() + " (expected " +
         expected.shape().toString() + ").");
    return;
  }
  const Tensor a = got.converted(DType::F64), b = expected.converted(DType::F64);
  double error = 0, size = 1;
  for (int64_t i = 0; i < a.numElements(); ++i) {
    const double x = a.as<double>()[static_cast<size_t>(i)],
                 y = b.as<double>()[static_cast<size_t>(i)];
    if (x != y)
      error = std::isfinite(x) ? std::max(error, std::abs(x - y))
                               : std::numeric_limits<double>::infinity();
    size = std::max(size, std::abs(y));
    if (std::isinf(error)) break;
  }
  judge(name, error / size, tolerance);
}

Tensor rowsFrom(const Tensor& source, int64_t begin, int64_t count) {
  Shape shape = source.shape();
  const int64_t total = shape[0];
  shape.set(0, count);
  Tensor result(source.dtype(), shape);
  const size_t rowBytes = source.bytes() / static_cast<size_t>(total);
  for (int64_t i = 0; i < count; ++i)
    std::copy_n(source.data() + static_cast<size_t>((begin + i) % total) * rowBytes, rowBytes,
                result.data() + static_cast<size_t>(i) * rowBytes);
  return result;
}

}  // namespace strata
