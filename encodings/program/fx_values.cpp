#include "encodings/program/fx_values.h"

#include <fmt/format.h>

#include <utility>

namespace vl::program {

const FxValues::Held* FxValues::find(std::string_view name) const {
  const auto found = held_.find(name);
  return found == held_.end() ? nullptr : &found->second;
}

std::string FxValues::value_of(std::string_view name) const {
  const Held* known = find(name);
  return known == nullptr || known->value.empty() ? fmt::format("{}?", name) : known->value;
}

std::string FxValues::fresh(std::string_view name) {
  std::string out(name);
  while (const int times = taken_[out]++) out = fmt::format("{}.{}", out, times);
  return out;
}

std::size_t FxValues::fresh_memory() {
  parent_.push_back(parent_.size());
  names_.emplace_back();
  return parent_.size() - 1;
}

std::size_t FxValues::root(std::size_t memory) {
  while (parent_[memory] != memory) memory = parent_[memory] = parent_[parent_[memory]];
  return memory;
}

void FxValues::define(std::string_view name, Held held) {
  names_[root(held.memory)].emplace_back(name);
  held_[std::string(name)] = std::move(held);
}

void FxValues::forget(std::string_view name) {
  if (const auto found = held_.find(name); found != held_.end()) held_.erase(found);
}

void FxValues::join(std::size_t a, std::size_t b) {
  a = root(a), b = root(b);
  if (a == b) return;
  if (names_[a].size() < names_[b].size()) std::swap(a, b);
  for (std::string& name : names_[b]) names_[a].push_back(std::move(name));
  names_[b].clear();
  parent_[b] = a;
}

void FxValues::write(std::size_t memory, std::string_view writer) {
  memory = root(memory);
  for (const std::string& name : names_[memory]) {
    const auto known = held_.find(name);
    // The name may be another value's by now.
    if (known == held_.end() || root(known->second.memory) != memory) continue;
    known->second.value.clear(), known->second.writer = writer;
  }
  names_[memory].clear();
}

}  // namespace vl::program
