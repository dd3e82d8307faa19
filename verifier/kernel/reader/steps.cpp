#include "verifier/kernel/reader/steps.h"

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

namespace vl::kernel {
namespace {

using Json = nlohmann::json;

Wide whole(const Json& json) {
  require(json.is_number_integer() && (!json.is_number_unsigned() || json.get<std::uint64_t>() <= ~0ULL >> 1),
          "a step with what is no whole number");
  return json.get<std::int64_t>();
}

// A value of JSON pays for a number; a polynomial is kept, and copied for its goal.
template <class S>
S scalar(const Json& json) {
  if constexpr (std::same_as<S, Polynomial>) {
    Polynomial out = json.is_string() ? parse_polynomial(json.get_ref<const std::string&>()) : Polynomial(whole(json));
    return hold(2 * bytes_of(out)), out;
  } else {
    return whole(json);
  }
}

Json json_of(const Wide& number) { return number.narrow(); }
Json json_of(const Polynomial& polynomial) {
  const auto number = polynomial.number();
  return number ? Json(number->narrow()) : Json(print(polynomial));
}

bool fits(const Wide& number) {
  return number >= std::numeric_limits<std::int64_t>::min() && number <= std::numeric_limits<std::int64_t>::max();
}
bool fits(const Polynomial& polynomial) {
  return std::ranges::all_of(polynomial.terms(), [](const auto& term) { return fits(term.coefficient); });
}

std::size_t index_of(const Json& json) {
  const Wide number = whole(json);
  require(number >= 0 && number < 1 << 20, "a step about nothing");
  return static_cast<std::size_t>(number.narrow());
}

template <class S>
Multiples<S> multiples_of(const Json& json) {
  require(json.is_array(), "multiples that are no list");
  Multiples<S> out;
  for (const Json& one : json) {
    require(one.is_array() && one.size() == 2, "a multiple that is no pair");
    out.emplace_back(index_of(one[0]), scalar<S>(one[1]));
  }
  return out;
}

template <class S>
Note<S> note_of(const Json& json) {
  require(json.size() >= 2, "a note about nothing");
  Note<S> out;
  out.stage = json[0] == -1 ? kCoordinates : index_of(json[0]);
  out.at = index_of(json[1]);
  std::size_t next = 2;
  if (next < json.size() && json[next] == "use") {
    require(json.size() == 4, "a note with another list");
    return out.uses = true, out.below = multiples_of<S>(json[3]), out;
  }
  if (next < json.size() && json[next] == "div") {
    require(json.size() >= 5, "a note with another list");
    out.from = scalar<S>(json[3]), out.extent = scalar<S>(json[4]), next = 5;
  } else if (next < json.size() && !json[next].is_array()) {
    out.quotient = scalar<S>(json[next++]);
  }
  if (next < json.size()) out.above = multiples_of<S>(json[next++]);
  if (next < json.size()) out.below = multiples_of<S>(json[next++]);
  require(next == json.size(), "a note with another list");
  return out;
}

template <class S>
Json json_of(const Multiples<S>& multiples) {
  Json out = Json::array();
  for (const auto& [j, m] : multiples) out.push_back(Json::array({j, json_of(m)}));
  return out;
}

template <class S>
Json json_of(const Note<S>& note) {
  Json out = Json::array({note.stage == kCoordinates ? Json(-1) : Json(note.stage), note.at});
  if (note.uses) return out.push_back("use"), out.push_back(json_of(note.below)), out;
  if (note.extent) out.push_back("div"), out.push_back(json_of(*note.from)), out.push_back(json_of(*note.extent));
  else if (note.quotient) out.push_back(json_of(*note.quotient));
  if (!note.above.empty() || !note.below.empty()) out.push_back(json_of(note.above));
  if (!note.below.empty()) out.push_back(json_of(note.below));
  return out;
}

}  // namespace

template <class S>
BasicStep<S> read_step(const Json& json) {
  require(json.is_array() && !json.empty() && json[0].is_string(), "a step without a name");
  BasicStep<S> out;
  out.name = json[0].get<std::string>();
  charge(4 * json.size());
  for (std::size_t i = 1; i < json.size(); ++i) {
    if (json[i].is_array()) out.notes.push_back(note_of<S>(json[i]));
    else require(out.notes.empty(), "a number after notes"), out.numbers.push_back(scalar<S>(json[i]));
  }
  return out;
}

template <class S>
Json write_step(const BasicStep<S>& step) {
  Json out = Json::array({step.name});
  for (const S& number : step.numbers) out.push_back(json_of(number));
  for (const Note<S>& note : step.notes) out.push_back(json_of(note));
  return out;
}

template <class S>
std::string print(const BasicStep<S>& step) {
  return write_step(step).dump();
}

template <class S>
bool is_writable(const BasicStep<S>& step) {
  const auto all_fit = [](const Multiples<S>& multiples) {
    return std::ranges::all_of(multiples, [](const auto& one) { return fits(one.second); });
  };
  return std::ranges::all_of(step.numbers, [](const S& number) { return fits(number); }) &&
         std::ranges::all_of(step.notes, [&](const Note<S>& note) {
           return all_fit(note.below) && all_fit(note.above) && fits(note.quotient.value_or(0)) &&
                  fits(note.from.value_or(0)) && fits(note.extent.value_or(0));
         });
}

std::string print(const Polynomial& polynomial) {
  std::string out;
  for (const Polynomial::Term& term : polynomial.terms()) {
    const Wide size = term.coefficient.abs();
    out += term.coefficient < 0 ? "-" : out.empty() ? "" : "+";
    const bool plain = term.powers == Polynomial::Powers{};
    if (plain || size != 1) out += std::to_string(size.narrow()) + (plain ? "" : "*");
    bool first = true;
    for (std::size_t v = 0; v < Polynomial::kVariables; ++v) {
      if (term.powers[v] == 0) continue;
      out += (first ? "v" : "*v") + std::to_string(v);
      if (term.powers[v] > 1) out += "^" + std::to_string(term.powers[v]);
      first = false;
    }
  }
  return out.empty() ? "0" : out;
}

Polynomial parse_polynomial(std::string_view text) {
  charge(4 * text.size());
  std::size_t at = 0;
  const auto take = [&](char c) { return at < text.size() && text[at] == c && ++at != 0; };
  const auto number = [&] {
    long long out = 0;
    require(at < text.size() && text[at] >= '0' && text[at] <= '9', "a polynomial without a number");
    const auto read = std::from_chars(text.data() + at, text.data() + text.size(), out);
    require(read.ec == std::errc(), "a number beyond 64 bits");
    at = static_cast<std::size_t>(read.ptr - text.data());
    return out;
  };
  std::vector<Polynomial::Term> terms;
  while (at < text.size()) {
    const bool negative = take('-');
    if (!negative) take('+');
    keep(terms, {{}, 1});
    Polynomial::Term& term = terms.back();
    for (bool more = true; more; more = take('*')) {
      if (!take('v')) {
        term.coefficient = number();
        continue;
      }
      const long long v = number(), power = take('^') ? number() : 1;
      require(v < static_cast<long long>(Polynomial::kVariables) && power <= 255, "a polynomial of other variables");
      term.powers[static_cast<std::size_t>(v)] = static_cast<std::uint8_t>(power);
    }
    if (negative) term.coefficient = term.coefficient * -1;
  }
  Polynomial out = Polynomial::of(std::move(terms));
  require(print(out) == text, "a polynomial in another form");
  return out;
}

template Step read_step(const Json&);
template Json write_step(const Step&);
template std::string print(const Step&);
template bool is_writable(const Step&);
template BasicStep<Polynomial> read_step(const Json&);
template Json write_step(const BasicStep<Polynomial>&);
template std::string print(const BasicStep<Polynomial>&);
template bool is_writable(const BasicStep<Polynomial>&);

}  // namespace vl::kernel
