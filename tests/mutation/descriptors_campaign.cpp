// Descriptors with one number changed by 1. Of each proved case of corpus/descriptor, every field of a transfer is
// changed, up and down. The verdict changes, or the field is one of those listed below, with the reason why the claim
// is as true of the change. Of `carries` both transfers have to move the same bytes then. A line of the list that
// nothing needs is wrong as well.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "encodings/use/tile_moves.h"
#include "verifier/session/cases.h"
#include "verifier/session/judge.h"
#include "verifier/session/targets.h"

namespace vl::session {
namespace mutation_descriptors_test {

struct Equivalent {
  const char *claim, *kind, *field;
  const char* why;
};

constexpr Equivalent kEquivalents[] = {
    {"accepts", "block2d", "blocks", "another number of blocks whose row fits"},
    {"accepts", "block2d", "columns", "a block of another size within the limits"},
    {"accepts", "block2d", "rows", "a block of another size within the limits"},
    {"accepts", "block2d", "width", "a surface of another size, whose pitch holds a row"},
    {"accepts", "block2d", "height", "a surface of another size"},
    {"accepts", "datacopypad", "count", "any number of blocks up to 4095"},
    {"accepts", "datacopypad", "length", "any length of a block up to the limit"},
    {"accepts", "datacopypad", "source_gap", "any gap on the side that counts bytes"},
    {"accepts", "datacopypad", "target_gap", "any gap on the side that counts bytes"},
    {"accepts", "dmabd", "length", "any number of granules up to the limit"},
    {"accepts", "dmabd", "size", "another number of steps within the wrap"},
    {"accepts", "dmabd", "stride", "another stride of whole granules"},
    {"accepts", "im2col", "channels", "another number of channels within the limits"},
    {"accepts", "im2col", "dim", "1 to 2^32"},
    {"accepts", "im2col", "step", "1 to 8"},
    {"accepts", "nki", "count", "the pattern still lies in the tensor"},
    {"accepts", "nki", "offset", "the pattern still lies in the tensor"},
    {"accepts", "nki", "step", "the pattern still lies in the tensor"},
    {"accepts", "nki", "tensor", "the pattern still lies in the tensor"},
    {"accepts", "smemdesc", "base_offset", "0 to 7 are taken"},
    {"accepts", "tdm", "stride", "strides need not fit the tensor"},
    {"accepts", "tdm", "tensor", "a tensor of any size"},
    {"accepts", "tdm", "tile", "a tile of another size within the limits"},
    {"accepts", "tensormap", "allocation", "an allocation that the faulty drivers take, too"},
    {"accepts", "tensormap", "at", "any coordinate of 32 bits"},
    {"accepts", "tensormap", "box", "1 to 256 beyond the innermost dimension"},
    {"accepts", "tensormap", "dim", "1 to 2^32"},
    {"accepts", "tensormap", "driver", "another driver that takes it"},
    {"accepts", "tensormap", "step", "1 to 8 beyond the innermost dimension"},
    {"carries", "tensormap", "box", "the box ends beyond the tensor, where nothing is moved"},
    {"carries", "tensormap", "dim", "no box reaches the rows that are added"},
    {"keeps", "tensormap", "at", "the tile ends in the row, or the row at 16 bytes"},
    {"keeps", "tensormap", "box", "the tile ends in the row, or the row at 16 bytes"},
    {"keeps", "tensormap", "dim", "another number of rows"},
    {"keeps", "tensormap", "step", "other rows, which are as long"},
    {"keeps", "tensormap", "stride", "rows that lie elsewhere, and are as long"},
};

struct Mutant {
  std::string field, text;  // of one that is a descriptor; else no text
};

std::vector<Mutant> mutants_of(const std::string& text) {
  const auto read = use::parse_descriptor(text);
  EXPECT_TRUE(read.has_value()) << text;
  const use::DescriptorKind& kind = *use::descriptor_kind(read->kind);
  const std::string derived = fmt::format(" {} ", kind.derived);
  std::vector<Mutant> out;
  for (const auto& [name, field] : read->fields) {
    if (derived.find(fmt::format(" {} ", name)) != std::string::npos) continue;
    for (std::size_t k = 0; k < field.values.size(); ++k)
      for (const Index by : {1, -1}) {
        const auto* number = std::get_if<map::Expression>(&field.values[k]);
        if (number == nullptr || !number->number()) continue;
        use::DescriptorFields changed = read->fields;
        changed.at(name).values[k] = map::Expression(*number->number() + by);
        const auto made = use::descriptor_of(read->kind, std::move(changed));
        const bool again = made && use::parse_descriptor(use::print(*made)).has_value();
        out.push_back({name, again ? use::print(*made) : std::string()});
      }
  }
  return out;
}

// The request with its transfer number k replaced.
CaseRequest with_text(const CaseRequest& request, std::size_t k, const std::string& text) {
  CaseRequest out = request;
  const auto changed = [&](const TransferRequest& of) {
    TransferRequest transfer = of;
    transfer.texts[k].text = text, transfer.texts[k].verbatim = false;
    return std::make_shared<const TransferRequest>(std::move(transfer));
  };
  if (out.transfer != nullptr) out.transfer = changed(*out.transfer), out.layout = out.transfer->texts.front();
  for (ClaimRequest& claim : out.claims)
    if (claim.transfer != nullptr) claim.transfer = changed(*claim.transfer);
  return out;
}

std::string verdict_of(const CaseRequest& request, const claims::Claim& claim, std::size_t k) {
  CaseRequest asked = request;
  std::erase_if(asked.claims, [&](const ClaimRequest& one) { return one.claim != &claim; });
  const question::Case judged = judge(asked, {engine_options(), {}, false, {}, {}, false, false, nullptr});
  if (judged.diagnostic) return "invalid";
  const std::size_t answer = claims::is_about_one_descriptor(claim) ? k : 0;
  return answer < judged.answers.size() ? std::string(question::word(judged.answers[answer].verdict)) : "no answer";
}

// Which byte of shared memory each byte of the tensor goes to or comes from.
std::multiset<std::pair<Index, Index>> moved(const std::vector<std::string>& texts) {
  std::vector<use::Descriptor> read;
  for (const std::string& text : texts) read.push_back(*use::parse_descriptor(text));
  const auto tiles = use::tile_moves(read);
  std::multiset<std::pair<Index, Index>> out;
  if (!tiles) return out;
  for (const use::Nest& nest : tiles->moves.nests) {
    Index count = 1;
    for (const Index extent : nest.extents) count *= extent;
    for (Index i = 0; i < count; ++i) {
      Index source = nest.source.offset, destination = nest.destination.offset, left = i;
      for (std::size_t l = nest.extents.size(); l-- > 0;) {
        const Index at = left % nest.extents[l];
        left /= nest.extents[l];
        source += at * nest.source.strides[l], destination += at * nest.destination.strides[l];
      }
      out.emplace(source, destination);
    }
  }
  return out;
}

std::vector<std::string> texts_of(const TransferRequest& transfer) {
  std::vector<std::string> out;
  for (const SourceText& text : transfer.texts) out.push_back(text.text);
  return out;
}

TEST(MutantsOfDescriptors, ChangeTheVerdictOrAreListed) {
  std::map<std::string, int> count;
  std::set<const Equivalent*> used;
  std::set<std::string> unlisted;
  for (const std::string& file : case_files(VL_SOURCE_DIR "/corpus/descriptor"))
    for (const CaseRequest& request : read_cases(file).cases) {
      if (request.expect_invalid || request.where || request.sizes) continue;
      for (const ClaimRequest& claim : request.claims) {
        const TransferRequest* transfer = request.transfer != nullptr ? request.transfer.get() : claim.transfer.get();
        const bool known =
            claims::is_about_one_descriptor(*claim.claim) || claims::is_about<claims::Carried>(*claim.claim);
        if (transfer == nullptr || !known) continue;
        const bool alone = claims::is_about_one_descriptor(*claim.claim);
        for (std::size_t k = 0; k < transfer->texts.size(); ++k) {
          if (verdict_of(request, *claim.claim, k) != "proved") continue;
          ++count["proved"];
          const std::string kind = use::parse_descriptor(transfer->texts[k].text)->kind;
          for (const Mutant& mutant : mutants_of(transfer->texts[k].text)) {
            ++count["mutants"];
            const CaseRequest asked = with_text(request, k, mutant.text);
            if (mutant.text.empty() || verdict_of(asked, *claim.claim, k) != "proved") {
              ++count["changed"];
              continue;
            }
            const auto found = std::ranges::find_if(kEquivalents, [&](const Equivalent& one) {
              return one.claim == claim.claim->name && one.kind == kind && one.field == mutant.field;
            });
            if (found == std::end(kEquivalents))
              unlisted.insert(fmt::format("{} {} {}", claim.claim->name, kind, mutant.field));
            else used.insert(&*found), ++count[std::string("listed, ") + (alone ? "alone" : "beside a layout")];
            if (alone) continue;
            auto texts = texts_of(*transfer);
            const auto before = moved(texts);
            texts[k] = mutant.text;
            EXPECT_TRUE(!before.empty() && moved(texts) == before) << *request.id << " " << mutant.text;
          }
        }
      }
    }
  for (const auto& [word, times] : count) fmt::print("{}: {}\n", word, times);
  for (const std::string& one : unlisted) ADD_FAILURE() << one << " is not listed";
  for (const Equivalent& one : kEquivalents)
    EXPECT_TRUE(used.contains(&one)) << one.claim << " " << one.kind << " " << one.field << ": nothing needs it";
  EXPECT_GE(count["proved"], 50);
  EXPECT_GE(count["changed"], 400);
}

}  // namespace mutation_descriptors_test
}  // namespace vl::session
