// SPDX-License-Identifier: Apache-2.0
#include "core/launch/control_message.h"

#include <sys/random.h>

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {
namespace {

constexpr size_t kLengthBytes = 4, kMaxTextBytes = 4096, kSecretBytes = 32;

using Kind = ControlMessage::Kind;
constexpr std::pair<Kind, const char*> kKinds[] = {
    {Kind::Hello, "hello"},     {Kind::Beat, "beat"}, {Kind::Run, "run"},   {Kind::Ended, "ended"},
    {Kind::Welcome, "welcome"}, {Kind::Stop, "stop"}, {Kind::Lost, "lost"}, {Kind::End, "end"},
};

[[noreturn]] void failMessage() {
  throw Error(ErrorCode::InvalidFile, "control connection",
              "got bytes that are no message of this version of Strata.");
}

Kind kindOf(const Json& json) {
  const Json& name = memberOf(json, "message");
  if (name.is_string())
    for (const auto& [kind, text] : kKinds)
      if (name.get_ref<const std::string&>() == text) return kind;
  failMessage();
}

std::string textIn(const Json& json, const char* member) {
  const Json& value = memberOf(json, member);
  if (value.is_null()) return {};
  if (!value.is_string() || value.get_ref<const std::string&>().size() > kMaxTextBytes)
    failMessage();
  return value.get<std::string>();
}

int64_t numberIn(const Json& json, const char* member, int64_t otherwise) {
  const Json& value = memberOf(json, member);
  if (value.is_null()) return otherwise;
  if (!value.is_number_integer()) failMessage();
  return value.get<int64_t>();
}

ControlMessage parseMessage(std::string_view text) {
  Json json;
  try {
    json = parseJson(text, "control connection");
  }
  catch (const Error&) {
    failMessage();
  }
  ControlMessage message;
  message.kind = kindOf(json);
  message.secret = textIn(json, "secret");
  message.host = textIn(json, "host");
  message.text = textIn(json, "text");
  message.rank = numberIn(json, "rank", -1);
  message.process = numberIn(json, "process", 0);
  message.step = numberIn(json, "step", 0);
  message.code = numberIn(json, "code", 0);
  return message;
}

}  // namespace

std::string printMessage(const ControlMessage& message) {
  Json json;
  for (const auto& [kind, text] : kKinds)
    if (kind == message.kind) json["message"] = text;
  for (const auto& [name, text] :
       {std::pair{"secret", &message.secret}, {"host", &message.host}, {"text", &message.text}})
    if (!text->empty())
      json[name] = excerpt(isUtf8(*text) ? *text : asOneLine(*text), kMaxTextBytes);
  if (message.rank >= 0) json["rank"] = message.rank;
  if (message.process != 0) json["process"] = message.process;
  if (message.step != 0) json["step"] = message.step;
  if (message.code != 0) json["code"] = message.code;
  const std::string body = json.dump();
  std::string bytes;
  for (size_t i = kLengthBytes; i > 0; --i)
    bytes += static_cast<char>(body.size() >> (8 * (i - 1)) & 0xff);
  return bytes + body;
}

std::optional<ControlMessage> MessageReader::next() {
  if (m_bytes.size() < kLengthBytes) return std::nullopt;
  size_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i)
    length = length << 8 | static_cast<unsigned char>(m_bytes[i]);
  if (length > kMaxMessageBytes) failMessage();
  if (m_bytes.size() < kLengthBytes + length) return std::nullopt;
  const ControlMessage message =
      parseMessage(std::string_view(m_bytes).substr(kLengthBytes, length));
  m_bytes.erase(0, kLengthBytes + length);
  return message;
}

std::string makeSecret() {
  std::array<unsigned char, kSecretBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error(ErrorCode::IoFailure, "launch", "this system gives no random numbers.");
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

bool isSameSecret(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a.empty()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i)
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  return difference == 0;
}

}  // namespace strata
