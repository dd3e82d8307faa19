// What claims ask of layouts, each shown by one of the closed list of forms; the evidence says which.
//
//   digits       linear forms over independent digits (forms.h): ranges, and identity of forms
//   strided      that, and steps that peel off one digit after the other
//   gf2          exclusive-or sums (columns.h), and a left inverse
//   inverse      the layout's own decode map, composed digit by digit, gives back what went in
//   count        places that are distinct are counted by the digits that they depend on
//   exhaustion   every point, one by one; at most 2^22
//   propositional  a refutation of the obligation's clauses (propositional.h)
//
// D is the layout's domain (elements with their replicas), a slot an outcome in the physical box with guards 0.
#pragma once

#include <nlohmann/json.hpp>
#include <set>

#include "verifier/checker/columns.h"
#include "verifier/checker/forms.h"

namespace vl::checker {

struct Layout {
  Map map;                  // logical ++ replicas -> physical ++ guards
  std::size_t logical = 0;  // how many of the map's inputs are the element's
  Space physical;
  std::optional<Map> decode;                    // physical -> logical ++ replicas ++ guards
  std::optional<Space> filled;                  // the valid slots, where they are stated as a box
  std::optional<std::pair<Row, Row>> identity;  // of slots, of elements
  bool named = false;                           // places are compared axis by axis, by name

  [[nodiscard]] Space elements() const;
  [[nodiscard]] Space replicas() const;
  [[nodiscard]] bool is_slot(const Point& outputs, const Space& box) const;
  [[nodiscard]] Wide number(const Point& outputs) const;  // row-major, of a slot
};

/// Fields of an object, each taken once; end() rejects what nobody took: a certificate holds nothing that is not
/// checked.
class Fields {
 public:
  explicit Fields(const nlohmann::json& object);
  [[nodiscard]] bool has(const char* name) const { return object_->contains(name); }
  const nlohmann::json& take(const char* name);
  void end() const;

 private:
  const nlohmann::json* object_;
  std::set<std::string> taken_;
};

/// A whole number of 64 bits, written as one; no true, no 1.0.
[[nodiscard]] long long integer(const nlohmann::json& json);
[[nodiscard]] std::size_t index(const nlohmann::json& json);  // and not negative
[[nodiscard]] std::vector<std::vector<long long>> integers(const nlohmann::json& json);
[[nodiscard]] std::vector<std::vector<std::uint64_t>> masks(const nlohmann::json& json);  // of 64 bits, not negative
[[nodiscard]] Layout read_layout(const nlohmann::json& json);
/// Groups of digits [dimensions, [weight, …]], and steps [row, digit, reason].
[[nodiscard]] std::vector<Group> read_groups(const nlohmann::json& digits);
[[nodiscard]] std::vector<Step> read_steps(const nlohmann::json& json);

/// One layout, or two over the same elements, and what is shown of them. Every function rejects evidence that is no
/// proof.
class Questions {
 public:
  /// Takes "digits" from the evidence when a form needs them: groups [dimensions, [weight, …]] over elements ++
  /// replicas of a ++ replicas of b.
  Questions(const Layout& a, const Layout* b, Fields& evidence);

  /// ∀ p ∈ D: outcome ∈ box, guards 0.
  void all_land(const Space& box, const char* field = "escapes");
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
  /// The map is one: nothing negative is swizzled.
  void well_defined() { static_cast<void>(outputs(0)); }
  /// |{slots of D}|.
  [[nodiscard]] Wide occupied();
  /// The evidence's `field` is a point of D with a slot.
  void some_slot(std::size_t side = 0, const char* field = "lands");
  /// The places of one element, by axis, or the numbers of its slots: ascending, each once.
  [[nodiscard]] std::vector<Point> places_at(std::size_t side, const Point& element) const;

 private:
  template <class ByForms, class AtPoint>
  void for_all(const char* field, const Space& points, const struct Obligation& obligation, ByForms by_forms,
               AtPoint at_point);
  Forms& forms();
  const std::vector<Form>& outputs(std::size_t side);
  [[nodiscard]] bool land(std::size_t side, const Space& box);
  void peel(const nlohmann::json& steps, std::vector<bool> known);
  [[nodiscard]] std::vector<Form> places(std::size_t side);
  [[nodiscard]] std::vector<Form> by_axis(std::size_t side, const std::vector<Form>& values) const;
  void unmixed(std::vector<Form>& a, std::vector<Form>& b);

  const Layout* layouts_[2];
  Fields* evidence_;
  Space box_;                           // elements ++ replicas of a ++ replicas of b
  std::vector<std::size_t> inputs_[2];  // of each map in that box
  std::vector<std::string> axes_;       // of named layouts, both together
  std::optional<Forms> forms_;
  std::optional<std::vector<Form>> outputs_[2];
};

}  // namespace vl::checker
