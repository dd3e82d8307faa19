// Strided views, the second meaning: a base is Σ stride·x, and each step says which element of the view before it an
// element is. Strides of a view are never computed; a reshape is a view where its places are affine in its own indices.
#include "encodings/use/reference.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

namespace vl::strided {
namespace {

using List = std::vector<Index>;
using PlaceOf = std::function<Index(const List&)>;

struct Seen {
  List size;
  PlaceOf at;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_figure(char c) { return c >= '0' && c <= '9'; }

// Names with their dots, integers with their sign, and signs by themselves; in sizes x separates: 2x3xf32.
std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    std::size_t end = at + 1;
    if (is_letter(c))
      while (end < text.size() && (is_letter(text[end]) || is_figure(text[end]) || text[end] == '.')) ++end;
    else if (is_figure(c) || (c == '-' && end < text.size() && is_figure(text[end])))
      while (end < text.size() && is_figure(text[end])) ++end;
    else if (text.substr(at, 3) == "...") end = at + 3;
    if (std::string_view(" \t\r\n'\"").find(c) == std::string_view::npos) out.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

bool is_number(const std::string& token) { return is_figure(token.back()) && !is_letter(token.front()); }

Index count_of(const List& size) { return std::accumulate(size.begin(), size.end(), Index{1}, std::multiplies<>()); }
Index number_of(const List& size, const List& x) {
  Index out = 0;
  for (std::size_t k = 0; k < x.size(); ++k) out = out * size[k] + x[k];
  return out;
}
List element_of(const List& size, Index number) {
  List out(size.size());
  for (std::size_t k = size.size(); k-- > 0; number /= size[k]) out[k] = number % size[k];
  return out;
}
Seen dense(const List& size) {
  return {size, [size](const List& x) { return number_of(size, x); }};
}

class Reading {
 public:
  Reading(std::string_view text, const map::Tensor& tensor) : tokens_(tokens_of(text)), tensor_(tensor) {}

  Seen read() {
    take_base();
    while (at_ < tokens_.size()) {
      const std::string step = tokens_[at_++];
      if (step == "[") slices();
      else if (step.starts_with(".")) method(at_ < tokens_.size() ? tokens_[at_++] : "");
    }
    return seen_;
  }

 private:
  [[nodiscard]] bool has(std::string_view word) const { return std::ranges::find(tokens_, word) != tokens_.end(); }
  [[nodiscard]] std::string peek(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : "";
  }

  // All numbers up to the bracket that closes the one here.
  List list() {
    List out;
    int open = 0;
    do {
      const std::string token = at_ < tokens_.size() ? tokens_[at_] : ")";
      if (token == "(" || token == "[" || token == "{") ++open;
      else if (token == ")" || token == "]" || token == "}") --open;
      else if (is_number(token)) out.push_back(std::stoll(token));
      ++at_;
    } while (open > 0 && at_ < tokens_.size());
    return out;
  }

  void take_base() {
    const bool ggml = has("nb"), memref = peek() == "memref";
    std::vector<List> lists;
    std::string key = "size";
    Index offset = 0;
    if (memref) lists.push_back(sizes_of_memref());
    for (bool value = memref; at_ < tokens_.size(); ++at_) {
      const std::string& token = tokens_[at_];
      if (value && (token == "[" || token == ".")) break;  // a step
      value = token == ")" || token == "]" || token == "}" || token == ">" || is_number(token);
      if (is_letter(token.front()) && token != "torch.Size" && token != "Size") {
        key = token.substr(token.rfind('.') + 1);
      }
      const bool opens = token == "(" || token == "[" || (token == "{" && is_number(peek(1)));
      if (opens && (is_number(peek(1)) || peek(1) == ")" || peek(1) == "]")) {
        lists.push_back(list());
        value = true, --at_;
      } else if (is_number(token) && is_offset(key, lists.size() == 2 && !memref)) {
        offset = std::stoll(token);
      }
    }
    List size = lists.empty() ? List{} : lists.front();
    if (ggml) std::ranges::reverse(size);
    numpy_ = bytes() || peek_module();
    if (lists.size() < 2) return named(size);
    List stride = lists[1];
    if (ggml) std::ranges::reverse(stride);
    const Index each = bytes() ? map::bits(tensor_.type) / 8 : 1;
    for (Index& one : stride) one /= each;
    offset /= has("byte_offset") ? map::bits(tensor_.type) / 8 : has("storage_offset") ? 1 : each;
    seen_ = {size, [stride, offset](const List& x) {
               return offset + std::inner_product(x.begin(), x.end(), stride.begin(), Index{0});
             }};
  }
  // A number here: after its key, or the third argument of a call.
  [[nodiscard]] bool is_offset(std::string_view key, bool third) const {
    const std::string& before = tokens_[at_ - 1];
    return before == "," ? third : key.ends_with("offset");
  }
  [[nodiscard]] bool peek_module() const {
    return tokens_.front().starts_with("np.") || tokens_.front().starts_with("numpy.") ||
           tokens_.front().starts_with("jnp.");
  }
  [[nodiscard]] bool bytes() const {
    if (has("nb") || has("itemsize") || has("typestr") || has("bytes")) return true;
    return has("strides") && has("dtype") && !has("DLTensor") && !has("size") && !has("elements");
  }
  List sizes_of_memref() {
    List out;
    for (at_ = 2; at_ < tokens_.size() && tokens_[at_] != "," && tokens_[at_] != ">"; ++at_) {
      std::string token = tokens_[at_];  // 2, x3, xf32 or 2 and x3xf32: an x separates
      for (std::size_t k = 0; k < token.size();) {
        std::size_t end = k;
        while (end < token.size() && is_figure(token[end])) ++end;
        if (end == k && token[k] != 'x') break;
        if (end > k) out.push_back(std::stoll(token.substr(k, end - k)));
        k = std::max(end, k + 1);
      }
    }
    return out;
  }

  // A shape alone, or with a memory format: the channels come last in memory.
  void named(const List& size) {
    seen_ = dense(size);
    const bool last = std::ranges::any_of(tokens_, [](const std::string& token) {
      return token.find("channels_last") != token.npos || token == "NHWC" || token == "NDHWC" || token == "NWC";
    });
    if (!last) return;
    seen_.at = [size](List x) {
      std::rotate(x.begin() + 1, x.begin() + 2, x.end());
      List lies = size;
      std::rotate(lies.begin() + 1, lies.begin() + 2, lies.end());
      return number_of(lies, x);
    };
  }

  // The view of which element x is element from(x) of the one before.
  void see(List size, const std::function<List(const List&)>& from) {
    seen_ = {std::move(size), [at = seen_.at, from](const List& x) { return at(from(x)); }};
  }
  void permute(const List& order) {
    List size;
    for (const Index dim : order) size.push_back(seen_.size[static_cast<std::size_t>(dim)]);
    see(size, [order](const List& x) {
      List out(x.size());
      for (std::size_t k = 0; k < x.size(); ++k) out[static_cast<std::size_t>(order[k])] = x[k];
      return out;
    });
  }
  void reshape(List want, bool copies) {
    const Index all = count_of(seen_.size);
    const auto open = std::ranges::find(want, -1);
    if (open != want.end()) *open = all / -count_of(want);
    const Seen before = seen_;
    see(want, [want, from = before.size](const List& x) { return element_of(from, number_of(want, x)); });
    if (copies && all > 0 && !is_affine()) seen_ = dense(want);
  }
  [[nodiscard]] bool is_affine() const {
    const List& size = seen_.size;
    const Index start = seen_.at(List(size.size(), 0));
    List steps;
    for (std::size_t k = 0; k < size.size(); ++k) {
      List unit(size.size(), 0);
      unit[k] = size[k] > 1 ? 1 : 0;
      steps.push_back(seen_.at(unit) - start);
    }
    for (Index n = 0; n < count_of(size); ++n) {
      const List x = element_of(size, n);
      if (seen_.at(x) != std::inner_product(x.begin(), x.end(), steps.begin(), start)) return false;
    }
    return true;
  }
  void contiguous() {
    for (Index n = 0; n < count_of(seen_.size); ++n)
      if (seen_.at(element_of(seen_.size, n)) != seen_.at(List(seen_.size.size(), 0)) + n) {
        seen_ = dense(seen_.size);
        return;
      }
  }
  // Elements start, start + step, … of a dimension; a dimension of one element may be taken out.
  void pick(std::size_t dim, Index start, Index length, Index step, bool out) {
    List size = seen_.size;
    size[dim] = length;
    if (out) size.erase(size.begin() + static_cast<std::ptrdiff_t>(dim));
    see(size, [=](List x) {
      if (out) x.insert(x.begin() + static_cast<std::ptrdiff_t>(dim), 0);
      x[dim] = start + x[dim] * step;
      return x;
    });
  }
  void insert(std::size_t dim) {
    List size = seen_.size;
    size.insert(size.begin() + static_cast<std::ptrdiff_t>(dim), 1);
    see(size, [dim](List x) {
      x.erase(x.begin() + static_cast<std::ptrdiff_t>(dim));
      return x;
    });
  }

  void method(const std::string& name) {
    const auto rank = static_cast<Index>(seen_.size.size());
    List order(seen_.size.size());
    std::iota(order.begin(), order.end(), Index{0});
    if (name.starts_with("T") || name.starts_with("mT")) {
      std::reverse(name[0] == 'T' ? order.begin() : order.end() - 2, order.end());
      permute(order);
      if (name.find('.') != name.npos) method(name.substr(name.find('.') + 1));
      return;
    }
    const std::size_t open = at_;
    const List n = list();
    const auto dim = [&](std::size_t k) { return static_cast<std::size_t>(n[k] < 0 ? n[k] + rank : n[k]); };
    if (name == "view" || name == "reshape") return reshape(n, name == "reshape");
    if (name == "contiguous") return contiguous();
    if (name == "t") return rank == 2 ? permute({1, 0}) : void();
    if (name == "flatten") {
      const std::size_t first = n.empty() ? 0 : dim(0), last = n.size() < 2 ? seen_.size.size() - 1 : dim(1);
      List want(seen_.size.begin(), seen_.size.begin() + static_cast<std::ptrdiff_t>(first));
      want.push_back(count_of(List(seen_.size.begin() + static_cast<std::ptrdiff_t>(first),
                                   seen_.size.begin() + static_cast<std::ptrdiff_t>(last) + 1)));
      want.insert(want.end(), seen_.size.begin() + static_cast<std::ptrdiff_t>(last) + 1, seen_.size.end());
      return reshape(want, true);
    }
    if (name == "permute" || (name == "transpose" && numpy_)) {
      if (n.empty()) std::ranges::reverse(order);
      for (std::size_t k = 0; k < n.size(); ++k) order[k] = static_cast<Index>(dim(k));
      return permute(order);
    }
    if (name == "transpose" || name.starts_with("swap")) return std::swap(order[dim(0)], order[dim(1)]), permute(order);
    if (name == "movedim" || name == "moveaxis") {
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(dim(0)));
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(dim(1)), static_cast<Index>(dim(0)));
      return permute(order);
    }
    if (name == "select") return pick(dim(0), n[1] < 0 ? n[1] + seen_.size[dim(0)] : n[1], 1, 1, true);
    if (name == "narrow") return pick(dim(0), n[1] < 0 ? n[1] + seen_.size[dim(0)] : n[1], n[2], 1, false);
    if (name == "unsqueeze") return insert(static_cast<std::size_t>(n[0] < 0 ? n[0] + rank + 1 : n[0]));
    if (name == "squeeze") {
      for (std::size_t k = seen_.size.size(); k-- > 0;)
        if (seen_.size[k] == 1 && (n.empty() || dim(0) == k)) pick(k, 0, 1, 1, true);
      return;
    }
    if (name == "as_strided") return as_strided(open);
    if (name == "expand" || name == "broadcast_to") expand(n);
  }
  void as_strided(std::size_t open) {
    at_ = open + 1;
    const List size = list();
    ++at_;  // a comma
    const List stride = list();
    const Index start = peek() == "," ? std::stoll(peek(1)) : seen_.at(List(seen_.size.size(), 0));
    while (at_ < tokens_.size() && tokens_[at_++] != ")") {
    }
    seen_ = {size,
             [stride, start](const List& x) { return std::inner_product(x.begin(), x.end(), stride.begin(), start); }};
  }
  void expand(const List& want) {
    const std::size_t more = want.size() - seen_.size.size();
    List size = want;
    for (std::size_t k = more; k < want.size(); ++k)
      if (want[k] == -1) size[k] = seen_.size[k - more];
    see(size, [more, old = seen_.size](const List& x) {
      List out;
      for (std::size_t k = more; k < x.size(); ++k) out.push_back(old[k - more] == 1 ? 0 : x[k]);
      return out;
    });
  }

  // After '['. Each item is numbers between colons.
  void slices() {
    std::vector<std::vector<std::string>> items(1);
    for (; peek() != "]" && at_ < tokens_.size(); ++at_) {
      if (peek() == ",") items.emplace_back();
      else items.back().push_back(peek());
    }
    ++at_;
    const auto taken =
        std::ranges::count_if(items, [](const auto& item) { return item[0] != "None" && item[0] != "..."; });
    const std::size_t skips = seen_.size.size() - static_cast<std::size_t>(taken);
    std::size_t dim = 0;
    for (const auto& item : items) {
      if (item[0] == "...") dim += skips;
      else if (item[0] == "None") insert(dim++);
      else slice(item, dim);
    }
  }
  void slice(const std::vector<std::string>& item, std::size_t& dim) {
    const Index size = seen_.size[dim];
    std::vector<std::string> parts(1);
    for (const std::string& token : item) {
      if (token == ":") parts.emplace_back();
      else parts.back() = token;
    }
    const auto number = [&](std::size_t k, Index otherwise) {
      if (k >= parts.size() || parts[k].empty()) return otherwise;
      const Index n = std::stoll(parts[k]);
      return k < 2 && n < 0 ? n + size : n;
    };
    if (parts.size() == 1) return pick(dim, number(0, 0), 1, 1, true);
    const Index low = std::clamp<Index>(number(0, 0), 0, size), high = std::clamp<Index>(number(1, size), 0, size);
    const Index step = number(2, 1);
    pick(dim++, low, std::max<Index>((high - low + step - 1) / step, 0), step, false);
  }

  std::vector<std::string> tokens_;
  const map::Tensor& tensor_;
  std::size_t at_ = 0;
  Seen seen_;
  bool numpy_ = false;
};

Result<use::Slots> slots_of(std::string_view text, const map::Tensor& tensor) {
  const Seen seen = Reading(text, tensor).read();
  if (seen.size != tensor.size) return Error{ErrorCode::Shape, "the reference reads another shape"};
  const Index most = tensor.box.empty() ? -1 : tensor.box.front().extent;
  return use::Slots([seen, most](std::span<const Index> x) -> std::vector<Point> {
    const Index place = seen.at(List(x.begin(), x.end()));
    if (place < 0 || (most >= 0 && place >= most)) return {};
    return {Point{place}};
  });
}

}  // namespace

[[nodiscard]] const use::Reference& reference();
const use::Reference& reference() {
  static constexpr use::Reference kReference{"strided", slots_of};
  return kReference;
}

}  // namespace vl::strided
