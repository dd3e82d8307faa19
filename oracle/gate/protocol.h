// Protocol layout-gate/1: lines of JSON between the gate and an adapter, as values. A line of requests is
//   {"seq":3,"cases":[{"op":"place","family":"tirx","layout":"S[(2,3):(3,1)]","tensor":{…},"at":"all"}, …]}
// and its answer has the same seq and as many answers, in the same order:
//   {"seq":3,"answers":[{"ok":{"axes":["m"],"values":[[0],[1],…]}}, …]}
// An answer has exactly one key. Unknown keys, a second one, a wrong seq, one answer too few are garbled: a typo is a
// fault, and never an answer. oracle/adapters/README.md says the same to those who write adapters.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oracle/gate/json.h"

namespace vl::gate {

constexpr Index kProtocol = 1;
constexpr std::size_t kMostCases = 64;  // of a line

/// One operation that a peer offers.
struct PeerOp {
  std::string family;
  std::string op;
  std::vector<std::string> contract;  // words of contract.h; empty: unstated
};

struct PeerFamily {
  std::string name;
  bool parts = false;                      // layouts as trees, besides the text
  Index rank = 0, elements = 0, bits = 0;  // limits; 0: none
  std::vector<std::string> dtypes;         // empty: any
};

/// What an adapter says of itself in the handshake.
struct Peer {
  std::string name, version, language, commit, issues;
  std::string adapter_version, adapter_owner;
  bool forks = false;   // answers each line in a forked child when asked to
  bool cursor = false;  // writes the case that it begins into the shared memory
  bool bulk = false;    // long answers in the shared memory
  bool data = false;    // long data of requests there
  bool axes = false;    // wants the axes of each layout, in the order of the verifier's columns
  bool packed = false;  // the program's own host of a library that has lg_place
  std::vector<PeerFamily> families;
  std::vector<PeerOp> ops;  // in the order of the text
  std::vector<std::pair<std::string, std::string>> conventions;
};

/// The first line. `fork`: answer each line in a forked child.
[[nodiscard]] std::string hello_line(std::size_t bulk_bytes, bool fork);
/// Errors: those of parse_json; Value for what is no handshake of this protocol, with the nearest known word.
/// `host`: it is the program's own, which may have a feature that no adapter has.
[[nodiscard]] Result<Peer> read_hello(std::string_view line, bool host = false);

[[nodiscard]] std::string request_line(Index seq, std::span<const std::string> cases);

/// What became of a case. The first five are answers, the others are seen by the gate.
enum class ReplyKind : std::uint8_t {
  Ok,
  Refused,
  Undecided,
  Unsupported,
  Error,
  Crashed,      // the process ended; `code` is the signal, or minus the exit code
  OutOfMemory,  // it ended, and what it wrote to stderr last says that no memory was left
  Hung,         // no answer in time
  Flooded,      // too much on stdout or stderr
  Garbled,      // no answer of this protocol
  Unstable,     // another answer to the same question
  Lost,         // not asked: the adapter does not start any more
};
[[nodiscard]] std::string_view name(ReplyKind kind);
[[nodiscard]] inline bool is_fault(ReplyKind kind) { return kind >= ReplyKind::Crashed; }
/// "ended by signal 25, File size limit exceeded".
[[nodiscard]] std::string ended_by_signal(int signal);

struct Reply {
  ReplyKind kind = ReplyKind::Lost;
  JsonText value;         // of an answer: what stands behind its key
  std::string detail;     // of a fault: what was seen
  int code = 0;           // of Crashed
  std::string bulk = {};  // of an answer that lay in the shared memory: a copy of it (bulk_answers.h)

  bool operator==(const Reply&) const = default;
};

/// Whether two replies to one question say the same. How a library words its no, or why it has no answer, may change
/// from one time to the next (times, addresses): of a refusal its code is compared, of an error its class. Where an
/// answer lies in the shared memory is no part of it.
[[nodiscard]] bool say_the_same(const Reply& a, const Reply& b);

/// The replies of one line; fewer than `cases` only if the line says that its forked child ended behind them.
struct Replies {
  std::vector<Reply> all;
  std::optional<Reply> crash;
};
/// Errors, all of which mean garbled: those of parse_json; Value for another seq, another number of answers, a line
/// that is no object. An answer that is wrong by itself is a Reply of kind Garbled.
[[nodiscard]] Result<Replies> read_answers(std::string_view line, Index seq, std::size_t cases);

}  // namespace vl::gate
