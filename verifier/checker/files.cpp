#include "verifier/checker/files.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "verifier/checker/check.h"

namespace vl::checker {

namespace {

// Ends the reading of what is nested too deeply for functions that call themselves.
struct Shallow : nlohmann::json_sax<nlohmann::json> {
  int depth = 0;
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth < 1024; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return --depth >= 0; }
  bool start_array(std::size_t) override { return ++depth < 1024; }
  bool end_array() override { return --depth >= 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }
};

}  // namespace

nlohmann::json read_certificate(const std::string& bytes) {
  using Format = nlohmann::json::input_format_t;
  const bool binary = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) >> 5) == 5;  // a map of CBOR
  Shallow shallow;
  if (!nlohmann::json::sax_parse(bytes, &shallow, binary ? Format::cbor : Format::json))
    return nlohmann::json::value_t::discarded;
  return binary ? nlohmann::json::from_cbor(bytes, true, false) : nlohmann::json::parse(bytes, nullptr, false);
}

int check_files(const std::vector<std::string>& paths) {
  int worst = 0;
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();  // nothing of a folder
    const nlohmann::json certificate = read_certificate(bytes.str());
    if (!file || certificate.is_discarded()) {
      std::fprintf(stderr, "unreadable  %s\n", path.c_str());
      worst = 2;
      continue;
    }
    const auto why = check(certificate);
    if (why) std::printf("rejected    %s: %s\n", path.c_str(), why->c_str());
    if (!why)
      std::printf("accepted    %s: %s %s\n", path.c_str(),
                  certificate["statement"]["verdict"].get<std::string>().c_str(),
                  certificate["statement"]["claim"].get<std::string>().c_str());
    if (why && worst == 0) worst = 10;
  }
  return worst;
}

}  // namespace vl::checker
