// Nothing that a terminal would act on reaches it: control bytes of arguments, names and contents of files are escaped
// in everything that the program prints for people.
#include <nlohmann/json.hpp>

#include "tests/hostile/table.h"
#include "verifier/checker/certificate.h"

namespace vl::test::hostile {
namespace terminal_test {

// Escape sequences (a title, colours), a bell, a return, C1 controls in UTF-8 and alone, and one that turns the
// direction of writing.
const std::string kBad = "\x1b]0;owned\x07\x1b[31m\r\b\x7f\xc2\x9b\x9b\xe2\x80\xae!";

// The first place in a text that acts on a terminal; nothing if there is none.
std::string acts(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool control = (byte < 0x20 && byte != '\n') || byte == 0x7f;
    const bool c1 =
        text.compare(i, 1, "\xc2") == 0 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    const bool turns = text.compare(i, 3, "\xe2\x80\xae") == 0;
    const bool stray = byte == 0x9b && (i == 0 || static_cast<unsigned char>(text[i - 1]) < 0x80);
    if (control || c1 || turns || stray) return text.substr(i - std::min<std::size_t>(i, 60), 120);
  }
  return {};
}

void expect_plain(const std::string& name, const Words& words) {
  const Ended ended = attacked(words);
  EXPECT_TRUE(ended.well()) << name << ": " << told({}, ended);
  EXPECT_EQ(acts(ended.out), "") << name << " acts on the terminal, standard output";
  EXPECT_EQ(acts(ended.err), "") << name << " acts on the terminal, errors";
}

const std::vector<std::pair<std::string, Words>> kOptions = {
    {"check", {"--claim", kBad}},
    {"check", {"--claim", "slice=region=" + kBad}},
    {"check", {"--claim", "equal=" + kBad}},
    {"check", {"--claim", "aligned=" + kBad}},
    {"check", {"--define", kBad}},
    {"check", {"--define", "BM=" + kBad}},
    {"check", {"--box", kBad}},
    {"check", {"--strides", kBad}},
    {"check", {"--offset", kBad}},
    {"check", {"--view-offset", kBad}},
    {"check", {"--family", kBad}},
    {"check", {"--access", kBad}},
    {"check", {"--access", kAccess, "--hardware", kBad}},
    {"check", {"--access", kAccess, "--hardware", kBad + "/x"}},
    {"check", {"--nests", kBad}},
    {"check", {"--engine", kBad}},
    {"check", {"--timeout", kBad}},
    {"check", {"--format", kBad}},
    {"check", {"--output", kBad}},
    {"check", {"--output", "json=/nowhere/" + kBad}},
    {"check", {"--jobs", kBad}},
    {"check", {"--dump-smt", "/dev/null/" + kBad}},
    {"check", {"--certificates", "/dev/null/" + kBad}},
    {"check", {"--" + kBad}},
    {"check", {kBad}},
    {"explain", {"--at", kBad}},
    {"explain", {"--slot", kBad}},
    {"explain", {kBad}},
    {"show", {"--at", kBad}},
    {"show", {"--access", kBad}},
    {"equal", {"--with", kBad}},
    {"nests", {"--from", kBad}},
    {"nests", {"--direction", kBad}},
    {"convert", {"--to", kBad}},
    {"swizzle", {"--access", kBad}},
    {"swizzle", {"--access", kAccess, "--hardware", kBad}}};

TEST(HostileTerminal, ArgumentsAreEscaped) {
  const Words layout{"--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]"};
  for (const auto& [command, more] : kOptions) {
    Words words{command};
    words.insert(words.end(), layout.begin(), layout.end());
    words.insert(words.end(), more.begin(), more.end());
    expect_plain(command + " " + more[0], words);
  }
  for (const char* command : {"check", "explain", "show", "nests"}) {
    for (const std::string& text :
         {kBad, "S[" + kBad, "SpyreTensorLayout(" + kBad + ")", "S[(8,64):(64,1@" + kBad + ")]", "S[" + kBad + ":1]"})
      expect_plain(command, {command, "--layout", text, "--tensor", "f16[8,64]"});
    for (const std::string& text : {kBad, "f16[" + kBad + "]", kBad + "[8]"})
      expect_plain(command, {command, "--layout", "S[(8,64):(64,1)]", "--tensor", text});
  }
  expect_plain("a command", {kBad});
  expect_plain("an option", {"--" + kBad});
  expect_plain("two words", {"cert", "--" + kBad, "x"});
  const Words tensor{"--tensor", "f16[8,64] " + kLayout};
  for (const Words& words : {Words{"compatible", kBad, "--operand", kBad, "--result", kBad},
                             Words{"compatible", "add", "--operand", kBad, "--result", kBad},
                             Words{"compatible", "add", "--operand", "f16[3,70] " + kLayout, "--result",
                                   "f16[3,70] " + kLayout, "--dims", kBad},
                             Words{"compatible", "add", "--operand", "f16[3,70] " + kLayout, "--result",
                                   "f16[3,70] " + kLayout, "--scales", kBad},
                             Words{"compatible", "add", "--operand", "f16[3,70] " + kLayout, "--result",
                                   "f16[3,70] " + kLayout, "--rule", kBad}})
    expect_plain("compatible", words);
}

TEST(HostileTerminal, NamesOfFilesAreEscaped) {
  const Folder folder;
  for (const auto& [name, words] : readers_of(folder.at("gone" + kBad))) expect_plain(name + " of no file", words);
  for (const auto& [name, words] : readers_of(folder.file("there" + kBad, "nothing of use\n")))
    expect_plain(name + " of a file", words);
  for (const auto& [name, words] : readers_of(folder.file("there" + kBad + ".toml", "schema = 2\n")))
    expect_plain(name + " of a case file", words);
  make_inputs(folder);
  for (const char* good : {"cases.toml", "text.log", "good.json", "shard.json"}) {
    const std::string path = folder.file(kBad + good, read_text(folder.at(good)));
    for (const auto& [name, words] : readers_of(path)) expect_plain(name + " of " + good, words);
  }
  for (const char* ending : {".npy", ".npz:", ".safetensors:", ".bin"})
    expect_plain("--out", exec_words("pack", folder.at("host.npy"), "/nowhere/" + kBad + ending + kBad));
  expect_plain("--fill", exec_words("pack", folder.at("host.npy"), folder.at("x.npy"), {"--fill", kBad}));
  expect_plain("--host", exec_words("pack", folder.at("host.npy"), folder.at("x.npy"), {"--host", kBad}));
  for (const Words& words :
       {Words{"fuzz", "--family", kBad}, Words{"fuzz", "--shard", kBad}, Words{"fuzz", "--seed", kBad},
        Words{"fuzz", "--count", "1", "--out", "/dev/null/" + kBad}})
    expect_plain("fuzz", words);
}

TEST(HostileTerminal, ContentsOfCaseFilesAreEscaped) {
  const Folder folder;
  const std::string bad = "\\u001b]0;owned\\u0007\\u001b[31m\\u000d\\b\\u007f\\u009b\\u202e!";  // as TOML spells it
  const std::string plain = "id = \"a\"\nlayout = \"S[(8,64):(64,1)]\"\ntensor = \"f16[8,64]\"\n";
  const std::string claim = plain + "[[case.claim]]\n";
  const std::string bodies[] = {
      "id = \"" + bad + "\"\nlayout = \"S[(8,64):(64,1)]\"\ntensor = \"f16[8,64]\"\n",
      "id = \"" + bad + "\"\nlayout = \"S[(8,64):(64,1)]\"\ntensor = \"f16[8,65]\"\n",
      "id = \"a\"\nlayout = \"S[8:1]" + bad + "\"\ntensor = \"u8[8]\"\n",
      "id = \"a\"\nlayout = \"SpyreTensorLayout([" + bad + "])\"\ntensor = \"u8[8]\"\n",
      "id = \"a\"\nlayout = \"S[8:1]\"\ntensor = \"" + bad + "\"\n",
      plain + "family = \"" + bad + "\"\n",
      plain + "source = \"" + bad + "\"\nbox = \"" + bad + "\"\n",
      plain + "\"" + bad + "\" = 1\n",
      plain + "expect = \"" + bad + "\"\n",
      plain + "expect = { \"" + bad + "\" = \"proved\" }\n",
      plain + "expect = { injective = \"" + bad + "\" }\n",
      claim + "claim = \"" + bad + "\"\n",
      claim + "claim = \"equal\"\nwith = \"" + bad + "\"\nexpect = \"proved\"\n",
      claim + "claim = \"slice\"\nregion = \"" + bad + "\"\nwith = \"S[8:1]\"\nexpect = \"proved\"\n",
      claim + "claim = \"wavefronts\"\naccess = \"" + bad + "\"\nexpect = 1\n",
      claim + "claim = \"wavefronts\"\nhardware = \"" + bad + "\"\naccess = \"" + kAccess + "\"\nexpect = 1\n",
      claim + "claim = \"wavefronts\"\nhardware = \"" + bad + "/x\"\naccess = \"" + kAccess + "\"\nexpect = 1\n",
      claim + "claim = \"implements\"\nnests = \"" + bad + "\"\nexpect = \"proved\"\n",
      claim + "claim = \"implements\"\nnests = [ { \"" + bad + "\" = 1 } ]\nexpect = \"proved\"\n"};
  for (const std::string& body : bodies) {
    const std::string path = folder.file("a.toml", "schema = 1\n[[case]]\n" + body);
    for (const char* format : {"text", "github"})
      expect_plain(body, {"check", path, "--format", format, "--timeout", "1"});
    expect_plain(body, {"replay", path});
  }
  for (const std::string& text : {kBad, "schema = " + kBad, "[" + kBad + "]", "\"" + kBad + "\" = 1",
                                  "schema = 1\n# " + kBad, "schema = 1\n" + kBad + " = 1\n[[case]]\n"}) {
    expect_plain("raw TOML", {"check", folder.file("a.toml", text)});
    expect_plain("raw TOML", {"check", "--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]", "--access", kAccess,
                              "--hardware", folder.at("a.toml")});
  }
}

TEST(HostileTerminal, ContentsOfTextsNestsAndCheckpointsAreEscaped) {
  const Folder folder;
  for (const std::string& text : std::vector<std::string>{
           "S[8:1" + kBad + "]", "SpyreTensorLayout((64,), torch." + kBad + ")", kBad + "S[(8,64):(64,1)]" + kBad,
           "SpyreTensorLayout(\x1b[31m(64,)\x1b[0m, torch.float16)", "S[(8\x1b[31m,64):(64,1)]",
           "S[(" + kBad + ",64):(64,1)]"})
    expect_plain(text, {"check", folder.file("a.log", text + "\n"), "--tensor", "f16[8,64]"});
  for (const std::string& text : {kBad, "{\"" + kBad + "\":1}", "{\"direction\":\"" + kBad + "\"}",
                                  "{\"direction\":\"h2d\",\"nests\":[{\"" + kBad + "\":1}]}", "[" + kBad + "]",
                                  "DataConversionInfo: {\"" + kBad + "\":1}", std::string("{\"\\u001b[31m\":1}")}) {
    expect_plain(text, {"check", "--layout", kLayout, "--tensor", kTensor, "--nests", folder.file("nests.json", text)});
    expect_plain(text, {"fuzz", "--merge", folder.at("nests.json")});
  }
  make_inputs(folder);
  nlohmann::json shard = nlohmann::json::parse(read_text(folder.at("shard.json")));
  for (const char* field : {"kind", "family", "digest", "definition"}) {
    nlohmann::json changed = shard;
    changed[field] = "\x1b]0;owned\x07\xe2\x80\xae";
    expect_plain(field, {"fuzz", "--merge", folder.file("changed.json", changed.dump())});
  }
}

TEST(HostileTerminal, NamesInArchivesAreEscaped) {
  const Folder folder;
  const std::string array = npy_of("<u2", "(3, 70)", host_bytes());
  const std::string json = "\\u001b]0;owned\\u0007\\u001b[31m\\r\\u007f\\u009b\\u202e!";
  const auto tensors = [&](const std::string& name, const std::string& dtype, const std::string& more) {
    return safetensors_of(
        "{\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[3,70],\"data_offsets\":[0,420]" + more + "}}",
        host_bytes());
  };
  const std::pair<const char*, std::string> files[] = {
      {"a.npy", npy_of(kBad, "(3, 70)", host_bytes())},
      {"a.npy", npy_of("<u2", kBad, host_bytes())},
      {"a.npy", npy_of("<u2', '" + kBad, "(3, 70)", host_bytes())},
      {"a.npy", kBad},
      {"a.npz", zip_of({stored(kBad + ".npy", array), stored(kBad + "2.npy", array)})},
      {"a.npz", zip_of({stored(kBad, kBad)})},
      {"a.npz", kBad},
      {"a.safetensors", tensors(json, "BF16", "")},
      {"a.safetensors", tensors("w", json, "")},
      {"a.safetensors", tensors("w", "BF16", ",\"" + json + "\":1")},
      {"a.safetensors", tensors(json, "F32", "")},
      {"a.safetensors", tensors(kBad, "BF16", "")},
      {"a.safetensors", safetensors_of("{" + kBad, "")},
      {"a.safetensors", safetensors_of("{\"" + json + "\":1}", "")},
      {"a.safetensors", safetensors_of("{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"" + json +
                                           "\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}",
                                       "xx")}};
  for (const auto& [name, content] : files) {
    const std::string path = folder.file(name, content);
    for (const std::string& member : {std::string(), std::string(":w"), ":" + kBad})
      if (member.empty() || !std::string_view(name).ends_with("npy"))
        expect_plain(name, exec_words("pack", path + member, folder.at("out.npy")));
  }
}

TEST(HostileTerminal, TextsOfCertificatesAreEscaped) {
  const Folder folder;
  make_inputs(folder);
  const nlohmann::json good = nlohmann::json::parse(read_text(folder.at("good.json")));
  for (const char* field : {"/schema", "/digest", "/statement/layout", "/statement/tensor", "/statement/claim",
                            "/statement/verdict", "/statement/map/map", "/evidence/escapes/0/0"}) {
    nlohmann::json changed = good;
    changed[nlohmann::json::json_pointer(field)] = "\x1b]0;owned\x07\xc2\x9b\xe2\x80\xae\r\x7f";
    if (std::string_view(field) != "/digest") changed["digest"] = checker::digest(changed["statement"]);
    const std::string path = folder.file("changed.json", changed.dump());
    expect_plain(field, {"cert", path});
    const Ended alone = Attack(program("verify-layout-cert"), {path}).wait();
    EXPECT_EQ(acts(alone.out + alone.err), "") << field;
  }
}

}  // namespace terminal_test
}  // namespace vl::test::hostile
