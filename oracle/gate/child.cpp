#include "oracle/gate/child.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "encodings/base/interrupt.h"
#include "encodings/base/printable.h"
#include "oracle/gate/packed.h"

namespace vl::gate {
namespace {

constexpr std::size_t kMostLines = 4;      // that wait for an answer
constexpr std::uint64_t kMostInARow = 64;  // faults without an answer between them: the adapter is given up
constexpr int kPatience = 500;             // milliseconds for a process that closed its output to end

std::string tail_of(const std::string& text) {
  constexpr std::size_t kMost = 600;
  return printable(text.size() > kMost ? std::string_view(text).substr(text.size() - kMost) : std::string_view(text));
}

// Whether what a process wrote to stderr says that no memory was left, in words of C++, Python, C or XLA.
bool says_no_memory(std::string_view last) {
  return std::ranges::any_of(std::array<std::string_view, 5>{"std::bad_alloc", "MemoryError", "Cannot allocate memory",
                                                             "ut of memory", "RESOURCE_EXHAUSTED"},
                             [&](std::string_view word) { return last.find(word) != std::string_view::npos; });
}

// The command's first word, which could not be executed.
std::string why_not_started(const std::string& word, int error) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::perms runs = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  const bool script =
      fs::is_regular_file(word, code) && (fs::status(word, code).permissions() & runs) == fs::perms::none;
  if (script) return fmt::format("cannot be started: {} is not executable; did you mean python3 {}?", word, word);
  if (word.find('/') == std::string::npos && (error == ENOENT || error == EACCES))
    return fmt::format("cannot be started: there is no program {} that it may run", word);
  return fmt::format("cannot be started: {}: {}", word, std::strerror(error));  // NOLINT: no other thread asks
}

}  // namespace

Child::Child(Cage cage, ChildOptions options) : cage_(std::move(cage)), options_(std::move(options)) {}

Child::~Child() { stop(); }

std::unique_ptr<Child> Child::twin() const {
  auto out = std::make_unique<Child>(cage_, options_);
  out->peer_ = peer_;
  return out;
}

void Child::stop() {
  process_.reset();
  shaken_ = closed_ = false;
  unsent_.clear();
  received_.clear();
  searched_ = 0;
}

std::optional<Error> Child::start() {
  stop();
  if (!errors_.empty()) earlier_ = std::exchange(errors_, {});
  error_bytes_ = answered_at_ = 0;
  since_start_ = 0;
  ++starts_;
  if (bulk_->is_open()) bulk_->clear_cursor();  // the last process may have left something there
  auto made = Caged::start(cage_, options_.command, bulk_->file());
  if (!made) return made.error();
  process_.emplace(std::move(*made));
  return shake_hands();
}

std::optional<Error> Child::shake_hands() {
  unsent_ = hello_line(bulk_->is_open() ? kBulkBytes : 0, forked_);
  const auto until = Clock::now() + options_.start_timeout;
  std::string line;
  const auto failed = [&](const std::string& what) {
    const std::string said = tail_of(errors_);
    stop();
    return Error{ErrorCode::Value, fmt::format("the adapter {}{}", what, said.empty() ? "" : "; its stderr: " + said),
                 0};
  };
  while (!take_line(line)) {
    if (received_.size() > kMostLine) return failed("sends a handshake of more than 16 MiB");
    if (error_bytes_ > kMostErrors) return failed("floods its stderr");
    if (closed_) {
      const Fault fault = ended_fault();
      return failed(fault.detail + " before the handshake");
    }
    if (Clock::now() >= until || Interrupt::told()) return failed("does not shake hands in time");
    pump(50);
  }
  auto read = read_hello(line, options_.is_host);
  if (!read) return failed("does not shake hands: " + read.error().message);
  if (!peer_.name.empty() && (read->name != peer_.name || read->version != peer_.version))
    return failed("is another one than before");
  peer_ = std::move(*read);
  shaken_ = true;
  return std::nullopt;
}

void Child::submit(std::vector<std::string> cases, Again again) {
  cases_ = std::move(cases);
  table_.reset();
  again_ = std::move(again);
  replies_.assign(cases_.size(), std::nullopt);
  begin();
}

void Child::submit_packed(std::size_t table, std::size_t count, Again again) {
  cases_.clear();
  table_ = table;
  again_ = std::move(again);
  replies_.assign(count, std::nullopt);
  begin();
}

void Child::begin() {
  queue_.clear();
  const std::size_t most = table_ ? kPackedLine : kMostCases;
  for (std::size_t first = 0; first < replies_.size(); first += most)
    queue_.push_back({0, first, std::min(most, replies_.size() - first)});
  waiting_since_ = Clock::now();
  if (!process_ || !gone_.empty() || since_start_ >= options_.restart_every || ended_idle()) return;
  send_lines();
  pump(0);
}

bool Child::ended_idle() {
  if (!sent_.empty()) return false;
  pump(0);
  if (!closed_) return false;
  errors_ += fmt::format("\n{} while it was asked nothing\n", ended_fault().detail);
  stop();
  if (++idle_ends_ >= kMostInARow) gone_ = fmt::format("it ended {} times while it was asked nothing", idle_ends_);
  return true;
}

void Child::send_lines() {
  while (!queue_.empty() && sent_.size() < kMostLines) {
    Line line = queue_.front();
    queue_.pop_front();
    line.seq = ++seq_;
    if (sent_.empty()) waiting_since_ = Clock::now();
    sent_.push_back(line);
    unsent_ += text_of(line);
  }
}

std::string Child::text_of(const Line& line) {
  if (line.again && again_) again_(line.first, line.count);
  if (!table_) return request_line(line.seq, std::span(cases_).subspan(line.first, line.count));
  return fmt::format("{{\"seq\":{},\"table\":{},\"first\":{},\"count\":{}}}\n", line.seq, *table_, line.first,
                     line.count);
}

std::vector<Reply> Child::collect() {
  std::string line;
  waiting_since_ = Clock::now();  // until now nobody read what it wrote
  while (!queue_.empty() || !sent_.empty()) {
    if (Interrupt::told() || !gone_.empty()) break;
    if (process_ && sent_.empty() && ended_idle()) continue;
    if (!process_ || (sent_.empty() && since_start_ >= options_.restart_every)) {
      if (auto error = start()) {
        gone_ = error->message;
        break;
      }
    }
    send_lines();
    if (take_line(line)) {
      take_answers(line);
      continue;
    }
    if (auto fault = fault_seen()) {
      blame(*fault);
      continue;
    }
    pump(20);
  }
  queue_.clear();
  if (!sent_.empty()) stop();
  sent_.clear();
  look_for_more();
  std::vector<Reply> out;
  out.reserve(replies_.size());
  for (auto& reply : replies_)
    out.push_back(reply ? std::move(*reply) : Reply{ReplyKind::Lost, {}, gone_.empty() ? "interrupted" : gone_, 0});
  return out;
}

// Output behind the last answer, which nobody asked for.
void Child::look_for_more() {
  if (!process_ || replies_.empty() || !replies_.back()) return;
  pump(0);
  if (received_.empty()) return;
  stop();
  replies_.front() = Reply{ReplyKind::Garbled, {}, "output that nobody asked for", 0};
}

void Child::pump(int wait) {
  std::array<pollfd, 3> files = {{{process_->out(), POLLIN, 0}, {process_->err(), POLLIN, 0}, {process_->in(), 0, 0}}};
  if (!unsent_.empty()) files[2].events = POLLOUT;
  else files[2].fd = -1;
  if (closed_) files[0].fd = -1;
  if (::poll(files.data(), files.size(), wait) <= 0) return;
  if (files[1].revents != 0) drain(process_->err(), false);
  if (files[0].revents != 0) drain(process_->out(), true);
  if ((files[2].revents & POLLOUT) != 0) {
    const ssize_t sent = ::write(process_->in(), unsent_.data(), unsent_.size());
    if (sent > 0) unsent_.erase(0, static_cast<std::size_t>(sent));
    else if (errno != EAGAIN && errno != EINTR) unsent_.clear();  // nobody reads; its output ends, too
  } else if ((files[2].revents & (POLLERR | POLLHUP)) != 0) {
    unsent_.clear();
    closed_ = true;
  }
}

void Child::drain(int file, bool is_answer) {
  std::array<char, 1 << 16> buffer;  // NOLINT: read() fills what is used
  const ssize_t got = ::read(file, buffer.data(), buffer.size());
  if (got < 0) return;
  if (is_answer) {
    closed_ = got == 0;
    received_.append(buffer.data(), static_cast<std::size_t>(got));
    return;
  }
  error_bytes_ += static_cast<std::uint64_t>(got);
  errors_.append(buffer.data(), static_cast<std::size_t>(got));
  if (errors_.size() > 2 * kKeptErrors) errors_.erase(0, errors_.size() - kKeptErrors);
}

bool Child::take_line(std::string& line) {
  const auto end = received_.find('\n', searched_);
  searched_ = end == std::string::npos ? received_.size() : 0;
  if (end == std::string::npos) return false;
  line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return true;
}

void Child::settle(std::size_t index, Reply reply) {
  ++asked_;
  ++since_start_;
  in_a_row_ = is_fault(reply.kind) ? in_a_row_ + 1 : 0;
  replies_[index] = std::move(reply);
  if (in_a_row_ >= kMostInARow)
    gone_ = fmt::format("it was given up after {} faults without an answer between them", kMostInARow);
}

void Child::take_answers(const std::string& line) {
  if (sent_.empty()) return blame({ReplyKind::Garbled, "a line that nobody asked for", 0});
  const Line of = sent_.front();
  if (table_) {
    if (line != fmt::format("{{\"seq\":{},\"done\":{}}}", of.seq, of.count))
      return blame({ReplyKind::Garbled, "the host answers something else", 0});
    sent_.pop_front();
    waiting_since_ = Clock::now(), answered_at_ = error_bytes_;
    asked_ += of.count, since_start_ += of.count, in_a_row_ = 0;
    for (std::size_t k = 0; k < of.count; ++k) replies_[of.first + k].emplace().kind = ReplyKind::Ok;
    return;
  }
  auto read = read_answers(line, of.seq, of.count);
  if (read && read->crash && !forked_)
    read = Error{ErrorCode::Value, "the line speaks of a child that was not asked for"};
  if (!read) return blame({ReplyKind::Garbled, read.error().message, 0});
  sent_.pop_front();
  if (read->crash) read->crash->kind = kind_of_end();
  waiting_since_ = Clock::now(), answered_at_ = error_bytes_;
  const std::size_t answered = read->all.size();
  for (std::size_t k = 0; k < answered; ++k) settle(of.first + k, std::move(read->all[k]));
  if (!read->crash) return;
  settle(of.first + answered, std::move(*read->crash));
  const std::size_t rest = of.first + answered + 1;
  if (rest < of.first + of.count) queue_.push_front({0, rest, of.first + of.count - rest, true});
}

std::optional<Child::Fault> Child::fault_seen() {
  if (error_bytes_ > kMostErrors) return Fault{ReplyKind::Flooded, "more than 256 MiB on stderr", 0};
  if (received_.size() > kMostLine) return Fault{ReplyKind::Flooded, "a line of more than 16 MiB", 0};
  if (closed_) return ended_fault();
  if (!sent_.empty() && Clock::now() - waiting_since_ > options_.timeout)
    return Fault{ReplyKind::Hung, fmt::format("no answer within {} ms", options_.timeout.count()), 0};
  return std::nullopt;
}

Child::Fault Child::ended_fault() {
  const Ended ended = process_->end(kPatience);
  if (ended.not_started != 0)
    return {ReplyKind::Crashed, why_not_started(options_.command.front(), ended.not_started), -127};
  if (!ended.known) return {ReplyKind::Crashed, "closed its output", 0};
  const ReplyKind kind = kind_of_end();
  if (ended.signal != 0) return {kind, ended_by_signal(ended.signal), ended.signal};
  return {kind, fmt::format("ended with exit code {}", ended.code), -ended.code};
}

// By what it wrote to stderr since its last answer.
ReplyKind Child::kind_of_end() {
  pump(0);
  const std::size_t said = std::min<std::uint64_t>({errors_.size(), error_bytes_ - answered_at_, 2048});
  const std::string_view last = std::string_view(errors_).substr(errors_.size() - said);
  return says_no_memory(last) ? ReplyKind::OutOfMemory : ReplyKind::Crashed;
}

std::optional<std::size_t> Child::cursor_case() const {
  if (!bulk_->is_open() || !peer_.cursor || forked_ || sent_.empty()) return std::nullopt;
  const std::uint64_t word = bulk_->cursor();
  const Line& line = sent_.front();
  if (word >> 16 != static_cast<std::uint64_t>(line.seq) || (word & 0xffff) >= line.count) return std::nullopt;
  return line.first + static_cast<std::size_t>(word & 0xffff);
}

void Child::blame(const Fault& fault) {
  const auto at = cursor_case();
  stop();
  const bool ended = fault.kind == ReplyKind::Crashed || fault.kind == ReplyKind::OutOfMemory;
  if (ended && ++crashes_ >= 3 && crashes_ * 1000 >= 3 * asked_ && peer_.forks) forked_ = true;
  // Lines behind the first one are asked again as they are.
  while (sent_.size() > 1) {
    queue_.push_front(sent_.back());
    queue_.front().again = true;
    sent_.pop_back();
  }
  if (sent_.empty()) {  // it fails where it was asked nothing: the next case takes the blame
    if (queue_.empty()) return;
    sent_.push_back(queue_.front());
    queue_.pop_front();
  }
  const Line line = sent_.front();
  sent_.clear();
  const std::size_t end = line.first + line.count;
  const bool whole = fault.kind == ReplyKind::Garbled;  // the cursor stands at the last case of a garbled line
  if (line.count == 1 || (at && !whole)) {
    const std::size_t blamed = line.count == 1 ? line.first : *at;
    settle(blamed, {fault.kind, {}, fault.detail, fault.code});
    if (blamed + 1 < end) queue_.push_front({0, blamed + 1, end - blamed - 1, true});
    if (line.first < blamed) queue_.push_front({0, line.first, blamed - line.first, true});
    return;
  }
  const std::size_t half = line.count / 2;
  queue_.push_front({0, line.first + half, line.count - half, true});
  queue_.push_front({0, line.first, half, true});
}

}  // namespace vl::gate
