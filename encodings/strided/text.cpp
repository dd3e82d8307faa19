// The base of a text: which lists it has, and in which unit.
#include <algorithm>
#include <array>

#include "encodings/strided/strided.h"

namespace vl::strided {
namespace {

constexpr std::array<std::string_view, 16> kFields = {
    "size",  "sizes", "shape", "stride", "strides",  "offset",  "storage_offset", "byte_offset",
    "dtype", "type",  "nb",    "ne",     "itemsize", "typestr", "memory_format",  "ndim"};
constexpr Index kMostBytes = 64;
constexpr std::array<std::string_view, 5> kArrays = {"np", "numpy", "jnp", "cupy", "jax.numpy"};
constexpr std::array<std::string_view, 7> kOfNoPlace = {
    "device", "pin_memory", "requires_grad", "is_pinned", "generator", "data", "ctx"};
constexpr std::array<std::string_view, 6> kDense = {"arange", "empty", "zeros", "ones", "rand", "randn"};

bool is_in(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}
std::string_view last_of(std::string_view name) { return name.substr(name.rfind('.') + 1); }
std::string_view module_of(std::string_view name) {
  return name.substr(0, name.size() - std::min(name.size(), last_of(name).size() + 1));
}
bool is_call_of_strides(std::string_view name) {
  return name.starts_with("empty_strided") || name == "reinterpret_tensor" || name == "as_strided" ||
         name == "assert_size_stride";
}
bool is_fixed(std::string_view name) { return name == "FixedLayout" || name == "FlexibleLayout"; }

// The physical order of the dimensions N, C, D, H, W of a memory format, slowest first; empty: another word.
std::vector<std::size_t> order_of(std::string_view format, std::size_t rank) {
  constexpr std::array<std::string_view, 4> kFirst = {"NC", "NCW", "NCHW", "NCDHW"};
  if (format == "contiguous_format" || (rank > 1 && rank < 6 && format == kFirst[rank - 2])) {
    std::vector<std::size_t> out(rank);
    for (std::size_t k = 0; k < rank; ++k) out[k] = k;
    return out;
  }
  if ((format == "NWC" && rank == 3) || ((format == "channels_last" || format == "NHWC") && rank == 4) ||
      ((format == "channels_last_3d" || format == "NDHWC") && rank == 5)) {
    std::vector<std::size_t> out = {0};
    for (std::size_t k = 2; k < rank; ++k) out.push_back(k);
    out.push_back(1);
    return out;
  }
  return {};
}

// An exact quotient; nothing where the form does not show one.
std::optional<Index> divided(Index a, Index by) { return a % by == 0 ? std::optional(a / by) : std::nullopt; }
std::optional<map::Expression> divided(const map::Expression& a, Index by) {  // NOLINT(misc-no-recursion)
  using Kind = map::Expression::Kind;
  if (const auto number = a.number()) {
    const auto out = divided(*number, by);
    return out ? std::optional<map::Expression>(*out) : std::nullopt;
  }
  if (a.kind() != Kind::Sum && a.kind() != Kind::Difference && a.kind() != Kind::Product) return std::nullopt;
  const map::Expression &first = a.parts()[0], &second = a.parts()[1];
  const auto left = divided(first, by), right = divided(second, by);
  if (a.kind() == Kind::Product) {
    if (left) return *left * second;
    return right ? std::optional(first * *right) : std::nullopt;
  }
  return left && right ? std::optional(map::Expression::of(a.kind(), *left, *right)) : std::nullopt;
}

template <class N>
class Base {
 public:
  Base(use::Numbers<N>& text, Said<N>& said, std::optional<map::ElementType> given)
      : text_(text), in_(text.in), said_(said), given_(given) {}

  void take() {
    const char next = in_.peek();
    if (in_.accept("memref")) return take_memref(text_, said_);
    if (next == '(' || next == '[' || (next == '{' && !is_dictionary())) {
      size_ = list();
      in_.accept(",");
      take_fields();
    } else if (next == '{') {
      in_.expect("{");
      unit_ = Unit::Bytes;
      take_fields();
      in_.expect("}");
    } else if (!take_call()) {
      take_fields();
    }
    finish();
  }

 private:
  enum class Unit { Unknown, Elements, Bytes };

  [[nodiscard]] bool is_dictionary() const {
    Cursor look = in_;
    look.expect("{");
    return look.peek() == '\'' || look.peek() == '"';
  }

  std::vector<N> list() {
    if (!in_.accept("torch.Size") && !in_.accept("Size")) return take_list(text_);
    in_.expect("(");
    std::vector<N> out = take_list(text_);
    in_.expect(")");
    return out;
  }

  // KEY[=:]VALUE, …; what does not begin with a key is left.
  void take_fields() {
    while (!in_.failed()) {
      Cursor look = in_;
      look.accept(",");
      look.skip_space();
      const std::size_t at = look.offset();
      const std::string_view quote = look.accept("'") ? "'" : look.accept("\"") ? "\"" : "";
      const bool torch = look.accept("torch.Size");
      if (torch) look.move_to(look.offset() - 10);
      const std::string_view key = torch ? "size" : look.identifier("a field");
      if (look.failed() || !is_in(key, kFields) || (torch && size_)) break;
      in_.move_to(look.offset());
      if (!quote.empty()) in_.expect(quote);
      if (!torch && !in_.accept("=")) in_.accept(":");
      take_field(key, at);
    }
  }

  void take_field(std::string_view key, std::size_t at) {
    const auto set = [&](auto& where, auto value) {
      if (where) in_.fail(ErrorCode::Syntax, fmt::format("'{}' is stated twice", key), at);
      where = std::move(value);
    };
    if (key == "size" || key == "sizes" || key == "shape") set(size_, list());
    if (key == "size" || key == "sizes") elements();
    if (key == "ne") set(size_, list()), ggml_ = true;
    if (key == "stride" || key == "strides" || key == "nb") {
      if (key == "stride") elements();
      if (key == "nb") unit_ = Unit::Bytes, ggml_ = true;
      strides_at_ = at;
      set(stride_, list());
      if (in_.accept("bytes")) unit_ = Unit::Bytes;
      else if (in_.accept("elements")) unit_ = Unit::Elements;
    }
    if (key.ends_with("offset")) {
      offset_in_bytes_ = key == "byte_offset" ? std::optional(true)
                         : key == "offset"    ? std::nullopt
                                              : std::optional(false);
      set(offset_, take_number(text_));
    }
    if (key == "itemsize") {
      const Index bytes = in_.integer("the bytes of an element");
      if (bytes < 1 || bytes > kMostBytes) in_.fail(ErrorCode::Value, "expected an itemsize of 1 to 64", at);
      set(itemsize_, bytes);
      if (unit_ == Unit::Unknown) unit_ = Unit::Bytes;
    }
    if (key == "ndim") static_cast<void>(in_.integer("the number of dimensions"));
    if (key == "dtype" || key == "type" || key == "typestr") take_type();
    if (key == "memory_format") format_ = last_of(in_.dotted_name("a memory format")), format_at_ = at;
  }
  void elements() {
    if (unit_ == Unit::Unknown) unit_ = Unit::Elements;
  }

  // float64, torch.float32, np.dtype('float64'), '<f8', "float32".
  void take_type() {
    in_.skip_space();
    const std::size_t at = in_.offset();
    const bool call = in_.accept("np.dtype") || in_.accept("dtype");
    if (call) in_.expect("(");
    const std::string_view quote = in_.accept("'") ? "'" : in_.accept("\"") ? "\"" : "";
    const bool array = in_.accept("<") || in_.accept("|");
    std::string name(in_.dotted_name("an element type"));
    arrays_ = arrays_ || !name.starts_with("torch.");
    if (!quote.empty()) in_.expect(quote);
    if (call) in_.expect(")");
    if (in_.failed()) return;
    if (is_in(module_of(name), kArrays)) name = last_of(name);
    if (array && name.size() == 2) name = fmt::format("{}{}", name[0], (name[1] - '0') * 8);
    if (name.starts_with("b8")) name = "bool";
    said_.type = map::element_type_of(name);
    if (!said_.type) said_.refuse(ErrorCode::Value, fmt::format("'{}' is no element type of this program", name), at);
  }

  bool take_call() {
    Cursor look = in_;
    const std::string_view name = look.dotted_name("a strided view, as in size=(2, 3), stride=(3, 1)");
    if (look.failed() || look.peek() != '(' || name == "torch.Size") return false;
    const std::string_view word = last_of(name);
    const bool buffer = word != "empty_strided" && !word.starts_with("empty_strided_");
    if (!is_call_of_strides(word) && !is_fixed(word) && word != "DLTensor" && !is_in(word, kDense)) return false;
    in_.move_to(look.offset());
    in_.expect("(");
    said_.numpy = is_in(module_of(name), kArrays) || name.find("stride_tricks") != name.npos;
    unit_ = Unit::Elements;
    if (word == "DLTensor") {
      take_fields();
    } else if (is_fixed(word)) {
      static_cast<void>(in_.expression("a device"));
      in_.expect(",");
      take_type();
      take_fields();
    } else if (is_in(word, kDense)) {
      const std::size_t at = in_.offset();
      take_sizes();
      if (word == "arange" && size_ && size_->size() != 1)
        said_.refuse(ErrorCode::Value,
                     fmt::format("arange of {} numbers is not read; expected one size", size_->size()), at);
    } else {
      if (said_.numpy)
        said_.refuse(ErrorCode::Value, "the strides are bytes, and the size of an element is not stated", in_.offset());
      if (buffer) static_cast<void>(in_.expression("a buffer")), in_.expect(",");
      size_ = list();
      in_.expect(",");
      stride_ = list();
      if (buffer && word != "assert_size_stride" && in_.accept(","))
        in_.accept("storage_offset="), offset_ = take_number(text_);
      if (word == "assert_size_stride" && in_.accept(",")) static_cast<void>(in_.expression("an operator"));
    }
    take_rest();
    in_.expect(")");
    return true;
  }
  void take_sizes() {
    if (in_.peek() == '(' || in_.peek() == '[') {
      size_ = list();
      return;
    }
    size_.emplace();
    while (in_.peek() != ')' && !in_.failed()) {
      Cursor look = in_;
      look.accept(",");
      look.identifier("a keyword");
      if (!look.failed() && look.accept("=")) break;
      if (!size_->empty()) in_.expect(",");
      size_->push_back(take_number(text_));
    }
  }
  // Further arguments: a type, a memory format, and what says nothing of places. Others may, and are refused.
  void take_rest() {
    while (!in_.failed() && in_.accept(",") && in_.peek() != ')') {
      in_.skip_space();
      const std::size_t at = in_.offset();
      Cursor look = in_;
      const std::string_view name = look.dotted_name("an argument");
      if (!look.failed() && look.accept("=")) in_.move_to(look.offset()), take_named(name, at);
      else if (!look.failed() && map::element_type_of(std::string(last_of(name)))) take_type();
      else refuse_argument(in_.expression("an argument"), at);
    }
  }
  void take_named(std::string_view name, std::size_t at) {
    if (name == "dtype") return take_type();
    in_.skip_space();
    const std::size_t start = in_.offset();
    const std::string_view value = in_.expression("an argument");
    if (name == "memory_format") format_ = last_of(value), format_at_ = start;
    else if (!is_in(name, kOfNoPlace) && value != "None") refuse_argument(fmt::format("{}=", name), at);
  }
  void refuse_argument(std::string_view argument, std::size_t at) {
    said_.refuse(ErrorCode::Value, fmt::format("argument {} is not read: it may say where elements lie", argument), at);
  }

  // The view of what was said.
  void finish() {
    if (in_.failed()) return;
    if (!size_) return in_.fail("expected a shape, as in size=(2, 3), stride=(3, 1)");
    said_.strides = stride_.has_value();
    if (unit_ == Unit::Unknown && said_.type && arrays_) unit_ = Unit::Bytes;
    for (const N& size : *size_)
      if (known(size).value_or(0) < 0) said_.refuse(ErrorCode::Value, fmt::format("a size of {}", words(size)), 0);
    if (stride_ && stride_->size() != size_->size())
      return said_.refuse(
          ErrorCode::Shape,
          fmt::format("{} for {}", plural(std::ssize(*stride_), "stride"), plural(std::ssize(*size_), "size")),
          strides_at_);
    if (ggml_) {
      std::ranges::reverse(*size_);
      if (stride_) std::ranges::reverse(*stride_);
    }
    said_.view.size = *size_;
    if (stride_) said_.view.stride = in_elements();
    else said_.view.stride = formatted();
    if (offset_ && !said_.wrong) {
      const bool bytes = offset_in_bytes_.value_or(unit_ == Unit::Bytes);
      said_.view.offset = bytes ? elements_of(*offset_) : *offset_;
    }
    said_.numpy = said_.numpy || unit_ == Unit::Bytes;
  }
  std::vector<N> formatted() {
    if (format_.empty()) return dense(text_, *size_);
    const auto order = order_of(format_, size_->size());
    if (order.empty())
      said_.refuse(ErrorCode::Value,
                   fmt::format("'{}' is no memory format of {}; expected contiguous_format, channels_last, NHWC, …",
                               format_, plural(std::ssize(*size_), "dimension")),
                   format_at_);
    return order.empty() ? *size_ : dense(text_, *size_, order);
  }
  std::vector<N> in_elements() {
    if (!format_.empty())
      said_.refuse(ErrorCode::Value, "strides and a memory format; expected one of them", format_at_);
    if (unit_ == Unit::Unknown)
      said_.refuse(ErrorCode::Value,
                   "the unit of 'strides' is not stated; write dtype= or itemsize= for bytes, as NumPy prints them, or "
                   "'elements' or 'bytes' after the list",
                   strides_at_);
    std::vector<N> out = *stride_;
    if (unit_ == Unit::Bytes)
      for (N& stride : out) stride = elements_of(stride);
    return out;
  }
  N elements_of(const N& bytes) {
    const auto type = said_.type ? said_.type : given_;
    Index each = itemsize_.value_or(0);
    if (type && map::bits(*type) % 8 == 0 && !itemsize_) each = map::bits(*type) / 8;
    const bool same = !itemsize_ || !type || map::bits(*type) == *itemsize_ * 8;
    if (each < 1 || !same) {
      said_.refuse(ErrorCode::Value,
                   same ? "strides in bytes of elements that have no known number of bytes"
                        : fmt::format("elements of {} bytes; the type has {} bits", *itemsize_, map::bits(*type)),
                   strides_at_);
      return bytes;
    }
    const auto out = divided(bytes, each);
    if (!out)
      said_.refuse(ErrorCode::Value,
                   fmt::format("{} bytes are no whole number of elements of {} bytes", words(bytes), each),
                   strides_at_);
    return out.value_or(bytes);
  }

  use::Numbers<N>& text_;
  Cursor& in_;
  Said<N>& said_;
  std::optional<map::ElementType> given_;
  std::optional<std::vector<N>> size_, stride_;
  std::optional<N> offset_;
  std::optional<Index> itemsize_;
  std::optional<bool> offset_in_bytes_;
  Unit unit_ = Unit::Unknown;
  bool ggml_ = false, arrays_ = false;
  std::string_view format_ = {};
  std::size_t strides_at_ = 0, format_at_ = 0;
};

}  // namespace

template <class N>
Said<N> take_said(use::Numbers<N>& text, std::optional<map::ElementType> given) {
  Said<N> out;
  Base<N>(text, out, given).take();
  take_steps(text, out);
  return out;
}
template Said<Index> take_said(use::Numbers<Index>&, std::optional<map::ElementType>);
template Said<map::Expression> take_said(use::Numbers<map::Expression>&, std::optional<map::ElementType>);

bool recognises(std::string_view text) {
  Cursor in(text);
  const char next = in.peek();
  if (next == '(' || next == '[' || next == '{') {
    const std::string_view list = in.expression("a list");
    std::size_t after = in.offset();
    if (in.failed() || list.empty()) return false;
    if (next == '{' && list.find("shape") < 4) return true;
    const std::size_t open = list.find(list.front() == '(' ? ')' : list.front() == '[' ? ']' : '}');
    if (open + 1 < list.size()) after = static_cast<std::size_t>(list.data() - text.data()) + open + 1;
    Cursor rest(text);
    rest.move_to(after);
    rest.accept(",");
    return rest.accept("stride") || rest.accept("strides");
  }
  if (in.accept("memref")) {
    const bool shard = text.find("#ttcore.") != text.npos || text.find("#tt.") != text.npos;
    return in.peek() == '<' && !shard;
  }
  const std::string_view name = in.dotted_name("a name"), word = last_of(name);
  if (in.failed()) return false;
  if (in.peek() == '(' && name != "size" && name != "shape")
    return name == "torch.Size" || is_call_of_strides(word) || is_fixed(word) || word == "DLTensor" ||
           is_in(word, kDense);
  constexpr std::array<std::string_view, 5> kFirst = {"size", "sizes", "shape", "ne", "nb"};
  return is_in(name, kFirst) && (in.accept("=") || in.accept(":") || in.peek() == '(' || in.peek() == '[');
}

}  // namespace vl::strided
