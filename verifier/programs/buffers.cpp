#include "verifier/programs/buffers.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::programs {
namespace {

using program::Access;

struct Buffer {
  Access access;       // which made it
  std::size_t number;  // of that access
};

std::string in_words(const Access& a) { return fmt::format("{} {}..{}", a.space, a.begin, a.end - 1); }

bool meet(const Access& a, const Access& b) { return a.space == b.space && a.begin < b.end && b.begin < a.end; }
bool has_all(const Access& outer, const Access& inner) { return outer.begin <= inner.begin && inner.end <= outer.end; }

class Memory {
 public:
  explicit Memory(const std::function<std::size_t(std::size_t)>& line_of) : line_of_(line_of) {}

  void take(const Access& access, std::size_t number) {
    if (!access.writes) read({access, number});
    else buffers_.push_back({access, number});
  }

  // Whoever calls a kernel reads what it leaves under the number of an argument.
  void leave() {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      const Access& last = buffers_[i].access;
      if (last.argument >= 0 && last.writes && latest(last) == i) look(i, buffers_[i], "put out");
    }
  }

  [[nodiscard]] std::size_t size() const { return buffers_.size(); }
  std::optional<BuffersAnswer> refuted = std::nullopt, open = std::nullopt;

 private:
  void read(const Buffer& reader) {
    const Access& access = reader.access;
    const auto same = latest(access);
    if (same) return look(*same, reader, fmt::format("read at line {}", line_of_(access.step)));
    std::vector<Access> met;
    for (const Buffer& each : buffers_)
      if (meet(each.access, access)) met.push_back(each.access);
    if (met.empty()) return buffers_.push_back(reader);
    if (!open && !is_of(access, met))
      open = {access.step,
              question::Unknown{question::Reason::Incomplete,
                                in_words(access) + ", which it reads, is no part of one buffer, nor several ones",
                                {}}};
  }

  // Whether what is read is a part of one buffer, or some that lie side by side.
  static bool is_of(const Access& access, const std::vector<Access>& met) {
    const auto same = [](const Access& a, const Access& b) { return has_all(a, b) && has_all(b, a); };
    const auto is_part = [&](const Access& each) { return same(each, met.front()) && has_all(each, access); };
    const auto is_apart = [&](const Access& each) {
      return has_all(access, each) &&
             std::ranges::all_of(met, [&](const Access& other) { return same(each, other) || !meet(each, other); });
    };
    return std::ranges::all_of(met, is_part) || std::ranges::all_of(met, is_apart);
  }

  // The last buffer of this range.
  [[nodiscard]] std::optional<std::size_t> latest(const Access& access) const {
    for (std::size_t i = buffers_.size(); i-- > 0;) {
      const Access& each = buffers_[i].access;
      if (each.space == access.space && each.begin == access.begin && each.end == access.end) return i;
    }
    return std::nullopt;
  }

  // What was written since over a buffer that is read.
  void look(std::size_t at, const Buffer& by, const std::string& use) {
    const Access &buffer = buffers_[at].access, &reader = by.access;
    for (std::size_t i = at + 1; i < buffers_.size(); ++i) {
      const Access& other = buffers_[i].access;
      if (!other.writes || !meet(other, reader) || has_all(reader, other)) continue;
      const std::string made =
          buffer.writes ? fmt::format("written at line {}", line_of_(buffer.step)) : "of the caller";
      const std::string words = fmt::format("{}, written at line {}, meets {}, {} and {}", in_words(other),
                                            line_of_(other.step), in_words(reader), made, use);
      const bool part = has_all(other, reader) && (other.name.empty() || reader.name.empty());
      if (part) {
        if (!open)
          open = {other.step, question::Unknown{question::Reason::Incomplete, words + ", or is a part of it", {}}};
      } else if (!refuted && !(has_all(other, reader) && other.name == reader.name)) {
        question::Counterexample shown;
        shown.fields = {{"physical", std::max(other.begin, reader.begin)}};
        shown.explanation = words;
        refuted = {other.step, question::Refuted{"evaluation", std::move(shown)}, {}, {by.number, buffers_[i].number}};
      }
    }
  }

  const std::function<std::size_t(std::size_t)>& line_of_;
  std::vector<Buffer> buffers_;  // in the order in which they are made
};

}  // namespace

std::optional<BuffersAnswer> disjoint(const program::Function& function,
                                      const std::function<std::size_t(std::size_t step)>& line_of) {
  Memory memory(line_of);
  for (std::size_t i = 0; i < function.accesses.size(); ++i) memory.take(function.accesses[i], i);
  memory.leave();
  if (memory.size() < 2) return std::nullopt;
  if (memory.refuted) return memory.refuted;
  if (memory.open) return memory.open;
  if (function.unplaced)
    return BuffersAnswer{
        *function.unplaced,
        question::Unknown{question::Reason::Incomplete, "which bytes it reads and writes is not known", {}}};
  return BuffersAnswer{function.accesses.back().step, question::Proved{"evaluation", question::Trust::Trusted, {}, {}},
                       fmt::format("{} buffers, of which none is written over while it is to be read", memory.size())};
}

}  // namespace vl::programs
