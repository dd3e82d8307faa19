#include "oracle/gate/library_host.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "encodings/base/files.h"
#include "oracle/gate/layout_gate.h"
#include "oracle/gate/packed.h"
#include "oracle/gate/places.h"
#include "oracle/gate/protocol.h"

namespace vl::gate {
namespace {

constexpr std::size_t kAnswerRoom = std::size_t{1} << 20, kWhyRoom = 4096;
constexpr std::size_t kBeside = 64;  // numbers before and behind the rows, and bytes behind an answer
constexpr std::int64_t kUntouched = 0x6a09e667f3bcc908;  // what is there, and in the rows; no place is so far away
constexpr char kMark = '\x5a';

bool is_untouched(std::span<const std::int64_t> beside) {
  return std::ranges::all_of(beside, [](std::int64_t word) { return word == kUntouched; });
}

struct Library {
  int (*hello)(char*, std::size_t) = nullptr;
  int (*open)(const lg_parts*, void**, char*, std::size_t) = nullptr;
  int (*place)(void*, const std::int64_t*, std::size_t, std::int64_t*) = nullptr;
  int (*call)(void*, const char*, std::size_t, char*, std::size_t, std::size_t*) = nullptr;
  void (*close)(void*) = nullptr;
};

template <class Function>
void find(void* from, const char* name, Function*& out) {
  out = reinterpret_cast<Function*>(::dlsym(from, name));  // NOLINT: POSIX makes it so
}

std::string answered(std::string_view key, std::string_view field, const std::string& text) {
  Json value, out;
  value.set(std::string(field), text);
  out.set(std::string(key), value);
  return print_json(out);
}

// The answer of a result other than LG_OK.
std::string no_answer(int code, const std::string& why) {
  switch (code) {
    case LG_UNSUPPORTED: return answered("unsupported", "what", why);
    case LG_REFUSED: return answered("refused", "msg", why);
    case LG_UNDECIDED: return answered("undecided", "why", why);
    default: return answered("error", "msg", code == LG_ERROR ? why : fmt::format("the code {}: {}", code, why));
  }
}

void flatten(const Json& value, const std::vector<std::string>& axes,
             std::vector<std::int64_t>& out) {  // NOLINT(misc-no-recursion)
  if (const Json::List* list = value.list()) {
    out.push_back(static_cast<std::int64_t>(list->size()));
    for (const Json& one : *list) flatten(one, axes, out);
  } else if (const Json::Fields* fields = value.fields()) {
    for (const auto& [key, one] : *fields) flatten(one, axes, out);
  } else if (const Index* number = value.integer()) {
    out.push_back(*number);
  } else if (const bool* yes = value.boolean()) {
    out.push_back(*yes ? 1 : 0);
  } else if (const std::string* text = value.string()) {
    const auto found = std::ranges::find(axes, *text);
    out.push_back(found == axes.end() ? -1 : found - axes.begin());
  } else {
    out.push_back(-1);
  }
}

// One request with what a library sees of it; the pointers of `parts` are into this object, or into the request.
struct LibraryCase {
  std::vector<std::string> axes;
  std::vector<const char*> axis_names;
  std::vector<std::int64_t> numbers;
  std::vector<Index> shape, strides;
  lg_parts parts{};

  /// False for a request that the gate does not send to a host.
  bool read(const Json& request) {
    const std::string* family = request.text("family");
    const std::string* layout = request.text("layout");
    const Json* tensor = request.find("tensor");
    const Json* named = request.find("axes");
    if (family == nullptr || layout == nullptr || tensor == nullptr || named == nullptr || named->list() == nullptr)
      return false;
    for (const Json& axis : *named->list()) {
      if (axis.string() == nullptr) return false;
      axes.push_back(*axis.string());
    }
    const Json* extents = tensor->find("shape");
    if (extents == nullptr || !integers_of(*extents, shape)) return false;
    const Json* steps = tensor->find("strides");
    if (steps != nullptr && !integers_of(*steps, strides)) return false;
    const Json* offset = tensor->find("offset");
    for (const std::string& axis : axes) axis_names.push_back(axis.c_str());
    if (const Json* tree = request.find("parts")) flatten(*tree, axes, numbers);
    parts.size = sizeof parts;
    parts.family = family->c_str();
    parts.text = layout->c_str();
    parts.rank = shape.size();
    parts.shape = shape.data();
    parts.strides = steps != nullptr ? strides.data() : nullptr;
    parts.offset = offset != nullptr && offset->integer() != nullptr ? *offset->integer() : 0;
    parts.n_axes = axes.size();
    parts.axes = axis_names.data();
    parts.n_numbers = numbers.size();
    parts.numbers = numbers.empty() ? nullptr : numbers.data();
    return true;
  }
};

class Host {
 public:
  explicit Host(const Library& library)
      : library_(library), answer_(kAnswerRoom + kBeside, '\0'), why_(kWhyRoom, '\0') {
    const char* name = std::getenv("LAYOUT_GATE_BULK");
    const Descriptor file(name == nullptr ? -1 : ::open(name, O_RDWR | O_CLOEXEC));
    void* memory =
        file.get() < 0 ? MAP_FAILED : ::mmap(nullptr, kBulkBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory != MAP_FAILED) memory_ = static_cast<std::byte*>(memory);
  }

  std::string line(const std::string& text) {
    const auto parsed = parse_json(text);
    if (!parsed) return {};
    const Json* seq = parsed->find("seq");
    const Json* cases = parsed->find("cases");
    if (seq == nullptr || seq->integer() == nullptr) return {};
    if (parsed->find("table") != nullptr && memory_ != nullptr) return packed(*parsed, *seq->integer());
    if (cases == nullptr || cases->list() == nullptr) return hello();
    std::string out = fmt::format("{{\"seq\":{},\"answers\":[", *seq->integer());
    std::uint64_t position = 0;
    for (const Json& request : *cases->list()) {
      at_case(*seq->integer(), position);
      if (position++ > 0) out += ',';
      out += answer(request);
    }
    return out + "]}";
  }

 private:
  void at_case(Index seq, std::uint64_t position) {
    if (memory_ == nullptr) return;
    *reinterpret_cast<volatile std::uint64_t*>(memory_) = static_cast<std::uint64_t>(seq) << 16 | position;
  }

  // The cases of a line that lie in the shared memory, as the gate wrote them there.
  std::string packed(const Json& line, Index seq) {
    const auto number = [&](std::string_view key) {
      const Json* value = line.find(key);
      return value != nullptr && value->integer() != nullptr ? static_cast<std::size_t>(*value->integer()) : 0;
    };
    const auto* table = reinterpret_cast<const std::uint64_t*>(memory_ + number("table"));
    const std::size_t first = number("first"), count = number("count");
    for (std::size_t k = 0; k < count; ++k) {
      at_case(seq, k);
      packed_case(memory_ + table[first + k]);
    }
    return fmt::format("{{\"seq\":{},\"done\":{}}}", seq, count);
  }

  // A record of packed.h, and its answer.
  void packed_case(const std::byte* record) {
    PackedHead head;
    std::memcpy(&head, record, sizeof head);
    const auto* shape = reinterpret_cast<const std::int64_t*>(record + sizeof head);
    const char* text = reinterpret_cast<const char*>(shape + head.rank + head.numbers);
    const auto next = [&] {
      const char* out = text;
      text += std::strlen(text) + 1;
      return out;
    };
    lg_parts parts{};
    parts.size = sizeof parts;
    parts.family = text, parts.text = text + head.family;
    text += head.family + head.text;
    parts.rank = head.rank, parts.shape = shape;
    axes_.clear();
    for (std::size_t k = 0; k < head.axes; ++k) axes_.push_back(next());
    parts.n_axes = head.axes, parts.axes = axes_.data();
    parts.n_numbers = head.numbers, parts.numbers = shape + head.rank;
    auto* answer = reinterpret_cast<std::int64_t*>(memory_ + head.answer_at);
    void* handle = nullptr;
    why_[0] = '\0';
    std::int64_t code = library_.open(&parts, &handle, why_.data(), kPackedWhy - 1);
    if (code == LG_OK) {
      code = library_.place(handle, nullptr, head.elements, answer + 1);
      if (code != LG_OK) std::strcpy(why_.data(), "lg_place");
      if (library_.close != nullptr) library_.close(handle);
    }
    if (code != LG_OK) std::memcpy(answer + 1, why_.data(), kPackedWhy);
    *answer = code;
  }

  std::string hello() {
    std::string text(kAnswerRoom, '\0');
    if (library_.hello(text.data(), text.size() - 1) != LG_OK) return {};
    const auto parsed = parse_json(std::string_view(text.c_str()));
    if (!parsed || parsed->fields() == nullptr) return {text.c_str()};
    Json out;
    out.set("seq", Index{0});
    for (const auto& [key, value] : *parsed->fields())
      if (key != "seq" && key != "features") out.set(key, key == "families" ? as_parts(value) : value);
    Json::List features{"cursor", "axes"};
    if (memory_ != nullptr && library_.open != nullptr && library_.place != nullptr) features.emplace_back("packed");
    out.set("features", std::move(features));
    return print_json(out);
  }

  // A library gets the numbers of each layout, whatever it says of the form.
  static Json as_parts(const Json& families) {
    if (families.fields() == nullptr) return families;
    Json out;
    for (const auto& [name, family] : *families.fields()) {
      if (family.fields() == nullptr) return families;
      Json::Fields fields = *family.fields();
      std::erase_if(fields, [](const auto& field) { return field.first == "form" && field.second == Json("text"); });
      Json changed(std::move(fields));
      if (changed.find("form") == nullptr) changed.set("form", "parts");
      out.set(name, std::move(changed));
    }
    return out;
  }

  std::string answer(const Json& request) {
    LibraryCase asked;
    if (!asked.read(request)) return no_answer(LG_ERROR, "the host cannot read its request");
    void* handle = nullptr;
    if (library_.open != nullptr) {
      std::fill(why_.begin(), why_.end(), '\0');
      const int code = library_.open(&asked.parts, &handle, why_.data(), why_.size() - 1);
      if (code != LG_OK) return no_answer(code, why_.c_str());
    }
    const std::string* op = request.text("op");
    const bool places =
        op != nullptr && (*op == "place" || *op == "place.at") && library_.place != nullptr && library_.open != nullptr;
    std::string out = places ? place(asked, handle, request.find("elements")) : call(request, handle);
    if (library_.close != nullptr && library_.open != nullptr) library_.close(handle);
    return out;
  }

  // All elements, or those of a list.
  std::string place(const LibraryCase& asked, void* handle, const Json* some) {
    std::vector<Index> flat;
    if (some != nullptr && !integers_of(*some, flat)) return no_answer(LG_ERROR, "the host cannot read its request");
    const std::size_t elements =
        some != nullptr ? flat.size() : static_cast<std::size_t>(checked_product(asked.shape).value_or(0));
    const std::size_t columns = asked.axes.size();
    const std::size_t size = elements * columns;
    rows_.assign(kBeside + size + kBeside, kUntouched);
    const std::span<std::int64_t> rows = std::span(rows_).subspan(kBeside, size);
    const int code = library_.place(handle, some != nullptr ? flat.data() : nullptr, elements, rows.data());
    // Else it would be seen in another case, or never.
    if (!is_untouched(std::span(rows_).first(kBeside)) || !is_untouched(std::span(rows_).last(kBeside)))
      return no_answer(LG_ERROR, "lg_place wrote beside its rows");
    if (code != LG_OK) return no_answer(code, "lg_place");
    if (std::ranges::find(rows, kUntouched) != rows.end()) return no_answer(LG_ERROR, "lg_place did not write a place");
    return R"({"ok":)" + rows_text(asked.axes, rows, elements) + "}";
  }

  std::string call(const Json& request, void* handle) {
    if (library_.call == nullptr) return no_answer(LG_UNSUPPORTED, "lg_call");
    const std::string text = print_json(request);
    std::size_t used = 0;
    std::fill(answer_.begin() + kAnswerRoom, answer_.end(), kMark);
    const int code = library_.call(handle, text.data(), text.size(), answer_.data(), kAnswerRoom, &used);
    if (answer_.find_first_not_of(kMark, kAnswerRoom) != std::string::npos)
      return no_answer(LG_ERROR, "lg_call wrote beside its answer");
    if (code != LG_OK) return no_answer(code, "lg_call");
    return answer_.substr(0, std::min(used, kAnswerRoom));
  }

  const Library& library_;
  std::string answer_, why_;
  std::vector<std::int64_t> rows_;
  std::vector<const char*> axes_;
  std::byte* memory_ = nullptr;
};

}  // namespace

int run_library(const char* path) {
  const Descriptor answers(::dup(STDOUT_FILENO));
  ::dup2(STDERR_FILENO, STDOUT_FILENO);  // what the library prints reaches nobody's answers
  void* loaded = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  const auto failed = [](const char* what) {
    std::fputs(what != nullptr ? what : "the library cannot be loaded", stderr);
    std::fputs("\n", stderr);
    return 2;
  };
  if (loaded == nullptr) return failed(::dlerror());
  Library library;
  find(loaded, "lg_hello", library.hello);
  find(loaded, "lg_open", library.open);
  find(loaded, "lg_place", library.place);
  find(loaded, "lg_call", library.call);
  find(loaded, "lg_close", library.close);
  if (library.hello == nullptr) return failed("the library has no lg_hello");
  if (library.call == nullptr && (library.open == nullptr || library.place == nullptr))
    return failed("the library has neither lg_call, nor lg_open and lg_place");
  std::ios::sync_with_stdio(false);  // else lines are read byte by byte
  Host host(library);
  for (std::string line; std::getline(std::cin, line);) {
    const std::string out = host.line(line);
    if (out.empty() || write_all(answers.get(), out + "\n")) return 2;
  }
  return 0;
}

}  // namespace vl::gate
