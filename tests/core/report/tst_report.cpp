// SPDX-License-Identifier: Apache-2.0
// Tests reports of runs: hostile names stay text, nothing is loaded or run, damaged runs have a
// report, and files are written as a whole.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/report/html.h"
#include "core/report/run_report.h"
#include "core/report/svg_chart.h"
#include "core/runs/history.h"
#include "gpu/base/error.h"
#include "tests/core/run_list/small_runs.h"
#include "tests/support/paths.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

size_t countOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

constexpr const char* kHostile = "</td><script>alert(1)</script><img src=x onerror='a()'>&\"";

}  // namespace

TEST_SUITE_BEGIN("report");

TEST_CASE("html: text stays text") {
  CHECK(escapedHtml("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(escapedHtml("é 数据 😀") == "é 数据 😀");
  CHECK(escapedHtml("a\nb") == "a\nb");
  // Controls, also those of two bytes, and invalid UTF-8
  CHECK(escapedHtml(std::string("a\0b\x1b", 4)) ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD");
  CHECK(escapedHtml("\xC2\x85") == "\xEF\xBF\xBD");
  CHECK(escapedHtml("\xFFz\xE6\x95") == "\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(escapedHtml("").empty());
}

TEST_CASE("html: base64 as in RFC 4648") {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases)
    CHECK(base64(bytes) == text);
  CHECK(base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("html: a document has no script, and its policy forbids everything but images") {
  HtmlWriter html(kHostile);
  html.heading(1, kHostile);
  html.paragraph(kHostile);
  html.image("<svg/>", kHostile);
  html.table({{kHostile, "b"}, {false, true}, {{kHostile}, {"1", kHostile, "left out"}}});
  const std::string text = html.take();
  CHECK(countOf(text, "<script") == 0);
  CHECK(countOf(text, "onerror='") == 0);
  CHECK(countOf(text, "<img ") == 1);
  CHECK(countOf(text, "</td><script") == 0);
  CHECK(countOf(text, "&lt;script&gt;") == 7);
  CHECK(countOf(text, "default-src 'none'") == 1);
  CHECK(countOf(text, "left out") == 0);
  CHECK(text.starts_with(kHtmlBeginning));
  CHECK(text.ends_with("</html>\n"));
}

TEST_CASE("chart: curves keep their extremes, and gaps break them") {
  std::vector<std::pair<double, double>> points;
  for (int i = 0; i < 100'000; ++i)
    points.emplace_back(i, i == 51'234 ? 9.0 : std::sin(i));
  const auto reduced = reducedPoints(points, 640);
  CHECK(reduced.size() <= 1280);
  CHECK(std::ranges::count_if(reduced, [](const auto& point) { return point.second == 9; }) == 1);
  CHECK(std::ranges::is_sorted(reduced));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string svg = svgOf(
      {kHostile, "step", {{kHostile, {{0, 1}, {1, 2}, {2, nan}, {3, 1}, {4, 1}}}, {"empty", {}}}});
  CHECK(countOf(svg, "<script") == 0);
  const size_t path = svg.find(" d=\"M");
  REQUIRE(path != std::string::npos);
  CHECK(countOf(svg.substr(path, svg.find('"', path + 4) - path), "M") == 2);
  CHECK(countOf(svg, "nan") == 0);
  // Nothing to draw, and equal values
  // Both axes of shares are from 0 to 1, and the diagonal is dashed and has no name
  const std::string shares = svgOf(
      {"a", "b", {{"hidden", {{0, 0}, {1, 1}}, true}, {"c", {{0.2, 0.4}, {0.3, 0.6}}}}, true});
  CHECK(countOf(shares, ">0.25</text>") == 2);
  CHECK(countOf(shares, "stroke-dasharray") == 1);
  CHECK(countOf(shares, "hidden") == 0);
  // Names that do not fit in one line continue in the next one, above the axes
  Chart many{"title", "b", {}};
  for (int i = 0; i < 11; ++i)
    many.curves.push_back({"a long name " + std::to_string(i), {{0, 0}, {1, 1}}});
  const std::string lines = svgOf(many);
  CHECK(countOf(lines, "y=\"16.0\"") > 1);
  CHECK(countOf(lines, "y=\"30.0\"") > 1);
  CHECK(svgOf({"a", "b", {}}).ends_with("</svg>\n"));
  CHECK(countOf(svgOf({"a", "b", {{"c", {{1, 5}, {1, 5}}}}}), "nan") == 0);
}

TEST_CASE("report: the parts of a run") {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "net.runs" / "001";
  std::string project = kRunProject;
  const std::string name = "\"hidden\"";
  for (size_t at = project.find(name); at != std::string::npos; at = project.find(name, at))
    project.replace(at, name.size(), "\"<b>layer\"");
  putRun(run, 0.25, project);
  writeRunNotes(run.string(),
                {kHostile, "First line\n" + std::string(kHostile), {"<i>"}, false, false});
  HistoryWriter history((run / "history.bin").string(), {"accuracy"});
  const double accuracy = 0.5;
  for (int step = 1; step <= 4; ++step)
    history.append({step, 1, HistoryKind::Step, 0.1 * step, 0.01, 12, 1.0 / step, {&accuracy, 1}});
  history.append({4, 1, HistoryKind::Validation, 0.5, 0.01, 12, 0.25, {&accuracy, 1}});
  history.flush();

  ReportedEvaluation evaluation{"test", {}};
  CollectedOutput collected;
  collected.kind = OutputKind::Classes;
  collected.samples = 3;
  collected.columns = 2;
  collected.predicted = {0.9F, 0.1F, 0.2F, 0.8F, 0.6F, 0.4F};
  collected.predictedClasses = {0, 1, 0};
  collected.classes = {0, 1, 1};
  collected.classNames = {"<script>", "two"};
  evaluation.outputs.push_back(
      {"<out>", collected.classNames, classificationFigures(collected), std::nullopt});
  const std::string text = htmlReport(readRunRow(run.string()), &evaluation);
  CHECK(countOf(text, "<script") == 0);
  CHECK(countOf(text, "<b>layer") == 0);
  CHECK(countOf(text, "&lt;b&gt;layer") >= 1);
  CHECK(countOf(text, "&lt;script&gt;") >= 4);
  // Loss, accuracy and learning rate
  CHECK(countOf(text, "src=\"data:image/svg+xml;base64,") == 6);
  CHECK(countOf(text, "src=\"") == 6);
  CHECK(countOf(text, "href=") == 0);
  CHECK(countOf(text, "/training/batch_size") == 1);
  CHECK(countOf(text, "Confusion matrix") == 1);
  CHECK(countOf(text, "First line<br>") == 1);
  // The recall of the second class
  CHECK(countOf(text, ">0.5<") >= 1);
}

TEST_CASE("report: a long duration is a clock") {
  const TemporaryFolder folder;
  RunRow row;
  const auto reported = [&](double seconds) {
    row.info.seconds = seconds;
    return htmlReport(row);
  };
  CHECK(countOf(reported(1.26), ">1.3 s<") == 1);
  CHECK(countOf(reported(187), ">3:07<") == 1);
  CHECK(countOf(reported(12'345), ">3:25:45<") == 1);
}

TEST_CASE("report: a damaged run has a report that says what is missing") {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "net.runs" / "002";
  putRun(run);
  putFile(run / "project.json", "{");
  putFile(run / "history.bin", "x");
  putFile(run / "environment.json", "[");
  const std::string text = htmlReport(readRunRow(run.string()));
  CHECK(countOf(text, "The curves are unknown") == 1);
  CHECK(countOf(text, "The design is unknown") == 1);
  CHECK(countOf(text, "The settings are unknown") == 1);
  CHECK(countOf(text, "The environment is unknown") == 1);
  CHECK(text.ends_with("</html>\n"));
}

TEST_CASE("report: replaces a report, but no other file and none of a run") {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "net.runs" / "001";
  putRun(run);
  const std::string path = (folder.path() / "report.html").string();
  const std::string html = htmlReport(readRunRow(run.string()));
  writeHtmlReport(path, html);
  writeHtmlReport(path, html);
  CHECK(readFile(path, size_t{1} << 24) == html);
  putFile(folder.path() / "mine.html", "<html>mine</html>");
  CHECK_THROWS_AS(writeHtmlReport((folder.path() / "mine.html").string(), html), Error);
  CHECK(readText(folder.path() / "mine.html") == "<html>mine</html>");
}

TEST_SUITE_END();

}  // namespace strata
