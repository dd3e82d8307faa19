#include "verifier/checker/rule_nests.h"

#include <algorithm>

#include "verifier/checker/rule_layout.h"
#include "verifier/kernel/claims/goals.h"

namespace vl::checker {
namespace {

using NamedLayout = kernel::BasicLayout<Polynomial>;
using NamedRow = kernel::BasicRow<Polynomial>;
using NamedNests = std::vector<kernel::BasicNest<Polynomial>>;

class NestsOnSizes {
 public:
  NestsOnSizes(const Statement& statement, const SizeSet& sizes, const RuleExtents& extents, const StepsForLeaf& steps)
      : statement_(statement), rule_(*statement.rule), sizes_(sizes), steps_(steps), given_(sizes.given()) {
    are_positive(extents.logical);
    are_positive(extents.replicas);
    make_host(extents.logical);
    memories_.push_back(layout_at(rule_, sizes, extents.logical, extents.replicas));
    if (const auto& from = statement.from_rule) {
      require(from->symbols == rule_.symbols && from->where == rule_.where && from->logical == rule_.logical &&
                  from->strides == rule_.strides && from->start == rule_.start && from->offset == rule_.offset,
              "layouts of different tensors");
      const auto others = extents_of(*from, sizes);
      require(others && others->any, "a layout without an element");
      are_positive(others->replicas);
      memories_.push_back(layout_at(*from, sizes, others->logical, others->replicas));
    }
    for (const RuleNestText& said : *statement.rule_nests) add(said);
  }

  void check() const {
    const std::string& claim = statement_.claim;
    if (hosts_.empty()) return require(claim == "in-bounds", "elements that no move serves");
    moves_of(host_, 0);
    if (statement_.from_rule) moves_of(memories_[1], 1);
    if (claim != "covers-once") return;
    is_injective(host_);
    for (const NamedLayout& memory : memories_) is_injective(memory);
  }

 private:
  void are_positive(const Polynomials& extents) {
    for (const Polynomial& extent : extents) {
      if (kernel::is_shown(extent - 1)) continue;
      sizes_.needs(extent - 1, "a box without a point");
      given_.push_back(extent - 1);
    }
  }

  void make_host(const Polynomials& logical) {
    NamedRow place;
    Polynomial last = 0;
    for (std::size_t i = 0; i < logical.size(); ++i) {
      host_.map.domain.names.push_back("x" + std::to_string(i));
      place.terms.emplace_back(i, sizes_.value(rule_.strides[i]));
      if (sizes_.shows(Polynomial(1) - logical[i])) continue;
      sizes_.needs(place.terms.back().second - 1, "a stride below 1");
      last = last + place.terms.back().second * (logical[i] - 1);
    }
    host_.map.domain.extents = logical, host_.logical = logical.size();
    host_.map.stages.emplace_back().rows = {std::move(place)}, host_.map.outputs = 1;
    host_.physical = {{"host"}, {last + 1}};
  }

  void add(const RuleNestText& said) {
    require(said.from.has_value() == statement_.from_rule.has_value(), "walks of another number of devices");
    kernel::BasicSpace<Polynomial> box;
    Polynomial moves = 1;
    bool empty = false;
    for (const ExpressionText& extent : said.extents) {
      box.names.push_back("i" + std::to_string(box.names.size()));
      box.extents.push_back(sizes_.value(extent));
      moves = moves * box.extents.back();
      if (!sizes_.decides(box.extents.back() - 1)) sizes_.needs(box.extents.back(), "an extent below 0"), empty = true;
    }
    if (empty) none_ = none_ + moves;
    if (empty) return;
    are_positive(box.extents);
    const auto walk = [&](const RuleText::Expressions& walked) {
      require(walked.size() == said.extents.size() + 1, "walks of other loops");
      NamedRow out{sizes_.value(walked[0]), {}};
      for (std::size_t l = 1; l < walked.size(); ++l) out.terms.emplace_back(l - 1, sizes_.value(walked[l]));
      return out;
    };
    NamedRow host = walk(said.host);
    if (rule_.offset) host.constant = host.constant - sizes_.value(*rule_.offset);
    const NamedRow device = walk(said.device);
    nests_[0].push_back({box, {host, device}});
    if (said.from) nests_[1].push_back({box, {walk(*said.from), device}});
    hosts_.push_back(std::move(host));
  }

  // From a memory to the device. The iterations of nests that move nothing are 0 in number, as a polynomial that
  // completes those of the others.
  void moves_of(const NamedLayout& source, std::size_t walk) const {
    using Kind = LeafGoal::Kind;
    const LeafNests nests{source, nests_[walk], hosts_, host_.map.stages[0].rows[0]};
    const bool inside = statement_.claim == "in-bounds";
    const LeafGoal goal{
        inside ? Kind::Inside : Kind::Implement, rule_, sizes_, memories_[0], given_, nullptr, nullptr, &nests};
    const kernel::BasicMoves<Polynomial> moves(source, memories_[0], nests_[walk], given_);
    if (inside) return moves.inside(steps_(goal));
    require(are_equal(moves.implement(steps_(goal)), none_, sizes_), "another number of moves");
  }

  void is_injective(const NamedLayout& memory) const {
    const auto steps = steps_({LeafGoal::Kind::Apart, rule_, sizes_, memory, given_});
    kernel::BasicGoals<Polynomial>(memory, nullptr, given_).apart(false, steps);
  }

  const Statement& statement_;
  const RuleText& rule_;
  const SizeSet& sizes_;
  const StepsForLeaf& steps_;
  std::vector<Polynomial> given_;
  NamedLayout host_;
  std::vector<NamedLayout> memories_;  // of the device, and of the one from which it is filled
  NamedNests nests_[2];                // from the host, from another device
  std::vector<NamedRow> hosts_;
  Polynomial none_ = 0;
};

bool moves_nothing(const RuleNestText& nest, const SizeSet& sizes) {
  bool out = false;
  for (const ExpressionText& said : nest.extents) {
    const Polynomial extent = sizes.value(said);
    if (!sizes.decides(extent - 1)) sizes.needs(extent, "an extent below 0"), out = true;
  }
  return out;
}

}  // namespace

void check_rule_nests(const Statement& statement, const SizeSet& sizes, const StepsForLeaf& steps) {
  kernel::enter(__FILE__);
  const std::string& claim = statement.claim;
  require(claim == "in-bounds" || claim == "implements" || claim == "covers-once",
          "a claim that is not known of nests");
  const auto extents = extents_of(*statement.rule, sizes);
  if (!extents) return;
  if (extents->any) return NestsOnSizes(statement, sizes, *extents, steps).check();
  for (const RuleNestText& nest : *statement.rule_nests) require(moves_nothing(nest, sizes), "a move of no element");
}

}  // namespace vl::checker
