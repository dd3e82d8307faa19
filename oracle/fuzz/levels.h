// The levels that run a tensor: the definition, rows, and certified plans, with one kind of order. A trial asks each
// level separately; oracle/levels picks one for users.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "encodings/use/synthesis.h"
#include "oracle/executor/execute.h"
#include "oracle/reference/definition.h"
#include "oracle/reference/rows.h"

namespace vl::oracle {

/// One order: the move, and its memories.
struct Order {
  enum class Kind : std::uint8_t { Pack, Unpack, Move, Nests };
  Kind kind = Kind::Pack;
  Host where = Host::Dense;             // of Pack and Unpack; of Nests it is View
  const map::Layout* layout = nullptr;  // of Move: the source's layout
  const map::Layout* to = nullptr;      // of Move
  std::size_t unit = 2;
  bool streamed = false;  // a plan for memories that no cache holds
};

/// Changes one unit of an image that has to agree with another one: a replica, or, before an unpack to a View, an
/// element that shares its host offset with the first one along an expanded dimension. False if there is none.
bool garble(const Order& order, std::span<std::byte> image, std::uint64_t data);

/// Rows with the verbs of the definition. Each layout is compiled at its first use.
class RowTables {
 public:
  /// From here on orders are about other layouts. Keeps its memory.
  void forget() { compiled_ = {}; }

  std::optional<Error> pack(const map::Layout& layout, Host where, std::span<const std::byte> host, std::size_t unit,
                            std::span<const std::byte> fill, std::span<std::byte> device);
  std::optional<Error> unpack(const map::Layout& layout, std::span<const std::byte> device, std::size_t unit,
                              Host where, std::span<std::byte> host);
  std::optional<Error> move(const map::Layout& from, const map::Layout& to, std::span<const std::byte> device,
                            std::size_t unit, std::span<const std::byte> fill, std::span<std::byte> moved);

 private:
  const Rows* rows_of(const map::Layout& layout, Host where);

  struct Compiled {
    const map::Layout* layout = nullptr;
    Host where = Host::Dense;
    bool good = false;
  };
  std::array<Compiled, 6> compiled_{};
  std::array<Rows, 6> rows_;
  std::vector<std::byte> tensor_;  // of move, in between
};

/// By the definition or by rows, which have the same verbs. Nests are packed.
template <class Level>
std::optional<Error> carry_out(Level& level, const Order& order, std::span<const std::byte> source,
                               std::span<const std::byte> fill, std::span<std::byte> destination) {
  switch (order.kind) {
    case Order::Kind::Pack:
    case Order::Kind::Nests: return level.pack(*order.layout, order.where, source, order.unit, fill, destination);
    case Order::Kind::Unpack: return level.unpack(*order.layout, source, order.unit, order.where, destination);
    case Order::Kind::Move: return level.move(*order.layout, *order.to, source, order.unit, fill, destination);
  }
  return std::nullopt;
}

/// The plans of one layout (and of moves to another one), each made at its first use.
class Plans {
 public:
  /// From here on orders are about other layouts. Keeps its memory.
  void forget();

  enum class Ran : std::uint8_t {
    Whole,      // done
    Differ,     // the source's replicas differ
    Unplanned,  // there is no plan: `why`
    Rejected,   // the checker refused the plan: a bug
  };
  /// The source is written only if the order compares its replicas, and then with its own content.
  Ran run(const Order& order, std::span<std::byte> source, std::span<const std::byte> fill,
          std::span<std::byte> destination, const KernelSet& kernels, Pool* pool = nullptr);
  /// Makes the plan that run() runs: Whole, Unplanned or Rejected.
  Ran make(const Order& order);
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  struct Entry {
    enum class State : std::uint8_t { Unknown, Made, None, Bug };
    State state = State::Unknown;
    CertifiedPlan plan;
    std::string why;
  };
  Entry& entry(const Order& order, bool compares);
  Ran make(Entry& entry, const Order& order, bool compares);

  std::array<std::unique_ptr<Entry>, 80> entries_;
  std::optional<use::Transfer> nests_;
  std::string why_;
};

}  // namespace vl::oracle
