// A second meaning of accesses and banks, only for tests: expressions are evaluated at one point while they are read,
// and a warp's cost is a map from banks to sets of words. Written from the text of tirx.h, hardware.h and the seed
// document's "Bank conflicts"; it uses no stages, forms or ranks. Layouts are tiles on m (tiles.h).
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "encodings/base/integer.h"
#include "encodings/use/hardware.h"

namespace vl::test {

using Names = std::map<std::string, Index>;

/// The value of an expression with these names: C's precedence, floor division. Numbers stay small.
class Calculator {
 public:
  Calculator(std::string text, Names names) : text_(std::move(text)), names_(std::move(names)) {}
  Index value() { return additive(); }

 private:
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  Index additive() {
    Index left = multiplicative();
    while (next() == '+' || next() == '-')
      left = text_[at_++] == '+' ? left + multiplicative() : left - multiplicative();
    return left;
  }
  Index multiplicative() {
    Index left = atom();
    while (next() == '*' || next() == '/' || next() == '%') {
      const char sign = text_[at_++];
      const Index right = atom();
      if (sign == '*') left *= right;
      if (sign == '/') left = (left - ((left % right) + right) % right) / right;
      if (sign == '%') left = ((left % right) + right) % right;
    }
    return left;
  }
  Index atom() {
    if (next() == '-') return ++at_, -atom();
    if (next() == '(') {
      ++at_;
      const Index inner = additive();
      (void)next();
      ++at_;
      return inner;
    }
    std::string word;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])) != 0) word += text_[at_++];
    return std::isdigit(static_cast<unsigned char>(word[0])) != 0 ? std::stoll(word) : names_.at(word);
  }

  std::string text_;
  Names names_;
  std::size_t at_ = 0;
};

/// The chip of the tables: 32 banks of 4 bytes, phases of 32, 16 or 8 consecutive lanes.
inline use::Hardware nvidia() {
  use::Hardware out;
  out.name = "sm_90";
  out.matrices = true;
  out.load_pairs = {1, 2};
  for (const auto& [width, lanes] : std::map<Index, Index>{{1, 32}, {2, 32}, {4, 32}, {8, 16}, {16, 8}})
    for (Index first = 0; first < 32; first += lanes) {
      std::vector<Index> phase(static_cast<std::size_t>(lanes));
      std::iota(phase.begin(), phase.end(), first);
      out.phases[width].push_back(std::move(phase));
    }
  return out;
}

/// The phases of a load: two at a time are one where, at distance 1 or 2, active lanes that differ in that bit alone
/// name one byte. As measured on the GPU (tests/peer/gpu): every lane is looked up by its partner's number.
inline std::vector<std::vector<Index>> brute_load_phases(const std::vector<Index>& distances,
                                                         std::vector<std::vector<Index>> phases,
                                                         const std::map<Index, Index>& bytes) {
  bool agree = false;
  for (const Index distance : distances) {
    bool all = true;
    for (const auto& [lane, byte] : bytes) {
      const Index partner = lane / distance % 2 == 0 ? lane + distance : lane - distance;
      all = all && (!bytes.contains(partner) || bytes.at(partner) == byte);
    }
    agree = agree || all;
  }
  if (!agree || phases.size() == 1) return phases;
  std::vector<std::vector<Index>> joined;
  for (std::size_t i = 0; i < phases.size(); ++i) {  // with fewer lanes the last one may be alone
    if (i % 2 == 0) joined.emplace_back();
    joined.back().insert(joined.back().end(), phases[i].begin(), phases[i].end());
  }
  return joined;
}

struct BruteCost {
  Index wavefronts = 0;
  Index ideal = 0;
};

/// The cost of one instruction: addresses of the active lanes, by lane. A chip is whatever names its banks.
template <class Chip>
BruteCost brute_cost(const Chip& chip, const std::vector<std::vector<Index>>& phases, Index width,
                     const std::map<Index, Index>& bytes) {
  BruteCost cost;
  for (const auto& phase : phases) {
    std::map<Index, std::set<std::pair<Index, Index>>> banks;  // bank -> words; with the lane where nothing is shared
    for (const Index lane : phase) {
      if (!bytes.contains(lane)) continue;
      const Index first = bytes.at(lane), last = first + width - 1;
      for (Index word = floor_div(first, chip.bytes_per_bank); word <= floor_div(last, chip.bytes_per_bank); ++word)
        banks[floor_mod(word, chip.banks)].insert({word, chip.broadcasts ? 0 : lane});
    }
    Index most = 0;
    for (const auto& [bank, words] : banks) most = std::max(most, static_cast<Index>(words.size()));
    cost.wavefronts += most;
    cost.ideal += most > 0 ? 1 : 0;
  }
  return cost;
}

}  // namespace vl::test
