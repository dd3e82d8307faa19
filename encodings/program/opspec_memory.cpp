#include "encodings/program/opspec_memory.h"

#include <fmt/format.h>

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
    if (!again) lose(at->second);
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

std::vector<std::string> SpecMemory::left() const {
  std::map<std::size_t, std::string> all = lost_;
  for (const auto& [place, buffer] : buffers_)
    if (buffer.written > 0 && (buffer.tensor.argument >= 0 || !buffer.is_read)) all[buffer.written] = buffer.value;
  std::vector<std::string> out;
  out.reserve(all.size());
  for (const auto& [time, value] : all) out.push_back(value);
  return out;
}

}  // namespace vl::program
