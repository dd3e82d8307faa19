// Two lanes of one phase, in one instance, with one byte of each: a bank conflict iff
//
//   bank(byte_a) = bank(byte_b)  and  line(byte_a) != line(byte_b)      (without broadcast: or lane a != lane b)
//
// where byte = line·(banks·bytes_per_bank) + bank·bytes_per_bank + rest. There are more wavefronts than the ideal iff
// two lanes need different words of one bank; so this is Crowds with limit 0, for all values of any number of
// variables. All numbers are bit-vectors. Loads whose phases depend on the instance are not encoded.
#include <algorithm>

#include "verifier/engines/pipeline.h"
#include "verifier/engines/solvers/obligations.h"
#include "verifier/engines/solvers/smt_terms.h"
#include "verifier/question/access.h"

namespace vl::engines {
namespace {

using question::Reach;
using smt::Formula;
using smt::Obligation;

// (lane, variables…, byte of the lane) -> line, bank, rest.
Result<map::Map> words_of(const Reach& reach) {
  auto dims = reach.bytes.domain().dims();
  dims.push_back({"byte_of_lane", reach.width, map::Unit::Byte});
  const auto domain = map::Space::create(std::move(dims));
  if (!domain) return domain.error();
  const auto line = checked_mul(reach.banks, reach.bytes_per_bank);
  if (!line) return Error{ErrorCode::Overflow, "a line of banks leaves 64 bits", 0};
  Pipeline pipeline(*domain);
  pipeline.append(reach.bytes.stages(), reach.bytes.domain().rank());
  pipeline.rewrite({map::Row{0, {{0, 1}, {1, 1}}}}, pipeline.values());
  pipeline.push(map::Split{0, {*line, reach.bytes_per_bank, 1}});
  return pipeline.map();
}

Formula active(Obligation& obligation, const Reach& reach, const Terms& point) {
  std::vector<Formula> parts;
  if (!reach.when) return smt::all_of({});
  const Terms values = obligation.apply(*reach.when, point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    switch (reach.conditions[i]) {
      case use::Comparison::AtMostZero: parts.push_back(smt::at_most_zero({0, {{values[i], 1}}})); break;
      case use::Comparison::IsZero: parts.push_back(smt::equals_constant(values[i], 0)); break;
      case use::Comparison::IsNotZero: parts.push_back(smt::negate(smt::equals_constant(values[i], 0))); break;
    }
  }
  return smt::all_of(std::move(parts));
}

// The lane is one of these, as few intervals.
Formula one_of(smt::TermId lane, const std::vector<Index>& lanes) {
  std::vector<Formula> parts;
  for (std::size_t i = 0; i < lanes.size();) {
    std::size_t end = i + 1;
    while (end < lanes.size() && lanes[end] == lanes[end - 1] + 1) ++end;
    parts.push_back(smt::within(lane, lanes[i], lanes[end - 1]));
    i = end;
  }
  return smt::any_of(std::move(parts));
}

Formula same_phase(const Reach& reach, smt::TermId a, smt::TermId b) {
  std::vector<Formula> parts;
  for (const auto& phase : reach.phases) parts.push_back(smt::all_of({one_of(a, phase), one_of(b, phase)}));
  return smt::any_of(std::move(parts));
}

void encode_conflict(Encoded& out, const Reach& reach, const map::Map& words) {
  Obligation& obligation = out.obligation;
  const Terms p = obligation.point_of(reach.bytes.domain());
  const smt::TermId byte = obligation.variable({0, reach.width - 1});
  const smt::TermId lane = obligation.variable({0, reach.bytes.domain().extent(0) - 1});
  const smt::TermId other_byte = obligation.variable({0, reach.width - 1});
  Terms q = p;
  q[0] = lane;
  obligation.require(active(obligation, reach, p));
  obligation.require(active(obligation, reach, q));
  obligation.require(same_phase(reach, p[0], lane));
  obligation.require(smt::at_most_zero({0, {{p[0], 1}, {lane, -1}}}));  // one order of the two is enough
  Terms at_p = p;
  at_p.push_back(byte);
  Terms at_q = q;
  at_q.push_back(other_byte);
  const Terms a = obligation.apply(words, at_p);
  const Terms b = obligation.apply(words, at_q);
  std::vector<Formula> apart{smt::negate(smt::equals(a[0], b[0]))};
  if (!reach.broadcasts) apart.push_back(smt::negate(smt::equals(p[0], lane)));
  obligation.require(smt::equals(a[1], b[1]));
  obligation.require(smt::any_of(std::move(apart)));
  out.first = 1;
  out.p = p.size() - 1;
}

void encode_lane(Encoded& out, const BankQuestion& question) {
  const Reach& reach = *question.reach;
  Obligation& obligation = out.obligation;
  const Terms p = obligation.point_of(reach.bytes.domain());
  obligation.require(active(obligation, reach, p));
  out.p = p.size();
  if (question.kind == Kind::Lands) return;
  obligation.require(smt::negate(in_bounds(obligation.apply(reach.coordinates, p), map::extents_of(reach.logical))));
}

}  // namespace

std::optional<Encoded> encode_lanes(const BankQuestion& question) {
  Encoded out;
  out.theory = smt::Theory::BitVectors;
  const auto words = words_of(*question.reach);
  if (question.kind == Kind::Escapes || question.kind == Kind::Lands) encode_lane(out, question);
  else if (question.kind == Kind::Crowds && question.limit == 0 && words && !question.reach->pairs)
    encode_conflict(out, *question.reach, *words);
  else return std::nullopt;
  return out;
}

}  // namespace vl::engines
