// SPDX-License-Identifier: Apache-2.0
// Writes HTML without scripts and links. All texts are escaped, so that names from foreign files
// stay text. Not here: what a report contains (run_report.h).
// Thread: only one thread at a time may use an object; the functions are pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// Returns a text with the characters < > & " ' as entities. Control characters other than line
/// breaks, and bytes that are not UTF-8, become U+FFFD.
std::string escapedHtml(std::string_view text);
/// Returns bytes as base64.
std::string base64(std::string_view bytes);

class HtmlWriter {
 public:
  /// Begins a document. It must not load anything: a policy in its head allows only images within
  /// the document.
  /// `language` is the one of its texts, such as "en".
  explicit HtmlWriter(std::string_view title, std::string_view language = "en");
  void heading(int level, std::string_view text);
  void paragraph(std::string_view text);
  /// Adds an SVG image, which is embedded, so that a browser runs nothing in it. `description` is
  /// its text for readers who do not see it.
  void image(std::string_view svg, std::string_view description);
  /// Adds a table. Cells of numeric columns are aligned to the right. A row with fewer cells is
  /// completed.
  struct Table {
    std::vector<std::string> columns;
    // For each column; missing ones are not numeric
    std::vector<bool> isNumeric;
    std::vector<std::vector<std::string>> rows;
  };
  void table(const Table& table);
  /// Ends the document and returns it.
  std::string take();

 private:
  std::string m_text;
};

/// The first bytes of each document of HtmlWriter.
extern const std::string_view kHtmlBeginning;

}  // namespace strata
