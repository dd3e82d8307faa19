#include "verifier/checker/fills.h"

#include <algorithm>
#include <span>

#include "verifier/checker/kernel.h"
#include "verifier/checker/questions.h"

namespace vl::checker {
namespace {

// A place that a box writes.
struct Written {
  Wide place;
  bool filled = false;
  auto operator<=>(const Written&) const = default;  // NOLINT(modernize-use-nullptr): it means the 0 of a comparison
};

std::vector<Stage> stages_of(const FillText& said) {
  std::vector<Stage> out;
  for (const Integers& one : said.swizzles) {
    require(one.size() == 3 && one[0] >= 0 && one[1] >= 0 && one[2] >= 1 && one[0] <= 62 && one[1] <= 62 &&
                one[2] <= 62 && one[0] + one[1] + one[2] <= 62,
            "a swizzle that is none");
    Stage& stage = out.emplace_back();
    stage.kind = Stage::Kind::Swizzle;
    stage.base = static_cast<int>(one[0]), stage.bits = static_cast<int>(one[1]),
    stage.shift = static_cast<int>(one[2]);
  }
  return out;
}

void add_box(const FillText::Box& said, const std::vector<Stage>& swizzles, std::vector<Written>& out) {
  Space box;
  box.extents.assign(said.extents.begin(), said.extents.end());
  require(std::ranges::all_of(said.extents, [](std::int64_t extent) { return extent >= 1; }), "a box without a place");
  require(said.low.size() == box.rank() && said.high.size() == box.rank() && said.shared.size() == box.rank() + 1,
          "not an offset and one stride a dimension");
  const Wide each = static_cast<long long>(3 * box.rank() + 2 * swizzles.size() + 2);
  if (box.volume() * each > work_left()) needs_more_work();  // before anything is done
  for_each(box, [&](const Point& t) {
    charge(each);
    Written next{said.shared[0], false};
    for (std::size_t i = 0; i < t.size(); ++i) {
      next.place += t[i] * said.shared[i + 1];
      next.filled = next.filled || t[i] < said.low[i] || t[i] >= said.high[i];
    }
    for (const Stage& swizzle : swizzles) next.place = swizzle.swizzled(next.place);
    keep(out, next);
  });
}

// The places of elements, ascending.
std::vector<Wide> taken_by(const Layout& layout, const Wide& base) {
  std::vector<Wide> out;
  if (layout.map.domain.volume() == 0) return out;
  walk(layout.map.domain, layout.map, [&](const Point& p) {
    const Point outputs = evaluate(layout.map, p);
    charge(layout.physical.rank() + 1);
    if (layout.is_slot(outputs, layout.physical)) keep(out, base + layout.number(outputs));
  });
  charge_sorting(out.size());
  std::ranges::sort(out);
  return out;
}

// What boxes do to one place.
struct Place {
  Wide at;
  bool moved = false, filled = false, taken = false, padding = false;

  [[nodiscard]] bool is_wrong() const { return (taken && filled) || (padding && moved); }
};

template <class See>
void for_each_place(const FillText& said, const Layout& layout, See see) {
  std::vector<Written> written;
  const std::vector<Stage> swizzles = stages_of(said);
  for (const FillText::Box& box : said.boxes) add_box(box, swizzles, written);
  charge_sorting(written.size());
  std::ranges::sort(written);
  const std::vector<Wide> taken = taken_by(layout, said.base);
  const Wide end = said.base + layout.physical.volume();
  for (auto at = written.begin(); at != written.end();) {
    charge(32LL);
    Place next{at->place};
    for (; at != written.end() && at->place == next.at; ++at) {
      charge(1LL);
      next.filled = next.filled || at->filled, next.moved = next.moved || !at->filled;
    }
    next.taken = std::ranges::binary_search(taken, next.at);
    next.padding = !next.taken && next.at >= said.base && next.at < end;
    see(next);
  }
}

}  // namespace

void check_fills(bool refuted, Statement& statement, Evidence& evidence) {
  enter(__FILE__);
  const FillText said = take(statement.fills);
  const Layout layout = parse_layout(take(statement.map));
  const Wide bits = take(statement.bits);
  require(bits > 0, "elements without a size");
  bool holds = true;
  if (statement.rules)
    for (const Rule& rule : take(statement.rules)) holds = holds && rule.have == rule.want;
  if (refuted) {
    const Showing witness = take(evidence.witness);
    require(witness.a.size() == 1 && !witness.b, "a witness that is no byte");
    bool shown = false;
    for_each_place(said, layout, [&](const Place& place) {
      const bool unfit = !holds && place.padding && place.filled;
      shown = shown || (place.at * bits == witness.a[0] * 8 && (place.is_wrong() || unfit));
    });
    return require(shown, "a byte that shows nothing");
  }
  bool met = false, fills_padding = false;
  for_each_place(said, layout, [&](const Place& place) {
    require(!place.is_wrong(), "a place that is filled, or that is not");
    met = met || place.padding || (place.filled && !place.taken);
    fills_padding = fills_padding || (place.padding && place.filled);
  });
  require(met, "the claim says nothing: nothing is filled, and no padding is met");
  require(holds || !fills_padding, "a fill that is another value");
}

}  // namespace vl::checker
