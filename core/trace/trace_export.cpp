// SPDX-License-Identifier: Apache-2.0
#include "core/trace/trace_export.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <tuple>

#include <nlohmann/json.hpp>

#include "core/project/atomic_file.h"
#include "core/project/json.h"
#include "core/trace/binary_trace.h"

namespace strata {

namespace {

std::string quoted(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Microseconds with three decimals, which are exact.
std::string microseconds(int64_t nanoseconds) {
  const bool isNegative = nanoseconds < 0;
  const uint64_t size = isNegative ? uint64_t{0} - static_cast<uint64_t>(nanoseconds)
                                   : static_cast<uint64_t>(nanoseconds);
  const std::string digits = std::to_string(size % 1000);
  return (isNegative ? "-" : "") + std::to_string(size / 1000) + "." +
         std::string(3 - digits.size(), '0') + digits;
}

std::string number(double value) {
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// Calls `take` with the events of a lane in the order of their begins, outer ones first.
void forEachEvent(const TraceLane& lane,
                  const std::function<void(const TraceEvent& event, size_t row)>& take) {
  using Next = std::tuple<int64_t, size_t, size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  const auto push = [&](size_t row, size_t index) {
    if (index < lane.rows[row].events.size())
      next.emplace(lane.rows[row].events[index].begin(), row, index);
  };
  for (size_t row = 0; row < lane.rows.size(); ++row)
    push(row, 0);
  while (!next.empty()) {
    const auto [begin, row, index] = next.top();
    next.pop();
    take(lane.rows[row].events[index], row);
    push(row, index + 1);
  }
}

/// Collects text, and gives it to the sink in large pieces.
class PiecewiseText {
 public:
  explicit PiecewiseText(const TraceSink& sink) : m_sink(sink) {}
  void add(std::string_view text) {
    constexpr size_t kPiece = size_t{1} << 18;
    m_text += text;
    if (m_text.size() < kPiece) return;
    flush();
  }
  void flush() {
    m_sink(m_text);
    m_text.clear();
  }

 private:
  const TraceSink& m_sink;
  std::string m_text;
};

class ChromeWriter {
 public:
  ChromeWriter(const Trace& trace, const TraceSink& sink) : m_trace(trace), m_text(sink) {}
  void write(const std::vector<std::pair<std::string, std::string>>& about);

 private:
  void add(const std::string& event);
  void addMetadata(const char* what, size_t process, size_t thread, const std::string& arguments);
  void addNames();
  void addMark(const TraceMark& mark, const std::string& place, const char* scope);
  void addCounters();
  void addSeries(const std::vector<const TraceCounter*>& series);
  void addLinks();
  /// Returns a text in quotes.
  const std::string& text(uint32_t index);
  std::string placeOf(uint32_t lane) const;
  std::string timeOf(int64_t time) const { return microseconds(m_trace.origin + time); }
  const std::string& argumentsOf(uint32_t record);

  const Trace& m_trace;
  PiecewiseText m_text;
  bool m_isFirst = true;
  std::vector<std::string> m_quoted, m_arguments;
};

void ChromeWriter::add(const std::string& event) {
  m_text.add(m_isFirst ? "\n" : ",\n");
  m_text.add(event);
  m_isFirst = false;
}

const std::string& ChromeWriter::text(uint32_t index) {
  m_quoted.resize(m_trace.texts.size());
  if (m_quoted[index].empty()) m_quoted[index] = quoted(m_trace.texts[index]);
  return m_quoted[index];
}

std::string ChromeWriter::placeOf(uint32_t lane) const {
  return R"("pid":)" + std::to_string(m_trace.lanes[lane]->process + 1) + R"(,"tid":)" +
         std::to_string(lane + 1);
}

void ChromeWriter::addMetadata(const char* what, size_t process, size_t thread,
                               const std::string& arguments) {
  add(R"({"ph":"M","name":")" + std::string(what) + R"(","pid":)" + std::to_string(process) +
      R"(,"tid":)" + std::to_string(thread) + R"(,"args":{)" + arguments + "}}");
}

void ChromeWriter::addNames() {
  size_t place = 0;
  for (const uint32_t index : m_trace.processOrder) {
    const TraceProcess& process = m_trace.processes[index];
    addMetadata("process_name", index + 1, 0, R"("name":)" + quoted(process.name));
    addMetadata("process_sort_index", index + 1, 0, R"("sort_index":)" + std::to_string(place++));
    for (size_t i = 0; i < process.lanes.size(); ++i) {
      const uint32_t lane = process.lanes[i];
      addMetadata("thread_name", index + 1, lane + 1,
                  R"("name":)" + quoted(m_trace.lanes[lane]->name));
      addMetadata("thread_sort_index", index + 1, lane + 1, R"("sort_index":)" + std::to_string(i));
    }
  }
}

/// Returns what is known of a record, as the members of "args".
const std::string& ChromeWriter::argumentsOf(uint32_t index) {
  m_arguments.resize(m_trace.records.size());
  std::string& arguments = m_arguments[index];
  if (!arguments.empty()) return arguments;
  const TraceRecord& record = m_trace.records[index];
  const TraceWork& work = m_trace.works[record.work];
  std::string members;
  const auto addMember = [&](const char* key, const std::string& value) {
    members += (members.empty() ? "\"" : ",\"") + std::string(key) + "\":" + value;
  };
  const auto addText = [&](const char* key, uint32_t value) {
    if (value != 0) addMember(key, text(value));
  };
  const auto addExtent = [&](const char* key, const std::array<int64_t, 3>& extent) {
    if (extent[0] > 0) addMember(key, Json(extent).dump());
  };
  const auto addNumber = [&](const char* key, double value) {
    if (value > 0) addMember(key, number(value));
  };
  addText("op", record.op);
  addText("layer", record.layer);
  addText("phase", record.phase);
  addExtent("grid", work.grid);
  addExtent("block", work.block);
  addNumber("registers", static_cast<double>(work.registers));
  addNumber("shared_bytes", static_cast<double>(work.sharedBytes));
  addNumber("theoretical_occupancy", work.theoreticalOccupancy);
  addNumber("occupancy", work.occupancy);
  addNumber("flops", work.flops);
  addNumber("bytes", work.bytes);
  arguments = R"("name":)" + text(record.name) + R"(,"cat":)" + text(record.category) +
              R"(,"args":{)" + members + "}";
  return arguments;
}

void ChromeWriter::addMark(const TraceMark& mark, const std::string& place, const char* scope) {
  add(R"({"ph":"i","s":")" + std::string(scope) + R"(",)" + place + R"(,"ts":)" +
      timeOf(mark.time) + "," + argumentsOf(mark.record) + "}");
}

/// Writes the series of one counter. Those with a value at the same time are one event.
void ChromeWriter::addSeries(const std::vector<const TraceCounter*>& series) {
  std::vector<size_t> next(series.size(), 0);
  const auto isAtEnd = [&](size_t i) {
    return next[i] >= series[i]->samples.size();
  };
  for (;;) {
    int64_t time = std::numeric_limits<int64_t>::max();
    for (size_t i = 0; i < series.size(); ++i)
      if (!isAtEnd(i)) time = std::min(time, series[i]->samples[next[i]].time);
    if (time == std::numeric_limits<int64_t>::max()) return;
    std::string values;
    for (size_t i = 0; i < series.size(); ++i) {
      if (isAtEnd(i) || series[i]->samples[next[i]].time != time) continue;
      values += (values.empty() ? "" : ",") + quoted(series[i]->series) + ":" +
                number(series[i]->samples[next[i]++].value);
    }
    add(R"({"ph":"C","name":)" + quoted(series.front()->name) + R"(,"pid":)" +
        std::to_string(series.front()->process + 1) + R"(,"ts":)" + timeOf(time) + R"(,"args":{)" +
        values + "}}");
  }
}

void ChromeWriter::addCounters() {
  std::map<std::pair<uint32_t, std::string>, std::vector<const TraceCounter*>> counters;
  for (const auto& counter : m_trace.counters)
    counters[{counter->process, counter->name}].push_back(counter.get());
  for (const auto& [key, series] : counters)
    addSeries(series);
}

void ChromeWriter::addLinks() {
  for (size_t i = 0; i < m_trace.links.size(); ++i) {
    const TraceLink& link = m_trace.links[i];
    const std::string rest =
        R"(,"cat":"link","name":"link","id":)" + std::to_string(i + 1) + R"(,"ts":)";
    add(R"({"ph":"s",)" + placeOf(link.fromLane) + rest + timeOf(link.from.begin()) + "}");
    add(R"({"ph":"f","bp":"e",)" + placeOf(link.toLane) + rest + timeOf(link.to.begin()) + "}");
  }
}

void ChromeWriter::write(const std::vector<std::pair<std::string, std::string>>& about) {
  m_text.add(R"({"displayTimeUnit":"ns","otherData":{)");
  for (size_t i = 0; i < about.size(); ++i)
    m_text.add((i > 0 ? "," : "") + quoted(about[i].first) + ":" + quoted(about[i].second));
  m_text.add(R"(},"traceEvents":[)");
  addNames();
  for (uint32_t lane = 0; lane < m_trace.lanes.size(); ++lane) {
    const std::string place = placeOf(lane);
    forEachEvent(*m_trace.lanes[lane], [&](const TraceEvent& event, size_t) {
      add(R"({"ph":"X",)" + place + R"(,"ts":)" + timeOf(event.begin()) + R"(,"dur":)" +
          microseconds(event.duration()) + "," + argumentsOf(event.record()) + "}");
    });
    const SharedList<TraceMark>& marks = m_trace.lanes[lane]->marks;
    for (size_t i = 0; i < marks.size(); ++i)
      addMark(marks[i], place, "t");
  }
  for (size_t i = 0; i < m_trace.marks.size(); ++i)
    addMark(m_trace.marks[i], R"("pid":0,"tid":0)", "g");
  addCounters();
  addLinks();
  m_text.add("\n]}\n");
  m_text.flush();
}

std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

std::string extentText(const std::array<int64_t, 3>& size) {
  if (size[0] == 0) return "";
  return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

}  // namespace

void printChromeTrace(const Trace& trace, const TraceSink& sink,
                      const std::vector<std::pair<std::string, std::string>>& about) {
  ChromeWriter(trace, sink).write(about);
}

void printEventTable(const Trace& trace, const TraceSink& sink) {
  PiecewiseText text(sink);
  text.add(
      "process,lane,depth,name,category,layer,op,phase,begin_nanoseconds,nanoseconds,grid,block,"
      "flops,bytes\n");
  for (const auto& lane : trace.lanes) {
    const std::string place =
        csvField(trace.processes[lane->process].name) + "," + csvField(lane->name) + ",";
    forEachEvent(*lane, [&](const TraceEvent& event, size_t row) {
      const TraceRecord& record = trace.recordOf(event);
      const TraceWork& work = trace.works[record.work];
      std::string line = place + std::to_string(row);
      for (const uint32_t each :
           {record.name, record.category, record.layer, record.op, record.phase})
        line += "," + csvField(trace.texts[each]);
      line += "," + std::to_string(trace.origin + event.begin()) + "," +
              std::to_string(event.duration()) + "," + extentText(work.grid) + "," +
              extentText(work.block) + "," + number(work.flops) + "," + number(work.bytes) + "\n";
      text.add(line);
    });
  }
  text.flush();
}

void writeTraceFile(const std::string& path, const Trace& trace, Links links) {
  AtomicFile file(path, links);
  const TraceSink sink = [&](std::string_view text) {
    file.write(text);
  };
  if (path.ends_with(".csv"))
    printEventTable(trace, sink);
  else if (path.ends_with(".json"))
    printChromeTrace(trace, sink);
  else
    printBinaryTrace(trace, sink);
  file.commit();
}

}  // namespace strata
