// The steps after a base, by what PyTorch's and NumPy's documents say of views: each gives other sizes, strides and an
// offset, and no element moves.
#include <algorithm>
#include <numeric>

#include "encodings/strided/strided.h"

namespace vl::strided {
namespace {

constexpr std::size_t kMostDimensions = 64;  // of PyTorch and of NumPy

template <class N>
class Steps {
 public:
  Steps(use::Numbers<N>& text, Said<N>& said) : text_(text), in_(text.in), said_(said), view_(said.view) {}

  void take() {
    while (!in_.failed() && in_.offset() < in_.text().size()) {
      if (rank() > kMostDimensions) in_.fail(fmt::format("more than {} dimensions", kMostDimensions));
      at_ = in_.offset();
      const char next = in_.text()[at_];
      if (next == '.' && !is_method()) break;
      if (next == '.') in_.move_to(at_ + 1), take_method(in_.identifier("a method"));
      else if (next == '[') in_.move_to(at_ + 1), take_slices();
      else break;
    }
  }

 private:
  // A period that ends a sentence is no step.
  [[nodiscard]] bool is_method() const {
    Cursor look(in_.text());
    look.move_to(at_ + 1);
    if (look.at_end() || look.text()[at_ + 1] != look.peek()) return false;
    const std::string_view name = look.identifier("a method");
    return name == "T" || name == "mT" || look.peek() == '(';
  }

  void refuse(std::string why) { said_.refuse(ErrorCode::Value, std::move(why), at_); }
  [[nodiscard]] bool is_off() const { return said_.wrong || in_.failed() || !text_.undecidable.empty(); }
  [[nodiscard]] std::size_t rank() const { return view_.size.size(); }

  // (2, 3) or ((2, 3)), and lists among them.
  std::vector<std::vector<N>> take_arguments() {
    std::vector<std::vector<N>> out;
    in_.expect("(");
    while (!in_.failed() && !in_.accept(")")) {
      if (!out.empty()) {
        in_.expect(",");
        if (in_.accept(")")) break;
      }
      const bool list = in_.peek() == '(' || in_.peek() == '[';
      out.push_back(list ? take_list(text_) : std::vector<N>{text_.take()});
    }
    return out;
  }

  void take_method(std::string_view name) {
    const std::size_t last = rank();
    if (name == "T" || name == "mT") {
      if (is_off()) return;
      if (name == "mT" && last < 2) return refuse(".mT of fewer than 2 dimensions");
      std::vector<std::size_t> order(last);
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::reverse(name == "T" ? order.begin() : order.end() - 2, order.end());
      return permute(order);
    }
    const auto lists = take_arguments();
    if (is_off()) return;
    std::vector<N> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    if (name == "as_strided") return as_strided(lists);
    if (name == "view" || name == "reshape") return reshape(std::move(all), name == "reshape");
    if (name == "expand" || name == "broadcast_to") return expand(all);
    if (name == "contiguous") return all.empty() ? contiguous() : refuse(".contiguous() with arguments is not read");
    std::vector<Index> numbers;
    for (const N& one : all) {
      if (!known(one)) return refuse(fmt::format("'{}' in .{}(…); expected a number", words(one), name));
      numbers.push_back(*known(one));
    }
    if (name == "narrow" || name == "select") return cut(name, numbers);
    dims(name, numbers);
  }

  // Methods whose arguments are dimensions.
  void dims(std::string_view name, const std::vector<Index>& numbers) {
    const std::size_t count = numbers.size(), extra = name == "unsqueeze" ? 1 : 0;
    std::vector<std::size_t> at;
    for (const Index number : numbers) {
      const Index most = static_cast<Index>(rank() + extra);
      if (number < -most || number >= most)
        return refuse(fmt::format("dimension {} of {}", number, plural(static_cast<Index>(rank()), "dimension")));
      at.push_back(static_cast<std::size_t>(number < 0 ? number + most : number));
    }
    const bool swap = name == "swapaxes" || name == "swapdims" || (name == "transpose" && !said_.numpy);
    if (name == "permute" || (name == "transpose" && said_.numpy)) return permute_all(at, name == "transpose");
    if (name == "t" && count == 0 && rank() <= 2) return rank() == 2 ? permute({1, 0}) : void();
    if (swap && count == 2)
      return std::swap(view_.size[at[0]], view_.size[at[1]]), std::swap(view_.stride[at[0]], view_.stride[at[1]]);
    if ((name == "movedim" || name == "moveaxis") && count == 2) return move(at[0], at[1]);
    if (name == "unsqueeze" && count == 1) return insert(at[0]);
    if (name == "squeeze" && count <= 1) return squeeze(at);
    if (name == "flatten" && count <= 2) {
      const std::size_t first = count > 0 ? at[0] : 0, last = count > 1 ? at[1] : std::max<std::size_t>(rank(), 1) - 1;
      return flatten(first, last);
    }
    refuse(fmt::format(".{} of {} is not read", name, plural(static_cast<Index>(count), "argument")));
  }

  void permute(const std::vector<std::size_t>& order) {
    View<N> out{{}, {}, view_.offset};
    for (const std::size_t dim : order) out.size.push_back(view_.size[dim]), out.stride.push_back(view_.stride[dim]);
    view_ = std::move(out);
  }
  void permute_all(std::vector<std::size_t> order, bool reverses) {
    if (order.empty() && reverses) {
      order.resize(rank());
      std::iota(order.rbegin(), order.rend(), std::size_t{0});
    }
    std::vector<std::size_t> sorted = order;
    std::ranges::sort(sorted);
    if (sorted.size() != rank() || std::ranges::adjacent_find(sorted) != sorted.end())
      return refuse(fmt::format("a permutation of {} is expected", plural(static_cast<Index>(rank()), "dimension")));
    permute(order);
  }
  void move(std::size_t from, std::size_t to) {
    std::vector<std::size_t> order(rank());
    std::iota(order.begin(), order.end(), std::size_t{0});
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), from);
    permute(order);
  }
  void insert(std::size_t at) {
    const auto place = static_cast<std::ptrdiff_t>(at);
    view_.size.insert(view_.size.begin() + place, N(1));
    view_.stride.insert(view_.stride.begin() + place, N(0));
  }
  void erase(std::size_t at) {
    view_.size.erase(view_.size.begin() + static_cast<std::ptrdiff_t>(at));
    view_.stride.erase(view_.stride.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void squeeze(const std::vector<std::size_t>& at) {
    for (std::size_t k = rank(); k-- > 0;) {
      if (!at.empty() && at.front() != k) continue;
      if (!known(view_.size[k])) return refuse(fmt::format("whether {} is 1 depends on sizes", words(view_.size[k])));
      if (is_same(view_.size[k], N(1))) erase(k);
    }
  }
  void flatten(std::size_t first, std::size_t last) {
    if (rank() == 0) return insert(0);
    if (first > last) return refuse("the first dimension to flatten is after the last one");
    std::vector<N> want(view_.size.begin(), view_.size.begin() + static_cast<std::ptrdiff_t>(first));
    N joined = 1;
    for (std::size_t k = first; k <= last; ++k) joined = text_.times(joined, view_.size[k]);
    want.push_back(joined);
    want.insert(want.end(), view_.size.begin() + static_cast<std::ptrdiff_t>(last) + 1, view_.size.end());
    reshape(std::move(want), true);
  }

  void as_strided(const std::vector<std::vector<N>>& lists) {
    if (lists.size() < 2 || lists.size() > 3 || lists[0].size() != lists[1].size())
      return refuse("expected .as_strided((sizes), (strides), offset), as many strides as sizes");
    view_.size = lists[0], view_.stride = lists[1];
    if (lists.size() == 3 && lists[2].size() == 1) view_.offset = lists[2].front();
  }
  void expand(const std::vector<N>& want) {
    if (want.size() < rank()) return refuse("fewer sizes than the view has dimensions");
    View<N> out{want, std::vector<N>(want.size(), N(0)), view_.offset};
    const std::size_t more = want.size() - rank();
    for (std::size_t k = more; k < want.size(); ++k) {
      const N& size = view_.size[k - more];
      const bool keeps = is_same(want[k], N(-1)) || is_same(want[k], size);
      if (keeps) out.size[k] = size, out.stride[k] = view_.stride[k - more];
      else if (!is_same(size, N(1)))
        return refuse(fmt::format("a size of {} does not expand to {}", words(size), words(want[k])));
    }
    for (const N& size : out.size)
      if (known(size).value_or(0) < 0) return refuse(fmt::format("a size of {}", words(size)));
    view_ = std::move(out);
  }

  [[nodiscard]] std::vector<N> dense_strides() { return dense(text_, view_.size); }
  void contiguous() {
    const std::vector<N> strides = dense_strides();
    bool is_dense = true, is_known = true;
    for (std::size_t k = 0; k < rank(); ++k) {
      if (is_same(view_.size[k], N(0))) return;
      const bool same = is_same(view_.size[k], N(1)) || is_same(view_.stride[k], strides[k]);
      is_dense = is_dense && same;
      is_known = is_known && (same || (known(view_.size[k]) && known(view_.stride[k]) && known(strides[k])));
    }
    if (is_dense) return;
    if (!is_known)
      return refuse("whether this view is contiguous depends on sizes; state the size and stride after it");
    view_.stride = strides, view_.offset = 0;
  }

  void reshape(std::vector<N> want, bool copies) {
    N numel = 1, wanted = 1;
    for (const N& size : view_.size) numel = text_.times(numel, size);
    std::optional<std::size_t> open;
    for (std::size_t k = 0; k < want.size(); ++k) {
      if (!is_same(want[k], N(-1))) wanted = text_.times(wanted, want[k]);
      else if (open) return refuse("two sizes of -1; expected one");
      else open = k;
    }
    if (in_.failed()) return;
    if (open) {
      if (!known(numel) || known(wanted).value_or(0) < 1 || *known(numel) % *known(wanted) != 0)
        return refuse("-1 stands for no number that is known; write the size");
      want[*open] = N(*known(numel) / *known(wanted));
      wanted = numel;
    }
    for (const N& size : want)
      if (known(size).value_or(0) < 0) return refuse(fmt::format("a size of {}", words(size)));
    if (!is_same(numel, wanted))
      return refuse(
          fmt::format("{} has {} elements, {} has {}", words(view_.size), words(numel), words(want), words(wanted)));
    auto strides = strides_for(want);
    const bool is_view = strides.has_value();
    const bool is_known = std::ranges::all_of(view_.stride, [](const N& one) { return known(one).has_value(); });
    if (!is_view && copies && is_known && known(numel)) strides = dense(text_, want), view_.offset = 0;
    if (!strides)
      return refuse(fmt::format("sizes {} with strides {} have no view as {}: {}", words(view_.size),
                                words(view_.stride), words(want),
                                is_known ? "its dimensions do not join; a reshape of them is a copy"
                                         : "whether its dimensions join depends on sizes"));
    view_.size = std::move(want), view_.stride = std::move(*strides);
  }
  // Dimensions join where a stride is the span of the next one; the wanted sizes have to split what is joined.
  std::optional<std::vector<N>> strides_for(const std::vector<N>& want) {
    std::vector<N> out(want.size(), N(1));
    if (std::ranges::any_of(view_.size, [](const N& size) { return is_same(size, N(0)); })) return dense(text_, want);
    std::size_t left = want.size();
    for (std::size_t k = rank(); k > 0;) {
      if (is_same(view_.size[k - 1], N(1))) {
        --k;
        continue;
      }
      const N step = view_.stride[--k];
      N joined = view_.size[k], taken = 1;
      for (; k > 0; --k) {
        if (is_same(view_.size[k - 1], N(1))) continue;
        if (!is_same(view_.stride[k - 1], text_.times(joined, step))) break;
        joined = text_.times(joined, view_.size[k - 1]);
      }
      while (left > 0 && (!is_same(taken, joined) || is_same(want[left - 1], N(1)))) {
        out[--left] = text_.times(taken, step);
        taken = text_.times(taken, want[left]);
      }
      if (!is_same(taken, joined)) return std::nullopt;
    }
    while (left > 0 && is_same(want[left - 1], N(1))) --left;
    return left == 0 ? std::optional(out) : std::nullopt;
  }

  void cut(std::string_view name, const std::vector<Index>& numbers) {
    const bool narrow = name == "narrow";
    if (numbers.size() != (narrow ? 3U : 2U)) return refuse(fmt::format("another number of arguments of .{}", name));
    const Index most = static_cast<Index>(rank()), dim = numbers[0] < 0 ? numbers[0] + most : numbers[0];
    if (dim < 0 || dim >= most) return refuse(fmt::format("dimension {} of {}", numbers[0], plural(most, "dimension")));
    const auto k = static_cast<std::size_t>(dim);
    const auto size = known(view_.size[k]);
    if (!size) return depends(k);
    const Index start = numbers[1] < 0 ? numbers[1] + *size : numbers[1], length = narrow ? numbers[2] : 1;
    if (start < 0 || length < 0 || start > *size || length > *size - start)
      return refuse(fmt::format("{} from {} of a size of {}", plural(length, "element"), numbers[1], *size));
    view_.offset = plus(text_, view_.offset, N(start), view_.stride[k]);
    view_.size[k] = N(length);
    if (!narrow) erase(k);
  }
  void depends(std::size_t k) {
    refuse(fmt::format("what is cut out of the size {} depends on it; state the size and stride after it",
                       words(view_.size[k])));
  }

  struct Item {
    enum class Kind { Slice, Index, NewAxis, Ellipsis } kind = Kind::Slice;
    std::optional<N> start, stop, step;
  };
  Item take_item() {
    if (in_.accept("...")) return {Item::Kind::Ellipsis, {}, {}, {}};
    if (in_.accept("None")) return {Item::Kind::NewAxis, {}, {}, {}};
    Item out;
    if (in_.peek() != ':') out.start = text_.take();
    if (!in_.accept(":")) {
      out.kind = Item::Kind::Index;
      return out;
    }
    if (in_.peek() != ':' && in_.peek() != ',' && in_.peek() != ']') out.stop = text_.take();
    if (in_.accept(":") && in_.peek() != ',' && in_.peek() != ']') out.step = text_.take();
    return out;
  }
  void take_slices() {
    std::vector<Item> items;
    while (!in_.failed() && !in_.accept("]")) {
      items.push_back(take_item());
      if (!in_.accept(",") && in_.peek() != ']') in_.expect("]");
    }
    if (is_off()) return;
    const auto uses = std::ranges::count_if(
        items, [](const Item& item) { return item.kind == Item::Kind::Slice || item.kind == Item::Kind::Index; });
    const auto dots = std::ranges::count_if(items, [](const Item& item) { return item.kind == Item::Kind::Ellipsis; });
    if (std::cmp_greater(uses, rank()) || dots > 1) return refuse("more slices than dimensions");
    std::size_t k = 0;
    for (const Item& item : items) {
      if (said_.wrong) return;
      if (item.kind == Item::Kind::NewAxis) insert(k++);
      else if (item.kind == Item::Kind::Ellipsis) k += skipped(items, item, k);
      else if (!slice(k, item)) continue;
      else if (item.kind == Item::Kind::Index) erase(k);
      else ++k;
    }
  }
  // The dimensions that an ellipsis stands for.
  std::size_t skipped(const std::vector<Item>& items, const Item& dots, std::size_t k) const {
    const auto after = std::count_if(
        items.data() + (&dots - items.data()), items.data() + items.size(),
        [](const Item& item) { return item.kind == Item::Kind::Slice || item.kind == Item::Kind::Index; });
    return rank() - k - static_cast<std::size_t>(after);
  }
  bool slice(std::size_t k, const Item& item) {
    const bool index = item.kind == Item::Kind::Index;
    if (!item.start && !item.stop && !item.step) return true;
    const auto size = known(view_.size[k]);
    const auto number = [](const std::optional<N>& one, Index otherwise) {
      return one ? known(*one) : std::optional(otherwise);
    };
    const auto start = number(item.start, 0), stop = number(item.stop, size.value_or(0)), step = number(item.step, 1);
    if (!size || !start || !stop || !step) return depends(k), false;
    const Index from = *start < 0 ? *start + *size : *start;
    if (index && (from < 0 || from >= *size))
      return refuse(fmt::format("index {} of a size of {}", *start, *size)), false;
    if (*step < 1) return refuse(fmt::format("a step of {}; expected 1 or more", *step)), false;
    const Index low = std::clamp<Index>(from, 0, *size),
                high = std::clamp<Index>(*stop < 0 ? *stop + *size : *stop, low, *size);
    view_.offset = plus(text_, view_.offset, N(low), view_.stride[k]);
    view_.size[k] = N(ceil_div(high - low, *step));
    view_.stride[k] = text_.times(view_.stride[k], N(*step));
    return true;
  }

  use::Numbers<N>& text_;
  Cursor& in_;
  Said<N>& said_;
  View<N>& view_;
  std::size_t at_ = 0;  // of the step
};

}  // namespace

template <class N>
void take_steps(use::Numbers<N>& text, Said<N>& said) {
  Steps<N>(text, said).take();
}
template void take_steps(use::Numbers<Index>&, Said<Index>&);
template void take_steps(use::Numbers<map::Expression>&, Said<map::Expression>&);

}  // namespace vl::strided
