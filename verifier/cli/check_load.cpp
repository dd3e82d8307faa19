#include "verifier/cli/check_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>

#include "encodings/base/printable.h"
#include "verifier/session/all_sizes.h"
#include "verifier/session/claim_text.h"
#include "verifier/session/names.h"
#include "verifier/session/nests_file.h"
#include "verifier/session/rule_nests_file.h"
#include "verifier/session/stated.h"

namespace vl::cli {
namespace {

// Files of certificates are named by ids, which only the cases of one file may not share.
void tell_apart(Loaded& loaded) {
  std::set<std::string> ids, seen;
  for (const session::Work& work : loaded)
    if (const std::string* id = work.id()) ids.insert(*id);
  for (session::Work& work : loaded) {
    const std::string* id = work.id();
    if (id == nullptr || seen.insert(*id).second) continue;
    std::size_t number = 2;
    std::string stem;
    do stem = fmt::format("{}-{}", *id, number++);
    while (!ids.insert(stem).second);
    work.rename(std::move(stem));
  }
}

}  // namespace

Loaded load_files(const CheckArguments& arguments, const std::vector<use::Definition>& definitions,
                  const session::CaseRequest& otherwise) {
  Loaded loaded;
  TextsRead read;
  read.used.resize(definitions.size());
  read.programs = arguments.programs || (!arguments.no_programs && arguments.claims.empty());
  read.programs_beneath = arguments.programs;
  for (const std::string& folder : arguments.scans)
    std::ranges::move(works_beneath(folder, definitions, otherwise, read, arguments.quiet), std::back_inserter(loaded));
  for (const std::string& path : arguments.files) {
    if (is_text(path)) {
      std::ranges::move(layouts_of(path, definitions, otherwise, read), std::back_inserter(loaded));
      continue;
    }
    std::size_t others = 0;
    const std::vector<std::string> files = session::case_files(path, &others);
    if (others > 0)
      fmt::print(stderr, "verify-layout: {}: {} beneath it without schema = 1: no case {}\n", printable(path),
                 report::plural(static_cast<Index>(others), "*.toml"), others == 1 ? "file" : "files");
    if (files.empty()) loaded.emplace_back(rejected(path, about(path, "no such file, or no case file beneath it")));
    for (const std::string& file : files)
      std::ranges::move(session::work_of(session::find_cases_in(file), file), std::back_inserter(loaded));
  }
  Loaded unused = unused_in_texts(loaded, otherwise, definitions, read.used);
  std::ranges::move(unused, std::back_inserter(loaded));
  if (!arguments.certificates.empty() || !arguments.dump_smt.empty()) tell_apart(loaded);
  return loaded;
}

std::variant<std::vector<session::ClaimRequest>, std::string> claims_of(const CheckArguments& arguments) {
  const auto transfer = arguments.transfers.empty()       ? session::Beside::Nothing
                        : arguments.layout.text().empty() ? session::Beside::NoLayout
                                                          : session::Beside::Layout;
  return session::claims_of(
      arguments.claims, {!arguments.nests.empty(), transfer, !arguments.target.empty() && !arguments.transfers.empty(),
                         arguments.access, arguments.hardware});
}

Loaded failed_to_load(const CheckArguments& arguments, Diagnostic diagnostic) {
  question::Case out = rejected({}, std::move(diagnostic));
  out.layout = arguments.layout.text();
  out.tensor = arguments.layout.tensor;
  Loaded loaded;
  loaded.emplace_back(std::move(out));
  return loaded;
}

namespace {

// Gives the claims the nests of --nests, with names or of numbers. Returns what is wrong with them.
std::optional<Diagnostic> take_nests(const CheckArguments& arguments, session::CaseRequest& request) {
  session::AnyNests read =
      session::read_any_nests(arguments.nests, session::has_names(request), request.sizes.has_value());
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return std::move(*diagnostic);
  std::shared_ptr<const use::RuleTransfer> named;
  std::shared_ptr<const use::Transfer> numbers;
  if (auto* rule = std::get_if<use::RuleTransfer>(&read))
    named = std::make_shared<const use::RuleTransfer>(std::move(*rule));
  else numbers = std::make_shared<const use::Transfer>(std::move(std::get<use::Transfer>(read)));
  const auto direction = named != nullptr ? named->direction : numbers->direction;
  const bool devices = direction == use::Direction::DeviceToDevice;
  if (devices == arguments.from.empty())
    return Diagnostic{arguments.nests,
                      0,
                      0,
                      devices ? "these nests move between devices; expected --from LAYOUT"
                              : "these nests have a host side; --from LAYOUT is for d2d",
                      {},
                      0};
  for (session::ClaimRequest& claim : request.claims) {
    claim.rule_nests = named, claim.nests = numbers;
    claim.nests_text = arguments.nests;
    claim.nests_at = session::SourceText::option(arguments.nests, {});
    if (devices) claim.arguments.push_back({"with", session::SourceText::option("--from", arguments.from)});
  }
  return std::nullopt;
}

}  // namespace

std::shared_ptr<const session::TransferRequest> transfer_of(const CheckArguments& arguments) {
  session::TransferRequest out;
  for (const std::string& text : arguments.transfers)
    out.texts.push_back(session::SourceText::option("--transfer", text));
  if (!arguments.target.empty()) out.target = session::SourceText::option("--target", arguments.target);
  return std::make_shared<const session::TransferRequest>(std::move(out));
}

Loaded load_layout(const CheckArguments& arguments, std::variant<session::CaseRequest, Diagnostic> asked,
                   const std::vector<use::Definition>& definitions, std::vector<session::ClaimRequest> claims) {
  const auto failed = [&](Diagnostic diagnostic) { return failed_to_load(arguments, std::move(diagnostic)); };
  if (auto* diagnostic = std::get_if<Diagnostic>(&asked)) return failed(std::move(*diagnostic));
  auto& request = std::get<session::CaseRequest>(asked);
  request.claims = std::move(claims);
  if (arguments.where) request.where = session::SourceText::option("--where", *arguments.where);
  if (auto wrong = session::define(request, definitions)) return failed(std::move(*wrong));
  if (arguments.at_sizes) request.sizes = session::SourceText::option("--at-sizes", *arguments.at_sizes);
  request.all_sizes = arguments.sizes == "all", request.one_size = arguments.sizes == "one";
  if (!arguments.nests.empty())
    if (auto wrong = take_nests(arguments, request)) return failed(std::move(*wrong));
  if (!arguments.transfers.empty()) {
    const auto transfer = transfer_of(arguments);
    for (session::ClaimRequest& claim : request.claims)
      if (claims::is_about_descriptors(*claim.claim)) claim.transfer = transfer;
  }
  Loaded loaded;
  if (!arguments.has_tensor) {
    const Index offset = request.offset;
    auto reason = session::state_tensor(request);
    if (arguments.layout.offset) request.offset = offset;
    if (reason) {
      question::Case skipped;
      skipped.layout = request.layout.text;
      skipped.skipped = std::move(*reason);
      loaded.emplace_back(std::move(skipped));
      return loaded;
    }
  }
  loaded.emplace_back(std::move(request));
  return loaded;
}

Loaded load_transfers(const CheckArguments& arguments, const std::vector<use::Definition>& definitions,
                      std::vector<session::ClaimRequest> claims) {
  session::CaseRequest request;
  request.claims = std::move(claims);
  request.transfer = transfer_of(arguments);
  request.layout = request.transfer->texts.front();
  if (arguments.where) request.where = session::SourceText::option("--where", *arguments.where);
  if (auto wrong = session::define(request, definitions)) return failed_to_load(arguments, std::move(*wrong));
  if (arguments.at_sizes) request.sizes = session::SourceText::option("--at-sizes", *arguments.at_sizes);
  Loaded loaded;
  loaded.emplace_back(std::move(request));
  return loaded;
}

}  // namespace vl::cli
