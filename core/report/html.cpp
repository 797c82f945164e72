// SPDX-License-Identifier: Apache-2.0
#include "core/report/html.h"

#include <cstdint>

#include "core/project/text.h"

namespace strata {

const std::string_view kHtmlBeginning =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<!-- A report of Strata -->\n";

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Returns the bytes of the UTF-8 character at the beginning of a text, or 0 if it is not one.
size_t characterBytes(std::string_view text) {
  for (size_t bytes = 1; bytes <= 4 && bytes <= text.size(); ++bytes)
    if (isUtf8(text.substr(0, bytes))) return bytes;
  return 0;
}

constexpr std::string_view kStyle = R"(
body { font-family: "DejaVu Sans", "Noto Sans", sans-serif; font-size: 10pt; color: #1f2328; margin: 24px; }
h1 { font-size: 17pt; } h2 { font-size: 12pt; margin-top: 24px; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #d8dbe0; padding: 3px 10px 3px 0; text-align: left; vertical-align: top; }
th { color: #59636e; font-weight: normal; }
.n { text-align: right; }
)";

}  // namespace

std::string escapedHtml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const char byte = text[i];
    const size_t bytes = characterBytes(text.substr(i));
    const bool isControl =
        (static_cast<unsigned char>(byte) < 0x20 && byte != '\n') || byte == '\x7f' ||
        // The controls U+0080 to U+009F
        (bytes == 2 && byte == '\xC2' && static_cast<unsigned char>(text[i + 1]) < 0xA0);
    if (bytes == 0 || isControl)
      escaped += kReplacement;
    else if (byte == '<')
      escaped += "&lt;";
    else if (byte == '>')
      escaped += "&gt;";
    else if (byte == '&')
      escaped += "&amp;";
    else if (byte == '"')
      escaped += "&quot;";
    else if (byte == '\'')
      escaped += "&#39;";
    else
      escaped += text.substr(i, bytes);
    i += bytes == 0 ? 1 : bytes;
  }
  return escaped;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k)
      group =
          group << 8 |
          (i + k < bytes.size() ? static_cast<uint32_t>(static_cast<uint8_t>(bytes[i + k])) : 0);
    for (size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63];
  }
  return text;
}

HtmlWriter::HtmlWriter(std::string_view title, std::string_view language) : m_text(kHtmlBeginning) {
  m_text +=
      "<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'\">\n<title>" +
      escapedHtml(title) + "</title>\n<style>" + std::string(kStyle) +
      "</style>\n</head>\n<body lang=\"" + escapedHtml(language) + "\">\n";
}

void HtmlWriter::heading(int level, std::string_view text) {
  const std::string tag = "h" + std::to_string(level);
  m_text += "<" + tag + ">" + escapedHtml(text) + "</" + tag + ">\n";
}

void HtmlWriter::paragraph(std::string_view text) {
  std::string lines = escapedHtml(text);
  for (size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 5))
    lines.replace(at, 1, "<br>\n");
  m_text += "<p>" + lines + "</p>\n";
}

void HtmlWriter::image(std::string_view svg, std::string_view description) {
  m_text += "<p><img alt=\"" + escapedHtml(description) + "\" src=\"data:image/svg+xml;base64," +
            base64(svg) + "\"></p>\n";
}

void HtmlWriter::table(const Table& table) {
  const auto cell = [&](const char* tag, size_t column, std::string_view words) {
    const bool isNumeric = column < table.isNumeric.size() && table.isNumeric[column];
    // Documents without style sheets know the attribute
    m_text += std::string("<") + tag + (isNumeric ? " class=\"n\" align=\"right\">" : ">") +
              escapedHtml(words) + "</" + tag + ">";
  };
  m_text += "<table cellspacing=\"0\" cellpadding=\"3\">\n<tr>";
  for (size_t i = 0; i < table.columns.size(); ++i)
    cell("th", i, table.columns[i]);
  m_text += "</tr>\n";
  for (const std::vector<std::string>& row : table.rows) {
    m_text += "<tr>";
    for (size_t i = 0; i < table.columns.size(); ++i)
      cell("td", i, i < row.size() ? std::string_view(row[i]) : std::string_view());
    m_text += "</tr>\n";
  }
  m_text += "</table>\n";
}

std::string HtmlWriter::take() {
  m_text += "</body>\n</html>\n";
  return std::move(m_text);
}

}  // namespace strata
