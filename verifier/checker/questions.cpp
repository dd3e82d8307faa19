#include "verifier/checker/questions.h"

namespace vl::checker {

void walk(const Space& box, const Map& map, const std::function<void(const Point&)>& visit) {
  long long terms = static_cast<long long>(box.rank()) + 1;
  for (const Stage& stage : map.stages) {
    for (const Row& row : stage.rows) terms += static_cast<long long>(row.terms.size()) + 1;
    terms += 4 * static_cast<long long>(stage.weights.size());
  }
  if (box.volume() * terms > work_left()) needs_more_work();  // before anything is done
  if (box.volume() > 0) for_each(box, visit);
}

Layout parse_layout(const LayoutText& text) {
  Layout out;
  out.map = parse_map(text.map);
  out.logical = text.logical;
  out.physical = parse_space(text.physical);
  out.named = text.named.value_or(false);
  require(out.logical <= out.map.domain.rank() && out.physical.rank() <= out.map.outputs,
          "a layout whose parts do not fit");
  require(!out.named || out.physical.rank() == out.map.outputs, "named axes and guards");
  if (text.decode) out.decode = parse_map(*text.decode);
  require(!out.decode ||
              (out.decode->domain.extents == out.physical.extents && out.decode->outputs >= out.map.domain.rank()),
          "a decode map of other slots");
  if (text.filled) out.filled = parse_space(*text.filled);
  require(!out.filled || out.filled->rank() == out.physical.rank(), "filled slots of another rank");
  if (text.identity)
    out.identity = {parse_row(text.identity->first, out.physical.rank()),
                    parse_row(text.identity->second, out.logical)};
  return out;
}

Questions::Questions(const Layout& a, const Layout* b, Evidence& evidence)
    : layouts_{&a, b}, evidence_(&evidence), goals_(a, b) {}

void Questions::takes_back() {
  require(layouts_[1] != nullptr, "a second layout that is missing");
  const Layout& b = *layouts_[1];
  goals_.returns(b.filled ? *b.filled : b.physical, take(evidence_->differs));
}

void Questions::some_slot(std::size_t side, std::optional<Point> Evidence::*field) {
  const Point p = take(evidence_->*field);
  const Layout& layout = *layouts_[side];
  require(p.size() == layout.map.domain.rank() && layout.map.domain.contains(p) &&
              layout.is_slot(evaluate(layout.map, p), layout.physical),
          "the claim says nothing: no element is shown to have a slot");
}

}  // namespace vl::checker
