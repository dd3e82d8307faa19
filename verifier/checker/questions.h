// What claims ask of layouts, each shown by one of the closed list of forms; the evidence says which.
//
//   digits       linear forms over independent digits (forms.h): ranges, and identity of forms
//   pieces       the box of points is cut into cells, each with digits of its own; cells without slots say nothing
//   ranges       intervals that contain every value, carried through the map's stages
//   stages       what each stage is given can be told from what it gives (stages.h); a count needs `ranges` besides
//   strided      that, and steps that peel off one digit after the other
//   gf2          exclusive-or sums (columns.h), and a left inverse
//   inverse      every slot decodes to its element: so no two elements share one
//   count        places that are distinct are counted by the digits that they depend on
//   cover        coordinates of digits of their own, each a step within the reach of the smaller ones: no gap is left
//   exhaustion   every point, one by one
//   propositional  a refutation of the obligation's clauses (propositional.h)
//
// D is the layout's domain (elements with their replicas), a slot an outcome in the physical box with guards 0.
#pragma once

#include <functional>

#include "verifier/checker/certificate.h"
#include "verifier/checker/columns.h"

namespace vl::checker {

/// Rejects parts that do not fit each other.
[[nodiscard]] Layout parse_layout(const LayoutText& text);

/// One layout, or two over the same elements, and what is shown of them. Every function rejects evidence that is no
/// proof.
class Questions {
 public:
  using Field = std::optional<Proof> Evidence::*;
  /// Takes the digits from the evidence when a form needs them: groups over elements ++ replicas of a ++ replicas of b.
  /// A cell is a part of the points that the groups of these digits are cut to.
  Questions(const Layout& a, const Layout* b, Evidence& evidence, Cell cell = {});

  /// ∀ p ∈ D: outcome ∈ box, guards 0.
  void all_land(const Space& box, Field field = &Evidence::escapes);
  /// ∀ p ≠ q ∈ D with slots (with `replicas_only`: of one element): different slots.
  void none_collide(bool replicas_only = false);
  /// ∀ p ∈ D with a slot: decode(slot) = p, guards 0. Shows none_collide() too.
  void all_decode();
  /// ∀ p ∈ D with slot s: identity.slot(s) = identity.element(p).
  void identity_holds();
  /// ∀ x: {a(x, r)} = {b(x, r')}: slots by number, or places by axis.
  void same_places();
  /// ∀ x, r: b(a(x), r) is the slot of b's box whose number is that of x; a(x) lies in b's elements.
  void takes_back();
  /// No place of a is one of b, whose memory (axis m, where axes have names) begins at `at` in that of a. The two share
  /// no input: `logical` of both is 0.
  void never_meet(Wide at);
  /// What "linear" forms are about: digits in whose box the rows have the right side where places meet; of one layout,
  /// digits that its rows tell apart.
  struct Equations {
    std::vector<std::vector<Wide>> rows;
    std::vector<Wide> right, extents;
  };
  // For those who look for evidence: the box that the digits are of, its forms, and those of a side's outputs.
  [[nodiscard]] const Space& box() const { return box_; }
  [[nodiscard]] Forms& forms();
  [[nodiscard]] const std::vector<Form>& outputs(std::size_t side);
  [[nodiscard]] Equations meeting(Wide at);
  [[nodiscard]] Equations telling();
  /// The map is one: nothing negative is swizzled.
  void well_defined() { static_cast<void>(outputs(0)); }
  /// |{slots of D}|.
  [[nodiscard]] Wide occupied();
  /// The evidence's `field` is a point of D with a slot.
  void some_slot(std::size_t side = 0, std::optional<Point> Evidence::*field = &Evidence::lands);
  /// No point of the cell has a slot. By digits.
  [[nodiscard]] bool none_lands();
  /// The places of one element, by axis, or the numbers of its slots: ascending, each once.
  [[nodiscard]] std::vector<Point> places_at(std::size_t side, const Point& element) const;

 private:
  void for_all(Field field, const Space& points, const struct Obligation& obligation,
               const std::function<void()>& by_forms, const std::function<void(const Point&)>& at_point,
               const std::function<void(Questions&)>& of_piece);
  [[nodiscard]] std::vector<Cell> cells(const ByPieces& proof) const;
  [[nodiscard]] bool decodes_by_number();
  [[nodiscard]] Wide covered();
  [[nodiscard]] Wide occupied_pieces(const ByPieces& proof);
  [[nodiscard]] bool land(std::size_t side, const Space& box);
  void land_by_ranges(const Space& box) const;
  [[nodiscard]] std::vector<Form> places(std::size_t side);
  [[nodiscard]] std::vector<Form> by_axis(std::size_t side, const std::vector<Form>& values) const;
  void unmixed(std::vector<Form>& a, std::vector<Form>& b);

  const Layout* layouts_[2];
  Evidence* evidence_;
  Cell cell_;
  Space box_;                           // elements ++ replicas of a ++ replicas of b
  std::vector<std::size_t> inputs_[2];  // of each map in that box
  std::vector<std::string> axes_;       // of named layouts, both together
  std::optional<Forms> forms_;
  std::optional<std::vector<Form>> outputs_[2];
};

/// Visits every point of a box; rejects one of which the map alone, at every point, takes more work than is left.
void walk(const Space& box, const Map& map, const std::function<void(const Point&)>& visit);

}  // namespace vl::checker
