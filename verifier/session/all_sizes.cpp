#include "verifier/session/all_sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "verifier/session/conditions.h"
#include "verifier/session/instances.h"
#include "verifier/session/judge_parts.h"
#include "verifier/session/rule_certificates.h"
#include "verifier/session/rule_words.h"

namespace vl::session {
namespace {

using claims::Lifted;
using engines::AllSizesPart;
using map::Expression;
using question::Proved;
using question::Reason;
using question::Refuted;
using question::Unknown;

std::vector<AllSizesPart> parts_of(Lifted lifted) {
  switch (lifted) {
    case Lifted::No:
    case Lifted::Fits:
    case Lifted::Rules: return {};
    case Lifted::InBox: return {AllSizesPart::InBox};
    case Lifted::Apart: return {AllSizesPart::Apart};
    case Lifted::Bijective: return {AllSizesPart::InBox, AllSizesPart::Decoded, AllSizesPart::InFilled};
    case Lifted::Onto: return {AllSizesPart::Onto};
    case Lifted::Padding: return {AllSizesPart::Counted};
    case Lifted::Identity: return {AllSizesPart::Identity};
  }
  VL_CHECK(false, "a claim is lifted to nothing");
}

// A rule that was read, with what its answers share.
class AllSizesCase {
 public:
  AllSizesCase(const RuleCase& of, const RuleReading& read, const CertificateOptions& certificates)
      : of_(of), read_(read), reading_(read.reading), instances_(of), certificates_(of.request, read, certificates) {}

  // What is wrong with the texts of a claim that was answered.
  [[nodiscard]] const std::optional<Diagnostic>& wrong() const { return wrong_; }

  /// Where its certificate could not be written, the diagnostic says so.
  question::Answer answer(const ClaimRequest& claim, const std::string& stem, std::optional<Diagnostic>& unwritten) {
    existing_.clear();
    capacity_.reset();
    const auto start = std::chrono::steady_clock::now();
    question::Answer out;
    out.claim = claim.claim->name;
    out.expected = claim.expected;
    out.asked = asked_of(claim);
    out.all_sizes.emplace();
    decide(claim, out);
    const bool told = of_.options.budget.stopped() && std::holds_alternative<Unknown>(out.verdict);
    if (told) out.verdict = Unknown{Reason::Interrupted, "it was not decided when the run was told to end", {}};
    out.micros = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    if (told) {
      out.expected.reset();
      return out;
    }
    certify(claim, stem, out, unwritten);
    if (claim.expression) out.expected = *claim.expression;
    ClaimRequest plain = claim;
    plain.holds.reset();
    plain.expression.reset();
    out.mismatch = mismatch_of(plain, out.verdict);
    if (out.mismatch.empty()) out.mismatch = lifted_mismatch(claim, *out.all_sizes);
    out.as_expected = out.mismatch.empty();
    return out;
  }

 private:
  // A proof of which the checker accepts no certificate is none.
  void certify(const ClaimRequest& claim, const std::string& stem, question::Answer& out,
               std::optional<Diagnostic>& unwritten) {
    const Certified made = certificates_.certify(claim, existing_, capacity_, effort(), out.verdict, stem);
    out.certificate_micros = static_cast<double>(made.time.count()) / 1000.0;
    if (made.unwritten) unwritten = made.unwritten;
    const auto* proved = std::get_if<Proved>(&out.verdict);
    if (proved == nullptr || proved->trust == question::Trust::Checked) return;
    out.verdict = Unknown{Reason::OutOfReach, "shown, but no certificate of it is accepted", "polynomial"};
    out.all_sizes->value.reset();
    out.all_sizes->holds.reset();
    out.all_sizes->exact = false;
    out.note.clear();
  }

  static std::string lifted_mismatch(const ClaimRequest& claim, const question::ForAllSizes& got) {
    if (claim.expression && (!got.value || !same_value(*got.value, *claim.expression)))
      return fmt::format("expected {}, got {}", *claim.expression, got.value.value_or("no expression"));
    if (claim.holds && (!got.holds || !got.exact || !same_alternatives(*claim.holds, question::in_words(*got.holds))))
      return fmt::format("expected that it holds iff {}, got {}", *claim.holds,
                         got.holds && got.exact ? question::in_words(*got.holds) : "nothing known");
    return {};
  }

  void decide(const ClaimRequest& claim, question::Answer& out) {
    if (claim.rule_nests != nullptr) return by_nests(claim, out);
    const Lifted lifted = claim.claim->lifted;
    if (lifted == Lifted::No) {
      out.verdict = Unknown{Reason::Unsupported, "this claim is not answered for all sizes; --at-sizes asks one", {}};
      return;
    }
    if (lifted == Lifted::Rules) return by_rules(claim, out);
    if (lifted == Lifted::Fits) return by_size(claim, out);
    const std::vector<AllSizesPart> parts = parts_of(lifted);
    const engines::Leaves leaves = engines::leaves_of(of_.rule, parts, in_time());
    question::ForAllSizes& all = *out.all_sizes;
    all.cells = leaves.all.size();
    if (leaves.proved()) return confirm(claim, leaves, out);
    if (!claim.claim->measures) {
      if (auto against = say_when(claim, leaves, all)) return disagree(*against, out);
      if (auto refuted = smallest_refuted(of_, claim, parts, leaves, instances_)) return refute(*refuted, out);
    }
    // Without an instance that fails, what the leaves say is not confirmed.
    all.holds.reset();
    all.exact = false;
    const auto open = std::ranges::find_if(
        leaves.all, [](const engines::Leaf& leaf) { return leaf.kind != engines::Leaf::Kind::Holds; });
    out.verdict = Unknown{Reason::OutOfReach,
                          fmt::format("not shown for all sizes: {}{}", open == leaves.all.end() ? "" : open->why,
                                      claim.claim->measures ? "" : "; no small instance is refuted"),
                          "polynomial"};
  }

  // Says proved only after instances of it were decided.
  void confirm(const ClaimRequest& claim, const engines::Leaves& leaves, question::Answer& out) {
    const std::optional<Expression> value = measured(*claim.claim, of_.rule);
    const Sampled found = sampled(claim, leaves, value, instances_);
    out.all_sizes->instances = found.decided;
    if (found.against) return disagree(*found.against, out);
    if (found.existing == 0) {
      // No cell is left: the conditions exclude one another. Else sizes may exist that were not found.
      out.verdict =
          leaves.all.empty()
              ? Unknown{Reason::Vacuous, "no sizes satisfy the conditions", "polynomial"}
              : Unknown{Reason::OutOfReach, "shown, but no sizes were found of which a layout exists", "polynomial"};
      return;
    }
    if (found.decided == 0) {
      out.verdict = Unknown{Reason::OutOfReach, "shown, but no instance was decided by another engine", "polynomial"};
      return;
    }
    if (found.bare > 0) {
      const char* where = found.bare == 1 ? "in one of its cells" : "in some of its cells";
      out.verdict =
          Unknown{Reason::OutOfReach, fmt::format("shown, but {} no instance was decided by another engine", where),
                  "polynomial"};
      return;
    }
    if (value) {
      out.all_sizes->value = value_of(of_.rule, *value);
      if (!out.all_sizes->value) {
        out.verdict =
            Unknown{Reason::OutOfReach,
                    fmt::format("its value needs a minimum, a maximum or a choice: {}", print_of(of_.rule, *value)),
                    "polynomial"};
        return;
      }
      out.note = fmt::format("of {} slots are padding", print_of(of_.rule, map::product_of(extents_of(of_.rule))));
    } else {
      out.all_sizes->holds.emplace(1);  // always
      out.all_sizes->exact = true;
      out.note = claim.claim->lifted == Lifted::Bijective
                     ? fmt::format("{} elements in one-to-one correspondence with the valid slots",
                                   print_of(of_.rule, map::product_of(of_.rule.logical)))
                     : "for all sizes";
    }
    out.verdict = Proved{"polynomial", question::Trust::Trusted, {}};
    keep_existing(leaves);
  }

  // What a question may take, for cells and for the checker.
  [[nodiscard]] engines::AllSizesOptions in_time() const {
    return {.end = std::chrono::steady_clock::now() + of_.options.budget.wall};
  }
  [[nodiscard]] claims::Effort effort() const { return {std::chrono::seconds(10), of_.options.budget.wall}; }

  // Says when the claim holds, if one reads it, the checker shows it, and no instance contradicts it. Returns one that
  // does.
  std::optional<Refutation> say_when(const ClaimRequest& claim, const engines::Leaves& leaves,
                                     question::ForAllSizes& all) {
    auto when = engines::weakest(leaves);
    if (!when || (when->holds.empty() && !when->exact) || !is_readable(when->holds) ||
        !is_shown_where(claim, of_.request, read_, capacity_, when->holds, effort()))
      return std::nullopt;
    if (auto against = contradicted(claim, leaves, when->holds, when->exact, instances_)) return against;
    all.holds = std::move(when->holds);
    all.exact = when->exact;
    return std::nullopt;
  }

  void keep_existing(const engines::Leaves& leaves) {
    use::Random random(20261125, 21, 1);
    const auto keep = [&](const map::Sizes& sizes) {
      if (instances_.at(sizes) != nullptr) existing_.push_back(sizes);
    };
    for (const engines::Leaf& leaf : leaves.all) {
      for (const map::Sizes& sizes : leaf.cell.samples(2)) keep(sizes);
      for (int draw = 0; draw < 2; ++draw)
        if (const auto sizes = leaf.cell.drawn(random)) keep(*sizes);
    }
  }

  void disagree(const Refutation& against, question::Answer& out) {
    const std::string at = sizes_in_words(of_.rule, against.sizes);
    const std::string& said = against.verdict.counterexample.explanation;
    out.verdict = Unknown{
        Reason::EnginesDisagree,
        fmt::format("polynomial says when it holds, and one instance contradicts it, {}: {}", at, said), "polynomial"};
    question::Conflict conflict{"all sizes", {"polynomial", "when it holds", {}}, {}};
    conflict.other = {against.verdict.engine, fmt::format("{}: {}", at, said), {}};
    out.conflicts.push_back(std::move(conflict));
    out.reproduce = fmt::format("the same command with --at-sizes {}", at);
  }

  void refute(Refutation& found, question::Answer& out) {
    question::ForAllSizes& all = *out.all_sizes;
    for (const map::Symbol& symbol : of_.rule.symbols)
      all.sizes.emplace_back(symbol.name, found.sizes.find(symbol.name)->second);
    all.instance = *instances_.at(found.sizes)->subject.reading.layout();
    question::Counterexample& counter = found.verdict.counterexample;
    counter.explanation = fmt::format("{}: {}", sizes_in_words(of_.rule, found.sizes), counter.explanation);
    counter.minimal = found.minimal;
    out.verdict = std::move(found.verdict);
  }

  // Nests: the checker's proof of them is the only one. Each case of their extents has instances that are decided.
  void by_nests(const ClaimRequest& claim, question::Answer& out) {
    if (of_.request.offset != 0) {  // where the host's elements begin, no rule says
      out.verdict = Unknown{Reason::Unsupported, "nests of a view with an offset are not encoded for all sizes", {}};
      return;
    }
    std::vector<Expression> extents;
    for (const use::RuleNest& nest : claim.rule_nests->nests)
      extents.insert(extents.end(), nest.extents.begin(), nest.extents.end());
    engines::Leaves all;
    for (engines::Cell& cell : engines::parted(engines::cells_of(of_.rule), extents))
      all.all.push_back({engines::Leaf::Kind::Holds, std::move(cell), {}});
    out.all_sizes->cells = all.all.size();
    if (is_shown_where(claim, of_.request, read_, {}, {{}}, effort())) return confirm(claim, all, out);
    if (auto refuted = smallest_refuted(of_, claim, {}, all, instances_)) {
      refuted->minimal = false;  // smaller sizes may fail: nothing is proved of them
      return refute(*refuted, out);
    }
    out.verdict = Unknown{Reason::OutOfReach, "not shown for all sizes; no small instance is refuted", "polynomial"};
  }

  // The family's rules, where they do not depend on sizes: those of every instance are the same.
  void by_rules(const ClaimRequest& claim, question::Answer& out) {
    const bool hold = std::ranges::all_of(reading_.rules, [](const use::Rule& rule) { return rule.have == rule.want; });
    const engines::Leaves leaves{{}, true};
    if (!hold) {
      if (auto refuted = smallest_refuted(of_, claim, {}, leaves, instances_)) {
        out.all_sizes->holds.emplace();
        out.all_sizes->exact = true;
        return refute(*refuted, out);
      }
      out.verdict = Unknown{Reason::OutOfReach, "a rule does not hold, and no small instance exists", "polynomial"};
      return;
    }
    engines::Leaves all;
    for (engines::Cell& cell : engines::cells_of(of_.rule))
      all.all.push_back({engines::Leaf::Kind::Holds, std::move(cell), {}});
    out.all_sizes->cells = all.all.size();
    confirm(claim, all, out);
  }

  // Whether the bytes of one memory, which are an expression, are at most what they are asked with.
  void by_size(const ClaimRequest& claim, question::Answer& out) {
    auto capacity = capacity_of(of_, claim, instances_);
    if (auto* wrong = std::get_if<Diagnostic>(&capacity)) wrong_ = std::move(*wrong);
    if (!wrong_) capacity_ = std::get<0>(capacity);
    const auto room = room_left(of_.rule, reading_, capacity_);
    if (const auto* unknown = std::get_if<Unknown>(&room)) {
      out.verdict = *unknown;
      return;
    }
    const engines::Leaves leaves = engines::leaves_of_sign(of_.rule, std::get<Expression>(room), in_time());
    question::ForAllSizes& all = *out.all_sizes;
    all.cells = leaves.all.size();
    if (leaves.proved()) {
      const Sampled found = sampled(claim, leaves, {}, instances_);
      all.instances = found.decided;
      if (found.against) return disagree(*found.against, out);
      if (found.decided > 0 && found.bare == 0) {
        all.holds.emplace(1);
        all.exact = true;
        out.note = "for all sizes";
        out.verdict = Proved{"polynomial", question::Trust::Trusted, {}};
        keep_existing(leaves);
        return;
      }
    } else if (auto refuted = smallest_refuted(of_, claim, {}, leaves, instances_, std::get<Expression>(room))) {
      if (auto against = say_when(claim, leaves, all)) return disagree(*against, out);
      return refute(*refuted, out);
    }
    out.verdict = Unknown{Reason::OutOfReach, "no instance was found that shows it or refutes it", "polynomial"};
  }

  const RuleCase& of_;
  const RuleReading& read_;
  const use::Reading& reading_;
  Instances instances_;
  RuleCertificates certificates_;
  std::vector<map::Sizes> existing_;  // of the proof that was found last: sizes of which a layout exists
  std::optional<Index> capacity_;     // what fits is asked of, in bytes
  std::optional<Diagnostic> wrong_;
};

// Whether an extent of the layout has a name.
bool names_sizes(const map::Rule& rule) {
  std::vector<std::string> names;
  for (const map::RuleLevel& level : rule.levels) map::add_names(level.extent, names);
  for (const map::Expression& replica : rule.replicas) map::add_names(replica, names);
  return !names.empty();
}

std::vector<question::Answer> unsupported_answers(const std::vector<ClaimRequest>& claims, const std::string& why) {
  std::vector<question::Answer> out;
  for (const ClaimRequest& claim : claims) {
    question::Answer& answer = out.emplace_back();
    answer.claim = claim.claim->name;
    answer.expected = claim.expected;
    answer.asked = asked_of(claim);
    answer.verdict = Unknown{Reason::Unsupported, why, {}};
    answer.mismatch = mismatch_of(claim, answer.verdict);
    answer.as_expected = answer.mismatch.empty();
  }
  return out;
}

}  // namespace

bool has_names(const CaseRequest& request) {
  if (request.where || request.all_sizes || request.named_strides) return true;
  const std::string_view text = request.tensor.text;
  const std::size_t bracket = text.find('[');
  return bracket != std::string_view::npos && std::ranges::any_of(text.substr(bracket), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
         });
}

std::optional<question::Case> judge_for_all_sizes(const CaseRequest& request, const JudgeOptions& options) {
  const use::Family* family = family_of(request.layout.text, request.family);
  if (family == nullptr || family->read_rule == nullptr) return std::nullopt;
  question::Case out = unread(request);
  auto read = read_rule_case(request, *family);
  if (const auto* error = std::get_if<TextError>(&read)) {
    if (!has_names(request)) return std::nullopt;  // what is wrong with a layout of numbers, its reader said
    out.diagnostic = error->diagnose();
    return out;
  }
  const auto& rule_reading = std::get<RuleReading>(read);
  const auto& [tensor, reading, where] = rule_reading;
  const map::Rule* rule = reading.rule_for_all_sizes();
  if (rule != nullptr && rule->symbols.empty()) {
    if (!request.all_sizes) return std::nullopt;
    out.diagnostic = request.layout.diagnose({ErrorCode::Value, "there is no name in it whose sizes could be all", 0});
    return out;
  }
  if (rule != nullptr && map::has_symbols(tensor) && !has_own_names(*rule)) {
    const auto numbers = map::parse_tensor(request.tensor.text);
    out.diagnostic = request.tensor.diagnose(
        numbers ? Error{ErrorCode::Value, "names of a tensor whose layout has none", 0} : numbers.error());
    return out;
  }
  if (request.expect_invalid) return out;
  const std::vector<ClaimRequest> asked = request.claims.empty() ? default_claims(request) : request.claims;
  if (rule != nullptr && !map::has_symbols(tensor) && !has_names(request) && names_sizes(*rule))
    return std::nullopt;  // sizes with names of a tensor with numbers: which ones they are, nobody says
  // Where elements lie on sticks depends on the host's strides, and not on its offset.
  const bool views = request.view_offset != 0 || ((tensor.strides || request.offset != 0) && !(rule && rule->decodes));
  if (rule == nullptr || views) {
    out.answers = unsupported_answers(
        asked, rule == nullptr ? reading.undecidable()->reason : "a view of this kind beside names is not encoded");
    return out;
  }
  out.tensor = map::print(tensor);
  out.rule = view_of(*rule, where);
  const RuleCase of{request, *rule, options.engines};
  AllSizesCase all(of, rule_reading, options.certificates);
  for (const ClaimRequest& claim : asked) {
    const std::string stem = stem_of(request, out.answers.size(), *claim.claim);
    out.answers.push_back(all.answer(claim, stem, out.diagnostic));
  }
  if (all.wrong()) {
    out.diagnostic = all.wrong();
    out.answers.clear();
  }
  return out;
}

}  // namespace vl::session
