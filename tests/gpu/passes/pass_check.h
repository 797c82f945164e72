// SPDX-License-Identifier: Apache-2.0
// Checks one pass on graphs that are written as text. The parser ignores indentation and empty
// lines. Only the thread of the test may call it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "gpu/graph/graph.h"
#include "gpu/passes/pass.h"

namespace strata::test {

/// Lines of a graph, given as one text or as several texts that follow each other.
class GraphText {
 public:
  GraphText(const char* text) : m_text(text) {}
  GraphText(std::string text) : m_text(std::move(text)) {}
  GraphText(std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts)
      m_text.append(text).append("\n");
  }
  const std::string& text() const { return m_text; }

 private:
  std::string m_text;
};

/// Returns the graph of these lines, which may use its inputs %100 (x) and %101 (y) of f32[2,3].
Graph graphOf(const GraphText& lines);

/// Returns options that disable all other passes and verify the graph after the pass.
PipelineOptions onlyPass(std::string_view name);

/// Checks what one pass does to graphs.
class PassCheck {
 public:
  /// Creates a check of one pass. Each of its graphs starts with the lines `shared`.
  explicit PassCheck(std::string pass, std::string shared = "")
      : m_pass(std::move(pass)), m_shared(std::move(shared)) {}

  /// Checks that the pass turns the graph `before` into the graph `after`.
  void rewrites(const GraphText& before, const GraphText& after) const;

  /// Checks that the pass does not change the graph and reports no rewrite.
  void keeps(const GraphText& lines) const;

  /// Checks that the pass replaces %9, which these lines compute, by the input x.
  void replacesByX(const GraphText& lines) const;

 private:
  Graph graph(const GraphText& lines) const { return graphOf({m_shared, lines.text()}); }

  std::string m_pass;
  std::string m_shared;
};

}  // namespace strata::test
