#include "verifier/session/scan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <unordered_map>

#include "encodings/base/files.h"
#include "encodings/base/source.h"
#include "encodings/use/asserts.h"
#include "encodings/use/family.h"
#include "verifier/session/anchors.h"
#include "verifier/session/file_numbers.h"
#include "verifier/session/ignore_comments.h"
#include "verifier/session/reading.h"
#include "verifier/session/stated.h"

namespace vl::session {
namespace {

constexpr std::size_t kLongestPass = 200;

// Whether a declared box can be one of this layout.
bool has_named_axes(const CaseRequest& request) {
  const auto read = read_unproved(request);
  const auto* subject = std::get_if<TensorReading>(&read);
  const map::Layout* layout = subject == nullptr ? nullptr : subject->reading.layout();
  return layout != nullptr && layout->named_axes();
}

bool has_names_in(std::string_view tensor) {
  const auto read = map::parse_rule_tensor(tensor);
  return read && map::has_symbols(*read);
}

class Scanner {
 public:
  Scanner(const std::string& file, const ReadBytes& read, const ScanOptions& options)
      : file_(file), read_(read), options_(options), anchors_(options.family) {
    out_.used.resize(options.definitions.size());
    for (const use::Family* family : use::families())
      if (family->scan != nullptr && (options.family.empty() || options.family == family->name) &&
          !family->scan->pass.empty())
        passes_ = family->scan;
  }

  Scanned run() {
    while (!at_end_) {
      fill();
      if (!sniffed_ && (at_end_ || buffer_.size() >= use::kAhead)) {
        sniffed_ = true;
        out_.binary = std::string_view(buffer_).substr(0, use::kAhead).find('\0') != std::string_view::npos;
        if (out_.binary) break;
      }
      // What a name stands for is known when the whole file is there.
      if (!at_end_ && base_ == 0 && out_.bytes <= kLargestFile) continue;
      // A bracket is looked at when its whole passage is there.
      const std::size_t ready = at_end_ ? buffer_.size() : buffer_.size() - std::min(buffer_.size(), use::kAhead);
      find_comments();
      look(ready);
      slide(ready);
    }
    out_.comments = comments_.all();
    out_.wrong_comments = comments_.wrong();
    return std::move(out_);
  }

 private:
  // Those of the part that is read ahead, too, so that a layout's whole line is among them.
  void find_comments() {
    const std::string_view text = buffer_;
    std::size_t seen = counted_, line = line_;
    comments_.find(text, commented_, at_end_, [&](std::size_t mark) {
      if (mark < seen) line -= count_lines(text.substr(mark, seen - mark));
      else line += count_lines(text.substr(seen, mark - seen));
      seen = mark;
      return line;
    });
  }

  void fill() {
    const std::size_t size = buffer_.size();
    buffer_.resize(size + std::max<std::size_t>(options_.block, 1));
    const std::size_t got = read_(buffer_.data() + size, buffer_.size() - size);
    buffer_.resize(size + got);
    out_.bytes += got;
    at_end_ = got == 0;
    brackets_.forget();
  }

  void look(std::size_t ready) {
    const std::string_view text = buffer_;
    while (next_ < ready) {
      const std::size_t bracket = brackets_.find(text, next_, ready);
      if (bracket >= ready) break;
      next_ = bracket + 1;
      const FamilyAnchor* row = anchors_.first();
      for (std::size_t word = bracket; (row = anchors_.at(text, bracket, row, word)) != nullptr; ++row)
        take(*row, word, bracket);
    }
    next_ = std::max(next_, ready);
  }

  // Enters the passes that begin in front of a place of the buffer.
  void enter_passes(std::size_t place) {
    const std::string_view text = buffer_;
    while (passes_ != nullptr && passed_ < place) {
      const std::string_view mark = passes_->pass;
      const void* hit = ::memmem(text.data() + passed_, place - passed_, mark.data(), mark.size());
      if (hit == nullptr) {
        passed_ = std::max(passed_, place - std::min(place, mark.size()));  // a mark may reach over the place
        return;
      }
      passed_ = static_cast<std::size_t>(static_cast<const char*>(hit) - text.data()) + mark.size();
      const std::string_view line = text.substr(passed_, kLongestPass);
      std::string_view name = line.substr(0, line.find('\n'));
      name = name.substr(0, name.find(passes_->behind_pass));
      pass_ = name.substr(0, name.find_last_not_of(" \r") + 1);
      names_.clear();
    }
  }

  void take(const FamilyAnchor& row, std::size_t word, std::size_t bracket) {
    enter_passes(bracket);
    const std::string_view text = buffer_;
    const std::size_t start = bracket - std::min(bracket, use::kBefore);
    const bool prose = numbers_of_file() != nullptr && numbers_->around(base_ + bracket) == use::Surroundings::Prose;
    const use::Passage passage{text.substr(start, bracket - start + use::kAhead),
                               word - start,
                               bracket - start,
                               options_.definitions,
                               &names_[row.family],
                               prose,
                               !options_.family.empty()};
    std::optional<use::Names> before;
    if (std::ranges::find(out_.used, false) != out_.used.end()) before = names_[row.family];
    std::vector<use::Found> all = row.family->scan->at(passage, *row.anchor);
    if (before && !all.empty()) note_uses(row, passage, *before, all);
    for (use::Found& found : all) {
      next_ = std::max(next_, start + found.offset + found.length);
      if (const auto line = hidden(*row.anchor, word)) {
        found.tensor.reset(), found.names.clear();
        use::leave_unread(found, use::kDefinedHere,
                          fmt::format("line {} of the file itself says what '{}' is", *line, row.anchor->word));
      } else if (numbers_of_file() != nullptr && take_with_numbers(row, passage, start, found)) {
        continue;
      }
      record(row, passage, start, std::move(found), options_.definitions, {});
    }
  }

  // Which definitions change what is found in a passage. `before`: the names that the file had defined by then.
  void note_uses(const FamilyAnchor& row, use::Passage passage, const use::Names& before,
                 const std::vector<use::Found>& all) {
    const auto same = [](const use::Found& a, const use::Found& b) {
      return std::tie(a.layout, a.tensor, a.strides, a.reason) == std::tie(b.layout, b.tensor, b.strides, b.reason);
    };
    for (std::size_t k = 0; k < out_.used.size(); ++k) {
      if (out_.used[k]) continue;
      std::vector<use::Definition> others = options_.definitions;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
      use::Names names = before;
      passage.definitions = others;
      passage.names = &names;
      out_.used[k] = !std::ranges::equal(row.family->scan->at(passage, *row.anchor), all, same);
    }
  }

  // All of the file, if it is short enough; null if not.
  const FileNumbers* numbers_of_file() {
    if (!at_end_ || base_ != 0 || buffer_.size() > kLargestFile) return nullptr;
    if (!numbers_) numbers_.emplace(file_, buffer_);
    return &*numbers_;
  }

  // The line in which the file gives an anchor's word a meaning of its own.
  std::optional<std::size_t> hidden(const use::Anchor& anchor, std::size_t word) {
    const bool called = !anchor.field && (anchor.bracket == '(' || anchor.bracket == '[');
    const bool qualified = word > 0 && (buffer_[word - 1] == '.' || buffer_[word - 1] == ':');
    if (!called || qualified || numbers_of_file() == nullptr) return std::nullopt;
    return numbers_->defined(anchor.word, word);
  }

  // Records a finding with each choice of the numbers that the file gives to names in it. False if there are none.
  bool take_with_numbers(const FamilyAnchor& row, const use::Passage& passage, std::size_t start,
                         const use::Found& found) {
    const auto again = [&](std::span<const use::Definition> definitions) -> std::optional<use::Found> {
      use::Passage other = passage;
      other.definitions = definitions;
      for (use::Found& one : row.family->scan->at(other, *row.anchor))
        if (one.offset == found.offset) return std::move(one);
      return std::nullopt;
    };
    const auto all = numbers_->with_numbers(found, start + found.offset, options_.definitions, again);
    for (const NumberedFound& one : all) record(row, passage, start, one.found, one.definitions, one.bound);
    return !all.empty();
  }

  ScanPlace place_of(std::size_t begin) {
    const std::string_view text = buffer_;
    if (begin < counted_) {  // the finding begins in front of the last one's beginning: never far
      const std::size_t back = count_lines(text.substr(begin, counted_ - begin));
      const std::size_t newline = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
      const bool same = newline == std::string_view::npos;
      return {file_, line_ - back, same ? static_cast<std::size_t>(base_ + begin - line_start_ + 1) : begin - newline};
    }
    count_to(begin);
    return {file_, line_, static_cast<std::size_t>(base_ + begin - line_start_ + 1)};
  }

  // Counts the lines up to a place in the buffer.
  void count_to(std::size_t place) {
    const std::string_view part = std::string_view(buffer_).substr(counted_, place - counted_);
    const std::size_t lines = count_lines(part);
    if (lines > 0) line_start_ = base_ + counted_ + part.rfind('\n') + 1;
    line_ += lines;
    counted_ = place;
  }

  // What a program prints for a number that it does not have, (null, 64), is no name of a size.
  static void forget_missing(use::Found& found) {
    for (const std::string& name : found.names)
      if (std::string why = map::why_no_name(name); found.reason.empty() && !why.empty())
        use::leave_unread(found, use::kUnboundNames, std::move(why));
    if (!found.reason.empty()) found.names.clear();
  }

  // `bound`: the names in it whose numbers the file states; they are among the definitions.
  void record(const FamilyAnchor& row, const use::Passage& passage, std::size_t start, use::Found found,
              const std::vector<use::Definition>& definitions, const std::vector<question::BoundName>& bound) {
    const use::Family& family = *row.family;
    const std::size_t begin = start + found.offset;
    forget_missing(found);
    std::string where;
    if (!found.names.empty() && !options_.otherwise.where)
      where = use::asserted(passage.text, found.offset, base_ + start == 0, found.names, definitions);
    const ScanPlace place = place_of(begin);
    const bool judged = found.reason.empty() && (found.tensor || is_given());
    std::vector<question::IgnoreComment> ignores = comments_.at(place.line);
    std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}{}", family.name, found.layout,
                                  found.tensor.value_or(""), found.assumed, found.strides.value_or(""),
                                  found.storage_offset, found.reason, where, in_key(ignores));
    const auto computed = computed_of(found, begin, where);
    for (const auto& [name, line] : computed) key += "\n" + name;
    for (const question::BoundName& name : bound) key += fmt::format("\n{} {} {}", name.name, name.value, name.line);
    const auto [known, fresh] = known_.try_emplace(key, out_.all.size());
    if (fresh) {
      const bool verbatim = buffer_.compare(begin, found.layout.size(), found.layout) == 0;
      if (judged) out_.all.emplace_back(sighting(family, found, place, verbatim, std::move(where)));
      else out_.all.emplace_back(skipped(found, place));
      if (judged) std::get<Sighting>(out_.all.back()).request.bound = bound;
      if (judged) std::get<Sighting>(out_.all.back()).request.computed = computed;
    }
    Occurrences& at = std::visit([](auto& item) -> Occurrences& { return item.at; }, out_.all[known->second]);
    if (fresh) at.pass = pass_, at.ignores = std::move(ignores);
    if (at.lines.size() < kMostLines) at.lines.push_back(place.line);
    ++at.occurrences;
  }

  // The names that the file computes, of which neither the user nor an assert says anything.
  std::vector<std::pair<std::string, std::size_t>> computed_of(const use::Found& found, std::size_t begin,
                                                               const std::string& where) {
    std::vector<std::pair<std::string, std::size_t>> out;
    if (found.names.empty() || options_.otherwise.where || numbers_of_file() == nullptr) return out;
    for (const std::string& name : found.names)
      if (const auto line = numbers_->computed(name, begin); line && !use::has_word(where, name))
        out.emplace_back(name, *line);
    return out;
  }

  [[nodiscard]] bool is_given() const { return !options_.otherwise.tensor.text.empty(); }

  // A layout about which a comment speaks is another finding than the same layout elsewhere.
  static std::string in_key(const std::vector<question::IgnoreComment>& ignores) {
    std::string out;
    for (const question::IgnoreComment& one : ignores) out += fmt::format("\n{} {}", one.line, one.claim);
    return out;
  }

  // `verbatim`: the layout stands there letter by letter. What the command line gives wins over what the text says.
  Sighting sighting(const use::Family& family, use::Found& found, const ScanPlace& place, bool verbatim,
                    std::string where) const {
    CaseRequest request = options_.otherwise;
    request.id = fmt::format("{}:{}:{}", place.file, place.line, place.column);
    request.family = found.read_by.empty() ? family.name : found.read_by;
    const auto text_of = [&](std::string text) {
      return SourceText{std::move(text), place.file, nullptr, 0, false, place.line, place.column};
    };
    request.layout = text_of(std::move(found.layout));
    request.layout.verbatim = verbatim;
    if (is_given()) {
      request.tensor.text = use::bound(request.tensor.text, options_.definitions);
      if (found.tensor && !found.assumed && !is_same_tensor(*found.tensor, request.tensor.text))
        request.stated_tensor = std::move(*found.tensor);
    } else {
      request.tensor_source = found.assumed ? question::TensorSource::Assumed : question::TensorSource::Stated;
      request.tensor = text_of(std::move(*found.tensor));
      if (found.strides && !request.strides && !request.named_strides) {
        if (found.strides->empty()) request.strides.emplace();  // of a scalar
        else request.named_strides = text_of(std::move(*found.strides));
        if (request.named_strides) number_strides(request);
      }
      if (request.offset == 0 && !request.named_offset) request.offset = found.storage_offset;
    }
    if (!found.names.empty()) {
      if (!request.where && !where.empty()) request.where = text_of(std::move(where));
    } else if (!has_names_in(request.tensor.text)) {
      request.where.reset();
      request.sizes.reset();
    }
    request.box.reset();
    if (options_.otherwise.box && has_named_axes(request)) request.box = options_.otherwise.box;
    return {std::move(request), {place, {}, 0}};
  }

  static SkippedText skipped(use::Found& found, const ScanPlace& place) {
    if (found.reason.empty()) found.reason = found.no_tensor.empty() ? std::string(kNoTensor) : found.no_tensor;
    return {std::move(found.layout), std::move(found.reason), {place, {}, 0}, std::move(found.unread)};
  }

  // Forgets what no later passage reaches back to.
  void slide(std::size_t ready) {
    std::size_t old = ready - std::min(ready, use::kBefore + use::kAhead);
    if (old < std::max(options_.block, use::kAhead)) return;
    enter_passes(old);
    if (passes_ != nullptr) old = std::min(old, passed_);
    passed_ -= std::min(old, passed_);
    if (counted_ < old) count_to(old);
    buffer_.erase(0, old);
    base_ += old;
    counted_ -= old;
    next_ -= old;
    commented_ -= std::min(old, commented_);
    brackets_.forget();
  }

  const std::string& file_;
  const ReadBytes& read_;
  const ScanOptions& options_;
  Anchors anchors_;
  Scanned out_;
  std::unordered_map<std::string, std::size_t> known_;
  std::string buffer_;
  std::uint64_t base_ = 0;  // of the buffer in the file
  std::size_t next_ = 0;    // everything in front of it was looked at
  bool at_end_ = false;
  bool sniffed_ = false;  // the first kAhead bytes are there and were looked at for NUL bytes
  NextBracket brackets_;
  std::optional<FileNumbers> numbers_;                        // made when it is asked for
  std::unordered_map<const use::Family*, use::Names> names_;  // that this file defines
  const use::Scan* passes_ = nullptr;                         // of a family whose files name passes
  std::size_t passed_ = 0;                                    // passes are looked for from here on
  std::string pass_;
  std::size_t counted_ = 0;  // lines are counted up to here
  std::size_t line_ = 1;
  std::uint64_t line_start_ = 0;  // in the file
  IgnoreComments comments_{file_};
  std::size_t commented_ = 0;  // comments are looked for from here on
};

}  // namespace

Scanned scan(const std::string& file, const ReadBytes& read, const ScanOptions& options) {
  return Scanner(file, read, options).run();
}

namespace {

void keep(std::string_view bytes, std::string& text, std::size_t& all) {
  all += bytes.size();
  if (all <= kLongestText) text += bytes;
  else text.clear();
}

}  // namespace

std::variant<Scanned, Diagnostic> scan_file(const std::string& path, const ScanOptions& options) {
  const std::string name = path == "-" ? "<stdin>" : path;
  auto input = Input::open(path);
  std::optional<Error> broken;
  std::size_t kept = 0;
  if (!input) broken = input.error();
  if (broken) return Diagnostic{name, 0, 0, broken->message, {}, 0};
  Scanned out = scan(
      name,
      [&](char* buffer, std::size_t most) -> std::size_t {
        const auto got = input->read({buffer, most});
        if (!got) broken = got.error();
        if (got && options.text != nullptr) keep({buffer, *got}, *options.text, kept);
        return got ? *got : 0;
      },
      options);
  if (broken) return Diagnostic{name, 0, 0, broken->message, {}, 0};
  return out;
}

}  // namespace vl::session
