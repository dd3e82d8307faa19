// The explorer's two calls from JavaScript. Texts go in and out as UTF-8 with a NUL; an answer belongs to the caller,
// who frees it. There is one thread, no process and no file.
#include <cstdlib>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>

#include "verifier/cli/explore_answer.h"
#include "verifier/question/verdict.h"
#include "verifier/report/report.h"
#include "verifier/session/batch.h"

namespace {

constexpr double kSeconds = 2;  // for a question of the page, as in `verify-layout explore`

char* text_of(std::string_view text) {
  auto* out = static_cast<char*>(std::malloc(text.size() + 1));
  if (out == nullptr) return nullptr;
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return out;
}

std::string written(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

template <class Body>
char* guarded(const Body& body) {
  try {
    return text_of(body());
  } catch (const std::bad_alloc&) {
    return text_of(R"({"error": "there is not enough memory for this"})");
  } catch (const std::exception& bug) {
    return text_of(written({{"error", std::string("internal error, please report it: ") + bug.what()}}));
  }
}

vl::session::JudgeOptions options_of(double seconds) {
  vl::session::JudgeOptions options;
  options.engines = vl::session::engine_options(seconds);
  return options;
}

}  // namespace

extern "C" {

/// {error: "…" or "", verdicts: [[claim, word] of each layout], page: HTML, or "" where nothing was judged}. `tensor`
/// and `with` may be empty.
char* vl_explore(const char* layout, const char* tensor, const char* with) {
  return guarded([&] {
    auto answer = vl::cli::explore({layout, tensor, with}, options_of(kSeconds));
    auto verdicts = nlohmann::ordered_json::array();
    for (const vl::question::Case& judged : answer.judged) {
      auto& of = verdicts.emplace_back(nlohmann::ordered_json::array());
      for (const vl::question::Answer& one : judged.answers) of.push_back({one.claim, vl::question::word(one.verdict)});
    }
    const bool any = !answer.page.verdicts.empty() || !answer.page.sides.empty();
    return written({{"error", answer.error},
                    {"verdicts", std::move(verdicts)},
                    {"page", any ? vl::report::explorer_to_html(answer.page) : ""}});
  });
}

/// The records of the cases of a document, as `check NAME --format jsonl` prints them.
char* vl_check_cases(const char* name, const char* document, double seconds) {
  return guarded([&] {
    std::string out;
    vl::session::BatchOptions batch;
    batch.judge = options_of(seconds);
    batch.done = [&](vl::question::Case&& judged) {
      out += vl::report::case_lines(judged);
      return true;
    };
    vl::session::judge_all(vl::session::work_of(vl::session::find_cases(name, document), name), batch);
    return out;
  });
}

/// The bytes that WebAssembly has taken so far.
std::size_t vl_memory() { return __builtin_wasm_memory_size(0) << 16; }

}  // extern "C"
