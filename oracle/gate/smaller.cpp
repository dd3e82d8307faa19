// Cases that are smaller in one number, or plainer.
#include <algorithm>

#include "encodings/use/parts.h"
#include "oracle/fuzz/subject.h"
#include "oracle/gate/construct.h"
#include "oracle/gate/shrink.h"
#include "oracle/gate/shrink_steps.h"
#include "oracle/gate/text_numbers.h"

namespace vl::gate {
namespace {

constexpr Index kMostChanged = Index{1} << 20;  // numbers of an operand beyond it are left alone

std::uint64_t sum_of(const Json& value) {  // NOLINT(misc-no-recursion): as deep as a request
  std::uint64_t out = 0;
  if (const Index* number = value.integer()) out += static_cast<std::uint64_t>(*number < 0 ? -(*number + 1) : *number);
  if (const Json::List* list = value.list())
    for (const Json& one : *list) out += 1 + sum_of(one);
  if (const Json::Fields* fields = value.fields())
    for (const auto& [key, one] : *fields) out += sum_of(one);
  if (const std::string* text = value.string()) {
    std::uint64_t number = 0;
    for (const char c : *text) {
      number = c >= '0' && c <= '9'
                   ? std::min<std::uint64_t>(number * 10 + static_cast<std::uint64_t>(c - '0'), 1 << 20)
                   : 0;
      out += number > 0 ? number : 1;
    }
  }
  return out;
}

// Other layouts of the case, those that campaign.*others passes on.
void other_layouts(const Case& of, const use::Campaign& campaign,
                   void (*use::Campaign::*others)(const use::Sample&, const use::TakeSample&), const Take& take) {
  if (campaign.*others == nullptr) return;
  const Json asked = of.request.read();
  const auto sample = campaign.read(of.layout, of.tensor);
  if (!sample) return;
  (campaign.*others)(*sample, [&](const use::Sample& next) {
    Json request = changed(asked, "layout", campaign.print(next));
    if (!fit_arguments(of, next.tensor.size, request)) return;
    take(changed(request, "tensor", tensor_with(*asked.find("tensor"), next.tensor.size)));
  });
}

// A layout that only goes up, from 0, and one on memory alone: no smaller number leads there from one that counts down,
// or from other axes.
void plainer(const Case& of, const use::Family& family, const Take& take) {
  const Json asked = of.request.read();
  if (family.parts == nullptr) return;
  const auto printed = family.parts->print(of.layout, of.tensor);
  const auto tree = printed ? parse_json(*printed) : Result<Json>(printed.error());
  if (!tree || tree->fields() == nullptr) return;
  const auto add = [&](bool offset, const std::function<Json(const Json&)>& change) {
    Json next;
    for (const auto& [key, value] : *tree->fields())
      next.set(key, key == "offset" && !offset ? Json(Json::List()) : with_leaves(value, change));
    if (auto text = family.parts->read(print_json(next))) take(changed(asked, "layout", *text));
  };
  add(false, [](const Json& value) {
    const Index* number = value.integer();
    return number != nullptr && *number < 0 ? Json(-(*number + 1) + 1) : value;
  });
  if (of.of().named_axes())
    add(true, [](const Json& value) { return value.string() != nullptr ? Json(map::kMemoryAxis) : value; });
}

// A tensor of one dimension.
void flattened(const Case& of, const Take& take) {
  if (of.tensor.size.size() == 1) return;
  const Json asked = of.request.read();
  Json request = asked;
  const std::vector<Index> flat{of.of().logical().volume()};
  if (fit_arguments(of, flat, request)) take(changed(request, "tensor", tensor_with(*asked.find("tensor"), flat)));
}

void smaller_operands(const Case& of, const use::Campaign& campaign, const Take& take) {
  const Json asked = of.request.read();
  for (const OpArgument& argument : of.op->arguments) {
    if (argument.kind != ArgumentKind::Layout) continue;
    const std::string& text = *asked.text(argument.key);
    const Json* shape = asked.find(std::string(argument.key) + "_shape");
    map::Tensor tensor = of.tensor;
    std::vector<Index> extents;
    if (shape != nullptr && integers_of(*shape, extents)) tensor.size = extents;
    const auto sample = campaign.read(text, tensor);
    if (!sample) continue;
    campaign.smaller(*sample, [&](const use::Sample& next) {
      Json request = changed(asked, argument.key, campaign.print(next));
      if (shape != nullptr) {
        if (next.tensor.size != tensor.size && extents.size() != 1) return;
        request = changed(request, std::string(argument.key) + "_shape", Json(next.tensor.size));
      } else if (!of.op->numbers && next.tensor.size != tensor.size) {
        return;
      }
      take(std::move(request));
    });
  }
}

void smaller_numbers(const Case& of, const Take& take) {
  const Json asked = of.request.read();
  if (const Json* region = asked.find("region")) {
    for (std::size_t d = 0; d < region->list()->size(); ++d) {
      std::vector<Index> bounds;
      static_cast<void>(integers_of((*region->list())[d], bounds));
      const auto add = [&](Index begin, Index end) {
        if (begin < 0 || begin >= end || (begin == bounds[0] && end == bounds[1])) return;
        Json::List next = *region->list();
        next[d] = Json(std::vector<Index>{begin, end});
        take(changed(asked, "region", next));
      };
      add(0, 1), add(bounds[0], bounds[0] + 1), add(bounds[0], bounds[1] - 1), add(bounds[0] + 1, bounds[1]);
      add(bounds[0] - 1, bounds[1] - 1), add(0, bounds[1]), add(0, bounds[1] - bounds[0]);
    }
  }
  for (const auto& [key, least] : {std::pair("extent", 1), std::pair("at", 0), std::pair("factor", 1)})
    if (const Json* number = asked.find(key);
        number != nullptr && number->integer() != nullptr && *number->integer() > least)
      for (const Index wanted : {*number->integer() - 1, *number->integer() / 2})
        if (wanted >= least) take(changed(asked, key, wanted));
  if (const Json* slots = asked.find("slots"); slots != nullptr && slots->list()->size() > 1)
    for (std::size_t k = 0; k < slots->list()->size(); ++k)
      take(changed(asked, "slots", Json::List{(*slots->list())[k]}));
  if (of.elements.size() > 1)
    for (const Index element : of.elements) take(changed(asked, "elements", Json(std::vector<Index>{element})));
  if (of.elements.size() == 1)
    for (const Index wanted :
         {Index{0}, Index{1}, of.elements[0] / 2, use::power_below(of.elements[0]), of.elements[0] - 1})
      take(changed(asked, "elements", Json(std::vector<Index>{wanted})));
  if (const std::string* access = asked.text("access"))
    for (const Token& token : numbers_in(*access))
      for (const Index wanted : {Index{0}, Index{1}, token.value / 2, token.value - 1})
        if (wanted >= 0 && wanted < token.value) take(changed(asked, "access", replaced(*access, token, wanted)));
  if (!of.tensor.box.empty()) {
    Json tensor;
    for (const auto& [key, value] : *asked.find("tensor")->fields())
      if (key != "box") tensor.set(key, value);
    take(changed(asked, "tensor", tensor));
  }
}

// What fails of a plainer layout often fails with another operand only: the tile 2:1 that crosses a mode of 3 is 3:1
// where the mode has 4.
void other_numbers(const Operation& op, const Json& request, const Take& take) {
  for (const OpArgument& argument : op.arguments) {
    const Json* value = request.find(argument.key);
    if (value == nullptr) continue;
    if (const Index* number = value->integer(); number != nullptr && *number<kMostChanged&& * number> 0)
      for (const Index wanted : {*number - 1, *number + 1})
        if (wanted >= 1) take(changed(request, argument.key, wanted));
    if (const std::string* text = value->string(); text != nullptr && argument.kind == ArgumentKind::Layout)
      for (const Token& token : numbers_in(*text))
        if (token.value > -kMostChanged && token.value < kMostChanged)
          for (const Index wanted : {token.value - 1, token.value + 1, 2 * token.value})
            if (wanted >= std::min<Index>(token.value, 1))
              take(changed(request, argument.key, replaced(*text, token, wanted)));
  }
}

}  // namespace

std::pair<std::uint64_t, std::size_t> cost_of(const Case& of) {
  const std::uint64_t scalar = of.tensor.size.empty() ? 3 : 0;  // an element in one dimension is simpler than in none
  return {sum_of(of.request.read()) + scalar, of.request.text().size()};
}

std::vector<Case> smaller_cases(const Case& of) {
  std::vector<Case> out;
  const use::Family& family = *use::family_of({}, of.family);
  const auto cost = cost_of(of);
  const auto take = [&](Json request) {
    if (!refit(of, request)) return;
    auto made = case_of(request);
    if (made && made->of().logical().volume() > 0 && cost_of(*made) < cost) out.push_back(std::move(*made));
  };
  if (of.op->kind == OpKind::Construct) {
    smaller_given(of, take);
    sort_by_cost(out);
    return out;
  }
  if (family.campaign != nullptr) {
    other_layouts(of, *family.campaign, &use::Campaign::smaller, take);
    smaller_operands(of, *family.campaign, take);
  }
  plainer(of, family, take);
  flattened(of, take);
  smaller_numbers(of, take);
  sort_by_cost(out);
  return out;
}

std::vector<Case> plainer_cases(const Case& of) {
  std::vector<Case> out;
  const use::Family& family = *use::family_of({}, of.family);
  const std::size_t said = said_of(of);
  if (said == 0 || family.campaign == nullptr || of.op->kind == OpKind::Construct) return out;
  const auto take = [&](Json request) {
    if (!refit(of, request)) return;
    auto made = case_of(request);
    if (made && made->of().logical().volume() > 0 && said_of(*made) < said) out.push_back(std::move(*made));
  };
  const auto with_others = [&](const Json& request) {
    take(request);
    other_numbers(*of.op, request, take);
  };
  other_layouts(of, *family.campaign, &use::Campaign::plainer, with_others);
  plainer(of, family, with_others);
  sort_by_cost(out);
  return out;
}

}  // namespace vl::gate
