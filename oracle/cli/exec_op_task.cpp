// The task of exec op: operands and their continuations, the arithmetic, the order. All errors in the options are found
// here, before any data is read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/use/operation.h"
#include "encodings/use/padded.h"
#include "encodings/values/state.h"
#include "oracle/cli/exec_op.h"
#include "verifier/session/arithmetic.h"
#include "verifier/session/judge.h"

namespace vl::cli {
namespace {

using OpRefusal = std::variant<Diagnostic, use::Undecidable>;

// 'f16[4,6] SpyreTensorLayout(…)'.
std::variant<session::CaseRequest, Diagnostic> operand_text(const std::string& option, const std::string& text) {
  const std::size_t close = text.find(']');
  if (close == std::string::npos)
    return locate(option, text,
                  {ErrorCode::Syntax, "expected 'TENSOR LAYOUT', as in 'f16[4,6] SpyreTensorLayout(…)'", 0});
  const std::size_t start = std::min(text.find_first_not_of(' ', close + 1), text.size());
  const auto document = std::make_shared<const Document>(text);
  session::CaseRequest out;
  out.tensor = {text.substr(0, close + 1), option, document, 0, true};
  out.layout = {text.substr(start), option, document, start, true};
  return out;
}

// The word by which encodings/use knows the shapes of an operation.
std::string shapes_like(ops::Operation operation, const std::string& name) {
  if (ops::shape_of(operation) == ops::Shape::Pointwise) return "pointwise";
  if (operation == ops::Operation::Dot) return name == "bmm" ? "bmm" : "matmul";
  return "reduction";
}

std::variant<use::Operation, OpRefusal> read_operands(const ExecOpArguments& arguments, ops::Operation operation) {
  session::OperationRequest asked;
  asked.name = session::SourceText::option("OPERATION", shapes_like(operation, arguments.operation));
  if (arguments.dims) asked.dims = session::SourceText::option("--dims", *arguments.dims);
  if (arguments.reduced) {
    auto reduced = integers_of("--reduce", *arguments.reduced);
    if (auto* diagnostic = std::get_if<Diagnostic>(&reduced)) return OpRefusal(std::move(*diagnostic));
    asked.reduced = std::move(std::get<std::vector<Index>>(reduced));
  }
  for (const std::string& text : arguments.operands) {
    auto operand = operand_text("--operand", text);
    if (auto* diagnostic = std::get_if<Diagnostic>(&operand)) return OpRefusal(std::move(*diagnostic));
    asked.operands.push_back({std::move(std::get<session::CaseRequest>(operand)), {}, false});
  }
  auto result = operand_text("--result", arguments.result);
  if (auto* diagnostic = std::get_if<Diagnostic>(&result)) return OpRefusal(std::move(*diagnostic));
  const auto& of = std::get<session::CaseRequest>(result);
  auto subject = session::read_tensor(of);
  if (auto* diagnostic = std::get_if<Diagnostic>(&subject)) return OpRefusal(std::move(*diagnostic));
  auto read = session::read_operation(asked, of, std::get<session::TensorReading>(subject));
  if (auto* diagnostic = std::get_if<Diagnostic>(&read)) return OpRefusal(std::move(*diagnostic));
  for (const use::Operand& operand : std::get<use::Operation>(read).operands)
    if (const auto* why = operand.reading.undecidable()) return OpRefusal(*why);
  return std::move(std::get<use::Operation>(read));
}

// The one arithmetic that the text leaves. Entries that the operation does not use may be open.
std::variant<ops::Arithmetic, Diagnostic> arithmetic_for(const ExecOpArguments& arguments, ops::Operation operation,
                                                         const values::Format& type) {
  using enum values::Entry;
  const auto read = session::read_arithmetic(session::SourceText::option("--arithmetic", arguments.arithmetic));
  if (const auto* diagnostic = std::get_if<Diagnostic>(&read)) return *diagnostic;
  std::vector<values::Entry> relevant{Accumulate, Flush, Integers, Rounding};
  const bool squares = operation == ops::Operation::SumOfSquares || operation == ops::Operation::Dot;
  if (squares || operation == ops::Operation::Sum || operation == ops::Operation::Mean) relevant.push_back(Start);
  if (squares) relevant.push_back(Fused);
  if (ops::shape_of(operation) == ops::Shape::Place) relevant.push_back(Ties);
  constexpr ops::Operation kCompare[] = {ops::Operation::Max,     ops::Operation::Min,  ops::Operation::Maximum,
                                         ops::Operation::Minimum, ops::Operation::Relu, ops::Operation::ArgMax,
                                         ops::Operation::ArgMin};
  if (std::ranges::find(kCompare, operation) != std::end(kCompare)) relevant.push_back(Max);
  const auto found = values::alternatives(std::get<values::Profile>(read), type, relevant);
  if (found.size() != 1)
    return about("--arithmetic",
                 found.empty() ? fmt::format("no accumulator has every number of {}", type.name)
                               : fmt::format("{} arithmetics are left; expected one: set every entry that is open, as "
                                             "in \"accumulate=f32 start=+0 max=nan-wins\"",
                                             found.size()));
  const values::Arithmetic& one = found.front();
  ops::Arithmetic out{one.accumulate};
  out.start = one.start;
  out.max = one.max;
  out.fused = one.products == values::Products::Fused;
  out.mode = {one.rounding, one.flush, one.integers};
  if (one.ties == values::Ties::Unspecified && ops::shape_of(operation) == ops::Shape::Place)
    return about("--arithmetic", "which of equal elements is taken is open; expected ties=first or ties=last");
  out.ties = one.ties == values::Ties::Last ? ops::Ties::Last : ops::Ties::First;
  return out;
}

std::variant<values::Format, Diagnostic> format_of(const use::Operand& operand) {
  const std::string name(operand.reading.values.empty() ? map::name(operand.tensor.type)
                                                        : std::string_view(operand.reading.values));
  const std::string word = name == "bool" ? "u8" : name;
  if (const values::Format* found = values::find_format(word)) return *found;
  return about(operand.role, fmt::format("elements of {} have no codes of their own", name));
}

// An operand's continuation, or why there is none: then it can be read over its own elements alone.
struct Reached {
  Result<use::Continued> from;
  [[nodiscard]] Index whole(const use::Operand& operand, std::size_t h) const {
    return from ? from->whole[h] : operand.tensor.size[h];
  }
};

Result<map::Layout> places_over(const use::Operand& operand, const Reached& reached, const std::vector<Index>& size) {
  if (reached.from) return use::padded(*reached.from, size);
  if (size == operand.tensor.size) return *operand.reading.layout();
  return reached.from.error();
}

// The operands over the box that the operation iterates over: whole sticks and tiles of every operand.
std::variant<std::vector<ops::Operand>, Diagnostic> over_the_box(const use::Operation& operation,
                                                                 std::vector<ops::Dim>& dims) {
  std::vector<Reached> all;
  for (const auto& [name, extent] : operation.dims) dims.push_back({name, extent, extent});
  for (const use::Operand& operand : operation.operands) {
    all.push_back({use::continued(*operation.family, operand.text, operand.tensor, operand.reading)});
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (operand.scales[d] >= 0)
        dims[d].padded =
            std::max(dims[d].padded, all.back().whole(operand, static_cast<std::size_t>(operand.scales[d])));
  }
  std::vector<ops::Operand> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const use::Operand& operand = operation.operands[i];
    std::vector<Index> size = operand.tensor.size;
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (operand.scales[d] >= 0) size[static_cast<std::size_t>(operand.scales[d])] = dims[d].padded;
    auto places = places_over(operand, all[i], size);
    if (!places) return about(operand.role, places.error().message);
    auto format = format_of(operand);
    if (auto* diagnostic = std::get_if<Diagnostic>(&format)) return std::move(*diagnostic);
    out.push_back(
        {operand.role, std::move(*places), operand.tensor.size, std::get<values::Format>(format), operand.scales});
  }
  return out;
}

// The one code of a state.
std::variant<std::optional<ops::Code>, Diagnostic> fill_of(const std::optional<std::string>& text,
                                                           const values::Format& format) {
  if (!text) return std::optional<ops::Code>();
  const auto state = values::parse_state(*text, format, nullptr);
  if (!state) return locate("--fill", *text, state.error());
  if (state->count() != 1)
    return about("--fill", fmt::format("'{}' is {} codes of {}; expected one, as +0, -inf or bits:0x7FFF", *text,
                                       state->count(), format.name));
  return std::optional(state->ranges().front().first);
}

}  // namespace

std::variant<ExecOpTask, Diagnostic, use::Undecidable> exec_op_task(const ExecOpArguments& arguments) {
  const auto operation = ops::find_operation(arguments.operation);
  VL_CHECK(operation.has_value(), "an operation that the command line does not let through");
  auto read = read_operands(arguments, *operation);
  if (auto* refusal = std::get_if<OpRefusal>(&read)) {
    if (auto* diagnostic = std::get_if<Diagnostic>(refusal)) return std::move(*diagnostic);
    return std::move(std::get<use::Undecidable>(*refusal));
  }
  const auto& operands = std::get<use::Operation>(read);
  ops::Task task;
  task.operation = *operation;
  auto over = over_the_box(operands, task.dims);
  if (auto* diagnostic = std::get_if<Diagnostic>(&over)) return std::move(*diagnostic);
  task.operands = std::move(std::get<std::vector<ops::Operand>>(over));
  const values::Format& type = task.operands.front().format;
  auto arithmetic = arithmetic_for(arguments, *operation, type);
  if (auto* diagnostic = std::get_if<Diagnostic>(&arithmetic)) return std::move(*diagnostic);
  task.arithmetic = std::get<ops::Arithmetic>(arithmetic);
  auto order = ops::parse_order(arguments.order);
  if (!order) return locate("--order", arguments.order, order.error());
  if (ops::shape_of(*operation) != ops::Shape::Reduction && arguments.order != ExecOpArguments{}.order)
    return about("--order", fmt::format("unused: {} is no reduction", arguments.operation));
  task.order = *order;
  if (task.arithmetic.fused && task.order.kind != ops::Order::Kind::Sequential)
    return about("--order", "fused products are added one after the other: expected seq");
  std::vector<std::optional<ops::Code>> fills;
  for (std::size_t i = 0; i + 1 < task.operands.size(); ++i) {
    auto fill = fill_of(arguments.fill, task.operands[i].format);
    if (auto* diagnostic = std::get_if<Diagnostic>(&fill)) return std::move(*diagnostic);
    fills.push_back(std::get<std::optional<ops::Code>>(fill));
  }
  std::vector<map::ElementType> types;
  for (const use::Operand& operand : operands.operands) types.push_back(operand.tensor.type);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto dtype = oracle::dtype_of(types[i]);
    if (!dtype || dtype->bytes * 8 != task.operands[i].format.bits)
      return about(task.operands[i].role,
                   fmt::format("{} elements are {} on the device: not units of the same whole bytes",
                               map::name(types[i]), task.operands[i].format.name));
  }
  auto ready = ops::Prepared::create(std::move(task));
  if (!ready) return about("exec op", ready.error().message);
  return ExecOpTask{std::move(*ready), std::move(types), std::move(fills)};
}

}  // namespace vl::cli
