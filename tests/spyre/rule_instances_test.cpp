// Layouts on sticks with names: the instance of the rule is the layout that the text with numbers says, element by
// element, forwards and backwards. Of hosts that go backwards or repeat, and of elements that repeat on the device.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "encodings/spyre/rule_text.h"
#include "encodings/spyre/spyre.h"
#include "encodings/use/family.h"
#include "tests/support/rule_cases.h"
#include "verifier/session/all_sizes.h"
#include "verifier/session/instances.h"

namespace vl::spyre {
namespace spyre_rule_instances_test {

std::string raw(std::string_view size, std::string_view strides) {
  return fmt::format("SpyreTensorLayout(device_size=[{}], stride_map=[{}], device_dtype=DataFormats.SEN169_FP16)", size,
                     strides);
}

struct Text {
  std::string layout;
  const char* tensor;
  const char* strides = "";
  const char* view_offset = "";
};

const std::vector<Text> kTexts = {
    {raw("ceil(N/64), R, 64", "64, 0, 1"), "f16[N]"},
    {raw("R, ceil(N/64), M, 2*R, 64", "0, 64, N, 0, 1"), "f16[M,N]"},
    {raw("ceil(N/64), M, 64", "64, N, 1"), "f16[M,N]", "-N, 1", "(M - 1)*N"},
    {raw("ceil(N/64), M, 64", "64, N, 1"), "f16[M,N]", "N, -1", "N - 1"},
    {raw("ceil(N/64), M, 64", "64, N, 1"), "f16[M,N]", "-N, -1", "M*N - 1"},
    {raw("ceil(N/64), 64", "64, 1"), "f16[M,N]", "0, 1", ""},
    {raw("ceil(N/64), R, M, 64", "64, 0, N, 1"), "f16[M,N]", "-N, 1", "(M - 1)*N"},
    {raw("ceil(M*N/64), 64", "64, 1"), "f16[M,N]"},
};

TEST(SpyreRuleInstances, AreTheLayoutsOfTheTextsWithNumbers) {
  std::size_t instances = 0, elements = 0, slots = 0;
  for (const Text& text : kTexts) {
    const bool repeats = text.layout.find("R, ") != std::string::npos;
    const session::CaseRequest request = test::request_for(
        {text.tensor, text.layout.c_str(), repeats ? "R >= 0" : "", text.strides, "", text.view_offset});
    const auto read = session::read_rule_case(request, family());
    ASSERT_TRUE(std::holds_alternative<session::RuleReading>(read)) << text.layout;
    const map::Rule* rule = std::get<session::RuleReading>(read).reading.rule_for_all_sizes();
    ASSERT_NE(rule, nullptr) << text.layout;
    for (const Index m : {1, 2, 3})
      for (const Index n : {1, 2, 63, 64, 65, 130})
        for (const Index r : {0, 1, 2}) {  // 0: a box without a slot
          if (r == 0 && !repeats) continue;
          const map::Sizes sizes = {{"M", m}, {"N", n}, {"R", r}};
          const auto instance = map::instance(*rule, sizes);
          const auto at = session::request_at(request, sizes);
          ASSERT_TRUE(std::holds_alternative<session::CaseRequest>(at));
          const auto numbers = session::read_unproved(std::get<session::CaseRequest>(at));
          ASSERT_TRUE(std::holds_alternative<session::TensorReading>(numbers));
          const map::Layout* layout = std::get<session::TensorReading>(numbers).reading.layout();
          ASSERT_TRUE(instance && layout != nullptr) << text.layout << (instance ? "" : instance.error().message);
          ++instances;
          ASSERT_EQ(instance->physical(), layout->physical());
          ASSERT_EQ(instance->domain().volume(), layout->domain().volume());
          EXPECT_EQ(instance->host_offset(), layout->host_offset());
          // Of one copy the text with numbers has no replica; the order of points is the same.
          Point p(instance->domain().rank(), 0), q(layout->domain().rank(), 0);
          do {
            Point a = *map::evaluate(instance->map(), p), b = *map::evaluate(layout->map(), q);
            a.resize(layout->physical().rank()), b.resize(layout->physical().rank());
            ASSERT_EQ(a, b) << text.layout << fmt::format(" at {} {} {}", m, n, r);
            ++elements;
          } while (map::advance(instance->domain(), p) && map::advance(layout->domain(), q));
          if (!layout->decode() || layout->physical().volume() == 0) continue;
          Point slot(layout->physical().rank(), 0);
          do {
            const Point a = *map::evaluate(*instance->decode(), slot), b = *map::evaluate(*layout->decode(), slot);
            const auto without_ones = [](const Point& out, const map::Layout& of) {
              Point kept;
              for (std::size_t k = 0; k < out.size(); ++k)
                if (k >= of.domain().rank() || of.domain().extent(k) != 1 || k < of.logical().rank())
                  kept.push_back(out[k]);
              return kept;
            };
            ASSERT_EQ(without_ones(a, *instance), without_ones(b, *layout))
                << text.layout << fmt::format(" at {} {} {}", m, n, r);
            ++slots;
          } while (map::advance(layout->physical(), slot));
        }
  }
  fmt::print("{} instances, {} elements, {} slots\n", instances, elements, slots);
  EXPECT_EQ(instances, kTexts.size() * 36 + 3 * 18);
  EXPECT_GT(slots, 10'000U);
}

}  // namespace spyre_rule_instances_test
}  // namespace vl::spyre
