// Which laws there are, by format. reductions.cpp names them: "sum/0/start/any-nan" of f32.
#include <array>

#include "verifier/values_kernel/lemmas/laws.h"
#include "verifier/values_kernel/values.h"

// NOLINTBEGIN(performance-inefficient-string-concatenation): the texts of statements, made once
namespace vl::values_kernel {
namespace {

struct LawEquality {
  const char *name, *relation;
};
constexpr LawEquality kSameBits = {"bits", "="}, kAnyNan = {"any-nan", "~"}, kAnyZero = {"any-nan+zero", "~~"};

class LawCatalogue {
 public:
  explicit LawCatalogue(const Format& wide) : wide_(wide) {}

  std::vector<Law> all() {
    if (wide_.is_float) sums(), chains(), products();
    else integers();
    for (const char* operation : {"max", "min"}) extremes(operation);
    return std::move(out_);
  }
  // A product of two codes of the type is exact in the wide format, or not too small for it.
  std::vector<Law> exact_chains(const std::string& type) {
    for (const LawEquality& equal : {kSameBits, kAnyNan}) {
      Law& law = add(Law::Chain, "fma", std::string("fused/start/0/exact/") + equal.name, equal);
      law.type = type;
      law.partial.push_back(kNoMinusZero);
      law.valid = {{"widen(a)", "widen(b)", {}}};
      law.pads = zeros(), law.starts = true;
    }
    return std::move(out_);
  }

 private:
  inline static const Kept kNoMinusZero{"not @ = -0", Kept::First}, kNonnegative{"nonneg(@)", Kept::Both};

  Law& add(Law::Theorem theorem, const char* operation, const std::string& name, const LawEquality& equal) {
    Law law{theorem, name, wide_.name, wide_.name, operation, equal.relation, {}, {}, {}, {}, {}, {}, false};
    // Where bits are compared, no partial result is a signalling NaN: an operation makes it quiet.
    const bool signalling = wide_.is_float && wide_.infinities && *equal.relation == '=';
    if (signalling && theorem != Law::Only) law.partial.push_back({"not snan(@)", Kept::Always});
    return out_.emplace_back(std::move(law));
  }
  void only(const char* operation, const std::string& name, const char* identity, const LawEquality& equal) {
    add(Law::Only, operation, "only/" + name, equal).constants = {identity};
  }
  void padded_by_zeros(Law& law) const {
    law.constants = wide_.one_zero ? std::vector<std::string>{"+0"} : std::vector<std::string>{"+0", "-0"};
    law.pad = {"zero(@)"};
  }

  void sums() {
    if (wide_.one_zero) {
      for (const LawEquality& equal : {kSameBits, kAnyNan})
        padded_by_zeros(add(Law::Tree, "add", std::string("sum/0/") + equal.name, equal));
      return only("add", "sum", "+0", kAnyNan);
    }
    for (const LawEquality& equal : {kSameBits, kAnyNan, kAnyZero}) {
      Law& law = add(Law::Tree, "add", std::string("sum/-0/") + equal.name, equal);
      law.constants = {"-0"}, law.pad = {"@ = -0"};
    }
    padded_by_zeros(add(Law::Tree, "add", "sum/0/any-nan+zero", kAnyZero));
    for (const LawEquality& equal : {kSameBits, kAnyNan}) {
      const std::string name = equal.name;
      Law& positive = add(Law::Tree, "add", "sum/0/nonneg/" + name, equal);
      positive.partial.push_back(kNonnegative), padded_by_zeros(positive);
      if (!wide_.subnormals) continue;  // a sum of two signs may be too small for a code, and is -0 then
      Law& without = add(Law::Tree, "add", "sum/0/no-minus-zero/" + name, equal);
      without.partial.push_back(kNoMinusZero), padded_by_zeros(without);
      Law& start = add(Law::Start, "add", "sum/0/start/" + name, equal);
      start.partial.push_back(kNoMinusZero), padded_by_zeros(start);
    }
    only("add", "sum", "-0", kAnyNan), only("add", "sum/start", "+0", kAnyZero);
  }

  // Zeros times finite numbers.
  [[nodiscard]] std::vector<Factors> zeros() const {
    std::vector<Factors> out;
    for (const char* zero : {"+0", "-0"}) {
      if (wide_.one_zero && *zero == '-') continue;
      out.push_back({zero, "y", {"finite(y)"}}), out.push_back({"y", zero, {"finite(y)"}});
    }
    return out;
  }
  void chain(bool starts, const std::string& name, const LawEquality& equal, const Kept* kept, const Factors& valid) {
    Law& law =
        add(Law::Chain, "fma", std::string("fused/") + (starts ? "start/" : "first/") + name + equal.name, equal);
    if (kept != nullptr) law.partial.push_back(*kept);
    law.valid = {valid}, law.starts = starts;
    law.pads = valid.left == valid.right ? std::vector<Factors>{{"+0", "+0", {}}} : zeros();
    if (valid.left == valid.right && !wide_.one_zero) law.pads.push_back({"-0", "-0", {}});
    padded_by_zeros(law);
    if (kept == &kNonnegative && valid.left == valid.right) law.constants = {"+0"}, law.pad = {"@ = +0"};
  }
  void chains() {
    const Factors any{"y", "z", {}}, square{"y", "y", {}};
    const Factors positive{"y", "z", {"nonneg(y)", "nonneg(z)"}},
        negative{"y", "z", {"not nonneg(y)", "not nonneg(z)"}};
    for (const bool starts : {false, true})
      for (const LawEquality& equal : {kSameBits, kAnyNan, kAnyZero}) {
        const bool exact = equal.relation != kAnyZero.relation;
        if (wide_.one_zero) {
          if (exact) chain(starts, "0/", equal, nullptr, any);
          continue;
        }
        chain(starts, "-0/", equal, nullptr, any);
        Law& law = out_.back();
        law.pads = {{"+0", "y", {"finite(y)", "not nonneg(y)"}},
                    {"y", "+0", {"finite(y)", "not nonneg(y)"}},
                    {"-0", "y", {"finite(y)", "nonneg(y)"}},
                    {"y", "-0", {"finite(y)", "nonneg(y)"}}};
        law.constants = {"-0"}, law.pad = {"@ = -0"};
        if (!exact) chain(starts, "0/", equal, nullptr, any);
        if (!exact) continue;
        chain(starts, "0/square/", equal, &kNonnegative, square);
        chain(starts, "0/nonneg/", equal, &kNonnegative, positive);
        chain(starts, "0/negative/", equal, &kNonnegative, negative);
        for (const char* nan : {"nan(y)", "nan(z)"}) out_.back().valid.push_back({"y", "z", {nan}});
      }
  }

  void products() {
    for (const LawEquality& equal : {kSameBits, kAnyNan, kAnyZero}) {
      if (wide_.one_zero && equal.relation == kAnyZero.relation) continue;
      Law& law = add(Law::Tree, "mul", std::string("prod/1/") + equal.name, equal);
      law.constants = {"1"}, law.pad = {"@ = 1"};
    }
    only("mul", "prod", "1", kAnyNan);
  }

  void integers() {
    for (const auto& [name, operation, pad] :
         {std::array{"sum/0", "add", "+0"}, std::array{"sum/saturating/0", "satadd", "+0"},
          std::array{"prod/1", "mul", "1"}}) {
      Law& law = add(Law::Tree, operation, std::string(name) + "/bits", kSameBits);
      law.constants = {pad}, law.pad = {std::string("@ = ") + pad};
      only(operation, name, pad, kSameBits);
    }
    if (wide_.name != "u8") return;  // truth values
    for (const auto& [name, operation, pad] : {std::array{"any", "or", "+0"}, std::array{"all", "and", "1"}}) {
      Law& law = add(Law::Tree, operation, std::string(name) + "/bits", kSameBits);
      law.partial = {{"not 1 < @", Kept::Both}};
      law.constants = {pad}, law.pad = {std::string("@ = ") + pad};
    }
  }

  void extremes(const std::string& operation) {
    const bool max = operation == "max";
    const auto past = [&](const char* relation, const std::string& a, const std::string& b) {
      return max ? a + relation + b : b + relation + a;
    };
    if (!wide_.is_float) {
      Law& law = add(Law::Tree, operation.c_str(), operation + "/bits", kSameBits);
      law.partial = {{past(" <= ", "z", "@"), Kept::First}}, law.pad = {past(" <= ", "@", "z")};
      return only(operation.c_str(), operation, max ? "lowest" : "highest", kSameBits);
    }
    only(operation.c_str(), operation + "/nan-wins", max ? "lowest" : "highest", kAnyNan);
    only((operation + "n").c_str(), operation + "/nan-loses", "nan", kAnyNan);
    for (const std::string rule : {"nan-wins", "nan-loses", "x86"}) {
      const std::string called = operation + (rule == "nan-wins" ? "" : rule == "nan-loses" ? "n" : "x");
      // Where NaN wins, it may be a partial result; where it loses, a pad; of x86 neither.
      const auto bound = [&](Law& law, const std::string& low, const std::string& high) {
        law.nans = rule == "nan-wins";
        if (!law.nans) law.partial.clear();
        const std::string below = past(" < ", "@", low), no_less = past(" <= ", low, "@");
        law.partial.push_back({law.nans ? "not " + below : no_less, rule == "x86" ? Kept::Both : Kept::First});
        const std::string beyond = past(" < ", high, "@"), no_more = past(" <= ", "@", high);
        law.pad = {rule == "nan-loses" ? "not " + beyond : no_more};
      };
      for (const LawEquality& equal : {kSameBits, kAnyNan}) {
        Law& law = add(Law::Tree, called.c_str(), operation + "/" + rule + "/" + equal.name, equal);
        bound(law, "z", "z");
        if (rule != "x86") law.where = {"not nan(z)"};
        if (rule == "x86" && !wide_.one_zero) law.where = {"not zero(z)"};  // of two zeros the second is taken
      }
      if (!wide_.one_zero)
        bound(add(Law::Tree, called.c_str(), operation + "/" + rule + "/zero", kAnyZero), max ? "-0" : "+0",
              max ? "+0" : "-0");
    }
    for (const LawEquality& equal : {kAnyNan, kAnyZero}) {
      if (wide_.one_zero && equal.relation == kAnyZero.relation) continue;
      Law& law = add(Law::Tree, (operation + "n").c_str(), operation + "/nan/" + equal.name, equal);
      law.pad = {"nan(@)"};
    }
  }

  const Format& wide_;
  std::vector<Law> out_;
};

}  // namespace

std::vector<Law> laws_of(const std::string& wide) { return LawCatalogue(format_of(wide)).all(); }
std::vector<Law> laws_of_types(const std::string& wide, const std::string& type) {
  return LawCatalogue(format_of(wide)).exact_chains(type);
}

}  // namespace vl::values_kernel
// NOLINTEND(performance-inefficient-string-concatenation)
