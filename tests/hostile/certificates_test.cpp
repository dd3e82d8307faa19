// Certificates whose text alone asks for much: the checker counts what reading one takes, and refuses it by the same
// budget as its proof (kernel/core/work.h). 256 MiB hold all of it, and the program. Where the checker is sanitized,
// and slow, the shapes have a 64th of the bytes.
#include "tests/hostile/table.h"

namespace vl::test::hostile {
namespace certificates_test {

constexpr std::size_t kMiB = std::size_t{1} << 20, kLargest = 8 * kMiB, kMost = 256 * kMiB;

constexpr std::size_t kBytes = kSanitized ? kLargest / 64 : kLargest;  // of a shape

// FRONT, as many parts as a file of this size may have, BACK.
std::string filled(const std::string& front, const std::string& part, const std::string& back,
                   std::size_t bytes = kBytes) {
  std::string out = front;
  out.reserve(bytes);
  while (out.size() + part.size() + back.size() <= bytes) out += part;
  return out + back;
}

std::string many_keys() {
  std::string out = "{";
  for (int k = 0; out.size() + 20 < kBytes; ++k) out += "\"" + std::to_string(k) + "\":0,";
  return out + "\"x\":0}";
}

// {"a": [0, 0, …]}
std::string zeros_of_cbor(std::size_t bytes = kBytes) {
  const std::size_t count = bytes - 8;
  std::string out = "\xa1\x61\x61\x9a";
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(count >> shift & 0xff);
  return out + std::string(count, '\0');
}

TEST(HostileCertificates, AsLongAsTheyMayBeAreReadWithinTheBudget) {
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
  for (const auto& [name, content] : files) {
    ASSERT_LE(content.size(), kBytes) << name;
    ASSERT_GE(content.size() + 2100, kBytes) << name;
    const Words words{folder.file("a.json", content)};
    const Ended ended = Attack(program("verify-layout-cert"), words).wait();
    EXPECT_TRUE(ended.code == 10 || ended.code == 2) << name << ": " << told(words, ended);
    EXPECT_TRUE(kSanitized || ended.peak < kMost) << ended.peak << " " << name << ": " << told(words, ended);
  }
}

TEST(HostileCertificates, OfMillionsOfValuesAreRefusedByTheirMemory) {
  const Folder folder;
  for (const std::string& content : {zeros_of_cbor(kLargest), filled("{\"a\":[0", ",0", "]}"), many_keys()}) {
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
  const Words words{folder.file("a.json", filled("{\"a\":\"", "x", "\"}", kLargest) + "  ")};
  const Ended ended = Attack(program("verify-layout-cert"), words).wait();
  EXPECT_EQ(ended.code, 2) << told(words, ended);
  EXPECT_NE(ended.err.find("longer than 8 MiB"), std::string::npos) << told(words, ended);
}

}  // namespace certificates_test
}  // namespace vl::test::hostile
