// Runs: an operation on device images. An image is the memory of a layout, one code per slot in memory order. The
// hardware iterates over whole sticks and tiles, so over more than the tensors have; where an index beyond them lands
// is a fact about the layout:
//
//   pad        a slot in which no element lives: whatever the image holds there is read
//   alias      the slot of an element: that element is read in place of a pad
//   outside    no slot of the image: there is no run
//
// The padded run iterates over the padded extents of all dimensions, and stores also the elements beyond the result's
// extents. The valid run iterates over the extents alone, in the induced order (order.h). An operation's padding is
// neutral for these images if both give the same valid elements.
//
// Worked example: sum over d1 of f16[2,3] by seq, whose layout has rows of 4 slots: the image {1, 2, 3, -0, 4, 5, 6, 9}
// gives 6 and 24, where the valid run gives 6 and 15.
#pragma once

#include <string>
#include <vector>

#include "encodings/map/layout.h"
#include "oracle/ops/rows.h"

namespace vl::oracle::ops {

/// A dimension of the iteration.
struct Dim {
  std::string name;
  Index extent = 0;  // of the tensors
  Index padded = 0;  // over which it iterates; at least `extent`
};

/// A tensor in its memory. `places` is a layout over the padded extents of its dimensions; the elements with all
/// coordinates below `extents` are the tensor's.
struct Operand {
  std::string role;  // for messages: "x"
  map::Layout places;
  std::vector<Index> extents;
  Format format;
  std::vector<Index> scales;  // one per dimension of the iteration: its own dimension, or below 0 if it has none
};

struct Task {
  Operation operation = Operation::Sum;
  Arithmetic arithmetic;
  Order order;
  std::vector<Dim> dims;
  std::vector<Operand> operands;  // the inputs, then the result; a dimension that the result lacks is reduced

  [[nodiscard]] const Operand& result() const { return operands.back(); }
};

/// A task with the slots of all its elements, found once.
class Prepared {
 public:
  /// Errors: Shape for what does not fit together, and for an index that lands outside; Value for an element of the
  /// result that would be stored over another one, for elements that share a slot, and for iterations of more than
  /// 2^40 steps or operands of more than 2^28 elements.
  static Result<Prepared> create(Task task);

  [[nodiscard]] const Task& task() const { return task_; }
  /// The number of slots of an operand's image; `operand` counts the inputs, then the result.
  [[nodiscard]] std::size_t slots(std::size_t operand) const { return tables_[operand].holds.size(); }
  /// Whether an element of the tensor lives in a slot.
  [[nodiscard]] bool holds(std::size_t operand, std::size_t slot) const { return tables_[operand].holds[slot]; }
  /// The slot of each element over the padded box, row-major; of replicas the first one.
  [[nodiscard]] const std::vector<Index>& slots_of(std::size_t operand) const { return tables_[operand].slot; }
  /// How many indices beyond an operand's extents land in the slot of an element.
  [[nodiscard]] Index aliases(std::size_t operand) const { return tables_[operand].aliases; }

  /// The padded run. `image` becomes the result's image: slots in which nothing is stored keep their code.
  /// Requires: an image per input, all of the right sizes.
  void run(const std::vector<std::vector<Code>>& images, std::vector<Code>& image) const;
  /// The valid run: the result's elements, row-major. Requires: as run. An element that is combined from nothing is 0.
  [[nodiscard]] std::vector<Code> valid_run(const std::vector<std::vector<Code>>& images) const;
  /// The elements of the result in an image, row-major.
  [[nodiscard]] std::vector<Code> elements(const std::vector<Code>& image) const;

 private:
  struct Table {
    map::Space box;                        // padded extents
    std::vector<Index> slot;               // per point of the box
    std::vector<std::vector<Index>> more;  // further replicas
    std::vector<bool> holds;               // per slot
    Index aliases = 0;
    std::vector<Index> strides;  // per dimension of the iteration, in points of the box
  };

  explicit Prepared(Task task) : task_(std::move(task)) {}
  [[nodiscard]] std::optional<Error> check() const;
  [[nodiscard]] static Result<Table> table_of(const Operand& operand, const std::vector<Dim>& dims, bool writes);
  [[nodiscard]] Code element(const std::vector<std::vector<Code>>& images, const Tree& tree, std::vector<Term>& terms,
                             std::span<const Index> at, bool with_pads) const;
  void gather(const std::vector<std::vector<Code>>& images, std::span<const Index> at, std::vector<Term>& terms) const;

  Task task_;
  std::vector<Table> tables_;
  map::Space kept_;        // padded extents of the dimensions that the result has; 1 for the others
  map::Space reduced_;     // and the other way round
  map::Space kept_valid_;  // extents
};

}  // namespace vl::oracle::ops
