// Words: unsigned numbers of literals, the lowest bit first, and circuits on them. Equal gates are made once. All is
// modulo 2^width; the width of a result is that of its (first) operand.
//
// Example: shifted_right of 1011b by 2 is 0010b, and `lost` then says whether a bit that left was 1.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>

#include "verifier/rup/gates.h"

namespace vl::values_kernel {
using rup::Gates;
using rup::Word;

class Words : public Gates {
 public:
  [[nodiscard]] static Word constant(std::uint64_t value, std::size_t bits) {
    Word out;
    for (std::size_t k = 0; k < bits; ++k) out.push_back(k < 64 && (value >> k & 1) != 0 ? 1 : -1);
    return out;
  }
  [[nodiscard]] Word variable(std::size_t bits) {
    Word out;
    for (std::size_t k = 0; k < bits; ++k) out.push_back(++variables);
    return out;
  }
  /// Bits [from, from + count).
  [[nodiscard]] static Word part(const Word& word, std::size_t from, std::size_t count) {
    const auto first = word.begin() + static_cast<std::ptrdiff_t>(from);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }
  [[nodiscard]] static Word joined(Word low, const Word& high) {
    low.insert(low.end(), high.begin(), high.end());
    return low;
  }
  /// Of another width: its high bits are cut off, or `fill`.
  [[nodiscard]] static Word resized(Word word, std::size_t bits, int fill = -1) {
    word.resize(bits, fill);
    return word;
  }
  [[nodiscard]] static Word flipped(Word word) {
    for (int& literal : word) literal = -literal;
    return word;
  }

  int exclusive(int a, int b) {
    const int sign = (a < 0) != (b < 0) ? -1 : 1;
    const auto [x, y] = std::minmax({std::abs(a), std::abs(b)});
    if (x == 1 || x == y) return differ(a, b);
    const auto [at, fresh] = differences_.try_emplace({x, y});
    if (fresh) at->second = differ(x, y);
    return sign * at->second;
  }
  int most(int a, int b, int c) {
    if (a == b || a == -b || b == c || b == -c || a == c || a == -c) return majority(a, b, c);
    std::array<int, 3> key{a, b, c};
    std::ranges::sort(key);
    const auto [at, fresh] = majorities_.try_emplace({key[0], key[1], key[2]});
    if (fresh) at->second = majority(a, b, c);
    return at->second;
  }
  int both(int a, int b) { return most(a, b, -1); }
  int either(int a, int b) { return most(a, b, 1); }
  int choose(int which, int yes, int no) {
    if (yes == no) return yes;
    if (which == 1 || which == -1) return which == 1 ? yes : no;
    if (yes == 1 || no == -1) return yes == 1 ? either(which, no) : both(which, yes);
    if (yes == -1 || no == 1) return yes == -1 ? both(-which, no) : either(-which, yes);
    if (which < 0) which = -which, std::swap(yes, no);
    if (yes == -no) return exclusive(which, no);
    const auto [at, fresh] = choices_.try_emplace({which, yes, no});
    if (!fresh) return at->second;
    const int out = at->second = ++variables;
    add({-which, -yes, out}), add({-which, yes, -out}), add({which, -no, out}), add({which, no, -out});
    add({-yes, -no, out}), add({yes, no, -out});  // follow from the others; a proof gets shorter
    return out;
  }

  Word choose(int which, const Word& yes, const Word& no) {
    Word out;
    for (std::size_t k = 0; k < yes.size(); ++k) out.push_back(choose(which, yes[k], no[k]));
    return out;
  }
  int any(const Word& word) {
    int out = -1;
    for (const int literal : word) out = either(out, literal);
    return out;
  }
  int equal(const Word& a, const Word& b) {
    int out = 1;
    for (std::size_t k = 0; k < a.size(); ++k) out = both(out, -exclusive(a[k], b[k]));
    return out;
  }
  int less(const Word& a, const Word& b) {
    int out = -1;
    for (std::size_t k = 0; k < a.size(); ++k) out = most(-a[k], b[k], out);
    return out;
  }
  /// Of two's complement.
  int signed_less(Word a, Word b) {
    a.back() = -a.back(), b.back() = -b.back();
    return less(a, b);
  }
  Word sum(const Word& a, const Word& b, int carry = -1) {
    Word out;
    for (std::size_t k = 0; k < a.size(); ++k) {
      out.push_back(exclusive(exclusive(a[k], b[k]), carry));
      carry = most(a[k], b[k], carry);
    }
    return out;
  }
  Word difference(const Word& a, const Word& b) { return sum(a, flipped(b), 1); }
  /// As wide as both together.
  Word product(const Word& a, const Word& b) {
    const std::size_t bits = a.size() + b.size();
    Word out = constant(0, bits);
    for (std::size_t k = 0; k < b.size(); ++k) {
      const Word row = joined(constant(0, k), choose(b[k], a, constant(0, a.size())));
      out = sum(out, resized(row, bits));
    }
    return out;
  }
  Word shifted_left(Word word, const Word& by) {
    for (std::size_t k = 0; k < by.size(); ++k) {
      const std::size_t step = k < 16 ? std::min(std::size_t{1} << k, word.size()) : word.size();
      word = choose(by[k], joined(constant(0, step), part(word, 0, word.size() - step)), word);
    }
    return word;
  }
  Word shifted_right(Word word, const Word& by, int& lost) {
    for (std::size_t k = 0; k < by.size(); ++k) {
      const std::size_t step = k < 16 ? std::min(std::size_t{1} << k, word.size()) : word.size();
      lost = either(lost, both(by[k], any(part(word, 0, step))));
      word = choose(by[k], resized(part(word, step, word.size() - step), word.size()), word);
    }
    return word;
  }
  /// How many of its high bits are 0, in as many bits as `by` needs, and the word shifted left by that. Of 0: anything.
  Word normalised(Word& word) {
    std::size_t k = 0;
    while (std::size_t{2} << k < word.size()) ++k;
    Word by = constant(0, k + 1);
    for (++k; k-- > 0;) {
      const std::size_t step = std::size_t{1} << k;
      by[k] = -any(part(word, word.size() - step, step));
      word = choose(by[k], joined(constant(0, step), part(word, 0, word.size() - step)), word);
    }
    return by;
  }

 private:
  std::map<std::pair<int, int>, int> differences_;
  std::map<std::tuple<int, int, int>, int> majorities_, choices_;
};

}  // namespace vl::values_kernel
