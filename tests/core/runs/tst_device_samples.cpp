// SPDX-License-Identifier: Apache-2.0
// The samples of a run's devices: events, the file of a run, summaries, and profile.json.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/runs/energy.h"
#include "core/runs/event_log.h"
#include "core/runs/profile_file.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

DeviceSample sampleOf(const std::string& device, double seconds, size_t ownBytes) {
  DeviceSample sample;
  sample.device = device;
  sample.seconds = seconds;
  sample.state.ownBytes = ownBytes;
  return sample;
}

DeviceSample fullSample() {
  DeviceSample sample = sampleOf("simulated:card", 1.25, 100);
  sample.isSimulated = true;
  sample.state.otherBytes = 200;
  sample.state.totalBytes = 1000;
  sample.state.utilization = 0.75;
  sample.state.celsius = 61;
  sample.state.watts = 350.5;
  sample.state.megahertz = 1980;
  sample.state.memoryMegahertz = 2619;
  return sample;
}

int countLines(const std::string& text) { return static_cast<int>(std::ranges::count(text, '\n')); }

}  // namespace

TEST_SUITE("device samples") {
  TEST_CASE("a sample comes back from the file of a run, and damaged lines are skipped") {
    const TemporaryFolder folder;
    {
      std::ofstream file(folder / "events.jsonl");
      EventLog log(file, false);
      log.onStart({});
      log.onDeviceState(fullSample());
      file << "{\"event\":\"device_state\",\"seconds\":2,\"device\":7}\n"
              "{\"event\":\"device_state\",\"seconds\":\n";
      log.onDeviceState(sampleOf("cpu", 2, 64));
      log.onWarning("{\"event\":\"device_state\"");
    }
    const std::vector<DeviceSample> samples = readDeviceSamples(folder.path().string());
    REQUIRE(samples.size() == 2);
    const DeviceSample full = fullSample();
    CHECK(samples[0].device == full.device);
    CHECK(samples[0].seconds == full.seconds);
    CHECK(samples[0].isSimulated);
    CHECK((samples[0].state == full.state));
    CHECK(samples[1].device == "cpu");
    CHECK_FALSE(samples[1].isSimulated);
    CHECK((samples[1].state == sampleOf("cpu", 2, 64).state));
    CHECK(readDeviceSamples((folder / "absent").string()).empty());
  }

  TEST_CASE("the file omits equal samples of a device, and observers get them all") {
    for (const bool isFile : {true, false}) {
      std::ostringstream text;
      EventLog log(text, !isFile);
      for (int i = 0; i < 4; ++i) {
        log.onDeviceState(sampleOf("a", i, 100));
        log.onDeviceState(sampleOf("b", i, i < 2 ? 100 : 200));
      }
      CHECK(countLines(text.str()) == (isFile ? 3 : 8));
    }
  }

  TEST_CASE("the file of a long run stays small") {
    std::ostringstream text;
    EventLog log(text, false);
    constexpr int kTenMinutes = 4 * 600, kWeek = 4 * 3600 * 24 * 7;
    for (int i = 0; i < kWeek; ++i) {
      log.onDeviceState(sampleOf("cpu", 0.25 * i, static_cast<size_t>(i % 2)));
      if (i == kTenMinutes - 1) CHECK(countLines(text.str()) == kTenMinutes);
    }
    CHECK(countLines(text.str()) < 20 * 1000);
    CHECK(countLines(text.str()) > 4 * 1000);
  }

  TEST_CASE("a summary has peaks, means and maxima of the values that are known") {
    DeviceSummary summary;
    summary.device = "card";
    DeviceSample first = fullSample(), second = sampleOf("card", 2, 50);
    second.isSimulated = true;
    second.state.utilization = 0.25;
    summary.add(first);
    summary.add(second);
    CHECK(summary.samples == 2);
    CHECK(summary.ownPeakBytes == size_t{100});
    CHECK(summary.otherPeakBytes == size_t{200});
    CHECK(summary.utilization.mean == 0.5);
    CHECK(summary.utilization.maximum == 0.75);
    CHECK(summary.celsius.count == 1);
    CHECK(summary.celsius.mean == 61);
    CHECK(summaryToJson(summary).at("watts").at("max") == 350.5);
    DeviceSummary poor;
    poor.device = "cpu";
    poor.add(sampleOf("cpu", 1, 8));
    CHECK(summaryToJson(poor).dump() ==
          R"({"device":"cpu","simulated":false,"samples":1,"own_peak_bytes":8})");
  }

  TEST_CASE("the energy is the integral of the power over the time of training") {
    DeviceSummary summary;
    summary.device = "cuda:0";
    const auto add = [&](double seconds, std::optional<double> watts) {
      DeviceSample sample = sampleOf("cuda:0", seconds, 100);
      sample.state.watts = watts;
      summary.add(sample);
    };
    add(1, 100);
    add(2, 200);
    add(4, 200);
    CHECK(summary.energy.joules == 150 + 400);
    CHECK(summary.energy.seconds == 3);
    // Nothing is known of the time around a sample without power
    add(5, std::nullopt);
    add(6, 100);
    add(7, 100);
    CHECK(summary.energy.joules == 650);
    CHECK(summary.energy.seconds == 4);
    const DeviceSummary read = summaryFromJson(summaryToJson(summary));
    CHECK(read.energy.joules == 650);
    CHECK(read.energy.seconds == 4);

    const RunEnergy energy = energyOf({}, std::vector{read, read}, 13);
    REQUIRE(energy.isKnown());
    CHECK(energy.joules == 1300);
    CHECK(energy.joulesPerSample == 100.0);
    CHECK_FALSE(energyOf({}, std::vector{read}, 0).joulesPerSample);
  }

  TEST_CASE("an unknown energy has a reason") {
    const auto reasonOf = [](const std::vector<DeviceSummary>& devices) {
      const RunEnergy energy = energyOf({}, devices, 100);
      CHECK_FALSE(energy.isKnown());
      return formatText(energy.problem.text, energy.problem.arguments);
    };
    DeviceSummary cpu, card;
    cpu.add(sampleOf("cpu", 1, 8));
    cpu.device = "cpu";
    card.device = "simulated:card";
    card.add(fullSample());
    DeviceSample second = fullSample();
    second.seconds = 2;
    card.add(second);
    CHECK(reasonOf({}) == "the run has no states of its devices");
    CHECK(reasonOf({cpu}) == "cpu does not report its power");
    CHECK(reasonOf({card}) == "simulated:card is simulated");
    CHECK_FALSE(card.energy.isKnown());
    RunStart continued, launched;
    continued.firstStep = 1;
    launched.processes = {"process 1 on a", "process 2 on b"};
    for (const RunStart& start : {continued, launched})
      CHECK_FALSE(energyOf(start, std::vector{card}, 100).isKnown());
  }

  TEST_CASE("profile.json and the event of the end have the summaries") {
    const TemporaryFolder folder;
    ProfileSnapshot profile;
    profile.steps = 1;
    DeviceSummary& summary = profile.devices.emplace_back();
    summary.device = "simulated:card";
    summary.add(fullSample());
    writeProfile(folder.path().string(), profile);
    const auto read = readProfile(folder.path().string());
    REQUIRE(read);
    REQUIRE(read->devices.size() == 1);
    CHECK(summaryToJson(read->devices[0]) == summaryToJson(summary));
    CHECK(read->devices[0].memoryMegahertz.count == 1);
    std::ostringstream text;
    EventLog log(text, false);
    RunOutcome outcome;
    outcome.devices = profile.devices;
    log.onOutcome(outcome);
    CHECK(Json::parse(text.str()).at("devices").at(0) == summaryToJson(summary));
  }
}
