// SPDX-License-Identifier: Apache-2.0
// Draws curves as an SVG image without scripts, links and embedded fonts.
// Thread: the function is pure, so any thread may call it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace strata {

struct ChartCurve {
  std::string name;
  // In the order of x. Points that are not finite interrupt the curve.
  std::vector<std::pair<double, double>> points;
  // Whether it is a dashed line to compare with, without a name
  bool isReference = false;
};

struct Chart {
  std::string title, xTitle;
  std::vector<ChartCurve> curves;
  // Whether both axes are from 0 to 1; otherwise, they fit the curves
  bool isUnit = false;
};

/// Returns at most `buckets` pairs of points: the smallest and the largest value of each part of
/// the curve, so that no peak is lost. Requires: buckets is at least 1.
std::vector<std::pair<double, double>> reducedPoints(
    const std::vector<std::pair<double, double>>& points, size_t buckets);

/// Returns the image. A curve with many points is reduced to the width of the image.
std::string svgOf(const Chart& chart);

}  // namespace strata
