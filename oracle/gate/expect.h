// Expectations: what a peer is known to do, as a TOML file that the peer's own repository keeps. A run is red exactly
// on a change: something new, something that is gone, or too little decided.
//
//   schema    = 1
//   peer      = "apache-tvm"                    # impl.name
//   versions  = ">=0.26, <0.28"                 # of impl.version; ==, >=, <=, >, < joined by commas
//   generator = 1                               # of the cases
//   [minimum."tirx/derive.slice"]               # shares of the cases asked
//   agree = 0.75                                # also decided, yes, no
//   [[known]]
//   signature = "tirx/derive.slice/value/bijective,threads"       # * stands for any letters
//   case      = '{"op":"derive.slice", …}'      # the request: asked first, in shard 0
//   answer    = '{"ok":{"layout":"S[…]"}}'      # optional: the exact answer; of others than ok, how it begins
//   convention = "unscaled"                     # optional: under which the case is judged if the peer declares none
//   judgement = "disagree"                      # disagree refused-valid invalid-accepted error fault unstable
//   issue     = "https://…"                     # required
//   until     = 2027-06-30                      # optional: afterwards the entry itself is red
//   rate      = [2e-4, 3e-3]                    # optional: the share of its cases among all that were asked
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "encodings/base/source.h"
#include "oracle/gate/campaign.h"

namespace vl::gate {

struct Minimum {
  std::map<std::string, double> shares;  // agree, decided, yes, no
  std::size_t line = 0;
};

struct Known {
  std::string signature, judgement, issue, answer;
  std::optional<Case> of;
  std::string request;       // its text
  std::optional<int> until;  // 20270630
  std::optional<std::pair<double, double>> rate;
  std::size_t line = 0;
};

struct Expectations {
  std::string file, peer, versions;
  Index generator = 0;
  std::map<std::string, Minimum> minima;  // by "family/operation"
  std::vector<Known> known;
  std::size_t line_of_versions = 0, line_of_generator = 0, line_of_peer = 0;
};

/// Errors, as diagnostics with their places: no TOML, unknown keys, wrong types, a case that is no request.
[[nodiscard]] std::variant<Expectations, std::vector<Diagnostic>> read_expectations(const std::string& file,
                                                                                    std::string text);

/// Whether a version satisfies ">=0.26, <0.28": numbers are compared part by part. An empty condition holds.
[[nodiscard]] bool satisfies(std::string_view version, std::string_view condition);
/// Whether `*` in the pattern stands for some letters of the text.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

/// One reason why a run is red.
struct Red {
  std::string reason;  // new, stale, changed, rate, minimum, version, generator, peer, expired, no-issue, glob, skipped
  std::string what;    // in words
  std::string signature;  // if it is about one
  std::size_t line = 0;   // of the file
  bool is_over = false;   // the known case is no finding now: --update removes its entry
};

/// What became of a known case that was asked by itself.
struct KnownAnswer {
  Reply reply;
  Judgement judgement;
};

/// The reasons, in the order of the file; findings that an entry covers are marked in `known`. `answers`: one for each
/// entry, or empty if the known cases were not asked. `whole`: the campaign was neither a shard, nor filtered, nor
/// ended early, so that shares can be judged. `today`: 20261124.
[[nodiscard]] std::vector<Red> compare(const Expectations& expected, const Peer& peer, const CampaignResult& result,
                                       const std::vector<KnownAnswer>& answers, bool whole, int today,
                                       std::map<std::string, std::string>* known);

/// 10 if something changed, 5 if only a minimum was missed, 0 without a reason.
[[nodiscard]] int code_of(const std::vector<Red>& reds);

}  // namespace vl::gate
