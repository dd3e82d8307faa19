#include "oracle/gate/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "encodings/base/words.h"
#include "encodings/use/family.h"
#include "oracle/gate/contract.h"
#include "oracle/gate/convention.h"
#include "oracle/gate/operations.h"
#include "oracle/gate/plain_json.h"

namespace vl::gate {
namespace {

Error wrong(std::string message) { return {ErrorCode::Value, std::move(message), 0}; }

// Reads the fields of an object one after the other; the first error is kept.
class Fields {
 public:
  Fields(const Json& of, std::string where) : of_(of), where_(std::move(where)) {
    if (of.fields() == nullptr) fail("is no object");
  }

  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  void fail(const std::string& message) {
    if (!error_) error_ = wrong(fmt::format("{} {}", where_, message));
  }
  void take(std::optional<Error> error) {
    if (!error_) error_ = std::move(error);
  }

  const Json* find(std::string_view key, bool needed) {
    known_.push_back(key);
    const Json* value = of_.find(key);
    if (value == nullptr && needed) fail(fmt::format("has no field '{}'{}", key, instead_of(key)));
    return value;
  }
  void text(std::string_view key, bool needed, std::string& out) {
    const Json* value = find(key, needed);
    if (value == nullptr || value->is_null()) return;
    if (value->string() == nullptr) return fail(fmt::format("has a '{}' that is no text", key));
    out = *value->string();
  }
  void number(std::string_view key, Index& out) {
    const Json* value = find(key, false);
    if (value == nullptr) return;
    if (value->integer() == nullptr || *value->integer() < 0)
      return fail(fmt::format("has a '{}' that is no integer of at least 0", key));
    out = *value->integer();
  }
  void texts(std::string_view key, std::vector<std::string>& out) {
    const Json* value = find(key, false);
    if (value == nullptr) return;
    const Json::List* list = value->list();
    if (list == nullptr) return fail(fmt::format("has a '{}' that is no list", key));
    for (const Json& one : *list) {
      if (one.string() == nullptr) return fail(fmt::format("has a '{}' with something that is no text", key));
      out.push_back(*one.string());
    }
  }
  // A field that was not asked for is a typo.
  std::optional<Error> end() {
    if (of_.fields() != nullptr)
      for (const auto& [key, value] : *of_.fields())
        if (std::ranges::find(known_, key) == known_.end())
          fail(fmt::format("has an unknown field '{}'; {}", key, one_of(key, known_)));
    return error_;
  }

 private:
  // The field that was perhaps meant to be this one.
  [[nodiscard]] std::string instead_of(std::string_view key) const {
    std::vector<std::string_view> there;
    if (of_.fields() != nullptr)
      for (const auto& [name, value] : *of_.fields()) there.push_back(name);
    const std::string_view near = nearest(key, there);
    return near.empty() ? "" : fmt::format("; is it '{}'?", near);
  }

  const Json& of_;
  std::string where_;
  std::vector<std::string_view> known_;
  std::optional<Error> error_;
};

std::optional<Error> read_op(const std::string& family, const std::string& op, const Json& value, Peer& peer) {
  const std::string where = fmt::format("the operation '{}' of '{}'", op, family);
  if (!find_operation(op)) return wrong(fmt::format("{} is not known; {}", where, one_of(op, operation_names())));
  if (!has_claim(*find_operation(op))) return wrong(fmt::format("{} cannot be judged by this build", where));
  Fields in(value, where);
  PeerOp out{family, op, {}};
  if (const Json* contract = in.find("contract", false); contract != nullptr) {
    if (contract->list() != nullptr) in.texts("contract", out.contract);
    else if (contract->string() != nullptr) out.contract.push_back(*contract->string());
    else in.fail("has a contract that is no word and no list of words");
  }
  for (const std::string& word : out.contract)
    if (!is_contract(word))
      in.fail(fmt::format("has an unknown contract '{}'; {}", word, one_of(word, contract_words())));
  peer.ops.push_back(std::move(out));
  return in.end();
}

std::optional<Error> read_family(const std::string& name, const Json& value, Peer& peer) {
  std::vector<std::string_view> known;
  known.reserve(use::families().size());
  for (const use::Family* family : use::families()) known.push_back(family->name);
  if (std::ranges::find(known, name) == known.end())
    return wrong(fmt::format("the family '{}' is not known; {}", name, one_of(name, known)));
  Fields in(value, fmt::format("the family '{}'", name));
  PeerFamily out;
  out.name = name;
  std::string form = "text";
  in.text("form", false, form);
  if (form != "text" && form != "parts") in.fail(fmt::format("has a form '{}'; expected text or parts", form));
  out.parts = form == "parts";
  in.texts("dtypes", out.dtypes);
  if (const Json* limits = in.find("limits", false)) {
    Fields numbers(*limits, "limits");
    numbers.number("rank", out.rank);
    numbers.number("elements", out.elements);
    numbers.number("bits", out.bits);
    in.take(numbers.end());
  }
  const Json* ops = in.find("ops", true);
  if (ops != nullptr && ops->fields() == nullptr) in.fail("has 'ops' that are no object");
  if (ops != nullptr && ops->fields() != nullptr)
    for (const auto& [op, what] : *ops->fields()) in.take(read_op(name, op, what, peer));
  peer.families.push_back(std::move(out));
  return in.end();
}

void read_conventions(Fields& in, Peer& peer) {
  const Json* conventions = in.find("conventions", false);
  if (conventions == nullptr) return;
  if (conventions->fields() == nullptr) return in.fail("has 'conventions' that are no object");
  for (const auto& [name, value] : *conventions->fields()) {
    const Convention* convention = find_convention(name);
    if (convention == nullptr)
      return in.fail(fmt::format("has an unknown convention '{}'; {}", name, one_of(name, convention_names())));
    const std::vector<std::string_view> values(convention->values.begin(), convention->values.end());
    if (value.string() == nullptr || std::ranges::find(values, *value.string()) == values.end())
      return in.fail(fmt::format("has a convention '{}' that is not {}", name,
                                 one_of(value.string() != nullptr ? *value.string() : std::string(), values)));
    peer.conventions.emplace_back(name, *value.string());
  }
}

constexpr std::array<std::pair<std::string_view, ReplyKind>, 5> kKeys = {{{"ok", ReplyKind::Ok},
                                                                          {"refused", ReplyKind::Refused},
                                                                          {"undecided", ReplyKind::Undecided},
                                                                          {"unsupported", ReplyKind::Unsupported},
                                                                          {"error", ReplyKind::Error}}};

Reply read_answer(const Json& answer) {
  const auto garbled = [](std::string detail) { return Reply{ReplyKind::Garbled, {}, std::move(detail), 0}; };
  if (answer.fields() == nullptr) return garbled("an answer that is no object");
  if (answer.fields()->size() != 1) return garbled(fmt::format("an answer with {} keys", answer.fields()->size()));
  const auto& [key, value] = answer.fields()->front();
  for (const auto& [word, kind] : kKeys) {
    if (word != key) continue;
    if (value.fields() == nullptr) return garbled(fmt::format("an answer whose '{}' is no object", key));
    return {kind, value, {}, 0};
  }
  std::vector<std::string_view> words;
  words.reserve(kKeys.size());
  for (const auto& [word, kind] : kKeys) words.push_back(word);
  return garbled(fmt::format("an answer with the key '{}'; {}", key.substr(0, 40), one_of(key.substr(0, 40), words)));
}

// A line as the helpers print it, without making trees of its answers; nothing for any other.
std::optional<Replies> read_plain_answers(std::string_view line, Index seq, std::size_t cases) {
  if (line.size() > kMostLine) return std::nullopt;
  PlainJson in(line);
  Index echoed = 0;
  if (!in.take('{') || in.string() != "seq" || !in.take(':') || !in.integer(echoed) || echoed != seq)
    return std::nullopt;
  if (!in.take(',') || in.string() != "answers" || !in.take(':') || !in.take('[')) return std::nullopt;
  Replies out;
  out.all.reserve(cases);
  for (std::size_t k = 0; k < cases; ++k) {
    if ((k > 0 && !in.take(',')) || !in.take('{')) return std::nullopt;
    const auto key = in.string();
    const auto* kind =
        key ? std::ranges::find(kKeys, *key, &std::pair<std::string_view, ReplyKind>::first) : kKeys.end();
    if (kind == kKeys.end() || !in.take(':') || !in.sees('{')) return std::nullopt;
    const std::size_t begin = in.offset();
    if (!in.skip(3)) return std::nullopt;
    out.all.push_back({kind->second, JsonText::of(line.substr(begin, in.offset() - begin)), {}, 0});
    if (!in.take('}')) return std::nullopt;
  }
  const std::size_t values = 3 + cases + in.values();  // the line, its seq, the list, and each answer
  if (!in.take(']') || !in.take('}') || !in.at_end() || values > kMostValues) return std::nullopt;
  return out;
}

}  // namespace

std::string_view name(ReplyKind kind) {
  switch (kind) {
    case ReplyKind::Ok: return "ok";
    case ReplyKind::Refused: return "refused";
    case ReplyKind::Undecided: return "undecided";
    case ReplyKind::Unsupported: return "unsupported";
    case ReplyKind::Error: return "error";
    case ReplyKind::Crashed: return "crashed";
    case ReplyKind::OutOfMemory: return "out-of-memory";
    case ReplyKind::Hung: return "hung";
    case ReplyKind::Flooded: return "flooded";
    case ReplyKind::Garbled: return "garbled";
    case ReplyKind::Unstable: return "unstable";
    case ReplyKind::Lost: return "lost";
  }
  VL_CHECK(false, "a reply that there is not");
}

bool say_the_same(const Reply& a, const Reply& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == ReplyKind::Unsupported || a.kind == ReplyKind::Undecided) return true;
  const bool no = a.kind == ReplyKind::Refused || a.kind == ReplyKind::Error;
  if (!no && a.bulk.empty()) return a == b;
  if (a.bulk != b.bulk) return false;
  const Json one = a.value.read(), other = b.value.read();
  const char* key = a.kind == ReplyKind::Refused ? "code" : no ? "class" : "axes";
  const Json *mine = one.find(key), *its = other.find(key);
  const bool same = mine != nullptr && its != nullptr ? *mine == *its : mine == its;
  return same && (no || one.fields()->size() == other.fields()->size());
}

std::string hello_line(std::size_t bulk_bytes, bool fork) {
  return fmt::format(
      "{{\"seq\":0,\"op\":\"hello\",\"gate\":\"verify-layout {}\",\"protocol\":[{}],\"bulk\":{{\"bytes\":{}}},\"fork\":"
      "{}}}\n",
      kVersion, kProtocol, bulk_bytes, fork);
}

Result<Peer> read_hello(std::string_view line, bool host) {
  const auto parsed = parse_json(line);
  if (!parsed) return parsed.error();
  Peer peer;
  Fields in(*parsed, "the handshake");
  if (const Json* seq = in.find("seq", true); seq != nullptr && *seq != Json(Index{0}))
    in.fail("has a seq that is not 0");
  if (const Json* protocol = in.find("protocol", true); protocol != nullptr && *protocol != Json(kProtocol))
    in.fail(fmt::format("is of protocol {}; expected {}", print_json(*protocol).substr(0, 40), kProtocol));
  if (const Json* impl = in.find("impl", true)) {
    Fields who(*impl, "impl");
    who.text("name", true, peer.name);
    who.text("version", true, peer.version);
    who.text("language", false, peer.language);
    who.text("commit", false, peer.commit);
    who.text("issues", false, peer.issues);
    in.take(who.end());
    if (peer.name.empty()) in.fail("has an empty name");
  }
  if (const Json* adapter = in.find("adapter", false)) {
    Fields who(*adapter, "adapter");
    who.text("version", false, peer.adapter_version);
    who.text("owner", false, peer.adapter_owner);
    in.take(who.end());
  }
  std::vector<std::string> features;
  in.texts("features", features);
  for (const std::string& feature : features) {
    if (host && feature == "packed") {
      peer.packed = true;
      continue;
    }
    if (feature != "axes" && feature != "bulk" && feature != "cursor" && feature != "data" && feature != "fork")
      in.fail(fmt::format("has an unknown feature '{}'; expected one of axes, bulk, cursor, data, fork", feature));
    peer.axes = peer.axes || feature == "axes";
    peer.bulk = peer.bulk || feature == "bulk";
    peer.cursor = peer.cursor || feature == "cursor";
    peer.data = peer.data || feature == "data";
    peer.forks = peer.forks || feature == "fork";
  }
  const Json* families = in.find("families", true);
  if (families != nullptr && families->fields() == nullptr) in.fail("has 'families' that are no object");
  if (families != nullptr && families->fields() != nullptr)
    for (const auto& [name, value] : *families->fields()) in.take(read_family(name, value, peer));
  read_conventions(in, peer);
  if (auto error = in.end()) return *error;
  if (peer.ops.empty()) return wrong("the handshake offers no operation");
  return peer;
}

std::string request_line(Index seq, std::span<const std::string> cases) {
  std::string out = fmt::format("{{\"seq\":{},\"cases\":[", seq);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    if (k > 0) out += ',';
    out += cases[k];
  }
  return out + "]}\n";
}

std::string ended_by_signal(int signal) {
  const char* const words = ::sigdescr_np(signal);
  return words == nullptr ? fmt::format("ended by signal {}", signal)
                          : fmt::format("ended by signal {}, {}", signal, words);
}

Result<Replies> read_answers(std::string_view line, Index seq, std::size_t cases) {
  if (auto plain = read_plain_answers(line, seq, cases)) return std::move(*plain);
  const auto parsed = parse_json(line);
  if (!parsed) return parsed.error();
  Replies out;
  Fields in(*parsed, "the line");
  if (const Json* echoed = in.find("seq", true); echoed != nullptr && *echoed != Json(seq))
    in.fail(fmt::format("has the seq {}; expected {}", print_json(*echoed).substr(0, 40), seq));
  const Json* answers = in.find("answers", true);
  if (answers != nullptr && answers->list() == nullptr) in.fail("has 'answers' that are no list");
  if (const Json* crashed = in.find("crashed", false)) {
    Index signal = 0, code = 0;
    Fields how(*crashed, "crashed");
    how.number("signal", signal);
    how.number("code", code);
    in.take(how.end());
    const bool plausible = signal < 128 && code < 256 && (signal == 0 || code == 0);
    if (!plausible) in.fail("says of a child how no process ends");
    // In the words of a process that ends without a fork: which it was depends on the threads.
    const std::string ended =
        signal > 0 ? ended_by_signal(static_cast<int>(signal)) : fmt::format("ended with exit code {}", code);
    out.crash = Reply{ReplyKind::Crashed, {}, ended, static_cast<int>(signal > 0 ? signal : -code)};
  }
  if (auto error = in.end()) return *error;
  const std::size_t count = answers->list()->size();
  const bool fits = out.crash ? count < cases : count == cases;
  if (!fits) return wrong(fmt::format("the line has {} answers to {} cases", count, cases));
  for (const Json& answer : *answers->list()) out.all.push_back(read_answer(answer));
  return out;
}

}  // namespace vl::gate
