// Child: an adapter that runs, and what becomes of the cases that it is asked. It is started again after each fault;
// a fault is blamed on one case:
//
//   cursor   an adapter with that feature writes (seq << 16 | position) of the case that it begins into the first word
//            of the shared memory. The cases before it are asked again, the one it names is blamed
//   halves   without a cursor, or with one that names no case that was asked: the line is asked again in two halves
//   fork     after three crashes in 1,000 cases an adapter with that feature answers each line in a forked child, and
//            says itself how far that came
//
// A line of cases that is not answered within the timeout is hung. What comes on stderr is kept, the last 64 KiB.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "oracle/gate/bulk.h"
#include "oracle/gate/cage.h"
#include "oracle/gate/protocol.h"

namespace vl::gate {

struct ChildOptions {
  std::vector<std::string> command;
  std::chrono::milliseconds timeout{2000};          // of a line
  std::chrono::milliseconds start_timeout{60'000};  // until the handshake
  std::uint64_t restart_every = 100'000;            // cases
  bool is_host = false;                             // the command is the program's own host of a library
};

constexpr std::size_t kMostErrors = std::size_t{256} << 20;  // bytes on stderr of one process
constexpr std::size_t kKeptErrors = std::size_t{64} << 10;

class Child {
 public:
  Child(Cage cage, ChildOptions options);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// The same adapter, not started, to be asked beside this one; it has to be the same peer. Requires: start()
  /// succeeded; the cage is not CageKind::Limits.
  [[nodiscard]] std::unique_ptr<Child> twin() const;
  /// Starts it and shakes hands. The error says what went wrong, with the end of its stderr.
  [[nodiscard]] std::optional<Error> start();
  /// Requires: start() succeeded.
  [[nodiscard]] const Peer& peer() const { return peer_; }

  /// Called with [first, first + count) of the cases before these are asked once more.
  using Again = std::function<void(std::size_t first, std::size_t count)>;
  /// Begins to ask cases, without waiting for the answers. Requires: collect() took those before.
  void submit(std::vector<std::string> cases, Again again = nullptr);
  /// The same for cases that lie in the shared memory (packed.h), in the batch whose table begins at that byte. Their
  /// answers lie there, too: of a case that was answered the reply is Ok without a value. Requires:
  /// peer().packed.
  void submit_packed(std::size_t table, std::size_t count, Again again);
  /// One reply for each case of the last submit(), in their order.
  std::vector<Reply> collect();
  std::vector<Reply> ask(std::vector<std::string> cases) {
    submit(std::move(cases));
    return collect();
  }
  /// Ends the process; the next cases are asked of a fresh one.
  void stop();

  [[nodiscard]] const Bulk& bulk() const { return *bulk_; }
  [[nodiscard]] std::uint64_t starts() const { return starts_; }
  [[nodiscard]] const std::string& errors() const {  // the last bytes on stderr, of the last process that wrote there
    return errors_.empty() ? earlier_ : errors_;
  }
  /// Of 64 faults without an answer between them an adapter is given up; those so far count no more.
  void forget_faults() { in_a_row_ = 0; }
  /// Not empty: it does not start any more, and why. Further cases are Lost.
  [[nodiscard]] const std::string& gone() const { return gone_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Line {  // of cases [first, first + count) of those that were submitted
    Index seq = 0;
    std::size_t first = 0, count = 0;
    bool again = false;  // it was sent before
  };
  struct Fault {
    ReplyKind kind = ReplyKind::Crashed;
    std::string detail;
    int code = 0;
  };

  ReplyKind kind_of_end();  // of a process that ended
  std::optional<Error> shake_hands();
  void begin();  // what was submitted
  void send_lines();
  [[nodiscard]] std::string text_of(const Line& line);
  void look_for_more();
  void pump(int wait);  // moves bytes in all directions
  void drain(int file, bool is_answer);
  bool take_line(std::string& line);  // a whole line of answers, if there is one
  void take_answers(const std::string& line);
  void blame(const Fault& fault);  // the lines that were sent; ends the process
  void settle(std::size_t index, Reply reply);
  bool ended_idle();                  // while no case was asked; nobody takes the blame
  std::optional<Fault> fault_seen();  // after pump()
  Fault ended_fault();
  [[nodiscard]] std::optional<std::size_t> cursor_case() const;

  Cage cage_;
  ChildOptions options_;
  Peer peer_;
  std::optional<Caged> process_;
  std::unique_ptr<Bulk> bulk_ = std::make_unique<Bulk>();
  bool shaken_ = false, closed_ = false, forked_ = false;
  std::string unsent_, received_, errors_, earlier_, gone_;
  std::size_t searched_ = 0;                         // of received_, without an end of line
  std::uint64_t error_bytes_ = 0, answered_at_ = 0;  // on stderr: all, and those before the last answer
  std::uint64_t starts_ = 0, since_start_ = 0, asked_ = 0;
  std::uint64_t crashes_ = 0, in_a_row_ = 0, idle_ends_ = 0;
  Index seq_ = 0;
  Clock::time_point waiting_since_;

  std::vector<std::string> cases_;    // empty if they are packed
  std::optional<std::size_t> table_;  // of packed ones
  Again again_;
  std::vector<std::optional<Reply>> replies_;
  std::deque<Line> queue_;  // to be sent
  std::deque<Line> sent_;   // waiting for an answer, in order
};

}  // namespace vl::gate
