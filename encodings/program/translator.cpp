#include "encodings/program/translator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

namespace vl::program {
namespace {

Index round_up(Index size, Index granule) { return (size + granule - 1) / granule * granule; }

// A name as it can stand in quotes in a program.
std::string plain(std::string_view name) {
  std::string out(name.substr(0, 80));
  std::ranges::replace_if(
      out, [](unsigned char ch) { return std::isalnum(ch) == 0 && ch != '_' && ch != '#' && ch != '%' && ch != '-'; },
      '.');
  return out;
}

}  // namespace

std::string Translator::bare(std::string_view name) { return std::string(name.substr(name.starts_with('%') ? 1 : 0)); }

bool Translator::fail(std::string why) {
  if (why_.empty()) why_ = std::move(why);
  return false;
}

void Translator::note(std::string text) {
  if (std::ranges::find(out_.notes, text) == out_.notes.end()) out_.notes.push_back(std::move(text));
}

std::string Translator::name_for(std::string_view name) {
  std::string out;
  for (const char c : name.starts_with('%') ? name.substr(1) : name)
    out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '.';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "v" + out;
  const int times = taken_[out]++;
  named_.push_back(out);
  return times == 0 ? out : name_for(fmt::format("{}.{}", out, times));
}

const Value* Translator::find(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() || found->second.name.empty() ? nullptr : &found->second;
}

std::string Translator::type_in_words(const Value& value) {
  std::string out = fmt::format("{}[{}]", value.type, fmt::join(value.shape, ","));
  std::size_t tiled = value.shape.size();
  while (tiled > 0 && value.granules[value.shape.size() - tiled] == 1) --tiled;
  if (tiled > 0)
    out += fmt::format(" tile({})",
                       fmt::join(value.granules.end() - static_cast<std::ptrdiff_t>(tiled), value.granules.end(), ","));
  return out;
}

void Translator::line(std::string text, std::size_t step) {
  out_.text += std::move(text) + "\n";
  out_.steps.push_back(step);
  out_.results.emplace_back();
}

std::string Translator::part(const std::string& text) {
  std::string name = name_for("t");
  line(fmt::format("{} = {}", name, text), step_);
  return name;
}

void Translator::define(const std::string& result, Value value, const std::string& text,
                        std::optional<std::vector<Index>> made) {
  bool moved = false;
  for (std::size_t i = 0; made && i < value.shape.size(); ++i)
    moved = moved || round_up(value.shape[i], (*made)[i]) != round_up(value.shape[i], value.granules[i]);
  std::string said = text;
  if (moved) {
    const std::string type = type_in_words(value);
    said = fmt::format("reshape {} {}", part(text), type.substr(type.find('[')));
  }
  value.name = name_for(result);
  line(fmt::format("{} = {}", value.name, said), step_);
  std::vector<Index> padded;
  for (std::size_t i = 0; i < value.shape.size(); ++i) padded.push_back(round_up(value.shape[i], value.granules[i]));
  out_.results.back() =
      fmt::format("{}[{}] padded to [{}]", value.type, fmt::join(value.shape, ","), fmt::join(padded, ","));
  values_[result] = std::move(value);
}

void Translator::begin() {
  note_names_of_no_input();
  for (const mlir::Argument& argument : from_.arguments) {
    auto value = value_of(argument.type);
    if (!value) {
      values_[argument.name] = Value{.is_place = argument.type.starts_with("!ttnn.device")};
      continue;
    }
    value->name = name_for(argument.name);
    std::string text = fmt::format("{} = input {}", value->name, type_in_words(*value));
    for (const auto& [word, said] : {std::pair{"padding", &padding_}, std::pair{"contents", &contents_}}) {
      auto found = said->find(bare(argument.name));
      if (found == said->end()) found = said->find("");  // of every input
      if (found != said->end()) text += fmt::format(" {} {}", word, found->second);
    }
    line(std::move(text), kNoStep);
    values_[argument.name] = std::move(*value);
  }
}

const std::string& Translator::opaque() {
  if (opaque_.empty()) {
    opaque_ = name_for("opaque");
    line(fmt::format("{} = input u8[1] tile(2)", opaque_), kNoStep);
  }
  return opaque_;
}

void Translator::add_read(const mlir::Operation& operation, std::set<std::string>& read,
                          std::set<std::string>& defined) {
  read.insert(operation.operands.begin(), operation.operands.end());
  for (const mlir::Region& region : operation.regions) {
    for (const mlir::Argument& argument : region.arguments) defined.insert(argument.name);
    for (const mlir::Operation& inner : region.operations) {
      defined.insert(inner.results.begin(), inner.results.end());
      add_read(inner, read, defined);
    }
  }
}

// Whether an operation works on values alone: one without a result does not, and neither does one with such a region.
bool Translator::is_pure(const mlir::Operation& operation, bool outermost) {
  // What torch's operations and Spyre's write is known where they are read.
  constexpr std::array<std::string_view, 8> kPure{"ttir.",  "stablehlo.", "chlo.",      "tosa.",
                                                  "arith.", "math.",      "torch.ops.", "OpSpec."};
  constexpr std::array<std::string_view, 3> kEnds{"stablehlo.return", "linalg.yield", "ttir.yield"};
  const bool known = std::ranges::any_of(kPure, [&](std::string_view d) { return operation.name.starts_with(d); });
  const bool ends = !outermost && std::ranges::find(kEnds, operation.name) != kEnds.end();
  if (!ends && (!known || operation.results.empty())) return false;
  for (const mlir::Region& region : operation.regions)
    for (const mlir::Operation& inner : region.operations)
      if (!is_pure(inner, false)) return false;
  return true;
}

void Translator::take_unknown(const mlir::Operation& operation, std::size_t number) {
  const bool pure = is_pure(operation, true);
  std::set<std::string> names, defined;
  add_read(operation, names, defined);
  std::string operands;
  bool hidden = !pure;  // it may read what the function does not name
  std::vector<std::string> read;
  for (const std::string& name : names) {
    if (name.starts_with('=')) continue;  // a number
    const auto known = values_.find(name);
    if (known == values_.end()) {
      hidden = hidden || !defined.contains(name);
    } else if (known->second.name.empty()) {
      hidden = true;
      if (!pure) known->second = Value{};  // a place may have been written
    } else {
      operands += " " + known->second.name, read.push_back(known->second.name);
    }
  }
  if (hidden) operands += " " + opaque();
  const auto made = [&](const std::string& result, Value value) {
    value.name = name_for(result), value.number.clear(), value.counts = -1;
    line(fmt::format("{} = unknown \"{}\"{} -> {}", value.name, plain(operation.name), operands, type_in_words(value)),
         number);
    return value;
  };
  for (std::size_t i = 0; i < operation.results.size(); ++i) {
    auto value = i < operation.outputs.size() ? value_of(operation.outputs[i]) : std::nullopt;
    values_[operation.results[i]] = value ? made(operation.results[i], std::move(*value)) : Value{};
  }
  if (pure) return;
  // What it was given may be written, and so may what lies in the same memory.
  std::set<std::string> memory, written;
  for (const std::string& given : read) memory.insert(source_of(given));
  for (const auto& [name, value] : values_)
    if (!value.name.empty() && memory.contains(source_of(value.name))) written.insert(value.name);
  written.insert(read.begin(), read.end());
  for (const std::string& given : written) {
    const auto found = std::ranges::find(values_, given, [](const auto& each) { return each.second.name; });
    if (found != values_.end()) write_over(given, made(found->first, found->second));
  }
}

// Implementations give a view for what only names elements anew.
void Translator::note_source(Form form, const std::string& result, const std::string& source) {
  constexpr std::array kViews{Form::Reshape, Form::Transpose, Form::Permute, Form::Slice, Form::Move,
                              Form::Same,    Form::Barrier,   Form::Cast,    Form::View};
  if (std::ranges::find(kViews, form) == kViews.end() || source.empty()) return;
  const auto made = values_.find(result);
  if (made != values_.end() && !made->second.name.empty() && made->second.name != source)
    shares_[made->second.name] = source;
}

std::string Translator::source_of(std::string name) const {
  for (auto found = shares_.find(name); found != shares_.end(); found = shares_.find(name)) name = found->second;
  return name;
}

void Translator::write_over(const std::string& name, const Value& value) {
  for (auto& [other, each] : values_)
    if (each.name == name) each = value;
}

void Translator::take_place(const mlir::Operation& operation) {
  for (const std::string& result : operation.results) values_[result] = Value{.is_place = true};
}

Translator::Values Translator::enter(const mlir::Operation& call, const mlir::Function& callee) {
  Values inside;
  for (std::size_t i = 0; i < callee.arguments.size(); ++i) {
    const auto given = values_.find(call.operands[i]);
    inside[callee.arguments[i].name] = given == values_.end() ? Value{} : given->second;
  }
  return std::exchange(values_, std::move(inside));
}

void Translator::leave(Values outside, const mlir::Operation& call, const mlir::Function& callee,
                       const std::vector<std::string>& results) {
  // What it was given may have been written, under each of its names.
  for (std::size_t i = 0; i < callee.arguments.size(); ++i) {
    const auto now = values_.find(callee.arguments[i].name);
    const auto given = outside.find(call.operands[i]);
    if (now == values_.end() || given == outside.end() || given->second.name == now->second.name) continue;
    const std::string before = given->second.name;
    for (auto& [name, value] : outside)
      if (name == given->first || (!before.empty() && value.name == before)) value = now->second;
  }
  // A tensor of another type than the call says is none that is known.
  for (std::size_t i = 0; i < call.results.size(); ++i) {
    const auto given = i < results.size() ? values_.find(results[i]) : values_.end();
    const auto said = i < call.outputs.size() ? value_of(call.outputs[i]) : std::nullopt;
    const bool same = given != values_.end() && said && said->type == given->second.type &&
                      said->shape == given->second.shape && said->granules == given->second.granules &&
                      said->quantised == given->second.quantised;
    outside[call.results[i]] = same ? given->second : Value{};
  }
  values_ = std::move(outside);
}

void Translator::forget() {
  for (auto& [name, value] : values_) value = Value{};
}

void Translator::give_out(const mlir::Operation& operation) {
  for (const std::string& operand : operation.operands) {
    out_.outputs.push_back(operand);
    if (const Value* value = find(operand)) {
      outputs_.push_back(value->name);
      continue;
    }
    // What programs cannot say of a value, they cannot say of an output.
    const std::string& read = opaque();
    outputs_.push_back(part(fmt::format("unknown \"{}\" {} -> u8[1]", plain(operand), read)));
  }
}

std::optional<Dataflow> Translator::end() {
  if (outputs_.empty()) return std::nullopt;
  if (!equal_.empty()) line("equal " + equal_, kNoStep);
  line(fmt::format("output {}", fmt::join(outputs_, " ")), kNoStep);
  return std::move(out_);
}

bool Translator::take(const mlir::Operation& operation, std::size_t number, std::string& why) {
  step_ = number, why_.clear();
  why = operation.refused;
  if (!why.empty()) return false;
  const Row* row = find_row(operation.name);
  if (row == nullptr) return false;
  const std::size_t length = out_.text.size(), lines = out_.steps.size();
  named_.clear();
  const bool done = [&] {
    if (row->form == Form::Cache) return cache(operation, *row);
    if (operation.results.empty() || operation.outputs.size() < operation.results.size())
      return fail("its result has no type");
    auto value = value_of(operation.outputs[0]);
    if (!value) return fail(fmt::format("its type {} is not one of programs", operation.outputs[0].substr(0, 80)));
    Operands operands;
    bool places = false;  // where results are to go stands behind all operands
    std::deque<Value> made;
    for (const std::string& name : operation.operands) {
      if (name.starts_with('=')) {  // "=f32 1.5"
        const std::size_t blank = name.find(' ');
        Value& said = made.emplace_back();
        said.name = name.substr(blank + 1), said.type = type_in_language(name.substr(1, blank - 1));
        operands.push_back(&said);
        continue;
      }
      const auto found = values_.find(name);
      if (found != values_.end() && found->second.is_place) {
        places = true;
        continue;
      }
      if (places) return fail("an operand that nothing was written to");
      const Value* operand = find(name);
      if (operand == nullptr) return fail(fmt::format("its operand {} has a type that programs do not have", name));
      operands.push_back(operand);
    }
    if (places && operands.empty() && row->form == Form::View) return take_place(operation), true;
    if (!adapt(operation, operands, made)) return false;
    const std::string source = operands.empty() ? "" : operands[0]->name;
    if (!translate(operation, *row, operands, *value)) return false;
    note_source(row->form, operation.results[0], source);
    return true;
  }();
  if (done) return true;
  why = why_;
  out_.text.resize(length), out_.steps.resize(lines), out_.results.resize(lines);
  for (const std::string& name : named_) --taken_[name];
  return false;
}

}  // namespace vl::program
