#include "oracle/fuzz/neutral/case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "encodings/values/state.h"
#include "oracle/fuzz/data.h"

namespace vl::oracle {
namespace {

using neutral::Question;
using CaseJson = nlohmann::ordered_json;

constexpr std::size_t kMostTerms = 4096;
constexpr auto kRules = std::to_array<std::string_view>({"nan-wins", "nan-loses", "x86"});
constexpr auto kEqualities = std::to_array<std::string_view>({"bits", "any-nan", "any-nan+zero"});
constexpr auto kStarts = std::to_array<std::string_view>({"first", "+0", "-0"});
constexpr auto kOrders = std::to_array<std::string_view>({"any", "seq"});
constexpr auto kFlushes = std::to_array<std::string_view>({"none", "results", "both"});
constexpr auto kIntegers = std::to_array<std::string_view>({"wrap", "saturate"});
constexpr auto kDivides = std::to_array<std::string_view>({"N", "P"});
constexpr auto kTies = std::to_array<std::string_view>({"first", "last", "unspecified"});
constexpr auto kPlaces = std::to_array<std::string_view>({"anywhere", "after"});
constexpr auto kRoundings = std::to_array<std::string_view>({"nearest-even", "nearest-away", "toward-zero"});

CaseJson json_of(const Format& format, const CodeSet& set) {
  CaseJson out = CaseJson::array();
  for (const values::CodeRange& range : set.ranges())
    out.push_back({values::in_digits(format, range.first), values::in_digits(format, range.last)});
  return out;
}

CaseJson json_of(const Question& q) {
  CaseJson out = {{"operation", name(q.operation)},
                  {"type", q.type.name},
                  {"accumulate", q.accumulate.name},
                  {"start", kStarts[static_cast<std::size_t>(q.start)]},
                  {"order", kOrders[static_cast<std::size_t>(q.tree)]},
                  {"max", kRules[static_cast<std::size_t>(q.max)]},
                  {"fused", q.fused},
                  {"flush", kFlushes[static_cast<std::size_t>(q.mode.flush)]},
                  {"integers", kIntegers[static_cast<std::size_t>(q.mode.integers)]},
                  {"rounding", kRoundings[static_cast<std::size_t>(q.mode.rounding)]},
                  {"equal", kEqualities[static_cast<std::size_t>(q.equal)]},
                  {"contents", json_of(q.type, q.contents)}};
  if (q.operation < neutral::Operation::Mean) return out;
  out["divide"] = kDivides[static_cast<std::size_t>(q.divide)];
  out["ties"] = kTies[static_cast<std::size_t>(q.ties)];
  out["pads"] = kPlaces[static_cast<std::size_t>(q.pads)];
  out["k"] = q.k;
  return out;
}

std::string postfix_of(const ops::Tree& tree, std::uint32_t start) {
  std::vector<std::string> parts;
  for (std::uint32_t i = 0; i < tree.leaves; ++i) parts.push_back(i < start ? "s" : std::to_string(i - start));
  for (const auto& [left, right] : tree.nodes) parts.push_back(fmt::format("{} {} +", parts[left], parts[right]));
  return parts.back();
}

// Reads the fields of a case. The first thing that is wrong is kept; what is read after it has no meaning.
class CaseReader {
 public:
  explicit CaseReader(const CaseJson& in) : in_(in) {}

  [[nodiscard]] const std::string& wrong() const { return wrong_; }

  NeutralTrouble read() {
    NeutralTrouble out;
    if (text(in_, "kind") != "neutral-case") says("it is no neutral-case");
    out.mismatch = {text(in_, "mismatch"), text(in_, "detail")};
    out.seed = number("seed");
    out.index = number("index");
    read_question(out.asked);
    if (wrong_.empty()) read_row(out.asked, out.row);
    return out;
  }

 private:
  void says(std::string what) {
    if (wrong_.empty()) wrong_ = std::move(what);
  }

  // Null if it is missing.
  const CaseJson& field(const CaseJson& object, const char* key) {
    static const CaseJson kNull;
    if (object.is_object() && object.contains(key)) return object.at(key);
    says(fmt::format("the field {} is missing", key));
    return kNull;
  }

  std::string text(const CaseJson& object, const char* key) {
    const CaseJson& found = field(object, key);
    if (found.is_string()) return found.get<std::string>();
    says(fmt::format("{} is not a string", key));
    return {};
  }

  std::uint64_t number(const char* key) {
    const CaseJson& found = field(in_, key);
    if (found.is_number_unsigned()) return found.get<std::uint64_t>();
    says(fmt::format("{} is not a number", key));
    return 0;
  }

  template <std::size_t N>
  std::size_t word(const CaseJson& object, const char* key, const std::array<std::string_view, N>& words) {
    const std::string found = text(object, key);
    const auto at = std::ranges::find(words, found);
    if (at != words.end()) return static_cast<std::size_t>(at - words.begin());
    says(fmt::format("'{}' is no {}", found, key));
    return 0;
  }

  Format format(const CaseJson& object, const char* key) {
    const std::string found = text(object, key);
    if (const Format* is = values::find_format(found)) return *is;
    says(fmt::format("'{}' is no type", found));
    return values::formats().front();
  }

  Code code(const Format& of, std::string_view digits) {
    Code out = 0;
    const bool hexadecimal = digits.starts_with("0x");
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data() + (hexadecimal ? 2 : 0), end, out, 16);
    if (hexadecimal && parsed.ec == std::errc() && parsed.ptr == end && out <= of.mask()) return out;
    says(fmt::format("'{}' is no code of {}", digits, of.name));
    return 0;
  }

  CodeSet set(const CaseJson& object, const char* key, const Format& of) {
    const CaseJson& found = field(object, key);
    std::vector<values::CodeRange> ranges;
    if (!found.is_array() || found.empty()) says(fmt::format("{} is not a list of ranges", key));
    else
      for (const CaseJson& range : found) {
        const bool pair = range.is_array() && range.size() == 2 && range[0].is_string() && range[1].is_string();
        if (!pair) says(fmt::format("{} is not a list of pairs of codes", key));
        if (!wrong_.empty()) break;
        const values::CodeRange next{code(of, range[0].get<std::string>()), code(of, range[1].get<std::string>())};
        if (next.first > next.last) says(fmt::format("{} has a range from its end to its start", key));
        else ranges.push_back(next);
      }
    return wrong_.empty() ? CodeSet(std::move(ranges)) : CodeSet::of(0);
  }

  void read_question(NeutralQuestion& out) {
    const CaseJson& asked = field(in_, "question");
    Question& q = out.question;
    const auto operation = neutral::find_operation(text(asked, "operation"));
    const bool covered = operation && is_covered(*operation);
    if (!covered) says("the operation is none of the campaign's");
    q.operation = covered ? *operation : neutral::Operation::Sum;
    q.type = format(asked, "type");
    q.accumulate = format(asked, "accumulate");
    q.start = static_cast<neutral::Start>(word(asked, "start", kStarts));
    q.tree = static_cast<neutral::Tree>(word(asked, "order", kOrders));
    q.max = static_cast<values::MaxRule>(word(asked, "max", kRules));
    const CaseJson& fused = field(asked, "fused");
    if (!fused.is_boolean()) says("fused is neither true nor false");
    q.fused = fused.is_boolean() && fused.get<bool>();
    q.mode.flush = static_cast<values::Flush>(word(asked, "flush", kFlushes));
    q.mode.integers = static_cast<values::Integers>(word(asked, "integers", kIntegers));
    q.mode.rounding = static_cast<values::Rounding>(word(asked, "rounding", kRoundings));
    q.equal = static_cast<neutral::Equality>(word(asked, "equal", kEqualities));
    q.contents = set(asked, "contents", q.type);
    if (q.operation >= neutral::Operation::Mean) read_rules(asked, q);
    if (wrong_.empty()) says(neutral::misfit(q));
    out.fill = set(in_, "fill", q.type);
    if (q.operation == neutral::Operation::Dot) out.second = set(in_, "second", q.type);
  }

  void read_rules(const CaseJson& asked, Question& q) {
    q.divide = static_cast<neutral::Divide>(word(asked, "divide", kDivides));
    q.ties = static_cast<neutral::Ties>(word(asked, "ties", kTies));
    q.pads = static_cast<neutral::Pads>(word(asked, "pads", kPlaces));
    const CaseJson& k = field(asked, "k");
    if (k.is_number_unsigned() && k.get<std::uint64_t>() <= neutral::kMostK) q.k = k.get<unsigned>();
    else says("k is no number that topk takes");
  }

  ops::Term term(const NeutralQuestion& asked, std::string_view word) {
    ops::Term out;
    out.pad = word.starts_with('p');
    if (out.pad) word.remove_prefix(1);
    const std::size_t star = word.find('*');
    if ((star == std::string_view::npos) == asked.second.has_value())
      says(fmt::format("'{}' is no term: of dot it is a pair, of others one code", word));
    out.a = code(asked.question.type, word.substr(0, star));
    if (star != std::string_view::npos) out.b = code(asked.question.type, word.substr(star + 1));
    return out;
  }

  // The part that a word of a tree names; nothing if there is none.
  std::optional<std::uint32_t> part(std::string_view word, std::size_t leaves, std::uint32_t start) {
    std::uint32_t leaf = 0;
    if (word == "s" && start == 1) return 0;
    const auto parsed = std::from_chars(word.data(), word.data() + word.size(), leaf);
    if (parsed.ec == std::errc() && parsed.ptr == word.data() + word.size() && leaf < leaves - start)
      return leaf + start;
    says(fmt::format("'{}' is no term of the tree", word));
    return std::nullopt;
  }

  void read_tree(std::string_view text, ops::Tree& out, std::uint32_t start) {
    std::vector<std::uint32_t> stack;
    std::vector<bool> seen(out.leaves);
    while (!text.empty() && wrong_.empty()) {
      const std::string_view word = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(text.size(), word.size() + 1));
      if (word == "+" && stack.size() < 2) says("the tree has a node without two parts");
      else if (word == "+") {
        const std::uint32_t right = stack.back();
        stack.pop_back();
        out.nodes.push_back({stack.back(), right});
        stack.back() = static_cast<std::uint32_t>(out.leaves + out.nodes.size() - 1);
      } else if (const auto leaf = part(word, out.leaves, start)) {
        if (seen[*leaf]) says("the tree has a term twice");
        seen[*leaf] = true;
        stack.push_back(*leaf);
      }
    }
    if (stack.size() != 1 || out.nodes.size() + 1 != out.leaves) says("the tree does not have every term");
  }

  void read_row(const NeutralQuestion& asked, NeutralRow& out) {
    const CaseJson& terms = field(in_, "terms");
    if (!terms.is_array() || terms.empty() || terms.size() > kMostTerms)
      return says(fmt::format("terms is not a list of at most {} terms", kMostTerms));
    for (const CaseJson& one : terms) {
      if (!one.is_string()) return says("terms is not a list of strings");
      out.terms.push_back(term(asked, one.get<std::string>()));
    }
    const std::uint32_t start = asked.question.start == neutral::Start::First ? 0 : 1;
    out.tree.leaves = out.terms.size() + start;
    read_tree(text(in_, "tree"), out.tree, start);
    if (wrong_.empty() && !fits(asked, out)) says("the row does not fit the question");
  }

  const CaseJson& in_;
  std::string wrong_;
};

}  // namespace

bool is_neutral_case_file(std::string_view path) { return path.ends_with(".case.json"); }

std::string case_file_name(const NeutralTrouble& trouble) {
  CaseJson key = {json_of(trouble.asked.question), json_of(trouble.asked.question.type, trouble.asked.fill)};
  const std::string structure = trouble.mismatch.kind + key.dump();
  return fmt::format("neutral-{}-{:08x}.case.json", trouble.mismatch.kind,
                     hash_of(std::as_bytes(std::span(structure))) >> 32);
}

std::string case_text(const NeutralTrouble& trouble) {
  const NeutralQuestion& asked = trouble.asked;
  const Format& type = asked.question.type;
  CaseJson out = {{"kind", "neutral-case"},
                  {"mismatch", trouble.mismatch.kind},
                  {"detail", trouble.mismatch.detail},
                  {"seed", trouble.seed},
                  {"index", trouble.index},
                  {"question", json_of(asked.question)},
                  {"fill", json_of(type, asked.fill)}};
  if (asked.second) out["second"] = json_of(type, *asked.second);
  out["terms"] = CaseJson::array();
  for (const ops::Term& term : trouble.row.terms) {
    std::string word = (term.pad ? "p" : "") + values::in_digits(type, term.a);
    if (asked.second) word += "*" + values::in_digits(type, term.b);
    out["terms"].push_back(std::move(word));
  }
  out["tree"] = postfix_of(trouble.row.tree, asked.question.start == neutral::Start::First ? 0 : 1);
  return out.dump(-1, ' ', false, CaseJson::error_handler_t::replace) + "\n";
}

Result<NeutralTrouble> neutral_case_of(std::string_view text) {
  const auto shallow = [](int depth, CaseJson::parse_event_t, CaseJson&) { return depth <= 4; };
  const CaseJson in = CaseJson::parse(text, shallow, false);
  if (in.is_discarded()) return Error{ErrorCode::Syntax, "is no JSON"};
  CaseReader reader(in);
  NeutralTrouble out = reader.read();
  if (!reader.wrong().empty()) return Error{ErrorCode::Value, reader.wrong()};
  return out;
}

NeutralOutcome run_again(const NeutralTrouble& trouble) {
  const NeutralTrial trial(trouble.asked);
  NeutralOutcome out = trial.run(trouble.row);
  if (!out.mismatch) out.mismatch = trial.counterexample();
  if (!out.mismatch && (trouble.mismatch.kind == "image" || trouble.mismatch.kind == "state"))
    out.mismatch = neutral_outcome(trouble.seed, trouble.index).mismatch;
  return out;
}

}  // namespace vl::oracle
