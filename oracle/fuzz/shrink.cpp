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

template <class T>
void erase(std::vector<T>& values, std::size_t k) {
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(k));
}

bool to_zero(Index& value) {
  const bool changes = value != 0;
  value = 0;
  return changes;
}

// The smaller of what lies between `value` and `least`.
bool lower_to(Index& value, Index wanted, Index least) {
  if (wanted < least || wanted >= value) return false;
  value = wanted;
  return true;
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

void of_spyre(Candidates& out, const Trouble& from) {
  const auto layout_of = [](Trouble& t) -> spyre::SpyreTensorLayout& { return std::get<0>(t.subject.notation); };
  const auto& layout = std::get<0>(from.subject.notation);
  const bool strided = !layout.stride_map.empty();
  for (std::size_t j = 0; j < layout.device_size.size() && layout.device_size.size() > 1; ++j)
    add(out, from, [&](Trouble& t) {
      erase(layout_of(t).device_size, j);
      erase(strided ? layout_of(t).stride_map : layout_of(t).dim_map, j);
      return true;
    });
  for (std::size_t i = 0; i < from.subject.tensor.size.size(); ++i) {
    if (strided)
      add(out, from, [&](Trouble& t) {
        const auto strides = map::host_strides(t.subject.tensor);
        if (!strides) return false;
        t.subject.tensor.strides = *strides;
        erase(*t.subject.tensor.strides, i);
        erase(t.subject.tensor.size, i);
        return true;
      });
    const Index size = from.subject.tensor.size[i];
    for (const Index wanted : {Index{1}, size / 2, size - 1})
      add(out, from, [&](Trouble& t) {
        const auto strides = map::host_strides(t.subject.tensor);
        if (!strides) return false;
        t.subject.tensor.strides = *strides;  // fewer elements, each where it was
        return lower_to(t.subject.tensor.size[i], wanted, 1);
      });
  }
  for (std::size_t j = 0; j < layout.device_size.size(); ++j)
    for (const Index wanted : {Index{1}, layout.device_size[j] / 2, layout.device_size[j] - 1})
      add(out, from, [&](Trouble& t) { return lower_to(layout_of(t).device_size[j], wanted, 1); });
  for (std::size_t j = 0; strided && j < layout.stride_map.size(); ++j)
    for (const Index wanted : {Index{1}, layout.stride_map[j] / 2, layout.stride_map[j] - 1})
      add(out, from, [&](Trouble& t) { return lower_to(layout_of(t).stride_map[j], wanted, 1); });
}

// One dimension along the shard: the tensor's own shape is no part of what fails, or this is not taken.
bool flat(Trouble& t, tirx::Layout& layout) {
  const auto size = tirx::size_of(*layout.tile);
  if (!size) return false;
  t.subject.tensor.size = {*size};
  t.subject.tensor.strides.reset();
  return true;
}

void of_tirx(Candidates& out, const Trouble& from) {
  const auto layout_of = [](Trouble& t) -> tirx::Layout& { return std::get<1>(t.subject.notation); };
  const tirx::Layout& layout = std::get<1>(from.subject.notation);
  add(out, from, [&](Trouble& t) { return layout_of(t).swizzle.has_value() && (layout_of(t).swizzle.reset(), true); });
  for (const auto field :
       {&tirx::SwizzleLayout::swizzle_len, &tirx::SwizzleLayout::per_element, &tirx::SwizzleLayout::atom_len})
    add(out, from, [&](Trouble& t) {
      auto& swizzle = layout_of(t).swizzle;
      if (!swizzle || (*swizzle).*field <= 1) return false;
      (*swizzle).*field -= 1;
      return true;
    });
  if (!layout.tile) return;
  add(out, from, [&](Trouble& t) { return t.subject.tensor.size.size() > 1 && flat(t, layout_of(t)); });
  add(out, from,
      [&](Trouble& t) { return !layout_of(t).tile->replica.empty() && (layout_of(t).tile->replica.pop_back(), true); });
  add(out, from,
      [&](Trouble& t) { return !layout_of(t).tile->offset.empty() && (layout_of(t).tile->offset.pop_back(), true); });
  for (std::size_t k = 0; k < layout.tile->shard.size(); ++k) {
    const tirx::Iter& iter = layout.tile->shard[k];
    add(out, from, [&](Trouble& t) {
      erase(layout_of(t).tile->shard, k);
      return flat(t, layout_of(t));
    });
    for (const Index wanted : {Index{1}, iter.extent / 2, iter.extent - 1})
      add(out, from,
          [&](Trouble& t) { return lower_to(layout_of(t).tile->shard[k].extent, wanted, 1) && flat(t, layout_of(t)); });
    for (const Index wanted : {Index{1}, iter.stride / 2, iter.stride - 1})
      add(out, from, [&](Trouble& t) { return lower_to(layout_of(t).tile->shard[k].stride, wanted, 0); });
  }
}

bool is_possible(const Trouble& trouble) {
  const auto lowered = lower(trouble.subject);
  return lowered && std::max(lowered->physical().volume(), lowered->domain().volume()) <= 3 * most_places(true);
}

// The companion is of the tensor's shape; for another shape another one is made.
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
    if (trouble.subject.notation.index() == 0) of_spyre(candidates, trouble);
    else of_tirx(candidates, trouble);
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
