// The fields of a certificate's objects, by name, and the items of each list that stands for a struct: what
// certificate.cpp reads and writes.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

#include "verifier/checker/certificate.h"

namespace vl::checker {

template <class T, class Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

void fields(auto& io, Is<LayoutText> auto& x) {
  io("map", x.map), io("logical", x.logical), io("physical", x.physical), io("decode", x.decode);
  io("filled", x.filled), io("identity", x.identity), io("named", x.named);
}
void fields(auto& io, Is<Rule> auto& x) { io("statement", x.statement), io("have", x.have), io("want", x.want); }
void fields(auto& io, Is<AccessText::Pairs> auto& x) { io("distances", x.distances), io("phases", x.phases); }
void fields(auto& io, Is<AccessText> auto& x) {
  io("bytes", x.bytes), io("coordinates", x.coordinates), io("when", x.when), io("conditions", x.conditions);
  io("logical", x.logical), io("width", x.width), io("phases", x.phases), io("banks", x.banks);
  io("bytes_per_bank", x.bytes_per_bank), io("broadcasts", x.broadcasts), io("pairs", x.pairs);
  io("origin", x.origin);
}
void fields(auto& io, Is<DivisionText> auto& x) {
  io("splits", x.splits), io("scales", x.scales), io("order", x.order), io("cores", x.cores), io("span", x.span);
  io("stick", x.stick), io("sticks", x.sticks), io("slices", x.slices);
}
void fields(auto& io, Is<TransferText::Bases> auto& x) { io("source", x.source), io("destination", x.destination); }
void fields(auto& io, Is<TransferText::Nest> auto& x) {
  io("extents", x.extents), io("source", x.source), io("destination", x.destination);
}
void fields(auto& io, Is<TransferText> auto& x) {
  io("source", x.source), io("destination", x.destination), io("bases", x.bases), io("nests", x.nests);
}
void fields(auto& io, Is<FillText::Box> auto& x) {
  io("extents", x.extents), io("low", x.low), io("high", x.high), io("shared", x.shared);
}
void fields(auto& io, Is<FillText> auto& x) { io("boxes", x.boxes), io("swizzles", x.swizzles), io("base", x.base); }
void fields(auto& io, Is<ReductionText> auto& x) {
  io("operation", x.operation), io("type", x.type), io("accumulate", x.accumulate), io("start", x.start);
  io("order", x.order), io("max", x.max), io("equal", x.equal), io("fused", x.fused);
  io("rounding", x.rounding), io("flush", x.flush), io("integers", x.integers);
  io("contents", x.contents), io("fill", x.fill), io("other", x.other), io("row", x.row);
}
void fields(auto& io, Is<RowText> auto& x) {
  io("divide", x.divide), io("ties", x.ties), io("pads", x.pads), io("blocks", x.blocks), io("k", x.k);
}
void fields(auto& io, Is<EvaluationText> auto& x) {
  io("shape", x.shape), io("valid", x.valid), io("pads", x.pads), io("got", x.got), io("want", x.want);
}
void fields(auto& io, Is<ImageText> auto& x) {
  io("function", x.function), io("type", x.type), io("max", x.max), io("operands", x.operands);
  io("results", x.results);
}
void fields(auto& io, Is<RowStateText> auto& x) {
  io("about", x.about), io("result", x.result), io("extents", x.extents), io("whole", x.whole), io("holds", x.holds);
  io("at", x.at), io("results", x.results);
}
void fields(auto& io, Is<StoringText> auto& x) { io("type", x.type), io("values", x.values), io("codes", x.codes); }
void fields(auto& io, Is<StepText> auto& x) {
  io("kind", x.kind), io("type", x.type), io("operands", x.operands), io("sizes", x.sizes);
  io("granules", x.granules), io("function", x.function), io("max", x.max), io("operation", x.operation);
  io("accumulate", x.accumulate), io("start", x.start), io("order", x.order), io("fused", x.fused);
  io("axes", x.axes), io("masked", x.masked), io("first", x.first), io("step", x.step), io("value", x.value),
      io("holds", x.holds);
  io("row", x.row);
}
void fields(auto& io, Is<FactText> auto& x) {
  io("function", x.function), io("type", x.type), io("of", x.of), io("gives", x.gives);
}
void fields(auto& io, Is<ChainText> auto& x) {
  io("equal", x.equal), io("rounding", x.rounding), io("flush", x.flush), io("integers", x.integers);
  io("conversion", x.conversion), io("facts", x.facts), io("steps", x.steps);
}
void fields(auto& io, Is<BufferText> auto& x) {
  io("space", x.space), io("begin", x.begin), io("end", x.end), io("argument", x.argument), io("writes", x.writes);
  io("name", x.name);
}
void fields(auto& io, Is<ChainProof> auto& x) { io("sets", x.sets), io("differ", x.differ); }
void fields(auto& io, Is<RuleText::Place> auto& x) {
  io("name", x.name), io("extent", x.extent), io("filled", x.filled), io("constant", x.constant);
  io("terms", x.terms);
}
void fields(auto& io, Is<RuleText> auto& x) {
  io("symbols", x.symbols), io("where", x.where), io("logical", x.logical), io("strides", x.strides);
  io("replicas", x.replicas), io("levels", x.levels), io("places", x.places), io("swizzle", x.swizzle);
  io("decodes", x.decodes), io("named", x.named), io("numbers", x.numbers), io("joins", x.joins);
  io("laws", x.laws), io("start", x.start), io("offset", x.offset);
}
void fields(auto& io, Is<RuleNestText> auto& x) {
  io("extents", x.extents), io("host", x.host), io("device", x.device), io("from", x.from);
}
void fields(auto& io, Is<CasesProof> auto& x) { io("sizes", x.sizes), io("steps", x.steps), io("goals", x.goals); }
void fields(auto& io, Is<HeldText> auto& x) { io("elements", x.elements), io("blocks", x.blocks); }
void fields(auto& io, Is<OperandText> auto& x) {
  io("layout", x.layout), io("tensor", x.tensor), io("strides", x.strides), io("scales", x.scales);
  io("offset", x.offset), io("view_offset", x.view_offset), io("result", x.result), io("padding", x.padding);
  io("contents", x.contents), io("padded", x.padded);
}
void fields(auto& io, Is<OperationText> auto& x) {
  io("name", x.name), io("rule", x.rule), io("operands", x.operands), io("scales", x.scales);
  io("reduce", x.reduce), io("dims", x.dims);
}
void fields(auto& io, Is<FileText> auto& x) { io("key", x.key), io("text", x.text), io("digest", x.digest); }
void fields(auto& io, Is<DerivedText> auto& x) {
  io("text", x.text), io("operation", x.operation), io("result", x.result), io("law", x.law);
}
void fields(auto& io, Is<DerivedRuleText> auto& x) {
  io("text", x.text), io("operation", x.operation), io("result", x.result), io("law", x.law);
}
void fields(auto& io, Is<Statement> auto& x) {
  io("layout", x.layout), io("tensor", x.tensor), io("claim", x.claim), io("verdict", x.verdict);
  io("arguments", x.arguments), io("operation", x.operation), io("files", x.files), io("derived", x.derived);
  io("derived_rules", x.derived_rules);
  io("map", x.map), io("other", x.other), io("rules", x.rules);
  io("operands", x.operands), io("held", x.held), io("access", x.access), io("accesses", x.accesses),
      io("division", x.division);
  io("transfer", x.transfer), io("fills", x.fills), io("reductions", x.reductions), io("book", x.book),
      io("images", x.images);
  io("row_states", x.row_states), io("storing", x.storing), io("chain", x.chain), io("buffers", x.buffers),
      io("rule", x.rule), io("rule_nests", x.rule_nests), io("from_rule", x.from_rule),
      io("value_expression", x.value_expression), io("bits", x.bits), io("base", x.base), io("at", x.at),
      io("at_most", x.at_most), io("value", x.value);
}
void fields(auto& io, Is<Showing> auto& x) { io("a", x.a), io("b", x.b); }
void fields(auto& io, Is<Evidence> auto& x) {
  io("escapes", x.escapes), io("filled", x.filled), io("collides", x.collides);
  io("misdecodes", x.misdecodes), io("breaks", x.breaks), io("differs", x.differs), io("occupied", x.occupied),
      io("defined", x.defined), io("sticks", x.sticks);
  io("overlaps", x.overlaps), io("lands", x.lands), io("other_lands", x.other_lands), io("witness", x.witness);
  io("operands", x.operands), io("free", x.free), io("refused", x.refused);
  io("moves", x.moves), io("evaluation", x.evaluation), io("elements", x.elements), io("chain", x.chain),
      io("runs", x.runs), io("cases", x.cases);
  io("derived", x.derived);
}
void fields(auto& io, Is<Certificate> auto& x) {
  io("schema", x.schema), io("statement", x.statement), io("digest", x.digest), io("evidence", x.evidence);
}
auto items(Is<RefusedSwizzle> auto& x) { return std::tie(x.access, x.at); }
auto items(Is<RuleText::Symbol> auto& x) { return std::tie(x.name, x.low); }
auto items(Is<RuleText::Condition> auto& x) { return std::tie(x.left, x.relation, x.right); }
auto items(Is<RuleText::Level> auto& x) { return std::tie(x.weight, x.extent); }
auto items(Is<RuleText::Number> auto& x) { return std::tie(x.dims, x.levels); }
auto items(Is<RuleText::Term> auto& x) { return std::tie(x.input, x.coefficient); }
auto items(Is<RuleSwizzleText> auto& x) { return std::tie(x.place, x.base, x.bits, x.shift, x.up); }
auto items(Is<std::pair<std::string, std::string>> auto& x) { return std::tie(x.first, x.second); }

}  // namespace vl::checker
