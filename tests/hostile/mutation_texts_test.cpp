// Mutated texts: case files, hardware profiles, certificates, nests, and texts that are scanned.
#include <nlohmann/json.hpp>

#include "tests/hostile/swarm.h"
#include "verifier/checker/certificate.h"

namespace vl::test::hostile {
namespace mutation_texts_test {

const std::string kCorpus = std::string(VL_SOURCE_DIR) + "/corpus/";

// Each case of the file, with the head of its file.
void add_cases(const std::string& file, std::size_t every, std::vector<std::string>& out) {
  const std::string text = read_text(kCorpus + file);
  std::size_t number = 0;
  for (std::size_t at = text.find("\n[[case]]"); at != std::string::npos; ++number) {
    const std::size_t next = text.find("\n[[case]]", at + 1);
    const std::string one = text.substr(at + 1, next - at - 1);
    if (number % every == 0 && one.size() < 1500) out.push_back("schema = 1\n" + one + "\n");
    at = next;
  }
}

std::vector<std::string> cases() {
  std::vector<std::string> out;
  for (const char* file :
       {"seeds/000-operations.toml", "seeds/000-transfers.toml", "seeds/001-tensor-layouts-dim-map.toml",
        "seeds/003-dimensions.toml", "seeds/004-swizzle.toml", "spyre/bytes.toml", "spyre/division.toml",
        "spyre/invalid.toml", "spyre/nests.toml", "spyre/operations.toml", "spyre/rows.toml", "tirx/disjoint.toml",
        "tirx/invalid.toml", "tirx/mined-asserts.toml", "tirx/banks.toml", "tirx/odd-strides.toml"})
    add_cases(file, 9, out);
  return out;
}

// What `check FILES MORE` says. Engines have little time: a mutated number may be large.
Swarm checked(const std::string& format, std::size_t at_once, Words more = {}) {
  more.insert(more.end(), {"--timeout", "0.02", "--rlimit", "20000", "--quiet"});
  return {format,
          at_once,
          [more](const Words& files) {
            Words words{"check"};
            words.insert(words.end(), files.begin(), files.end());
            words.insert(words.end(), more.begin(), more.end());
            return attacked(words);
          },
          {0, 2, 5, 10}};
}

TEST(HostileMutation, OfCaseFilesIsAnswered) {
  const std::vector<std::string> valid = cases();
  ASSERT_GE(valid.size(), 60U);
  Mutants mutants(valid, 1);
  attack_with(checked("toml", 50), mutants);
}

TEST(HostileMutation, OfProfilesIsAnswered) {
  std::vector<std::string> valid;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus + "hardware"))
    if (entry.path().extension() == ".toml") valid.push_back(read_text(entry.path()));
  std::ranges::sort(valid);
  ASSERT_GE(valid.size(), 5U);
  Mutants mutants(valid, 2);
  attack_with(checked("toml", 50), mutants);
}

// A profile that is accepted is used: a case file names each.
TEST(HostileMutation, OfProfilesInUseIsAnswered) {
  Mutants mutants({read_text(kCorpus + "hardware/sm_90.toml"), read_text(kCorpus + "hardware/gfx950.toml")}, 3);
  const Swarm swarm{"toml",
                    50,
                    [](const Words& files) {
                      const Folder folder;
                      std::string text = "schema = 1\n";
                      for (std::size_t i = 0; i < files.size(); ++i)
                        text += "[[case]]\nid = \"" + std::to_string(i) + "\"\nlayout = \"" + kTile +
                                "\"\ntensor = \"f16[8,64]\"\n" +
                                "[[case.claim]]\nclaim = \"wavefronts\"\nhardware = \"" + files[i] + "\"\naccess = \"" +
                                kAccess + "\"\nexpect = 1\n";
                      return attacked({"check", folder.file("a.toml", text), "--quiet"});
                    },
                    {0, 2, 5, 10}};
  attack_with(swarm, mutants);
}

// ---- nests

std::vector<std::string> nests() {
  std::vector<std::string> out{kNests, "[64,1024,4]|[1,256,64]|[1,64,65536]|0,0;[3]...64,128"};
  for (const char* format : {"json", "dci", "compact"}) {
    for (const char* direction : {"h2d", "d2h"}) {
      const Ended ended = attacked({"nests", "--layout", "SpyreTensorLayout((5, 100, 150), torch.float16)", "--tensor",
                                    "f16[5,100,150]", "--format", format, "--direction", direction});
      EXPECT_EQ(ended.code, 0) << ended.err;
      out.push_back(ended.out);
    }
  }
  return out;
}

// JSON's escapes are TOML's, too.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

TEST(HostileMutation, OfNestsIsAnswered) {
  Mutants mutants(nests(), 4);
  attack_with(checked("toml", 50), mutants, [](const std::string& made) {
    return "schema = 1\n[[case]]\nid = \"a\"\nlayout = \"" + kLayout + "\"\ntensor = \"" + kTensor +
           "\"\n[[case.claim]]\nclaim = \"implements\"\nexpect = \"proved\"\nnests = " + quoted(made) + "\n";
  });
}

// ---- certificates

// Small ones of every form of evidence, and of refutations.
std::vector<std::string> certificates(bool compact) {
  const Folder folder;
  Words words{"check", "--certificates", folder.path()};
  for (const char* file :
       {"seeds/000-operations.toml", "seeds/000-transfers.toml", "seeds/004-swizzle.toml", "spyre/bytes.toml",
        "spyre/division.toml", "spyre/rows.toml", "tirx/disjoint.toml", "tirx/rows.toml", "tirx/odd-strides.toml"})
    words.push_back(kCorpus + file);
  if (compact) words.emplace_back("--compact");
  const Ended ended = attacked(words);
  EXPECT_EQ(ended.code, 0) << ended.err;
  std::map<std::string, std::vector<std::string>> by_claim;
  for (const auto& [name, content] : folder.content())
    if (content.size() > 1 && content.size() < 6000) by_claim[name.substr(name.rfind('-') + 1)].push_back(content);
  std::vector<std::string> out;
  for (auto& [claim, all] : by_claim)
    for (std::size_t i = 0; i < all.size(); i += 1 + all.size() / 8) out.push_back(std::move(all[i]));
  EXPECT_GE(out.size(), 30U);
  return out;
}

Swarm certified(const std::string& format, bool alone) {
  return {format,
          100,
          [alone](const Words& files) {
            Words words = files;
            if (!alone) words.insert(words.begin(), "cert");
            return Attack(program(alone ? "verify-layout-cert" : "verify-layout"), words).wait();
          },
          {0, 2, 5, 10}};
}

// With the digest that belongs to the changed statement, what lies behind that test is reached.
std::string signed_again(std::string made) {
  auto json = nlohmann::json::parse(made, nullptr, false);
  if (!json.is_object() || !json.contains("statement")) return made;
  json["digest"] = checker::digest(json["statement"]);
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

TEST(HostileMutation, OfCertificatesIsAnswered) {
  Mutants mutants(certificates(false), 5);
  attack_with(certified("json", true), mutants);
  attack_with(certified("json", false), mutants, signed_again);
}

TEST(HostileMutation, OfCompactCertificatesIsAnswered) {
  Mutants mutants(certificates(true), 6);
  attack_with(certified("cbor", true), mutants);
}

// ---- texts

std::vector<std::string> texts() {
  std::vector<std::string> layouts, out;
  add_cases("spyre/mined-texts.toml", 7, layouts);
  add_cases("tirx/mined-sources.toml", 3, layouts);
  add_cases("tirx/mined-scripts.toml", 3, layouts);
  add_cases("spyre/mined-constructors.toml", 29, layouts);
  for (const std::string& one : layouts) out.push_back("[12:00:01] step 1\n" + one);
  out.push_back(
      "buf0 = FixedTiledLayout('spyre:0', torch.float16, size=[5, 100, 150], stride=[15000, 150, 1], "
      "device_layout=SpyreTensorLayout("
      "device_size=[100, 3, 5, 64], stride_map =[150, 64, 15000, 1], device_dtype=DataFormats.SEN169_FP16))\n");
  out.push_back(
      "A = T.alloc_buffer((BM, 64), \"float16\", layout=T.TileLayout(T.S[(8, 4) : (4@laneid, 1)] + 2@warpid))\n");
  out.push_back(
      "\x1b[31mlayout\x1b[0m S[(8, 4) : (4@laneid, 1)] + R[2 : 1@warpid], ComposeLayout(3, 3, 3, "
      "S[(8,64):(64,1)])\r\n");
  return out;
}

TEST(HostileMutation, OfTextsIsAnswered) {
  Mutants mutants(texts(), 7);
  attack_with(
      checked("log", 50,
              {"--define", "BM=128", "--claim", "well-formed", "--claim", "in-bounds", "--tensor", "f16[8,64]"}),
      mutants);
}

}  // namespace mutation_texts_test
}  // namespace vl::test::hostile
