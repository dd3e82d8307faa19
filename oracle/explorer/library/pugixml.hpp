// The part of pugixml that writes the page, under its names: elements, attributes and texts, and the two forms of the
// output that report/ asks for. Debian has pugixml as a native library alone. The bytes are pugixml's own: the
// explorer's test compares pages with the native program's.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pugi {

enum xml_node_type { node_element, node_pcdata, node_cdata };
constexpr unsigned format_indent = 1, format_raw = 4, format_no_declaration = 8;

struct Node {
  xml_node_type type = node_element;
  std::string text;  // the name of an element
  std::vector<std::unique_ptr<std::pair<std::string, std::string>>> attributes = {};
  std::vector<std::unique_ptr<Node>> children = {};
};

class xml_attribute {
 public:
  explicit xml_attribute(std::string* value) : value_(value) {}
  template <class Number>
  requires std::is_arithmetic_v<Number> xml_attribute& operator=(Number value) {
    if (value_ != nullptr) *value_ = std::to_string(value);
    return *this;
  }
  xml_attribute& operator=(const char* value) {
    if (value_ != nullptr) *value_ = value;
    return *this;
  }

 private:
  std::string* value_;  // null: there is no such attribute, and nothing is set
};

class xml_node {
 public:
  xml_node() = default;
  explicit xml_node(Node* node) : node_(node) {}
  xml_node append_child(const char* name) { return added({node_element, name}); }
  xml_node append_child(xml_node_type type) { return added({type, {}}); }
  xml_attribute append_attribute(const char* name) {
    node_->attributes.push_back(std::make_unique<std::pair<std::string, std::string>>(name, ""));
    return xml_attribute(&node_->attributes.back()->second);
  }
  xml_attribute attribute(const char* name) const {
    for (const auto& one : node_->attributes)
      if (one->first == name) return xml_attribute(&one->second);
    return xml_attribute(nullptr);
  }
  bool set_value(const char* text) {
    node_->text = text;
    return true;
  }

 private:
  xml_node added(Node child) {
    node_->children.push_back(std::make_unique<Node>(std::move(child)));
    return xml_node(node_->children.back().get());
  }
  Node* node_ = nullptr;
};

class xml_document : public xml_node {
 public:
  xml_document() : xml_node(&root_) {}
  xml_document(const xml_document&) = delete;
  xml_document& operator=(const xml_document&) = delete;
  /// Without a declaration, also where there should be one: no page has it.
  void save(std::ostream& out, const char* indent, unsigned format = format_indent) const {
    for (const auto& child : root_.children) write(out, *child, (format & format_raw) != 0 ? "" : indent, 0);
    if ((format & format_raw) == 0) out << '\n';
  }

 private:
  static void escape(std::ostream& out, std::string_view text, bool attribute) {
    for (const char c : text) switch (c) {
        case '&': out << "&amp;"; break;
        case '<': out << "&lt;"; break;
        case '>': out << "&gt;"; break;
        case '"': out << (attribute ? "&quot;" : "\""); break;
        default:
          if (static_cast<unsigned char>(c) < 32 && (attribute || (c != '\t' && c != '\r' && c != '\n')))
            out << "&#" << static_cast<char>('0' + c / 10) << static_cast<char>('0' + c % 10) << ';';
          else out << c;
      }
  }
  static void write_cdata(std::ostream& out, std::string_view text) {
    out << "<![CDATA[";
    for (std::size_t end = text.find("]]>"); end != std::string_view::npos; end = text.find("]]>")) {
      out << text.substr(0, end + 2) << "]]><![CDATA[";
      text.remove_prefix(end + 2);
    }
    out << text << "]]>";
  }
  static void write(std::ostream& out, const Node& node, std::string_view indent, int depth) {
    if (node.type == node_pcdata) return escape(out, node.text, false);
    if (node.type == node_cdata) return write_cdata(out, node.text);
    out << '<' << node.text;
    for (const auto& attribute : node.attributes) {
      out << ' ' << attribute->first << "=\"";
      escape(out, attribute->second, true);
      out << '"';
    }
    if (node.children.empty()) {
      out << (indent.empty() ? "/>" : " />");
      return;
    }
    out << '>';
    bool broken = false;  // the last child stands on a line of its own
    for (const auto& child : node.children) {
      broken = !indent.empty() && child->type == node_element;
      if (broken) line(out, indent, depth + 1);
      write(out, *child, indent, depth + 1);
    }
    if (broken) line(out, indent, depth);
    out << "</" << node.text << '>';
  }
  static void line(std::ostream& out, std::string_view indent, int depth) {
    out << '\n';
    for (int k = 0; k < depth; ++k) out << indent;
  }

  Node root_;
};

}  // namespace pugi
