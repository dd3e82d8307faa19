#include "verifier/checker/accesses.h"

#include <algorithm>
#include <set>

namespace vl::checker {
namespace {

struct Access {
  Map bytes, coordinates, when;
  std::vector<std::string> conditions;  // of the values of `when`: "<=0", "=0", "!=0"
  Space logical;
  std::vector<std::vector<long long>> phases;
  Wide width, banks, bank_bytes;
  bool broadcasts = false;
};

Access read_access(Fields fields) {
  const auto map = [&](const char* name) { return parse_map(fields.take(name).get<std::string>()); };
  const auto size = [&](const char* name) { return Wide(integer(fields.take(name))); };
  Access out{map("bytes"),
             map("coordinates"),
             map("when"),
             fields.take("conditions"),
             parse_space(fields.take("logical").get<std::string>()),
             {},
             size("width"),
             size("banks"),
             size("bytes_per_bank"),
             fields.take("broadcasts").get<bool>()};
  const std::vector<Wide>& extents = out.bytes.domain.extents;
  require(out.coordinates.domain.extents == extents && out.when.domain.extents == extents && out.bytes.outputs == 1,
          "other lanes");
  require(out.coordinates.outputs == out.logical.rank() && out.when.outputs == out.conditions.size(),
          "maps that do not fit");
  require(out.width > 0 && out.width <= 64 && out.banks > 0 && out.bank_bytes > 0, "no width, or no banks");
  std::set<Wide> lanes;
  std::size_t count = 0;
  for (const nlohmann::json& phase : fields.take("phases")) {
    out.phases.emplace_back();
    for (const nlohmann::json& lane : phase)
      out.phases.back().push_back(integer(lane)), lanes.insert(integer(lane)), ++count;
  }
  require(!extents.empty() && count > 0 && count == lanes.size() && extents[0] == static_cast<long long>(count) &&
              *lanes.begin() == 0 && *lanes.rbegin() == extents[0] - 1,
          "a lane that is not of one phase");
  fields.end();
  return out;
}

// The maps at one lane, the walked variables being those of `at`, whatever the free variables are.
struct Walk {
  const Access& access;
  bool xors;
  Forms forms;
  Columns columns;

  std::vector<Form> values(const Map& map, const Point& at) {
    std::vector<Form> out;
    for (std::size_t i = 0; i < at.size(); ++i) out.push_back(forms.of({at[i], {{i, 1}}}));
    out = run(map.stages, std::move(out), forms);
    require(forms.atoms() == forms.digits(), "a swizzle of what is free");
    return out;
  }

  // Whether the lane is active; then it lies in the tensor.
  bool takes_part(const Point& at) {
    for (std::size_t i = 0; i < access.conditions.size(); ++i) {
      const auto [low, high] = forms.range(values(access.when, at)[i]);
      const bool at_most = access.conditions[i] == "<=0", unless = access.conditions[i] == "!=0";
      const bool all = high <= 0 && (at_most || low == 0), none = low > 0 || (!at_most && high < 0);
      require((at_most || unless || access.conditions[i] == "=0") && (all || none), "a lane that is active at times");
      if (all == unless) return false;
    }
    for (std::size_t i = 0; const Form& value : values(access.coordinates, at)) {
      const auto [low, high] = forms.range(value);
      require(low >= 0 && high < access.logical.extents[i++], "a lane outside of the tensor");
    }
    return true;
  }

  // Where the lane's bytes start while the free variables are 0, then what each of them adds, or each of their bits
  // flips.
  Point byte(const Point& at) {
    if (!xors) {
      const Form byte = values(access.bytes, at)[0];
      Point out{byte.constant};
      for (std::size_t k = 0; k < at.size(); ++k) {
        out.push_back(forms.extent(k) == 1 ? Wide(0) : byte.at(k));
        require(out.back() % access.bank_bytes == 0, "a lane that moves within its words");
      }
      return out;
    }
    std::vector<Bits> start = columns.inputs();
    for (std::size_t i = 0; i < at.size(); ++i) start[i].constant = static_cast<std::uint64_t>(at[i].narrow());
    const Bits byte = run(access.bytes.stages, std::move(start), columns)[0];
    Point out{static_cast<long long>(byte.constant)};
    for (const std::uint64_t column : byte.columns) out.push_back(static_cast<long long>(column));
    for (const Wide& part : out) require(part % access.width == 0, "a byte that is not a multiple of the width");
    return out;
  }

  Wide wavefronts(const std::vector<long long>& phase, Point at) {
    std::map<Wide, std::multiset<Wide>> words;  // of each bank
    std::size_t most = 0;
    std::optional<Point> moves;
    for (const long long lane : phase) {
      at[0] = lane;
      if (!takes_part(at)) continue;
      Point place = byte(at);
      const Wide first = std::exchange(place[0], 0), last = first + access.width - 1;
      require(moves.value_or(place) == place, "lanes that move apart");
      moves = std::move(place);
      for (Wide word = first / access.bank_bytes; word <= last / access.bank_bytes; word += 1) {
        std::multiset<Wide>& bank = words[word % access.banks];
        if (!access.broadcasts || !bank.contains(word)) bank.insert(word);
        most = std::max(most, bank.size());
      }
    }
    return static_cast<long long>(most);
  }
};

}  // namespace

void check_access(const std::string& claim, Fields& statement, Fields& evidence) {
  const Access access = read_access(Fields(statement.take("access")));
  const auto form = evidence.take("form").get<std::string>();
  const auto is_free = evidence.take("free").get<std::vector<bool>>();
  Space walked = access.bytes.domain, free = walked;
  require(is_free.size() == walked.rank() && !is_free[0] && walked.volume() > 0, "nothing to walk over");
  std::vector<Group> groups;
  for (std::size_t i = 0; i < is_free.size(); ++i)
    (is_free[i] ? walked : free).extents[i] = 1, groups.push_back({i, 1, {1}});
  require(walked.volume() <= 1 << 20, "too many lanes of instances to walk over");
  require(form == "gf2" || form == (free.volume() == 1 ? "exhaustion" : "digits"), "a form that shows no such thing");
  for (const Wide& size : {access.width, access.banks, access.bank_bytes})
    require(form != "gf2" || Wide(1LL << 62) % size == 0, "a width or banks that are not powers of two");
  Walk walk{access, form == "gf2", {free, groups}, Columns(free)};
  walked.extents[0] = 1;
  Wide worst = 0, excess = 0;
  for_each(walked, [&](const Point& at) {
    Wide wavefronts = 0, ideal = 0;
    for (const auto& phase : access.phases) {
      const Wide cost = walk.wavefronts(phase, at);
      wavefronts += cost, ideal += cost > 0 ? 1 : 0;
    }
    worst = std::max(worst, wavefronts), excess = std::max(excess, wavefronts - ideal);
  });
  require(worst > 0, "the claim says nothing: no lane is ever active");
  const bool limited = claim == "conflict-free" || (claim == "conflicts" && statement.has("at_most"));
  const Wide said = claim == "conflict-free" ? 0 : integer(statement.take(limited ? "at_most" : "value"));
  require(limited || claim == "conflicts" || claim == "wavefronts", "a claim that is not known");
  require(limited ? excess <= said : said == (claim == "conflicts" ? excess : worst), "another number");
}

}  // namespace vl::checker
