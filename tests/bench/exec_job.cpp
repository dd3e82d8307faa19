#include "tests/bench/exec_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace vl::bench {
namespace {

constexpr std::byte kUntouched{0xEE};
constexpr std::byte kFill{0xA5};

template <std::size_t kUnit>
void move_naively(const use::Nest& nest, std::size_t loop, const std::byte* source, std::byte* destination) {
  constexpr auto kBytes = static_cast<Index>(kUnit);
  if (loop == nest.extents.size()) {
    std::memcpy(destination, source, kUnit);
    return;
  }
  const Index from = nest.source.strides[loop] * kBytes;
  const Index to = nest.destination.strides[loop] * kBytes;
  if (loop + 1 == nest.extents.size()) {
    for (Index i = 0; i < nest.extents[loop]; ++i) std::memcpy(destination + i * to, source + i * from, kUnit);
    return;
  }
  for (Index i = 0; i < nest.extents[loop]; ++i)
    move_naively<kUnit>(nest, loop + 1, source + i * from, destination + i * to);
}

void move_naively(const use::Nest& nest, Index unit, const std::byte* source, std::byte* destination) {
  source += nest.source.offset * unit;
  destination += nest.destination.offset * unit;
  switch (unit) {
    case 1: return move_naively<1>(nest, 0, source, destination);
    case 2: return move_naively<2>(nest, 0, source, destination);
    case 4: return move_naively<4>(nest, 0, source, destination);
    case 8: return move_naively<8>(nest, 0, source, destination);
    default: VL_CHECK(false, "a case in units of another size");
  }
}

oracle::Relation relation_of(What what, const map::Layout& layout, const map::Layout* to, Index unit) {
  using Kind = oracle::Side::Kind;
  switch (what) {
    case What::Pack: return {{Kind::Dense, &layout}, {Kind::Image, &layout, true}, nullptr, unit};
    case What::Unpack: return {{Kind::Image, &layout}, {Kind::Dense, &layout}, nullptr, unit};
    case What::Move: return {{Kind::Image, &layout}, {Kind::Image, to, true}, nullptr, unit};
  }
  VL_CHECK(false, "a case that does nothing");
}

}  // namespace

std::variant<Job, std::string> Job::of(const ExecCase& one) {
  Job job;
  job.layout_ = subject_of(one.layout, one.tensor);
  if (one.what == What::Move) job.to_ = subject_of(one.to, one.tensor);
  job.relation_ =
      relation_of(one.what, *job.layout_->reading.layout(), job.to_ ? job.to_->reading.layout() : nullptr, one.unit);
  job.unit_ = static_cast<std::size_t>(one.unit);
  if (const auto none = job.plan_.make(job.relation_, {}))
    return (none->bug ? "THE CHECKER REFUSES THE PLAN: " : "no plan: ") + none->why;
  if (job.plan_.plan().source_bytes != one.source * one.unit ||
      job.plan_.plan().destination_bytes != one.destination * one.unit)
    return "the layout's memories are not as large as the case says";
  return job;
}

void Job::run(std::span<const std::byte> source, std::span<std::byte> destination, oracle::Pool* pool) const {
  static constexpr std::array<std::byte, 16> kZero{};
  oracle::execute(plan_, source.first(source_bytes()), destination.first(destination_bytes()),
                  std::span(kZero).first(unit_), pool);
}

void run_naively(const ExecCase& one, std::span<const std::byte> source, std::span<std::byte> destination,
                 std::byte fill) {
  for (const use::Nest& move : one.moves) move_naively(move, one.unit, source.data(), destination.data());
  std::array<std::byte, 16> value;
  value.fill(fill);
  for (const use::Nest& gap : one.gaps) move_naively(gap, one.unit, value.data(), destination.data());
}

std::optional<std::string> wrong_result(const ExecCase& one, const Job& job, Workshop& workshop, oracle::Pool* pool) {
  const auto source = workshop.source.first(std::max(job.source_bytes(), job.destination_bytes()));
  const auto destination = workshop.destination.first(job.destination_bytes());
  const auto expected = workshop.expected.first(job.destination_bytes());
  fill_with_tags(source);
  for (const auto memory : {destination, expected})
    std::memset(memory.data(), static_cast<int>(kUntouched), memory.size());
  run_naively(one, source, expected, kFill);
  std::array<std::byte, 16> fill;
  fill.fill(kFill);
  oracle::execute(job.plan_, source.first(job.source_bytes()), destination, std::span(fill).first(job.unit_), pool);
  const auto [found, wanted] = std::ranges::mismatch(destination, expected);
  if (found == destination.end()) return std::nullopt;
  return fmt::format("WRONG RESULT: byte {} is {:02x}, a naive loop says {:02x}", found - destination.begin(),
                     static_cast<unsigned>(*found), static_cast<unsigned>(*wanted));
}

}  // namespace vl::bench
