#include "verifier/session/stated.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/use/clip.h"
#include "encodings/use/family.h"
#include "verifier/session/all_sizes.h"
#include "verifier/session/judge_parts.h"

namespace vl::session {
namespace {

// Whether a text is one call that takes a layout and its tensor, as FixedTiledLayout(…, device_layout=…) does; a
// module's name may stand in front of it.
bool is_call(std::string_view text) {
  use::Clip clip(text, std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  std::string_view name = clip.take_word();
  name.remove_prefix(name.rfind('.') + 1);
  const bool known = std::ranges::any_of(use::families(), [&](const use::Family* family) {
    return family->scan != nullptr && std::ranges::find(family->scan->calls, name) != family->scan->calls.end();
  });
  return known && clip.peek() == '(' && clip.take_brackets() &&
         text.find_first_not_of(" \t\r\n", clip.offset()) == std::string_view::npos;
}

// Whether a finding is all of a text, except for blanks and the name of a module in front.
bool is_whole(std::string_view found, std::string_view text) {
  const auto dense = [](std::string_view spaced) {
    std::string out;
    for (const char c : spaced)
      if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) out += c;
    return out;
  };
  const std::string all = dense(text);
  const std::string part = dense(found);
  return all.ends_with(part) && std::ranges::all_of(all.substr(0, all.size() - part.size()),
                                                    [](char c) { return use::is_word(c) || c == '.'; });
}

// The one layout of a text that is a layout, or a call of one; or why it has no tensor, if it is skipped.
struct OfText {
  std::optional<CaseRequest> stated = {};
  bool whole = false;
  std::optional<std::string> skipped = {};
};

OfText of_text(const CaseRequest& request) {
  const std::string& text = request.layout.text;
  ScanOptions options;
  options.family = request.family;
  bool given = false;
  Scanned found = scan(
      request.layout.file,
      [&](char* buffer, std::size_t most) {
        const std::size_t size = given ? 0 : std::min(most, text.size());
        given = true;
        return text.copy(buffer, size);
      },
      options);
  OfText out;
  auto* only = found.all.size() == 1 ? &found.all.front() : nullptr;
  if (only == nullptr) return out;
  if (auto* skipped = std::get_if<SkippedText>(only)) {
    out.skipped = std::move(skipped->reason);
    return out;
  }
  auto& sighting = std::get<Sighting>(*only);
  out.whole = is_whole(sighting.request.layout.text, text);
  if (out.whole || is_call(text)) out.stated = std::move(sighting.request);
  return out;
}

}  // namespace

bool is_same_tensor(std::string_view a, std::string_view b) {
  const auto one = map::parse_rule_tensor(a), other = map::parse_rule_tensor(b);
  return one && other && map::print(*one) == map::print(*other);
}

std::optional<std::string> state_tensor(CaseRequest& request) {
  const std::string& text = request.layout.text;
  OfText of = of_text(request);
  if (of.skipped) return std::move(*of.skipped);
  if (of.stated) {
    const CaseRequest& stated = *of.stated;
    if (!of.whole) {
      request.layout.text = stated.layout.text;
      request.layout.verbatim = false;
      if (request.offset == 0) request.offset = stated.offset;
    }
    request.tensor = SourceText::option(request.layout.file, stated.tensor.text);
    request.tensor_source = stated.tensor_source;
    if (!request.strides && !request.named_strides) {
      request.strides = stated.strides;
      request.strides_text = stated.strides_text;
      request.named_strides = stated.named_strides;
    }
    return std::nullopt;
  }
  const use::Family* family = use::family_of(text, request.family);
  const auto elements = family != nullptr && family->elements != nullptr ? family->elements(text) : std::nullopt;
  if (!elements) return std::string(kNoTensor);
  request.tensor = SourceText::option(request.layout.file, fmt::format("u8[{}]", *elements));
  request.tensor_source = question::TensorSource::Assumed;
  return std::nullopt;
}

std::optional<CaseRequest> out_of_call(const CaseRequest& request) {
  if (!is_call(request.layout.text)) return std::nullopt;
  OfText of = of_text(request);
  if (!of.stated || of.whole) return std::nullopt;
  CaseRequest out = request;
  out.layout.text = std::move(of.stated->layout.text);
  out.layout.verbatim = false;
  if (!is_same_tensor(of.stated->tensor.text, request.tensor.text))
    out.stated_tensor = std::move(of.stated->tensor.text);
  return out;
}

namespace {

using question::Refuted;
using question::TensorSource;

// The elements of the layout against those of its tensor, where both are known and differ.
std::optional<Contradiction> of_elements(const CaseRequest& request) {
  const use::Family* family = use::family_of(request.layout.text, request.family);
  const auto tensor = map::parse_tensor(request.tensor.text);
  if (family == nullptr || family->elements == nullptr || !tensor) return std::nullopt;
  const auto own = family->elements(request.layout.text);
  const auto of = checked_product(tensor->size);
  if (!own || !of || *own == *of) return std::nullopt;
  return Contradiction{
      fmt::format("the tensor {} has {} elements, and the layout has {}", map::print(*tensor), *of, *own),
      {{"have", *own}, {"want", *of}}};
}

}  // namespace

std::optional<Contradiction> contradiction_of(const CaseRequest& request) {
  const bool scanned = request.occurrences > 0;
  const bool stated = request.tensor_source == TensorSource::Stated;
  if (!scanned && !stated) return std::nullopt;
  if (auto elements = of_elements(request)) return elements;
  if (!stated) return std::nullopt;
  // The layout was read when it was found, so what does not fit is the tensor.
  const auto said = [&](const Error& error) -> std::optional<Contradiction> {
    if (error.code != ErrorCode::Shape) return std::nullopt;
    return Contradiction{fmt::format("the stated tensor {}: {}", request.tensor.text, error.message), {}};
  };
  const use::Family* family = use::family_of(request.layout.text, request.family);
  if (family != nullptr && family->read_rule != nullptr && has_names(request)) {
    const auto rule = read_rule_case(request, *family);
    const auto* broken = std::get_if<TextError>(&rule);
    return broken != nullptr ? said(broken->error) : std::nullopt;
  }
  const auto read = read_unproved(request);
  const auto* wrong = std::get_if<TextError>(&read);
  return wrong != nullptr ? said(wrong->error) : std::nullopt;
}

std::optional<Contradiction> contradiction_of(const CaseRequest& request, const question::Case& judged) {
  if (request.tensor_source != TensorSource::Stated || request.where || !judged.rule || judged.rule->own.empty())
    return std::nullopt;
  const auto at_no_sizes = [](const question::Answer& answer) {
    const auto* unknown = std::get_if<question::Unknown>(&answer.verdict);
    return unknown != nullptr && unknown->reason == question::Reason::Vacuous && unknown->detail == kNoSizes;
  };
  if (judged.answers.empty() || !std::ranges::all_of(judged.answers, at_no_sizes)) return std::nullopt;
  return Contradiction{fmt::format("the layout has as many elements as the stated tensor {} at no sizes: {}",
                                   request.tensor.text, fmt::join(judged.rule->own, " and ")),
                       {}};
}

question::Case contradicted(const CaseRequest& request, const Contradiction& why) {
  question::Case out = unread(request);
  std::vector<ClaimRequest> asked = request.claims.empty() ? default_claims(request) : request.claims;
  const claims::Claim* rules = claims::find_claim("well-formed");
  if (request.claims.empty() && std::ranges::find(asked, rules, &ClaimRequest::claim) == asked.end())
    asked.insert(asked.begin(), ClaimRequest())->claim = rules;
  for (const ClaimRequest& claim : asked) {
    question::Answer& answer =
        out.answers.emplace_back(unsupported_answer(claim, "it is no layout of its tensor: " + why.words));
    if (claim.claim != rules) continue;
    answer.verdict = Refuted{"evaluation", {why.fields, why.words, true}};
    answer.mismatch = mismatch_of(claim, answer.verdict);
    answer.as_expected = answer.mismatch.empty();
  }
  return out;
}

std::optional<std::string> needs_known_tensor(const claims::Claim& claim, const CaseRequest& request) {
  if (request.tensor_source != TensorSource::Assumed || !claim.needs_tensor) return std::nullopt;
  const std::size_t shape = std::min(request.tensor.text.find('['), request.tensor.text.size());
  return fmt::format(
      "the text does not state the tensor, and {} is assumed: give its element type and its shape, as in "
      "--tensor 'f16{}'",
      request.tensor.text, request.tensor.text.substr(shape));
}

}  // namespace vl::session
