// SpyreTensorLayout texts with names are read as those with numbers are: at given sizes both say the same numbers, and
// what is wrong with either is said in the same words, at the same place.
#include <gtest/gtest.h>

#include "encodings/spyre/forms.h"
#include "encodings/spyre/rule_text.h"

namespace vl::spyre {
namespace spyre_named_test {

NamedLayout named(std::string_view text) {
  Cursor in(text);
  NamedLayout out = read_named(in);
  in.expect_end();
  EXPECT_FALSE(in.failed()) << text << ": " << in.error().message;
  return out;
}

std::vector<Index> at(const std::vector<map::Expression>& list, const map::Sizes& sizes) {
  std::vector<Index> out;
  for (const map::Expression& one : list) out.push_back(*map::evaluate(one, sizes));
  return out;
}

TEST(NamesOfSpyre, SayWhatTheirNumbersSay) {
  std::size_t read = 0;
  for (const std::string_view text :
       {"SpyreTensorLayout((N, M, 150), torch.float16)", "SpyreTensorLayout((N, M), torch.float32, [1, 0])",
        "SpyreTensorLayout((N, M), torch.float16, [0, 1, -1])",
        "SpyreTensorLayout((N, M, 3), torch.uint8, [2, 0, 1], generation=S3)",
        "SpyreTensorLayout((N, M), (P, 1), torch.float16, dim_order=[1, 0])",
        "SpyreTensorLayout([M, ceil(N/64), 64], [N, 64, 1], DataFormats.SEN169_FP16)",
        "SpyreTensorLayout(device_size=(max(N, M), 2, 32), stride_map =[P, -1, 1,], "
        "device_dtype=get_device_dtype(torch.float32))",
        "SpyreTensorLayout(device_size=[M, align(N, 64)//64, 64], dim_map=[1, 0, 0], "
        "device_dtype=DataFormats.SEN169_FP16)"})
    for (const map::Sizes& sizes : {map::Sizes{{"N", 1}, {"M", 1}, {"P", 1}},
                                    {{"N", 70}, {"M", 1}, {"P", 128}},
                                    {{"N", 5}, {"M", 130}, {"P", 131}}}) {
      const NamedLayout all = named(text);
      const auto one = parse(*text_at(text, sizes));
      ASSERT_TRUE(one.has_value()) << text;
      EXPECT_EQ(at(all.device_size, sizes), one->device_size) << text;
      EXPECT_EQ(at(all.stride_map, sizes), one->stride_map) << text;
      EXPECT_EQ(all.dim_map, one->dim_map) << text;
      EXPECT_EQ(all.dim_order, one->dim_order) << text;
      EXPECT_EQ(all.device_dtype, one->device_dtype) << text;
      EXPECT_EQ(all.host_strides.has_value(), one->host_strides.has_value()) << text;
      ++read;
    }
  EXPECT_EQ(read, 24U);
}

// The layout of a rule at some sizes, and that of the text with these numbers: every element has the same place.
TEST(NamesOfSpyre, AreAtSizesTheLayoutOfTheirNumbers) {
  std::size_t compared = 0;
  for (const std::string_view text :
       {"SpyreTensorLayout((N, M), torch.float16)", "SpyreTensorLayout((N, M), torch.float32, [1, 0])",
        "SpyreTensorLayout((N, M), torch.float16, [0, 1, -1])", "SpyreTensorLayout((N, M), torch.uint8, generation=S3)",
        "SpyreTensorLayout((N, M), torch.float16).restickify(0).restickify(1)",
        "SpyreTensorLayout([ceil(M/64), N, 64], [64, M, 1], DataFormats.SEN169_FP16)",
        "SpyreTensorLayout([ceil(M/64), N, 64], dim_map=[1, 0, 1], device_dtype=DataFormats.SEN169_FP16)",
        "SpyreTensorLayout([N, ceil(M/128), 2, 64], dim_map=[0, 1, 1, 1], device_dtype=DataFormats.SEN169_FP16)"})
    for (const auto& [n, m] : {std::pair<Index, Index>{1, 1}, {3, 70}, {66, 5}, {2, 130}}) {
      const map::Sizes sizes{{"N", n}, {"M", m}};
      const auto all = read_rule(text, *map::parse_rule_tensor("f16[N,M]"));
      const auto at = map::instance(*all->rule_for_all_sizes(), sizes);
      const auto one = family().read(*text_at(text, sizes), {.size = {n, m}});
      ASSERT_TRUE(at.has_value() && one.has_value() && one->layout() != nullptr) << text;
      ASSERT_EQ(at->physical(), one->layout()->physical()) << text;
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < m; ++j, ++compared)
          ASSERT_EQ(at->slot_number(*map::evaluate(at->map(), Point{i, j})),
                    one->layout()->slot_number(*map::evaluate(one->layout()->map(), Point{i, j})))
              << text << " " << i << " " << j;
    }
  EXPECT_EQ(compared, 8U * (1 + 210 + 330 + 260));
}

// With one name, which is no part of what is wrong: N is as long as 7.
TEST(NamesOfSpyre, AreWrongAsNumbersAre) {
  for (const std::string_view wrong :
       {"SpyreTensorLayout((N, 3), torch.float16, [1, 1])",
        "SpyreTensorLayout((N, 3), torch.float16, [0])",
        "SpyreTensorLayout((N, -3), torch.float16)",
        "SpyreTensorLayout((N, 3), (1,), torch.float16, [0, 1])",
        "SpyreTensorLayout((N, 3), (3, -1), torch.float16, [0, 1])",
        "SpyreTensorLayout((N, 3), (3, 1), torch.float16)",
        "SpyreTensorLayout((N, 3), torch.float61)",
        "SpyreTensorLayout((N, 3), torch.float16, generation=G9)",
        "SpyreTensorLayout((N, 3), torch.float16, order=[0, 1])",
        "SpyreTensorLayout((N, 3), torch.float16, [0, 1], 5)",
        "SpyreTensorLayout((N, 3), size=(N, 3))",
        "SpyreTensorLayout((N, 3), torch.float16",
        "SpyreTensorLayout((N, 3) torch.float16)",
        "SpyreTensorLayout(size=(N, 3), torch.float16)",
        "SpyreTensorLayout(device_size=[N, 64], stride_map=[64], device_dtype=DataFormats.SEN169_FP16)",
        "SpyreTensorLayout(device_size=[N, 64], stride_map=[64, -2], device_dtype=DataFormats.SEN169_FP16)",
        "SpyreTensorLayout(device_size=[N, 64], dim_map=[0, -2], device_dtype=DataFormats.SEN169_FP16)",
        "SpyreTensorLayout(device_size=[N, -64], stride_map=[64, 1], device_dtype=DataFormats.SEN169_FP16)",
        "SpyreTensorLayout(device_size=[], stride_map=[N], device_dtype=DataFormats.SEN169_FP16)",
        "SpyreTensorLayout(device_size=[N, 64], stride_map=[64, 1])",
        "SpyreTensorLayout(device_size=[N, 64], device_dtype=DataFormats.SEN169_FP16)",
        "SpyreTensorLayout(device_size=N, stride_map=[64, 1], device_dtype=DataFormats.SEN169_FP16)"}) {
    std::string numbers(wrong);
    for (const std::string_view word : {"(N", "[N"})
      for (std::size_t at = numbers.find(word); at != std::string::npos; at = numbers.find(word)) numbers[at + 1] = '7';
    Cursor in(wrong);
    static_cast<void>(read_named(in));
    const auto one = parse(numbers);
    ASSERT_TRUE(in.failed() && !one) << wrong;
    EXPECT_EQ(in.error().message, one.error().message);
    EXPECT_EQ(in.error().offset, one.error().offset) << wrong;
  }
}

// No rule for all sizes is known of them.
TEST(NamesOfSpyre, LeaveOutOlderConstructorsAndOtherFields) {
  for (const auto& [text, why] :
       {std::pair("SpyreTensorLayout((N, 3), torch.float16, generation=G1)", "an older constructor with names"),
        {"SpyreTensorLayout((N, 3), torch.float16, pad_all_dims=True)", "the field pad_all_dims with names"},
        {"SpyreTensorLayout((N, 3), torch.float16, [0, 1], [True, False])", "the field pad_dims with names"},
        {"SpyreTensorLayout([N, 64], [0, -1], [64, 1], DataFormats.SEN169_FP16)", "a dim_map beside a stride_map"},
        {"SpyreTensorLayout([N, 64], [64, 1], DataFormats.SEN169_FP16, ElementArrangement.QFP8CH)",
         "an element arrangement with names"},
        {"SpyreTensorLayout([N, 64], [0, 0], 1, StickFormat.Dense, DataFormats.SEN169_FP16)",
         "the field format with names"}})
    EXPECT_EQ(named(text).unsupported, why) << text;
  EXPECT_EQ(
      read_rule("SpyreTensorLayout((N, 3), torch.float16).rescale(torch.float32)", *map::parse_rule_tensor("f16[N,3]"))
          ->undecidable()
          ->reason,
      "another derivation than restickify is not encoded for all sizes");
}

// Such a text has a reader of numbers, which says why it has no layout.
TEST(NamesOfSpyre, AreNotLookedForInATextOfNumbers) {
  const std::string_view text = "SpyreTensorLayout((8, 3), torch.float16, pad_all_dims=True)";
  EXPECT_FALSE(read_rule(text, *map::parse_rule_tensor("f16[8,3]")).has_value());
  EXPECT_TRUE(read_rule(text, *map::parse_rule_tensor("f16[N,3]")).has_value());
}

}  // namespace spyre_named_test
}  // namespace vl::spyre
