// SPDX-License-Identifier: Apache-2.0
// A list that grows at its end. Snapshots share its pieces, so a snapshot of a long list costs
// little. Not here: other changes than appending and truncating.
// Thread: only one thread at a time may use a list. A snapshot that is not changed may be read by
// all threads, also while the original list grows.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace strata {

template <class T>
class SharedList {
 public:
  static constexpr size_t kPieceSize = 1024;

  size_t size() const { return m_full.size() * kPieceSize + m_tail.size(); }
  bool empty() const { return m_full.empty() && m_tail.empty(); }
  const T& operator[](size_t index) const {
    const size_t piece = index / kPieceSize;
    return piece < m_full.size() ? (*m_full[piece])[index % kPieceSize]
                                 : m_tail[index - m_full.size() * kPieceSize];
  }
  const T& back() const { return (*this)[size() - 1]; }
  /// Returns the elements from `index` to the end of the piece that contains it.
  std::span<const T> from(size_t index) const {
    const size_t piece = index / kPieceSize;
    const std::vector<T>& elements = piece < m_full.size() ? *m_full[piece] : m_tail;
    return std::span(elements).subspan(index - piece * kPieceSize);
  }

  /// Appends an element. The other elements keep their addresses if `isFixed` is always true.
  void push_back(T value, bool isFixed = false) {
    if (isFixed && m_tail.capacity() < kPieceSize) m_tail.reserve(kPieceSize);
    m_tail.push_back(std::move(value));
    if (m_tail.size() < kPieceSize) return;
    m_full.push_back(std::make_shared<const std::vector<T>>(std::move(m_tail)));
    m_tail = {};
  }
  /// Keeps the first elements. Requires: count <= size().
  void truncate(size_t count) {
    const size_t pieces = count / kPieceSize;
    const size_t rest = count % kPieceSize;
    if (pieces < m_full.size()) {
      const std::vector<T>& cut = *m_full[pieces];
      m_tail.assign(cut.begin(), cut.begin() + static_cast<std::ptrdiff_t>(rest));
      m_full.resize(pieces);
    }
    else {
      m_tail.erase(m_tail.begin() + static_cast<std::ptrdiff_t>(rest), m_tail.end());
    }
  }
  /// Returns the index of the first element for which `isBefore` is false. Requires: `isBefore` is
  /// true for the elements up to some place, and false from there on.
  template <class Predicate>
  size_t partitionPoint(Predicate isBefore) const {
    size_t low = 0;
    size_t high = size();
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (isBefore((*this)[middle]))
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

 private:
  std::vector<std::shared_ptr<const std::vector<T>>> m_full;
  // Fewer than kPieceSize elements, which no other list shares
  std::vector<T> m_tail;
};

}  // namespace strata
