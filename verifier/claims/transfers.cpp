#include "verifier/claims/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace vl::claims {
namespace {

using use::Direction;

// The names of the two memories.
struct Names {
  const char* source;
  const char* destination;
};

Names names_of(Direction direction) {
  switch (direction) {
    case Direction::HostToDevice: return {"host", "device"};
    case Direction::DeviceToHost: return {"device", "host"};
    case Direction::DeviceToDevice: return {"from", "to"};
  }
  VL_CHECK(false, "unknown direction");
}

}  // namespace

std::optional<Transferred> Transferred::bind(Offer& offer) {
  VL_CHECK(offer.nests != nullptr, "a claim about nests is asked without any");
  const bool between = offer.argument("with") != nullptr;
  const use::Reading* from = between ? offer.second(offer.tensor) : nullptr;
  const map::Layout* layout = offer.first();
  if (layout == nullptr || between != (from != nullptr)) return std::nullopt;
  return Transferred{*layout, *offer.nests, between ? from->layout() : nullptr};
}

Result<Ends> ends_of(const Transferred& about) {
  const use::Memory device{about.layout, 0};
  if (about.transfer.direction == Direction::DeviceToDevice) {
    VL_CHECK(about.from != nullptr, "a transfer between devices needs the layout that is read");
    return Ends{{*about.from, 0}, device};
  }
  auto host = use::host_memory(about.layout);
  if (!host) return host.error();
  if (about.transfer.direction == Direction::HostToDevice) return Ends{std::move(*host), device};
  return Ends{device, std::move(*host)};
}

bool moves_nothing(const use::Transfer& transfer) {
  return std::ranges::all_of(transfer.nests, [](const use::Nest& nest) { return checked_product(nest.extents) == 0; });
}

std::string show_move(const Point& move) {
  return fmt::format("nest {}, iteration {}", move[0], show(std::span(move).subspan(1)));
}

Counterexample moved(const use::Transfer& transfer, const Point& move) {
  const use::Nest& nest = transfer.nests[static_cast<std::size_t>(move[0])];
  const auto iteration = std::span(move).subspan(1);
  const Names names = names_of(transfer.direction);
  const auto s = question::offset_at(nest.source, iteration);
  const auto d = question::offset_at(nest.destination, iteration);
  Counterexample out;
  out.fields = {{"nest", move[0]}, {"iteration", Point(iteration.begin(), iteration.end())}};
  if (s) out.fields.emplace_back(names.source, *s);
  if (d) out.fields.emplace_back(names.destination, *d);
  return out;
}

Counterexample leaving(const Transferred& about, const Ends& ends, const Point& move) {
  const use::Nest& nest = about.transfer.nests[static_cast<std::size_t>(move[0])];
  const auto iteration = std::span(move).subspan(1);
  const Names names = names_of(about.transfer.direction);
  Counterexample out = moved(about.transfer, move);
  const auto judge = [&](const use::Walk& walk, const use::Memory& memory, const char* does, const char* name) {
    const auto offset = question::offset_at(walk, iteration);
    const Index size = memory.layout.physical().volume();
    if (offset && *offset >= memory.base && *offset - memory.base < size) return;
    out.explanation +=
        fmt::format("{} {} {} offset {}, and there is {}", out.explanation.empty() ? show_move(move) : "; it", does,
                    name, offset ? fmt::format("{}", *offset) : "beyond 64 bits",
                    size == 0 ? "nothing" : fmt::format("[{}, {}]", memory.base, memory.base + size - 1));
  };
  judge(nest.source, ends.source, "reads", names.source);
  judge(nest.destination, ends.destination, "writes", names.destination);
  return out;
}

namespace {

constexpr Index kMostReplicas = 256;

// The moves that write the place: all, or those that read the element at one of its own places.
question::Writers moves_to(const Transferred& about, const Ends& ends, const Spot& at, Index place, bool from_itself) {
  if (!from_itself) {
    auto all = question::writers_of(about.transfer, place);
    VL_CHECK(all.has_value(), "a replayed witness has countable writers");
    return std::move(*all);
  }
  question::Writers out;
  for (const Index s : question::memory_of(ends.source.layout, at.element)) {
    const auto some = question::writers_of(about.transfer, place, ends.source.base + s);
    VL_CHECK(some && accumulate(out.count, some->count, 1), "a replayed witness has countable writers");
    out.moves.insert(out.moves.end(), some->moves.begin(), some->moves.end());
  }
  return out;
}

// The replica of p's element with the smallest place that is not served once.
Point first_misserved(const Transferred& about, const Ends& ends, const Point& p, bool from_itself) {
  const map::Layout& layout = ends.destination.layout;
  if (layout.replicas().volume() <= 1 || !looks_at_replicas(ends)) return p;
  const Kind kind = from_itself ? Kind::Differs : Kind::Misses;
  const question::Query query{kind, &about.transfer, &ends.source, &ends.destination};
  Point least = p;
  Index best = layout.physical().linear(spot_of(layout, p).slot);
  Point at = p;
  std::fill(at.begin() + static_cast<std::ptrdiff_t>(layout.logical().rank()), at.end(), 0);
  for (Index left = layout.replicas().volume(); left > 0; --left, map::advance(layout.domain(), at)) {
    const Spot spot = spot_of(layout, at);
    if (!layout.is_slot(spot.outputs) || layout.physical().linear(spot.slot) >= best) continue;
    if (question::replay(query, {{}, at, {}})) least = at, best = layout.physical().linear(spot.slot);
  }
  return least;
}

}  // namespace

bool looks_at_replicas(const Ends& ends) { return ends.destination.layout.replicas().volume() <= kMostReplicas; }

Counterexample misserved(const Transferred& about, const Ends& ends, const Point& p, bool from_itself) {
  const map::Layout& layout = ends.destination.layout;
  if (!layout.is_slot(spot_of(layout, p).outputs)) return missing(layout, p);
  const Spot at = spot_of(layout, first_misserved(about, ends, p, from_itself));
  const Index place = ends.destination.base + layout.physical().linear(at.slot);
  const question::Writers writers = moves_to(about, ends, at, place, from_itself);
  const char* memory = names_of(about.transfer.direction).destination;
  Counterexample out;
  out.fields = {{"a", at.element}, {memory, place}, {"times", writers.count}};
  std::string by;
  for (const Point& move : writers.moves) by += fmt::format("{}{}", by.empty() ? ", by " : " and ", show_move(move));
  const std::string nothing =
      from_itself
          ? fmt::format("element {} is not moved to {} offset {}", show(at.element), memory, place)
          : fmt::format("element {} is never written: nothing goes to {} offset {}", show(at.element), memory, place);
  out.explanation = writers.count == 0 ? nothing
                                       : fmt::format("element {} at {} offset {} is written {} times{}",
                                                     show(at.element), memory, place, writers.count, by);
  return out;
}

namespace {

// The first points of a space, at most kMostLooked of them: its largest extents are halved.
std::vector<Index> first_part(const map::Space& space) {
  constexpr Index kMostLooked = Index{1} << 16;
  std::vector<Index> extents = map::extents_of(space);
  for (auto volume = checked_product(extents); !volume || *volume > kMostLooked; volume = checked_product(extents)) {
    const auto largest = std::ranges::max_element(extents);
    *largest = (*largest + 1) / 2;
  }
  return extents;
}

}  // namespace

std::optional<Counterexample> irreconcilable(const Transferred& about, const Ends& ends) {
  const Names names = names_of(about.transfer.direction);
  const auto points = map::Space::create(map::Space::dims("x", first_part(about.layout.logical())));
  VL_CHECK(points.has_value(), "a part of a space is none");
  constexpr Index kMostCopies = 64;
  if (ends.source.layout.replicas().volume() > kMostCopies || ends.destination.layout.replicas().volume() > kMostCopies)
    return std::nullopt;
  std::unordered_map<Index, Point> written;  // the first element at each place
  for (Index n = 0; n < points->volume(); ++n) {
    const Point x = points->point(n);
    for (const Index place : question::memory_of(ends.destination.layout, x)) {
      const auto [first, is_new] = written.try_emplace(place, x);
      if (is_new || first->second == x) continue;
      const auto one = question::memory_of(ends.source.layout, first->second);
      const auto other = question::memory_of(ends.source.layout, x);
      std::vector<Index> common;
      std::ranges::set_intersection(one, other, std::back_inserter(common));
      if (one.empty() || other.empty() || !common.empty()) continue;
      return Counterexample{
          {{"a", first->second}, {"b", x}, {names.destination, ends.destination.base + place}},
          fmt::format("elements {} and {} share {} offset {}, which is written once, and lie apart at {} offsets {} "
                      "and {}",
                      show(first->second), show(x), names.destination, ends.destination.base + place, names.source,
                      ends.source.base + one.front(), ends.source.base + other.front())};
    }
  }
  return std::nullopt;
}

}  // namespace vl::claims
