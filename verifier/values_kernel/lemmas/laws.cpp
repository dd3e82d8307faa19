#include "verifier/values_kernel/lemmas/laws.h"

#include <algorithm>

// NOLINTBEGIN(performance-inefficient-string-concatenation): the texts of statements, made once
namespace vl::values_kernel {
namespace {

using LawTexts = std::vector<std::string>;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}
std::string condition_of(const std::string& condition, const std::string& term) {
  return replaced(condition, "@", term);
}

std::string listed(const LawTexts& texts, const char* by) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : by) + text;
  return out;
}

// The statement, with each hypothesis once.
std::string implied(const LawTexts& hypotheses, const std::string& conclusion) {
  LawTexts out;
  for (const std::string& one : hypotheses)
    if (std::ranges::find(out, one) == out.end()) out.push_back(one);
  return out.empty() ? conclusion : listed(out, " & ") + " => " + conclusion;
}

class LawPremises {
 public:
  explicit LawPremises(const Law& law) : law_(law) {}

  std::vector<Premise> all() {
    switch (law_.theorem) {
      case Law::Tree: tree(); break;
      case Law::Start: start(); break;
      case Law::Chain: chain(); break;
      case Law::Only: say("only", {}, f(law_.constants.front(), "x") + " " + law_.equal + " x"); break;
    }
    return std::move(out_);
  }

 private:
  void say(const std::string& role, LawTexts hypotheses, const std::string& conclusion) {
    hypotheses.insert(hypotheses.begin(), law_.where.begin(), law_.where.end());
    const std::string text = implied(hypotheses, conclusion);
    if (std::ranges::find(out_, text, &Premise::text) == out_.end()) out_.push_back({role, text});
  }
  [[nodiscard]] std::string f(const std::string& a, const std::string& b) const {
    return law_.operation + "(" + a + ", " + b + ")";
  }
  [[nodiscard]] LawTexts partial(const std::string& term, LawTexts more = {}) const {
    LawTexts out;
    for (const Kept& one : law_.partial) out.push_back(condition_of(one.condition, term));
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  [[nodiscard]] LawTexts pad(const std::string& term, LawTexts more = {}) const {
    LawTexts out;
    for (const std::string& one : law_.pad) out.push_back(condition_of(one, term));
    out.insert(out.begin(), more.begin(), more.end());
    return out;
  }
  [[nodiscard]] bool has_nans() const { return law_.equal != "=" && law_.nans; }

  void closed() {
    for (const Kept& one : law_.partial) {
      LawTexts from;
      if (one.from == Kept::First || one.from == Kept::Both) from.push_back(condition_of(one.condition, "x"));
      if (one.from == Kept::Second || one.from == Kept::Both) from.push_back(condition_of(one.condition, "y"));
      say("partial results stay", from, condition_of(one.condition, f("x", "y")));
    }
  }
  // S has what is ~ one of its codes.
  void closed_under_equality() {
    if (!law_.nans) say("no partial result is NaN", partial("x"), "not nan(x)");
    for (const Kept& one : law_.partial) {
      if (has_nans()) say("NaN is a partial result", {"nan(x)"}, condition_of(one.condition, "x"));
      if (law_.equal == "~~") say("zeros are partial results", {"zero(x)"}, condition_of(one.condition, "x"));
    }
  }
  // s ~ t implies g(s) ~ g(t), where `g` is a term of @; `other`: what is known of the other operand.
  void congruent(const std::string& g, const LawTexts& other) {
    if (has_nans()) {
      LawTexts hypotheses{"nan(x)"};
      hypotheses.insert(hypotheses.end(), other.begin(), other.end());
      say("NaNs give alike results", hypotheses,
          condition_of(g, "x") + " " + law_.equal + " " + condition_of(g, "nan"));
    }
    if (law_.equal == "~~")
      say("zeros give alike results", other, condition_of(g, "+0") + " ~~ " + condition_of(g, "-0"));
  }
  void closed_pads() {
    if (law_.constants.empty())
      for (const std::string& one : law_.pad) {
        LawTexts both = pad("x");
        for (const std::string& more : pad("y")) both.push_back(more);
        say("pads stay", both, condition_of(one, f("x", "y")));
      }
    for (const std::string& p : law_.constants)
      for (const std::string& q : law_.constants)
        for (const std::string& one : law_.pad) say("pads stay", {}, condition_of(one, f(p, q)));
  }
  void unchanged(const std::string& relation, const LawTexts& known, const std::string& result) {
    if (law_.constants.empty()) {
      say("a pad on the right", pad("y", known), f("x", "y") + " " + relation + " " + result);
      say("a pad on the left", pad("y", known), f("y", "x") + " " + relation + " " + result);
    }
    for (const std::string& p : law_.constants) {
      say("the pad " + p + " on the right", known, f("x", p) + " " + relation + " " + result);
      say("the pad " + p + " on the left", known, f(p, "x") + " " + relation + " " + result);
    }
  }

  void tree() {
    closed();
    closed_under_equality();
    congruent(f("@", "y"), partial("y"));
    congruent(f("y", "@"), partial("y"));
    closed_pads();
    unchanged(law_.equal, partial("x"), "x");
  }

  void start() {
    const bool bits = law_.equal == "=";
    const bool signals = std::ranges::find(law_.partial, "not snan(@)", &Kept::condition) != law_.partial.end();
    for (const Kept& one : law_.partial) {
      say("the start", {}, condition_of(one.condition, "+0"));
      const LawTexts from = one.from == Kept::Always ? LawTexts{} : LawTexts{condition_of(one.condition, "x")};
      say("with the start, whatever is added", from, condition_of(one.condition, f("x", "y")));
      say("with the start, whatever is added", from, condition_of(one.condition, f("y", "x")));
    }
    closed_under_equality();
    for (const bool left : {false, true}) {
      const auto g = [&](const std::string& term) { return left ? f(term, "y") : f("y", term); };
      if (bits) {
        if (signals) say("quiet or not", {"snan(x)"}, g("x") + " = " + g("quiet(x)"));
        else say("no NaN is signalling", {}, "not snan(x)");
        say("what is quiet stays", {"not snan(x)"}, "quiet(x) = x");
        say("zeros are like one another", {}, g("+0") + " =0 " + g("-0"));
      } else {
        say("NaNs give alike results", {"nan(x)"}, g("x") + " ~ " + g("nan"));
        say("zeros give alike results", {}, g("+0") + " ~~ " + g("-0"));
      }
      say("the sign of a zero is lost", partial("y"), g("+0") + " " + law_.equal + " " + g("-0"));
    }
    closed_pads();
    unchanged(bits ? "=0" : "~~", {}, bits ? "quiet(x)" : "x");
    unchanged(law_.equal, partial("x"), "x");
  }

  void chain() {
    const auto fma = [](const Factors& of_, const std::string& to) {
      return "fma(" + of_.left + ", " + of_.right + ", " + to + ")";
    };
    const auto mul = [](const Factors& of_) { return "mul(" + of_.left + ", " + of_.right + ")"; };
    for (const Kept& one : law_.partial) {
      if (law_.starts) say("the start", {}, condition_of(one.condition, "+0"));
      for (const Factors& term : law_.valid) {
        LawTexts known = term.conditions;
        if (!law_.starts) say("the first product", known, condition_of(one.condition, mul(term)));
        if (one.from != Kept::Always) known.insert(known.begin(), condition_of(one.condition, "x"));
        say("partial results stay", known, condition_of(one.condition, fma(term, "x")));
      }
    }
    closed_under_equality();
    congruent("fma(y, z, @)", {});
    for (const Factors& term : law_.pads) {
      say("a pad", partial("x", term.conditions), fma(term, "x") + " " + law_.equal + " x");
      if (law_.starts) continue;
      for (const std::string& condition : law_.pad) {
        say("pads alone", term.conditions, condition_of(condition, mul(term)));
        for (const std::string& p : law_.constants)
          say("pads alone", term.conditions, condition_of(condition, fma(term, p)));
      }
    }
    if (law_.starts) return;
    for (const Factors& term : law_.valid)
      for (const std::string& p : law_.constants)
        say("the first product after pads", term.conditions, fma(term, p) + " " + law_.equal + " " + mul(term));
  }

  const Law& law_;
  std::vector<Premise> out_;
};

}  // namespace

std::vector<Premise> premises_of(const Law& law) { return LawPremises(law).all(); }

std::string text_of(const Law& law) {
  static constexpr const char* kNames[] = {"tree", "start", "chain", "only"};
  std::string out = std::string(kNames[law.theorem]) + " of " + law.operation;
  const auto list = [&](const char* name, const LawTexts& texts) {
    if (!texts.empty()) out += std::string("; ") + name + " " + listed(texts, ", ");
  };
  const auto factors = [&](const char* name, const std::vector<Factors>& all) {
    LawTexts texts;
    for (const Factors& one : all)
      texts.push_back(one.left + "·" + one.right + (one.conditions.empty() ? "" : " where ") +
                      listed(one.conditions, " & "));
    list(name, texts);
  };
  list("where", law.where);
  LawTexts kept;
  for (const Kept& one : law.partial) kept.push_back(one.condition);
  list("partial results", kept);
  factors("terms", law.valid);
  factors("pads", law.pads);
  list(law.theorem == Law::Only ? "identity" : "pads", law.constants);
  list("pads are", law.pad);
  if (law.theorem == Law::Chain) out += law.starts ? "; starts with +0" : "; starts with a product";
  return out + "; up to " + law.equal;
}

}  // namespace vl::values_kernel
// NOLINTEND(performance-inefficient-string-concatenation)
