// SPDX-License-Identifier: Apache-2.0
// Typed indices of the nodes and values of a graph. They stay valid when the graph's storage moves.
// Thread: any.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace strata {

template <class Tag>
struct Id {
  int32_t index = -1;
  constexpr bool isValid() const { return index >= 0; }
  constexpr auto operator<=>(const Id&) const = default;
};

using ValueId = Id<struct ValueTag>;
using NodeId = Id<struct NodeTag>;

}  // namespace strata

template <class Tag>
struct std::hash<strata::Id<Tag>> {
  size_t operator()(strata::Id<Tag> id) const noexcept { return std::hash<int32_t>()(id.index); }
};
