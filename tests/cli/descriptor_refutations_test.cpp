// Certificates of refuted claims about descriptors, as the command writes them: they are accepted again, and with
// another element, field or text they are not, though their digest is that of the changed statement.
#include "tests/cli/records.h"
#include "verifier/checker/certificate.h"

namespace vl {
namespace cli_descriptor_refutations_test {

struct Change {
  const char* at;  // a pointer into the certificate
  nlohmann::json to;
};

struct Row {
  Words words;
  const char* file;
  const char* sentence;
  std::vector<Change> changes;
};

const std::vector<Row> kRows = {
    {{"--transfer", "tensormap(bf16, dim (511,96), stride (1022), box (32,64), swizzle 64B)", "--target", "tma-sm_90"},
     "layout.0-accepts.json",
     "refuted accepts of tensormap(bf16, dim (511,96), stride (1022), box (32,64), swizzle 64B); target = tma-sm_90",
     {{"/statement/layout", "tensormap(bf16, dim (512,96), stride (1024), box (32,64), swizzle 64B)"},
      {"/statement/layout", "tensormap(bf16, dim (511,96), stride (1024), box (32,64), swizzle 64B)"},
      {"/statement/arguments/target", "tma-sm_100"},
      {"/statement/rules/0/have", 0},
      {"/statement/claim", "keeps"},
      {"/evidence/witness/a", {0}}}},
    // At the smallest sizes.
    {{"--transfer", "tensormap(f16, dim (K,M), stride (2*K), box (64,64))", "--target", "tma-sm_90"},
     "layout.0-accepts.json",
     "refuted accepts of tensormap(f16, dim (1,1), stride (2), box (64,64), step (1,1)); target = tma-sm_90",
     {{"/statement/layout", "tensormap(f16, dim (8,1), stride (16), box (64,64))"}}},
    {{"--transfer", "store tensormap(u16, dim (469,24), stride (1024), box (128,24)) at (384,0)", "--claim", "keeps"},
     "layout.0-keeps.json",
     "refuted keeps of store tensormap(u16, dim (469,24), stride (1024), box (128,24)) at (384,0)",
     {{"/statement/layout", "store tensormap(u16, dim (472,24), stride (1024), box (128,24)) at (384,0)"},
      {"/statement/layout", "store tensormap(u16, dim (468,24), stride (1024), box (128,24)) at (384,0)"},
      {"/statement/rules/0/have", 7},
      {"/statement/rules/0/statement", "bytes written beyond a row, from 936"},
      {"/statement/arguments", {{"allow", "padding"}}},
      {"/evidence/witness/a", {1}}}},
    // The swizzle acts on addresses, and 128 is no whole period of it.
    {{"--layout", "ComposeLayout(3,2,3,S[(8,32):(32,1)])", "--tensor", "f16[8,32]", "--transfer",
      "load tensormap(f16, dim (32,8), stride (64), box (32,8), swizzle 64B) at (0,0) to 128", "--claim", "carries"},
     "layout.0-carries.json",
     "refuted carries of ComposeLayout(3,2,3,S[(8,32):(32,1)]) for f16[8,32]",
     {{"/statement/layout", "ComposeLayout(3,1,3,S[(8,32):(32,1)])"},
      {"/statement/tensor", "f32[8,32]"},
      {"/statement/arguments/transfer 1",
       "load tensormap(f16, dim (32,8), stride (64), box (32,8), swizzle 64B) at (0,0) to 1024"},
      {"/statement/arguments/transfer 1",
       "load tensormap(f16, dim (32,8), stride (64), box (32,8), swizzle 32B) at (0,0) to 128"},
      {"/statement/arguments/base", "0"},
      {"/statement/transfer/nests/0/destination/0", 0},
      {"/statement/transfer/nests/0/extents/0", 7},
      {"/statement/claim", "implements"},
      {"/evidence/witness/a", {8, 0}},
      {"/evidence/witness/a", {0}},
      {"/evidence/witness/b", {0, 0}}}},
    // Rows of 64 bytes are written where the layout has one every 48: byte 304 is of the first row's fill.
    {{"--layout", "S[(6,33):(48,1)]", "--tensor", "u8[6,33]", "--transfer",
      "load tensormap(u8, dim (33,6), stride (48), box (64,6)) at (0,0) to 256", "--claim", "fills"},
     "layout.0-fills.json",
     "refuted fills of S[(6,33):(48,1)] for u8[6,33]",
     {{"/statement/layout", "S[(6,33):(64,1)]"},
      {"/statement/arguments/transfer 1", "load tensormap(u8, dim (33,6), stride (48), box (48,6)) at (0,0) to 256"},
      {"/statement/arguments/transfer 1",  // no document says what it moves
       "load tensormap(u8, dim (33,6), stride (48), box (64,6), swizzle 96B) at (0,0) to 256"},
      {"/statement/arguments/base", "0"},
      {"/statement/arguments/value", "zero"},
      {"/statement/fills/base", 0},
      {"/statement/fills/boxes/0/shared/1", 48},
      {"/statement/fills/boxes/0/high/1", 34},
      {"/statement/fills/swizzles", {{4, 3, 3}}},
      {"/statement/bits", 16},
      {"/statement/claim", "carries"},
      {"/evidence/witness/a", {256}},
      {"/evidence/witness/a", {340, 0}}}},
};

TEST(RefutedDescriptors, HaveCertificatesThatNameAnElementOrARule) {
  for (const Row& row : kRows) {
    const Folder folder;
    Words words = {"check", "--certificates", folder.at("c"), "--quiet"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    ASSERT_EQ(called(words).code, 10) << row.sentence;
    const std::string path = folder.at(std::string("c/refuted/") + row.file);
    const Ran ran = called({"cert", path});
    ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_NE(ran.out.find(row.sentence), std::string::npos) << ran.out;
    const auto written = nlohmann::json::parse(folder.content().at(std::string("c/refuted/") + row.file));
    for (const Change& change : row.changes) {
      nlohmann::json forged = written;
      forged[nlohmann::json::json_pointer(change.at)] = change.to;
      ASSERT_NE(forged, written) << change.at;
      forged["digest"] = checker::digest(forged.at("statement"));
      EXPECT_EQ(called({"cert", folder.file("forged.json", forged.dump())}).code, 10) << change.at << change.to;
    }
  }
}

}  // namespace cli_descriptor_refutations_test
}  // namespace vl
