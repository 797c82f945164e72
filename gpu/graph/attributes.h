// SPDX-License-Identifier: Apache-2.0
// The attributes of a node: a small map from name to value. Values can be printed and compared, so
// merging, printing and parsing need no code for particular ops.
// Thread: several threads may read an object at once; a writer needs exclusive access.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace strata {

using AttributeValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>>;

/// Copies a value without the copy constructor of std::variant. If memory runs out, that
/// constructor in libstdc++ 12 destroys a string or list that was never constructed.
AttributeValue copyOf(const AttributeValue& value);

class Attributes {
 public:
  Attributes() = default;
  Attributes(const Attributes& other);
  Attributes(Attributes&&) noexcept = default;
  Attributes& operator=(const Attributes& other);
  Attributes& operator=(Attributes&&) noexcept = default;
  ~Attributes() = default;
  Attributes(std::initializer_list<std::pair<std::string, AttributeValue>> entries);

  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// Returns the value of an attribute.
  /// Fails: Internal with the attribute's name if it does not exist or has another type.
  template <class T>
  const T& get(std::string_view name) const;
  template <class T>
  T getOr(std::string_view name, T other) const {
    return has(name) ? get<T>(name) : other;
  }
  void set(std::string_view name, AttributeValue value);
  void remove(std::string_view name);
  /// Returns the value of an attribute, or null if no attribute has this name.
  const AttributeValue* find(std::string_view name) const;
  /// Returns all attributes, sorted by name.
  const std::vector<std::pair<std::string, AttributeValue>>& entries() const { return m_entries; }
  bool operator==(const Attributes&) const = default;

 private:
  std::vector<std::pair<std::string, AttributeValue>> m_entries;
};

}  // namespace strata
