// The options of neutral.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "encodings/use/operation.h"
#include "encodings/values/format.h"
#include "verifier/cli/arguments_parts.h"
#include "verifier/cli/commands.h"
#include "verifier/neutral/question.h"

namespace vl::cli {
namespace {

constexpr const char* kStates = R"(States:
  any, unwritten             every code
  0, +0, -0                  both zeros, or one of them
  inf, -inf, NaN, finite     an infinity, every NaN, every code but those
  {1, -1}, [lo..hi]          numbers, or all of an interval
  bits:0x7FFF                one code
  valid                      any code that the contents allow
joined by |. --contents takes the same, and non-nan and no-negative-zero.
)";

// The options of a question about operands with layouts.
void add_layouts(CLI::App& app, NeutralArguments& neutral) {
  const auto list = [&](const std::string& name, std::vector<std::string>& target, const std::string& help) {
    return app.add_option(name, target, help)->allow_extra_args(false)->take_all()->group("Operands with layouts");
  };
  const auto one = [&](const std::string& name, auto& target, const std::string& help) {
    return app.add_option(name, target, help)->group("Operands with layouts");
  };
  CompatibleArguments& layouts = neutral.layouts;
  list("--operand", layouts.operands,
       "An input with its layout and what its padding holds, 'f16[4,6] SpyreTensorLayout(…) padding=K: 0; M: any "
       "contents=finite'; padded=f16[4,64] states up to where the layout goes; may be repeated")
      ->option_text("TEXT");
  list("--result", layouts.results, "A result with its layout")->option_text("TEXT");
  list("--scales", layouts.scales, "Scales '[0,1,-1]' of each operand, then each result (default: by the shapes)")
      ->option_text("LIST");
  one("--dims", layouts.dims, "The operation's dimensions, 'M=1024,K=512,N=256' (default: by the shapes)");
  one("--reduce", layouts.reduced, "The input's reduced dimensions, 1,2 (default: by the shapes)");
  one("--family", layouts.family, "The layouts' family (default: by the text)");
}

CLI::Option* add_word(CLI::App& app, const char* names, std::string& target, const char* help,
                      std::vector<std::string> words) {
  const std::string text = fmt::format("{{{}}}", fmt::join(words, ","));
  return app.add_option(names, target, help)->check(word_of(std::move(words)))->option_text(text);
}

std::vector<std::string> types() {
  std::vector<std::string> out;
  for (const values::Format& format : values::formats()) out.emplace_back(format.name);
  return out;
}

std::vector<std::string> operations() {
  std::vector<std::string> out = neutral::operation_names();
  for (const use::OperationName& name : use::operation_names())
    if (std::ranges::find(out, name.name) == out.end()) out.emplace_back(name.name);
  return out;
}

void add_question(CLI::App& app, NeutralArguments& neutral) {
  add_word(app, "operation", neutral.operation, "The operation", operations());
  add_word(app, "--type", neutral.type, "The type of the elements, of a question about values alone", types());
  app.add_option("--program", neutral.program,
                 "A file with a chain of operations: can padding reach what it puts out? With --fill, without a state, "
                 "also where to put which masks, so that it cannot")
      ->option_text("FILE");
  app.add_flag("--place", neutral.place, "What a bare --fill means beside --program")->group("");
  add_certificates(app, neutral,
                   "Write the certificate of each answer about --program into this folder, those of refutations into "
                   "its subfolder refuted");
}

// How the operation computes.
void add_computing(CLI::App& app, NeutralArguments& neutral) {
  const auto word = [&](const char* names, std::string& target, const char* help, std::vector<std::string> words) {
    return add_word(app, names, target, help, std::move(words));
  };
  auto* accumulate =
      word("--accumulate", neutral.accumulate, "The type of the accumulator (default: the elements')", types());
  auto* start =
      word("--start", neutral.start, "Sums start with the first element, or with +0 (default: first)", {"first", "+0"});
  auto* order =
      word("--order", neutral.order, "Any order and any tree, or from left to right (default: any)", {"any", "seq"});
  auto* max = word("--max", neutral.max, "What max and min, argmax, argmin and topk do with NaN (default: nan-wins)",
                   {"nan-wins", "nan-loses", "x86"});
  app.add_option("--contents", neutral.contents, "What the valid elements may be: a state (default: any)")
      ->option_text("STATE");
  word("--equal", neutral.equal, "When two results are the same (default: any-nan)",
       {"bits", "any-nan", "any-nan+zero"});
  auto* fused = app.add_flag("--fused", neutral.fused, "Add the products of sumsq and dot without rounding them");
  word("--divide", neutral.divide,
       "The count of mean, variance, welford, layernorm and rmsnorm: of the elements, or with the pads (default: N)",
       {"N", "P"});
  auto* ties = word("--ties", neutral.ties, "Which of equal elements argmax, topk and sort take first (default: first)",
                    {"first", "last", "unspecified"});
  word("--pads", neutral.pads,
       "Where the pads of argmax, topk, sort and cumsum may be: anywhere, or behind the elements (default: anywhere)",
       {"anywhere", "after"});
  word("--blocks", neutral.blocks,
       "softmax and logsumexp of the whole row, or online: in blocks with a valid element each, in any blocks, in any "
       "blocks with a guard against the maximum -inf (default: whole)",
       {"whole", "valid", "unguarded", "guarded"});
  app.add_option("--k", neutral.k, "How many elements topk takes (default: 1)")->option_text("K");
  app.add_option(
         "--arithmetic", neutral.arithmetic,
         "How the hardware computes, if not as these options say: the name or path of a profile, or its entries "
         "as in 'accumulate=f32 start=+0 max=unknown flush=results'")
      ->option_text("PROFILE")
      ->excludes(accumulate)
      ->excludes(start)
      ->excludes(order)
      ->excludes(max)
      ->excludes(ties)
      ->excludes(fused);
}

}  // namespace

Run declare_neutral(CLI::App& app) {
  const auto neutral = std::make_shared<NeutralArguments>();
  app.footer(kStates);
  add_question(app, *neutral);
  add_computing(app, *neutral);
  app.add_option("--fill", neutral->fills,
                 "What each pad may be; twice of dot. Without it, the answer is the largest neutral fill")
      ->allow_extra_args(false)
      ->take_all()
      ->option_text("STATE");
  app.add_option("--format", neutral->format, "How to print the answer")
      ->transform(choice(
          std::map<std::string, Format>{{"text", Format::Text}, {"json", Format::Json}, {"jsonl", Format::Jsonl}}))
      ->option_text("{text,json,jsonl}");
  add_no_times(app, neutral->times);
  add_layouts(app, *neutral);
  return [neutral] { return run_neutral(*neutral); };
}

std::vector<std::string> respelled(int argc, const char* const* argv) {
  std::vector<std::string> out(argv + 1, argv + argc);
  const bool program = std::ranges::any_of(
      out, [](const std::string& word) { return word == "--program" || word.starts_with("--program="); });
  if (!out.empty() && out.front() == "neutral" && program) std::ranges::replace(out, "--fill", "--place");
  return out;
}

}  // namespace vl::cli
