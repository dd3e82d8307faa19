// Standard streams that are closed, full, or not read: what could not be printed is an error, and what is written to
// files meanwhile is whole or not there.
#include "tests/hostile/table.h"

namespace vl::test::hostile {
namespace streams_test {

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Commands that print to standard output, and what else they make.
std::vector<Row> printers() {
  const Words spyre{"--layout", kLayout, "--tensor", kTensor},
      tile{"--layout", "S[(8,64):(64,1)]", "--tensor", "f16[8,64]"};
  return {{"check", {"check", "@cases.toml"}, {0}},
          {"check json", {"check", "@cases.toml", "--format", "json"}, {0}},
          {"check sarif", {"check", "@cases.toml", "--format", "sarif"}, {0}},
          {"check a text", {"check", "@text.log", "--claim", "injective", "--tensor", kTensor}, {5}},
          {"explain", with({"explain"}, spyre), {0}},
          {"show", with({"show"}, spyre), {0}},
          {"equal", with({"equal", "--with", kLayout}, spyre), {0}},
          {"nests", with({"nests"}, spyre), {0}},
          {"convert", with({"convert", "--to", "dim_map"}, spyre), {0}},
          {"swizzle", with({"swizzle", "--access", kAccess}, tile), {0}},
          {"cert", {"cert", "@good.json", "@good.cbor"}, {0}},
          {"families", {"families"}, {0}},
          {"claims", {"claims"}, {0}},
          {"version", {"--version"}, {0}},
          {"help", {"--help"}, {0}},
          {"help of check", {"check", "--help"}, {0}},
          {"fuzz", {"fuzz", "--family", "tirx", "--count", "300"}, {0}},
          {"merge", {"fuzz", "--merge", "@shard.json"}, {0}},
          {"exec", exec_words("pack", "@host.npy", "-"), {0}},
          {"exec raw", exec_words("pack", "@host.bin", "-", {"--raw"}), {0}},
          {"show-plan", with({"exec", "pack", "--show-plan"}, spyre), {0}}};
}

// Commands that also make files. exec makes all of them and says so by 0, or none; what check has decided may stay.
std::vector<Row> writers() {
  return {
      {"check with a file", {"check", "@cases.toml", "--output", "text=@all.txt"}, {0, 2}, {}, {}, {"all.txt"}, true},
      {"certificates", {"check", "@cases.toml", "--certificates", "@proofs"}, {0, 2}, {}, {}, {"proofs"}, true},
      {"exec to a file", exec_words("pack", "@host.npy", "@out.npy"), {0}, {}, {}, {"out.npy"}},
      {"exec with its plan",
       exec_words("pack", "@host.npy", "@out.npy", {"--show-plan"}),
       {0, 2},
       {},
       {},
       {"out.npy"}}};
}

TEST(HostileStreams, EveryCommandOfTheTableEndsWell) {
  for (const Row& row : printers()) attack(row, with_proofs);
}

TEST(HostileStreams, AFullStandardOutputIsAnError) {
  for (Row row : printers()) {
    row.codes = {2};
    row.where.out = "/dev/full";
    row.says = "be written";
    attack(row, with_proofs);
  }
}

TEST(HostileStreams, AClosedStandardOutputIsAnError) {
  for (Row row : printers()) {
    row.codes = {2};
    row.where.out = "";
    attack(row, with_proofs);
  }
}

// The checker alone, too: who reads only its exit code must not take silence for acceptance.
TEST(HostileStreams, TheCheckerAloneSaysThatItCouldNotPrint) {
  const Folder folder;
  make_inputs(folder);
  for (const char* out : {"/dev/full", ""}) {
    Surroundings where;
    where.out = out;
    const Ended ended = Attack(program("verify-layout-cert"), {folder.at("good.json")}, where).wait();
    EXPECT_EQ(ended.code, 2) << told({out}, ended);
  }
}

// A process that only loses its reader may also end by SIGPIPE, as every filter does.
TEST(HostileStreams, WithoutAReaderTheProgramEnds) {
  for (Row row : printers()) {
    row.codes = {2, -SIGPIPE};
    row.where.nobody_reads = true;
    attack(row, with_proofs);
  }
}

// The first file that the program opens would take the number of a closed stream, and its output.
TEST(HostileStreams, FilesAreWholeOrNotThereWhateverTheStreamsAre) {
  for (const char* stream : {"closed", "full", "unread", "no input", "no errors", "nothing"}) {
    for (Row row : writers()) {
      const std::string name = stream;
      row.name += ", " + name;
      if (name == "closed" || name == "nothing") row.where.out = "";
      if (name == "full") row.where.out = "/dev/full";
      if (name == "unread") row.where.nobody_reads = true, row.codes.push_back(-SIGPIPE);
      if (name == "no input" || name == "nothing") row.where.in = "";
      if (name == "no errors" || name == "nothing") row.where.err = "";
      attack(row, with_proofs);
    }
  }
}

// Standard input that is closed, a folder, or of no use.
TEST(HostileStreams, StandardInputOfNoUseIsAnError) {
  for (const char* in : {"", "@", "/dev/null"}) {
    for (const Words& words :
         {Words{"check", "-"}, Words{"check", "--layout", kLayout, "--tensor", kTensor, "--nests", "-"},
          exec_words("pack", "-", "@out.npy"), exec_words("pack", "-", "@out.npy", {"--raw"})}) {
      Row row{"standard input '" + std::string(in) + "'", words, {2}};
      row.where.in = in;
      attack(row, with_proofs);
    }
  }
}

}  // namespace streams_test
}  // namespace vl::test::hostile
