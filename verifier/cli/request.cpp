// The options of the command line as a request, with diagnostics that point into an option.
#include <fmt/format.h>

#include <cstdio>
#include <tuple>

#include "encodings/base/cursor.h"
#include "encodings/base/printable.h"
#include "encodings/map/text.h"
#include "verifier/cli/commands.h"
#include "verifier/session/judge.h"
#include "verifier/session/stated.h"

namespace vl::cli {

std::variant<std::vector<Index>, Diagnostic> integers_of(const std::string& option, const std::string& text) {
  Cursor in(text);
  std::vector<Index> values;
  if (in.peek() == '[' || in.peek() == '(') {
    values = in.integer_list("integers");
  } else if (!in.at_end()) {
    do values.push_back(in.integer("integers separated by commas"));
    while (in.accept(","));
  }
  in.expect_end();
  if (in.failed()) return locate(option, text, in.error());
  return values;
}

std::variant<session::CaseRequest, Diagnostic> request_of(const LayoutArguments& arguments, const std::string& side) {
  const auto option = [&](const char* name) { return fmt::format("--{}{}", side, name); };
  session::CaseRequest request;
  request.layout = session::SourceText::option("--layout", arguments.text());
  request.tensor = session::SourceText::option("--tensor", arguments.tensor);
  request.tensor_source = arguments.tensor_source;
  request.family = arguments.family;
  if (arguments.strides) {
    const auto text = session::SourceText::option(option("strides"), *arguments.strides);
    auto strides = integers_of(option("strides"), *arguments.strides);
    auto* diagnostic = std::get_if<Diagnostic>(&strides);
    if (diagnostic != nullptr && !map::parse_rule_strides(*arguments.strides)) return std::move(*diagnostic);
    (diagnostic == nullptr ? request.strides_text : request.named_strides) = text;
    if (diagnostic == nullptr) request.strides = std::move(std::get<std::vector<Index>>(strides));
    else session::number_strides(request);
  }
  if (arguments.box) request.box = session::SourceText::option(option("box"), *arguments.box);
  const std::tuple<const char*, const std::optional<std::string>*, std::optional<session::SourceText>*> offsets[] = {
      {"offset", &arguments.offset, &request.named_offset},
      {"view-offset", &arguments.view_offset, &request.named_view_offset}};
  for (const auto& [name, text, target] : offsets) {
    if (!text->has_value()) continue;
    const auto offset = map::parse_rule_offset(**text);
    if (!offset) return locate(option(name), **text, offset.error());
    *target = session::SourceText::option(option(name), **text);
  }
  session::number_offsets(request);
  if (!arguments.tensor.empty())
    if (auto taken = session::out_of_call(request)) return std::move(*taken);
  return request;
}

std::optional<std::string> state_tensor(LayoutArguments& arguments) {
  session::CaseRequest request;
  request.layout = session::SourceText::option("--layout", arguments.layout);
  request.family = arguments.family;
  if (auto why = session::state_tensor(request)) return why;
  arguments.layout = request.layout.text;
  arguments.tensor = request.tensor.text;
  arguments.tensor_source = request.tensor_source;
  const session::SourceText* strides = request.strides_text    ? &*request.strides_text
                                       : request.named_strides ? &*request.named_strides
                                                               : nullptr;
  if (!arguments.strides && strides != nullptr) arguments.strides = strides->text;
  if (!arguments.offset && request.offset != 0) arguments.offset = fmt::format("{}", request.offset);
  return std::nullopt;
}

std::variant<Point, Diagnostic> point_in(const map::Space& space, const std::string& option, const std::string& text) {
  auto values = integers_of(option, text);
  if (auto* diagnostic = std::get_if<Diagnostic>(&values)) return std::move(*diagnostic);
  Point point = std::move(std::get<std::vector<Index>>(values));
  if (!space.contains(point))
    return locate(
        option, text,
        {ErrorCode::Value, fmt::format("{} is not a point of {}", claims::show(point), map::print(space)), 0});
  return point;
}

std::variant<session::TensorReading, Diagnostic> read_and_warn(const session::CaseRequest& request,
                                                               const engines::Options& options) {
  auto read = session::read_tensor(request, options);
  if (const auto* subject = std::get_if<session::TensorReading>(&read))
    for (const std::string& warning : subject->reading.warnings)
      fmt::print(stderr, "warning: {}\n", printable(warning));
  return read;
}

std::optional<use::Shards> shards_of(const LayoutArguments& arguments, const session::TensorReading& subject) {
  const use::Family* family = session::family_of(arguments.text(), arguments.family);
  if (family == nullptr || family->shards == nullptr) return std::nullopt;
  auto shards = family->shards(arguments.text(), subject.tensor);
  return shards ? std::optional(std::move(*shards)) : std::nullopt;
}

int bad_input(const Diagnostic& diagnostic) {
  fmt::print(stderr, "error: {}\n", to_string(diagnostic));
  return kBadInput;
}

int unsupported(const use::Undecidable& why, bool json) {
  const std::string out = json ? report::unsupported_to_json(why.reason) : report::unsupported_to_text(why.reason);
  std::fwrite(out.data(), 1, out.size(), json ? stdout : stderr);
  return kUndecided;
}

}  // namespace vl::cli
