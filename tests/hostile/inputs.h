// A folder with one valid file of each kind, and arguments that read them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "encodings/base/files.h"
#include "tests/files/archive.h"
#include "tests/hostile/attack.h"

namespace vl::test::hostile {

// Element (i, j) of bf16[3,70] is unit ((j/64)*3 + i)*64 + j%64 of 2*3*64.
inline const std::string kLayout = "SpyreTensorLayout((3, 70), torch.bfloat16)";
inline const std::string kTensor = "bf16[3,70]";
inline const std::string kTile = "ComposeLayout(3, 3, 3, S[(8,64):(64,1)])";
inline const std::string kAccess = "lanes=8 width=16 at=[lane, 0]";
inline const std::string kNests = R"({"direction":"h2d","nests":[
  {"extents":[3,64],"host_strides":[70,1],"device_strides":[64,1],"host_offset":0,"device_offset":0},
  {"extents":[3,6],"host_strides":[70,1],"device_strides":[64,1],"host_offset":64,"device_offset":192}]})";

inline std::string npy_of(const std::string& descr, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + data;
}

/// The host's tensor: 420 bytes.
inline std::string host_bytes() {
  std::string out;
  for (std::size_t k = 0; k < 210; ++k) put(out, 0x7f81 + 97 * k, 2);
  return out;
}

/// Two tensors, w and v.
inline std::string two_safetensors() {
  return safetensors_of(R"({"w":{"dtype":"BF16","shape":[3,70],"data_offsets":[0,420]},)"
                        R"("v":{"dtype":"U8","shape":[5],"data_offsets":[420,425]}})",
                        host_bytes() + "other");
}

inline std::string two_arrays() {
  return zip_of(
      {stored("w.npy", npy_of("<u2", "(3, 70)", host_bytes())), stored("v.npy", npy_of("|u1", "(5,)", "other"))});
}

inline const std::string kCases =
    "schema = 1\n[[case]]\nid = \"one\"\nlayout = \"" + kLayout + "\"\ntensor = \"" + kTensor +
    "\"\nexpect = { bijective = \"proved\", padding = 174 }\n[[case]]\nid = \"two\"\nlayout = \"" + kTile +
    "\"\ntensor = \"f16[8,64]\"\n[[case.claim]]\nclaim = \"wavefronts\"\nhardware = \"sm_90\"\naccess = \"" + kAccess +
    "\"\nexpect = 1\n";

using Content = std::map<std::string, std::string>;

/// What the program makes of them: good.json good.cbor shard.json.
inline const Content& proofs_of_inputs() {
  static const Content all = [] {
    const Folder made;
    for (const bool compact : {false, true}) {
      Words words{"check",   "--layout",  kLayout,          "--tensor", kTensor,
                  "--claim", "bijective", "--certificates", made.path()};
      if (compact) words.emplace_back("--compact");
      if (verify_layout(words).code != 0) throw std::runtime_error("no certificate");
    }
    const Words campaign{"fuzz", "--family", "tirx", "--seed", "7", "--count", "300", "--out", made.at("out")};
    if (verify_layout(campaign).code != 0) throw std::runtime_error("no campaign");
    return Content{{"good.json", read_text(made.at("layout.0-bijective.json"))},
                   {"good.cbor", read_text(made.at("layout.0-bijective.cbor"))},
                   {"shard.json", read_text(made.at("out/tirx-7.json"))}};
  }();
  return all;
}

/// The folder's files: cases.toml profile.toml text.log nests.json host.npy host.npz host.safetensors host.bin
/// device.bin, and where `proofs`, those too.
inline void make_inputs(const Folder& folder, bool proofs = true) {
  folder.file("cases.toml", kCases);
  folder.file("profile.toml", read_text(std::string(VL_SOURCE_DIR) + "/corpus/hardware/sm_90.toml"));
  folder.file("text.log", "buf0 = " + kLayout + " and S[(8,64):(64,1)]\n");
  folder.file("nests.json", kNests);
  folder.file("host.npy", npy_of("<u2", "(3, 70)", host_bytes()));
  folder.file("host.npz", two_arrays());
  folder.file("host.safetensors", two_safetensors());
  folder.file("host.bin", host_bytes());
  folder.file("device.bin", std::string(768, '\x07'));
  if (!proofs) return;
  for (const auto& [name, content] : proofs_of_inputs()) folder.file(name, content);
}

inline void with_proofs(const Folder& folder) { make_inputs(folder); }

/// `exec VERB --layout … --tensor … --in IN --out OUT MORE…`
inline Words exec_words(const std::string& verb, const std::string& in, const std::string& out,
                        const Words& more = {}) {
  Words words{"exec", verb, "--layout", kLayout, "--tensor", kTensor, "--in", in, "--out", out};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// A command that reads the file at `path`, for each way in which the program reads files; with a name.
inline std::vector<std::pair<std::string, Words>> readers_of(const std::string& path) {
  const Words tile{"--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]"},
      spyre{"--layout", kLayout, "--tensor", kTensor};
  const auto joined = [](Words a, const Words& b, const Words& c) {
    a.insert(a.end(), b.begin(), b.end());
    a.insert(a.end(), c.begin(), c.end());
    return a;
  };
  return {{"check", {"check", path}},
          {"cert", {"cert", path}},
          {"replay", {"replay", path}},
          {"merge", {"fuzz", "--merge", path}},
          {"hardware", joined({"check"}, tile, {"--access", kAccess, "--hardware", path})},
          {"swizzle", joined({"swizzle"}, tile, {"--access", kAccess, "--hardware", path})},
          {"nests", joined({"check"}, spyre, {"--nests", path})},
          {"run", joined({"exec", "run"}, spyre, {"--nests", path, "--in", "/dev/null", "--out", "/dev/null/x"})},
          {"exec", exec_words("pack", path, "/dev/null/x")},
          {"raw", exec_words("pack", path, "/dev/null/x", {"--raw"})}};
}

}  // namespace vl::test::hostile
