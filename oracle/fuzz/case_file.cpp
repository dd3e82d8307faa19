#include "oracle/fuzz/case_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oracle/fuzz/census.h"
#include "oracle/fuzz/data.h"

namespace vl::oracle {
namespace {

// A TOML string.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else out += c;
  }
  return out + "\"";
}

std::string shape_of(const map::Tensor& tensor) {
  return fmt::format("{}[{}]", map::name(tensor.type), fmt::join(tensor.size, ","));
}

std::string_view host_of(Host where) { return where == Host::Dense ? "dense" : "view"; }

std::uint64_t low_bytes(std::uint64_t value, unsigned unit) {
  return unit == 8 ? value : value & ((std::uint64_t{1} << 8 * unit) - 1);
}

// The truth of the family's claim, by a look at every element.
std::string expectation(const Trouble& trouble) {
  const auto layout = lower(trouble.subject);
  if (!layout) return {};
  const Census is = census_of(*layout);
  if (trouble.subject.family->campaign->bijective)
    return fmt::format("expect      = {{ bijective = \"{}\" }}\n",
                       is.missing + is.collisions + is.strays == 0 ? "proved" : "refuted");
  if (is.landed == 0) return {};
  return fmt::format("expect      = {{ injective = \"{}\" }}\n", is.collisions == 0 ? "proved" : "refuted");
}

}  // namespace

Trouble trouble_at(std::string_view family, std::uint64_t seed, std::uint64_t index) {
  Trouble out;
  out.index = index;
  out.subject = subject_of(family, seed, index / kGroup);
  Trial trial;
  trial.open(out.subject, index / kGroup);
  out.companion = trial.companion();
  out.tensor = tensor_of(family, seed, index);
  return out;
}

Result<Subject> subject_of_text(std::string_view family, std::string_view layout, const map::Tensor& tensor) {
  return campaign_family(family).campaign->read(layout, tensor);
}

std::string structure_of(const Trouble& trouble) {
  return fmt::format("{} {} {} {} {} {}", trouble.mismatch.kind, name(trouble.tensor.verb), trouble.tensor.unit,
                     host_of(trouble.tensor.where), text_of(trouble.subject), map::print(trouble.subject.tensor));
}

std::string case_file_name(const Trouble& trouble) {
  const std::string structure = structure_of(trouble);
  return fmt::format("{}-{}-{:08x}.toml", trouble.subject.family->name, trouble.mismatch.kind,
                     hash_of(std::as_bytes(std::span(structure))) >> 32);
}

std::string case_text(const Trouble& trouble, std::uint64_t seed) {
  const map::Tensor& tensor = trouble.subject.tensor;
  const std::string file = case_file_name(trouble);
  std::string out = "schema = 1\n[[case]]\n";
  out += fmt::format("id          = {}\n", in_quotes("campaign/" + file.substr(0, file.size() - 5)));
  const std::string source =
      fmt::format("campaign of {}, seed {}, case {}, made smaller: {}: {}", trouble.subject.family->name, seed,
                  trouble.index, trouble.mismatch.kind, trouble.mismatch.detail);
  out += fmt::format("source      = {}\n", in_quotes(source));
  out += fmt::format("family      = {}\n", in_quotes(trouble.subject.family->name));
  out += fmt::format("layout      = {}\n", in_quotes(text_of(trouble.subject)));
  out += fmt::format("tensor      = {}\n", in_quotes(shape_of(tensor)));
  if (tensor.strides) out += fmt::format("strides     = [{}]\n", fmt::join(*tensor.strides, ", "));
  if (tensor.offset != 0) out += fmt::format("offset      = {}\n", tensor.offset);
  if (tensor.view_offset != 0) out += fmt::format("view_offset = {}\n", tensor.view_offset);
  if (!tensor.box.empty()) {
    std::string box;
    for (const map::Extent& extent : tensor.box)
      box += fmt::format("{}{}={}", box.empty() ? "" : ", ", extent.axis, extent.extent);
    out += fmt::format("box         = {}\n", in_quotes(box));
  }
  out += expectation(trouble);
  out += fmt::format("[case.replay]\nmismatch = {}\n", in_quotes(trouble.mismatch.kind));
  out += fmt::format("verb     = {}\n", in_quotes(name(trouble.tensor.verb)));
  out += fmt::format("host     = {}\n", in_quotes(host_of(trouble.tensor.where)));
  out += fmt::format("unit     = {}\n", trouble.tensor.unit);
  out += fmt::format("pattern  = {}\n", in_quotes(name(trouble.tensor.pattern)));
  out += fmt::format("data     = {}\n", trouble.tensor.data);
  out += fmt::format("fill     = \"bits:0x{:0{}x}\"\n", low_bytes(trouble.tensor.fill, trouble.tensor.unit),
                     2 * trouble.tensor.unit);
  if (trouble.tensor.empty) out += "empty    = true\n";
  if (trouble.tensor.streamed) out += "streamed = true\n";
  out += fmt::format("to       = {}\n", in_quotes(text_of(trouble.companion)));
  return out;
}

}  // namespace vl::oracle
