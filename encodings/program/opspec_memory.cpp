#include "encodings/program/opspec_memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace vl::program {

SpecMemory::Place SpecMemory::place_of(const SpecTensor& tensor) {
  return {std::string(tensor.space), tensor.space.empty() ? tensor.argument : tensor.begin};
}

Index SpecMemory::end_of(const SpecTensor& tensor) { return tensor.space.empty() ? tensor.argument + 1 : tensor.end; }

std::map<SpecMemory::Place, SpecMemory::Buffer>::iterator SpecMemory::meeting(const SpecTensor& tensor) {
  const Place place = place_of(tensor);
  auto at = buffers_.upper_bound(place);
  if (at != buffers_.begin()) {
    const auto before = std::prev(at);
    if (before->first.first == place.first && end_of(before->second.tensor) > place.second) at = before;
  }
  const bool meets = at != buffers_.end() && at->first.first == place.first && at->first.second < end_of(tensor);
  return meets ? at : buffers_.end();
}

std::string SpecMemory::name_of(const SpecTensor& tensor) {
  std::string out =
      tensor.argument >= 0 ? fmt::format("a{}", tensor.argument) : fmt::format("{}_{}", tensor.space, tensor.begin);
  const int times = taken_[out]++;
  return times == 0 ? out : fmt::format("{}.{}", out, times);
}

void SpecMemory::lose(const Buffer& buffer) {
  if (buffer.written > 0 && buffer.tensor.argument >= 0)
    lost_[buffer.written] = fmt::format("a{}?", buffer.tensor.argument);
}

void SpecMemory::add_gone(Place from, Index to) {
  auto at = gone_.upper_bound({from.first, to});
  while (at != gone_.begin()) {
    const auto before = std::prev(at);
    if (before->first.first != from.first || before->second < from.second) break;
    from.second = std::min(from.second, before->first.second), to = std::max(to, before->second);
    at = gone_.erase(before);
  }
  gone_[std::move(from)] = to;
}

std::string SpecMemory::read(const SpecTensor& tensor, std::vector<mlir::Argument>& arguments, std::string& why) {
  const auto unknown = [&](std::string reason) {
    if (why.empty()) why = std::move(reason);
    return std::string("?");
  };
  if (!tensor.why.empty() || !tensor.is_placed) return unknown(tensor.why);
  const auto found = meeting(tensor);
  if (found != buffers_.end()) {
    Buffer& buffer = found->second;
    buffer.is_read = true;
    if (buffer.value.empty()) return unknown("it reads what is not known");
    if (place_of(tensor) == found->first && tensor.is_same(buffer.tensor)) return buffer.value;
    return unknown(fmt::format("at {} {} lies {} of {}, and it reads {} of {}", tensor.space, tensor.begin,
                               buffer.tensor.type, buffer.tensor.device_size, tensor.type, tensor.device_size));
  }
  const auto after = gone_.lower_bound({std::string(tensor.space), end_of(tensor)});
  if (after != gone_.begin()) {
    const auto& [from, to] = *std::prev(after);
    if (from.first == tensor.space && to > place_of(tensor).second) return unknown("it reads what is not known");
  }
  if (!writer_.empty()) return unknown(fmt::format("{} may have written what it reads", writer_));
  std::string value = name_of(tensor);
  buffers_[place_of(tensor)] = {tensor, value, 0, true};
  arguments.push_back({value, {}});
  return value;
}

std::string SpecMemory::write(const SpecTensor& tensor) {
  for (auto at = meeting(tensor); at != buffers_.end(); at = meeting(tensor)) {
    const bool again = at->first == place_of(tensor) && at->second.tensor.argument == tensor.argument &&
                       end_of(at->second.tensor) == end_of(tensor);
    if (again) lost_.erase(at->second.written);
    else lose(at->second), add_gone(at->first, end_of(at->second.tensor));
    buffers_.erase(at);
  }
  std::string value = name_of(tensor);
  buffers_[place_of(tensor)] = {tensor, value, ++time_, false};
  return value;
}

void SpecMemory::forget(std::string_view writer) {
  for (const auto& [place, buffer] : buffers_) lose(buffer);
  buffers_.clear();
  writer_ = writer;
  lost_[++time_] = fmt::format("{}?", writer);
}

const SpecTensor* SpecMemory::find(const SpecTensor& tensor) const {
  const auto at = buffers_.find(place_of(tensor));
  return at == buffers_.end() ? nullptr : &at->second.tensor;
}

std::size_t SpecMemory::written(const SpecTensor& tensor) const {
  const auto at = buffers_.find(place_of(tensor));
  return at == buffers_.end() ? 0 : at->second.written;
}

bool SpecMemory::meet(const SpecTensor& a, const SpecTensor& b) {
  const Place first = place_of(a), second = place_of(b);
  return first.first == second.first && first.second < end_of(b) && second.second < end_of(a);
}

void SpecMemory::leave(int loop, const std::vector<SpecTensor>& writes) {
  for (auto& [place, buffer] : buffers_) {
    SpecTensor& tensor = buffer.tensor;
    const auto of_loop = [&](const SpecAxis& axis) { return std::ranges::find(axis.loops, loop) != axis.loops.end(); };
    const auto over = [&, &at = place](const SpecTensor& w) {
      return meet(w, tensor) && (!w.moves.contains(loop) || place_of(w) != at || !w.is_same(tensor));
    };
    const bool gone = tensor.moves.contains(loop) ? buffer.written > 0 && std::ranges::any_of(writes, over)
                                                  : std::ranges::any_of(tensor.axes, of_loop);
    if (!gone) continue;
    if (tensor.argument >= 0 || !buffer.is_read) lost_[buffer.written] = fmt::format("{}?", buffer.value);
    buffer.value.clear();
    for (SpecAxis& axis : tensor.axes) axis.loops.clear();
  }
}

std::vector<std::string> SpecMemory::left() const {
  std::map<std::size_t, std::string> all = lost_;
  for (const auto& [place, buffer] : buffers_)
    if (buffer.written > 0 && !buffer.value.empty() && (buffer.tensor.argument >= 0 || !buffer.is_read))
      all[buffer.written] = buffer.value;
  std::vector<std::string> out;
  out.reserve(all.size());
  for (const auto& [time, value] : all) out.push_back(value);
  return out;
}

}  // namespace vl::program
