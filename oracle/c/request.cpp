#include "oracle/c/request.h"

#include <fmt/format.h>

#include <algorithm>

#include "encodings/use/family.h"

namespace vl::library {
namespace {

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::Syntax: return VL_BAD_TEXT;
    case ErrorCode::Overflow: return VL_OVERFLOW;
    case ErrorCode::Shape: return VL_BAD_SHAPE;
    case ErrorCode::Value:
    case ErrorCode::NotComposable:
    case ErrorCode::NotInvertible:
    case ErrorCode::Box:
    case ErrorCode::Io: return VL_BAD_VALUE;
  }
  return VL_BUG;
}

}  // namespace

Refusal about(std::string_view member, const Error& error) {
  const std::string place = error.offset != 0 ? fmt::format(" at byte {}", error.offset) : "";
  return {status_of(error.code), fmt::format("{}{}: {}", member, place, error.message)};
}

Refusal about(const session::TextError& wrong) { return about(wrong.text.file, wrong.error); }

std::size_t put(std::string_view text, char* out, std::size_t room) noexcept {
  if (out != nullptr && room > 0) {
    const std::size_t length = std::min(room - 1, text.size());
    std::memcpy(out, text.data(), length);
    out[length] = '\0';
  }
  return text.size();
}

int answer(const Refusal& refusal, char* why, std::size_t room) noexcept {
  put(refusal.why, why, room);
  return refusal.status;
}

std::optional<Refusal> check_members(const Texts& texts) {
  if (texts.layout == nullptr) return Refusal{VL_BAD_ARGUMENT, "layout: expected a text"};
  if (texts.strides == nullptr && texts.rank != 0)
    return Refusal{VL_BAD_ARGUMENT, "strides: expected as many as rank says"};
  if (texts.family != nullptr &&
      std::ranges::find(use::families(), std::string_view(texts.family), &use::Family::name) == use::families().end())
    return Refusal{VL_BAD_TEXT, "family: there is no such family"};
  return std::nullopt;
}

session::CaseRequest asked_of(const Texts& texts, std::string_view prefix) {
  using session::SourceText;
  const auto text = [&](std::string_view name, const char* value) {
    return SourceText::option(fmt::format("{}{}", prefix, name), value != nullptr ? value : "");
  };
  session::CaseRequest asked;
  asked.layout = text("layout", texts.layout);
  asked.tensor = text("tensor", texts.tensor);
  if (texts.strides != nullptr) asked.strides.emplace(texts.strides, texts.strides + texts.rank);
  asked.strides_text = text("strides", "");
  asked.offset = texts.offset;
  asked.view_offset = texts.view_offset;
  if (texts.box != nullptr) asked.box = text("box", texts.box);
  if (texts.family != nullptr) asked.family = texts.family;
  return asked;
}

std::variant<session::TensorReading, Refusal> read_side(const session::CaseRequest& asked) {
  auto read = session::read_unproved(asked);
  if (const auto* wrong = std::get_if<session::TextError>(&read)) return about(*wrong);
  auto& subject = std::get<session::TensorReading>(read);
  const use::Reading& reading = subject.reading;
  if (const auto* why = reading.undecidable())
    return Refusal{VL_NO_PLAN, fmt::format("{}: {}", asked.layout.file, why->reason)};
  if (!reading.derived.empty())
    return Refusal{VL_NO_PLAN, fmt::format("{}: the result of {} has to be proved, which verify-layout does; it is {}",
                                           asked.layout.file, reading.derived.front().operation, reading.normal)};
  return std::move(subject);
}

}  // namespace vl::library
