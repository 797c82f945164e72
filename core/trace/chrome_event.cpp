// SPDX-License-Identifier: Apache-2.0
#include "core/trace/chrome_event.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace strata {

namespace {

using Token = JsonTokens::Token;

// The difference of two such times fits into nanoseconds
constexpr int64_t kMaxMicroseconds = 4'500'000'000'000'000;
constexpr size_t kMaxValues = 64;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

ChromeTime timeOf(int64_t microseconds, int64_t picoseconds) {
  int64_t nanoseconds = microseconds * 1000 + picoseconds / 1000;
  auto rest = static_cast<int32_t>(picoseconds % 1000);
  if (rest < 0) {
    rest += 1000;
    --nanoseconds;
  }
  return {nanoseconds, rest};
}

std::optional<double> numberOf(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

/// Reads a number with an exponent, whose digits beyond those of a double do not matter.
std::optional<ChromeTime> parseScientific(std::string_view text) {
  const auto value = numberOf(text);
  if (!value || std::abs(*value) > static_cast<double>(kMaxMicroseconds)) return {};
  const double whole = std::floor(*value);
  return timeOf(static_cast<int64_t>(whole), static_cast<int64_t>((*value - whole) * 1e6));
}

/// Returns an id, which may also be a text with hexadecimal digits.
std::optional<uint64_t> idOf(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    text.remove_prefix(2);
    base = 16;
  }
  uint64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id, base);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return id;
}

bool isScalar(Token token) { return token == Token::String || token == Token::Number; }

/// Returns a finite number of a value, or 0.
double numberFrom(const JsonTokens& tokens, Token token) {
  return isScalar(token) ? numberOf(tokens.text()).value_or(0) : 0;
}

int64_t integerFrom(const JsonTokens& tokens, Token token) {
  constexpr double kMost = 9e15;
  return static_cast<int64_t>(std::clamp(numberFrom(tokens, token), -kMost, kMost));
}

void readExtent(JsonTokens& tokens, Token token, std::array<int64_t, 3>& extent) {
  if (token != Token::BeginArray) return tokens.skipValue(token);
  size_t count = 0;
  for (Token each = tokens.next(); each != Token::EndArray; each = tokens.next()) {
    if (count < extent.size()) extent[count++] = std::max<int64_t>(0, integerFrom(tokens, each));
    tokens.skipValue(each);
  }
}

/// Takes an argument that describes what a kernel did. Returns false for another name.
bool takeWork(const JsonTokens& tokens, Token token, std::string_view key, TraceWork& work) {
  const auto integer = [&](int64_t& target) {
    target = std::max<int64_t>(0, integerFrom(tokens, token));
    return true;
  };
  const auto number = [&](double& target, double factor = 1) {
    target = std::max(0.0, factor * numberFrom(tokens, token));
    return true;
  };
  if (key == "registers" || key == "registers per thread") return integer(work.registers);
  if (key == "shared_bytes" || key == "shared memory") return integer(work.sharedBytes);
  if (key == "theoretical_occupancy") return number(work.theoreticalOccupancy);
  if (key == "occupancy") return number(work.occupancy);
  if (key == "est. achieved occupancy %") return number(work.occupancy, 0.01);
  if (key == "flops") return number(work.flops);
  if (key == "bytes") return number(work.bytes);
  return false;
}

void assign(const JsonTokens& tokens, Token token, std::string& target) {
  if (isScalar(token)) target = tokens.text();
}

/// Takes an argument whose value is a text or a number.
void takeArgument(const JsonTokens& tokens, Token token, const std::string& key,
                  ChromeEvent& event) {
  // The phase may follow the arguments
  if (event.phase == 'C' || event.phase == 0) {
    const auto value = numberOf(tokens.text());
    if (value && event.values.size() < kMaxValues) event.values.emplace_back(key, *value);
  }
  if (event.phase == 'C' || takeWork(tokens, token, key, event.work)) return;
  if (key == "name" || key == "labels")
    event.newName = tokens.text();
  else if (key == "sort_index")
    event.newPlace = integerFrom(tokens, token);
  else if (key == "op")
    event.op = tokens.text();
  else if (key == "layer")
    event.layer = tokens.text();
  else if (key == "phase")
    event.computePhase = tokens.text();
  else if (key == "External id" || key == "external id")
    event.externalId = idOf(tokens.text());
  else if (key == "correlation")
    event.correlation = idOf(tokens.text());
  else if (key == "Total Allocated")
    event.allocated = numberOf(tokens.text());
  else if (key == "Device Type")
    event.memoryKind = tokens.text();
  else if (key == "Device Id")
    event.memoryNumber = tokens.text();
}

void readArguments(JsonTokens& tokens, ChromeEvent& event) {
  const Token token = tokens.next();
  if (token != Token::BeginObject) return tokens.skipValue(token);
  // Long keys are no names of known arguments
  constexpr size_t kMaxKey = 200;
  std::string key;
  while (tokens.next() == Token::Key) {
    key = tokens.text().substr(0, kMaxKey);
    const Token value = tokens.next();
    if (isScalar(value))
      takeArgument(tokens, value, key, event);
    else if (key == "grid")
      readExtent(tokens, value, event.work.grid);
    else if (key == "block")
      readExtent(tokens, value, event.work.block);
    else
      tokens.skipValue(value);
  }
}

/// Reads a member other than the arguments.
void readMember(const JsonTokens& tokens, Token token, const std::string& key, ChromeEvent& event) {
  if (key == "ph" && token == Token::String)
    event.phase = tokens.text().size() == 1 ? tokens.text().front() : '?';
  else if (key == "name")
    assign(tokens, token, event.name);
  else if (key == "cat")
    assign(tokens, token, event.category);
  else if (key == "pid")
    assign(tokens, token, event.pid);
  else if (key == "tid")
    assign(tokens, token, event.tid);
  else if (key == "id")
    assign(tokens, token, event.id);
  else if (key == "s")
    assign(tokens, token, event.scope);
  else if (key == "bp")
    assign(tokens, token, event.bindingPoint);
  else if (key == "ts" && isScalar(token))
    event.time = parseMicroseconds(tokens.text());
  else if (key == "dur" && isScalar(token))
    event.duration = parseMicroseconds(tokens.text());
}

}  // namespace

std::optional<ChromeTime> parseMicroseconds(std::string_view text) {
  size_t at = text.starts_with('-') ? 1 : 0;
  const int64_t sign = at == 1 ? -1 : 1;
  const size_t first = at;
  int64_t whole = 0;
  for (; at < text.size() && isDigit(text[at]); ++at) {
    whole = whole * 10 + (text[at] - '0');
    if (whole > kMaxMicroseconds) return {};
  }
  if (at == first) return {};
  int64_t picoseconds = 0;
  if (at < text.size() && text[at] == '.') {
    const size_t point = at++;
    for (int64_t unit = 100'000; at < text.size() && isDigit(text[at]); ++at, unit /= 10)
      picoseconds += unit * (text[at] - '0');
    if (at == point + 1) return {};
  }
  if (at < text.size()) return parseScientific(text);
  return timeOf(sign * whole, sign * picoseconds);
}

std::optional<int64_t> sumOf(const ChromeTime& begin, const ChromeTime& duration) {
  int64_t sum = 0;
  if (__builtin_add_overflow(begin.nanoseconds, duration.nanoseconds, &sum) ||
      __builtin_add_overflow(sum, (begin.picoseconds + duration.picoseconds) / 1000, &sum))
    return {};
  return sum;
}

void ChromeEvent::clear() {
  phase = 0;
  for (std::string* text : {&name, &category, &pid, &tid, &id, &scope, &bindingPoint, &newName, &op,
                            &layer, &computePhase, &memoryKind, &memoryNumber})
    text->clear();
  time.reset();
  duration.reset();
  newPlace.reset();
  externalId.reset();
  correlation.reset();
  allocated.reset();
  work = {};
  values.clear();
}

void readChromeEvent(JsonTokens& tokens, ChromeEvent& event) {
  event.clear();
  std::string key;
  constexpr size_t kMaxKey = 16;
  while (tokens.next() == Token::Key) {
    key = tokens.text().substr(0, kMaxKey);
    if (key == "args") {
      readArguments(tokens, event);
      continue;
    }
    const Token token = tokens.next();
    readMember(tokens, token, key, event);
    tokens.skipValue(token);
  }
}

}  // namespace strata
