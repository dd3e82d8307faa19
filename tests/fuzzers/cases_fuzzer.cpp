// parse_cases on arbitrary bytes: no crash, and a diagnostic inside the document. Accepted cases have different ids,
// and layouts that are read, or refused with a place. Those that are read again from their places are the same.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "encodings/base/check.h"
#include "verifier/session/cases.h"
#include "verifier/session/judge.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string document(reinterpret_cast<const char*>(data), size);
  const auto lines = static_cast<std::size_t>(std::count(document.begin(), document.end(), '\n')) + 1;
  const auto check = [&](const vl::Diagnostic& diagnostic) {
    VL_CHECK(diagnostic.file == "fuzz.toml", "a diagnostic of another file");
    VL_CHECK(!diagnostic.message.empty(), "a diagnostic without a message");
    VL_CHECK(diagnostic.line <= lines && diagnostic.column <= size + 1, "a diagnostic beyond the document");
    static_cast<void>(vl::to_string(diagnostic));
  };
  const vl::session::CaseFile read = vl::session::parse_cases("fuzz.toml", document);
  for (const vl::session::BadCase& bad : read.errors) check(bad.diagnostic);
  std::set<std::string> ids;
  for (const vl::session::CaseRequest& request : read.cases) {
    VL_CHECK(request.id && ids.insert(*request.id).second, "a case without an id of its own");
    const auto subject = vl::session::read_tensor(request);
    if (const auto* diagnostic = std::get_if<vl::Diagnostic>(&subject)) check(*diagnostic);
  }
  const vl::session::CaseFile found = vl::session::find_cases("fuzz.toml", document);
  VL_CHECK(found.cases.size() + found.places.size() == read.cases.size(), "not the same cases");
  for (std::size_t k = 0; k < found.places.size(); ++k) {
    const vl::session::CaseRequest again = found.places[k].read();
    VL_CHECK(again.id == read.cases[k].id && again.layout.text == read.cases[k].layout.text &&
                 again.layout.at == read.cases[k].layout.at,
             "another case is read from a place");
  }
  return 0;
}
