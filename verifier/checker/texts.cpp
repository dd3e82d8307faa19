#include "verifier/checker/texts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "verifier/checker/certificate.h"

namespace vl::checker {
namespace {

constexpr std::size_t kMostTextBytes = std::size_t{1} << 20;  // of texts, which JSON may write in six times as many

// The keys of a claim. Beside them every statement may have those of a view: strides, offset, view_offset, box; and the
// family, where it is not the text's own; one about names also `where`.
struct ClaimKeys {
  const char* claim;
  const char* keys;
};
constexpr std::array kClaimKeys = std::to_array<ClaimKeys>({
    {"well-formed", ""},
    {"in-bounds", ""},
    {"injective", ""},
    {"onto", ""},
    {"bijective", ""},
    {"offset-identity", ""},
    {"padding", ""},
    {"bytes", ""},
    {"replicas-disjoint", ""},
    {"equal", "with"},
    {"inverse", "with"},
    {"disjoint", "with with_tensor? at?"},
    {"aligned", "base"},
    {"row-aligned", "bytes"},
    {"fits", "capacity"},
    {"mask-exact", "mask"},
    {"remap", "with map?"},
    {"view-in-bounds", "with map over_read?"},
    {"view-elements", "with map"},
    {"move-implements", "with with_tensor?"},
    {"contiguous", "with map?"},
    {"occupied", "cores?"},
    {"padding-kind", "kind"},
    {"slice", "with region?"},
    {"canonical", "with"},
    {"group", "with shape?"},
    {"tile", "with outer? outer_shape? inner_shape?"},
    {"direct-sum", "with left? left_shape? right_shape?"},
    {"permute", "with order?"},
    {"broadcast", "with extent? at?"},
    {"pack", "with factor?"},
    {"unpack", "with factor?"},
    {"fuse", "with axis?"},
    {"split", "with axis?"},
    {"swizzle", "with swizzle?"},
    {"compose", "with inner? outside?"},
    {"coalesce", "with"},
    {"left-inverse", "with law? outside?"},
    {"right-inverse", "with outside?"},
    {"divide", "with tiler? rest? outside?"},
    {"product", "with by? rest? outside?"},
    {"complement", "with cotarget?"},
    {"conflict-free", "access hardware"},
    {"conflicts", "access hardware"},
    {"wavefronts", "access hardware"},
    {"partition", "splits"},
    {"compatible", ""},
    {"neutral", "arithmetic? equal? divide?"},
    {"padding-state", "state arithmetic? divide?"},
    {"storeable", "values"},
    {"chain-neutral", "program output function? text? source? digest?"},
    {"accepts", "target"},
    {"keeps", "allow?"},
    {"carries", "base?"},        // and "transfer 1", "transfer 2", …
    {"fills", "value? base?"},   // the same
    {"no-swizzle", "hardware"},  // and "access 1", "access 2", …
});
constexpr std::array kNestClaimKeys = std::to_array<ClaimKeys>({
    {"in-bounds", "direction with?"},
    {"covers-once", "direction with?"},
    {"implements", "direction with?"},
    {"no-overlap", "direction with?"},
    {"symmetric", "direction with?"},
    {"aligned", "alignment direction minimum? with?"},
});
constexpr std::array kAboutOperations = {"compatible", "neutral", "padding-state"};
constexpr std::array kOfViews = {"strides", "offset", "view_offset", "box", "family"};

struct ArgumentKey {
  std::string name;
  bool optional = false;
};

std::vector<ArgumentKey> list_of(const char* keys) {
  std::vector<ArgumentKey> out;
  std::istringstream in(keys);
  for (std::string word; in >> word;) {
    const bool optional = word.back() == '?';
    if (optional) word.pop_back();
    out.push_back({word, optional});
  }
  return out;
}

// A field of the statement that an argument of digits says.
const std::optional<std::int64_t>* number_field(const Statement& statement, const std::string& key) {
  const bool nests = statement.transfer || statement.rule_nests;
  if (key == "capacity" && statement.claim == "fits") return &statement.at_most;
  if (key == "bytes" && statement.claim == "row-aligned") return &statement.base;
  if ((key == "base" && statement.claim == "aligned") || (key == "alignment" && nests)) return &statement.base;
  if ((key == "minimum" && nests) || (key == "at" && statement.claim == "disjoint")) return &statement.at;
  return nullptr;
}

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t out = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, out);
  return error == std::errc{} && at == end ? std::optional(out) : std::nullopt;
}

void check_number(const Statement& statement, const std::string& key, const std::string& text) {
  const auto* field = number_field(statement, key);
  const auto number = number_in(text);
  require(field == nullptr || !number || *field == number, "an argument that is another number than is proved");
}

// "access 1" of a search, and "transfer 1" of what tensor maps carry.
bool is_numbered(const Statement& statement, const std::string& key) {
  const std::string word = statement.claim == "no-swizzle"                   ? "access "
                           : statement.claim == "carries" || statement.fills ? "transfer "
                                                                             : "";
  return !word.empty() && key.starts_with(word) && number_in(key.substr(word.size())).has_value();
}

void check_arguments(const Statement& statement) {
  const char* keys = statement.buffers ? "function text? source? digest?"
                     : statement.chain && statement.claim == "equal"
                         ? "program output function text? source? digest?"
                         : keys_of_claim(statement.claim,
                                         statement.claim != "carries" && (statement.transfer || statement.rule_nests));
  require(keys != nullptr, "a claim that no certificate has");
  const std::vector<ArgumentKey> known = list_of(keys);
  const std::map<std::string, std::string> none;
  const auto& arguments = statement.arguments ? *statement.arguments : none;
  for (const ArgumentKey& key : known)
    require(key.optional || arguments.contains(key.name), "an argument of the claim is missing");
  for (const auto& [key, text] : arguments) {
    const bool own = std::ranges::find(known, key, &ArgumentKey::name) != known.end();
    const bool of_view = !statement.tensor.empty() && std::ranges::find(kOfViews, key) != kOfViews.end();
    require(own || of_view || (key == "where" && statement.rule) || is_numbered(statement, key),
            "an argument that the claim has not");
    // A region of a tensor of rank 0 has no sides.
    const bool has_no_sides =
        own && number_field(statement, key) == nullptr && statement.tensor.find("[]") != std::string::npos;
    require(!text.empty() || has_no_sides, "an argument without a text");
    if (own) check_number(statement, key, text);
  }
}

void check_operation(const Statement& statement) {
  const bool asked = std::ranges::find(kAboutOperations, statement.claim) != kAboutOperations.end();
  require(asked == statement.operation.has_value(), asked ? "a claim without its operation" : "an unused operation");
  if (!asked) return;
  const auto& operands = statement.operation->operands;
  require(!statement.operation->name.empty() && !operands.empty(), "an operation without a name or operands");
  for (const OperandText& operand : operands)
    require(!operand.layout.empty() && !operand.tensor.empty(), "an operand without a layout or a tensor");
  const auto inputs = std::ranges::count_if(operands, [](const OperandText& one) { return !one.result; });
  const bool fits = statement.claim == "compatible";  // its maps include the results'
  if (!fits && statement.claim != "neutral") return;
  require(statement.rules && !statement.rules->empty(), "an operation without a rule");
  require(statement.operands &&
              statement.operands->size() == (fits ? operands.size() + 1 : static_cast<std::size_t>(inputs)),
          "another number of operands than is proved");
}

void check_text_files(const Statement& statement) {
  if (!statement.files) return;
  require(!statement.files->empty() && statement.arguments.has_value(), "files that no argument names");
  std::string before;
  for (const FileText& file : *statement.files) {
    require(file.key > before && statement.arguments->contains(file.key), "a file that no argument names");
    require(file.digest == digest_of(file.text), "a digest of another file");
    before = file.key;
  }
}

void add_word(std::string& out, const ExpressionText& said) {
  if (said.word.empty()) return static_cast<void>(out += std::to_string(said.number));
  if (said.parts.empty()) return static_cast<void>(out += said.word);
  const bool infix = said.parts.size() == 2 && said.word.size() <= 2;
  out += infix ? "(" : said.word + "(";
  for (std::size_t i = 0; i < said.parts.size(); ++i) {
    if (i > 0) out += infix ? said.word : said.word == "ceil" ? "/" : ", ";
    add_word(out, said.parts[i]);
  }
  out += ")";
}
void add_word(std::string& out, std::int64_t number) { out += std::to_string(number); }

template <class T>
std::string words_of_list(const std::vector<T>& list, std::size_t from = 0) {
  std::string out = "[";
  for (std::size_t i = from; i < list.size(); ++i) {
    if (i > from) out += ",";
    add_word(out, list[i]);
  }
  return out + "]";
}

// One nest: its extents, and both walks with their offsets, loops outermost first.
template <class T>
void add_nest(std::string& out, const std::vector<T>& extents, const std::vector<T>& from, const std::vector<T>& to) {
  if (!out.empty()) out += "; ";
  out += words_of_list(extents) + "|" + words_of_list(from, 1) + "|" + words_of_list(to, 1) + "|";
  if (!from.empty()) add_word(out, from[0]);
  out += ",";
  if (!to.empty()) add_word(out, to[0]);
}

std::string words_of_nests(const Statement& said) {
  std::string out;
  if (said.transfer)
    for (const auto& nest : said.transfer->nests) add_nest(out, nest.extents, nest.source, nest.destination);
  if (said.rule_nests)
    for (const RuleNestText& nest : *said.rule_nests)
      add_nest(out, nest.extents, nest.from ? *nest.from : nest.host, nest.device);
  return out;
}

std::string words_of_operand(const OperandText& operand) {
  std::string out = operand.tensor + " " + operand.layout;
  if (operand.strides) out += " strides=" + words_of_list(*operand.strides);
  if (operand.offset) out += " offset=" + std::to_string(*operand.offset);
  if (operand.view_offset) out += " view_offset=" + std::to_string(*operand.view_offset);
  if (operand.scales) out += " scales=" + words_of_list(*operand.scales);
  if (operand.padding) out += " padding=" + *operand.padding;
  if (operand.contents) out += " contents=" + *operand.contents;
  if (operand.padded) out += " padded=" + *operand.padded;
  return out;
}

template <class Add>
void add_operation_words(const OperationText& operation, const Add& add) {
  add("operation", operation.name);
  for (const OperandText& operand : operation.operands)
    add(operand.result ? "result" : "operand", words_of_operand(operand));
  if (operation.scales) add("scales", words_of_list(*operation.scales));
  if (operation.reduce) add("reduce", words_of_list(*operation.reduce));
  if (operation.dims) add("dims", *operation.dims);
  add("rule", operation.rule);
}

}  // namespace

bool is_about_program(const Statement& statement) { return statement.chain || statement.buffers; }
bool is_about_descriptor(const std::string& claim) { return claim == "accepts" || claim == "keeps"; }
bool asks_rules(const std::string& claim) { return claim == "well-formed" || is_about_descriptor(claim); }

const char* keys_of_claim(const std::string& claim, bool of_nests) {
  const auto in = [&](const auto& rows) {
    const auto found = std::ranges::find_if(rows, [&](const ClaimKeys& row) { return claim == row.claim; });
    return found == rows.end() ? nullptr : found->keys;
  };
  return of_nests ? in(kNestClaimKeys) : in(kClaimKeys);
}

std::optional<std::string> check_texts(const Statement& statement) noexcept {
  try {
    // A program and a descriptor have their tensors in their texts.
    require(statement.layout.empty() == is_about_program(statement), "a statement without a layout, or a program's");
    require(statement.tensor.empty() == (is_about_program(statement) || is_about_descriptor(statement.claim)),
            "a statement without a tensor, or a tensor of a program or a descriptor");
    std::size_t bytes = statement.layout.size() + statement.tensor.size();
    for (const auto& [key, text] : statement.arguments.value_or(std::map<std::string, std::string>{}))
      bytes += text.size();
    require(bytes <= kMostTextBytes, "texts of more than 1 MiB");
    check_arguments(statement), check_operation(statement), check_text_files(statement);
    for (const DerivedText& derived : statement.derived.value_or(std::vector<DerivedText>{}))
      require(!derived.text.empty() && !derived.operation.empty(), "a derived layout without a law");
    for (const DerivedRuleText& derived : statement.derived_rules.value_or(std::vector<DerivedRuleText>{}))
      require(!derived.text.empty() && !derived.operation.empty(), "a derived rule without a law");
    return std::nullopt;
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 32 && byte < 127) out += c;
    else out.append("\\x") += "0123456789abcdef"[byte / 16], out += "0123456789abcdef"[byte % 16];
  }
  return out;
}

std::string words_of(const Statement& said, const std::vector<std::string>& unread) {
  const auto is_unread = [&](const char* key) { return std::ranges::find(unread, key) != unread.end(); };
  const bool no_texts = is_unread("texts");
  const auto text_of = [&](const std::string& text, bool bracketed) { return bracketed ? "[" + text + "]" : text; };
  std::string out = said.verdict + " " + said.claim;
  if (said.value) out += " = " + std::to_string(*said.value);
  if (said.value_expression) out += " = ", add_word(out, *said.value_expression);
  if (!said.layout.empty()) out += " of " + text_of(said.layout, no_texts);
  if (!said.tensor.empty()) out += " for " + text_of(said.tensor, no_texts);
  const auto add = [&](const std::string& key, const std::string& text, bool bracketed) {
    out += "; " + text_of(key + " = " + text, bracketed);
  };
  if (said.arguments)
    for (const auto& [key, text] : *said.arguments) add(key, text, no_texts || is_unread(key.c_str()));
  if (said.operation)
    add_operation_words(*said.operation, [&](const char* key, const std::string& text) { add(key, text, no_texts); });
  // Numbers that are proved, and that no text says.
  const auto says = [&](const std::optional<std::int64_t>& field) {
    for (const auto& [key, text] : said.arguments.value_or(std::map<std::string, std::string>{}))
      if (number_field(said, key) == &field && number_in(text)) return true;
    return false;
  };
  const bool nests = said.transfer || said.rule_nests;
  const char* limit = said.claim == "fits" ? "capacity in bytes" : "at_most";
  if (said.at_most && !says(said.at_most)) add(limit, std::to_string(*said.at_most), false);
  if (said.base && !says(said.base)) add(nests ? "alignment in bytes" : "base", std::to_string(*said.base), false);
  if (said.at && !says(said.at)) add(nests ? "minimum in bytes" : "at", std::to_string(*said.at), false);
  if (nests) add("nests", words_of_nests(said), false);
  return plain(out);
}

}  // namespace vl::checker
