#include "verifier/certificate/checker/files.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "verifier/certificate/checker/check.h"

namespace vl::certificate::checker {

int check_files(const std::vector<std::string>& paths) {
  int worst = 0;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const bool binary = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) >> 5) == 5;  // a map of CBOR
    const auto certificate = binary ? nlohmann::json::from_cbor(bytes, true, false) : nlohmann::json::parse(bytes, nullptr, false);
    if (!file || certificate.is_discarded()) {
      std::fprintf(stderr, "unreadable  %s\n", path.c_str());
      worst = 2;
      continue;
    }
    const auto why = check(certificate);
    if (why) std::printf("rejected    %s: %s\n", path.c_str(), why->c_str());
    if (!why) std::printf("accepted    %s: %s %s\n", path.c_str(), certificate["statement"]["verdict"].get<std::string>().c_str(),
                          certificate["statement"]["claim"].get<std::string>().c_str());
    if (why && worst == 0) worst = 10;
  }
  return worst;
}

}  // namespace vl::certificate::checker
