// SPDX-License-Identifier: Apache-2.0
#include "core/report/svg_chart.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/report/html.h"

namespace strata {

namespace {

constexpr double kWidth = 640, kHeight = 240, kLeft = 64, kRight = 12, kTop = 30, kBottom = 40;
constexpr const char* kColors[] = {"#2f6bdc", "#d98a00", "#23874b", "#a445b8", "#c2412d", "#128a9b",
                                   "#7a6a00", "#6b7280", "#b5179e", "#8c564b", "#3d5a80"};

/// Returns a number with a few digits.
std::string tickText(double value, int digits = 4) {
  char buffer[64];
  const auto result =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
  return {buffer, result.ptr};
}

std::string coordinate(double value) {
  char buffer[64];
  const auto result =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 1);
  return {buffer, result.ptr};
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Makes the range usable for an axis.
  void settle() {
    if (low > high) low = 0, high = 1;
    if (low == high) {
      const double room = std::max(std::abs(low) * 0.1, 1e-9);
      low -= room;
      high += room;
    }
  }
  double share(double value) const { return (value - low) / (high - low); }
};

bool isFinite(const std::pair<double, double>& point) {
  return std::isfinite(point.first) && std::isfinite(point.second);
}

std::string textAt(double x, double y, const char* anchor, const std::string& words,
                   const char* color = "#59636e") {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"" + anchor +
         "\" fill=\"" + color + "\">" + escapedHtml(words) + "</text>\n";
}

/// Where a name of a curve ends, and its line from the top.
struct NamePlace {
  double right = 0;
  int line = 0;
};

/// Places the names from the right to the left, in as many lines as they need next to the title.
std::vector<NamePlace> namePlaces(const Chart& chart) {
  // About the width of a letter
  constexpr double kLetter = 7, kGap = 14;
  const double left = kLeft + kLetter * static_cast<double>(chart.title.size()) + kGap;
  std::vector<NamePlace> places;
  NamePlace next{kWidth - kRight, 0};
  for (const ChartCurve& curve : chart.curves) {
    const double width = curve.isReference ? 0 : kLetter * static_cast<double>(curve.name.size());
    if (next.right - width < left && next.right < kWidth - kRight)
      next = {kWidth - kRight, next.line + 1};
    places.push_back(next);
    if (!curve.isReference) next.right -= width + kGap;
  }
  return places;
}

/// Returns lines with texts at a few places of both axes. `top` is the upper end of the axes.
std::string axes(const Range& x, const Range& y, const std::string& xTitle, double top) {
  constexpr int kParts = 4;
  std::string svg;
  for (int i = 0; i <= kParts; ++i) {
    const double share = static_cast<double>(i) / kParts;
    const double down = kHeight - kBottom - share * (kHeight - top - kBottom);
    svg += "<line x1=\"" + coordinate(kLeft) + "\" y1=\"" + coordinate(down) + "\" x2=\"" +
           coordinate(kWidth - kRight) + "\" y2=\"" + coordinate(down) +
           "\" stroke=\"#e3e5e8\" stroke-width=\"1\"/>\n";
    svg += textAt(kLeft - 6, down + 4, "end", tickText(y.low + share * (y.high - y.low), 3));
    svg += textAt(kLeft + share * (kWidth - kLeft - kRight), kHeight - kBottom + 16, "middle",
                  tickText(x.low + share * (x.high - x.low)));
  }
  return svg + textAt((kLeft + kWidth - kRight) / 2, kHeight - 6, "middle", xTitle);
}

}  // namespace

std::vector<std::pair<double, double>> reducedPoints(
    const std::vector<std::pair<double, double>>& points, size_t buckets) {
  if (points.size() <= 2 * buckets) return points;
  std::vector<std::pair<double, double>> reduced;
  for (size_t bucket = 0; bucket < buckets; ++bucket) {
    const size_t begin = bucket * points.size() / buckets,
                 end = (bucket + 1) * points.size() / buckets;
    size_t low = begin, high = begin;
    for (size_t i = begin; i < end; ++i) {
      if (!isFinite(points[i])) continue;
      if (!isFinite(points[low]) || points[i].second < points[low].second) low = i;
      if (!isFinite(points[high]) || points[i].second > points[high].second) high = i;
    }
    reduced.push_back(points[std::min(low, high)]);
    if (low != high) reduced.push_back(points[std::max(low, high)]);
  }
  return reduced;
}

std::string svgOf(const Chart& chart) {
  constexpr auto kBuckets = static_cast<size_t>(kWidth);
  Range x, y;
  std::vector<ChartCurve> curves = chart.curves;
  for (ChartCurve& curve : curves) {
    curve.points = reducedPoints(curve.points, kBuckets);
    for (const auto& point : curve.points)
      if (isFinite(point)) {
        x.add(point.first);
        y.add(point.second);
      }
  }
  if (chart.isUnit)
    for (const double end : {0.0, 1.0}) {
      x.add(end);
      y.add(end);
    }
  x.settle();
  y.settle();
  const std::vector<NamePlace> names = namePlaces(chart);
  constexpr double kLine = 14;
  const double top = kTop + (names.empty() ? 0 : kLine * names.back().line);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + coordinate(kWidth) +
                    "\" height=\"" + coordinate(kHeight) +
                    "\" font-family=\"DejaVu Sans, sans-serif\" font-size=\"11\">\n"
                    "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  svg += textAt(kLeft, 16, "start", chart.title, "#1f2328");
  svg += axes(x, y, chart.xTitle, top);
  size_t colored = 0;
  for (size_t i = 0; i < curves.size(); ++i) {
    const bool isReference = curves[i].isReference;
    const char* const color = isReference ? "#8b949e" : kColors[colored++ % std::size(kColors)];
    std::string path, dots;
    bool isBroken = true;
    // A line alone would hide single points
    constexpr size_t kMaxDots = 50;
    const bool hasDots = !isReference && curves[i].points.size() <= kMaxDots;
    for (const auto& point : curves[i].points) {
      if (!isFinite(point)) {
        isBroken = true;
        continue;
      }
      const std::string across =
          coordinate(kLeft + x.share(point.first) * (kWidth - kLeft - kRight));
      const std::string down =
          coordinate(kHeight - kBottom - y.share(point.second) * (kHeight - top - kBottom));
      path += (isBroken ? "M" : "L") + across + " " + down;
      if (hasDots)
        dots += "<circle cx=\"" + across + "\" cy=\"" + down + "\" r=\"2.5\" fill=\"" + color +
                "\"/>\n";
      isBroken = false;
    }
    if (!path.empty())
      svg += "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + color +
             "\" stroke-width=\"1.2\"" + (isReference ? " stroke-dasharray=\"4 3\"" : "") + "/>\n" +
             dots;
    if (!isReference)
      svg += textAt(names[i].right, 16 + kLine * names[i].line, "end", curves[i].name, color);
  }
  return svg + "</svg>\n";
}

}  // namespace strata
