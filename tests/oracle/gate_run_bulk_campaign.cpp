// Long answers in the memory that is shared with an adapter: right ones agree, and each way to misuse it has its word.
#include <gtest/gtest.h>

#include "tests/oracle/gated.h"

namespace vl::gate {
namespace oracle_gate_run_bulk_campaign {

using namespace test_gate;  // NOLINT(google-build-using-namespace): helpers of these tests

// Places by digits, as lists of lists. `mine` stands for what an adapter of a test does with a case that has room.
const std::string kPlaces = R"(
import mmap, os
memory = mmap.mmap(os.open(os.environ["LAYOUT_GATE_BULK"], os.O_RDWR), 1 << 28)
def right(c):
    tree = c["parts"]
    if tree["swizzle"] or tree["replica"]: raise layout_gate.Unsupported("swizzles and replicas")
    axes = []
    for *_, axis in tree["shard"] + tree["offset"]:
        if axis not in axes: axes.append(axis)
    rows, count = [], 1
    for extent, *_ in tree["shard"]: count *= extent
    for k in range(count):
        row = dict.fromkeys(axes, 0)
        for number, axis in tree["offset"]: row[axis] += number
        for extent, stride, axis in reversed(tree["shard"]):
            row[axis] += k % extent * stride
            k //= extent
        rows.append([row[axis] for axis in axes])
    return axes, rows
def mine(c, at, axes, rows): return axes, rows
@layout_gate.op("place", family="tirx", contract="no-replicas")
def place(c):
    axes, rows = right(c)
    return mine(c, c["bulk"]["at"], axes, rows) if "bulk" in c else (axes, rows)
)";

Gated asked(const test::Folder& folder, const std::string& mine) {
  std::string body = kPlaces;
  const std::string honest = "def mine(c, at, axes, rows): return axes, rows\n";
  if (!mine.empty()) body.replace(body.find(honest), honest.size(), mine);
  return gated({"--count", "400", "--elements", "3000", "--no-shrink"}, adapter_of(folder, body));
}

TEST(GateBulk, LongAnswersAreJudgedWhereTheyLie) {
  NEEDS_PYTHON;
  const test::Folder folder;
  // It answers in the memory by itself, and counts how often, so that a gate which offers no place is seen.
  const Gated gate = asked(folder, R"(
def mine(c, at, axes, rows):
    assert c["bulk"]["bytes"] == 8 * len(rows) * len(axes) > 4096
    flat = b"".join(value.to_bytes(8, "little", signed=True) for row in rows for value in row)
    memory[at:at + len(flat)] = flat
    return {"axes": axes, "bulk": {"at": at, "values": len(flat) // 8}}
)");
  EXPECT_EQ(gate.code, 0) << gate.err << (gate.of("finding").empty() ? "" : gate.of("finding")[0].dump());
  ASSERT_EQ(gate.of("operation").size(), 1U);
  EXPECT_GE(gate.of("operation")[0].at("agree").get<int>(), 140);
  const Gated inline_rows = asked(folder, "");  // through the helper
  EXPECT_EQ(inline_rows.code, 0) << inline_rows.err;
  EXPECT_EQ(inline_rows.lines.back().at("digest"), gate.lines.back().at("digest"));
}

TEST(GateBulk, EachMisuseHasItsWord) {
  NEEDS_PYTHON;
  const test::Folder folder;
  const std::string write = R"(
def mine(c, at, axes, rows):
    flat = b"".join(value.to_bytes(8, "little", signed=True) for row in rows for value in row)
    count, wrong = len(flat) // 8, os.environ.get("WRONG")
    MISUSE
    return {"axes": axes, "bulk": {"at": at, "values": count}}
)";
  const auto word = [&](const std::string& misuse) {
    std::string mine = write;
    mine.replace(mine.find("MISUSE"), 6, misuse);
    const Gated gate = asked(folder, mine);
    const auto findings = gate.of("finding");
    if (findings.empty()) return std::to_string(gate.code) + " " + gate.err;
    return findings[0].at("found").get<std::string>() + ": " + findings[0].at("detail").get<std::string>();
  };
  EXPECT_NE(word("memory[at:at + len(flat)] = flat; at += 8").find("garbled: an answer at byte"), std::string::npos);
  EXPECT_NE(word("memory[at:at + len(flat)] = flat; count += 1").find("has room for"), std::string::npos);
  EXPECT_NE(word("memory[at:at + len(flat)] = flat; count = -1").find("garbled: a place in the shared"),
            std::string::npos);
  EXPECT_EQ(word("memory[at:at + len(flat)] = flat; memory[at - 1] ^= 1"),
            "garbled: the adapter wrote beside its place in the shared memory");
  EXPECT_EQ(word("memory[at:at + len(flat)] = flat; memory[at + len(flat)] ^= 1"),
            "garbled: the adapter wrote beside its place in the shared memory");
  EXPECT_EQ(word("memory[at + 8:at + len(flat)] = flat[8:]"),
            "garbled: bytes 0 to 8 of its place in the shared memory were not written");
  EXPECT_EQ(word("memory[at:at + len(flat)] = flat; memory[at + 800] ^= 1").substr(0, 6), "value:");
  EXPECT_EQ(word("memory[at:at + len(flat)] = flat; count -= 1").substr(0, 5), "size:");
  EXPECT_EQ(word("memory[at:at + len(flat)] = flat; axes = axes[::-1] + ['x', 'y']").substr(0, 5), "size:");
}

TEST(GateBulk, BytesOfImagesComeTheSameWay) {
  NEEDS_PYTHON;
  const Gated far = gated({"--count", "600", "--op", "image.pack", "image.unpack", "image.move"}, reference());
  EXPECT_EQ(far.code, 0) << far.err << (far.of("finding").empty() ? "" : far.of("finding")[0].dump());
  const Gated wrong = gated({"--count", "2000", "--op", "image.pack", "--no-shrink"}, reference("image.pack:odd"));
  EXPECT_EQ(wrong.code, 10) << wrong.err;
}

// Tensors and images of more than 4096 bytes come there, too, also for a process that was started after a crash: this
// one overwrites what it was given, and ends in the middle of a line.
TEST(GateBulk, LongDataAreThereAgainAfterACrash) {
  NEEDS_PYTHON;
  const test::Folder folder;
  const std::string body = kPlaces + R"(
inner, far = layout_gate._data, 0
def seen(given, shared):
    global far
    out = inner(given, shared)
    if isinstance(given, str): assert len(out) <= 4096
    else:
        far += 1
        assert len(out) == given["bytes"] > 4096
        if far == 2:
            memory[given["at"]:given["at"] + given["bytes"]] = bytes(given["bytes"])
            os._exit(3)
    return out
layout_gate._data = seen
@layout_gate.op("image.pack", family="tirx")
def pack(c):
    axes, rows = right(c)
    unit, slots = len(c["data"]) // len(rows), 1
    for extent in c["image"]["extents"]: slots *= extent
    out = bytearray(slots * unit)
    for k, row in enumerate(rows):
        at = 0
        for axis, extent in zip(c["image"]["axes"], c["image"]["extents"]):
            at = at * extent + (row[axes.index(axis)] if axis in axes else 0)
        out[at * unit:(at + 1) * unit] = c["data"][k * unit:(k + 1) * unit]
    return bytes(out)
)";
  const Gated gate =
      gated({"--count", "600", "--elements", "3000", "--op", "image.pack", "--no-shrink"}, adapter_of(folder, body));
  // Each process ends at the second of its long data, and nothing but that is wrong.
  for (const auto& finding : gate.of("finding"))
    EXPECT_EQ(finding.at("found"), "crashed:exit-3") << finding.at("detail");
  const auto row = gate.of("operation")[0];
  EXPECT_GE(row.at("fault").get<int>(), 5);
  EXPECT_GE(row.at("agree").get<int>(), 60);
}

}  // namespace oracle_gate_run_bulk_campaign
}  // namespace vl::gate
