#include "encodings/spyre/expression.h"

#include <fmt/format.h>

#include <utility>

#include "encodings/base/cursor.h"
#include "encodings/spyre/laws.h"

namespace vl::spyre {
namespace {

constexpr std::string_view kRescale = "rescale_stl_for_dtype";
constexpr int kDeepest = 64;           // nested rescale_stl_for_dtype
constexpr std::size_t kMostLaws = 64;  // of one text: no certificate has more

// The end of the call NAME(…) that starts at `start`, or nothing.
std::optional<std::size_t> call_end(std::string_view text, std::size_t start) {
  const std::size_t open = text.find('(', start);
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0) return i + 1;
  }
  return std::nullopt;
}

class ExpressionReader {
 public:
  ExpressionReader(std::string_view text, const map::Tensor& tensor) : text_(text), in_(text), tensor_(tensor) {}

  Result<Expression> read() {
    SpyreTensorLayout layout = expression(0);
    in_.expect_end();
    if (in_.failed()) return in_.error();
    return Expression{std::move(layout), std::move(notes_), std::move(derived_), lawless_};
  }

 private:
  SpyreTensorLayout expression(int depth) {
    if (depth > kDeepest) in_.fail(fmt::format("expected at most {} derivations within each other", kDeepest));
    SpyreTensorLayout layout = in_.accept(kRescale) ? function(depth) : base();
    while (in_.accept(".")) layout = method(layout);
    return layout;
  }

  SpyreTensorLayout base() {
    in_.skip_space();
    const std::size_t start = in_.offset();
    const std::size_t end = call_end(text_, start).value_or(text_.size());
    auto layout =
        in_.failed() ? Result<SpyreTensorLayout>(in_.error()) : read_for(text_.substr(start, end - start), tensor_);
    if (layout) {
      in_.move_to(end);
      return std::move(*layout);
    }
    in_.fail(layout.error().code, layout.error().message, start + layout.error().offset);
    return {};
  }

  // rescale_stl_for_dtype(LAYOUT, dtype, …), after its name.
  SpyreTensorLayout function(int depth) {
    const std::size_t start = in_.offset();
    in_.expect("(");
    const SpyreTensorLayout layout = expression(depth + 1);
    in_.expect(",");
    return conversion(layout, start, true);
  }

  SpyreTensorLayout method(const SpyreTensorLayout& layout) {
    const std::size_t start = in_.offset();
    const bool restickifies = in_.accept("restickify");
    const bool rescales = !restickifies && in_.accept("rescale");
    if (!restickifies && !rescales && !in_.accept("resize"))
      in_.fail(fmt::format("expected restickify, rescale or resize, found {}", in_.found()));
    in_.expect("(");
    if (rescales) return conversion(layout, start, false);
    return restickifies ? moved(layout, start) : resized(layout, start);
  }

  SpyreTensorLayout moved(const SpyreTensorLayout& layout, std::size_t start) {
    if (in_.accept("dim")) in_.expect("=");
    const Index to = in_.integer("a host dimension");
    in_.expect(")");
    if (in_.failed()) return {};
    auto host = constructed_host(layout);
    if (!host && resized_later()) {
      in_.fail(ErrorCode::Value,
               "the size of the raw layout before the resize is not known; restickify the result instead", start);
      return {};
    }
    if (!host) {
      const auto strides = map::host_strides(tensor_);
      if (!strides) in_.fail(strides.error().code, strides.error().message, start);
      if (!strides) return {};
      host = Host{tensor_.size, *strides};
    }
    return take({layout, restickify(layout, *host, to), *host, to}, start, fmt::format("restickify({})", to));
  }

  SpyreTensorLayout resized(const SpyreTensorLayout& layout, std::size_t start) {
    if (in_.accept("size")) in_.expect("=");
    const std::vector<Index> size = in_.integer_list("a size");
    std::optional<std::vector<Index>> old_size;
    if (in_.accept(",") && in_.peek() != ')') {
      in_.expect("old_size");
      in_.expect("=");
      old_size = in_.integer_list("the old size");
      in_.accept(",");
    }
    in_.expect(")");
    if (in_.failed()) return {};
    auto host = constructed_host(layout);
    if (!host && old_size)
      if (const auto dense = map::dense_strides(*old_size)) host = Host{*old_size, *dense};
    return take({layout, resize(layout, size, old_size), host}, start,
                fmt::format("resize([{}])", fmt::join(size, ", ")));
  }

  // The arguments of a rescale from the dtype to the closing parenthesis.
  SpyreTensorLayout conversion(const SpyreTensorLayout& layout, std::size_t start, bool as_upstream) {
    in_.skip_space();
    const std::size_t at = in_.offset();
    const std::string_view dtype = in_.dotted_name("a dtype such as torch.float16");
    const auto format = dtype.starts_with("DataFormats.") ? device_format(dtype) : device_format_of_torch(dtype);
    if (!format) in_.fail(format.error().code, format.error().message, at);
    Conversion conversion;
    conversion.as_upstream = as_upstream;
    std::optional<std::vector<Index>> size;
    std::optional<std::vector<Index>> strides;
    names_host_ = false;
    seen_ = 0;
    while (in_.accept(",") && in_.peek() != ')') option(conversion, size, strides);
    in_.expect(")");
    if (in_.failed()) return {};
    conversion.format = *format;
    if (names_host_ || !as_upstream) conversion.host = constructed_host(layout);
    if (names_host_ && !conversion.host && !size)
      in_.fail(ErrorCode::Value, "host_size names the size that a constructor was given, and this layout is raw",
               start);
    if (size && !take_host(conversion, *size, strides, start)) return {};
    if (!size && strides) in_.fail(ErrorCode::Value, "host strides without a host size", start);
    if (in_.failed()) return {};
    auto host = conversion.host ? conversion.host : constructed_host(layout);
    if (const auto of = map::host_strides(tensor_); !host && of && !resized_later()) host = Host{tensor_.size, *of};
    return take({layout, rescale(layout, conversion), host}, start, fmt::format("rescale({})", dtype));
  }

  void option(Conversion& conversion, std::optional<std::vector<Index>>& size,
              std::optional<std::vector<Index>>& strides) {
    const char next = in_.peek();
    const std::size_t at = in_.offset();
    if (next == '(' || next == '[') {
      once(kSize, at);
      size = in_.integer_list("a host size");
      return;
    }
    const std::string_view name = in_.dotted_name("extent=…, host_size=… or an ElementArrangement");
    const bool given = in_.accept("=");
    const bool is_size = name == "host_size";
    const bool is_strides = name == "host_stride" || name == "host_strides";
    if (given && (name == "extent" || name == "stick_extent")) {
      once(kExtent, at);
      conversion.extent = in_.integer("the number of elements along the stick's dimension");
    } else if (is_size || is_strides) {
      once(is_size ? kSize : kStrides, at);
      const char value = given ? in_.peek() : 'h';
      if (value == '(' || value == '[') {
        (is_size ? size : strides) = in_.integer_list(name);
      } else {
        if (given) in_.dotted_name("a list");
        names_host_ = true;
      }
    } else if (given && (name == "ea" || name == "element_arrangement")) {
      once(kArrangement, at);
      arrange(conversion, in_.dotted_name("an ElementArrangement"));
    } else if (!given && name.starts_with("ElementArrangement.")) {
      once(kArrangement, at);
      arrange(conversion, name);
    } else {
      in_.fail(ErrorCode::Syntax,
               fmt::format("unknown argument '{}'; expected extent, host_size, host_stride or an "
                           "ElementArrangement",
                           name),
               at);
    }
  }

  enum Option : unsigned { kExtent = 1, kSize = 2, kStrides = 4, kArrangement = 8 };

  void once(Option option, std::size_t at) {
    if ((seen_ & option) != 0) in_.fail(ErrorCode::Syntax, "an argument of a rescale is given twice", at);
    seen_ |= option;
  }

  static void arrange(Conversion& conversion, std::string_view name) {
    conversion.arrangement = std::string(name.substr(name.rfind('.') + 1));
  }

  // The host in the arguments of a rescale. False: it is wrong, or not the constructor's.
  bool take_host(Conversion& conversion, const std::vector<Index>& size,
                 const std::optional<std::vector<Index>>& strides, std::size_t start) {
    if (conversion.host && conversion.host->size != size) {
      in_.fail(ErrorCode::Value,
               fmt::format("the host size is given as [{}], the constructor was given [{}]", fmt::join(size, ", "),
                           fmt::join(conversion.host->size, ", ")),
               start);
      return false;
    }
    if (conversion.host && !strides) return true;
    map::Tensor host;
    host.size = size;
    host.strides = strides;
    const auto known = map::host_strides(host);
    if (!known) in_.fail(known.error().code, known.error().message, start);
    if (known) conversion.host = Host{size, *known};
    return known.has_value();
  }

  // A derivation, with the tensor before it where that is known.
  struct Step {
    const SpyreTensorLayout& before;
    Result<SpyreTensorLayout> after;
    std::optional<Host> host;
    std::optional<Index> to = {};
  };

  SpyreTensorLayout take(const Step& step, std::size_t start, const std::string& what) {
    const auto& [before, after, host, to] = step;
    if (!after) {
      in_.fail(after.error().code, fmt::format("{}: {}", what, after.error().message), start);
      return {};
    }
    notes_.push_back(fmt::format("{}: device_size [{}] -> [{}], stride_map [{}] -> [{}]", what,
                                 fmt::join(before.device_size, ", "), fmt::join(after->device_size, ", "),
                                 fmt::join(before.stride_map, ", "), fmt::join(after->stride_map, ", ")));
    SpyreTensorLayout out = *after;
    out.notes = before.notes;
    out.unsupported = before.unsupported;
    if (out.unsupported.empty() && !lawless_) add_law(what, {before, out, host, constructed_host(out), to});
    return out;
  }

  // The result of a derivation, and its law.
  void add_law(const std::string& what, const Derived& derived) {
    lawless_ = true;
    if (derived_.size() == kMostLaws) return;
    const auto law = law_of(derived);
    if (!law) return;
    const Host& host = derived.host_after ? *derived.host_after : *derived.host;
    map::Tensor of = tensor_;
    if (of.size != host.size) of = {}, of.size = host.size, of.strides = host.strides;
    auto result = lower(derived.after, of), expected = lower(*law, of);
    if (!result || !expected) return;
    derived_.push_back({what, std::move(*result), std::move(*expected)});
    lawless_ = false;
  }

  [[nodiscard]] bool resized_later() const { return text_.find(".resize", in_.offset()) != std::string_view::npos; }

  std::string_view text_;
  Cursor in_;
  const map::Tensor& tensor_;
  std::vector<std::string> notes_;
  std::vector<use::Derivation> derived_;
  bool lawless_ = false;
  unsigned seen_ = 0;        // the options of the rescale being read
  bool names_host_ = false;  // the rescale being read has a bare host_size
};

// Whether a derivation follows the layout, or encloses it.
bool is_derived(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  if (text.substr(start).starts_with(kRescale)) return true;
  const auto end = call_end(text, start);
  const std::size_t next = end ? text.find_first_not_of(" \t\r\n", *end) : std::string_view::npos;
  return next != std::string_view::npos && text[next] == '.';
}

}  // namespace

Result<Expression> read_expression(std::string_view text, const map::Tensor& tensor) {
  if (is_derived(text)) return ExpressionReader(text, tensor).read();
  auto layout = read_for(text, tensor);
  if (!layout) return layout.error();
  return Expression{std::move(*layout), {}};
}

}  // namespace vl::spyre
