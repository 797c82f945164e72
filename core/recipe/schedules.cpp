// SPDX-License-Identifier: Apache-2.0
// Defines the schedules. All numbers are rounded to float32 as in Keras. At the border of two
// cycles, another precision would select the other cycle.
#include "core/recipe/schedules.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"

namespace strata {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;

float floatOf(const Json& fields, const char* name) { return fields.at(name).get<float>(); }

FieldSchema initialRate(const char* value = "", const char* example = "0.001") {
  FieldSchema field = numberField("initial_learning_rate", value, 0.0, {},
                                  STRATA_TEXT("training", "Initial learning rate"),
                                  STRATA_TEXT("training", "Learning rate of the first step"));
  return *value ? field : requiredField(std::move(field), example);
}
FieldSchema stepsField(const char* name, Text title, Text help, const char* value = "") {
  FieldSchema field = integerField(name, value, *value ? 0 : 1, 1e15, title, help);
  return *value ? field : requiredField(std::move(field), "1000");
}
FieldSchema decayPeriod() {
  return stepsField("decay_steps", STRATA_TEXT("training", "Decay steps"),
                    STRATA_TEXT("training", "Number of steps in a decay period"));
}
FieldSchema decaySteps() {
  return stepsField("decay_steps", STRATA_TEXT("training", "Decay steps"),
                    STRATA_TEXT("training", "Number of steps that the decay lasts"));
}
FieldSchema decayRate(Text help) {
  return requiredField(positiveField("decay_rate", "", STRATA_TEXT("training", "Decay rate"), help),
                       "0.9");
}
FieldSchema staircase() {
  return flagField(
      "staircase", "false", STRATA_TEXT("training", "Staircase"),
      STRATA_TEXT("training",
                  "Lowers the learning rate once per decay period instead of continuously"));
}
FieldSchema alpha() {
  return numberField(
      "alpha", "0.0", 0.0, 1.0, STRATA_TEXT("training", "Alpha"),
      STRATA_TEXT(
          "training",
          "Minimum learning rate as a fraction of the learning rate at the start of the decay"));
}

ScheduleDef schedule(const char* type, Text help, const char* formula, const char* source,
                     std::vector<FieldSchema> fields, RateSchedule (*make)(const Json&),
                     std::optional<EntryProblem> (*check)(const Json&) = nullptr) {
  ScheduleDef result;
  result.schema = {.type = type,
                   .group = "Schedule",
                   .help = help,
                   .formula = formula,
                   .source = source,
                   .fields = std::move(fields)};
  result.make = make;
  result.check = check;
  return result;
}

// --- Decays

RateSchedule exponential(const Json& fields) {
  return [initial = floatOf(fields, "initial_learning_rate"), over = floatOf(fields, "decay_steps"),
          rate = floatOf(fields, "decay_rate"),
          isStairs = fields.at("staircase").get<bool>()](int64_t step) {
    const float p = static_cast<float>(step) / over;
    return static_cast<double>(initial * std::pow(rate, isStairs ? std::floor(p) : p));
  };
}

RateSchedule inverseTime(const Json& fields) {
  return [initial = floatOf(fields, "initial_learning_rate"), over = floatOf(fields, "decay_steps"),
          rate = floatOf(fields, "decay_rate"),
          isStairs = fields.at("staircase").get<bool>()](int64_t step) {
    const float p = static_cast<float>(step) / over;
    return static_cast<double>(initial / (1 + rate * (isStairs ? std::floor(p) : p)));
  };
}

RateSchedule polynomial(const Json& fields) {
  return [initial = floatOf(fields, "initial_learning_rate"), over = floatOf(fields, "decay_steps"),
          end = floatOf(fields, "end_learning_rate"), exponent = floatOf(fields, "power"),
          cycles = fields.at("cycle").get<bool>()](int64_t number) {
    float step = static_cast<float>(number), span = over;
    if (cycles)
      span *= step == 0 ? 1 : std::ceil(step / over);
    else
      step = std::min(step, over);
    return static_cast<double>((initial - end) * std::pow(1 - step / span, exponent) + end);
  };
}

RateSchedule stepwise(const Json& fields) {
  return [initial = floatOf(fields, "initial_learning_rate"),
          size = fields.at("step_size").get<int64_t>(),
          gamma = floatOf(fields, "gamma")](int64_t step) {
    return static_cast<double>(initial * std::pow(gamma, static_cast<float>(step / size)));
  };
}

RateSchedule piecewise(const Json& fields) {
  return [boundaries = fields.at("boundaries").get<std::vector<int64_t>>(),
          values = fields.at("values").get<std::vector<float>>()](int64_t step) {
    const auto passed = std::count_if(boundaries.begin(), boundaries.end(),
                                      [&](int64_t boundary) { return step > boundary; });
    return static_cast<double>(values[static_cast<size_t>(passed)]);
  };
}

std::optional<EntryProblem> checkPiecewise(const Json& fields) {
  const Json &boundaries = fields.at("boundaries"), &values = fields.at("values");
  if (values.size() != boundaries.size() + 1 || boundaries.empty())
    return EntryProblem{
        "values",
        STRATA_TEXT("problem",
                    "values has %1 rates and boundaries has %2 steps (expected one more rate than "
                    "steps, and at least one step). Add or remove values."),
        {std::to_string(values.size()), std::to_string(boundaries.size())}};
  for (size_t i = 1; i < boundaries.size(); ++i)
    if (boundaries[i].get<int64_t>() <= boundaries[i - 1].get<int64_t>())
      return EntryProblem{
          "boundaries",
          STRATA_TEXT("problem",
                      "boundaries has %1 after %2 (expected increasing steps). Sort the steps."),
          {boundaries[i].dump(), boundaries[i - 1].dump()}};
  return {};
}

// --- Cosines

RateSchedule cosine(const Json& fields) {
  const bool hasWarmup = !fields.at("warmup_target").is_null();
  const float initial = floatOf(fields, "initial_learning_rate");
  return [initial, over = floatOf(fields, "decay_steps"), floor = floatOf(fields, "alpha"),
          hasWarmup, target = hasWarmup ? floatOf(fields, "warmup_target") : initial,
          warmup = hasWarmup ? floatOf(fields, "warmup_steps") : 0.0f](int64_t number) {
    const float step = std::min(static_cast<float>(number), over + warmup);
    if (step < warmup) return static_cast<double>((target - initial) * (step / warmup) + initial);
    const float decayed = 0.5f * (1 + std::cos(kPi * ((step - warmup) / over)));
    return static_cast<double>(target * ((1 - floor) * decayed + floor));
  };
}

RateSchedule cosineRestarts(const Json& fields) {
  return [initial = floatOf(fields, "initial_learning_rate"),
          first = floatOf(fields, "first_decay_steps"), periodFactor = floatOf(fields, "t_mul"),
          lower = floatOf(fields, "m_mul"), floor = floatOf(fields, "alpha")](int64_t step) {
    float fraction = static_cast<float>(step) / first, restarts;
    if (periodFactor == 1) {
      restarts = std::floor(fraction);
      fraction -= restarts;
    }
    else {
      restarts = std::floor(std::log(1 - fraction * (1 - periodFactor)) / std::log(periodFactor));
      const float before = (1 - std::pow(periodFactor, restarts)) / (1 - periodFactor);
      fraction = (fraction - before) / std::pow(periodFactor, restarts);
    }
    const float decayed = 0.5f * std::pow(lower, restarts) * (1 + std::cos(kPi * fraction));
    return static_cast<double>(initial * ((1 - floor) * decayed + floor));
  };
}

// --- Schedules with a warmup

RateSchedule oneCycle(const Json& fields) {
  const float most = floatOf(fields, "max_lr"), initial = most / floatOf(fields, "div_factor"),
              least = initial / floatOf(fields, "final_div_factor");
  const float last = floatOf(fields, "total_steps") - 1,
              top = floatOf(fields, "pct_start") * (last + 1) - 1;
  struct Phase {
    float end, from, to;
  };
  std::vector<Phase> phases{{top, initial, most}};
  if (fields.at("three_phase").get<bool>()) phases.push_back({2 * top, most, initial});
  phases.push_back({last, phases.back().to, least});
  return [phases, isLinear = fields.at("anneal_strategy").get_ref<const std::string&>() ==
                             "linear"](int64_t number) {
    const float step = std::min(static_cast<float>(number), phases.back().end);
    float begin = 0;
    for (const Phase& phase : phases) {
      if (step <= phase.end || &phase == &phases.back()) {
        const float share = phase.end > begin ? (step - begin) / (phase.end - begin) : 1.0f;
        return static_cast<double>(isLinear ? phase.from + (phase.to - phase.from) * share
                                            : phase.to + (phase.from - phase.to) / 2 *
                                                             (1 + std::cos(kPi * share)));
      }
      begin = phase.end;
    }
    return 0.0;
  };
}

RateSchedule warmup(const Json& fields) {
  return [initial = floatOf(fields, "initial_learning_rate"),
          over = fields.at("warmup_steps").get<int64_t>(),
          after = makeSchedule(fields.at("schedule"))](int64_t step) {
    if (step >= over) return after(step - over);
    const float target = static_cast<float>(after(0));
    return static_cast<double>(initial + (target - initial) *
                                             (static_cast<float>(step) / static_cast<float>(over)));
  };
}

FieldSchema listField(const char* name, FieldType type, const char* example, Text title,
                      Text help) {
  FieldSchema field{.name = name, .type = type, .exampleJson = example, .minimum = 0.0};
  field.help = help;
  field.title = title;
  return field;
}

}  // namespace

std::span<const ScheduleDef* const> allSchedules() {
  static const std::vector<ScheduleDef> schedules = [] {
    std::vector<ScheduleDef> list;
    list.push_back(schedule(
        "ExponentialDecay",
        STRATA_TEXT("training",
                    "Multiplies the learning rate by the same factor in each decay period"),
        "initial * decay_rate ^ (step / decay_steps)",
        "Keras 3, keras.optimizers.schedules.ExponentialDecay",
        {initialRate(), decayPeriod(),
         decayRate(STRATA_TEXT(
             "training", "Factor by which the learning rate is multiplied in each decay period")),
         staircase()},
        exponential));
    list.push_back(schedule(
        "PiecewiseConstantDecay",
        STRATA_TEXT("training", "A constant learning rate for each interval of steps"),
        "values[number of boundaries below step]",
        "Keras 3, keras.optimizers.schedules.PiecewiseConstantDecay",
        {listField(
             "boundaries", FieldType::IntegerList, "[1000, 2000]",
             STRATA_TEXT("training", "Boundaries"),
             STRATA_TEXT("training",
                         "Last step of each interval except the final one, in increasing order")),
         listField("values", FieldType::NumberList, "[0.001, 0.0005, 0.0001]",
                   STRATA_TEXT("training", "Values"),
                   STRATA_TEXT("training",
                               "Learning rates of the intervals; one value more than boundaries"))},
        piecewise, checkPiecewise));
    list.push_back(schedule(
        "PolynomialDecay",
        STRATA_TEXT("training", "Decays to the end learning rate along a polynomial"),
        "(initial - end) * (1 - step / decay_steps) ^ power + end",
        "Keras 3, keras.optimizers.schedules.PolynomialDecay",
        {initialRate(), decaySteps(),
         numberField("end_learning_rate", "0.0001", 0.0, {},
                     STRATA_TEXT("training", "End learning rate"),
                     STRATA_TEXT("training", "Learning rate at the end of the decay")),
         positiveField("power", "1.0", STRATA_TEXT("training", "Power"),
                       STRATA_TEXT("training", "Exponent of the polynomial; 1: a straight line")),
         flagField("cycle", "false", STRATA_TEXT("training", "Cycle"),
                   STRATA_TEXT("training", "Starts a new decay each time one ends"))},
        polynomial));
    list.push_back(schedule(
        "InverseTimeDecay",
        STRATA_TEXT("training", "Decays in inverse proportion to the number of steps"),
        "initial / (1 + decay_rate * step / decay_steps)",
        "Keras 3, keras.optimizers.schedules.InverseTimeDecay",
        {initialRate(), decayPeriod(),
         decayRate(STRATA_TEXT("training",
                               "Strength of the decay; after one decay period the learning rate is "
                               "the initial one divided by 1 + decay rate")),
         staircase()},
        inverseTime));
    list.push_back(schedule(
        "CosineDecay",
        STRATA_TEXT("training", "Decays along half a cosine wave, after an optional warm-up"),
        "initial * ((1 - alpha) * (1 + cos(pi * step / decay_steps)) / 2 + alpha)",
        "Loshchilov and Hutter, 2016; Keras 3, keras.optimizers.schedules.CosineDecay",
        {initialRate(), decaySteps(), alpha(),
         numberField(
             "warmup_target", "null", 0.0, {}, STRATA_TEXT("training", "Warm-up target"),
             STRATA_TEXT("training", "Learning rate at the end of the warm-up; none: no warm-up")),
         stepsField("warmup_steps", STRATA_TEXT("training", "Warm-up steps"),
                    STRATA_TEXT("training", "Number of steps during which the learning rate rises"),
                    "0")},
        cosine));
    list.push_back(schedule(
        "CosineDecayRestarts",
        STRATA_TEXT(
            "training",
            "Repeated half cosine waves; each can be longer and lower than the previous one"),
        "initial * m_mul ^ restarts * ((1 - alpha) * (1 + cos(pi * share of the cycle)) / 2 + "
        "alpha)",
        "Loshchilov and Hutter, 2016; Keras 3, keras.optimizers.schedules.CosineDecayRestarts",
        {initialRate(),
         stepsField("first_decay_steps", STRATA_TEXT("training", "First decay steps"),
                    STRATA_TEXT("training", "Number of steps of the first cycle")),
         [] {
           FieldSchema field = numberField(
               "t_mul", "2.0", 1.0, {}, STRATA_TEXT("training", "Cycle length factor"),
               STRATA_TEXT("training", "Length of each cycle as a multiple of the previous one"));
           return field;
         }(),
         positiveField("m_mul", "1.0", STRATA_TEXT("training", "Cycle learning rate factor"),
                       STRATA_TEXT("training",
                                   "Initial learning rate of each cycle as a fraction of that of "
                                   "the previous cycle")),
         alpha()},
        cosineRestarts));
    list.push_back(schedule(
        "StepLR",
        STRATA_TEXT("training", "Multiplies the learning rate by a factor at regular intervals"),
        "initial * gamma ^ floor(step / step_size)", "PyTorch, torch.optim.lr_scheduler.StepLR",
        {initialRate(),
         stepsField("step_size", STRATA_TEXT("training", "Step size"),
                    STRATA_TEXT("training",
                                "Number of steps between two reductions of the learning rate")),
         positiveField("gamma", "0.1", STRATA_TEXT("training", "Gamma"),
                       STRATA_TEXT("training",
                                   "Factor by which each reduction multiplies the learning rate"))},
        stepwise));
    list.push_back(schedule(
        "OneCycleLR",
        STRATA_TEXT(
            "training",
            "One cycle: rises to the maximum learning rate, then falls far below the initial one"),
        "max_lr / div_factor -> max_lr over pct_start of the steps, then -> max_lr / div_factor / "
        "final_div_factor",
        "Smith and Topin, 2017; PyTorch, torch.optim.lr_scheduler.OneCycleLR",
        {requiredField(positiveField("max_lr", "", STRATA_TEXT("training", "Maximum learning rate"),
                                     STRATA_TEXT("training", "Highest learning rate of the cycle")),
                       "0.01"),
         stepsField(
             "total_steps", STRATA_TEXT("training", "Total steps"),
             STRATA_TEXT(
                 "training",
                 "Number of steps of the cycle; afterwards the final learning rate is kept")),
         numberField(
             "pct_start", "0.3", 0.0, 1.0, STRATA_TEXT("training", "Rising fraction"),
             STRATA_TEXT("training", "Fraction of the steps during which the learning rate rises")),
         {.name = "anneal_strategy",
          .type = FieldType::Choice,
          .defaultJson = "\"cos\"",
          .choices = {"cos", "linear"},
          .help = STRATA_TEXT("training",
                              "Shape of rise and fall: half a cosine wave or a straight line"),
          .title = STRATA_TEXT("training", "Annealing")},
         positiveField(
             "div_factor", "25.0", STRATA_TEXT("training", "Start divisor"),
             STRATA_TEXT("training",
                         "The initial learning rate is the maximum divided by this value")),
         positiveField(
             "final_div_factor", "10000.0", STRATA_TEXT("training", "End divisor"),
             STRATA_TEXT("training",
                         "The final learning rate is the initial one divided by this value")),
         flagField("three_phase", "false", STRATA_TEXT("training", "Three phases"),
                   STRATA_TEXT("training",
                               "The learning rate falls back to its initial value as fast as it "
                               "rose, then below it"))},
        oneCycle));
    FieldSchema after = requiredField(
        numberField("schedule", "", 0.0, {}, STRATA_TEXT("training", "After the warm-up"),
                    STRATA_TEXT("training", "Learning rate or schedule after the warm-up")),
        "0.001");
    after.registry = "schedule";
    after.objects = scheduleSchemas;
    list.push_back(schedule(
        "LinearWarmup", STRATA_TEXT("training", "Linear warm-up before any other schedule"),
        "initial + (after(0) - initial) * step / warmup_steps, then after(step - warmup_steps)",
        "Goyal et al., 2017",
        {initialRate("0.0"),
         stepsField(
             "warmup_steps", STRATA_TEXT("training", "Warm-up steps"),
             STRATA_TEXT("training", "Number of steps during which the learning rate rises")),
         after},
        warmup));
    return list;
  }();
  static const std::vector<const ScheduleDef*> pointers = [] {
    std::vector<const ScheduleDef*> result;
    for (const auto& each : schedules)
      result.push_back(&each);
    return result;
  }();
  return pointers;
}

std::span<const Schema* const> scheduleSchemas() {
  static const std::vector<const Schema*> schemas = [] {
    std::vector<const Schema*> result;
    for (const ScheduleDef* each : allSchedules())
      result.push_back(&each->schema);
    return result;
  }();
  return schemas;
}

const ScheduleDef* findSchedule(std::string_view type) {
  for (const ScheduleDef* each : allSchedules())
    if (each->schema.type == type) return each;
  return nullptr;
}

RateSchedule makeSchedule(const Json& rate) {
  if (rate.is_number())
    return [value = rate.get<double>()](int64_t) {
      return value;
    };
  return findSchedule(rate.at("type").get_ref<const std::string&>())->make(rate);
}

void checkSchedule(const Json& schedule, const std::string& where, Diagnostics& diagnostics) {
  const ScheduleDef* definition = findSchedule(schedule.at("type").get_ref<const std::string&>());
  for (const FieldSchema& field : definition->schema.fields) {
    const auto value = schedule.find(field.name);
    // checkFields() has already reported a missing field
    if (value == schedule.end()) return;
    if (field.registry == "schedule" && value->is_object())
      checkSchedule(*value, where + "/" + field.name, diagnostics);
  }
  if (!definition->check) return;
  if (auto problem = definition->check(schedule))
    diagnostics.push_back({Severity::Error,
                           "conflict",
                           "",
                           where + "/" + problem->field,
                           problem->message,
                           std::move(problem->arguments),
                           {}});
}

}  // namespace strata
