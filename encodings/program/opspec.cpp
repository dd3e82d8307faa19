// Kernels of Torch-Spyre: lists of OpSpec, or one KernelSpec, as it was before. What an operation does to padding: a
// pointwise one computes whole sticks; a reduction and batchmatmul read the whole sticks of what they go through,
// batchmatmul also so many rows of its second operand (of `vl: tail zero` see function.h). `samv-maskvalue` stands for
// what is in lanes past the last element where an operation reads. Source: torch-spyre,
// torch_spyre/_inductor/op_spec.py, padding.py and codegen/superdsc.py; #3799 and #4342.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "encodings/program/opspec_loops.h"
#include "encodings/program/opspec_memory.h"
#include "encodings/program/python.h"

namespace vl::program {
namespace {

using python::Kind;
using python::Node;

constexpr std::string_view kUnplaced = "spyre.unplaced";

// The fields of an OpSpec that are read, or say nothing of values.
constexpr std::array kFields = std::to_array<std::string_view>(
    {"op", "is_reduction", "iteration_space", "op_info", "args", "name", "debug_handle", "core_id_to_work_slice",
     "symbolic_dim_bounds", "node_output_ranges", "tiled_symbols", "tiled_symbol_trip_counts"});
constexpr std::array kLoopFields = std::to_array<std::string_view>({"count", "body"});

// Positions in `axes` of each symbol of `of`, in its order; nothing where one is missing.
std::optional<std::vector<Index>> places_of(const std::vector<SpecAxis>& of, const std::vector<SpecAxis>& axes) {
  std::vector<Index> out;
  for (const SpecAxis& each : of) {
    const auto found = std::ranges::find(axes, each.symbol, &SpecAxis::symbol);
    if (each.symbol.empty() || found == axes.end()) return std::nullopt;
    out.push_back(found - axes.begin());
  }
  return out;
}

bool has(const std::vector<SpecAxis>& axes, std::string_view symbol) {
  return std::ranges::find(axes, symbol, &SpecAxis::symbol) != axes.end();
}

class Kernel {
 public:
  Kernel(const PythonText& text, mlir::Function& out, const Node& specs)
      : text_(text), out_(out), numbered_(has_numbers(specs)) {}

  void take(const Node& node) {
    const std::string_view name = node.kind == Kind::Call ? node.parts[0].text : std::string_view("an expression");
    if (name == "LoopSpec") return loop(node);
    if (name != "OpSpec" && (name != "KernelSpec" || !loops_.empty())) {  // an operation that is not implemented
      made(node, name).refused = "what it writes is not known";
      return forget(name);
    }
    const auto said = [&](const char* key) { return python::argument(node, key); };
    const auto op = said("op") == nullptr ? std::nullopt : python::string_of(*said("op"));
    mlir::Operation& out = made(node, text_.kept->keep(fmt::format("OpSpec.{}", op.value_or("?"))));
    const auto space = said("iteration_space") == nullptr ? std::nullopt : spec_space(*said("iteration_space"));
    const Node* arguments = said("args");
    if (!op) out.refused = "its op is not known";
    if (!space) out.refused = "its iteration_space is not one of symbols and numbers";
    if (arguments == nullptr || (arguments->kind != Kind::List && arguments->kind != Kind::Tuple))
      out.refused = "its args are not known";
    if (std::string why = other_field(node, kFields); !why.empty()) out.refused = std::move(why);
    SpecContext context{space.value_or(SpecSpace{}), numbered_, {loops_.begin(), loops_.end()}, {}};
    if (out.refused.empty()) out.refused = read_levels(node, context);
    out.attributes = kUnplaced;
    if (!out.refused.empty()) return forget(out.name);
    const std::vector<SpecTensor> tensors = tensors_of(*arguments, context, out);
    const auto first_output = std::ranges::find(tensors, false, &SpecTensor::is_input);
    const std::vector<SpecTensor> inputs(tensors.begin(), first_output), outputs(first_output, tensors.end());
    for (const SpecTensor& each : inputs) read(each, out);
    if (outputs.size() != 1 || !outputs[0].is_placed) {
      if (out.refused.empty()) out.refused = outputs.size() == 1 ? outputs[0].why : "it has not one output";
      return forget(out.name);
    }
    const SpecTensor& result = outputs[0];
    if (out.refused.empty()) out.refused = result.why;
    out.results.push_back(memory_.write(result));
    for (SpecLoop& each : loops_) each.writes.push_back(result);
    if (!result.type.empty()) out.outputs.push_back(text_.kept->keep(result.type));
    if (!out.refused.empty()) return;
    const Node* reduces = said("is_reduction");
    say(reduces != nullptr && reduces->text == "True", inputs, result, said("op_info"), out);
  }

  void give_out(const Node& node) {
    mlir::Operation& given = made(node, "return");
    given.operands = memory_.left();
  }

 private:
  mlir::Operation& made(const Node& node, std::string_view name) {
    mlir::Operation& out = out_.body.operations.emplace_back();
    out.name = name, out.offset = text_.offset(node.text), out.length = node.text.size();
    return out;
  }

  // What may write anywhere does so in each round of the loops around it.
  void forget(std::string_view name) {
    memory_.forget(name);
    for (SpecLoop& each : loops_)
      if (each.forgets.empty()) each.forgets = name;
  }

  // The operations of a loop's body (opspec_loops.h). They are taken twice: it is to be known what they write.
  void loop(const Node& node) {
    const Node *said = python::argument(node, "count"), *body = python::argument(node, "body");
    const auto text = said == nullptr ? std::nullopt : spec_text(*said);
    const auto count = text ? mlir::integers_of(*text) : std::nullopt;
    std::string why = other_field(node, kLoopFields);
    if (!count || count->size() != 1 || (*count)[0] < 1) why = "its count is no number";
    if (body == nullptr || body->kind != Kind::List) why = "its body is not known";
    if (loops_.size() == kDeepestLoop) why = "it is within too many loops";
    if (!why.empty()) {
      made(node, "LoopSpec").refused = std::move(why);
      return forget("LoopSpec");
    }
    const SpecMemory before = memory_;
    const std::size_t operations = out_.body.operations.size(), arguments = out_.arguments.size();
    loops_.push_back({{(*count)[0], ++loop_}, 0, {}, {}, {}});
    for (const bool again : {false, true}) {
      if (again) memory_ = before, out_.body.operations.resize(operations), out_.arguments.resize(arguments);
      if (const std::string& writer = loops_.back().forgets; !writer.empty()) memory_.forget(writer);
      loops_.back().begin = memory_.now(), loops_.back().again.clear();
      for (const Node& each : body->parts) take(each);
    }
    const SpecLoop ended = std::move(loops_.back());
    loops_.pop_back();
    memory_.leave(ended.number, ended.writes);
    made(node, "LoopSpec").attributes = text_.kept->keep(fmt::format("{}", fmt::join(ended.again, ", ")));
  }

  // Inputs first. What is said in a loop is said of all its rounds.
  std::vector<SpecTensor> tensors_of(const Node& arguments, const SpecContext& context, mlir::Operation& out) {
    std::vector<SpecTensor> tensors;
    for (const Node& each : arguments.parts) tensors.push_back(spec_tensor(each, context));
    std::stable_partition(tensors.begin(), tensors.end(), [](const SpecTensor& tensor) { return tensor.is_input; });
    out.attributes = text_.kept->keep(accesses(tensors));
    for (SpecLoop& each : loops_) {
      std::vector<SpecTensor> again = tensors;  // another round writes other parts of what moves
      std::erase_if(again, [&](const SpecTensor& t) { return !t.is_input && t.moves.contains(each.number); });
      if (std::string text = accesses(again); !text.empty()) each.again.push_back(std::move(text));
    }
    for (const SpecTensor& each : tensors)
      if (each.is_input && each.is_placed && out.refused.empty()) out.refused = carried(each, loops_, memory_);
    if (std::string why = loops_.empty() ? "" : widen(tensors, loops_, memory_); out.refused.empty())
      out.refused = std::move(why);
    return tensors;
  }

  // Which bytes an operation uses, as attributes: spyre.read = [hbm, 0, 1024, -1, buf0]. What it reads comes first.
  static std::string accesses(const std::vector<SpecTensor>& tensors) {
    std::vector<std::string> out;
    for (const SpecTensor& each : tensors) {
      if (!each.is_placed) out.emplace_back(kUnplaced);
      else if (!each.space.empty())
        out.push_back(fmt::format("spyre.{} = [{}, {}, {}, {}, {}]", each.is_input ? "read" : "write", each.space,
                                  each.begin, each.end, each.argument, each.name));
    }
    return fmt::format("{}", fmt::join(out, ", "));
  }

  // Fields that say more than an operation does by itself.
  static std::string other_field(const Node& node, std::span<const std::string_view> known) {
    for (std::size_t i = 1; i < node.parts.size(); ++i) {
      const Node& part = node.parts[i];
      const bool empty = part.text == "None" || (part.kind != Kind::Call && part.parts.empty() &&
                                                 (part.kind == Kind::List || part.kind == Kind::Dict));
      if (part.key.empty() || (!empty && std::ranges::find(known, part.key) == known.end()))
        return fmt::format("its field {} is not known", part.key);
    }
    return {};
  }

  void read(const SpecTensor& tensor, mlir::Operation& out) {
    const std::size_t known = out_.arguments.size();
    out.operands.push_back(memory_.read(tensor, out_.arguments, out.refused));
    if (out_.arguments.size() > known) out_.arguments.back().type = text_.kept->keep(tensor.type);
  }

  // What the translator is to know of the operation, as attributes; or why it is not known.
  void say(bool reduces, const std::vector<SpecTensor>& inputs, const SpecTensor& result, const Node* info,
           mlir::Operation& out) {
    const Row* row = find_row(out.name);
    if (row == nullptr) return;
    const bool product = row->form == Form::Dot;
    if (reduces != (product || row->form == Form::Reduce)) return void(out.refused = "is_reduction says otherwise");
    if (inputs.size() != row->operands) return void(out.refused = fmt::format("it has {} inputs", inputs.size()));
    std::string said = constants(info, row->word, inputs, result, out.refused);
    for (std::size_t i = 0; i <= inputs.size() && out.refused.empty(); ++i) {
      const SpecTensor& each = i < inputs.size() ? inputs[i] : result;
      if ((!product || i != 1) && std::ranges::any_of(each.axes, &SpecAxis::has_more_rows))
        out.refused = "its iteration does not come to all rows of " + each.device_size;
    }
    if (!out.refused.empty()) return;
    std::string more;
    switch (row->form) {
      case Form::Reduce: more = reduction(inputs[0], result, out.refused); break;
      case Form::Dot: more = contraction(inputs[0], inputs[1], result, out.refused); break;
      case Form::Permute: more = order(inputs[0], result, out.refused); break;
      default: aligned(inputs, result, out.refused);
    }
    if (!more.empty()) said += (said.empty() ? "" : ", ") + more;
    out.properties = text_.kept->keep(std::move(said));
  }

  static std::string constants(const Node* info, std::string_view word, const std::vector<SpecTensor>& inputs,
                               const SpecTensor& result, std::string& why) {
    if (info == nullptr || (info->kind == Kind::Dict && info->parts.empty())) return {};
    constexpr std::array<std::string_view, 2> kBeside{"op_dim_splits", "n_cores_used"};
    std::string out;
    if (info->kind != Kind::Dict) return why = "its op_info is not known", out;
    for (std::size_t i = 0; i + 1 < info->parts.size(); i += 2) {
      const std::string_view key = python::string_of(info->parts[i]).value_or("");
      const Node& value = info->parts[i + 1];
      if (std::ranges::find(kBeside, key) != kBeside.end()) continue;
      if (key != "constants" || value.kind != Kind::Dict)
        return why = fmt::format("its op_info {} is not known", info->parts[i].text.substr(0, 40)), out;
      for (std::size_t k = 0; k + 1 < value.parts.size(); k += 2) {
        const std::string_view constant = python::string_of(value.parts[k]).value_or("");
        const std::string number(spec_text(value.parts[k + 1]).value_or(""));
        if (constant == "samv-maskvalue" && inputs.size() == 1 && !number_in_language(number).empty()) {
          if (!inputs[0].axes.empty() && inputs[0].axes.back().is_split)
            return why = "it masks lanes of a dimension that cores share", out;
          out = fmt::format("spyre.mask = {}", number_in_language(number));
        } else if (constant != "scaling_factor" || word != "mean" || !divides(number, inputs[0], result)) {
          return why = fmt::format("its constant {} is not known", value.parts[k].text.substr(0, 40)), out;
        }
      }
    }
    return out;
  }

  // Whether a mean's factor is one by the number of the elements that it goes through.
  static bool divides(const std::string& number, const SpecTensor& from, const SpecTensor& to) {
    double factor = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), factor);
    if (error != std::errc() || end != number.data() + number.size()) return false;
    for (const SpecAxis& axis : from.axes)
      if (!has(to.axes, axis.symbol)) factor *= static_cast<double>(axis.size);
    constexpr double kRounded = 1.0 / 512;  // of a number of 16 bits
    return std::abs(factor - 1) < kRounded;
  }

  static std::string reduction(const SpecTensor& from, const SpecTensor& to, std::string& why) {
    std::vector<std::size_t> over;
    std::vector<SpecAxis> left;
    for (std::size_t i = 0; i < from.axes.size(); ++i) {
      if (!from.axes[i].symbol.empty() && !has(to.axes, from.axes[i].symbol)) over.push_back(i);
      else left.push_back(from.axes[i]);
    }
    const bool keep = to.axes.size() == from.axes.size();
    const auto agree = [](const SpecAxis& a, const SpecAxis& b) { return a.symbol == b.symbol; };
    std::vector<SpecAxis> expected = keep ? from.axes : left;
    for (const std::size_t axis : over)
      if (keep) expected[axis].symbol.clear();
    if (over.empty() || !std::ranges::equal(expected, to.axes, agree))
      return why = "the dimensions of its result are not those of its operand", std::string();
    return fmt::format("dim_arg = [{}], keep_dim = {}", fmt::join(over, ", "), keep);
  }

  static std::string contraction(const SpecTensor& x, const SpecTensor& y, const SpecTensor& to, std::string& why) {
    std::vector<SpecAxis> batch, contracted, expected, free;
    for (const SpecAxis& axis : x.axes)
      (!has(y.axes, axis.symbol) ? expected : has(to.axes, axis.symbol) ? batch : contracted).push_back(axis);
    for (const SpecAxis& axis : y.axes)
      if (!has(x.axes, axis.symbol)) free.push_back(axis);
    expected.insert(expected.begin(), batch.begin(), batch.end());
    expected.insert(expected.end(), free.begin(), free.end());
    const auto in_x = places_of(batch, x.axes), in_y = places_of(batch, y.axes), order = places_of(expected, to.axes);
    const bool whole = in_x && in_y && order && order->size() == to.axes.size() && std::ranges::is_sorted(*order);
    if (!whole || contracted.size() != 1) return why = "its dimensions are not those of a product", std::string();
    const Index k_x = (*places_of(contracted, x.axes))[0], k_y = (*places_of(contracted, y.axes))[0];
    const SpecAxis &lanes = x.axes[static_cast<std::size_t>(k_x)], &rows = y.axes[static_cast<std::size_t>(k_y)];
    const auto has_more = [&](const SpecAxis& axis) { return &axis != &rows && axis.padded > axis.size; };
    if (!lanes.in_sticks || rows.in_sticks || (rows.padded != rows.size && rows.padded != lanes.padded))
      return why = "it does not go through sticks and rows", std::string();
    std::string out =
        fmt::format("batch_dims_lhs = [{}], batch_dims_rhs = [{}], contract_dims_lhs = [{}], contract_dims_rhs = [{}]",
                    fmt::join(*in_x, ", "), fmt::join(*in_y, ", "), k_x, k_y);
    if (std::ranges::any_of(y.axes, [&](const SpecAxis& axis) { return &axis != &rows && axis.has_more_rows(); }))
      return why = "its iteration does not come to all rows of " + y.device_size, std::string();
    if (rows.padded == lanes.padded) return out;
    if (std::ranges::any_of(y.axes, has_more))
      return why = "behind the rows of its second operand is other memory, beside padding", std::string();
    return out + fmt::format(", spyre.rows = {}", lanes.padded);
  }

  static std::string order(const SpecTensor& from, const SpecTensor& to, std::string& why) {
    const auto places = places_of(to.axes, from.axes);
    if (!places || places->size() != from.axes.size())
      return why = "the dimensions of its result are not those of its operand", std::string();
    return fmt::format("permutation = [{}]", fmt::join(*places, ", "));
  }

  // Each operand's dimensions are the last ones of the result, or have one element there.
  static void aligned(const std::vector<SpecTensor>& inputs, const SpecTensor& result, std::string& why) {
    for (const SpecTensor& each : inputs) {
      bool fits = each.axes.size() <= result.axes.size();
      for (std::size_t i = 0; fits && i < each.axes.size(); ++i) {
        const std::string& symbol = each.axes[each.axes.size() - 1 - i].symbol;
        fits = symbol.empty() || symbol == result.axes[result.axes.size() - 1 - i].symbol;
      }
      if (!fits) why = "the dimensions of its operands are not those of its result";
    }
  }

  const PythonText& text_;
  mlir::Function& out_;
  bool numbered_ = false;
  SpecMemory memory_;
  std::vector<SpecLoop> loops_;  // around the operation at hand, the outermost first
  int loop_ = 0;
};

}  // namespace

std::vector<mlir::Function> kernels_of(const PythonText& text) {
  std::vector<mlir::Function> out;
  for (const python::Statement& statement : text.statements) {
    const Node& call = statement.value;
    if (!statement.read) {
      const std::string_view line = text.text.substr(statement.offset, statement.length);
      if (line.find(".sdsc(") == std::string_view::npos) continue;
      out.push_back(text.function("@kernel", statement.offset));
      out.back().refused = "a bracket or a string of it is not closed", out.back().refused_at = statement.offset;
      continue;
    }
    if (call.kind != Kind::Call || !call.parts[0].text.ends_with(".sdsc") || call.parts.size() < 3) continue;
    const auto name = python::string_of(call.parts[1]);
    mlir::Function function = text.function(fmt::format("@{}", name.value_or("kernel")), statement.offset);
    const Node& specs = call.parts[2];
    Kernel kernel(text, function, specs);
    if (specs.kind != Kind::List && specs.kind != Kind::Tuple) kernel.take(specs);
    else
      for (const Node& each : specs.parts) kernel.take(each);
    kernel.give_out(call);
    out.push_back(std::move(function));
  }
  return out;
}

}  // namespace vl::program
