// Texts of random programs (verifier/neutral/program/program.h).
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/property.h"
#include "verifier/neutral/program/program.h"

namespace vl::test {

/// Beside the operations that every program may have: rows, many lines that only move elements, or what importers of
/// other notations need, or softmax and norms, also in parts, before matmuls.
enum class Drawn { Plain, Rows, Moves, RowsAndMoves, More, Cases };

/// Texts of programs, small enough to be executed: inputs of at most 2 × 3 elements and operations of every kind.
class RandomPrograms {
 public:
  explicit RandomPrograms(WideEngine& random, Drawn drawn = Drawn::Plain) : random_(random), drawn_(drawn) {}

  /// `edges`: operands in all. Not every text is a program: shapes may not fit.
  std::string text(std::size_t operations) {
    if (drawn_ == Drawn::Cases && random_.below(3) != 0) return rows_and_readers();
    type_ = pick({"f8e5m2", "f8e4m3", "f16", "dl16", "f32"});
    if (drawn_ == Drawn::More && random_.below(4) == 0) type_ = pick({"i8", "u8", "u16", "i1", "u32"});
    names_.clear();
    std::string out;
    const std::size_t inputs = 1 + random_.below(2);
    for (std::size_t i = 0; i < inputs; ++i)
      out += line("input " + type_ + pick({"[2,3]", "[3,2]", "[2,2]", "[1,3]", "[3,3]"}) + " tile(" +
                  pick({"2,2", "2,4", "1,2", "2,1"}) + ") padding " +
                  (drawn_ == Drawn::Cases
                       ? pick({"0", "-inf", "-inf", "+0", "any", "finite"})
                       : pick({"0", "any", "+0", "{1}", "-0", "[-1..1]", "finite", "0 | NaN", "{-1}"})) +
                  " contents " + pick({"any", "finite", "[-1..1]", "non-nan", "any"}));
    for (std::size_t i = 0; i < operations; ++i) out += drawn_ == Drawn::Cases ? of_cases() : line(operation());
    out += "output " + names_.back() +
           (random_.below(3) == 0 && names_.size() > 2 ? " " + names_[names_.size() - 2] : "") + "\n";
    if (random_.below(3) == 0) out += "equal any-nan+zero\n";
    return out;
  }

 private:
  std::string pick(std::initializer_list<const char*> from) { return one_of(random_, from); }
  std::string name() { return names_[names_.size() - 1 - random_.below(std::min<std::size_t>(names_.size(), 3))]; }
  std::string line(const std::string& operation) {
    names_.push_back("t" + std::to_string(names_.size()));
    return names_.back() + " = " + operation + "\n";
  }
  std::string options() {
    return (random_.below(2) == 0 ? " from +0" : "") + std::string(random_.below(2) == 0 ? " order seq" : "") +
           (type_ == "f16" && random_.below(2) == 0 ? " accumulate f32" : "");
  }
  std::string row() {
    const std::string over = " " + name() + " over " + pick({"0", "1", "1"});
    switch (random_.below(9)) {
      case 0:
      case 1: return "softmax" + over + (random_.below(2) == 0 ? " from +0" : "");
      case 2: return pick({"layernorm", "rmsnorm"}) + over + pick({"", " from +0", " from +0"});
      case 3: return pick({"variance", "logsumexp"}) + over + pick({"", " keep"});
      case 4: return pick({"argmax", "argmin"}) + over + pick({"", " keep", " ties last", " ties unspecified"});
      case 5: return pick({"topk", "topk-indices"}) + over + pick({"", " k 2"}) + pick({"", " rule nan-loses"});
      case 6: return pick({"sort", "sort-descending"}) + over;
      case 7: return pick({"cumsum", "cumsum-reverse"}) + over + pick({"", " from +0"});
      default: return "mean" + over + pick({"", " keep", " divide P"}) + pick({"", " from +0"});
    }
  }
  std::string move() {
    switch (random_.below(3)) {
      case 0: return "concat " + name() + " " + name() + " over " + pick({"0", "1"});
      case 1: return "slice " + name() + " over " + pick({"0", "1"}) + " at " + pick({"0..1", "1..2", "1..3"});
      default:
        return "reshape " + name() + pick({" [3,2]", " [2,3]", " [2,2]", " [1,6]", " [6]", " [4,1]", " [1,3,2]"}) +
               pick({"", " tile(2)", " tile(4)"});
    }
  }
  // Softmax or a norm in its parts, with a part that may be another one.
  std::string parts(const std::string& x, const std::string& axis) {
    const std::string keep = " over " + axis + " keep";
    const auto last = [&] { return names_.back(); };
    std::string out;
    if (random_.below(2) == 0) {
      out += line(pick({"max ", "max ", "max ", "max ", "min "}) + x + keep);
      out += line(pick({"sub ", "sub ", "sub ", "mul "}) + x + " " + last());
      out += line(pick({"exp ", "exp ", "exp ", "exp2 ", "abs "}) + last());
      const std::string e = last();
      out += line("sum " + e + keep + pick({" from +0", " from +0", ""}));
      return out + line(pick({"div ", "div ", "div ", "sub "}) + e + " " + last());
    }
    out += line(pick({"square ", "square ", "abs "}) + x);
    out += line(pick({"mean ", "mean ", "sum ", "max "}) + last() + keep + pick({" from +0", ""}));
    if (random_.below(4) != 0) out += line("add " + last() + pick({" 0.1", " 1e-5", " 1"}));
    out += line(pick({"rsqrt ", "rsqrt ", "sqrt ", "recip "}) + last());
    return out + line(pick({"mul ", "mul ", "mul ", "div "}) + x + " " + last());
  }
  std::string row_of(const std::string& x, const std::string& axis) {
    if (random_.below(2) == 0) return parts(x, axis);
    return line(pick({"softmax ", "softmax ", "rmsnorm ", "layernorm "}) + x + " over " + axis + " from +0");
  }
  std::string of_cases() {
    switch (random_.below(6)) {
      case 0: return row_of(name(), pick({"1", "1", "0"}));
      case 1: return line(pick({"max ", "min ", "mul "}) + name() + pick({" 0", " 0", " 1", " -0"}));
      case 2:
      case 3: return line("matmul " + name() + " " + name() + " from +0" + pick({"", " order seq"}));
      default: return line(operation());
    }
  }
  // Rows, and what reads them: values behind a softmax or a norm, a mask, or a maximum and what may undo a leak.
  std::string rows_and_readers() {
    type_ = pick({"f8e5m2", "f16", "f32", "f8e4m3"});
    names_.clear();
    const bool low = random_.below(2) == 0 && type_ != "f8e4m3";
    std::string out = line("input " + type_ + "[2,3] tile(" + pick({"2,4", "1,4", "4,4"}) + ") padding " +
                           (low ? "-inf" : pick({"0", "0", "finite"})) + " contents " +
                           pick({"any", "finite", "[-1..1]", "finite rows 1 have finite"}));
    if (random_.below(4) == 0) {
      out += line(pick({"max ", "min "}) + names_.back() + " over " + pick({"1", "0"}) + pick({"", " keep"}));
      out += line(pick({"max ", "min ", "relu ", "mul "}) + names_.back() + pick({" 0", "", " 1", " -0"}));
    } else {
      const std::string x = names_.back();
      if (random_.below(4) == 0) out += line("add " + x + " " + x);
      const std::string z = names_.back();
      out += row_of(z, "1");
      if (random_.below(3) == 0) out += line(pick({"relu ", "neg ", "square ", "abs "}) + names_.back());
      const std::string y = names_.back();
      out += line("input " + type_ + "[3,2] tile(4,2) padding " + pick({"0", "finite", "finite", "any"}));
      out += random_.below(4) == 0 ? line("sum " + y + " over 1 keep from +0")
                                   : line("matmul " + y + " " + names_.back() + " from +0");
    }
    for (std::size_t i = random_.below(3); i > 0; --i) out += line(operation());
    return out + "output " + names_.back() + "\n" + (random_.below(4) == 0 ? "equal any-nan+zero\n" : "");
  }
  std::string number() { return pick({"0", "1", "-0", "-1", "2", "0.3"}); }
  std::string more() {
    switch (random_.below(24)) {
      case 0:
        return "unknown \"some thing\" " + name() + " -> " + type_ + pick({"[2,3]", "[2,2]"}) +
               pick({"", " tile(2,2)", " tile(1,2)"});
      case 22:
      case 23:
        return "unknown " + pick({"elements", "numbers"}) + " \"some thing\" " + name() + pick({" ", " "}) + name() +
               " -> " + type_ + pick({"[2,3]", "[3]"}) + pick({"", " tile(2)"});
      case 1: return "constant " + type_ + pick({"", "[]", "[3]", "[1,3]", "[2,2]", "[1,1]"}) + " " + number();
      case 2:
        return "constant " + type_ + pick({"[3]", "[2,1]", "[2,3]"}) + " " + number() + pick({"", " tile(2)"}) +
               pick({"", " padding 0", " padding finite"});
      case 3: return pick({"add", "mul", "max", "sub"}) + " " + name() + " " + number();
      case 4: return pick({"sub", "div", "min"}) + " " + number() + " " + name();
      case 5: return pick({"sum", "max", "min", "prod", "mean"}) + " " + name() + pick({"", "", " keep", " from +0"});
      case 6: return "broadcast " + name() + " to " + pick({"[2,3]", "[3,2,3]", "[2,2] (1)", "[2,2] (1,0) tile(2,2)"});
      case 7:
        return "input " + type_ + pick({"[]", "[3] tile(2)", "[2,1] tile(2,2)", "[1,3] tile(1,2)"}) + " padding 0";
      case 8: return row();
      case 9: return "unknown pointwise \"some function\" " + name() + pick({" ", " "}) + name() + " -> " + type_;
      case 10:
      case 11:
        return pick({"lt", "eq", "ge", "ne"}) + " " + name() + " " + pick({"0 -> ", "1 -> "}) + pick({"i1", "i8"});
      case 15:
        return "slice " + name() + " over " + pick({"0", "1"}) + " at " + pick({"0..2", "0..3", "1..3"}) + " step 2";
      case 16: return "reverse " + name() + pick({" (0)", " (1)", " (0,1)"});
      case 17:
        return "pad " + name() + pick({" low (0,1) high (0,0)", " low (1,0) high (0,-1)", " low (-1,0) high (1,1)"}) +
               " with " + number();
      case 18: return "matmul " + name() + " " + name() + pick({" ta", " tb", " ta tb"}) + options();
      case 19:
        return "matmul " + name() + " " + name() + " contract " + pick({"(0) (0)", "(1) (1)", "(0) (1)"}) + options();
      case 20:
        return "matmul " + name() + " " + name() + " contract (1) (" + pick({"0", "1"}) + ") batch (0) (" +
               pick({"0", "1"}) + ")" + options();
      case 12: return "where " + name() + " " + name() + " " + pick({"0", "1"});
      case 13: return pick({"not ", "nez ", "any ", "all "}) + name();
      case 14: return "cast " + name() + " " + pick({"i1", "i8", "f16", "u8", "f8e5m2", "i16"});
      default: return pick({"add", "sub", "mul", "max", "min", "div"}) + " " + name() + " " + name();
    }
  }
  std::string operation() {
    if ((drawn_ == Drawn::Moves || drawn_ == Drawn::RowsAndMoves) && random_.below(3) == 0) return move();
    if ((drawn_ == Drawn::Rows || drawn_ == Drawn::RowsAndMoves) && random_.below(3) == 0) return row();
    if (drawn_ == Drawn::More && random_.below(2) == 0) return more();
    switch (random_.below(12)) {
      case 0:
      case 1:
        return pick({"exp", "neg", "abs", "relu", "recip", "square", "sigmoid", "log", "tanh", "sqrt", "sign"}) + " " +
               name();
      case 2: return pick({"add", "sub", "mul", "max", "min", "div"}) + " " + name() + " " + name();
      case 3: return "sum " + name() + " over " + pick({"0", "1"}) + pick({"", " keep"}) + options();
      case 4: return pick({"max", "min", "prod"}) + " " + name() + " over " + pick({"0", "1"}) + pick({"", " keep"});
      case 5:
      case 6: return "matmul " + name() + " " + name() + options();
      case 7: return "transpose " + name() + " (1,0)";
      case 8: return "slice " + name() + " over " + pick({"0", "1"}) + " at 0..1";
      case 9: return "broadcast " + name() + " over " + pick({"0", "1"}) + " to " + pick({"2", "3"});
      case 10: return "concat " + name() + " " + name() + " over " + pick({"0", "1"});
      default: return "mask " + name() + " with " + pick({"0", "1", "-0"});
    }
  }

  WideEngine& random_;
  Drawn drawn_;
  std::string type_;
  std::vector<std::string> names_;
};

/// With at most that many operations. Its text is logged.
inline neutral::program::Program drawn_program(WideEngine& random, std::uint64_t operations,
                                               Drawn drawn = Drawn::Plain) {
  for (;;) {
    auto program = neutral::program::parse_program(RandomPrograms(random, drawn).text(1 + random.below(operations)));
    if (!program) continue;
    RC_LOG() << program->text;
    return std::move(*program);
  }
}

}  // namespace vl::test
