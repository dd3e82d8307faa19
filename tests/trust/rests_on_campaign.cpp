// What a check enters, function by function, against what it says that it enters: the kernels of this program are
// compiled so that each function tells when it begins (cmake/traced.cmake), and addr2line says in which file it is. So
// a file that a proof used and `check --explain-trust` would not list is found here.
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/corpus_claims.h"
#include "tests/support/process.h"
#include "tests/support/shard.h"
#include "verifier/checker/certificate.h"
#include "verifier/claims/proofs/certify.h"
#include "verifier/neutral/program/certify.h"
#include "verifier/report/trust.h"

namespace vl {
namespace trust_rests_on_campaign {

// Functions by their places in this program. A test that asks sets `on`.
struct Trace {
  bool on = false;
  char* base = nullptr;
  unsigned char* seen = nullptr;  // by place
  std::vector<std::uint32_t> places;
};
Trace trace;  // NOLINT: the hook below has no arguments of ours

constexpr std::size_t kMostPlaces = std::size_t{1} << 32;

void begin() {
  if (trace.base == nullptr) {
    Dl_info info{};
    ASSERT_NE(dladdr(reinterpret_cast<void*>(&begin), &info), 0);
    trace.base = static_cast<char*>(info.dli_fbase);
    void* const pages =
        mmap(nullptr, kMostPlaces, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    trace.seen = static_cast<unsigned char*>(pages);
  }
  for (const std::uint32_t place : trace.places) trace.seen[place] = 0;
  trace.places.clear();
  trace.on = true;
}

// The source file of each place, relative to the root; of inlined functions theirs.
std::map<std::uint32_t, std::string> files_of(const std::set<std::uint32_t>& places) {
  const test::Folder folder;
  std::string list;
  for (const std::uint32_t place : places) list += fmt::format("{:#x}\n", place);
  std::map<std::uint32_t, std::string> out;
  const std::string command = fmt::format("addr2line -e /proc/{}/exe < '{}'", ::getpid(), folder.file("places", list));
  FILE* const pipe = popen(command.c_str(), "r");
  char line[4096];
  auto place = places.begin();
  while (place != places.end() && std::fgets(line, sizeof(line), pipe) != nullptr) {
    std::string file(line);
    file = file.substr(0, file.rfind(':'));
    const std::size_t root = file.find("verifier/");
    out[*place++] = root == std::string::npos ? file : file.substr(root);
  }
  EXPECT_EQ(pclose(pipe), 0);
  return out;
}

struct Checked {
  std::string claim;
  std::vector<std::string> said;
  std::vector<std::uint32_t> entered;
};

Checked check_again(const checker::Certificate& certificate) {
  begin();
  std::vector<std::string> said = claims::files_entered(certificate.statement, certificate.evidence);
  trace.on = false;
  return {certificate.statement.claim, std::move(said), trace.places};
}

// Of parts that no proof of the corpus rests on.
std::vector<Checked> checks_of_others(const test::Folder& folder) {
  const test::Ran ran = test::verify_layout({"swizzle", "--layout", "S[(32,64):(64,1)]", "--tensor", "f16[32,64]",
                                             "--access", "lanes=8 width=16 at=[lane, 0] base=16", "--access",
                                             "lanes=32 width=2 at=[lane, 0]", "--certificates", folder.path()});
  EXPECT_EQ(ran.code, 10) << ran.err;
  const auto program = neutral::program::parse_program(
      "A = input f32[M=5,K=6] tile(8,8) padding 0 contents finite\n"
      "a = exp A\n"
      "m = mask a K with 0\n"
      "s = sum m over 1 from +0\n"
      "output s\n"
      "equal any-nan+zero\n");
  EXPECT_TRUE(program);
  neutral::program::Judge judge(*program);
  const auto chain = certify(*program, judge.answer());
  EXPECT_TRUE(chain && chain->statement.verdict == "proved");
  const auto none = nlohmann::json::parse(test::read_text(folder.at("no-swizzle.json")));
  checker::Certificate buffers;  // of a function that writes two, side by side
  buffers.statement.claim = "disjoint", buffers.statement.verdict = "proved";
  buffers.statement.buffers = {{"hbm", 0, 64, 0, true, ""}, {"hbm", 64, 128, 1, true, ""}};
  return {check_again(checker::read<checker::Certificate>(none)), check_again(*chain), check_again(buffers)};
}

// Every proof of a sixth of the corpus and of the first cases that ask each claim, checked again, and others.
std::vector<Checked> checks() {
  const test::Folder folder, others;
  session::JudgeOptions options;
  options.engines = session::engine_options();
  options.certificates.folder = folder.path();
  const test::Shard shard = test::shard_of(6);
  std::map<std::string_view, int> times;
  for (std::size_t i = 0; i < test::corpus().size(); ++i) {
    const session::CaseRequest& request = test::corpus()[i].request;
    bool first = false;
    for (const session::ClaimRequest& claim : request.claims) first = ++times[claim.claim->name] <= 3 || first;
    if (first || shard.has(i)) static_cast<void>(session::judge(request, options));
  }
  std::vector<Checked> out = checks_of_others(others);
  for (const auto& [name, text] : folder.content())
    if (text != "/" && !name.starts_with("refuted"))
      out.push_back(check_again(checker::read<checker::Certificate>(nlohmann::json::parse(text))));
  return out;
}

const report::TrustedPart* part_of(const std::string& file) {
  for (const report::TrustedPart& part : report::trusted_parts())
    if (std::ranges::count(part.files, file) > 0) return &part;
  return nullptr;
}

TEST(RestsOn, NamesEachPartOfTheKernelsThatACheckEnters) {
  const std::vector<Checked> all = checks();
  std::set<std::uint32_t> places;
  for (const Checked& one : all) places.insert(one.entered.begin(), one.entered.end());
  const auto files = files_of(places);
  std::map<const report::TrustedPart*, std::size_t> needed;
  for (const Checked& one : all) {
    const auto listed = report::parts_of({one.said, {}});
    std::set<const report::TrustedPart*> entered;
    for (const std::uint32_t place : one.entered) entered.insert(part_of(files.at(place)));
    for (const report::TrustedPart* part : entered) {
      ASSERT_NE(part, nullptr) << one.claim;
      EXPECT_EQ(std::ranges::count(listed, part), 1) << one.claim << " enters " << part->name;
      ++needed[part];
    }
  }
  std::string table;
  for (const report::TrustedPart& part : report::trusted_parts()) {
    if (part.kind != report::Trusted::Check) continue;
    table += fmt::format("{:<24} {}\n", part.name, needed[&part]);
    // Some check enters each part, or nobody would see that it does not say so. Programs enter the last one.
    const bool of_programs = part.name == "programs";
    EXPECT_EQ(needed[&part] == 0, of_programs) << part.name;
  }
  fmt::print("{} checks, {} functions\n{}", all.size(), places.size(), table);
  EXPECT_GT(all.size(), 4000U);
}

}  // namespace trust_rests_on_campaign
}  // namespace vl

extern "C" void __cyg_profile_func_enter(void* function, void* /*site*/);
extern "C" void __cyg_profile_func_exit(void* /*function*/, void* /*site*/);

void __cyg_profile_func_enter(void* function, void* /*site*/) {
  auto& trace = vl::trust_rests_on_campaign::trace;
  if (!trace.on) return;
  const auto place = static_cast<std::uint32_t>(static_cast<char*>(function) - trace.base);
  if (trace.seen[place] == 0) trace.seen[place] = 1, trace.places.push_back(place);
}
void __cyg_profile_func_exit(void* /*function*/, void* /*site*/) {}
