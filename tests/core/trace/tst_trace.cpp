// SPDX-License-Identifier: Apache-2.0
// Compares rows, columns and sums of random traces with plain scans over all events.
#include <algorithm>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "core/trace/trace_builder.h"
#include "core/trace/trace_query.h"
#include "gpu/base/error.h"

namespace strata {
namespace {

struct Span {
  int64_t begin = 0, duration = 0;
};
using Spans = std::vector<Span>;

/// Returns events of all kinds: nested, overlapping, touching, without duration, and a huge one.
Spans randomSpans(std::mt19937& random, int count, int64_t range, int64_t longest) {
  Spans spans;
  const auto below = [&](int64_t limit) {
    return std::uniform_int_distribution<int64_t>(0, limit)(random);
  };
  for (int i = 0; i < count; ++i) {
    const bool touches = i > 0 && below(3) == 0;
    const int64_t begin = touches ? spans.back().begin + spans.back().duration : below(range);
    spans.push_back({begin, below(4) == 0 ? 0 : below(longest)});
  }
  if (count > 0 && below(1) == 0) spans[static_cast<size_t>(below(count - 1))] = {0, range};
  return spans;
}

/// Builds a trace of one lane. With `snapshots`, makes one after each few events.
TracePointer traceOf(const Spans& spans, int snapshots = 0) {
  TraceBuilder builder;
  const uint32_t lane = *builder.addLane(builder.addProcess("host"), "main");
  int waiting = 0;
  for (const Span& span : spans) {
    const uint32_t name = builder.text(std::to_string(span.duration % 7));
    const uint32_t record = builder.record({.name = name});
    CHECK(builder.addEvent(lane, span.begin, span.duration, record));
    if (snapshots > 0 && ++waiting % snapshots == 0) (void)builder.snapshot();
  }
  return builder.finish();
}

std::vector<TraceEvent> eventsOf(const TraceRow& row) {
  std::vector<TraceEvent> events;
  for (size_t i = 0; i < row.events.size(); ++i)
    events.push_back(row.events[i]);
  return events;
}

/// Returns begins and durations, because the order of the events decides the numbers of the
/// records.
std::vector<std::pair<int64_t, int64_t>> timesOf(const TraceRow& row) {
  std::vector<std::pair<int64_t, int64_t>> times;
  for (const TraceEvent& event : eventsOf(row))
    times.emplace_back(event.begin(), event.duration());
  return times;
}

/// Looks at every event for every column.
std::vector<uint32_t> slowColumns(const TraceRow& row, double begin, double step, size_t count) {
  std::vector<uint32_t> columns(count, kNoColumn);
  for (size_t k = 0; k < count; ++k) {
    const double from = begin + static_cast<double>(k) * step;
    const double to = begin + static_cast<double>(k + 1) * step;
    double most = -1;
    for (size_t i = 0; i < row.events.size(); ++i) {
      const TraceEvent& event = row.events[i];
      const auto first = static_cast<double>(event.begin());
      const auto last = static_cast<double>(event.end());
      const bool isPoint = event.duration() == 0 && first >= from && first < to;
      const double covered = std::min(last, to) - std::max(first, from);
      if ((covered <= 0 && !isPoint) || covered <= most) continue;
      most = covered;
      columns[k] = static_cast<uint32_t>(i);
    }
  }
  return columns;
}

}  // namespace

TEST_SUITE_BEGIN("trace");

TEST_CASE("an event of a trace keeps its numbers up to the limits") {
  for (const int64_t begin : {-TraceEvent::kMaxTime, int64_t{-1}, int64_t{0}, TraceEvent::kMaxTime})
    for (const int64_t duration : {int64_t{0}, int64_t{1} << 40, TraceEvent::kMaxDuration}) {
      const TraceEvent event(begin, duration, 0xfedcba98);
      CHECK(event.begin() == begin);
      CHECK(event.duration() == duration);
      CHECK(event.record() == 0xfedcba98);
    }
}

TEST_CASE("a shared list grows while its snapshots stay the same") {
  SharedList<int> list;
  std::vector<std::pair<SharedList<int>, int>> snapshots;
  std::mt19937 random(1);
  std::vector<int> expected;
  for (int i = 0; i < 9000; ++i) {
    list.push_back(i);
    expected.push_back(i);
    if (i % 500 == 0) snapshots.emplace_back(list, i + 1);
    if (i % 1300 == 1299) {
      const size_t kept = random() % expected.size();
      list.truncate(kept);
      expected.resize(kept);
    }
  }
  REQUIRE(list.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    CHECK(list[i] == expected[i]);
  for (const auto& [snapshot, size] : snapshots)
    CHECK((snapshot.empty() || snapshot.back() == size - 1));
}

TEST_CASE("rows are sorted, do not overlap, and keep all events") {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    const Spans spans = randomSpans(random, round, 400, round % 2 == 0 ? 20 : 200);
    const TracePointer trace = traceOf(spans);
    const std::vector<TraceRow>& rows = trace->lanes[0]->rows;
    std::multimap<int64_t, int64_t> expected, got;
    for (const Span& span : spans)
      expected.emplace(span.begin, -span.duration);
    for (size_t row = 0; row < rows.size(); ++row) {
      const std::vector<TraceEvent> events = eventsOf(rows[row]);
      REQUIRE(!events.empty());
      for (size_t i = 0; i < events.size(); ++i) {
        got.emplace(events[i].begin(), -events[i].duration());
        if (i > 0) CHECK(events[i - 1].end() <= events[i].begin());
        if (row == 0) continue;
        // An event is only in a lower row if the row above it is taken when it begins
        const size_t above = eventAt(rows[row - 1], events[i].begin());
        CHECK(above != kNoEvent);
      }
    }
    for (auto* each : {&expected, &got}) {
      std::vector<std::pair<int64_t, int64_t>> sorted(each->begin(), each->end());
      std::ranges::sort(sorted);
      *each = {sorted.begin(), sorted.end()};
    }
    CHECK(expected == got);
  }
}

TEST_CASE("nested events are in the row below the event that contains them") {
  // A contains B, B contains C; D overlaps A; E is in D
  const TracePointer trace = traceOf({{0, 100}, {10, 50}, {20, 10}, {90, 30}, {110, 5}});
  const std::vector<TraceRow>& rows = trace->lanes[0]->rows;
  REQUIRE(rows.size() == 3);
  CHECK(eventsOf(rows[0]).size() == 1);
  CHECK(eventsOf(rows[1]).size() == 2);
  CHECK(rows[1].events[1].begin() == 90);
  CHECK(rows[2].events[0].begin() == 20);
  CHECK(rows[2].events[1].begin() == 110);
}

TEST_CASE("rows do not depend on the order of the events and on snapshots") {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    Spans spans = randomSpans(random, 3000, 20000, round % 3 == 0 ? 900 : 30);
    std::ranges::sort(spans, {},
                      [](const Span& span) { return std::pair(span.begin, -span.duration); });
    const TracePointer sorted = traceOf(spans);
    if (round % 2 == 0)
      std::ranges::shuffle(spans, random);
    else
      std::ranges::reverse(spans);
    const TracePointer mixed = traceOf(spans, 1 + round * 7);
    const auto& expected = sorted->lanes[0]->rows;
    const auto& got = mixed->lanes[0]->rows;
    REQUIRE(expected.size() == got.size());
    for (size_t row = 0; row < expected.size(); ++row) {
      CHECK((timesOf(expected[row]) == timesOf(got[row])));
      REQUIRE(expected[row].longest.size() == got[row].longest.size());
      for (size_t i = 0; i < expected[row].longest.size(); ++i)
        CHECK(expected[row].longest[i] == got[row].longest[i]);
    }
  }
}

TEST_CASE("columns have the event that covers them longest") {
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    const int count = round % 10 == 0 ? 5000 : round;
    const TracePointer trace = traceOf(randomSpans(random, count, 3000, round % 2 == 0 ? 3 : 300));
    for (const TraceRow& row : trace->lanes[0]->rows) {
      const double begin = static_cast<double>(random() % 4000) - 500.25;
      for (const double step : {0.01, 0.7, 1.0, 13.0, 333.3}) {
        const size_t width = 1 + random() % 60;
        std::vector<uint32_t> columns(width, 7);
        fillColumns(row, begin, step, columns);
        CHECK(columns == slowColumns(row, begin, step, width));
      }
    }
  }
}

TEST_CASE("the event at a time, the nearest one and an event by its value are found") {
  const TracePointer trace = traceOf({{10, 5}, {15, 0}, {20, 10}});
  const TraceRow& row = trace->lanes[0]->rows[0];
  CHECK(eventAt(row, 9) == kNoEvent);
  CHECK(eventAt(row, 10) == 0);
  CHECK(eventAt(row, 14) == 0);
  CHECK(eventAt(row, 15) == 1);
  CHECK(eventAt(row, 16) == kNoEvent);
  CHECK(eventAt(row, 29) == 2);
  CHECK(eventAt(row, 30) == kNoEvent);
  CHECK(nearestEvent(row, -100) == 0);
  CHECK(nearestEvent(row, 17) == 1);
  CHECK(nearestEvent(row, 19) == 2);
  CHECK(nearestEvent(row, 1000) == 2);
  CHECK(findEvent(row, row.events[1]) == 1);
  CHECK(findEvent(row, TraceEvent(20, 9, 0)) == kNoEvent);
}

TEST_CASE("sums by name count the part of events in the range") {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    const Spans spans = randomSpans(random, 2000, 3000, 40);
    const TracePointer trace = traceOf(spans);
    const int64_t begin = 100 + 10 * round;
    const int64_t end = begin + 50 * round;
    std::map<std::string, NameSum> expected;
    for (const Span& span : spans) {
      const int64_t last = span.begin + span.duration;
      const bool isPoint = span.duration == 0 && span.begin >= begin && span.begin < end;
      const int64_t time = std::min(last, end) - std::max(span.begin, begin);
      if (time <= 0 && !isPoint) continue;
      NameSum& sum = expected[std::to_string(span.duration % 7)];
      sum.min = sum.count++ == 0 ? time : std::min(sum.min, time);
      sum.max = std::max(sum.max, time);
      sum.total += time;
    }
    const std::vector<uint32_t> lanes{0};
    const std::vector<NameSum> sums = sumByName(*trace, lanes, begin, end);
    CHECK(sums.size() == expected.size());
    for (size_t i = 0; i < sums.size(); ++i) {
      const NameSum& want = expected[trace->texts[sums[i].name]];
      CHECK(sums[i].count == want.count);
      CHECK(sums[i].total == want.total);
      CHECK(sums[i].min == want.min);
      CHECK(sums[i].max == want.max);
      if (i > 0) CHECK(sums[i - 1].total >= sums[i].total);
    }
  }
}

TEST_CASE("links lead from a launch to its kernel and back") {
  TraceBuilder builder;
  const uint32_t host = *builder.addLane(builder.addProcess("host"), "main");
  const uint32_t device = *builder.addLane(builder.addProcess("cuda:0"), "compute");
  const auto launch = builder.addEvent(host, 10, 5, 0);
  const auto kernel = builder.addEvent(device, 30, 20, 0);
  (void)builder.addEvent(host, 0, 100, 0);
  builder.addLink({host, device, *launch, *kernel});
  // The same connection, and one to an event that begins later
  builder.addFlow(host, 12, device, 31);
  builder.addFlow(host, 50, device, 29);
  const TracePointer trace = builder.finish();
  REQUIRE(trace->links.size() == 2);
  const EventPlace fromPlace{host, 1, 0};
  const EventPlace toPlace{device, 0, 0};
  REQUIRE(eventOf(*trace, fromPlace) == *launch);
  CHECK(linkedEvents(*trace, fromPlace, 9) == std::vector{toPlace});
  CHECK(linkedEvents(*trace, toPlace, 9) == std::vector{EventPlace{host, 0, 0}, fromPlace});
  CHECK(linkedEvents(*trace, toPlace, 1).size() == 1);
}

TEST_CASE("what exceeds a limit is counted, and the rest is kept") {
  TraceLimits limits;
  limits.events = 3;
  limits.lanes = 1;
  limits.textBytes = 300;
  TraceBuilder builder(limits);
  const uint32_t process = builder.addProcess("host");
  const uint32_t lane = *builder.addLane(process, "main");
  CHECK(!builder.addLane(process, "another"));
  CHECK(builder.text("short") == 1);
  CHECK(builder.text(std::string(4000, 'x')) == 0);
  for (int i = 0; i < 5; ++i)
    (void)builder.addEvent(lane, i, 1, 0);
  CHECK(!builder.addEvent(lane, TraceEvent::kMaxTime + 1, 0, 0));
  const TracePointer trace = builder.finish();
  CHECK(trace->numEvents() == 3);
  REQUIRE(trace->notes.size() == 2);
  CHECK(trace->notes[0].kind == TraceNote::Kind::OverLimit);
  CHECK(trace->notes[0].count == 4);
  CHECK(noteText(trace->notes[0]).find("the lane another") != std::string::npos);
  CHECK(trace->notes[1].kind == TraceNote::Kind::OutOfRange);
}

TEST_CASE("events that are nested too deeply are counted") {
  Spans spans;
  for (int i = 0; i < 600; ++i)
    spans.push_back({i, 2000 - 2 * i});
  const TracePointer trace = traceOf(spans);
  CHECK(trace->lanes[0]->rows.size() == LaneLayout::kMaxRows);
  REQUIRE(trace->notes.size() == 1);
  CHECK(trace->notes[0].count == 600 - static_cast<int64_t>(LaneLayout::kMaxRows));
}

TEST_CASE("a stop ends the layout") {
  TraceBuilder builder;
  const uint32_t lane = *builder.addLane(builder.addProcess("host"), "main");
  for (int i = 0; i < 1000; ++i)
    (void)builder.addEvent(lane, 1000 - i, 1, 0);
  std::stop_source source;
  source.request_stop();
  CHECK_THROWS_AS((void)builder.finish(source.get_token()), Error);
}

TEST_SUITE_END();

}  // namespace strata
