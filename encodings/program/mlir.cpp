// MLIR: the dialects of tt-mlir. Sources: tt-mlir at 19c86fca, D2MOps.td line 88 (to_layout), 133 (mask), 1118 of
// D2MOps.cpp (view_layout).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "encodings/notation/mlir.h"
#include "encodings/notation/mlir_text.h"
#include "encodings/program/translator.h"

namespace vl::program {
namespace {

// Attributes that choose among the results that an operation may have, or say where it runs.
std::string beside_lines(const mlir::Operation& operation) {
  constexpr std::array kKeys = std::to_array<std::string_view>(
      {"precision", "precision_config", "algorithm", "numericStable", "numeric_stable", "sorted", "stable", "is_stable",
       "compute_config", "dtype", "output_dtype", "input_permutation", "approximate", "parameter", "result_accuracy",
       "activation", "matmul_program_config"});
  std::string out;
  for (const std::string_view key : kKeys)
    if (const auto value = operation.attribute(key)) out += fmt::format("{} = {}; ", key, *value);
  return out;
}

// Operations without an effect on values.
constexpr std::array kFree = std::to_array<std::string_view>(
    {"return", "func.return", "ttnn.get_device", "ttnn.deallocate", "ttnn.to_tensor_spec", "memref.alloc",
     "memref.dealloc", "d2m.yield", "linalg.yield", "stablehlo.return", "ttcore.get_device", "LoopSpec"});
// A check of a test compares what it is given.
bool is_check(const mlir::Operation& operation) {
  if (operation.name.starts_with("check.")) return operation.results.empty();
  const auto target = operation.attribute("call_target_name");
  const std::string_view said = mlir::trimmed(target ? *target : operation.custom);
  return operation.name == "stablehlo.custom_call" && operation.results.empty() &&
         (said.starts_with("@check.") || said.starts_with("\"check."));
}

// Where a result is to go: no value before that.
constexpr std::array kPlaces =
    std::to_array<std::string_view>({"d2m.empty", "ttir.empty", "tensor.empty", "ttnn.empty"});

// What the last one calls is computed once, and then kept.
constexpr std::array kCalls = std::to_array<std::string_view>({"call", "func.call", "ttcore.load_cached"});

// The same elements in another layout.
constexpr std::array kMoves =
    std::to_array<std::string_view>({"ttir.to_layout", "d2m.to_layout", "ttnn.to_layout", "ttnn.to_memory_config"});

constexpr int kDeepestCall = 8, kMostCalls = 500;
constexpr std::size_t kMostCalled = 5000;  // operations of a function and of what it calls

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Whether tensors without a layout lie in tiles: in modules with operations of Tenstorrent's dialects.
bool is_tiled(std::string_view module) {
  constexpr std::array<std::string_view, 3> kDialects{"ttir.", "ttnn.", "d2m."};
  return std::ranges::any_of(kDialects, [&](std::string_view d) { return module.find(d) != std::string_view::npos; });
}

class Importer {
 public:
  Importer(const mlir::Function& from, const Options& options)
      : from_(from), options_(options), translator_(from, options_) {
    assumes_tiles_ = options_.tile.empty() && options_.modules->of(from).is_tiled && !translator_.says_tile();
    if (assumes_tiles_) options_.tile = {32, 32};
  }

  Function read() {
    Function out{from_.name, from_.offset};
    out.refused = from_.refused, out.refused_at = from_.refused_at;
    if (!out.refused.empty()) return out;
    translator_.begin();
    for (const mlir::Operation& operation : from_.body.operations) {
      // Which of several blocks is gone through is not known.
      if (from_.body.blocks > 1) translator_.forget();
      take(operation, out, true);
    }
    out.dataflow = translator_.end();
    if (out.dataflow && assumes_tiles_ && out.dataflow->text.find(" tile(") != std::string::npos)
      out.dataflow->notes.push_back(
          fmt::format("tensors without a layout lie in tiles of {}", fmt::join(options_.tile, "x")));
    return out;
  }

 private:
  // A type or a map with its names written out; as it stands where that is not possible.
  [[nodiscard]] std::string whole(std::string_view text) const {
    return mlir::written_out(text, *from_.names).value_or(std::string(text));
  }

  void take(const mlir::Operation& operation, Function& out, bool outermost) {
    const std::size_t number = out.steps.size();
    Step step{std::string(operation.name), operation.results.empty() ? "" : operation.results[0], operation.offset};
    step.beside = beside_lines(operation);
    note_accesses(operation, number, out);
    const bool moved = is_one_of(operation.name, kMoves) && move(operation, out);
    const bool asked = moved || (operation.name == "d2m.view_layout" && view(operation, out)) ||
                       (operation.name == "d2m.mask" && mask(operation, out));
    const bool free = (is_one_of(operation.name, kFree) && operation.refused.empty()) || is_check(operation);
    if (free || is_one_of(operation.name, kPlaces)) step.known = Known::Free;
    else if (asked && !(moved && outermost)) step.known = Known::Judged;
    if (outermost && (operation.name == "return" || operation.name == "func.return")) {
      translator_.give_out(operation);
    } else if (outermost && step.known == Known::Free) {
      translator_.take_place(operation);
    } else if (outermost && is_one_of(operation.name, kCalls) && call(operation, out)) {
      return;
    } else if (outermost) {
      const bool known = !options_.unknown.contains(operation.offset) && translator_.take(operation, number, step.why);
      if (known) step.known = Known::Judged;
      else if (step.known != Known::Free) translator_.take_unknown(operation, number);
    }
    if (outermost || asked) out.steps.push_back(std::move(step));
    for (const mlir::Region& region : operation.regions)
      for (const mlir::Operation& inner : region.operations) take(inner, out, false);
  }

  // The bytes that an operation of a kernel of Torch-Spyre uses: its attributes say which.
  void note_accesses(const mlir::Operation& operation, std::size_t number, Function& out) const {
    const bool spec = operation.name.starts_with("OpSpec.") ||
                      (operation.name == "LoopSpec" && operation.refused.empty());  // what a second round uses
    if (from_.mark != "#" || operation.name == "return") return;
    if (!spec && !out.unplaced) out.unplaced = number;
    for (const std::string_view part : mlir::listed(spec ? operation.attributes : std::string_view())) {
      const std::size_t open = part.find('['), end = part.rfind(']');
      const bool listed = open != std::string_view::npos && end != std::string_view::npos && open < end;
      const auto fields = mlir::listed(listed ? part.substr(open + 1, end - open - 1) : std::string_view());
      std::vector<Index> numbers;
      for (std::size_t i = 1; i < std::min<std::size_t>(fields.size(), 4); ++i)
        if (const auto read = mlir::integers_of(fields[i]); read && read->size() == 1) numbers.push_back((*read)[0]);
      if (numbers.size() == 3)
        out.accesses.push_back({number, part.starts_with("spyre.write"), std::string(fields[0]), numbers[0], numbers[1],
                                numbers[2], fields.size() > 4 ? std::string(fields[4]) : ""});
      else if (!out.unplaced) out.unplaced = number;
    }
  }

  // Takes what is called in place of the call. False: it is not known.
  bool call(const mlir::Operation& operation, Function& out) {
    const std::string_view said = operation.attribute("callee").value_or(operation.custom);
    const std::size_t at = said.find('@');
    if (at == std::string_view::npos || depth_ == kDeepestCall || out.steps.size() > kMostCalled) return false;
    const bool quoted = said.substr(at + 1).starts_with('"');
    const std::size_t end = quoted ? mlir::behind_string(said, at + 1) : mlir::end_of_word(said, at + 1);
    const std::string_view name = said.substr(at, end - at);
    const auto& named = options_.modules->of(from_).by_name;
    const auto found = named.find(name);
    if (found == named.end() || found->second == nullptr) return false;
    const mlir::Function* callee = found->second;
    const bool plain = !callee->declared && callee->refused.empty() && callee->body.blocks == 1;
    if (!plain || callee->arguments.size() != operation.operands.size() || ++calls_ > kMostCalls) return false;
    auto outside = translator_.enter(operation, *callee);
    ++depth_;
    std::vector<std::string> results;
    for (const mlir::Operation& inner : callee->body.operations) {
      if (inner.name == "return" || inner.name == "func.return") results = inner.operands;
      else take(inner, out, true);
    }
    --depth_;
    translator_.leave(std::move(outside), operation, *callee, results);
    return true;
  }

  [[nodiscard]] static bool has_layout(const std::string& type) {
    const auto tensor = mlir::tensor_type(type);
    return tensor && !tensor->encoding.empty();
  }

  [[nodiscard]] bool view(const mlir::Operation& operation, Function& out) const {
    const auto map = operation.attribute("remapping");
    if (!map || operation.inputs.size() != 1 || operation.outputs.size() != 1) return false;
    View made{out.steps.size(), whole(operation.outputs[0]), whole(operation.inputs[0]), whole(*map)};
    made.has_layouts = has_layout(made.result) && has_layout(made.source);
    out.views.push_back(std::move(made));
    return true;
  }

  [[nodiscard]] bool mask(const mlir::Operation& operation, Function& out) const {
    const auto shape = operation.attribute("logical_shape");
    const auto sizes = shape ? mlir::integers_of(*shape) : std::nullopt;
    if (!sizes || operation.outputs.size() != 1) return false;
    Mask made{out.steps.size(), whole(operation.outputs[0]), *sizes};
    made.has_layout = has_layout(made.type);
    out.masks.push_back(std::move(made));
    return true;
  }

  [[nodiscard]] bool move(const mlir::Operation& operation, Function& out) const {
    if (operation.inputs.empty() || operation.outputs.size() != 1) return false;
    Move made{out.steps.size(), whole(operation.outputs[0]), whole(operation.inputs[0])};
    if (!has_layout(made.result) || !has_layout(made.source)) return false;
    out.moves.push_back(std::move(made));
    return true;
  }

  const mlir::Function& from_;
  Options options_;
  Translator translator_;
  int depth_ = 0, calls_ = 0;
  bool assumes_tiles_ = false;  // nobody says that they lie in tiles
};

}  // namespace

Modules::Modules(std::span<const mlir::Function> functions) {
  for (const mlir::Function& function : functions) {
    const auto [at, added] = modules_.try_emplace(function.names.get());
    Module& module = at->second;
    if (added) {
      module.is_tiled = function.mark == "//" && is_tiled(function.module);
      const std::string_view front = function.module.substr(0, function.offset - function.module_offset);
      module.has_comments = front.find(fmt::format("{} vl:", function.mark)) != std::string_view::npos;
    }
    module.functions.push_back(&function);
    if (const auto [named, alone] = module.by_name.try_emplace(function.name, &function); !alone)
      named->second = nullptr;
    for (const mlir::Argument& argument : function.arguments) module.arguments.insert(argument.name);
  }
}

Function function_of(const mlir::Function& function, const Options& options) {
  if (options.modules != nullptr) return Importer(function, options).read();
  const Modules alone({&function, 1});
  Options asked = options;
  asked.modules = &alone;
  return Importer(function, asked).read();
}

}  // namespace vl::program
