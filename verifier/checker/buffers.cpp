#include "verifier/checker/buffers.h"

#include <algorithm>
#include <functional>

#include "verifier/checker/kernel.h"

namespace vl::checker {
namespace {

using Buffer = std::reference_wrapper<const BufferText>;
using Buffers = std::vector<Buffer>;

bool is_same_text(const std::string& a, const std::string& b) {
  charge(1 + std::min(a.size(), b.size()) / 16);
  return a == b;
}
bool meet(const BufferText& a, const BufferText& b) {
  charge(1LL);
  return a.begin < b.end && b.begin < a.end && is_same_text(a.space, b.space);
}
bool has_all(const BufferText& outer, const BufferText& inner) {
  charge(1LL);
  return outer.begin <= inner.begin && inner.end <= outer.end && is_same_text(outer.space, inner.space);
}
bool is_same(const BufferText& a, const BufferText& b) { return has_all(a, b) && has_all(b, a); }

// Whether a write leaves what is read as it is: a part of it, or the whole of which it is a part.
bool is_kept_by(const BufferText& write, const BufferText& read) {
  if (!meet(write, read) || has_all(read, write)) return true;
  return has_all(write, read) && !read.name.empty() && is_same_text(write.name, read.name);
}

// Whether it is a part of one buffer, or some that lie side by side.
bool is_made_of(const BufferText& read, const Buffers& met) {
  const auto is_part = [&](const BufferText& each) { return has_all(each, read) && is_same(each, met.front()); };
  const auto is_apart = [&](const BufferText& each) {
    return has_all(read, each) && std::ranges::all_of(met, [&](const BufferText& other) {
             return is_same(each, other) || !meet(each, other);
           });
  };
  return std::ranges::all_of(met, is_part) || std::ranges::all_of(met, is_apart);
}

// Whether the range is one of the buffers; rejects one that is written over since.
bool is_kept(const BufferText& read, const Buffers& made) {
  for (std::size_t i = made.size(); i-- > 0;) {
    const BufferText& each = made[i];
    if (is_same(each, read)) return true;
    require(!each.writes || is_kept_by(each, read), "bytes that are written over");
  }
  return false;
}

// The buffers before an access, in the order in which they are made; with `proves` what is read has to be some.
Buffers buffers_before(std::size_t end, const std::vector<BufferText>& accesses, bool proves) {
  Buffers made;
  for (std::size_t at = 0; at < end; ++at) {
    const BufferText& access = accesses[at];
    require(access.begin < access.end, "a buffer without a byte");
    Buffers met;
    if (!access.writes)
      for (const BufferText& each : made)
        if (meet(each, access)) keep(met, Buffer(each));
    const bool same = std::ranges::any_of(met, [&](const BufferText& each) { return is_same(each, access); });
    if (proves && same) static_cast<void>(is_kept(access, made));
    require(!proves || same || is_made_of(access, met), "bytes that are no buffer's");
    if (met.empty()) keep(made, Buffer(access));
    release(met.capacity() * sizeof(Buffer));
  }
  return made;
}

}  // namespace

void check_buffers(const std::vector<BufferText>& accesses) {
  enter(__FILE__);
  const Buffers made = buffers_before(accesses.size(), accesses, true);
  require(made.size() > 1, "the claim says nothing: there is one buffer");
  for (std::size_t i = 0; i < made.size(); ++i) {
    const BufferText& buffer = made[i];
    const auto is_again = [&](const BufferText& later) { return is_same(later, buffer); };
    const bool is_put_out = buffer.writes && buffer.argument >= 0 &&
                            std::none_of(made.begin() + static_cast<std::ptrdiff_t>(i) + 1, made.end(), is_again);
    if (is_put_out) static_cast<void>(is_kept(buffer, made));
  }
}

void check_overwritten(const std::vector<BufferText>& accesses, const Showing& pair) {
  enter(__FILE__);
  const auto at = [&](const Point& number) {
    require(number.size() == 1 && number[0] >= 0 && number[0] < static_cast<long long>(accesses.size()),
            "a number of no access");
    return static_cast<std::size_t>(number[0].narrow());
  };
  require(pair.b.has_value(), "an access alone");
  const std::size_t reader = at(pair.a), writer = at(*pair.b);
  const BufferText &read = accesses[reader], &write = accesses[writer];
  require(!read.writes || read.argument >= 0, "bytes that nobody reads");
  require(write.writes && !is_kept_by(write, read), "a write that leaves what is read as it is");
  const bool are_named = !write.name.empty() && !read.name.empty();
  require(!has_all(write, read) || are_named, "what may be a part of what is written");
  // The range is a buffer before that write, and is not written again before it is read.
  const Buffers before = buffers_before(writer, accesses, false);
  require(std::ranges::any_of(before, [&](const BufferText& each) { return is_same(each, read); }),
          "bytes that are no buffer's");
  require(read.writes ? reader < writer : writer < reader, "a write after what is read, or before");
  const std::size_t end = read.writes ? accesses.size() : reader;
  for (std::size_t i = read.writes ? reader + 1 : writer; i < end; ++i)
    require(!accesses[i].writes || !is_same(accesses[i], read), "bytes that are written again");
}

}  // namespace vl::checker
