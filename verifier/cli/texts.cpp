// Texts: files that are no case files, and the layouts that stand in them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "encodings/base/printable.h"
#include "encodings/use/descriptor_scan.h"
#include "encodings/use/stated_numbers.h"
#include "verifier/cli/commands.h"
#include "verifier/programs/functions.h"
#include "verifier/session/names.h"
#include "verifier/session/scan.h"
#include "verifier/session/targets.h"

namespace vl::cli {
namespace {

constexpr std::size_t kLargestBlock = std::size_t{1} << 20;

// A block holds a whole small file, so that many of them cost no more than their bytes.
std::size_t block_for(std::uintmax_t size) {
  return static_cast<std::size_t>(std::min<std::uintmax_t>(size + 1, kLargestBlock));
}

// Each comment is a case after the layouts of its file, which is left out of the report where it ignores something.
void add_comments(session::Scanned& scanned, const std::string& file, std::vector<session::Work>& out) {
  for (Diagnostic& wrong : scanned.wrong_comments) {
    std::string id = fmt::format("{}:{}:{}", wrong.file, wrong.line, wrong.column);
    out.emplace_back(rejected(std::move(id), std::move(wrong)));
  }
  for (const question::IgnoreComment& comment : scanned.comments) {
    question::Case unused;
    unused.place = {file, comment.line, comment.column};
    unused.leftover = question::Leftover{question::Leftover::Kind::UnusedIgnore, comment.claim, comment.reason};
    out.emplace_back(std::move(unused));
  }
}

// Leaves out what states no layout of its own and is an argument of a kernel: the kernel's function is judged with it.
void leave_to_functions(session::Scanned& scanned, const std::vector<std::pair<std::size_t, std::size_t>>& kernels,
                        const std::string& path) {
  const auto inside = [&](std::size_t line) {
    return std::ranges::any_of(kernels, [&](const auto& each) { return each.first <= line && line <= each.second; });
  };
  const std::size_t left = std::erase_if(scanned.all, [&](const auto& item) {
    const auto* skipped = std::get_if<session::SkippedText>(&item);
    return skipped != nullptr && skipped->unread.empty() && std::ranges::all_of(skipped->at.lines, inside);
  });
  if (left > 0)
    fmt::print(stderr, "verify-layout: {}: {} of kernels without a stride_map: judged with their functions\n",
               printable(path), report::plural(static_cast<Index>(left), "argument"));
}

// The number of a name in a text, if the user or the text itself gives it one.
std::optional<Index> number_of(const std::string& name, std::size_t at, const use::StatedNumbers& stated,
                               const std::vector<use::Definition>& definitions, TextsRead& read) {
  const auto given = std::ranges::find(definitions, name, &use::Definition::name);
  if (given != definitions.end()) {
    read.used[static_cast<std::size_t>(given - definitions.begin())] = true;
    return given->value;
  }
  const std::vector<use::StatedNumber> all = stated.numbers(name, at);
  const bool same = std::ranges::all_of(all, [&](const auto& each) { return each.value == all.front().value; });
  return all.empty() || !same ? std::nullopt : std::optional(all.front().value);
}

// Descriptors that stand in a text, each asked whether a target takes it.
std::vector<session::Work> descriptors_of(const std::string& file, const std::string& text,
                                          const std::vector<use::Definition>& definitions,
                                          const std::optional<session::SourceText>& target, TextsRead& read) {
  std::vector<session::Work> out;
  const std::vector<use::SeenDescriptor> all = use::descriptors_in(file, text);
  if (all.empty()) return out;
  std::string kind;  // of which the target is
  if (target)
    if (const auto known = session::read_target(*target); std::holds_alternative<use::Target>(known))
      kind = std::get<use::Target>(known).kind;
  const Document document(text);
  const use::StatedNumbers stated(file, text);
  for (const use::SeenDescriptor& seen : all) {
    const Diagnostic place = locate(file, document, {ErrorCode::Value, {}, seen.begin});
    const std::string id = fmt::format("{}:{}:{}", file, place.line, place.column);
    std::string why;
    Result<use::Descriptor> read_as = Error{};
    if (const auto* descriptor = std::get_if<use::Descriptor>(&seen.what)) {
      map::Sizes sizes;
      const std::size_t end = std::max(seen.end, seen.begin + 1) - 1;  // in the call, and not in its string
      for (const std::string& name : use::names_of(*descriptor))
        if (const auto number = number_of(name, end, stated, definitions, read)) sizes.emplace(name, *number);
      read_as = use::with_sizes(*descriptor, sizes);
      if (!read_as) why = read_as.error().message;
    } else {
      why = std::get<std::string>(seen.what);
    }
    if (!why.empty()) {
      question::Case record;
      record.id = id, record.layout = text.substr(seen.begin, std::min<std::size_t>(seen.end - seen.begin, 200));
      record.place = {file, place.line, place.column};
      record.skipped = std::move(why), record.unread = use::kOtherNotation;
      record.lines = {place.line}, record.occurrences = 1;
      out.emplace_back(std::move(record));
      continue;
    }
    session::CaseRequest request;
    request.id = id;
    request.layout = {use::print(*read_as), file, nullptr, 0, false, place.line, place.column, nullptr};
    session::TransferRequest transfer{{request.layout}, {}};
    if (read_as->kind == kind) transfer.target = target;
    request.transfer = std::make_shared<const session::TransferRequest>(std::move(transfer));
    request.lines = {place.line}, request.occurrences = 1;
    out.emplace_back(std::move(request));
  }
  return out;
}

// For a reader who meant a *.toml as a case file.
std::string_view why_no_case_file(const std::string& path) {
  return std::filesystem::path(path).extension() == ".toml" ? "; a case file has schema = 1 before its first table"
                                                            : "";
}

}  // namespace

bool is_text(const std::string& path) {
  std::error_code code;
  const auto kind = std::filesystem::status(path, code).type();
  const bool readable = kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::fifo ||
                        kind == std::filesystem::file_type::character;
  return path == "-" ||
         (readable && (std::filesystem::path(path).extension() != ".toml" || !session::is_case_file(path)));
}

std::vector<session::Work> layouts_of(const std::string& path, const std::vector<use::Definition>& definitions,
                                      const session::CaseRequest& otherwise, TextsRead& read_so_far, bool in_folder) {
  std::vector<session::Work> out;
  session::ScanOptions options;
  std::error_code code;
  if (in_folder) options.block = block_for(std::filesystem::file_size(path, code));
  options.definitions = definitions;
  options.otherwise = otherwise;
  options.otherwise.transfer = nullptr;  // it is of descriptors alone
  options.family = otherwise.family;
  std::string text;
  options.text = &text;
  auto read = session::scan_file(path, options);
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) {
    out.emplace_back(rejected(path, std::move(*diagnostic)));
    return out;
  }
  auto& scanned = std::get<session::Scanned>(read);
  for (std::size_t k = 0; k < scanned.used.size(); ++k) read_so_far.used[k] = read_so_far.used[k] || scanned.used[k];
  ++(scanned.binary ? read_so_far.binary : read_so_far.files);
  if (!scanned.all.empty()) ++read_so_far.with_layouts;
  const std::string name = path == "-" ? "<stdin>" : path;
  const bool has_functions = programs::has_functions(text);
  std::vector<session::Work> descriptors;
  if (!scanned.binary && otherwise.claims.empty()) {
    const auto target = otherwise.transfer ? otherwise.transfer->target : std::nullopt;
    descriptors = descriptors_of(name, text, definitions, target, read_so_far);
  }
  programs::Works functions;
  if (read_so_far.programs && has_functions) {
    functions = programs::works_of(name, std::move(text));
    leave_to_functions(scanned, functions.kernels, path);
  }
  if (!in_folder && scanned.binary)
    fmt::print(stderr, "verify-layout: {}: it is a binary file and is not looked at\n", printable(path));
  else if (!in_folder && !read_so_far.programs && has_functions)
    fmt::print(stderr, "verify-layout: {}: its functions are not judged\n", printable(path));
  else if (!in_folder && scanned.all.empty() && functions.all.empty() && functions.kernels.empty() &&
           descriptors.empty())
    fmt::print(stderr, "verify-layout: {}: no layout is found in it{}{}\n", printable(path),
               has_functions ? ", and no function of which something is asked" : "", why_no_case_file(path));
  for (auto& item : scanned.all) {
    if (auto* found = std::get_if<session::Sighting>(&item)) {
      found->request.lines = std::move(found->at.lines);
      found->request.occurrences = found->at.occurrences;
      found->request.pass = std::move(found->at.pass);
      found->request.ignores = std::move(found->at.ignores);
      out.emplace_back(std::move(found->request));
      continue;
    }
    auto& skipped = std::get<session::SkippedText>(item);
    question::Case record;
    const session::ScanPlace& place = skipped.at.place;
    record.id = fmt::format("{}:{}:{}", place.file, place.line, place.column);
    record.layout = std::move(skipped.layout);
    record.place = {place.file, place.line, place.column};
    record.skipped = std::move(skipped.reason);
    record.unread = std::move(skipped.unread);
    record.lines = std::move(skipped.at.lines);
    record.occurrences = skipped.at.occurrences;
    record.pass = std::move(skipped.at.pass);
    record.ignores = std::move(skipped.at.ignores);
    out.emplace_back(std::move(record));
  }
  std::ranges::move(descriptors, std::back_inserter(out));
  std::ranges::move(functions.all, std::back_inserter(out));
  add_comments(scanned, name, out);
  return out;
}

std::vector<session::Work> unused_in_texts(const std::vector<session::Work>& found,
                                           const session::CaseRequest& otherwise,
                                           const std::vector<use::Definition>& definitions,
                                           const std::vector<bool>& used) {
  std::vector<session::Work> out;
  const auto occurs = [](const session::Work& work) {
    const question::Case* known = work.known();
    return known != nullptr ? known->occurrences > 0 : work.request() != nullptr && work.request()->occurrences > 0;
  };
  if (std::ranges::none_of(found, occurs)) return out;
  std::vector<const session::CaseRequest*> layouts;
  for (const session::Work& work : found)
    if (const session::CaseRequest* request = work.request(); request != nullptr && request->occurrences > 0)
      layouts.push_back(request);
  const auto refuse = [&](const session::SourceText& text, std::string message) {
    out.emplace_back(rejected(text.file, text.diagnose({ErrorCode::Value, std::move(message), 0})));
  };
  for (std::size_t k = 0; k < definitions.size(); ++k)
    if (!used[k] && !session::has_name(otherwise, definitions[k].name))
      refuse(session::SourceText::option("--define", fmt::format("{}={}", definitions[k].name, definitions[k].value)),
             fmt::format("unused: no layout in these texts has the name {}", definitions[k].name));
  if (layouts.empty()) return out;
  const auto has = [&](const std::string& name) {
    return std::ranges::any_of(layouts, [&](const auto* layout) { return session::has_name(*layout, name); });
  };
  const auto conditioned = [&](const session::CaseRequest* layout) {
    session::CaseRequest one = *layout;
    one.occurrences = 0;  // as if it were asked of this layout alone
    return one.where && !session::wrong_condition(one);
  };
  const auto has_target = [](const auto* layout) { return layout->transfer != nullptr && layout->transfer->target; };
  if (otherwise.transfer && std::ranges::none_of(layouts, has_target))
    refuse(*otherwise.transfer->target, "unused: no descriptor in these texts is of its kind");
  if (otherwise.where && std::ranges::none_of(layouts, conditioned))
    refuse(*otherwise.where, "unused: no layout in these texts has names that all of these conditions are about");
  const auto sizes = otherwise.sizes ? map::parse_conditions(otherwise.sizes->text) : std::vector<map::Condition>{};
  for (const map::Condition& size : sizes ? *sizes : std::vector<map::Condition>{})
    if (size.left.kind() == map::Expression::Kind::Name && !has(size.left.name()))
      refuse(*otherwise.sizes, fmt::format("unused: no layout in these texts has the name {}", size.left.name()));
  if (otherwise.box && std::ranges::none_of(layouts, [](const auto* layout) { return layout->box.has_value(); }))
    refuse(*otherwise.box, "unused: no layout in these texts has named axes whose extents could be declared");
  return out;
}

std::variant<std::vector<use::Definition>, Diagnostic> definitions_of(const std::vector<std::string>& texts) {
  std::vector<use::Definition> out;
  for (const std::string& text : texts) {
    auto definition = use::read_definition(text);
    if (!definition) return locate("--define", text, definition.error());
    const auto earlier = std::ranges::find(out, definition->name, &use::Definition::name);
    if (earlier != out.end() && earlier->value != definition->value)
      return locate("--define", text, {ErrorCode::Value, fmt::format("{} is defined twice", definition->name), 0});
    out.push_back(std::move(*definition));
  }
  return out;
}

}  // namespace vl::cli
