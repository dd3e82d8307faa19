#include "verifier/values_kernel/lemmas/book.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "verifier/values_kernel/lemmas/facts.h"

namespace vl::values_kernel {
namespace {

class BookMaker {
 public:
  // The name of the lemma that states it, which is made if there is none.
  std::string state(const std::string& name, const std::string& wide, const std::string& type,
                    const std::string& text) {
    const LemmaStatement statement = parse_statement(format_of(wide), format_of(type), text);
    Lemma lemma{{}, Lemma::Rup, wide, type, text};
    if (!statement.uses_type()) lemma.type = wide;
    std::string& known = names_[lemma.type + ">" + wide + " " + text];
    if (!known.empty()) return known;
    if (statement.bits() <= 16) lemma.kind = statement.bits() == 0 ? Lemma::Witness : Lemma::Sweep;
    lemma.name = known = unused(name);
    book_.push_back(std::move(lemma));
    return known;
  }
  void state(const Fact& fact, const std::string& wide, const std::string& type) {
    const std::string name = (type == wide ? wide : type + ">" + wide) + " " + fact.name;
    if (fact.count == 0) return static_cast<void>(state(name, wide, type, fact.text));
    book_.push_back({unused(name), Lemma::Count, wide, type, fact.text, fact.count});
  }
  void state(const Law& law) {
    const std::string name = (law.type == law.wide ? law.wide : law.type + ">" + law.wide) + " " + law.name;
    Lemma lemma{name, Lemma::OfLaw, law.wide, law.type, text_of(law), 0, law};
    for (const Premise& premise : premises_of(law))
      lemma.from.push_back(state(name + ": " + premise.role, law.wide, law.type, premise.text));
    lemma.name = unused(name);
    book_.push_back(std::move(lemma));
  }
  std::vector<Lemma> take() { return std::move(book_); }

 private:
  std::string unused(const std::string& name) {
    std::string out = name;
    for (int i = 2; !used_.insert(out).second; ++i) out = name + " (" + std::to_string(i) + ")";
    return out;
  }

  std::vector<Lemma> book_;
  std::map<std::string, std::string> names_;
  std::set<std::string> used_;
};

void check_law(const Lemma& lemma, const std::vector<Lemma>& before) {
  require(lemma.law.has_value() && text_of(*lemma.law) == lemma.text && lemma.law->wide == lemma.wide &&
              lemma.law->type == lemma.type,
          "a law of another text");
  const auto premises = premises_of(*lemma.law);
  require(!premises.empty() && premises.size() == lemma.from.size(), "a law of other premises");
  for (std::size_t i = 0; i < premises.size(); ++i) {
    const auto found = std::ranges::find(before, lemma.from[i], &Lemma::name);
    require(found != before.end(), "a premise that is no lemma before it");
    require(found->kind != Lemma::OfLaw && found->kind != Lemma::Count && found->text == premises[i].text &&
                found->wide == lemma.wide && (found->type == lemma.type || found->type == lemma.wide),
            "a premise that says something else");
    const auto statement = parse_statement(format_of(lemma.wide), format_of(lemma.type), found->text);
    require(found->type == lemma.type || !statement.uses_type(), "a premise of another type");
  }
}

}  // namespace

const char* name(Lemma::Kind kind) {
  static constexpr std::array kNames = {"witness", "sweep", "count", "rup", "law"};
  return kNames[kind];
}

std::vector<Lemma> make_book() {
  BookMaker maker;
  for (const std::string& wide : format_names()) {
    for (const Fact& fact : facts_of(wide)) maker.state(fact, wide, wide);
    for (const Law& law : laws_of(wide)) maker.state(law);
  }
  for (const auto& [type, wide] : type_pairs()) {
    for (const Fact& fact : facts_of_types(wide, type)) maker.state(fact, wide, type);
    if (has_exact_products(wide, type))
      for (const Law& law : laws_of_types(wide, type)) maker.state(law);
  }
  return maker.take();
}

std::string text_of(const std::vector<Lemma>& book) {
  std::string out;
  for (const Lemma& lemma : book) {
    out += std::string(name(lemma.kind)) + " | " + lemma.name + " | ";
    if (lemma.type != lemma.wide) out += "a, b of " + lemma.type + ": ";
    if (lemma.kind == Lemma::Count) out += "of " + std::to_string(lemma.count) + " codes ";
    out += lemma.text;
    for (std::size_t i = 0; i < lemma.from.size(); ++i) out += (i == 0 ? " | by " : "; ") + lemma.from[i];
    out += '\n';
  }
  return out;
}

std::string digest_of(const std::vector<Lemma>& book) { return checker::digest_of(text_of(book)); }

void check_lemma(const Lemma& lemma, const LemmaEvidence& evidence, const std::vector<Lemma>& before) {
  if (lemma.kind == Lemma::OfLaw) return check_law(lemma, before);
  const LemmaStatement statement = parse_statement(format_of(lemma.wide), format_of(lemma.type), lemma.text);
  if (lemma.kind == Lemma::Rup) {
    require(evidence.example.size() == statement.variables().size() && applies(statement, evidence.example),
            "hypotheses that the example does not meet");
    const Clauses made = encode(statement);
    return check_refutation(made.variables, made.clauses, evidence.refutation);
  }
  require(statement.bits() <= (lemma.kind == Lemma::Witness ? 0 : 16), "codes that are too many to look at");
  if (lemma.kind == Lemma::Count) return require(count(statement) == lemma.count, "another number of codes");
  std::uint64_t applied = 0;
  require(!sweep(statement, applied).has_value(), "a statement that is false");
  require(applied > 0, "a statement about no codes");
}

bool has_law(const std::string& wide, const std::string& type, const std::string& name) {
  if (type != wide && !has_exact_products(wide, type)) return false;
  const auto laws = type == wide ? laws_of(wide) : laws_of_types(wide, type);
  return std::ranges::find(laws, name, &Law::name) != laws.end();
}

}  // namespace vl::values_kernel
