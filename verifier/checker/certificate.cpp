#include "verifier/checker/certificate.h"

#include <sha2.h>

#include <array>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "verifier/checker/fields.h"
#include "verifier/checker/kernel.h"
#include "verifier/kernel/reader/steps.h"

namespace vl::checker {
namespace {

using Json = nlohmann::json;

template <class T>
constexpr bool kOptional = false;
template <class T>
constexpr bool kOptional<std::optional<T>> = true;

// Reads one object.
class Reader {
 public:
  explicit Reader(const Json& object) : object_(object) { require(object.is_object(), "what is not an object"); }

  template <class T>
  void operator()(const char* name, T& out) {
    const auto found = object_.find(name);
    if (found == object_.end()) return require(kOptional<T>, "a field is missing");
    ++taken_;
    value(*found, out);
  }
  void end() const { require(taken_ == object_.size(), "a field that nothing is shown by"); }

  static void value(const Json& json, std::string& out) { plain(json, out, json.is_string()); }
  static void value(const Json& json, bool& out) { plain(json, out, json.is_boolean()); }
  static void value(const Json& json, std::int64_t& out) {
    plain(json, out,
          json.is_number_integer() && (!json.is_number_unsigned() || json.get<std::uint64_t>() <= ~0ULL >> 1));
  }
  // Also of std::size_t, which has 32 bits in WebAssembly.
  template <std::unsigned_integral T>
  static void value(const Json& json, T& out) {
    std::uint64_t number = 0;
    plain(json, number, json.is_number_unsigned() || (json.is_number_integer() && json.get<std::int64_t>() >= 0));
    require(std::in_range<T>(number), "a number beyond those of this machine");
    out = static_cast<T>(number);
  }
  static void value(const Json& json, Wide& out) {
    std::int64_t number = 0;
    value(json, number), out = number;
  }
  template <class S>
  static void value(const Json& json, kernel::BasicStep<S>& out) {
    out = kernel::read_step<S>(json);
  }
  static void value(const Json& json, std::map<std::string, std::string>& out) {
    require(json.is_object(), "arguments that are not an object");
    for (const auto& [name, item] : json.items()) value(item, out[name]);
  }
  static void value(const Json& json, ExpressionText& out) {
    if (json.is_string()) return value(json, out.word), require(!out.word.empty(), "a name that is empty");
    if (!json.is_array()) return value(json, out.number);
    require(json.size() > 1, "an operation without parts");
    value(json[0], out.word), require(!out.word.empty(), "an operation without a name");
    for (std::size_t i = 1; i < json.size(); ++i) value(json[i], out.parts.emplace_back());
  }
  template <class T>
  static void value(const Json& json, std::vector<T>& out) {
    require(json.is_array(), "what is no list");
    for (const Json& item : json) {
      T made{};
      value(item, made), out.push_back(std::move(made));
    }
  }
  template <class T>
  static void value(const Json& json, std::optional<T>& out) {
    value(json, out.emplace());
  }
  static void value(const Json& json, auto& out) {
    if constexpr (requires { items(out); }) {
      const auto parts = items(out);
      require(json.is_array(), "what is no list");
      std::size_t at = 0;
      const auto next = [&](auto& part) {
        if (kOptional<std::remove_reference_t<decltype(part)>> && at == json.size()) return;
        require(at < json.size(), "a list of another length");
        value(json.at(at++), part);
      };
      std::apply([&](auto&... part) { (next(part), ...); }, parts);
      require(at == json.size(), "a list of another length");
    } else {
      Reader object(json);
      fields(object, out);
      object.end();
    }
  }

 private:
  template <class T>
  static void plain(const Json& json, T& out, bool fits) {
    require(fits, "a value of another kind: a text, a whole number or yes and no");
    out = json.get<T>();
  }

  const Json& object_;
  std::size_t taken_ = 0;
};

// Writes one object.
struct Writer {
  Json object = Json::object();

  template <class T>
  void operator()(const char* name, const T& field) {
    if constexpr (!kOptional<T>) object[name] = value(field);
    else if (field) object[name] = value(*field);
  }

  static Json value(const Wide& number) { return number.narrow(); }
  template <class S>
  static Json value(const kernel::BasicStep<S>& step) {
    return kernel::write_step(step);
  }
  static Json value(const ExpressionText& said) {
    if (said.word.empty()) return said.number;
    if (said.parts.empty()) return said.word;
    Json out = Json::array({said.word});
    for (const ExpressionText& part : said.parts) out.push_back(value(part));
    return out;
  }
  template <class T>
  static Json value(const std::vector<T>& list) {
    Json out = Json::array();
    for (const auto& item : list) out.push_back(value(static_cast<const T&>(item)));
    return out;
  }
  template <class T>
  static Json value(const T& any) {
    if constexpr (requires { items(any); }) {
      Json out = Json::array();
      const auto next = [&]<class Part>(const Part& part) {
        if constexpr (!kOptional<Part>) out.push_back(value(part));
        else if (part) out.push_back(value(*part));
      };
      std::apply([&](const auto&... part) { (next(part), ...); }, items(any));
      return out;
    } else if constexpr (std::is_constructible_v<Json, const T&>) {
      return any;
    } else {
      Writer out;
      fields(out, any);
      return std::move(out.object);
    }
  }
};

// Visits what Writer writes: whether all numbers have 64 bits.
struct Fits {
  bool all = true;

  template <class T>
  void operator()(const char*, const T& field) {
    value(field, all);
  }
  static void value(const Wide& number, bool& all) {
    all =
        all && number >= std::numeric_limits<std::int64_t>::min() && number <= std::numeric_limits<std::int64_t>::max();
  }
  static void value(const ExpressionText&, bool&) {}  // its numbers have 64 bits
  template <class S>
  static void value(const kernel::BasicStep<S>& step, bool& all) {
    all = all && kernel::is_writable(step);
  }
  template <class T>
  static void value(const std::optional<T>& field, bool& all) {
    if (field) value(*field, all);
  }
  template <class T>
  static void value(const std::vector<T>& list, bool& all) {
    for (const auto& item : list) value(static_cast<const T&>(item), all);
  }
  template <class T>
  static void value(const T& any, bool& all) {
    if constexpr (requires { items(any); }) {
      std::apply([&](const auto&... part) { (value(part, all), ...); }, items(any));
    } else if constexpr (!std::is_constructible_v<Json, const T&>) {
      Fits out;
      fields(out, any);
      all = all && out.all;
    }
  }
};

// What a value, a key and a byte of text take, at most: in the parser's tree, in a second one for the digest, as plain
// values, and in lists that grow.
constexpr long long kBytesOfValue = 160, kBytesOfKey = 320, kBytesOfByte = 4;

// Refuses what is nested too deeply for functions that call themselves, and a list whose stated length exceeds that of
// the text: the parser would throw at some of those. It keeps the first key of each object that comes twice, of which
// the parser would keep one value. All that it makes is charged (work.h), before it is made.
struct Shallow : nlohmann::detail::json_sax_dom_parser<Json> {
  Shallow(Json& out, std::size_t bytes) : json_sax_dom_parser(out, false), most(bytes) {}
  std::size_t most;
  std::vector<std::set<std::string>> keys = {};  // of the objects, and nothing of the lists, that are open
  std::string why = {};
  bool repeats = false;
  static void makes(long long bytes) { charge(8 + bytes / 64), hold(bytes); }
  static void makes_text(const std::string& text, long long besides) {
    makes(besides + kBytesOfByte * static_cast<long long>(text.size()));
  }
  bool null() { return makes(kBytesOfValue), json_sax_dom_parser::null(); }
  bool boolean(bool value) { return makes(kBytesOfValue), json_sax_dom_parser::boolean(value); }
  bool number_integer(number_integer_t value) {
    return makes(kBytesOfValue), json_sax_dom_parser::number_integer(value);
  }
  bool number_unsigned(number_unsigned_t value) {
    return makes(kBytesOfValue), json_sax_dom_parser::number_unsigned(value);
  }
  bool number_float(number_float_t value, const string_t& text) {
    return makes(kBytesOfValue), json_sax_dom_parser::number_float(value, text);
  }
  bool string(string_t& text) { return makes_text(text, kBytesOfValue), json_sax_dom_parser::string(text); }
  bool binary(binary_t& bytes) { return makes(kBytesOfValue), json_sax_dom_parser::binary(bytes); }
  bool opens(std::size_t size) {
    makes(2 * kBytesOfValue);
    keys.emplace_back();
    if (keys.size() >= 1024) why = "it nests 1,024 deep";
    else if (size != std::size_t(-1) && size > most) why = "a list that is longer than the file";  // -1: not said
    return why.empty();
  }
  bool start_object(std::size_t size) { return opens(size) && json_sax_dom_parser::start_object(size); }
  bool start_array(std::size_t size) { return opens(size) && json_sax_dom_parser::start_array(size); }
  bool end_object() { return keys.pop_back(), json_sax_dom_parser::end_object(); }
  bool end_array() { return keys.pop_back(), json_sax_dom_parser::end_array(); }
  bool key(std::string& name) {
    makes_text(name, kBytesOfKey);
    repeats = repeats || !keys.back().insert(name).second;
    return json_sax_dom_parser::key(name);
  }
  template <class Exception>
  bool parse_error(std::size_t position, const std::string& token, const Exception& error) {
    why = "neither JSON nor CBOR from byte " + std::to_string(position) + " on";
    return json_sax_dom_parser::parse_error(position, token, error);
  }
};

// Whether the bytes begin with CBOR of the kinds that certificates have. The library calls itself for each string of
// indefinite length within another one, as deep as the bytes say: here those are refused.
bool is_plain_cbor(const std::string& bytes, std::string& why) {
  std::vector<std::uint64_t> open{1};  // how many values each open list or map still needs
  std::size_t at = 0;
  const auto no = [&](const char* reason) { return why = reason + std::to_string(at), false; };
  while (!open.empty()) {
    if (open.back() == 0) {
      open.pop_back();
      continue;
    }
    --open.back();
    if (at == bytes.size()) return no("CBOR that ends at byte ");
    const auto head = static_cast<unsigned char>(bytes[at]);
    const unsigned kind = head >> 5, more = head & 31U;
    const std::size_t width = more < 24 ? 0 : more < 28 ? std::size_t{1} << (more - 24) : 9;
    const bool simple = head == 0xf4 || head == 0xf5;  // false and true
    if (width == 9 || kind == 2 || kind == 6 || (kind == 7 && !simple))
      return no("CBOR of a kind that no certificate has, at byte ");
    if (bytes.size() - at <= width) return no("CBOR that ends within byte ");
    std::uint64_t number = width == 0 ? more : 0;
    for (std::size_t i = 1; i <= width; ++i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    if (kind == 1 && number >> 63 != 0) return no("a number beyond 64 bits, at byte ");
    at += 1 + width;
    if (kind < 2 || kind == 7) continue;
    if (number > bytes.size() - at) return no("a list or a text that is longer than the file, at byte ");
    if (kind == 3) at += number;
    else open.push_back(kind == 4 ? number : 2 * number);
    if (open.size() > 1024) return no("it nests 1,024 deep at byte ");
  }
  return true;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // what is no UTF-8 too
}

}  // namespace

template <class T>
T read(const Json& json) {
  T out;
  Reader::value(json, out);
  return out;
}
template Certificate read(const Json&);

template <class T>
Json write(const T& value) {
  return Writer::value(value);
}
template Json write(const Certificate&);
template Json write(const Statement&);
template Json write(const Evidence&);

bool is_writable(const Certificate& certificate) {
  Fits fits;
  Fits::value(certificate, fits.all);
  return fits.all;
}

void end(const Statement& statement) {
  require(write(statement).size() == 4, "a field that nothing is shown by");  // what every statement says
}
void end(const Evidence& evidence) { require(write(evidence).empty(), "a field that nothing is shown by"); }

std::string digest_of(const std::string& text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> out{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), out.data());
  return std::string("sha256:") + out.data();
}
std::string digest(const Json& statement) { return digest_of(text_of(statement)); }
std::string digest(const Statement& statement) { return digest(write(statement)); }

Json parse(const std::string& bytes, std::string* why) {
  const bool binary = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) >> 5) == 5;  // a map of CBOR
  const auto format = binary ? Json::input_format_t::cbor : Json::input_format_t::json;
  std::string reason;
  if (binary && !is_plain_cbor(bytes, reason)) {
    if (why != nullptr) *why = reason;
    return Json(Json::value_t::discarded);
  }
  if (!binary && bytes.find('\0') != std::string::npos) {  // the parser takes it for the end
    if (why != nullptr) *why = "a byte 0 in a text";
    return Json(Json::value_t::discarded);
  }
  Json out;
  Shallow shallow(out, bytes.size());
  if (Json::sax_parse(bytes, &shallow, format)) {
    require(!shallow.repeats, "an object with a key twice");
    return out;
  }
  Json first;
  Shallow begins(first, bytes.size());
  require(!Json::sax_parse(bytes, &begins, format, false), "bytes behind the object");
  if (why != nullptr) *why = shallow.why;
  return Json(Json::value_t::discarded);
}

std::optional<Certificate> certificate_in(const std::string& bytes, std::string* why) {
  const Json json = parse(bytes, why);
  if (json.is_discarded()) return std::nullopt;
  const auto schema = json.is_object() ? json.find("schema") : json.end();
  require(schema == json.end() || !schema->is_string() || *schema != "verify-layout-certificate/1",
          "written by an older version, in schema 1: make it again with `check --certificates`");
  return read<Certificate>(json);
}

std::string print(const Certificate& certificate, bool compact) {
  const Json json = write(certificate);
  if (!compact) return text_of(json) + '\n';
  std::string out;
  Json::to_cbor(json, out);
  return out;
}

}  // namespace vl::checker
