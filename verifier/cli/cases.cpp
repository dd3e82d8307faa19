#include "verifier/cli/cases.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <set>

#include "verifier/cli/nests_file.h"

namespace vl::cli {
namespace {

constexpr std::array<std::string_view, 5> kVerdicts = {"proved", "refuted", "unknown", "vacuous", "unsupported"};

// Reads one document. The first thing that is wrong is kept; later reads give neutral values.
class Reader {
 public:
  Reader(std::string file, std::shared_ptr<const std::string> document)
      : file_(std::move(file)), document_(std::move(document)) {
    for (std::size_t at = 0; at != std::string::npos;) {
      line_starts_.push_back(at);
      const std::size_t end = document_->find('\n', at);
      at = end == std::string::npos ? end : end + 1;
    }
  }

  [[nodiscard]] const std::optional<Diagnostic>& error() const { return error_; }

  void fail(const toml::source_region& where, std::string message) {
    fail_at(position(where.begin), std::move(message));
  }
  void fail_at(std::size_t at, std::string message) {
    if (!error_) error_ = locate(file_, *document_, {ErrorCode::Syntax, std::move(message), at});
  }

  // toml++ counts columns in code points; a position in the document counts bytes.
  [[nodiscard]] std::size_t position(const toml::source_position& where) const {
    if (where.line == 0 || where.line > line_starts_.size()) return 0;
    const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>((*document_)[at]) & 0xc0) == 0x80; };
    std::size_t at = line_starts_[where.line - 1];
    for (toml::source_index column = 1; column < where.column && at < document_->size(); ++column)
      do ++at;
      while (at < document_->size() && continues(at));
    return at;
  }

  std::vector<CaseRequest> cases(const toml::table& root) {
    only_keys(root, {"schema", "case"}, "a case file");
    const auto schema = root["schema"].value<Index>();
    if (!schema || *schema != 1) {
      if (const toml::node* node = root.get("schema")) fail(node->source(), "expected schema = 1");
      else fail_at(0, "expected schema = 1 at the head of the file");
    }
    const toml::node* list = root.get("case");
    const toml::array* array = list != nullptr ? list->as_array() : nullptr;
    if (array == nullptr || array->empty() || !array->is_array_of_tables()) {
      fail_at(list != nullptr ? position(list->source().begin) : 0, "expected at least one [[case]]");
      return {};
    }
    std::vector<CaseRequest> requests;
    for (const toml::node& node : *array) requests.push_back(read_case(*node.as_table()));
    return requests;
  }

 private:
  void only_keys(const toml::table& table, std::initializer_list<std::string_view> known, std::string_view what) {
    for (const auto& [key, node] : table)
      if (std::ranges::find(known, key.str()) == known.end())
        fail(key.source(), fmt::format("unknown key '{}' in {}; expected one of {}", key.str(), what,
                                       fmt::join(known, ", ")));
  }

  std::optional<SourceText> text(const toml::table& table, std::string_view key, bool required) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (required) fail(table.source(), fmt::format("the key '{}' is missing", key));
      return std::nullopt;
    }
    const auto value = node->value<std::string>();
    if (!node->is_string() || !value) {
      fail(node->source(), fmt::format("expected a string for '{}'", key));
      return std::nullopt;
    }
    return located(*value, position(node->source().begin));
  }

  // Finds the letters of a string inside its quotes; strings with escapes are not there letter by letter.
  [[nodiscard]] SourceText located(const std::string& value, std::size_t at) const {
    const std::string& document = *document_;
    std::size_t start = at;
    const std::string_view rest = std::string_view(document).substr(at);
    const bool triple = rest.starts_with("\"\"\"") || rest.starts_with("'''");
    start += triple ? 3 : 1;
    if (triple && document.compare(start, 2, "\r\n") == 0) start += 2;
    else if (triple && document.compare(start, 1, "\n") == 0) start += 1;
    const bool verbatim = start <= document.size() && document.compare(start, value.size(), value) == 0;
    return {value, file_, document_, verbatim ? start : at, verbatim};
  }

  std::optional<Index> integer(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    const auto* value = node->as_integer();
    if (value == nullptr) fail(node->source(), fmt::format("expected an integer for '{}'", key));
    return value == nullptr ? std::nullopt : std::optional<Index>(value->get());
  }

  Index offset(const toml::table& table, std::string_view key) {
    const Index value = integer(table, key).value_or(0);
    if (value < 0) fail(table.get(key)->source(), fmt::format("expected an '{}' that is not negative", key));
    return value;
  }

  std::vector<Index> integers(const toml::node& node, std::string_view key) {
    std::vector<Index> values;
    const toml::array* array = node.as_array();
    if (array == nullptr) fail(node.source(), fmt::format("expected a list of integers for '{}'", key));
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
      const auto* value = array->get(i)->as_integer();
      if (value == nullptr) fail(array->get(i)->source(), fmt::format("expected an integer in '{}'", key));
      else values.push_back(value->get());
    }
    return values;
  }

  // With nests, the claim about nests: in-bounds is one of each kind.
  const claims::Claim* claim(std::string_view name, const toml::source_region& where, bool nests = false) {
    const claims::Claim* found = nests ? claims::find_nest_claim(name) : claims::find_claim(name);
    if (found != nullptr) return found;
    if (!nests && claims::find_nest_claim(name) != nullptr) {
      fail(where, fmt::format("'{}' is about loop nests; write it as [[case.claim]] with the key 'nests'", name));
      return nullptr;
    }
    std::string known;
    for (const claims::Claim& claim : claims::claims())
      if (nests == (claim.argument == claims::Argument::Nests)) known += fmt::format(" {}", claim.name);
    fail(where, fmt::format("'{}' is not a claim{}; expected one of{}", name, nests ? " about nests" : "", known));
    return nullptr;
  }

  std::optional<report::Expectation> expectation(const toml::node& node, const claims::Claim* claim) {
    const bool measures = claim != nullptr && claim->measures;
    if (const auto* number = node.as_integer(); number != nullptr && measures) return number->get();
    const auto word = node.value<std::string>();
    if (node.is_string() && word && std::ranges::find(kVerdicts, *word) != kVerdicts.end()) return *word;
    fail(node.source(), fmt::format("expected one of {}{}", fmt::join(kVerdicts, ", "), measures ? ", or a number" : ""));
    return std::nullopt;
  }

  void read_expect(const toml::node& node, CaseRequest& request) {
    if (const auto word = node.value<std::string>(); node.is_string() && word) {
      request.expect_invalid = *word == "invalid";
      if (!request.expect_invalid) fail(node.source(), "expected a table of claims, or \"invalid\"");
      return;
    }
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      fail(node.source(), "expected a table of claims, or \"invalid\"");
      return;
    }
    // In the order in which they are written: toml++ sorts its tables.
    std::vector<std::pair<std::size_t, ClaimRequest>> found;
    for (const auto& [key, value] : *table) {
      const claims::Claim* which = claim(key.str(), key.source());
      if (which != nullptr && which->argument == claims::Argument::Layout)
        fail(key.source(), fmt::format("'{}' needs a second layout; write it as [[case.claim]]", key.str()));
      if (which != nullptr && which->argument == claims::Argument::Division)
        fail(key.source(), fmt::format("'{}' needs a work division; write it as [[case.claim]]", key.str()));
      if (which != nullptr && which->argument == claims::Argument::Operation)
        fail(key.source(), fmt::format("'{}' needs an operation; write it as [[case.claim]]", key.str()));
      ClaimRequest asked;
      asked.claim = which;
      asked.expected = expectation(value, which);
      found.emplace_back(position(key.source().begin), std::move(asked));
    }
    std::ranges::sort(found, {}, &std::pair<std::size_t, ClaimRequest>::first);
    for (auto& [at, claim_request] : found) request.claims.push_back(std::move(claim_request));
  }

  // The value of one field of a nest; an offset is a list of one.
  NestField nest_field(const toml::node& node, std::string_view name) {
    NestField field{{}, position(node.source().begin)};
    if (!is_offset(name)) field.values = integers(node, name);
    if (const auto negative = std::ranges::find_if(field.values, [](Index n) { return n < 0; });
        name == kNestFields[0] && negative != field.values.end())
      fail(node.as_array()->get(static_cast<std::size_t>(negative - field.values.begin()))->source(),
           fmt::format("expected an extent that is not negative, found {}", *negative));
    if (!is_offset(name)) return field;
    if (const auto* value = node.as_integer()) field.values = {value->get()};
    else fail(node.source(), fmt::format("expected an integer for '{}'", name));
    return field;
  }

  // Nests as a list of tables, with the fields of their JSON, or as a text in any form that --nests reads.
  std::shared_ptr<const map::Transfer> nests(const toml::table& table) {
    std::optional<map::Direction> direction;
    if (const auto name = text(table, "direction", false)) {
      direction = map::direction_of(name->text);
      if (!direction) fail(table.get("direction")->source(), "expected \"h2d\", \"d2h\" or \"d2d\"");
    }
    const toml::node& node = *table.get("nests");
    if (node.is_string()) {
      const auto source = text(table, "nests", true);
      auto transfer = parse_nests(source->text, direction);
      if (transfer) return std::make_shared<const map::Transfer>(std::move(*transfer));
      fail_at(source->at + (source->verbatim ? transfer.error().offset : 0), transfer.error().message);
      return nullptr;
    }
    const toml::array* list = node.as_array();
    if (list == nullptr || !std::ranges::all_of(*list, [](const toml::node& item) { return item.is_table(); })) {
      fail(node.source(), "expected a list of nests {..}, or a text");
      return nullptr;
    }
    map::Transfer transfer{direction.value_or(map::Direction::HostToDevice), {}};
    for (const toml::node& item : *list) {
      NestFields fields;
      for (const auto& [key, value] : *item.as_table()) {
        const auto known = std::ranges::find(kNestFields, key.str());
        if (known == kNestFields.end())
          fail(key.source(), fmt::format("unknown key '{}' in a nest; expected extents, host_strides, device_strides, "
                                         "host_offset, device_offset", key.str()));
        else fields[static_cast<std::size_t>(known - kNestFields.begin())] = nest_field(value, key.str());
      }
      if (error_) return nullptr;
      auto nest = nest_of(fields, transfer.direction, position(item.source().begin));
      if (!nest) {
        fail_at(nest.error().offset, nest.error().message);
        return nullptr;
      }
      transfer.nests.push_back(std::move(*nest));
    }
    return std::make_shared<const map::Transfer>(std::move(transfer));
  }

  std::vector<Index> integers_at(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    return node == nullptr ? std::vector<Index>{} : integers(*node, key);
  }

  void read_operands(const toml::table& table, std::string_view key, OperationRequest& out) {
    const toml::node* node = table.get(key);
    const toml::array* list = node != nullptr ? node->as_array() : nullptr;
    if (list != nullptr && list->empty()) return;
    if (node != nullptr && (list == nullptr || !list->is_array_of_tables()))
      fail(node->source(), fmt::format("expected a list of tables {{layout, tensor}} for '{}'", key));
    for (std::size_t i = 0; list != nullptr && list->is_array_of_tables() && i < list->size(); ++i) {
      const toml::table& operand = *list->get(i)->as_table();
      only_keys(operand, {"layout", "tensor", "strides", "offset", "view_offset", "scales"}, "an operand");
      OperandRequest& read = out.operands.emplace_back();
      if (auto layout = text(operand, "layout", true)) read.layout = std::move(*layout);
      if (auto tensor = text(operand, "tensor", true)) read.tensor = std::move(*tensor);
      if (const toml::node* strides = operand.get("strides")) {
        read.strides = integers(*strides, "strides");
        read.strides_text = SourceText{{}, file_, document_, position(strides->source().begin), false};
      }
      read.offset = offset(operand, "offset");
      read.view_offset = offset(operand, "view_offset");
      read.scales = integers_at(operand, "scales");
      read.result = key == "results";
    }
  }

  void read_operation(const toml::table& table, ClaimRequest& out) {
    only_keys(table, {"claim", "operation", "operands", "results", "scales", "dims", "reduce", "rule", "expect",
                      "counterexample"}, "a claim about an operation");
    OperationRequest operation;
    if (auto name = text(table, "operation", true)) operation.name = std::move(*name);
    read_operands(table, "operands", operation);
    read_operands(table, "results", operation);
    operation.scales = integers_at(table, "scales");
    operation.dims = text(table, "dims", false);
    if (const toml::node* node = table.get("reduce")) operation.reduced = integers(*node, "reduce");
    if (const auto rule = text(table, "rule", false)) {
      const auto rules = map::rule_set_of(rule->text);
      if (!rules) fail(table.get("rule")->source(), "expected 'documents' or 'upstream' for 'rule'");
      operation.rules = rules.value_or(map::RuleSet::Upstream);
    }
    out.operation = std::move(operation);
  }

  void read_claim(const toml::table& table, CaseRequest& request) {
    ClaimRequest out;
    const bool has_nests = table.contains("nests");
    if (const auto name = text(table, "claim", true)) out.claim = claim(name->text, table.get("claim")->source(), has_nests);
    const bool divides = out.claim != nullptr && out.claim->argument == claims::Argument::Division;
    const bool operates = out.claim != nullptr && out.claim->argument == claims::Argument::Operation;
    if (divides) only_keys(table, {"claim", "expect", "counterexample", "splits", "scales", "order", "cores", "span", "stick", "sticks", "slices"},
                           "the claim partition");
    else if (!operates) only_keys(table, {"claim", "with", "nests", "direction", "expect", "counterexample"}, "a claim");
    if (divides) read_division(table, out);
    if (operates) read_operation(table, out);
    if (has_nests) out.nests = nests(table);
    if (!has_nests && table.contains("direction")) fail(table.get("direction")->source(), "a direction goes with nests");
    const bool devices = out.nests && out.nests->direction == map::Direction::DeviceToDevice;
    const bool compares = out.claim != nullptr && (out.claim->argument == claims::Argument::Layout || devices);
    out.with = text(table, "with", compares);
    if (out.with && out.claim != nullptr && !compares)
      fail(table.get("with")->source(), fmt::format("'{}' has no second layout", out.claim->name));
    if (const toml::node* node = table.get("expect")) out.expected = expectation(*node, out.claim);
    if (const toml::node* node = table.get("counterexample")) {
      const toml::table* fields = node->as_table();
      if (fields == nullptr) fail(node->source(), "expected a table of coordinates for 'counterexample'");
      if (fields != nullptr)
        for (const auto& [key, value] : *fields) {
          if (const auto* number = value.as_integer()) out.counterexample.emplace_back(key.str(), number->get());
          else out.counterexample.emplace_back(key.str(), integers(value, key.str()));
        }
      const auto* word = out.expected ? std::get_if<std::string>(&*out.expected) : nullptr;
      if (word == nullptr || *word != "refuted") fail(node->source(), "a counterexample needs expect = \"refuted\"");
    }
    request.claims.push_back(std::move(out));
  }

  void read_division(const toml::table& table, ClaimRequest& out) {
    map::Division division;
    if (table.get("splits") == nullptr && table.get("slices") == nullptr)
      fail(table.source(), "'partition' needs splits = [..], slices = [\"0:64\", ..], or both");
    if (const toml::node* node = table.get("splits")) division.splits = integers(*node, "splits");
    if (const toml::node* node = table.get("scales")) division.scales = integers(*node, "scales");
    if (const toml::node* node = table.get("sticks")) division.sticks = integers(*node, "sticks");
    if (const toml::node* node = table.get("order")) {
      const auto word = node->value<std::string>();
      division.last_fastest = node->is_string() && word == "last-fastest";
      if (node->is_array())
        for (const Index dim : integers(*node, "order")) division.order.push_back(static_cast<std::size_t>(dim));
      else if (!division.last_fastest && word != "first-fastest")
        fail(node->source(), "expected \"first-fastest\", \"last-fastest\" or a list of dimensions for 'order'");
    }
    division.cores = integer(table, "cores").value_or(division.cores);
    division.span = integer(table, "span").value_or(division.span);
    division.stick = integer(table, "stick").value_or(division.stick);
    if (const toml::node* node = table.get("slices")) division.slices = slices(*node);
    const toml::node* where = table.get(table.get("splits") != nullptr ? "splits" : "slices");
    out.division_text = SourceText{{}, file_, document_, position((where != nullptr ? *where : table).source().begin), false};
    out.division = std::move(division);
  }

  std::vector<map::Slice> slices(const toml::node& node) {
    std::vector<map::Slice> out;
    const toml::array* array = node.as_array();
    if (array == nullptr) fail(node.source(), "expected a list of strings for 'slices', as in [\"0:64\", \"64:67\"]");
    for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
      const toml::node& item = *array->get(i);
      const auto text = item.value<std::string>();
      const auto slice = map::parse_slice(item.is_string() && text ? *text : "?");
      if (slice) out.push_back(*slice);
      else fail(item.source(), "expected a slice of one begin:end a dimension, as in \"0:5, 0:64\": " + slice.error().message);
    }
    return out;
  }

  CaseRequest read_case(const toml::table& table) {
    only_keys(table, {"id", "source", "layout", "tensor", "strides", "offset", "view_offset", "family", "expect", "claim"},
              "a case");
    CaseRequest request;
    if (const auto id = text(table, "id", true)) {
      request.id = id->text;
      if (id->text.empty() || !ids_.insert(id->text).second)
        fail(table.get("id")->source(), fmt::format("the id '{}' is empty or not unique", id->text));
    }
    text(table, "source", false);
    if (auto layout = text(table, "layout", true)) request.layout = std::move(*layout);
    if (auto tensor = text(table, "tensor", true)) request.tensor = std::move(*tensor);
    if (const auto family = text(table, "family", false)) {
      request.family = family->text;
      const auto known = map::families();
      if (std::ranges::none_of(known, [&](const map::Family* f) { return f->name == family->text; }))
        fail(table.get("family")->source(), fmt::format("'{}' is not a family", family->text));
    }
    if (const toml::node* node = table.get("strides")) {
      request.strides = integers(*node, "strides");
      request.strides_text = SourceText{{}, file_, document_, position(node->source().begin), false};
    }
    request.offset = offset(table, "offset");
    request.view_offset = offset(table, "view_offset");
    if (const toml::node* node = table.get("expect")) read_expect(*node, request);
    if (const toml::node* node = table.get("claim")) {
      const toml::array* list = node->as_array();
      if (list == nullptr || !list->is_array_of_tables()) fail(node->source(), "expected [[case.claim]]");
      else for (const toml::node& item : *list) read_claim(*item.as_table(), request);
    }
    return request;
  }

  std::string file_;
  std::shared_ptr<const std::string> document_;
  std::vector<std::size_t> line_starts_;
  std::optional<Diagnostic> error_;
  std::set<std::string, std::less<>> ids_;
};

// The offset at which a line has more than kMostDots dots outside strings and comments. toml++ recurses into dotted
// keys without a limit of its own, so such a line is refused before it is parsed.
std::optional<std::size_t> too_many_dots(std::string_view document) {
  constexpr int kMostDots = 256;
  int dots = 0;
  for (std::size_t at = 0; at < document.size(); ++at) {
    const char c = document[at];
    if (c == '\n') dots = 0;
    if (c == '#') {
      at = std::min(document.find('\n', at), document.size()) - 1;
    } else if (c == '"' || c == '\'') {
      const bool triple = document.substr(at, 3) == std::string(3, c);
      const std::string quotes(triple ? 3 : 1, c);
      std::size_t end = at + quotes.size();
      while (end < document.size() && document.substr(end, quotes.size()) != quotes && (triple || document[end] != '\n'))
        end += c == '"' && document[end] == '\\' ? 2 : 1;
      at = end + quotes.size() - 1;
    } else if (c == '.' && ++dots > kMostDots) {
      return at;
    }
  }
  return std::nullopt;
}

}  // namespace

std::variant<std::vector<CaseRequest>, Diagnostic> parse_cases(const std::string& file, std::string document) {
  const auto text = std::make_shared<const std::string>(std::move(document));
  Reader reader(file, text);
  if (const auto at = too_many_dots(*text)) {
    reader.fail_at(*at, "expected at most 256 dots in a line");
    return *reader.error();
  }
  try {
    const toml::table root = toml::parse(std::string_view(*text), file);
    auto requests = reader.cases(root);
    if (reader.error()) return *reader.error();
    return requests;
  } catch (const toml::parse_error& error) {
    reader.fail_at(reader.position(error.source().begin), std::string(error.description()));
    return *reader.error();
  }
}

}  // namespace vl::cli
