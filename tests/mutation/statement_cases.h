// A certificate's texts as a case of a case file: the question that its printed sentence answers, for `check` to answer
// again. It takes the texts and nothing of the maps; nests, which stand in no text, are taken from the numbers that the
// sentence prints.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>

namespace vl::mutation {

using Json = nlohmann::json;

// JSON's escapes are TOML's, too.
inline std::string toml_text(const Json& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

inline std::string expression_text(const Json& e) {
  if (e.is_string()) return e.get<std::string>();
  if (!e.is_array()) return e.dump();
  const std::string word = e[0].get<std::string>();
  if (word == "?") return "?";  // no text says it
  const std::string a = expression_text(e[1]), b = expression_text(e[2]);
  if (word == "ceil") return "ceil((" + a + ")/(" + b + "))";
  if (word == "min" || word == "max") return word + "(" + a + ", " + b + ")";
  return "((" + a + ")" + word + "(" + b + "))";
}

inline Json words_in(const Json& list, std::size_t from) {
  Json out = Json::array();
  for (std::size_t i = from; i < list.size(); ++i)
    out.push_back(list[i].is_number() ? Json(list[i]) : Json(expression_text(list[i])));
  return out;
}

// The nests as JSON, which a case takes as one text: numbers, or expressions as texts.
inline std::string toml_nests(const Json& statement, const std::string& direction) {
  const bool named = statement.contains("rule_nests"), between = direction == "d2d";
  const bool to_host = direction == "d2h" && !named;
  Json out = Json::array();
  for (const Json& nest : named ? statement.at("rule_nests") : statement.at("transfer").at("nests")) {
    const Json one = words_in(nest.at(named ? (between ? "from" : "host") : to_host ? "destination" : "source"), 0);
    const Json other = words_in(nest.at(named ? "device" : to_host ? "source" : "destination"), 0);
    Json& made = out.emplace_back(Json{{"extents", words_in(nest.at("extents"), 0)}});
    const std::string first = between ? "from" : "host", second = between ? "to" : "device";
    made[first + "_strides"] = words_in(one, 1), made[first + "_offset"] = one.at(0);
    made[second + "_strides"] = words_in(other, 1), made[second + "_offset"] = other.at(0);
  }
  return toml_text(Json{{"direction", direction}, {"nests", out}}.dump());
}

// The keys of a layout: a tensor as it is printed, f16[4] strides [2] offset 1 view-offset 2 box m=4.
inline std::string toml_tensor(const std::string& text, bool with_box) {
  const std::size_t end = text.find(']');
  std::string out = "tensor = " + toml_text(text.substr(0, end + 1)) + "\n";
  std::string rest = end == std::string::npos ? "" : text.substr(end + 1);
  const auto take = [&](const std::string& word, const std::string& key) {
    if (!rest.starts_with(" " + word + " ")) return;
    rest.erase(0, word.size() + 2);
    const std::size_t stop = word == "box" ? rest.size() : std::min(rest.find(' '), rest.size());
    const std::string value = rest.substr(0, stop);
    if (word != "box") out += key + " = " + value + "\n";
    else if (with_box) out += "box = " + toml_text(value) + "\n";
    rest.erase(0, stop);
  };
  take("strides", "strides"), take("offset", "offset"), take("view-offset", "view_offset"), take("box", "box");
  return rest.empty() ? out : out + "tensor = 0\n";  // what a case file cannot say is wrong there
}

// "[4,1] scales=[0,1] cores=32 slices=[[0:64],[64:67]]" as the keys of a case.
inline std::string toml_division(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string part = text.substr(at, end - at);
    if (part.starts_with("[")) part = "splits=" + part;
    if (part.starts_with("slices=")) {
      std::string list;
      for (std::size_t i = part.find('[') + 1; i < part.size(); ++i) {
        if (part[i] == '[') list += "\"";
        else if (part[i] == ']' && i + 1 < part.size()) list += "\"";
        else if (part[i] != ']') list += part[i];
      }
      part = "slices=[" + list + "]";
    }
    if (part.starts_with("order=last")) part = "order=\"last-fastest\"";
    out += part + "\n";
    at = end + 1;
  }
  return out;
}

inline std::string toml_operand(const Json& operand) {
  std::string out;
  for (const auto& [key, value] : operand.items())
    if (key != "result")
      out += (out.empty() ? "" : ", ") + key + " = " + (value.is_string() ? toml_text(value) : value.dump());
  return "{" + out + "}";
}

inline std::string toml_operation(const Json& operation) {
  std::string out =
      "operation = " + toml_text(operation.at("name")) + "\nrule = " + toml_text(operation.at("rule")) + "\n";
  for (const bool result : {false, true}) {
    std::string list;
    for (const Json& operand : operation.at("operands"))
      if (operand.value("result", false) == result) list += (list.empty() ? "" : ", ") + toml_operand(operand);
    if (!list.empty() || !result) out += (result ? "results = [" : "operands = [") + list + "]\n";
  }
  for (const char* key : {"scales", "reduce"})
    if (operation.contains(key)) out += std::string(key) + " = " + operation.at(key).dump() + "\n";
  if (operation.contains("dims")) out += "dims = " + toml_text(operation.at("dims")) + "\n";
  return out;
}

// A program with one of its outputs alone.
inline std::string toml_program(const Json& statement, const std::string& id) {
  const Json& arguments = statement.at("arguments");
  std::istringstream lines(arguments.at("program").get<std::string>());
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("output ")) text += line + "\n";
  text += "output " + arguments.at("output").get<std::string>() + "\n";
  return "[[case]]\nid = " + toml_text(id) + "\nprogram = " + toml_text(text) +
         "\nexpect = {chain-neutral = " + toml_text(statement.at("verdict")) + "}\n\n";
}

// A descriptor by itself.
inline std::string toml_transfer(const Json& statement, const std::string& id) {
  const Json arguments = statement.value("arguments", Json::object());
  std::string out = "[[case]]\nid = " + toml_text(id) + "\ntransfer = " + toml_text(statement.at("layout")) + "\n";
  for (const char* key : {"target", "where"})
    if (arguments.contains(key)) out += std::string(key) + " = " + toml_text(arguments.at(key)) + "\n";
  out += "[[case.claim]]\nclaim = " + toml_text(statement.at("claim")) + "\n";
  if (arguments.contains("allow")) out += "allow = " + toml_text(arguments.at("allow")) + "\n";
  return out + "expect = " + toml_text(statement.at("verdict")) + "\n\n";
}

/// One [[case]] of that id. Nothing of an expression that no text says.
inline std::optional<std::string> toml_case(const Json& statement, const std::string& id) {
  if (statement.contains("buffers")) return std::nullopt;  // of a function, which no case asks alone
  if (statement.contains("chain")) return toml_program(statement, id);
  const Json arguments = statement.value("arguments", Json::object());
  const bool rule = statement.contains("rule");
  const std::string claim = statement.at("claim");
  if (claim == "accepts" || claim == "keeps") return toml_transfer(statement, id);
  std::string out = "[[case]]\nid = " + toml_text(id) + "\nlayout = " + toml_text(statement.at("layout")) + "\n";
  out += rule ? "tensor = " + toml_text(statement.at("tensor")) + "\nscope = \"all-sizes\"\n"
              : toml_tensor(statement.at("tensor"), !arguments.contains("box"));
  std::string keys, transfers;
  for (const auto& [key, text] : arguments.items()) {
    if (key.starts_with("transfer ")) transfers += (transfers.empty() ? "" : ", ") + toml_text(text);
    else if (key == "where" || key == "box" || key == "family") out += key + " = " + toml_text(text) + "\n";
    else if (key == "offset" || key == "view_offset") out += rule ? key + " = " + toml_text(text) + "\n" : "";
    else if (key == "strides" && rule) {
      Json list = Json::array();
      const std::string all = text;
      for (std::size_t at = 0; at <= all.size();) {
        const std::size_t end = std::min(all.find(',', at), all.size());
        list.push_back(all.substr(at, end - at)), at = end + 1;
      }
      out += "strides = " + list.dump() + "\n";
    } else if (key == "strides") continue;
    else if (key == "splits" && claim == "partition") keys += toml_division(text);
    else keys += key + " = " + toml_text(text) + "\n";
  }
  if (!transfers.empty()) out += "transfer = [" + transfers + "]\n";
  out += "[[case.claim]]\nclaim = " + toml_text(claim) + "\n" + keys;
  if ((claim == "conflicts" || claim == "wavefronts") && statement.contains("at_most"))
    out += "at_most = " + statement.at("at_most").dump() + "\n";
  if (claim != "carries" && (statement.contains("transfer") || statement.contains("rule_nests")))
    out += "nests = " + toml_nests(statement, arguments.value("direction", "")) + "\n";
  if (statement.contains("operation")) out += toml_operation(statement.at("operation"));
  return out.find('?') == std::string::npos ? std::optional(out + "\n") : std::nullopt;
}

}  // namespace vl::mutation
