// Growth: the same decision with one extent 10, 1,000 and 1,000,000 times larger. Only a walk over elements may grow.
#include <string>
#include <vector>

#include "tests/bench/layouts.h"
#include "tests/bench/question.h"
#include "tests/bench/suites.h"

namespace vl::bench {
namespace {

struct Growing {
  std::string name;  // <family>-<layout>
  std::vector<std::string> claims;
  Texts (*at)(long long k);  // without the claim, unless that has an argument
  std::string expect = "proved";
};

const std::vector<Growing> kGrowing = {
    {"spyre-raw",
     {"in-bounds", "injective", "bijective", "offset-identity", "padding"},
     [](long long k) {
       return Texts{spyre_raw(k), spyre_raw_tensor(k), {}, {}};
     }},
    {"spyre-default",
     {"in-bounds", "injective", "bijective", "offset-identity", "padding"},
     [](long long k) {
       return Texts{fmt::format("SpyreTensorLayout(({}, 100, 150), torch.float16)", 5 * k),
                    fmt::format("f16[{},100,150]", 5 * k),
                    {},
                    {}};
     }},
    {"spyre-stride-149",
     {"bijective"},
     [](long long k) {
       return Texts{fmt::format("SpyreTensorLayout(device_size=[{}, 3, 5, 64], stride_map=[149, 64, {}, 1], "
                                "device_dtype=DataFormats.SEN169_FP16)",
                                100 * k, 15000 * k),
                    spyre_raw_tensor(k),
                    {},
                    {}};
     },
     "refuted"},
    {"spyre-nests",
     {"implements", "covers-once"},
     [](long long k) {
       return Texts{spyre_raw(k), spyre_raw_tensor(k), {}, {}, true};
     }},
    {"tirx-tile",
     {"in-bounds", "injective", "bijective"},
     [](long long k) {
       return Texts{fmt::format("S[({},64):(64,1)]", 8 * k), rows_of_64(k), {}, {}};
     }},
    {"tirx-regrouped",
     {"equal"},
     [](long long k) {
       return Texts{fmt::format("S[({},64):(64,1)]", 8 * k),
                    rows_of_64(k),
                    fmt::format("equal=S[({},8,8,8):(512,64,8,1)]", k),
                    {}};
     }},
    {"tirx-fragment",
     {"in-bounds", "injective"},
     [](long long k) {
       return Texts{fmt::format("S[(8,2,4,{}):(4@laneid,1@warpid,1@laneid,1)] + R[2:4@warpid] + 5@warpid", 2 * k),
                    fmt::format("f16[8,{}]", 16 * k),
                    {},
                    {}};
     }},
    {"tirx-not-nested",
     {"in-bounds", "injective"},
     [](long long k) {
       return Texts{fmt::format("S[(2,{}):({},2)]", 3 * k, 3 * k | 1), fmt::format("f16[2,{}]", 3 * k), {}, {}};
     }},
    {"tirx-rows-overlap",
     {"injective", "bijective"},
     [](long long k) {
       return Texts{fmt::format("S[({},64):(63,1)]", 8 * k), rows_of_64(k), {}, {}};
     },
     "refuted"},
    {"tirx-swizzled",
     {"in-bounds", "injective", "bijective"},
     [](long long k) {
       return Texts{swizzled(k), rows_of_64(k), {}, {}};
     }},
    {"tirx-swizzled-access",
     {"conflict-free", "wavefronts"},
     [](long long k) {
       return Texts{swizzled(k),
                    rows_of_64(k),
                    {},
                    fmt::format("ldmatrix.x4 at=[lane % 8 + 8*i, lane / 8 * 8 + 32*j] for i=0:{}, j=0:2", k)};
     }},
};

}  // namespace

void register_growth(Rows& rows) {
  for (const Growing& layout : kGrowing)
    for (const std::string& claim : layout.claims)
      for (const long long k : {1LL, 10LL, 1'000LL, 1'000'000LL}) {
        call(rows, fmt::format("verdict/{}/{}/x{}", claim, layout.name, k),
             [&layout, claim, k](benchmark::State& state) {
               Texts texts = layout.at(k);
               if (texts.claim.empty()) texts.claim = claim;
               const Question question = ask(texts);
               for (auto _ : state) {
                 const claims::Judged answer = question.decide();
                 if (word(answer) != layout.expect) state.SkipWithError(std::string(word(answer)).c_str());
                 benchmark::DoNotOptimize(&answer);
               }
             });
      }
}

}  // namespace vl::bench
