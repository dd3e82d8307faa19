#include "encodings/use/stated_numbers.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>

#include "encodings/base/check.h"
#include "encodings/use/statements.h"

namespace vl::use {
namespace {

enum class Language { None, Python, C, Markdown };

struct LanguageRow {
  std::string_view ending;
  Language language;
};

constexpr std::array<LanguageRow, 30> kEndings = {
    {{"py", Language::Python},  {"pyi", Language::Python},  {"c", Language::C},
     {"cc", Language::C},       {"cpp", Language::C},       {"cxx", Language::C},
     {"cu", Language::C},       {"cuh", Language::C},       {"h", Language::C},
     {"hh", Language::C},       {"hpp", Language::C},       {"hxx", Language::C},
     {"inl", Language::C},      {"md", Language::Markdown}, {"markdown", Language::Markdown},
     {"mlir", Language::None},  {"json", Language::None},   {"jsonl", Language::None},
     {"ipynb", Language::None}, {"yaml", Language::None},   {"yml", Language::None},
     {"toml", Language::None},  {"xml", Language::None},    {"html", Language::None},
     {"csv", Language::None},   {"rst", Language::None},    {"python", Language::Python},
     {"c++", Language::C},      {"cuda", Language::C},      {"ll", Language::None}}};

const LanguageRow* row_of(std::string_view ending) {
  const auto row = std::ranges::find(kEndings, ending, &LanguageRow::ending);
  return row == kEndings.end() ? nullptr : &*row;
}

// Of a text whose name says nothing.
Language guess(std::string_view text) {
  for (const std::string_view sign : {"#include", "constexpr ", "#define ", "template <", "template<", "Int<"})
    if (text.find(sign) != std::string_view::npos) return Language::C;
  return Language::Python;
}

std::string_view ending_of(std::string_view file) {
  const std::size_t slash = file.rfind('/'), dot = file.rfind('.');
  const bool has_one = dot != std::string_view::npos && (slash == std::string_view::npos || dot > slash);
  return has_one ? file.substr(dot + 1) : std::string_view();
}

// The blocks of code between lines of ``` or ~~~, with what stands behind the first of these.
void each_fenced(std::string_view text, const std::function<void(std::size_t, std::size_t, std::string_view)>& take) {
  std::string_view fence, says;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of(" \t>"), line.size()));
    const bool marks = line.starts_with("```") || line.starts_with("~~~");
    if (marks && fence.empty()) {
      fence = line.substr(0, std::min(line.find_first_not_of(line[0]), line.size()));
      says = line.substr(fence.size());
      says = says.substr(std::min(says.find_first_not_of(" {."), says.size()));
      says = says.substr(0, says.find_first_of(" \r\t,}"));
      begin = std::min(end + 1, text.size());
    } else if (marks && line.starts_with(fence)) {
      take(begin, at, says);
      fence = {};
    }
    at = end + 1;
  }
  if (!fence.empty()) take(begin, text.size(), says);
}

SourceLanguage spoken(Language language) {
  return language == Language::Python ? SourceLanguage::Python
         : language == Language::C    ? SourceLanguage::C
                                      : SourceLanguage::None;
}

}  // namespace

std::unique_ptr<NamesOfSource> names_of(SourceLanguage language, std::string_view text) {
  switch (language) {
    case SourceLanguage::None: return nullptr;
    case SourceLanguage::Python: return python_names(text);
    case SourceLanguage::C: return c_names(text);
  }
  VL_CHECK(false, "an unknown language");
}

std::vector<SourceBlock> source_blocks(std::string_view file, std::string_view text) {
  const LanguageRow* row = row_of(ending_of(file));
  const Language language = row == nullptr ? guess(text) : row->language;
  if (language != Language::Markdown) {
    const bool named = row != nullptr && language != Language::None;
    return {{0, text.size(), spoken(language), named}};
  }
  std::vector<SourceBlock> out;
  each_fenced(text, [&](std::size_t begin, std::size_t end, std::string_view says) {
    const LanguageRow* said = row_of(says);
    const Language of = said == nullptr ? guess(text.substr(begin, end - begin)) : said->language;
    out.push_back({begin, end, spoken(of), said != nullptr && spoken(of) != SourceLanguage::None});
  });
  return out;
}

struct StatedNumbers::Block {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::unique_ptr<NamesOfSource> names = {};
};

StatedNumbers::StatedNumbers(StatedNumbers&&) noexcept = default;
StatedNumbers& StatedNumbers::operator=(StatedNumbers&&) noexcept = default;
StatedNumbers::~StatedNumbers() = default;

StatedNumbers::StatedNumbers(std::string_view file, std::string_view text) {
  const LanguageRow* row = row_of(ending_of(file));
  known_ = row != nullptr && row->language != Language::None;
  has_prose_ = row != nullptr && row->language == Language::Markdown;
  if (row != nullptr && row->language == Language::None) return;
  for (const SourceBlock& block : source_blocks(file, text)) {
    const std::string_view part = text.substr(block.begin, block.end - block.begin);
    blocks_.push_back({block.begin, block.end, names_of(block.language, part)});
  }
}

const StatedNumbers::Block* StatedNumbers::block_at(std::size_t at) const {
  const auto behind = std::ranges::upper_bound(blocks_, at, {}, &Block::begin);
  return behind == blocks_.begin() || at >= std::prev(behind)->end ? nullptr : &*std::prev(behind);
}

bool StatedNumbers::binds(std::size_t at) const {
  const Block* block = block_at(at);
  return block != nullptr && block->names != nullptr && block->names->binds();
}

std::vector<StatedNumber> StatedNumbers::numbers(std::string_view name, std::size_t at) const {
  const Block* block = block_at(at);
  if (block == nullptr || block->names == nullptr) return {};
  auto out = block->names->numbers(name, at - block->begin);
  for (StatedNumber& number : out) number.offset += block->begin;
  return out;
}

std::optional<std::size_t> StatedNumbers::defined(std::string_view name, std::size_t at) const {
  const Block* block = block_at(at);
  const auto out =
      block == nullptr || block->names == nullptr ? std::nullopt : block->names->defined(name, at - block->begin);
  return out ? std::optional(*out + block->begin) : std::nullopt;
}

std::optional<std::size_t> StatedNumbers::computed(std::string_view name, std::size_t at) const {
  const Block* block = block_at(at);
  const auto out =
      block == nullptr || block->names == nullptr ? std::nullopt : block->names->computed(name, at - block->begin);
  return out ? std::optional(*out + block->begin) : std::nullopt;
}

Surroundings StatedNumbers::around(std::size_t at) const {
  if (!known_) return Surroundings::Unknown;
  const Block* block = block_at(at);
  if (block == nullptr) return has_prose_ ? Surroundings::Prose : Surroundings::Unknown;
  const bool prose = block->names != nullptr && block->names->in_prose(at - block->begin);
  return prose ? Surroundings::Prose : Surroundings::Code;
}

std::optional<std::pair<std::size_t, std::size_t>> StatedNumbers::statement(std::size_t at) const {
  const Block* block = block_at(at);
  if (block == nullptr || block->names == nullptr) return std::nullopt;
  auto out = block->names->statement(at - block->begin);
  if (out) out->first += block->begin, out->second += block->begin;
  return out;
}

}  // namespace vl::use
