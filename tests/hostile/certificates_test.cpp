// Certificates whose text alone asks for much: the checker counts what reading one takes, and refuses it by the same
// budget as its proof (kernel/core/work.h). 256 MiB hold all of it, and the program.
#include "tests/hostile/table.h"

namespace vl::test::hostile {
namespace certificates_test {

constexpr std::size_t kMiB = std::size_t{1} << 20, kLargest = 8 * kMiB, kMost = 256 * kMiB;

// FRONT, as many parts as a file may have, BACK.
std::string filled(const std::string& front, const std::string& part, const std::string& back) {
  std::string out = front;
  out.reserve(kLargest);
  while (out.size() + part.size() + back.size() <= kLargest) out += part;
  return out + back;
}

std::string many_keys() {
  std::string out = "{";
  for (int k = 0; out.size() + 20 < kLargest; ++k) out += "\"" + std::to_string(k) + "\":0,";
  return out + "\"x\":0}";
}

// {"a": [0, 0, …]} of 2^23 - 8 bytes.
std::string zeros_of_cbor() {
  const std::size_t count = kLargest - 8;
  std::string out = "\xa1\x61\x61\x9a";
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(count >> shift & 0xff);
  return out + std::string(count, '\0');
}

TEST(HostileCertificates, OfEightMebibytesAreReadWithinTheBudget) {
  const std::string deep(1000, '['), shallow(1000, ']');
  const std::vector<std::pair<std::string, std::string>> files = {
      {"lists", filled("{\"a\":[[]", ",[]", "]}")},
      {"objects", filled("{\"a\":[{}", ",{}", "]}")},
      {"numbers", filled("{\"a\":[0", ",0", "]}")},
      {"fractions", filled("{\"a\":[0", ",.5", "]}")},
      {"texts", filled("{\"a\":[\"\"", ",\"\"", "]}")},
      {"keys", many_keys()},
      {"keys of one object each", filled("{\"a\":[{}", ",{\"b\":{}}", "]}")},
      {"deep", filled("{\"a\":[0", "," + deep + shallow, "]}")},
      {"a number", filled("{\"a\":1", "0", "}")},
      {"a text", filled("{\"a\":\"", "x", "\"}")},
      {"escapes", filled("{\"a\":\"", "\\u0041", "\"}")},
      {"a statement",
       filled("{\"schema\":\"verify-layout-certificate/2\",\"digest\":\"\",\"evidence\":{\"runs\":[[0]", ",[0]",
              "]},\"statement\":{\"layout\":\"a\",\"tensor\":\"f16[1]\",\"claim\":\"onto\","
              "\"verdict\":\"proved\"}}")},
      {"CBOR", zeros_of_cbor()},
  };
  const Folder folder;
  for (std::size_t k = 0; k < files.size(); k += kSanitized ? 6 : 1) {
    const auto& [name, content] = files[k];
    ASSERT_LE(content.size(), kLargest) << name;
    const Words words{folder.file("a.json", content)};
    const Ended ended = Attack(program("verify-layout-cert"), words).wait();
    EXPECT_TRUE(ended.code == 10 || ended.code == 2) << name << ": " << told(words, ended);
    EXPECT_TRUE(kSanitized || ended.peak < kMost) << ended.peak << " " << name << ": " << told(words, ended);
  }
}

TEST(HostileCertificates, OfMillionsOfValuesAreRefusedByTheirMemory) {
  const Folder folder;
  for (const std::string& content : {filled("{\"a\":[0", ",0", "]}"), many_keys(), zeros_of_cbor()}) {
    const Words words{folder.file("a.json", content)};
    const Ended ended = Attack(program("verify-layout-cert"), words).wait();
    EXPECT_EQ(ended.code, 10) << told(words, ended);
    EXPECT_NE(ended.out.find("the certificate needs more memory than 256 MiB"), std::string::npos)
        << told(words, ended);
    if (kSanitized) break;  // a shape is enough: the others are measured by the campaigns
  }
}

TEST(HostileCertificates, OfMoreThanEightMebibytesAreNotRead) {
  const Folder folder;
  const Words words{folder.file("a.json", filled("{\"a\":\"", "x", "\"}") + "  ")};
  const Ended ended = Attack(program("verify-layout-cert"), words).wait();
  EXPECT_EQ(ended.code, 2) << told(words, ended);
  EXPECT_NE(ended.err.find("longer than 8 MiB"), std::string::npos) << told(words, ended);
}

}  // namespace certificates_test
}  // namespace vl::test::hostile
