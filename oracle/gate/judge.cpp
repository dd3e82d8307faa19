#include "oracle/gate/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/use/parts.h"
#include "oracle/gate/images.h"
#include "oracle/gate/places.h"
#include "oracle/gate/right_answer.h"
#include "oracle/gate/strides.h"

namespace vl::gate {
namespace {

using question::Proved;
using question::Refuted;

Judgement ours(std::string detail) { return {.word = Word::UndecidedOurs, .detail = std::move(detail)}; }

session::SourceText text(std::string_view name, std::string_view value) {
  return session::SourceText::option(std::string(name), std::string(value));
}

constexpr std::string_view kAnswer = "the answer";

// The text of a layout in an answer: {"layout":"…"}, or {"parts":{…}}, which the family prints. An operation on a
// layout is none: the verifier would perform it.
std::variant<std::string, Judgement> layout_in(const Case& of, const Json& answer) {
  const use::Family& family = *use::family_of({}, of.family);
  const auto wrong = [](std::string what) { return differs("unreadable", std::move(what)); };
  if (answer.fields()->size() != 1) return wrong("the answer has further fields than a layout");
  std::string out;
  if (const std::string* layout = answer.text("layout")) {
    out = *layout;
  } else if (const Json* parts = answer.find("parts");
             parts != nullptr && family.parts != nullptr && of.op->name != "print") {
    auto printed = family.parts->read(print_json(*parts));
    if (!printed) return wrong(printed.error().message);
    out = std::move(*printed);
  } else {
    return wrong("the answer has no layout");
  }
  map::Tensor tensor = of.tensor;
  if (family.elements != nullptr) {
    tensor = {};
    if (const auto count = family.elements(out)) tensor.size = {*count};
  }
  const auto read = family.read(out, tensor);
  if (read && !read->derived.empty()) return wrong("the answer is an operation on a layout");
  if (read && read->undecidable() != nullptr)
    return ours("the answer cannot be decided: " + read->undecidable()->reason);
  if (read && read->layout() == nullptr) return wrong("the answer has names where a layout has numbers");
  return out;
}

// With an unscaled offset the outer layout of a tile has none, and the inner one has it in addition.
bool move_offset(const use::Family& family, std::string& inner, std::string& outer, const map::Tensor& tensor) {
  if (family.parts == nullptr) return false;
  map::Tensor outer_tensor;
  if (const auto count = family.elements(outer)) outer_tensor.size = {*count};
  const auto of_outer = family.parts->print(outer, outer_tensor), of_inner = family.parts->print(inner, tensor);
  if (!of_outer || !of_inner) return false;
  const auto outer_tree = parse_json(*of_outer), inner_tree = parse_json(*of_inner);
  if (!outer_tree || !inner_tree) return false;
  Json moved, kept;
  std::map<std::string, Index> sum;
  if (outer_tree->find("offset")->list()->empty()) return true;  // the convention says nothing about it
  for (const Json* tree : {&*outer_tree, &*inner_tree})
    for (const Json& one : *tree->find("offset")->list()) {
      Index& of_axis = sum[*(*one.list())[1].string()];
      const auto more = checked_add(of_axis, *(*one.list())[0].integer());
      if (!more) return false;
      of_axis = *more;
    }
  Json::List offsets;
  offsets.reserve(sum.size());
  for (const auto& [axis, value] : sum) offsets.push_back(Json::List{value, axis});
  for (const auto& [key, value] : *inner_tree->fields()) moved.set(key, key == "offset" ? Json(offsets) : value);
  for (const auto& [key, value] : *outer_tree->fields()) kept.set(key, key == "offset" ? Json(Json::List()) : value);
  auto new_inner = family.parts->read(print_json(moved)), new_outer = family.parts->read(print_json(kept));
  if (!new_inner || !new_outer) return false;
  inner = std::move(*new_inner);
  outer = std::move(*new_outer);
  return true;
}

}  // namespace

Json json_of(const question::Counterexample& counterexample) {
  Json out;
  for (const auto& [name, value] : counterexample.fields) {
    if (const auto* number = std::get_if<Index>(&value)) out.set(name, *number);
    else out.set(name, Json(std::get<Point>(value)));
  }
  return out;
}

std::string_view name(Word word) {
  constexpr std::array<std::string_view, kWords> kNames = {
      "agree", "disagree", "accepted-invalid", "refused",          "refused-valid", "undecided", "unsupported",
      "error", "fault",    "unstable",         "invalid-accepted", "undecided-ours"};
  return kNames[static_cast<std::size_t>(word)];
}

bool is_judged(Word word) {
  return word == Word::Agree || word == Word::Disagree || word == Word::AcceptedInvalid ||
         word == Word::InvalidAccepted;
}

bool is_finding(Word word) {
  return word == Word::Disagree || word == Word::RefusedValid || word == Word::Error || word == Word::Fault ||
         word == Word::Unstable || word == Word::InvalidAccepted;
}

std::string fault_word(const Reply& reply) {
  if (reply.kind != ReplyKind::Crashed) return std::string(name(reply.kind));
  return reply.code > 0 ? fmt::format("crashed:{}", reply.code) : fmt::format("crashed:exit-{}", -reply.code);
}

session::CaseRequest question_of(const Case& of) {
  session::CaseRequest request;
  request.layout = text("the layout", of.layout);
  request.tensor = text("the tensor", fmt::format("{}[{}]", map::name(of.tensor.type), fmt::join(of.tensor.size, ",")));
  request.strides = of.tensor.strides;
  request.offset = of.tensor.offset;
  request.view_offset = of.tensor.view_offset;
  request.family = of.family;
  std::string box;
  for (const map::Extent& extent : of.tensor.box)
    box += fmt::format("{}{}={}", box.empty() ? "" : ", ", extent.axis, extent.extent);
  if (!box.empty()) request.box = text("the box", box);
  return request;
}

question::Case Judge::ask(const Case& of, std::string_view name, const std::vector<CaseArgument>& arguments) const {
  session::CaseRequest request = question_of(of);
  session::ClaimRequest claim;
  claim.places_alone = true;  // those that `place` asks for
  claim.claim = claims::find_claim(name);
  VL_CHECK(claim.claim != nullptr, fmt::format("the claim '{}' does not exist", name));
  for (const CaseArgument& argument : arguments) {
    const std::string_view from = argument.key == "with" && of.op->kind != OpKind::Decide ? kAnswer : argument.key;
    const auto error = session::give(claim, argument.key, text(from, argument.text));
    VL_CHECK(!error, "an argument that the claim does not have");
  }
  request.claims.push_back(std::move(claim));
  return session::judge(request, options_);
}

Judgement Judge::of_layout(const Case& of, const Json& answer, std::string_view convention) const {
  auto found = layout_in(of, answer);
  if (auto* none = std::get_if<Judgement>(&found)) return std::move(*none);
  const std::string& layout = std::get<std::string>(found);
  Case asked = of;
  if (convention == "unscaled") {
    const auto outer = std::ranges::find(asked.arguments, std::string_view("outer"), &CaseArgument::key);
    if (!move_offset(*use::family_of({}, of.family), asked.layout, outer->text, of.tensor))
      return ours("the case cannot be said under this convention");
  }
  if (of.op->claim == "left-inverse" || of.op->claim == "divide" || of.op->claim == "product")
    asked.arguments.push_back({"outside", std::string(convention)});
  asked.arguments.push_back({"with", layout});
  const question::Case made = ask(asked, asked.op->claim, asked.arguments);
  if (made.diagnostic) {
    if (made.diagnostic->file == kAnswer)
      return differs("unreadable", fmt::format("{}: {}", layout, made.diagnostic->message));
    return ours(made.diagnostic->file + ": " + made.diagnostic->message);
  }
  const question::Answer& said = made.answers.front();
  if (const auto* proved = std::get_if<Proved>(&said.verdict))
    return {.word = Word::Agree, .scope = "proved", .checked = proved->trust == question::Trust::Checked};
  const auto* refuted = std::get_if<Refuted>(&said.verdict);
  if (refuted == nullptr) {
    Judgement out = ours(std::string(question::word(said.verdict)));
    if (const auto* unknown = std::get_if<question::Unknown>(&said.verdict)) {
      out.detail = unknown->detail;
      out.engines_differ = unknown->reason == question::Reason::EnginesDisagree;
    }
    return out;
  }
  const auto& fields = refuted->counterexample.fields;
  const bool sized = std::ranges::any_of(fields, [](const auto& field) { return field.first == "want"; });
  Judgement out = differs(sized ? "size" : "value", refuted->counterexample.explanation);
  out.right = json_of(refuted->counterexample);
  out.scope = "proved";
  return out;
}

Judgement Judge::of_decision(const Case& of, const Json& answer) const {
  const std::string* said = answer.text("answer");
  const Json* witness = answer.find("witness");
  const std::size_t known = (said != nullptr ? 1U : 0U) + (witness != nullptr ? 1U : 0U);
  if (said == nullptr || (*said != "yes" && *said != "no") || answer.fields()->size() != known)
    return differs("unreadable", "the answer is not yes or no, with or without a witness");
  const question::Case made = ask(of, of.op->claim, of.arguments);
  if (made.diagnostic) return ours(made.diagnostic->file + ": " + made.diagnostic->message);
  const question::Verdict& verdict = made.answers.front().verdict;
  const auto* proved = std::get_if<Proved>(&verdict);
  const auto* refuted = std::get_if<Refuted>(&verdict);
  if (proved == nullptr && refuted == nullptr) {
    Judgement out = ours(std::string(question::word(verdict)));
    if (const auto* unknown = std::get_if<question::Unknown>(&verdict))
      out.engines_differ = unknown->reason == question::Reason::EnginesDisagree;
    return out;
  }
  Judgement out;
  out.truth = proved != nullptr;
  out.checked = proved != nullptr && proved->trust == question::Trust::Checked;
  out.scope = "proved";
  const bool says_yes = *said == "yes";
  out.word = says_yes == *out.truth ? Word::Agree : Word::Disagree;
  if (out.word == Word::Disagree) {
    out.kind = says_yes ? "yes" : "no";
    out.detail = fmt::format("the answer is {}; {}", *said,
                             refuted != nullptr ? refuted->counterexample.explanation : "it is proved that it holds");
    if (refuted != nullptr) out.right.set("counterexample", json_of(refuted->counterexample));
    out.right.set("answer", *out.truth ? "yes" : "no");
    return out;
  }
  if (says_yes || witness == nullptr || witness_shows(of, of.op->claim, *witness).value_or(true)) return out;
  out.word = Word::Disagree;
  out.kind = "witness";
  out.detail = "the answer no is right, but its witness does not show it";
  out.right.set("counterexample", json_of(refuted->counterexample));
  return out;
}

Judgement Judge::of_measure(const Case& of, const Json& answer, std::string_view convention) const {
  const Json* said = answer.find("value");
  if (said == nullptr || said->integer() == nullptr || answer.fields()->size() != 1)
    return differs("unreadable", "the answer is no integer 'value'");
  bool checked = false;
  const std::string scope = of.op->claim.empty() ? "all-elements" : "proved";
  const auto right = measured(of, convention, checked);
  if (!right) return ours(right.error().message);
  if (*right == *said->integer()) return {.word = Word::Agree, .scope = scope, .checked = checked};
  Judgement out = differs("value", fmt::format("it is {}; the answer says {}", *right, *said->integer()));
  out.right.set("value", *right);
  out.scope = scope;
  return out;
}

Result<Index> Judge::measured(const Case& of, std::string_view convention, bool& checked) const {
  std::optional<Index> out;
  if (of.op->kind == OpKind::Cost) return cost_of_case(of, convention, checked);
  if (of.op->claim.empty()) {
    out = of.op->name == "measure.size" ? size_of(of) : cosize_of(of, convention);
  } else {
    const question::Case made = ask(of, of.op->claim, {});
    if (made.diagnostic) return Error{ErrorCode::Value, made.diagnostic->file + ": " + made.diagnostic->message, 0};
    if (const auto* proved = std::get_if<Proved>(&made.answers.front().verdict)) {
      out = proved->value;
      checked = proved->trust == question::Trust::Checked;
    }
  }
  if (!out) return Error{ErrorCode::Value, "the verifier does not measure this", 0};
  return *out;
}

// Whether a right answer is known to exist. A contract says of which layouts an operation may be asked; that each of
// them has a result, and one in the peer's notation, it does not say.
bool Judge::has_answer(const Case& of, std::string_view convention) const {
  bool checked = false;
  switch (of.op->kind) {
    case OpKind::Place:
    case OpKind::PlaceAt:
    case OpKind::SameMap:
    case OpKind::Back:
    case OpKind::Image:
    case OpKind::Nests:  // one for each element
    case OpKind::Reduce:
    case OpKind::Construct: return true;
    case OpKind::Derive: return of.op->claim == "coalesce" || !right_answer(of).empty();  // it is coalesced as it is
    case OpKind::Cost:
    case OpKind::Measure:
      if (of.op->name == "measure.strides") return strides_of(of.of()).has_value();
      return measured(of, convention, checked).has_value();
    case OpKind::Decide: {
      const question::Case made = ask(of, of.op->claim, of.arguments);
      return !made.diagnostic && (std::holds_alternative<Proved>(made.answers.front().verdict) ||
                                  std::holds_alternative<Refuted>(made.answers.front().verdict));
    }
  }
  VL_CHECK(false, "an operation of another kind");
}

Judgement Judge::of_answer(const Case& of, const Reply& reply, std::string_view convention) const {
  const JsonText& said = reply.value;
  if (of.op->kind == OpKind::Place && places_agree(of, said.text(), convention))
    return {.word = Word::Agree, .scope = "all-elements"};
  const Json answer = said.read();
  if (!reply.bulk.empty() && of.op->kind == OpKind::Place) return judge_rows(of, answer, reply.bulk, convention);
  if (!reply.bulk.empty() && of.op->kind == OpKind::Image) return judge_bytes(of, reply.bulk);
  switch (of.op->kind) {
    case OpKind::Place:
    case OpKind::PlaceAt: return judge_place(of, answer, convention);
    case OpKind::Back: return judge_back(of, answer);
    case OpKind::SameMap:
    case OpKind::Derive: return of_layout(of, answer, convention);
    case OpKind::Decide: return of_decision(of, answer);
    case OpKind::Image: return judge_image(of, answer);
    case OpKind::Nests: return of_nests(of, answer);
    case OpKind::Reduce: return of_reduction(of, answer, convention);
    case OpKind::Construct: break;  // a refusal is an answer of it
    case OpKind::Cost:
    case OpKind::Measure:
      return of.op->name == "measure.strides" ? judge_strides(of, answer) : of_measure(of, answer, convention);
  }
  VL_CHECK(false, "an operation of another kind");
}

Judgement Judge::judge(const Case& of, const Reply& reply, Standing standing, std::string_view convention) const {
  if (of.op->kind == OpKind::Construct && (reply.kind == ReplyKind::Ok || reply.kind == ReplyKind::Refused))
    return of_construction(of, reply, standing);
  if (reply.kind == ReplyKind::Ok) {
    Judgement out = of_answer(of, reply, convention);
    if (out.word == Word::Disagree && standing == Standing::Outside) out.word = Word::AcceptedInvalid;
    return out;
  }
  const Json value = reply.value.read();
  const auto said = [&](Word word, std::string kind) {
    const std::string* message = value.text("msg");
    if (message == nullptr) message = value.text("why");
    if (message == nullptr) message = value.text("what");
    return Judgement{.word = word, .kind = std::move(kind), .detail = message != nullptr ? *message : reply.detail};
  };
  switch (reply.kind) {
    case ReplyKind::Ok: break;
    case ReplyKind::Refused: {
      const bool valid = standing == Standing::Within && has_answer(of, convention);
      const std::string* code = value.text("code");
      Judgement out =
          said(valid ? Word::RefusedValid : Word::Refused, code != nullptr ? "refused:" + *code : "refused");
      if (valid && of.op->kind == OpKind::Derive)
        if (std::string right = right_answer(of); !right.empty()) out.right.set("layout", std::move(right));
      return out;
    }
    case ReplyKind::Undecided: return said(Word::Undecided, "undecided");
    case ReplyKind::Unsupported: return said(Word::Unsupported, "unsupported");
    case ReplyKind::Error: {
      const std::string* type = value.text("class");
      return said(Word::Error, type != nullptr ? "error:" + *type : "error");
    }
    case ReplyKind::Unstable: return {.word = Word::Unstable, .kind = "unstable", .detail = reply.detail};
    case ReplyKind::Crashed:
    case ReplyKind::OutOfMemory:
    case ReplyKind::Hung:
    case ReplyKind::Flooded:
    case ReplyKind::Garbled:
    case ReplyKind::Lost: return {.word = Word::Fault, .kind = fault_word(reply), .detail = reply.detail};
  }
  VL_CHECK(false, "a reply of another kind");
}

}  // namespace vl::gate
