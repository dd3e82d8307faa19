// The gate as a program: findings that only a change of several numbers makes plainer.
#include <set>

#include "tests/oracle/gated.h"

namespace vl::gate {
namespace oracle_gate_run_shrink_campaign {

using namespace test_gate;  // NOLINT(google-build-using-namespace): helpers of these tests

// A peer with two faults: addresses of one element wrap at 32 bits, and two elements over which two digits carry are
// one step too far apart. Each has one signature. That of the first had two before, one of them with an offset: without
// it, and with the stride that stood with it, nothing wraps.
TEST(GateRun, EachOfTwoFaultsHasOneSignature) {
  NEEDS_PYTHON;
  const test::Folder folder;
  const std::vector<std::string> peer = adapter_of(folder, R"(
def number(p, k):
    at = sum(n for n, _ in p["offset"])
    for extent, stride, _ in reversed(p["shard"]):
        at += k % extent * stride
        k //= extent
    return at

@layout_gate.op("derive.slice", family="tirx")
def slice(c):
    p, first, count = c["parts"], 0, 1
    if p["shard"] is None or p["swizzle"] or p["replica"] or any(i[-1] != "m" for i in p["shard"] + p["offset"]):
        raise layout_gate.Unsupported("more than memory")
    for extent, (begin, end) in zip(c["tensor"]["shape"], c["region"]):
        first, count = first * extent + begin, count * (end - begin)
    if count == 1:
        shard, at = [[1, 0, "m"]], (number(p, first) + 2**31) % 2**32 - 2**31
    elif count == 2 and len(c["region"]) == 1:
        inner, crossed = 1, 0
        for extent, _, _ in reversed(p["shard"]):
            inner *= extent
            crossed += (first + 1) % inner == 0
        at = number(p, first)
        shard = [[2, number(p, first + 1) - at + (crossed >= 2), "m"]]
    else:
        raise layout_gate.Unsupported("more than two elements")
    return {"parts": {"shard": shard, "replica": [], "swizzle": None, "offset": [[at, "m"]]}}
)");
  const Gated gate = gated({"--count", "3000", "--op", "derive.slice"}, peer);
  std::set<std::string> seen;
  for (const json& finding : gate.of("finding")) seen.insert(finding.at("signature").get<std::string>());
  EXPECT_EQ(seen, (std::set<std::string>{"tirx/derive.slice/value/bijective", "tirx/derive.slice/value/injective,far"}))
      << gate.err;
}

}  // namespace oracle_gate_run_shrink_campaign
}  // namespace vl::gate
