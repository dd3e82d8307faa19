#include "oracle/ops/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "encodings/base/check.h"
#include "encodings/use/random.h"

namespace vl::oracle::ops {
namespace {

using Parts = std::vector<std::uint32_t>;

class Growing {
 public:
  explicit Growing(std::size_t leaves) { tree_.leaves = leaves; }

  std::uint32_t join(std::uint32_t left, std::uint32_t right) {
    tree_.nodes.push_back({left, right});
    return static_cast<std::uint32_t>(tree_.leaves + tree_.nodes.size() - 1);
  }
  std::uint32_t chain(const Parts& parts) {
    std::uint32_t out = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) out = join(out, parts[i]);
    return out;
  }
  void pairs(Parts parts) {
    while (parts.size() > 1) {
      Parts next;
      for (std::size_t i = 0; i + 1 < parts.size(); i += 2) next.push_back(join(parts[i], parts[i + 1]));
      if (parts.size() % 2 == 1) next.push_back(parts.back());
      parts = std::move(next);
    }
  }
  void drawn(Parts parts, std::uint64_t seed) {
    use::Random random(seed, 0x74726565, parts.size());
    const auto take = [&] {
      std::swap(parts[random.below(parts.size())], parts.back());
      const std::uint32_t part = parts.back();
      parts.pop_back();
      return part;
    };
    while (parts.size() > 1) {
      const std::uint32_t left = take();
      const std::uint32_t right = take();
      parts.push_back(join(left, right));
    }
  }
  Tree done() { return std::move(tree_); }

 private:
  Tree tree_;
};

Parts every_leaf(std::size_t leaves) {
  Parts out(leaves);
  std::iota(out.begin(), out.end(), 0U);
  return out;
}

Parts lane_sums(Growing& growing, std::size_t leaves, std::size_t lanes) {
  Parts out;
  for (std::size_t lane = 0; lane < std::min(lanes, leaves); ++lane) {
    Parts terms;
    for (std::size_t i = lane; i < leaves; i += lanes) terms.push_back(static_cast<std::uint32_t>(i));
    out.push_back(growing.chain(terms));
  }
  return out;
}

constexpr std::size_t kMostLanes = std::size_t{1} << 20;

}  // namespace

Tree tree_of(const Order& order, std::size_t leaves, bool start) {
  VL_CHECK(leaves > 0 && leaves <= std::size_t{1} << 31 && order.lanes > 0, "a tree without leaves, or with too many");
  Growing growing(leaves);
  Parts parts = every_leaf(leaves);
  switch (order.kind) {
    case Order::Kind::Sequential: growing.chain(parts); break;
    case Order::Kind::Descending:
      std::reverse(parts.begin() + (start ? 1 : 0), parts.end());
      growing.chain(parts);
      break;
    case Order::Kind::Tree: growing.pairs(std::move(parts)); break;
    case Order::Kind::Lanes: growing.chain(lane_sums(growing, leaves, order.lanes)); break;
    case Order::Kind::Random: growing.drawn(std::move(parts), order.seed); break;
  }
  return growing.done();
}

Result<Order> parse_order(std::string_view text) {
  constexpr const char* kExpected = "expected seq, seq-desc, tree, lanes(N) or random(SEED)";
  if (text == "seq") return Order{};
  if (text == "seq-desc") return Order{Order::Kind::Descending};
  if (text == "tree") return Order{Order::Kind::Tree};
  const bool lanes = text.starts_with("lanes("), random = text.starts_with("random(");
  if ((!lanes && !random) || !text.ends_with(')')) return Error{ErrorCode::Syntax, kExpected};
  const std::string_view digits = text.substr(lanes ? 6 : 7, text.size() - (lanes ? 7 : 8));
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (code == std::errc::result_out_of_range) return Error{ErrorCode::Overflow, "the number leaves 64 bits"};
  if (code != std::errc() || end != digits.data() + digits.size()) return Error{ErrorCode::Syntax, kExpected};
  if (random) return Order{Order::Kind::Random, 1, number};
  if (number == 0 || number > kMostLanes)
    return Error{ErrorCode::Value, fmt::format("{} lanes; expected 1 to {}", number, kMostLanes)};
  return Order{Order::Kind::Lanes, static_cast<std::size_t>(number)};
}

std::string print(const Order& order) {
  switch (order.kind) {
    case Order::Kind::Sequential: return "seq";
    case Order::Kind::Descending: return "seq-desc";
    case Order::Kind::Tree: return "tree";
    case Order::Kind::Lanes: return fmt::format("lanes({})", order.lanes);
    case Order::Kind::Random: return fmt::format("random({})", order.seed);
  }
  VL_CHECK(false, "an order without a name");
  return {};
}

}  // namespace vl::oracle::ops
