#include "verifier/report/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "encodings/base/json_cursor.h"
#include "verifier/report/report.h"

namespace vl::report {
namespace {

using BaselineJson = nlohmann::ordered_json;
using question::Excuse;

constexpr Index kBaselineVersion = 1;

// A text as it stands in a file of JSON: bytes that are not UTF-8 are replaced.
std::string as_written(const std::string& text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return text;
  return BaselineJson::parse(BaselineJson(text).dump(-1, ' ', false, BaselineJson::error_handler_t::replace))
      .get<std::string>();
}

// Undecided, or worse.
bool is_worse(std::string_view now, std::string_view before) {
  const auto undecided = [](std::string_view word) {
    return word == "unknown" || word == "vacuous" || word == "unsupported" || word == "skipped" || word == "unread";
  };
  return undecided(before) && !undecided(now);
}

std::string_view verdict_of(std::string_view kind) { return kind == "accepted" ? "refuted" : kind; }

std::string printed(const FindingKey& key, const std::string& verdict) {
  BaselineJson out;
  out["file"] = key.subject.file;
  if (!key.subject.id.empty()) out["case"] = key.subject.id;
  out["layout"] = key.subject.layout;
  out["tensor"] = key.subject.tensor;
  out["claim"] = key.claim;
  for (const auto& [name, text] : key.asked) out["asked"][name] = text;
  out["verdict"] = verdict;
  return out.dump(-1, ' ', false, BaselineJson::error_handler_t::replace);
}

// One finding of the file, and where it stands there.
struct FindingLine {
  FindingKey key;
  std::string verdict;
  std::size_t at = 0;
};

FindingLine finding_at(JsonCursor& in) {
  FindingLine out;
  in.in().skip_space();
  out.at = in.in().offset();
  struct Field {
    std::string_view name;
    std::string* text;
    bool required;
    bool there = false;
  };
  FindingSubject& subject = out.key.subject;
  std::array<Field, 6> fields{{{"file", &subject.file, true},
                               {"case", &subject.id, false},
                               {"layout", &subject.layout, true},
                               {"tensor", &subject.tensor, true},
                               {"claim", &out.key.claim, true},
                               {"verdict", &out.verdict, true}}};
  in.object("a finding", [&](std::string_view name, std::size_t at) {
    if (name == "asked")
      return in.object("the claim's arguments", [&](std::string_view key, std::size_t) {
        out.key.asked.emplace_back(std::string(key), in.string("a text"));
      });
    const auto field = std::ranges::find(fields, name, &Field::name);
    if (field == fields.end())
      return in.in().fail(ErrorCode::Syntax, fmt::format("a finding has no field {}", shown(name)), at);
    field->there = true;
    *field->text = in.string("a text");
  });
  for (const Field& field : fields)
    if (field.required && !field.there)
      in.in().fail(ErrorCode::Syntax, fmt::format("this finding lacks '{}'", field.name), out.at);
  return out;
}

}  // namespace

Baseline::Baseline(std::string folder)
    : beside_(std::move(folder)),
      folder_(std::filesystem::absolute(beside_.empty() ? "." : beside_).lexically_normal().string()) {}

std::string Baseline::name_of(const std::string& file) const {
  if (file.starts_with('<')) return file;  // <stdin>
  const std::filesystem::path whole = std::filesystem::absolute(file).lexically_normal();
  std::string out = whole.lexically_relative(folder_).generic_string();
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return as_written(out.empty() ? whole.generic_string() : out);
}

std::optional<Error> Baseline::read(std::string_view text) {
  JsonCursor in(text);
  std::optional<Index> version;
  bool findings = false;
  in.object("a baseline, as --update-baseline writes it", [&](std::string_view key, std::size_t at) {
    if (key == "baseline") {
      in.in().skip_space();
      const std::size_t number = in.in().offset();
      version = in.integer("the version of the format");
      if (*version != kBaselineVersion)
        in.in().fail(ErrorCode::Value, fmt::format("version {} of the format; expected {}", *version, kBaselineVersion),
                     number);
    } else if (key == "findings") {
      findings = true;
      in.array("a list of findings", [&] {
        FindingLine line = finding_at(in);
        if (in.failed()) return;
        files_.insert(line.key.subject.file);
        subjects_.emplace(line.key.subject, false);
        if (!entries_.emplace(std::move(line.key), Entry{std::move(line.verdict), true, State::Unseen}).second)
          in.in().fail(ErrorCode::Value, "this finding stands here twice", line.at);
      });
    } else {
      in.in().fail(ErrorCode::Syntax, fmt::format("a baseline has no field {}", shown(key)), at);
    }
  });
  if (!in.failed()) in.in().expect_end();
  if (!in.failed() && !version) in.in().fail(ErrorCode::Syntax, "expected \"baseline\":1", 0);
  if (!in.failed() && !findings) in.in().fail(ErrorCode::Syntax, "expected \"findings\":[…]", 0);
  return in.failed() ? std::optional(in.in().error()) : std::nullopt;
}

Excuse Baseline::note(FindingKey key, const std::string& verdict, bool fails, bool accept) {
  const auto found = entries_.find(key);
  if (!fails) {
    if (found != entries_.end() && found->second.state == State::Unseen) found->second.state = State::Passes;
    return {};
  }
  const bool is_known = found != entries_.end() && found->second.known && !is_worse(verdict, found->second.verdict);
  const bool accepted = is_known || accept;
  if (found == entries_.end()) entries_.emplace(std::move(key), Entry{verdict, false, State::Fails});
  else {
    found->second.state = State::Fails;
    if (accepted || !found->second.known) found->second.verdict = verdict;
  }
  return {is_known ? Excuse::Baseline::Known : Excuse::Baseline::New, accepted, {}};
}

void Baseline::compare(Case& c, bool accept) {
  if (c.layout.empty() || c.not_judged || c.place.file.empty()) return;
  FindingSubject subject{name_of(c.place.file), {}, as_written(c.layout), as_written(c.tensor)};
  if (c.id && c.occurrences == 0) subject.id = as_written(*c.id);
  const bool named = files_.contains(subject.file);
  if (const auto met = subjects_.find(subject); met != subjects_.end()) met->second = true;
  if (const std::string_view kind = kind_of(c); !kind.empty() && !c.excuse.ignored)
    c.excuse = note({subject, std::string(kind), {}}, std::string(verdict_of(kind)), true, accept);
  for (Answer& answer : c.answers) {
    const int code = code_of(answer);
    const bool fails = code != 0 && !answer.excuse.ignored;
    if (code == kEnginesDisagree || (!fails && !named)) continue;
    FindingKey key{subject, answer.claim, answer.asked};
    std::ranges::sort(key.asked);
    for (auto& [name, text] : key.asked) text = as_written(text);
    answer.excuse.baseline = Excuse::Baseline::None;
    if (Excuse said = note(std::move(key), std::string(question::word(answer.verdict)), fails, accept); fails)
      answer.excuse = std::move(said);
  }
}

void Baseline::covers(const std::string& path, bool folder) {
  std::string name = name_of(path);
  if (!folder) covered_.insert(std::move(name));
  else beneath_.insert(name == "." ? std::string() : name + "/");
}

bool Baseline::is_covered(const std::string& file) const {
  return covered_.contains(file) || std::ranges::any_of(beneath_, [&](const std::string& folder) {
           return folder.empty() ? !file.starts_with("../") && !file.starts_with('/') : file.starts_with(folder);
         });
}

bool Baseline::is_gone(const FindingKey& key, const Entry& entry) const {
  if (!entry.known || entry.state == State::Fails) return false;
  if (entry.state == State::Passes) return true;
  const auto met = subjects_.find(key.subject);
  if (met == subjects_.end() || !met->second) return is_covered(key.subject.file);
  // The layout is there, and its claim was not asked; but for what is no claim.
  static constexpr std::array<std::string_view, 4> kKinds = {"error", "skipped", "unread", "accepted"};
  return std::ranges::find(kKinds, key.claim) != kKinds.end();
}

std::vector<Case> Baseline::gone() const {
  std::vector<Case> out;
  for (const auto& [key, entry] : entries_) {
    if (!is_gone(key, entry)) continue;
    Case c;
    if (!key.subject.id.empty()) c.id = key.subject.id;
    c.layout = key.subject.layout;
    c.tensor = key.subject.tensor;
    c.place.file = key.subject.file.starts_with('<')
                       ? key.subject.file
                       : (std::filesystem::path(beside_) / key.subject.file).lexically_normal().generic_string();
    c.leftover = question::Leftover{question::Leftover::Kind::Gone, key.claim, entry.verdict, key.asked};
    out.push_back(std::move(c));
  }
  return out;
}

std::string Baseline::print() const {
  std::string out = fmt::format("{{\"baseline\":{},\"findings\":[", kBaselineVersion);
  bool first = true;
  for (const auto& [key, entry] : entries_) {
    if (is_gone(key, entry)) continue;
    out += first ? "\n" : ",\n";
    out += printed(key, entry.verdict);
    first = false;
  }
  return out + "\n]}\n";
}

Baseline::Changes Baseline::changes() const {
  Changes out;
  for (const auto& [key, entry] : entries_) ++(is_gone(key, entry) ? out.removed : entry.known ? out.kept : out.added);
  return out;
}

}  // namespace vl::report
