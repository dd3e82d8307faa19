#include "oracle/fuzz/shrink.h"

#include <algorithm>
#include <functional>

#include "encodings/base/check.h"

namespace vl::oracle {
namespace {

using Candidates = std::vector<Trouble>;

void add(Candidates& out, const Trouble& from, const std::function<bool(Trouble&)>& change) {
  Trouble next = from;
  if (change(next)) out.push_back(std::move(next));
}

bool to_zero(Index& value) {
  const bool changes = value != 0;
  value = 0;
  return changes;
}

void of_tensor(Candidates& out, const Trouble& from) {
  add(out, from, [](Trouble& t) { return to_zero(t.subject.tensor.view_offset); });
  add(out, from, [](Trouble& t) { return to_zero(t.subject.tensor.offset); });
  add(out, from, [](Trouble& t) { return !t.subject.tensor.box.empty() && (t.subject.tensor.box.clear(), true); });
  add(out, from,
      [](Trouble& t) { return t.subject.tensor.strides.has_value() && (t.subject.tensor.strides.reset(), true); });
  add(out, from, [](Trouble& t) { return t.tensor.where == Host::View && (t.tensor.where = Host::Dense, true); });
  add(out, from,
      [](Trouble& t) { return t.tensor.pattern != Pattern::Tags && (t.tensor.pattern = Pattern::Tags, true); });
  add(out, from, [](Trouble& t) { return t.tensor.streamed && (t.tensor.streamed = false, true); });
  add(out, from, [](Trouble& t) { return t.tensor.fill != 0 && (t.tensor.fill = 0, true); });
  add(out, from, [](Trouble& t) { return t.tensor.data > 7 && (t.tensor.data %= 8, true); });
  add(out, from, [](Trouble& t) { return t.tensor.data != 0 && (t.tensor.data = 0, true); });
  for (const Verb verb : {Verb::Pack, Verb::Unpack})
    add(out, from, [&](Trouble& t) { return t.tensor.verb > verb && (t.tensor.verb = verb, true); });
  for (const std::uint8_t unit : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{4}})
    add(out, from, [&](Trouble& t) { return t.tensor.unit > unit && (t.tensor.unit = unit, true); });
}

bool is_possible(const Trouble& trouble) {
  const auto lowered = lower(trouble.subject);
  return lowered && std::max(lowered->physical().volume(), lowered->domain().volume()) <= 3 * most_places(true);
}

// The companion has the tensor's shape; for another shape another companion is made.
Subject companion_for(const Trouble& trouble) {
  if (trouble.companion.tensor.size == trouble.subject.tensor.size) return trouble.companion;
  Random random(0, 5, 0);
  return companion_of(trouble.subject, random);
}

}  // namespace

Outcome look_at(Trial& trial, const Subject& subject, const Subject& companion, const Tensor& tensor) {
  trial.open(subject, companion);
  return trial.run(tensor, {.definition = true, .all_kernels = true, .audit = true});
}

Trouble shrink(Trouble trouble, std::size_t most) {
  Trial trial;
  const std::string kind = trouble.mismatch.kind;
  for (bool smaller = true; smaller && most > 0;) {
    smaller = false;
    Candidates candidates;
    trouble.subject.family->campaign->smaller(trouble.subject, [&](Subject subject) {
      candidates.push_back(trouble);
      candidates.back().subject = std::move(subject);
    });
    of_tensor(candidates, trouble);
    for (Trouble& candidate : candidates) {
      if (most == 0) break;
      if (!is_possible(candidate)) continue;
      --most;
      candidate.companion = companion_for(candidate);
      auto mismatch = look_at(trial, candidate.subject, candidate.companion, candidate.tensor).mismatch;
      if (!mismatch || mismatch->kind != kind) continue;
      candidate.mismatch = std::move(*mismatch);
      trouble = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return trouble;
}

}  // namespace vl::oracle
