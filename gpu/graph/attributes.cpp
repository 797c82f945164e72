// SPDX-License-Identifier: Apache-2.0
#include "gpu/graph/attributes.h"

#include <algorithm>

#include "gpu/base/error.h"

namespace strata {

AttributeValue copyOf(const AttributeValue& value) {
  AttributeValue result;
  std::visit([&](const auto& each) { result.emplace<std::decay_t<decltype(each)>>(each); }, value);
  return result;
}

Attributes::Attributes(const Attributes& other) {
  m_entries.reserve(other.m_entries.size());
  for (const auto& [name, value] : other.m_entries)
    m_entries.emplace_back(name, copyOf(value));
}

Attributes& Attributes::operator=(const Attributes& other) {
  if (this != &other) *this = Attributes(other);
  return *this;
}

Attributes::Attributes(std::initializer_list<std::pair<std::string, AttributeValue>> entries) {
  for (const auto& [name, value] : entries)
    set(name, copyOf(value));
}

const AttributeValue* Attributes::find(std::string_view name) const {
  const auto at = std::lower_bound(
      m_entries.begin(), m_entries.end(), name,
      [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  return at != m_entries.end() && at->first == name ? &at->second : nullptr;
}

void Attributes::set(std::string_view name, AttributeValue value) {
  const auto at = std::lower_bound(
      m_entries.begin(), m_entries.end(), name,
      [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  if (at != m_entries.end() && at->first == name)
    at->second = std::move(value);
  else
    m_entries.insert(at, {std::string(name), std::move(value)});
}

void Attributes::remove(std::string_view name) {
  std::erase_if(m_entries, [&](const auto& entry) { return entry.first == name; });
}

template <class T>
const T& Attributes::get(std::string_view name) const {
  const AttributeValue* value = find(name);
  if (value == nullptr)
    throw Error(ErrorCode::Internal, std::string(name),
                "the node has no attribute \"" + std::string(name) + "\".");
  const T* result = std::get_if<T>(value);
  if (result == nullptr)
    throw Error(
        ErrorCode::Internal, std::string(name),
        "attribute \"" + std::string(name) + "\" has a different type from the one requested.");
  return *result;
}

template const bool& Attributes::get<bool>(std::string_view) const;
template const int64_t& Attributes::get<int64_t>(std::string_view) const;
template const double& Attributes::get<double>(std::string_view) const;
template const std::string& Attributes::get<std::string>(std::string_view) const;
template const std::vector<int64_t>& Attributes::get<std::vector<int64_t>>(std::string_view) const;

}  // namespace strata
