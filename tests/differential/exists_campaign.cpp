// `exists` of a case about all sizes against the readers of numbers: at small sizes and huge ones, whether the texts
// with numbers in the place of names are a layout.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "encodings/use/random.h"
#include "tests/support/rule_cases.h"
#include "tests/support/shard.h"
#include "verifier/session/all_sizes.h"
#include "verifier/session/instances.h"
#include "verifier/session/rule_words.h"

namespace vl {
namespace differential_exists_campaign {

using map::Expression;
using map::Wide;

constexpr Wide kLarge = Wide(1) << 120;  // beyond it nothing is compared

// An expression over the integers; nothing where it is too large to tell, or a divisor is below 1.
struct OverIntegers {
  const map::Sizes& sizes;
  bool beyond = false;  // a number was too large
  bool none = false;    // a divisor was below 1

  Wide floored(Wide a, Wide b) {
    if (b < 1) none = true;
    if (b < 1) return 0;
    return a / b - (a % b < 0 ? 1 : 0);
  }
  Wide value(const Expression& e) {
    using Kind = Expression::Kind;
    if (e.kind() == Kind::Integer) return e.value();
    if (e.kind() == Kind::Name) return sizes.at(e.name());
    const Wide a = value(e.parts()[0]), b = value(e.parts()[1]);
    Wide out = 0;
    switch (e.kind()) {
      case Kind::Sum: out = a + b; break;
      case Kind::Difference: out = a - b; break;
      case Kind::Product:
        if (__builtin_mul_overflow(a, b, &out)) out = kLarge;
        break;
      case Kind::Quotient: out = floored(a, b); break;
      case Kind::Ceil: out = -floored(-a, b); break;
      case Kind::Remainder: out = a - b * floored(a, b); break;
      case Kind::Min: out = std::min(a, b); break;
      case Kind::Max: out = std::max(a, b); break;
      case Kind::Integer:
      case Kind::Name:
      case Kind::Chosen: ADD_FAILURE() << "a choice in what is printed"; break;
    }
    beyond = beyond || out >= kLarge || out <= -kLarge;
    return beyond ? 0 : out;
  }
};

// Whether "A <= 2**63 - 1 and B >= 0" holds; nothing where a number is too large to tell.
std::optional<bool> holds(const std::string& text, const map::Sizes& sizes) {
  if (text == "always") return true;
  static const std::string kFits = " <= 2**63 - 1", kAnd = " and ";
  bool out = true;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(kAnd, at), text.size());
    std::string one = text.substr(at, end - at);
    const bool fits = one.ends_with(kFits);
    if (fits) one = one.substr(0, one.size() - kFits.size()) + " <= 0";
    const auto read = map::parse_conditions(one);
    EXPECT_TRUE(read.has_value()) << one;
    if (!read) return std::nullopt;
    OverIntegers over{sizes};
    const Wide left = over.value(read->front().left);
    if (over.beyond && !over.none) return std::nullopt;
    const Wide right = fits ? Wide(INT64_MAX) : over.value(read->front().right);
    using Relation = map::Condition::Relation;
    const bool held = read->front().relation == Relation::AtMost    ? left <= right
                      : read->front().relation == Relation::AtLeast ? left >= right
                                                                    : left == right;
    out = out && held && !over.none;
    at = end + kAnd.size();
  }
  return out;
}

Index drawn(use::Random& random) {
  const auto few = [&](std::uint64_t n) { return static_cast<Index>(random.below(n)); };
  switch (few(4)) {
    case 0: return 1 + few(4);
    case 1: return 1 + few(200);
    case 2: return std::max<Index>((Index{1} << few(63)) + few(3) - 1, 1);
    default: return 1 + static_cast<Index>(random.below(std::uint64_t{1} << few(62)));
  }
}

struct Exists {
  test::RuleTexts texts;
  bool exact;  // else it may be stronger
};

const char* const kRaw =
    "SpyreTensorLayout(device_size=[M, ceil(N/64), 64], stride_map=[N*K, 64, 1], "
    "device_dtype=DataFormats.SEN169_FP16)";
const Exists kRules[] = {
    {{"f16[M,N]", "S[(M,N):(P,1)]", ""}, true},
    {{"f16[M,N]", "S[(M,N):(P-4,1)]", ""}, true},
    {{"f16[M,N]", "S[(M,N):(2*P,1)]", ""}, true},
    {{"f16[M,N,K]", "S[(M,N,K):(N*K,K,1)]", "M >= 0"}, true},
    {{"f16[M,N,K]", "SpyreTensorLayout((M, N, K), torch.float16)", "M >= 0, N >= 0"}, true},
    {{"f16[M,N]", "S[(M,N):(N-2*P,1)]", ""}, true},
    {{"f16[M,N]", "S[(M,N):(1@laneid,1)]", ""}, true},
    {{"f16[M*N]", "S[(M,N):(N,1)]", ""}, true},
    {{"f16[M,N]", "S[(M,K):(K,1)]", ""}, true},
    {{"f16[M,N]", "S[(M,N):(N,1)] + R[K:P]", ""}, true},
    {{"f16[M,64]", "ComposeLayout(3, 3, 3, S[(M,64):(P - 70,1)])", ""}, true},
    {{"f16[M,64]", "ComposeLayout(3, 3, 3, S[(M,64):(64,1)] + P + -70)", ""}, true},
    {{"f16[M,N//K]", "S[(M,N//K):(P,1)]", ""}, true},
    {{"f16[M,N//(K-1)]", "S[(M,N//(K-1)):(P,1)]", ""}, true},
    {{"f16[M,N]", kRaw, ""}, true},
    {{"f16[M,N]", kRaw, "K >= 0"}, true},
    {{"f16[M,N]",
      "SpyreTensorLayout(device_size=[M, ceil(N/64), 64], stride_map=[N - 5, 64, 1], "
      "device_dtype=DataFormats.SEN169_FP16)",
      ""},
     true},
    {{"f16[M,N]",
      "SpyreTensorLayout(device_size=[ceil(M/(K-2)), N, 64], stride_map=[64, M, 1], "
      "device_dtype=DataFormats.SEN169_FP16)",
      ""},
     true},
    {{"f16[M,N]", "SpyreTensorLayout((M, N), torch.float16)", ""}, true},
    {{"f16[M,N,K]", "SpyreTensorLayout((M, N, K), torch.float16, [2, 0, 1])", ""}, true},
    {{"f16[M,N]", "SpyreTensorLayout((M, N), (P, 1), torch.float16, [0, 1])", "", "P,1"}, false},
    {{"f16[M,N]", "SpyreTensorLayout((M, N), (P, 1), torch.float16, [1, 0])", "", "P,1"}, false},
    {{"f16[M,N]", "SpyreTensorLayout((M, N), (P - 5, 1), torch.float16, [0, 1])", "", "P - 5,1"}, false},
    {{"f16[M,N]", "SpyreTensorLayout((M, N), (1, P), torch.float16, [1, 0])", "", "1,P"}, false},
    {{"f16[M,N]", "SpyreTensorLayout((M, N), torch.float16).restickify(0)", ""}, false},
    {{"f16[M,N]", "SpyreTensorLayout((M, N), torch.float16)", "", "", "K - 70"}, true},
    {{"f16[M,N]", kRaw, "", "", "", "K*P"}, true},
    {{"f16[M,N]", kRaw, "", "", "3*P", "K*64 - 640"}, true},
    {{"f16[M,N]", kRaw, "", "P, 1", "K", "K*P"}, false},
    {{"f16[M,N]", kRaw, "", "(P + 1)*2, 1", "", "(K + 1)*P"}, false},
    {{"f16[M,N]",
      "SpyreTensorLayout(device_size=[ceil(N/E), M, E], stride_map=[E, N, 1], device_dtype=DataFormats.SEN169_FP16)",
      ""},
     true},
    {{"f16[M,N]",
      "SpyreTensorLayout(device_size=[ceil(N/K), M, K*64, 64], dim_map=[1, 0, 1, 1], "
      "device_dtype=DataFormats.SEN169_FP16)",
      ""},
     true},
    {{"f32[M,N]",
      "#tt.metal_layout<(d0, d1) -> (d0 * P, d1), undef, <GxH>, memref<AxBx!tt.tile<32x32, f32>, "
      "#tt.memory_space<l1>>>",
      ""},
     false},
    {{"f32[M,N]", "#tt.metal_layout<(d0, d1) -> (d0, d1), undef, <GxH>, memref<AxBxf32, #tt.memory_space<l1>>>", ""},
     false},
    {{"bf16[N,M,K]",
      "#ttnn.ttnn_layout<(d0, d1, d2) -> (d0 * align(M, 32) + d1, d2), <GxH>, memref<1xAx!ttcore.tile<32x32, bf16>, "
      "#ttnn.buffer_type<l1>>, <interleaved>>",
      ""},
     false},
    {{"f32[M,N,K]",
      "tensor<GxHxAxBx!ttcore.tile<32x32, f32>, #ttcore.metal_layout<logical_shape = MxNxK, dim_alignments = PxQx32, "
      "collapsed_intervals = dense<[[0, 2], [2, 3]]> : tensor<2x2xi64>, l1, sharded>>",
      ""},
     false},
    {{"bf16[M,N]", "layout=TILE, banks=2*B: ttnn.DRAM_MEMORY_CONFIG", "B <= 32768"}, false},
    {{"bf16[L,M,N]", "layout=ROW_MAJOR, banks=B: ttnn.DRAM_MEMORY_CONFIG", "B <= 65536"}, false},
    {{"bf16[M,N]",
      "layout=ROW_MAJOR: ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, "
      "ttnn.ShardSpec(ttnn.CoreRangeSet({ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(7, G - 1))}), [S, N], "
      "ttnn.ShardOrientation.ROW_MAJOR))",
      "G <= 8192"},
     false},
};

// Where it holds there is an instance, always; and where it does not there is none, but for what the header names.
TEST(AllSizesExists, HoldsWhereTheTextsWithNumbersAreALayout) {
  for (const Exists& one : kRules) {
    const session::CaseRequest request = test::request_for(one.texts);
    const use::Family* family = session::family_of(request.layout.text, request.family);
    ASSERT_NE(family, nullptr) << one.texts.layout;
    const auto read = session::read_rule_case(request, *family);
    const auto* reading = std::get_if<session::RuleReading>(&read);
    if (reading == nullptr)
      ADD_FAILURE() << one.texts.layout << ": " << std::get<session::TextError>(read).error.message;
    const map::Rule* rule = reading == nullptr ? nullptr : reading->reading.rule_for_all_sizes();
    EXPECT_NE(rule, nullptr) << one.texts.layout;
    if (rule == nullptr) continue;
    const std::string exists = in_words(session::existence_of(*rule, reading->where));
    const engines::Options options;
    const session::RuleCase of{request, *rule, options};
    session::Instances instances(of);
    use::Random random(20261127, 1, static_cast<std::uint64_t>(&one - kRules));
    int here = 0, not_here = 0, stronger = 0, wrong = 0;
    for (int k = 0; k < test::cases(1500, 4000); ++k) {
      map::Sizes sizes;
      Index last = 1;  // sizes are equal now and then
      for (const map::Symbol& symbol : rule->symbols) {
        if (random.below(4) != 0) last = symbol.low == 0 && random.below(6) == 0 ? 0 : drawn(random);
        sizes[symbol.name] = std::max(last, symbol.low);
      }
      const bool asked = std::ranges::all_of(reading->where, [&](const map::Condition& condition) {
        const auto held = map::holds(condition, sizes);
        return held && *held;
      });
      const auto said = asked ? holds(exists, sizes) : std::nullopt;
      if (!said) continue;
      const bool made = instances.at(sizes) != nullptr;
      (made ? here : not_here) += 1;
      if (made == *said) continue;
      if (made) ++stronger;
      if (made && !one.exact) continue;
      if (++wrong <= 3)
        ADD_FAILURE() << one.texts.tensor << " " << one.texts.layout << " at " << session::sizes_in_words(*rule, sizes)
                      << (made ? " is a layout against " : " is none, though ") << exists;
    }
    EXPECT_GE(here, 100) << one.texts.layout << ": " << exists;
    EXPECT_GE(not_here, 60) << one.texts.layout << ": " << exists;
    EXPECT_LE(stronger, here / 20) << one.texts.layout << ": " << exists;
  }
}

}  // namespace differential_exists_campaign
}  // namespace vl
