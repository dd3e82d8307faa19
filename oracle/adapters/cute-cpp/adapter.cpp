// CuTe C++, the headers of nvidia-cutlass, on layouts of run-time integers, compiled for the host. Its document:
// media/docs/cpp/cute/02_layout_algebra.md. CuTe wants complements and inverses of strides that are known when it is
// compiled, unless there is one mode. Profiles other than those of `types` are not compiled.
#include <cutlass/version.h>
#include <layout_gate.h>
#include <cute/layout.hpp>
#include <cute/swizzle.hpp>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

using N = std::int64_t;
template <class... T>
using Sh = cute::tuple<T...>;
using types = std::tuple<N, Sh<N>, Sh<N, N>, Sh<N, N, N>, Sh<N, N, N, N>, Sh<Sh<N, N>>, Sh<N, Sh<N, N>>,
                         Sh<Sh<N, N>, N>, Sh<Sh<N, N>, Sh<N, N>>>;
struct Unsupported {
  std::string what;
};

// A shape or stride of type T from its numbers, and its profile: (n,(n,n)).
template <class T>
T filled(std::string& profile, const N*& at) {
  if constexpr (!cute::is_tuple<T>::value) return profile += 'n', *at++;
  else return [&]<std::size_t... I>(std::index_sequence<I...>) {
      profile += '(';
      T out{(profile += I > 0 ? "," : "", filled<std::tuple_element_t<I, T>>(profile, at))...};
      return profile += ')', out;
    }
  (std::make_index_sequence<std::tuple_size_v<T>>());
}

// f of a layout, whose text is like (4,(2,2)):(1,(4,8)).
template <std::size_t K = 0, class F>
auto with(const std::string& text, F f) -> decltype(f(cute::make_layout(N{1}))) {
  if constexpr (K == std::tuple_size_v<types>) throw Unsupported{"the profile of " + text};
  else {
    using T = std::tuple_element_t<K, types>;
    std::vector<N> numbers;
    std::string profile, mine;
    for (const char* at = text.c_str(); *at != 0;)
      if (std::isdigit(*at) || *at == '-')
        numbers.push_back(std::strtoll(at, const_cast<char**>(&at), 10)), profile += 'n';
      else profile += *at++;
    numbers.resize(numbers.size() + 8);  // what another type may want
    const N* next = numbers.data();
    const T shape = filled<T>(mine, next), stride = filled<T>(mine += ':', next);
    return mine == profile ? f(cute::make_layout(shape, stride)) : with<K + 1>(text, f);
  }
}

template <int B, int M, int S>
N swizzled(N x) {
  if constexpr (B <= cute::abs(S)) return cute::Swizzle<B, M, S>::apply(x);
  else return x;
}
template <int... I>
N swizzled_by(int b, int m, int s, N x, std::integer_sequence<int, I...>) {
  static constexpr N (*all[])(N) = {swizzled<I / 44, I / 11 % 4, I % 11 - 5>...};
  return all[b * 44 + m * 11 + s + 5](x);
}

// The map of a text, Sw<3,4,3> o 0 o (8,64):(64,1).
std::function<N(N)> map_of(const std::string& text) {
  const auto plain = [](const std::string& flat) {
    return with(flat, [](auto layout) -> std::function<N(N)> { return [layout](N i) { return N(layout(i)); }; });
  };
  int b, m, s, used = 0;
  long long offset;
  if (std::sscanf(text.c_str(), "Sw<%d,%d,%d> o %lld o %n", &b, &m, &s, &offset, &used) != 4) return plain(text);
  if (b > 3 || m > 3 || s > 5 || s < -5) throw Unsupported{"this swizzle"};
  return [=, at = plain(text.substr(used))](N i) {
    return swizzled_by(b, m, s, offset + at(i), std::make_integer_sequence<int, 176>());
  };
}

struct Places {
  std::vector<N> shape;
  std::function<N(N)> at;
};

extern "C" int lg_hello(char* json, std::size_t room) {
  std::string ops;
  for (const char* op : {"place", "place.at", "derive.compose", "derive.coalesce", "derive.complement", "derive.divide",
                         "derive.product", "derive.right-inverse", "print", "measure.size", "measure.cosize"})
    ops += std::string(ops.empty() ? "" : ",") + '"' + op + "\":{}";
  return std::snprintf(json, room, R"({"protocol":1,"impl":{"name":"cute-cpp","version":"%d.%d.%d","language":"c++",
    "issues":"https://github.com/NVIDIA/cutlass/issues"},"families":{"cute":{"form":"text","ops":{%s}}},
    "conventions":{"place.replicas":"all","cosize.swizzle":"tile"}})",
                       CUTLASS_MAJOR, CUTLASS_MINOR, CUTLASS_PATCH, ops.c_str()) < int(room)
             ? LG_OK
             : LG_ERROR;
}
extern "C" int lg_open(const lg_parts* of, void** handle, char* why, std::size_t room) try {
  *handle = new Places{{of->shape, of->shape + of->rank}, map_of(of->text)};
  return LG_OK;
} catch (const Unsupported& no) {
  return std::snprintf(why, room, "%s", no.what.c_str()), LG_UNSUPPORTED;
}
extern "C" int lg_place(void* handle, const N* flat, std::size_t n, N* out) {
  const auto& [shape, at] = *static_cast<Places*>(handle);
  for (std::size_t element = 0; element < n; ++element) {  // counted row-major; CuTe's first coordinate is the fastest
    N rest = flat ? flat[element] : element, number = 0;
    for (std::size_t k = shape.size(), step; k-- > 0; rest /= shape[k]) {
      step = 1;
      for (std::size_t j = 0; j < k; ++j) step *= shape[j];
      number += rest % shape[k] * step;
    }
    out[element] = at(number);
  }
  return LG_OK;
}
extern "C" void lg_close(void* handle) { delete static_cast<Places*>(handle); }

std::string field(const std::string& json, const std::string& key) {  // these texts have nothing that JSON escapes
  const std::size_t begin = json.find('"' + key + "\":") + key.size() + 3, text = json[begin] == '"';
  return json.substr(begin + text, json.find_first_of(text ? "\"" : ",}", begin + text) - begin - text);
}
template <class T>
std::string shown(const T& made) {
  std::ostringstream out;
  return out << made, out.str();
}
// Run-time strides of 0 are divided by: SIGFPE.
std::string nonzero(const std::string& text) {
  for (const char* zero : {":0", "(0", ",0"})
    if (text.find(zero, text.find(':')) != std::string::npos) throw Unsupported{"a run-time stride of 0"};
  return text;
}
template <class T>
constexpr bool one_mode = cute::rank_v<T> == 1 && cute::depth_v<T> <= 1;

std::string answer(const std::string& json) {
  const std::string op = field(json, "op");
  const auto layout = [&](auto f) { return with(field(json, "layout"), f); };
  const auto other = [&](const char* key, auto f) { return with(nonzero(field(json, key)), f); };
  const auto value = [&](auto f) { return R"({"ok":{"value":)" + layout(f) + "}}"; };
  const auto made = [&](auto f) { return R"({"ok":{"layout":")" + layout(f) + "\"}}"; };
  if (op == "measure.size") return value([](auto a) { return shown(N(cute::size(a))); });
  if (op == "measure.cosize") return value([](auto a) { return shown(N(cute::cosize(a))); });
  if (op == "print") return made([](auto a) { return shown(a); });
  if (op == "derive.coalesce") return made([](auto a) { return shown(cute::coalesce(a)); });
  if (op == "derive.compose")
    return made([&](auto a) { return other("inner", [&](auto b) { return shown(cute::composition(a, b)); }); });
  const auto of_one = [&](auto f) {
    return [f](auto a) -> std::string {
      if constexpr (one_mode<decltype(a)>) return f(a);
      else throw Unsupported{"strides that are known at run time"};
    };
  };
  if (op == "derive.right-inverse") return made(of_one([](auto a) { return shown(cute::right_inverse(a)); }));
  if (op == "derive.divide")
    return made(
        [&](auto a) { return other("tiler", of_one([&](auto b) { return shown(cute::logical_divide(a, b)); })); });
  nonzero(field(json, "layout"));
  if (op == "derive.complement")
    return made(of_one([&](auto a) { return shown(cute::complement(a, N(std::stoll(field(json, "cotarget"))))); }));
  if (op == "derive.product")
    return made(
        of_one([&](auto a) { return other("by", [&](auto b) { return shown(cute::logical_product(a, b)); }); }));
  throw Unsupported{op};
}
extern "C" int lg_call(void*, const char* json, std::size_t n, char* out, std::size_t room, std::size_t* used) {
  std::string text;
  try {
    text = answer({json, n});
  } catch (const Unsupported& no) {
    text = R"({"unsupported":{"what":")" + no.what + "\"}}";
  }
  *used = text.copy(out, room);
  return LG_OK;
}
