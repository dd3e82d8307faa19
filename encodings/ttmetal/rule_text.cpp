#include "encodings/ttmetal/rule_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/ttmetal/meaning.h"
#include "encodings/ttmetal/place.h"
#include "encodings/use/chip.h"

namespace vl::ttmetal {
namespace {

// The spec of a text in which names stand for sizes.
struct Named {
  Parsed parsed;
  std::vector<NamedSize> sizes;  // each once, in the order of the text
};

Result<Named> parse_named(std::string_view text) {
  const std::string plain = without_comments(text);
  Meaning in(plain);
  auto parsed = parse(text, plain, in);
  if (!parsed) return parsed.error();
  Named out{std::move(*parsed), in.named()};
  std::ranges::sort(out.sizes, {}, &NamedSize::start);
  const auto same = [](const NamedSize& a, const NamedSize& b) { return a.start == b.start; };
  out.sizes.erase(std::unique(out.sizes.begin(), out.sizes.end(), same), out.sizes.end());
  return out;
}

// What a placement over names is, with its rules; or the reason why there is none.
void tell(BasicPlaced<map::Expression> placed, const map::RuleTensor& tensor, use::Reading& reading) {
  reading.rules = std::move(placed.rules);
  if (!placed.placement) {
    VL_CHECK(!placed.undecidable.empty(), "names without places");
    reading.what = use::Undecidable{std::move(placed.undecidable)};
    return;
  }
  const BasicPlacement<map::Expression>& placement = *placed.placement;
  const auto steps = steps_of(placement);
  if (!steps) {
    reading.what = use::Undecidable{"the elements of a tile do not fit in 64 bits"};
    return;
  }
  if (!placement.tiled) reading.unsized = use::unsized_rows(placement.cells.back().number(), reading.device_bits);
  const auto& takers = placement.takers;
  reading.skips_cores = !takers.banks && (takers.y.number() != 0 || takers.x.number() != 0);
  map::Rule rule{blueprint_of(placement, *steps, tensor.size), {}, {}, std::move(placed.laws)};
  for (std::string& name : map::names_of(rule)) rule.symbols.push_back({std::move(name), 1});
  reading.what = std::move(rule);
}

}  // namespace

Result<use::Reading> read_rule(std::string_view text, const map::RuleTensor& tensor) {
  auto named = parse_named(text);
  if (!named) return named.error();
  Spec& spec = named->parsed.spec;
  use::Reading reading{map::Rule{}, {}, in_one_line(text), {}, 0, {}};
  describe(spec, tensor.type, reading);
  if (named->sizes.empty() && (!map::has_symbols(tensor) || spec.shape)) return reading;
  if (!spec.named_banks.empty() && !spec.named_banks.back().number() && !tensor.box.empty())
    reading.what = use::Undecidable{"a box beside a number of banks with a name is not encoded for all sizes"};
  else if (auto wrong = take_banks(tensor.box, spec)) return std::move(*wrong);
  else if (const std::string why = why_undecidable(named->parsed); !why.empty()) reading.what = use::Undecidable{why};
  else tell(place(spec, tensor.size), tensor, reading);
  return reading;
}

Result<std::string> text_at(std::string_view text, const map::Sizes& sizes) {
  const auto named = parse_named(text);
  if (!named) return named.error();
  return use::with_sizes(text, named->sizes, sizes);
}

}  // namespace vl::ttmetal
