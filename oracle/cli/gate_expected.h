// gate --expect: the file of what a peer is known to do, read, asked, compared, and with --update written again.
// gate/expect.h has the file, and what is red.
#pragma once

#include <variant>
#include <vector>

#include "oracle/cli/gate.h"
#include "oracle/gate/child.h"
#include "oracle/gate/expect.h"
#include "oracle/gate/formats.h"
#include "oracle/gate/judge.h"

namespace vl::cli {

struct ExpectedFile {
  std::string text;
  gate::Expectations expected;
};

/// The file, or with --update that of a peer that has none yet; else an exit code, and why on stderr: it cannot be
/// read, or --update is asked of a part of the campaign (a shard, a family, an operation).
[[nodiscard]] std::variant<ExpectedFile, int> expected_of(const GateArguments& arguments, const gate::Peer& peer);

/// The answers to the known cases, in their order; none where the adapter did not answer them all.
[[nodiscard]] std::vector<gate::KnownAnswer> ask_known(const gate::Expectations& expected, gate::Child& child,
                                                       const gate::Judge& judge);

/// Fills in why the run is red, and with --update writes the new file. `file`: null without --expect. An exit code if
/// the update is refused, else 0.
[[nodiscard]] int compare_expectations(const GateArguments& arguments, const ExpectedFile* file,
                                       const std::vector<gate::KnownAnswer>& answers, gate::Report& report);

}  // namespace vl::cli
