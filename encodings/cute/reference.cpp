// CuTe layouts, the second meaning: the coordinate mappings of 01_layout.md and the functions of its C++ headers, one
// after the other. A number becomes the address mode by mode, from the first to the last,
//   crd2idx(c, (s_0, …, s_n), (d_0, …, d_n)) = Σ crd2idx(c mod |s_k|, s_k, d_k), c div |s_k| for what follows,
//   crd2idx(c, s, d) = c · d for one integer s,
// then the swizzle: x xor shift((offset + address) & mask). It uses neither the IR nor the family's parser: a text is
// cut into words, and brackets are matched while the tree is made.
#include "encodings/use/reference.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string>

namespace vl::cute {
namespace {

Error wrong(std::string message) { return Error{ErrorCode::Value, std::move(message), 0}; }

// Words of letters and digits, integers, and single characters. The names' prefix, cute:: or cute., is left out.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at;
    } else if (letter(c) || c == '_' || c == '-' || c == '+') {
      std::size_t end = at + 1;
      while (end < text.size() && (letter(text[end]) || text[end] == '_' || (text[end] == '-' && text[end - 1] == '_')))
        ++end;
      out.emplace_back(text.substr(at, end - at));
      at = end;
    } else if (c == '.' || text.substr(at).starts_with("::")) {
      if (!out.empty()) out.pop_back();
      at += c == '.' ? 1 : 2;
    } else {
      out.emplace_back(1, c);
      ++at;
    }
  }
  return out;
}

// A tuple, or one integer.
struct Tree {
  bool one = true;
  Index value = 0;
  std::vector<Tree> children;
};

struct Said {
  Tree shape, stride;
  bool swizzled = false;
  std::array<Index, 3> bits_base_shift{};
  Index offset = 0;
};

class Words {
 public:
  explicit Words(std::string_view text) : words_(words_of(text)) {}

  Result<Said> read() {
    Said out;
    read_layout(out);
    if (at_ != words_.size()) stop("something is left behind the layout");
    if (!why_.empty()) return wrong(why_);
    return out;
  }

 private:
  void stop(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    at_ = words_.size();
  }
  [[nodiscard]] std::string_view next(std::size_t ahead = 0) const {
    return at_ + ahead < words_.size() ? std::string_view(words_[at_ + ahead]) : std::string_view();
  }
  bool skip(std::string_view word) {
    if (next() != word) return false;
    ++at_;
    return true;
  }
  void need(std::string_view word) {
    if (!skip(word)) stop("expected " + std::string(word));
  }
  void skip_braces() {
    if (skip("{")) need("}");
  }
  // "(" … ")".
  void skip_group() {
    need("(");
    for (int open = 1; open > 0 && at_ < words_.size(); ++at_) open += next() == "(" ? 1 : next() == ")" ? -1 : 0;
  }

  static bool is_number(std::string_view word) {
    if (word.starts_with("_") || word.starts_with("+")) word.remove_prefix(1);
    if (word.starts_with("-")) word.remove_prefix(1);
    return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
  }
  Index number() {
    if ((next() == "Int" || next() == "C") && next(1) == "<") {
      at_ += 2;
      const Index value = sum();
      need(">");
      skip_braces();
      return value;
    }
    std::string word(next());
    if (!is_number(word)) {
      stop("expected a number");
      return 0;
    }
    ++at_;
    if (word[0] == '_' || word[0] == '+') word.erase(0, 1);
    Index value = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), value).ec != std::errc{})
      stop("a number beyond 64 bits");
    skip_braces();
    return value;
  }

  // Arithmetic with the precedences of C++; of numbers below 0 nothing is divided. A sign may be part of a number's
  // word.
  Index sum() {
    Index out = product();
    while (why_.empty()) {
      const bool has_sign = is_number(next()) && (next().front() == '-' || next().front() == '+');
      const bool less = !has_sign && next() == "-";
      if (!has_sign && !skip("+") && !skip("-")) break;
      const Index other = product();
      if (less ? __builtin_sub_overflow(out, other, &out) : __builtin_add_overflow(out, other, &out))
        stop("a number beyond 64 bits");
    }
    return out;
  }
  Index product() {
    Index out = factor();
    while (why_.empty() && (next() == "*" || next() == "/" || next() == "%")) {
      const char sign = next().front();
      ++at_;
      if (sign == '/') skip("/");
      const Index other = factor();
      if (sign == '*' && __builtin_mul_overflow(out, other, &out)) stop("a number beyond 64 bits");
      if (sign != '*' && (out < 0 || other < 1)) stop("a division of numbers below 0");
      if (sign != '*' && why_.empty()) out = sign == '/' ? out / other : out % other;
    }
    return out;
  }
  Index factor() {
    if (skip("(")) {
      const Index inner = sum();
      need(")");
      return inner;
    }
    const bool divides = next() == "ceil_div", rounds = next() == "round_up";
    if (!divides && !rounds) return number();
    ++at_;
    need("(");
    const Index a = sum();
    need(",");
    const Index b = sum();
    need(")");
    if (a < 0 || b < 1) stop("a division of numbers below 0");
    if (!why_.empty()) return 0;
    const Index up = a / b + (a % b == 0 ? 0 : 1);
    return divides ? up : up * b;
  }

  Tree tree(int depth = 0) {
    Tree out;
    if (depth > 200) stop("too deep");
    const std::string_view word = next();
    const bool called = word == "Shape" || word == "Stride" || word == "Step" || word == "Tile" || word == "tuple" ||
                        word == "Coord" || word.starts_with("make_");
    if (called) ++at_;
    const std::string_view open = next();
    if (open != "(" && open != "[" && open != "<") {
      out.value = sum();
      return out;
    }
    const std::size_t start = at_;
    const std::string_view close = open == "(" ? ")" : open == "[" ? "]" : ">";
    ++at_;
    out.one = false;
    while (why_.empty() && !skip(close)) {
      out.children.push_back(tree(depth + 1));
      if (!skip(",") && next() != close) stop("expected a comma");
    }
    if (called) skip_braces();
    else if (why_.empty() && open == "(" && is_operator()) {  // (2 + 3)*4
      at_ = start;
      out = {true, sum(), {}};
    }
    return out;
  }
  [[nodiscard]] bool is_operator() const {
    const std::string_view word = next();
    return word == "*" || word == "/" || word == "%" || word.starts_with("+") || word.starts_with("-");
  }

  bool read_swizzle(Said& out) {
    const std::string word(next());
    if (word.starts_with("SW_")) {
      ++at_;
      std::size_t from = 3;
      for (Index& each : out.bits_base_shift) {
        const std::size_t end = std::min(word.find('_', from), word.size());
        if (!is_number(word.substr(from, end - from)) || word[from] == '_') stop("expected SW_B_M_S");
        else std::from_chars(word.data() + from, word.data() + end, each);
        from = std::min(end + 1, word.size());
      }
      if (skip("-")) stop("a swizzle that is not read");
      return out.swizzled = true;
    }
    if (word != "S" && word != "Sw" && word != "Swizzle") return false;
    ++at_;
    const std::string_view close = next() == "<" ? ">" : ")";
    ++at_;
    for (std::size_t k = 0; k < 3; ++k) {
      out.bits_base_shift[k] = number();
      if (k < 2) need(",");
    }
    need(close);
    skip_braces();
    return out.swizzled = true;
  }

  void read_layout(Said& out) {
    std::string_view separator = "o", close;
    if (next() == "ComposedLayout" || next() == "composition") {
      ++at_;
      close = next() == "<" ? ">" : ")";
      ++at_;
      separator = ",";
    }
    if (read_swizzle(out)) {
      need(separator);
      if (next() == "smem_ptr") {
        const std::string bits(next(2));  // smem_ptr [ 16b ] ( … )
        Index width = 0;
        std::from_chars(bits.data(), bits.data() + bits.size(), width);
        for (at_ += 3; at_ < words_.size() && !skip("]");) ++at_;
        skip_group();
        need(separator);
        // The swizzle counts bytes: an element of 8·2^n bits is 2^n of them.
        for (; width > 8; width /= 2) --out.bits_base_shift[1];
        for (; width < 8 && width > 0; width *= 2) ++out.bits_base_shift[1];
      } else if (has_offset(separator)) {
        out.offset = sum();
        need(separator);
      }
    }
    read_plain(out);
    if (!close.empty()) need(close), skip_braces();
  }

  // Whether a number and the separator follow.
  bool has_offset(std::string_view separator) {
    const std::size_t start = at_;
    static_cast<void>(sum());
    const bool found = why_.empty() && next() == separator;
    at_ = start;
    why_.clear();
    return found;
  }

  void read_plain(Said& out) {
    std::string_view close;
    if (next() == "Layout" || next() == "make_layout") {
      ++at_;
      close = next() == "<" ? ">" : ")";
      ++at_;
    }
    out.shape = tree();
    if (skip(":") || (!close.empty() && skip(","))) {
      const std::string_view rule = next();
      const bool right = rule == "LayoutRight" || rule == "GenRowMajor";
      if (right || rule == "LayoutLeft" || rule == "GenColMajor") {
        ++at_;
        skip_braces();
        Index step = 1;
        out.stride = compact(out.shape, step, right);
      } else {
        if (next() == "stride" && next(1) == "=") at_ += 2;
        out.stride = tree();
      }
    } else {
      if (close.empty()) stop("a shape without a stride");
      Index step = 1;
      out.stride = compact(out.shape, step, false);
    }
    if (!close.empty()) need(close), skip_braces();
  }

  Tree compact(const Tree& shape, Index& step, bool backwards) {
    Tree out{shape.one, step, shape.children};
    if (shape.one && __builtin_mul_overflow(step, shape.value, &step)) stop("a size beyond 64 bits");
    if (backwards) std::ranges::reverse(out.children);
    for (Tree& child : out.children) child = compact(child, step, backwards);
    if (backwards) std::ranges::reverse(out.children);
    return out;
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::string why_;
};

// The product of a shape; nothing for an extent below 1 or beyond 64 bits.
std::optional<Index> size_of(const Tree& shape) {
  if (shape.one) return shape.value >= 1 ? std::optional(shape.value) : std::nullopt;
  Index out = 1;
  for (const Tree& child : shape.children) {
    const auto size = size_of(child);
    const auto product = size ? checked_mul(out, *size) : std::nullopt;
    if (!product) return std::nullopt;
    out = *product;
  }
  return out;
}

bool alike(const Tree& a, const Tree& b) { return a.one == b.one && std::ranges::equal(a.children, b.children, alike); }

// The address of coordinate c; false beyond 64 bits.
bool crd2idx(Index c, const Tree& shape, const Tree& stride, Index& sum) {
  if (shape.one) return accumulate(sum, c, stride.value);
  for (std::size_t k = 0; k < shape.children.size(); ++k) {
    const Index size = *size_of(shape.children[k]);
    const bool last = k + 1 == shape.children.size();
    if (!crd2idx(last ? c : c % size, shape.children[k], stride.children[k], sum)) return false;
    c /= size;
  }
  return true;
}

// The largest and the least address before the swizzle.
bool reach(const Tree& shape, const Tree& stride, Index& low, Index& high) {
  if (shape.one) return accumulate(stride.value < 0 ? low : high, stride.value, shape.value - 1);
  for (std::size_t k = 0; k < shape.children.size(); ++k)
    if (!reach(shape.children[k], stride.children[k], low, high)) return false;
  return true;
}

Index swizzled(const std::array<Index, 3>& bits_base_shift, Index x) {
  const auto& [bits, base, shift] = bits_base_shift;
  const Index ones = (Index{1} << bits) - 1;
  const Index from = base + std::max<Index>(shift, 0), to = base - std::min<Index>(shift, 0);
  return x ^ (((x >> from) & ones) << to);
}

Result<use::Slots> slots(std::string_view text, const map::Tensor& tensor) {
  auto said = Words(text).read();
  if (!said) return said.error();
  if (!alike(said->shape, said->stride)) return wrong("shape and stride nest differently");
  const auto size = size_of(said->shape);
  Index elements = 1;
  for (const Index extent : tensor.size)
    if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements)) return wrong("a tensor beyond 64 bits");
  if (!size || *size != elements) return wrong("another number of elements, or an extent below 1");
  const auto& [bits, base, shift] = said->bits_base_shift;
  const Index far = shift < 0 ? -shift : shift;
  if (said->swizzled && (bits < 0 || base < 0 || bits > far || far > 62 || base > 62 || base + bits + far > 62) &&
      bits != 0)
    return wrong("a swizzle that is none");
  Index low = said->offset, high = said->offset;
  if (!reach(said->shape, said->stride, low, high)) return wrong("an address beyond 64 bits");
  if (said->swizzled && bits > 0 && low < 0) return wrong("a swizzle of negative addresses");
  const auto span = checked_add(high, 1);
  if (!span) return wrong("a span beyond 64 bits");
  const Index end = tensor.box.empty() ? *span : tensor.box.front().extent;
  return use::Slots([said = std::move(*said), size = tensor.size, end](std::span<const Index> x) {
    Index number = 0, step = 1;
    for (std::size_t d = 0; d < x.size(); ++d) {
      number += x[d] * step;
      step *= size[d];
    }
    // The shape's own last mode takes what is left; crd2idx gives it the same, because the number is below the size.
    Index address = said.offset;
    if (!crd2idx(number, said.shape, said.stride, address)) return std::vector<Point>{};
    const Index place =
        said.swizzled && said.bits_base_shift[0] > 0 ? swizzled(said.bits_base_shift, address) : address;
    return place >= 0 && place < end ? std::vector<Point>{{place}} : std::vector<Point>{};
  });
}

}  // namespace

const use::Reference& reference() {
  static constexpr use::Reference kReference{"cute", slots};
  return kReference;
}

}  // namespace vl::cute
