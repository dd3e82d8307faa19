// What `./dev lemmas` runs: proves each lemma of the book and has it checked, prints the book as a table, and compares
// its digest with the one that is built in. Exit: 0 all is as it should be, 10 a lemma is not proved or the digest is
// another one, 2 the output cannot be written.
//
//   --text   only the statements, whose digest it is
//   WORD     only the lemmas whose names contain it
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <map>
#include <string_view>

#include "verifier/lemmas/prove.h"

namespace {

using vl::values_kernel::Lemma;

double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Tally {
  std::size_t lemmas = 0, bytes = 0;
  double cpu = 0;
};

// `only`: those whose names contain it; then laws have to do without the others.
bool prove_all(const std::vector<Lemma>& book, std::string_view only) {
  std::map<Lemma::Kind, Tally> tallies;
  std::vector<Lemma> before;
  bool good = true;
  for (const Lemma& lemma : book) {
    if (lemma.name.find(only) == std::string::npos) continue;
    const double start = seconds();
    const auto answer = vl::lemmas::prove(lemma, before);
    const double cpu = seconds() - start;
    std::string what = "proved";
    std::size_t bytes = 0;
    if (const auto* found = std::get_if<vl::lemmas::False>(&answer)) {
      what = "FALSE";
      for (const auto code : found->codes) what += fmt::format(" {:#x}", code);
    } else if (const auto* open = std::get_if<vl::lemmas::Open>(&answer)) {
      what = "OPEN: " + open->why;
    } else {
      bytes = std::get<vl::values_kernel::LemmaEvidence>(answer).refutation.size();
      before.push_back(lemma);
    }
    good = good && what == "proved";
    std::fflush(stdout);
    fmt::print("{:<7} {:>9.1f} ms {:>9} bytes  {}  {} | {}\n", name(lemma.kind), cpu * 1000, bytes, what, lemma.name,
               lemma.text);
    Tally& tally = tallies[lemma.kind];
    ++tally.lemmas, tally.bytes += bytes, tally.cpu += cpu;
  }
  Tally all;
  for (const auto& [kind, tally] : tallies) {
    fmt::print("{:<7} {:>5} lemmas {:>8.2f} s {:>10} bytes\n", name(kind), tally.lemmas, tally.cpu, tally.bytes);
    all.lemmas += tally.lemmas, all.bytes += tally.bytes, all.cpu += tally.cpu;
  }
  fmt::print("all     {:>5} lemmas {:>8.2f} s {:>10} bytes, {} proved\n", all.lemmas, all.cpu, all.bytes,
             before.size());
  return good;
}

}  // namespace

int main(int count, char** arguments) {
  const auto book = vl::values_kernel::make_book();
  if (count == 2 && std::string_view(arguments[1]) == "--text") {
    fmt::print("{}", text_of(book));
    return std::fflush(stdout) == 0 ? 0 : 2;
  }
  bool good = prove_all(book, count == 2 ? arguments[1] : "");
  const std::string digest = digest_of(book);
  fmt::print("{}\n", digest);
  if (digest != vl::values_kernel::kBookDigest)
    fmt::print("the book that is built in is another one: {}\n", vl::values_kernel::kBookDigest), good = false;
  return std::fflush(stdout) != 0 ? 2 : good ? 0 : 10;
}
