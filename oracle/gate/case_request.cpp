// A request, read as a case; and what a case tells a peer.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "encodings/base/words.h"
#include "encodings/use/parts.h"
#include "oracle/gate/contract.h"
#include "oracle/gate/cost.h"
#include "oracle/gate/images.h"
#include "oracle/gate/nests.h"
#include "oracle/gate/neutral.h"
#include "oracle/gate/strides.h"

namespace vl::gate {
namespace {

constexpr std::size_t kMostListed = 512;  // elements of place.at

Error bad(std::string message) { return {ErrorCode::Value, std::move(message), 0}; }

std::optional<Error> read_box(const Json& value, map::Tensor& tensor) {
  const Json::List* pairs = value.list();
  if (pairs == nullptr) return bad("the tensor's box is no list of pairs");
  for (const Json& one : *pairs) {
    const Json::List* pair = one.list();
    if (pair == nullptr || pair->size() != 2 || (*pair)[0].string() == nullptr || (*pair)[1].integer() == nullptr)
      return bad("the tensor's box is no list of pairs of an axis and an extent");
    tensor.box.push_back({*(*pair)[0].string(), *(*pair)[1].integer()});
  }
  return std::nullopt;
}

Result<map::Tensor> tensor_of(const Json& value) {
  map::Tensor out;
  if (value.fields() == nullptr) return bad("the tensor is no object");
  for (const auto& [key, what] : *value.fields()) {
    std::vector<Index> numbers;
    if (key == "dtype") {
      const auto type = what.string() != nullptr ? map::element_type_of(*what.string()) : std::nullopt;
      if (!type) return bad("the tensor's dtype is not known");
      out.type = *type;
    } else if (key == "shape" || key == "strides") {
      if (!integers_of(what, numbers)) return bad(fmt::format("the tensor's {} is no list of integers", key));
      (key == "shape" ? out.size : out.strides.emplace()) = std::move(numbers);
    } else if (key == "offset" || key == "view_offset") {
      if (what.integer() == nullptr) return bad(fmt::format("the tensor's {} is no integer", key));
      (key == "offset" ? out.offset : out.view_offset) = *what.integer();
    } else if (key == "box") {
      if (auto error = read_box(what, out)) return *error;
    } else {
      return bad(fmt::format("the tensor has an unknown field '{}'", key));
    }
  }
  // What the text notation of a tensor refuses, too.
  if (const auto again = map::parse_tensor(fmt::format("{}[{}]", map::name(out.type), fmt::join(out.size, ",")));
      !again)
    return again.error();
  if (const auto strides = map::host_strides(out); !strides) return strides.error();
  return out;
}

// The text of a claim's key.
Result<std::string> text_of(const OpArgument& argument, const Json& value) {
  std::vector<Index> numbers;
  const auto wrong = [&](std::string_view what) { return bad(fmt::format("'{}' is no {}", argument.key, what)); };
  switch (argument.kind) {
    case ArgumentKind::Number:
      if (value.integer() == nullptr) return wrong("integer");
      return fmt::format("{}", *value.integer());
    case ArgumentKind::List:
      if (!integers_of(value, numbers)) return wrong("list of integers");
      return fmt::format("[{}]", fmt::join(numbers, ","));
    case ArgumentKind::Text:
    case ArgumentKind::Layout:
      if (value.string() == nullptr) return wrong("text");
      return *value.string();
    case ArgumentKind::Region: {
      if (value.list() == nullptr) return wrong("list of pairs");
      std::string out;
      for (const Json& one : *value.list()) {
        if (!integers_of(one, numbers) || numbers.size() != 2) return wrong("list of pairs of integers");
        out += fmt::format("{}{}:{}", out.empty() ? "" : ", ", numbers[0], numbers[1]);
      }
      return out;
    }
  }
  VL_CHECK(false, "an argument of another kind");
}

std::optional<Error> read_slots(const Json& value, std::vector<Point>& out) {
  if (value.list() == nullptr || value.list()->empty()) return bad("'slots' are no list of slots");
  for (const Json& one : *value.list())
    if (!integers_of(one, out.emplace_back())) return bad("a slot is no list of integers");
  return std::nullopt;
}

// The bytes of a request; as many as the tensor has, or its image.
std::optional<Error> read_data(const Json& value, std::string& out) {
  auto bytes = value.string() != nullptr ? from_base64(*value.string()) : std::nullopt;
  if (!bytes) return bad("'data' is no base64");
  out = std::move(*bytes);
  return std::nullopt;
}

// What a request says once more for the peer: trees of its layouts, and axes where no operation asks for them.
bool is_for_peer(const Operation& op, std::string_view key) {
  const auto is_tree = [&](const OpArgument& argument) {
    return argument.kind == ArgumentKind::Layout && key == std::string(argument.key) + "_parts";
  };
  return key == "parts" || (key == "axes" && op.kind != OpKind::Back) || std::ranges::any_of(op.arguments, is_tree);
}

Json without_repetition(const Operation& op, const Json& request) {
  Json out;
  for (const auto& [key, value] : *request.fields())
    if (!is_for_peer(op, key)) out.set(key, value);
  return out;
}

// The tree says what the text says.
std::optional<Error> check_given_parts(const Json& tree, const Json& request, const std::string& name) {
  const use::Family& family = *use::family_of({}, name);
  if (family.parts == nullptr) return bad(fmt::format("the family {} has no parts", name));
  const auto text = family.parts->read(print_json(tree));
  if (!text) return text.error();
  const std::string* given = request.text("given");
  if (given == nullptr || *given != *text) return bad("'given_parts' is not what 'given' says");
  return std::nullopt;
}

std::optional<Error> read_fields(const Json& request, Case& out) {
  static const Json::Fields kNothing;
  for (const auto& [key, value] : request.fields() != nullptr ? *request.fields() : kNothing) {
    if (key == "op" || key == "family" || key == "layout" || key == "tensor" || is_for_peer(*out.op, key)) continue;
    const auto argument = std::ranges::find(out.op->arguments, key, &OpArgument::key);
    if (argument != out.op->arguments.end()) {
      auto text = text_of(*argument, value);
      if (!text) return text.error();
      out.arguments.push_back({key, std::move(*text)});
    } else if (key == "at" && out.op->kind == OpKind::Place) {
      if (value != Json("all")) return bad("'at' is something else than \"all\"");
    } else if (key == "elements" && out.op->kind == OpKind::PlaceAt) {
      const Index volume = out.of().logical().volume();
      if (!integers_of(value, out.elements) || out.elements.empty() || out.elements.size() > kMostListed ||
          out.elements.front() < 0 || out.elements.back() >= volume ||
          std::ranges::adjacent_find(out.elements, std::greater_equal<>{}) != out.elements.end())
        return bad(fmt::format("'elements' are not 1 to {} ascending numbers below {}", kMostListed, volume));
    } else if (key == "data" && is_about_images(*out.op) && out.op->kind != OpKind::Nests) {
      if (auto error = read_data(value, out.data)) return error;
    } else if (key == "image" && is_about_images(*out.op)) {
      if (value != image_of(out.of())) return bad("'image' is another one than the layout's");
    } else if ((key == "to_image" && has_destination(*out.op)) ||
               ((key == "instances" || key == "memory") && out.op->kind == OpKind::Cost)) {
      continue;  // they are looked at when all arguments are known
    } else if (key == "given_parts" && out.op->kind == OpKind::Construct) {
      if (auto error = check_given_parts(value, request, out.family)) return error;
    } else if (key == "slots" && out.op->kind == OpKind::Back) {
      if (auto error = read_slots(value, out.slots)) return error;
    } else if (key != "axes") {
      return bad(fmt::format("the request has an unknown field '{}'", key));
    }
  }
  if (out.op->kind == OpKind::PlaceAt && out.elements.empty()) return bad("the request has no 'elements'");
  if (out.arguments.size() != out.op->arguments.size())
    return bad(fmt::format("the request lacks an argument of {}", out.op->name));
  return std::nullopt;
}

}  // namespace

bool all_placed(const map::Layout& layout) {
  if (layout.domain().volume() == 0) return false;
  Point p(layout.domain().rank(), 0);
  do {
    const std::span<const Index> all(p);
    const std::size_t rank = layout.logical().rank();
    if (!layout.is_slot(map::outputs_at(layout, all.first(rank), all.subspan(rank)))) return false;
  } while (map::advance(layout.domain(), p));
  return true;
}

Result<std::shared_ptr<const map::Layout>> destination_of(const Case& known, const Json& request) {
  const std::string* text = request.text("to");
  if (text == nullptr) return bad("the request has no layout 'to'");
  auto reading = use::family_of({}, known.family)->read(*text, known.tensor);
  if (!reading) return reading.error();
  if (reading->layout() == nullptr) return bad("the layout 'to' has names where a case has numbers");
  if (is_too_large(*reading->layout())) return bad("'to' is too large for an image");
  if (!has_image(*reading->layout())) return bad("'to' has no image: an element has no slot, or shares one");
  return std::make_shared<const map::Layout>(std::get<map::Layout>(std::move(reading->what)));
}

namespace {

// Of a specification that no runtime takes, and that has no places, only what it says can be asked.
bool lacks_places(const Case& of) {
  return of.of().named_axes() && of.tensor.box.empty() && of.of().physical().volume() == 0 &&
         of.of().domain().volume() > 0 && of.op->claim != "well-formed" && of.op->kind != OpKind::SameMap &&
         of.op->name != "measure.size";
}

}  // namespace

Result<Case> with_arguments(Case known, const Json& arguments) {
  if (lacks_places(known)) return bad("the elements have no places");
  if (auto error = read_fields(arguments, known)) return *error;
  if (known.op->kind == OpKind::Reduce) {
    if (auto error = check_reduction(known, arguments)) return *error;
    if (known.data.size() != static_cast<std::size_t>(known.of().physical().volume()) * unit_of(known.tensor))
      return bad("the data has another length than the layout says");
  }
  if (known.op->kind == OpKind::Nests) {
    Json right = arguments;
    if (auto error = refit_nests(known, right)) return *error;
  }
  if (known.op->kind == OpKind::Cost) {
    Json right = arguments;
    if (auto error = refit_cost(known, right)) return *error;
    for (const char* key : {"instances", "memory"})
      if (const Json* said = arguments.find(key); said != nullptr && *said != *right.find(key))
        return bad(fmt::format("'{}' is not what the access says", key));
  }
  if (known.op->kind == OpKind::Construct) {  // it is about `given`, where that has a map
    auto reading = use::family_of({}, known.family)->read(known.arguments.front().text, known.tensor);
    if (reading && reading->layout() != nullptr)
      known.map = std::make_shared<const map::Layout>(std::get<map::Layout>(std::move(reading->what)));
  }
  if (known.op->name == "measure.strides" && !can_have_strides(known.of()))
    return bad("the places of this layout are no single numbers, so they have no strides");
  if (has_destination(*known.op)) {
    auto to = destination_of(known, arguments);
    if (!to) return to.error();
    const Json* image = arguments.find("to_image");
    if (image != nullptr && *image != image_of(**to)) return bad("'to_image' is another one than the layout's");
    known.to = std::move(*to);
  }
  if (known.op->kind == OpKind::Image) {
    if (is_too_large(known.of())) return bad("the layout is too large for an image");
    const Index elements = (known.op->name == "image.pack" ? known.of().logical() : known.of().physical()).volume();
    const std::size_t unit = unit_of(known.tensor);
    if (unit == 0 || known.data.size() % unit != 0 || known.data.size() / unit != static_cast<std::size_t>(elements))
      return bad("the data has another length than the layout says");
    if (!has_image(known.of())) return bad("this layout has no image: an element has no slot, or shares one");
  }
  return known;
}

Result<Case> known_of(const Json& request) {
  Case out;
  if (request.fields() == nullptr) return bad("the request is no object");
  const std::string* op = request.text("op");
  const std::string* family = request.text("family");
  const std::string* layout = request.text("layout");
  const Json* tensor = request.find("tensor");
  if (op == nullptr || family == nullptr || layout == nullptr || tensor == nullptr)
    return bad("the request lacks one of op, family, layout, tensor");
  out.op = find_operation(*op);
  if (out.op == nullptr) return bad(fmt::format("'{}' is no operation; {}", *op, one_of(*op, operation_names())));
  const use::Family* of = use::family_of({}, *family);
  if (of == nullptr || family->empty()) return bad(fmt::format("'{}' is no family of this build", *family));
  out.family = *family;
  out.layout = *layout;
  auto read = tensor_of(*tensor);
  if (!read) return read.error();
  out.tensor = std::move(*read);
  auto reading = of->read(out.layout, out.tensor);
  if (!reading) return reading.error();
  if (const auto* open = reading->undecidable()) return bad(open->reason);
  if (reading->layout() == nullptr) return bad("the layout has names where a case has numbers");
  out.map = std::make_shared<const map::Layout>(std::get<map::Layout>(std::move(reading->what)));
  const bool repeats =
      std::ranges::any_of(*request.fields(), [&](const auto& field) { return is_for_peer(*out.op, field.first); });
  out.request = repeats ? without_repetition(*out.op, request) : request;
  return out;
}

Result<Case> case_of(const Json& request) {
  auto known = known_of(request);
  return known ? with_arguments(std::move(*known), request) : std::move(known);
}

std::size_t unit_of(const map::Tensor& tensor) {
  const int bits = map::bits(tensor.type);
  return bits % 8 == 0 ? static_cast<std::size_t>(bits) / 8 : 0;
}

std::string with_parts(const Case& of) {
  const use::Family* family = use::family_of({}, of.family);
  std::string out = of.request.text();
  if (family->parts == nullptr) return out;
  out.pop_back();
  out.reserve(out.size() + of.parts.size() + 64);
  const auto add = [&](std::string_view key, std::string_view parts) {
    for (const std::string_view piece : {std::string_view(",\""), key, std::string_view("\":"), parts}) out += piece;
  };
  const auto add_of = [&](const std::string& key, std::string_view text) {
    if (const auto printed = family->parts->print(text, of.tensor)) add(key, *printed);
  };
  if (!of.parts.empty()) add("parts", of.parts);
  else add_of("parts", of.layout);
  for (const OpArgument& argument : of.op->arguments)
    if (argument.kind == ArgumentKind::Layout)
      for (const CaseArgument& given : of.arguments)
        if (given.key == argument.key) add_of(given.key + "_parts", given.text);
  out += '}';
  return out;
}

}  // namespace vl::gate
