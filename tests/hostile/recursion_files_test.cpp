// As recursion_test.cpp, of files: TOML, nests, certificates, and the headers of arrays.
#include <nlohmann/json.hpp>

#include "tests/hostile/deep.h"
#include "tests/hostile/table.h"
#include "verifier/checker/certificate.h"

namespace vl::test::hostile {
namespace recursion_files_test {

constexpr std::size_t kTooMany = 100'000;  // nests, loops or dimensions of a file

void expect_codes(const std::string& name, const Words& words, const std::vector<int>& codes) {
  const Ended ended = attacked_deeply(words);
  EXPECT_TRUE(!ended.hung && std::ranges::count(codes, ended.code) == 1) << name << ": " << told(words, ended);
}

TEST(HostileRecursion, NestedTomlIsAnError) {
  const Folder folder;
  const std::string head = "schema = 1\n";
  const std::pair<const char*, std::string> texts[] = {
      {"lists", head + "a = " + times("[")},
      {"closed lists", head + "a = " + times("[") + times("]")},
      {"lists on lines", head + "a = " + times("[\n") + times("]\n")},
      {"tables in line", head + "a = " + times("{a=")},
      {"closed tables in line", head + "a = " + times("{a=") + "1" + times("}")},
      {"lists and tables", head + "a = " + times("[{a=")},
      {"dotted keys", head + times("a.") + "a = 1"},
      {"spaced dots", head + times("a . ") + "a = 1"},
      {"quoted dots", head + times("'a'.") + "a = 1"},
      {"names of tables", "[" + times("a.") + "a]"},
      {"names of lists", "[[" + times("a.") + "a]]"},
      {"one table more a line", times("[a.b.c.d.e.f]\n")},
      {"deeper tables", times("[[a]]\n[a.b]\n", std::min<std::size_t>(kDeep, 10'000))},
      {"lists of tables in each other",
       [] {
         std::string out, name;
         for (int i = 0; i < (kSanitized ? 300 : 2000); ++i) out += "[[" + (name += i == 0 ? "a" : ".a") + "]]\n";
         return out;
       }()},
      {"keys with dots on lines",
       [] {
         std::string out, name = "a";
         for (int i = 0; i < (kSanitized ? 300 : 1000); ++i, name += ".a") out += name + ".b = 1\n";
         return out;
       }()},
      {"open brackets", times("[")},
      {"brackets and quotes", times("['")},
      {"quotes", head + "a = " + times("\"")},
      {"minuses", head + "a = " + times("-") + "1"},
      {"digits", head + "a = 1" + times("0")},
      {"underscores", head + "a = 1" + times("_0")},
      {"comments", times("#\n")},
      {"escapes", head + "a = \"" + times("\\u0041") + "\""},
      {"cases", "schema = 1\n" + times("[[case]]\n", std::min<std::size_t>(kDeep, 20'000))}};
  for (const auto& [name, text] : texts) {
    const std::string path = folder.file("a.toml", text);
    expect_codes(std::string(name) + " in a case file", {"check", path}, {2});
    if (kSanitized && &text != &texts[0].second) continue;  // the same reader
    expect_codes(
        std::string(name) + " in a profile",
        {"check", "--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]", "--access", kAccess, "--hardware", path},
        {2});
    expect_codes(std::string(name) + " in a replay", {"replay", path}, {2});
  }
}

TEST(HostileRecursion, NestedNestsAreAnError) {
  const Folder folder;
  const std::pair<const char*, std::string> texts[] = {
      {"lists", times("[")},
      {"objects", times("{\"a\":")},
      {"nests in nests", "{\"direction\":\"h2d\",\"nests\":" + times("[")},
      {"closed nests in nests", "{\"direction\":\"h2d\",\"nests\":" + times("[") + times("]") + "}"},
      {"objects in nests", "{\"direction\":\"h2d\",\"nests\":[" + times("{\"extents\":")},
      {"extents", "{\"direction\":\"h2d\",\"nests\":[{\"extents\":" + times("[") + "1" + times("]") + "}]}"},
      {"a log", "DataConversionInfo: " + times("{\"a\":")},
      {"a log with lists", "DataConversionInfo: {\"dcsi_\":" + times("[") + times("]") + "}"},
      {"a log with more", "DataConversionInfo: {\"unknown_\":" + times("[{\"x\":") + "0" + times("}]") + "}"},
      {"logs", times("DataConversionInfo: {")},
      {"compact lists", times("[") + "1" + times("]") + "|[1]|[1]|0,0"},
      {"compact nests", "[1]|[1]|[1]|0,0" + times(";[1]|[1]|[1]|0,0", kTooMany)},
      {"compact nests without strides", "[1]|[1]|[1]|0,0" + times(";[1]...0,0", kTooMany)},
      {"numbers", "{\"direction\":\"h2d\",\"nests\":[{\"extents\":[1" + times(",1") + "]}]}"}};
  for (const auto& [name, text] : texts) {
    const std::string path = folder.file("nests.json", text);
    expect_codes(name, {"check", "--layout", kLayout, "--tensor", kTensor, "--nests", path}, {2});
    if (kSanitized && &text != &texts[0].second) continue;  // the same reader
    expect_codes(name, {"exec", "run", "--layout", kLayout, "--tensor", kTensor, "--nests", path, "--show-plan"}, {2});
  }
}

// ---- certificates

// The field `field` of a valid certificate replaced, with the digest that belongs to it.
std::string changed(const Folder& folder, const std::string& field, const nlohmann::json& value) {
  nlohmann::json certificate = nlohmann::json::parse(read_text(folder.at("good.json")));
  certificate[nlohmann::json::json_pointer(field)] = value;
  certificate["digest"] = checker::digest(certificate["statement"]);
  return certificate.dump();
}

// The checker alone takes the texts of layout and tensor for names.
void expect_refused(const Folder& folder, const std::string& name, const std::string& bytes) {
  const std::string path = folder.file("hostile", bytes);
  for (const char* which : {"verify-layout-cert", "verify-layout"}) {
    const bool alone = std::string_view(which) == "verify-layout-cert";
    if (alone && kSanitized) continue;  // the same code
    const Words words = alone ? Words{path} : Words{"cert", path};
    const Ended ended = attacked_deeply(words, which);
    const bool is_name = alone && (name.starts_with("/statement/layout") || name.starts_with("/statement/tensor"));
    EXPECT_TRUE(!ended.hung && (ended.code == 2 || ended.code == 10 || (is_name && ended.code == 5)))
        << name << ": " << told(words, ended);
  }
}

TEST(HostileRecursion, NestedCertificatesAreRefused) {
  const Folder folder;
  make_inputs(folder);
  const std::string map = "\xa1", key = "\x61\x61";
  std::size_t heads = 0;
  for (const std::string& head :
       {map, map + key, map + "\x69statement", std::string("\xbf"), std::string("\xa1\x68") + "evidence\xa1\x61\x61"}) {
    std::size_t items = heads++;
    for (const char* item :
         {"\x7f", "\x5f", "\x9f", "\xbf", "\x81", "\xa1", "\xc1", "\xd8\x20", "\xa1\x61\x61", "\x9f\x7f",
          "\x7f\x61\x61", "\xbf\x61\x61", "\x82\x00", "\xfa", "\x9b\x7f\xff\xff\xff\xff\xff\xff\xff",
          "\xbb\xff\xff\xff\xff\xff\xff\xff\xff", "\x7b\xff\xff\xff\xff\xff\xff\xff\xff"})
      if (!kSanitized || items++ % 5 == 0) expect_refused(folder, "CBOR", head + times(item));
  }
  expect_refused(folder, "the 40 KB of the report", map + std::string(40'000, '\x7f'));
  for (const char* item :
       {"[", "{\"a\":", "[{\"a\":", "{\"statement\":", "[[],", "\"", "-", "{\"evidence\":{\"digits\":["})
    expect_refused(folder, std::string("JSON ") + item, times(item));
  expect_refused(folder, "closed lists", "{\"statement\":" + times("[") + times("]") + "}");
  expect_refused(folder, "a long line of lists", "{\"statement\":[" + times("[],") + "[]]}");
}

// Long texts: as many names, stages and numbers as a file of a megabyte has. What is quadratic in them would hang.
TEST(HostileRecursion, LongTextsOfCertificatesAreRefused) {
  const Folder folder;
  make_inputs(folder);
  std::string names = "(", rows = "affine(", weights = "split(0; ";
  for (std::size_t i = 0; i < kDeep; ++i) {
    names += (i == 0 ? "a" : ", a") + std::to_string(i) + ":1";
    rows += i == 0 ? "x0" : ", x0";
    weights += i == 0 ? "1" : ", 1";
  }
  expect_refused(folder, "names", changed(folder, "/statement/map/logical", names + ")"));
  expect_refused(folder, "rows", changed(folder, "/statement/map/map", rows + ")"));
  expect_refused(folder, "weights", changed(folder, "/statement/map/map", weights + ")"));
  expect_refused(folder, "stages", changed(folder, "/statement/map/map", "affine(x0)" + times(" -> affine(x0)")));
  expect_refused(folder, "sums", changed(folder, "/statement/map/map", "affine(x0" + times(" + x0") + ")"));
}

// Texts within a certificate are read by the checker itself, or again by the program.
TEST(HostileRecursion, NestedTextsOfCertificatesAreRefused) {
  const Folder folder;
  make_inputs(folder);
  for (const char* field :
       {"/statement/layout", "/statement/tensor", "/statement/claim", "/statement/map/map", "/statement/map/logical",
        "/statement/map/physical", "/statement/map/decode", "/statement/map/filled"}) {
    for (const char* item : {"(", "[", "affine(", "split(", "swizzle(", "-", "x0 + ", "x0*", "affine(x0) -> ", "x0:1, ",
                             "SpyreTensorLayout(", "S[", "ComposeLayout("})
      expect_refused(folder, std::string(field) + " " + item, changed(folder, field, times(item)));
    nlohmann::json deep = 1;
    for (int i = 0; i < 1000; ++i) deep = nlohmann::json::array({std::move(deep)});
    expect_refused(folder, std::string(field) + " as lists", changed(folder, field, deep));
    if (kSanitized) break;
  }
  for (const char* field : {"/evidence/digits", "/evidence/escapes", "/evidence/misdecodes", "/evidence/collides"}) {
    nlohmann::json many = nlohmann::json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(kDeep, 20'000); ++i)
      many.push_back(nlohmann::json::array({1, nlohmann::json::array({1})}));
    expect_refused(folder, std::string(field) + " long", changed(folder, field, many));
  }
}

// ---- the headers of arrays, and checkpoints

TEST(HostileRecursion, NestedHeadersAreAnError) {
  const Folder folder;
  const auto npy = [&](const std::string& header) {
    std::string out("\x93NUMPY\x03\x00", 8);
    put(out, header.size(), 4);
    return out + header;
  };
  const auto v1 = [&](const std::string& header) {
    std::string out("\x93NUMPY\x01\x00", 8);
    put(out, header.size() & 0xffff, 2);
    return out + header;
  };
  const std::pair<const char*, std::string> files[] = {
      {"a.npy", npy("{'descr': '<u2', 'fortran_order': False, 'shape': " + times("(", 30'000) + "3" +
                    times(")", 30'000) + ", }")},
      {"a.npy", npy("{'descr': " + times("[", 60'000))},
      {"a.npy", v1("{'descr': '<u2', 'fortran_order': False, 'shape': " + times("(", 60'000))},
      {"a.npy", v1(times("{'descr':", 7000))},
      {"a.npy", v1("{'descr': '<u2', 'fortran_order': False, 'shape': (" + times("1,", 30'000) + "), }")},
      {"a.safetensors", safetensors_of(times("{\"a\":"), "")},
      {"a.safetensors", safetensors_of("{\"a\":{\"dtype\":\"U16\",\"shape\":" + times("["), "")},
      {"a.safetensors", safetensors_of("{\"__metadata__\":" + times("{\"a\":"), "")},
      {"a.safetensors",
       safetensors_of("{\"a\":{\"dtype\":\"U16\",\"shape\":[" + times("1,") + "1],\"data_offsets\":[0,2]}}", "xx")},
      {"a.safetensors",
       safetensors_of("{" + times("\"__metadata__\":{},", 1) + "\"a\":" + times("[") + times("]") + "}", "")},
      {"a.npz", zip_of({stored("a.npy", npy(times("(", 60'000)))})},
      {"a.npz", zip_of({stored("a.npz", zip_of({stored("a.npz", zip_of({stored("a.npy", npy("("))}))}))})}};
  for (const auto& [name, bytes] : files) {
    const std::string path = folder.file(name, bytes);
    expect_codes(std::string(name) + ": " + bytes.substr(0, 80), exec_words("pack", path, folder.at("out.npy")), {2});
    EXPECT_FALSE(std::filesystem::exists(folder.at("out.npy")));
  }
  for (const char* item : {"[", "{\"a\":", "{\"kind\":\"shard\",\"found\":[", "{\"distribution\":", "\"", "-"})
    expect_codes(item, {"fuzz", "--merge", folder.file("shard.json", times(item))}, {2});
  expect_codes("closed lists", {"fuzz", "--merge", folder.file("shard.json", times("[") + times("]"))}, {2});
}

}  // namespace recursion_files_test
}  // namespace vl::test::hostile
