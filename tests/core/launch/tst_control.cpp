// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "core/launch/control_server.h"
#include "core/launch/launch_command.h"
#include "gpu/base/error.h"

namespace strata {
namespace {

using Kind = ControlMessage::Kind;

ControlMessage helloOf(int rank, const std::string& secret) {
  return {.kind = Kind::Hello, .secret = secret, .host = "node", .rank = rank, .process = 42};
}

/// Sends messages to the server, and returns the connection after the server has read them.
ControlSocket connected(ControlServer& server, const std::vector<ControlMessage>& messages) {
  ControlSocket socket(connectControl(server.addresses(), 1));
  for (const ControlMessage& message : messages)
    socket.send(message);
  for (int i = 0; i < 5; ++i)
    server.handle(10);
  return socket;
}

bool isRefused(ControlServer& server, const ControlMessage& hello) {
  ControlSocket socket = connected(server, {hello});
  const std::vector<ControlMessage> answer = socket.read();
  return answer.empty() && !socket.isOpen();
}

}  // namespace

TEST_CASE("Messages survive printing and reading in pieces") {
  const ControlMessage message{.kind = Kind::Ended,
                               .secret = "s",
                               .host = "node \"7\"",
                               .text = "a\nb",
                               .rank = 3,
                               .process = 99,
                               .step = int64_t{1} << 40,
                               .code = 130};
  const std::string bytes = printMessage(message) + printMessage({.kind = Kind::Beat});
  MessageReader reader;
  std::vector<ControlMessage> read;
  for (const char byte : bytes) {
    reader.add({&byte, 1});
    while (const auto next = reader.next())
      read.push_back(*next);
  }
  REQUIRE(read.size() == 2);
  CHECK(read[0] == message);
  CHECK(read[1] == ControlMessage{.kind = Kind::Beat});
}

TEST_CASE("A text of any length fits into a message") {
  MessageReader reader;
  reader.add(printMessage({.kind = Kind::Ended, .text = std::string(100'000, '\x01')}));
  const auto read = reader.next();
  REQUIRE(read);
  CHECK(read->text.size() <= 4096);
}

TEST_CASE("Bytes that are no message are refused before they take memory") {
  for (const std::string& bytes :
       {std::string("\xff\xff\xff\xff", 4), std::string("\0\0\0\2{]", 6),
        std::string("\0\0\0\2{}", 6), std::string("\0\0\0\x14{\"message\":\"explode\"}", 25)}) {
    MessageReader reader;
    reader.add(bytes);
    CHECK_THROWS_AS((void)reader.next(), Error);
  }
}

TEST_CASE("Only processes that know the secret are accepted, once a rank") {
  ControlServer server(2, true);
  CHECK(isRefused(server, helloOf(0, "wrong")));
  CHECK(isRefused(server, helloOf(0, "")));
  CHECK(isRefused(server, helloOf(0, std::string(server.secret().size(), '0'))));
  CHECK(isRefused(server, helloOf(2, server.secret())));
  CHECK(isRefused(server, helloOf(-1, server.secret())));
  CHECK(isRefused(server, {.kind = Kind::Beat}));
  ControlSocket first = connected(
      server, {helloOf(1, server.secret()), {.kind = Kind::Beat, .text = "training", .step = 7}});
  CHECK(first.isOpen());
  CHECK(server.workers()[1].isConnected);
  CHECK(server.workers()[1].host == "node");
  CHECK(server.workers()[1].step == 7);
  CHECK_FALSE(server.workers()[0].hasJoined);
  CHECK(isRefused(server, helloOf(1, server.secret())));
  first.close();
  for (int i = 0; i < 5; ++i)
    server.handle(10);
  CHECK_FALSE(server.workers()[1].isConnected);
}

TEST_CASE("Strangers take a limited number of connections") {
  ControlServer server(1, true);
  std::vector<ControlSocket> strangers;
  for (int i = 0; i < 200; ++i)
    strangers.emplace_back(connectControl(server.addresses(), 1));
  for (int i = 0; i < 20; ++i)
    server.handle(10);
  int open = 0;
  for (ControlSocket& each : strangers) {
    (void)each.read();
    open += each.isOpen();
  }
  CHECK(open <= 64);
}

TEST_CASE("Without hosts, launch listens on the loopback alone") {
  const ControlServer server(1, true);
  CHECK(server.addresses().starts_with("127.0.0.1:"));
  CHECK(server.addresses().find(',') == std::string::npos);
}

TEST_CASE("Secrets are long and new each time") {
  CHECK(makeSecret().size() == 64);
  CHECK(makeSecret() != makeSecret());
  CHECK(isSameSecret("abc", "abc"));
  CHECK_FALSE(isSameSecret("abc", "abd"));
  CHECK_FALSE(isSameSecret("", ""));
}

TEST_CASE("The command never contains the secret") {
  LaunchOptions options;
  options.processes = 3;
  options.hosts = {"a", "b"};
  options.program = "/opt/strata";
  options.words = {"train", "my project.json"};
  for (const bool isSlurm : {false, true}) {
    options.isSlurm = isSlurm;
    const LaunchCommand command = composeCommand(options, "10.0.0.1:5", "top secret");
    const std::string text = commandText(command.words);
    CHECK(text.find("top secret") == std::string::npos);
    CHECK(text.ends_with("/opt/strata train 'my project.json'"));
    CHECK(text.find(isSlurm ? "--nodelist=a,b" : "--host a:2,b:2") != std::string::npos);
  }
}

TEST_CASE("A restart continues the run with the other options unchanged") {
  const std::vector<std::string> words{"train",   "p.json", "--run-dir",      "r",
                                       "--steps", "5",      "--resume=latest"};
  CHECK(wordsToResume(words, "p.runs/001") ==
        std::vector<std::string>{"train", "p.json", "--steps", "5", "--resume", "p.runs/001"});
}

}  // namespace strata
