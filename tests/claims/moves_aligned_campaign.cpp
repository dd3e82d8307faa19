// aligned, of loop nests, against a look at every transfer of random nests; and its certificates.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "encodings/use/family.h"
#include "tests/support/property.h"
#include "verifier/checker/check.h"
#include "verifier/claims/claim.h"
#include "verifier/claims/proofs/certify.h"

namespace vl::claims {
namespace moves_aligned_campaign {

using use::Nest;

struct Asked {
  use::Transfer transfer;
  map::Tensor tensor;
  use::Reading reading;
  Index alignment = 1, minimum = 1;
};

Asked ask(std::vector<Nest> nests, Index alignment, Index minimum) {
  auto tensor = *map::parse_tensor("f16[120]");
  const use::Family* spyre = use::family_of("SpyreTensorLayout(", "");
  auto reading = spyre->read("SpyreTensorLayout((120,), torch.float16)", tensor);
  VL_CHECK(reading.has_value(), "a test's layout");
  return {{use::Direction::HostToDevice, std::move(nests)}, std::move(tensor), std::move(*reading), alignment, minimum};
}

// The verdict and, of a proof, its certificate.
struct Answered {
  std::string word;
  std::optional<checker::Certificate> certificate;
};

Answered answer(const Asked& asked) {
  const Claim& claim = *find_claim("aligned", true);
  const std::string alignment = fmt::format("{}", asked.alignment), minimum = fmt::format("{}", asked.minimum);
  const std::vector<use::LawArgument> arguments{{"alignment", alignment}, {"minimum", minimum}};
  const use::Family* family = use::family_of("SpyreTensorLayout(", "");
  Offer offer{.claim = "aligned",
              .tensor = asked.tensor,
              .reading = asked.reading,
              .family = *family,
              .text = "",
              .arguments = arguments,
              .nests = &asked.transfer};
  const auto about = AlignedMoves::bind(offer);
  if (!about) return {"not bound", {}};
  const Verdict verdict = decide(claim, *about, {}).verdict;
  const auto statement = statement_of(claim, *about, verdict, {});
  return {std::string(question::word(verdict)), statement ? certify(claim, *statement, verdict) : std::nullopt};
}

// Of one nest: the elements at which transfers start, from the first, by walking all its iterations. `inner` loops are
// one transfer if every step in them goes on by one on both sides.
bool all_aligned(const Nest& nest, Index alignment, Index minimum) {
  const std::size_t n = nest.extents.size();
  const auto at = [](const use::Walk& walk, const Point& i) {
    Index out = walk.offset;
    for (std::size_t k = 0; k < i.size(); ++k) out += walk.strides[k] * i[k];
    return out;
  };
  const auto space = map::Space::create(map::Space::dims("i", nest.extents));
  if (space->volume() == 0) return true;
  std::size_t outer = n;
  for (std::size_t tried = n; tried-- > 0;) {
    bool one_by_one = true;
    Index run = 1;
    for (std::size_t k = tried; k < n; ++k) run *= nest.extents[k];
    const Point first = space->point(0);
    for (Index step = 0; step < run; ++step) {  // the innermost iterations come first
      const Point i = space->point(step);
      one_by_one = one_by_one && at(nest.source, i) == at(nest.source, first) + step &&
                   at(nest.destination, i) == at(nest.destination, first) + step;
    }
    if (!one_by_one) break;
    outer = tried;
  }
  Index run = 1;
  for (std::size_t k = outer; k < n; ++k) run *= nest.extents[k];
  bool right = run * 2 >= minimum;
  for (Index number = 0; number < space->volume(); number += run) {
    const Point i = space->point(number);
    right = right && floor_mod(at(nest.source, i) * 2, alignment) == floor_mod(at(nest.destination, i) * 2, alignment);
  }
  return right;
}

TEST(MovesAligned, AnswersLikeALookAtEveryTransfer) {
  int proved = 0, refuted = 0;
  test::for_all(20'000, [&] {
    test::WideEngine random = *test::engines<test::WideEngine>();
    const auto pick = [&](std::initializer_list<Index> values) { return values.begin()[random.below(values.size())]; };
    std::vector<Nest> nests;
    for (Index count = pick({1, 1, 2}); count > 0; --count) {
      Nest nest;
      for (Index loops = pick({0, 1, 2, 3}); loops > 0; --loops) {
        nest.extents.push_back(pick({1, 1, 2, 3, 4}));
        nest.source.strides.push_back(pick({1, 1, 2, 4, 8, 16, -8, 0}));
        nest.destination.strides.push_back(pick({1, 1, 2, 4, 8, 16, 24}));
      }
      nest.source.offset = pick({0, 0, 4, 8, 100});
      nest.destination.offset = pick({0, 0, 8, 12});
      nests.push_back(std::move(nest));
    }
    const Index alignment = pick({2, 4, 8, 16, 32, 12}), minimum = pick({1, 2, 2, 4, 8});
    const bool right =
        std::ranges::all_of(nests, [&](const Nest& nest) { return all_aligned(nest, alignment, minimum); });
    const Answered got = answer(ask(std::move(nests), alignment, minimum));
    RC_ASSERT(got.word == (right ? "proved" : "refuted"));
    ++(right ? proved : refuted);
    if (!right) return;
    RC_ASSERT(got.certificate.has_value());
    RC_ASSERT(checker::check(*got.certificate) == std::nullopt);
  });
  fmt::print("{} proved, {} refuted\n", proved, refuted);
  EXPECT_GE(proved, 3000);
  EXPECT_GE(refuted, 3000);
}

TEST(MovesAligned, FalseCertificatesAreRejected) {
  const auto made = answer(ask({{{2, 30}, {{32, 1}, 0}, {{64, 1}, 0}}}, 64, 60)).certificate;
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(checker::check(*made), std::nullopt);
  const auto rejects = [&](const auto& change) {
    checker::Certificate changed = *made;
    change(changed.statement);
    return checker::check(changed).has_value();
  };
  EXPECT_TRUE(rejects([](checker::Statement& said) { said.base = 128; }));
  EXPECT_TRUE(rejects([](checker::Statement& said) { said.at = 61; }));
  EXPECT_TRUE(rejects([](checker::Statement& said) { said.bits = 8; }));
  EXPECT_TRUE(rejects([](checker::Statement& said) { said.base = 0; }));
  EXPECT_TRUE(rejects([](checker::Statement& said) { said.transfer->nests[0].source[1] = 31; }));
  EXPECT_TRUE(rejects([](checker::Statement& said) { said.transfer->nests[0].destination[0] = 1; }));
  EXPECT_TRUE(rejects([](checker::Statement& said) { said.transfer->nests[0].extents[1] = 29; }));
  EXPECT_TRUE(rejects([](checker::Statement& said) { said.transfer->nests.clear(); }));
}

TEST(MovesAligned, SaysWhatItLacks) {
  EXPECT_EQ(answer(ask({{{0, 30}, {{32, 1}, 0}, {{64, 1}, 0}}}, 64, 60)).word, "vacuous");
  EXPECT_EQ(answer(ask({}, 64, 60)).word, "vacuous");
}

}  // namespace moves_aligned_campaign
}  // namespace vl::claims
