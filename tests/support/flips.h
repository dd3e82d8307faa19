// Flips: a JSON value with one change: a number one up, one down, or not an integer; a digit or a letter of a string; a
// boolean; an element of an array dropped, repeated, or swapped with the next; a key dropped or added.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vl::test {

struct Flip {
  nlohmann::json::json_pointer at;
  nlohmann::json instead;
  std::string what;  // "number", "text", "boolean", "dropped", "doubled", "swapped", "added"

  [[nodiscard]] nlohmann::json of(const nlohmann::json& whole) const {
    nlohmann::json out = whole;
    out[at] = instead;
    return out;
  }
};

namespace flips {

using Json = nlohmann::json;

// Up to `most` characters, spread over the text: a digit becomes the next one, another character the next letter.
inline void of_text(const Json& node, const Json::json_pointer& at, std::size_t most, std::vector<Flip>& out) {
  const auto text = node.get<std::string>();
  const std::size_t step = text.size() / most + 1;
  for (std::size_t i = 0; i < text.size(); i += step) {
    std::string changed = text;
    const bool digit = changed[i] >= '0' && changed[i] <= '9';
    changed[i] = digit ? static_cast<char>('0' + (changed[i] - '0' + 1) % 10) : changed[i] == 'x' ? 'y' : 'x';
    out.push_back({at, changed, "text"});
  }
  out.push_back({at, text + "1", "text"});
}

inline void of_array(const Json& node, const Json::json_pointer& at, std::vector<Flip>& out) {
  for (std::size_t i = 0; i < node.size(); ++i) {
    Json changed = node;
    changed.erase(i);
    out.push_back({at, std::move(changed), "dropped"});
    changed = node;
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(i), node[i]);
    out.push_back({at, std::move(changed), "doubled"});
    if (i + 1 == node.size() || node[i] == node[i + 1]) continue;
    changed = node;
    std::swap(changed[i], changed[i + 1]);
    out.push_back({at, std::move(changed), "swapped"});
  }
}

inline void collect(const Json& node, const Json::json_pointer& at, std::size_t most, std::vector<Flip>& out) {
  if (node.is_number_integer()) {
    const auto number = node.get<std::int64_t>();
    for (const Json& other : {Json(number + 1), Json(number - 1), Json(static_cast<double>(number) + 0.5)})
      out.push_back({at, other, "number"});
  } else if (node.is_boolean()) {
    out.push_back({at, !node.get<bool>(), "boolean"});
  } else if (node.is_string()) {
    of_text(node, at, most, out);
  } else if (node.is_array()) {
    of_array(node, at, out);
    for (std::size_t i = 0; i < node.size(); ++i) collect(node[i], at / i, most, out);
  } else if (node.is_object()) {
    for (const auto& [key, value] : node.items()) {
      Json changed = node;
      changed.erase(key);
      out.push_back({at, std::move(changed), "dropped"});
      collect(value, at / key, most, out);
    }
    Json changed = node;
    changed["more"] = 1;
    out.push_back({at, std::move(changed), "added"});
  }
}

}  // namespace flips

/// At most `most` characters of a text.
[[nodiscard]] inline std::vector<Flip> all_flips(const nlohmann::json& whole, std::size_t most = 64) {
  std::vector<Flip> out;
  flips::collect(whole, flips::Json::json_pointer(), most, out);
  return out;
}

}  // namespace vl::test
