// What multiples of facts say about sizes (kernel/core/sizes.h), and the steps that part a place of a proof by cases.
// Nothing here is trusted: the kernel replays each step.
#pragma once

#include <functional>

#include "verifier/engines/cells/named_search.h"
#include "verifier/kernel/core/sizes.h"

namespace vl::engines::cells {

/// What holds at a place. p >= 0 is shown by multiples of up to three facts.
class SizeSearch final : public Sizes {
 public:
  /// `given`: facts, of which the place's are some.
  SizeSearch(const kernel::Sizes& known, std::vector<Polynomial> given);

  [[nodiscard]] bool shows(const Polynomial& not_negative) const override;
  [[nodiscard]] bool decides(const Polynomial& p) const override;
  [[nodiscard]] Polynomial quotient(const Polynomial& p, const Polynomial& by) const override;
  [[nodiscard]] kernel::Wide rest(const Polynomial& p, const kernel::Wide& m) const override;
  [[nodiscard]] std::vector<Polynomial> given() const override { return given_.facts(); }
  /// Multiples of what is given, by their numbers.
  [[nodiscard]] std::optional<NamedMultiples> multiples(const Polynomial& not_negative) const;

 private:
  [[nodiscard]] std::optional<kernel::Wide> most(std::size_t v) const;
  [[nodiscard]] std::optional<Polynomial> by_parts(const Polynomial& p, const Polynomial& by) const;
  [[nodiscard]] Polynomial by_number(const Polynomial& whole, const Polynomial& rest, const kernel::Wide& by) const;
  [[nodiscard]] std::pair<Polynomial, Polynomial> centred(Polynomial q, Polynomial r, const kernel::Wide& d) const;

  const kernel::Sizes& known_;
  Given given_;
  NamedCell cell_;  // without atoms
};

/// A place of the tree, and the steps that lead to it: each is replayed and written down.
class Place {
 public:
  Place(kernel::Sizes sizes, NamedSteps& steps) : sizes_(std::move(sizes)), steps_(steps) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  [[nodiscard]] const kernel::Sizes& sizes() const { return sizes_; }
  /// How many steps are written down.
  [[nodiscard]] std::size_t written() const { return steps_.size(); }
  /// No sizes are left: the kernel has closed it.
  [[nodiscard]] bool is_closed() const { return closed_; }

  /// As SizeSearch. What they say is known to the kernel then. Rejected where it closes the place.
  bool show(const Polynomial& not_negative);
  bool decide(const Polynomial& p);
  [[nodiscard]] Polynomial quotient(const Polynomial& p, const Polynomial& by);
  [[nodiscard]] kernel::Wide rest(const Polynomial& p, const kernel::Wide& m) const;
  /// Shows that there are no sizes, if that is found.
  bool refute() { return tell(Polynomial(-1)), closed_; }

  /// A step, and what follows from it at once. `visit` each place that has sizes. The place itself is gone.
  void part(const NamedStep& step, const std::function<void(Place&)>& visit);

 private:
  bool tell(const Polynomial& not_negative);
  void take(NamedStep step);
  void infer(const Polynomial& p, NamedMultiples by, std::optional<Polynomial> times = {});
  void drop(const Polynomial& fact);
  [[nodiscard]] const SizeSearch& search() const;
  bool show_product(const Polynomial& p, const Polynomial& factor, const Polynomial& fact);

  void settle(const Polynomial& fact);
  void tighten();
  bool round(const Polynomial& fact);
  bool bound(const Polynomial& fact);
  bool forget(const Polynomial& fact);
  bool raise();
  bool is_zero();
  void order(const Polynomial& p, const Polynomial& by, Polynomial is);
  void split_rest(std::size_t rest, const Polynomial& room, const std::function<void(Place&)>& visit);
  [[nodiscard]] std::optional<std::size_t> bound_of(std::size_t v) const;

  kernel::Sizes sizes_;
  NamedSteps& steps_;
  mutable std::optional<SizeSearch> search_;  // of the sizes as they are
  bool closed_ = false;
};

}  // namespace vl::engines::cells
