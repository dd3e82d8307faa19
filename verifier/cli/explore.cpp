// explore: a page in the browser, in which one types a layout and a tensor and sees the verdicts and the memory. It is
// the page of report/explorer.h with a form, served to this machine alone (127.0.0.1), some requests at a time; it
// reads no file, and a layout is judged for at most two seconds a question. One deadline covers a request from its
// connection to the last byte of its answer, so that a client that sends or reads a byte at a time holds nothing for
// long.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "encodings/base/interrupt.h"
#include "encodings/base/threads.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/explore_answer.h"

namespace vl::cli {
namespace {

constexpr int kAtOnce = 8;                                                     // requests
constexpr std::chrono::seconds kHeadTime{2}, kAnswersTime{8}, kWholeTime{10};  // from the start of a request on

// The page comes with all that it shows. No other page may frame it or send it anywhere.
constexpr std::string_view kHeaders =
    "Connection: close\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nReferrer-Policy: "
    "no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\nContent-Security-Policy: default-src 'none'; style-src "
    "'unsafe-inline'; script-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'\r\n";

using Clock = std::chrono::steady_clock;

// A descriptor that is closed.
struct Socket {
  explicit Socket(int of) : descriptor(of) {}
  ~Socket() {
    if (descriptor >= 0) ::close(descriptor);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int descriptor;
};

bool ready(int descriptor, short what, std::chrono::milliseconds wait) {
  pollfd one{descriptor, what, 0};
  return wait.count() > 0 && ::poll(&one, 1, static_cast<int>(wait.count())) == 1;
}

bool ready(int descriptor, short what, Clock::time_point end) {
  return ready(descriptor, what, std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()));
}

// The head of a request, as far as it arrives in time.
std::string head_of(int connection, Clock::time_point end) {
  std::string head;
  char buffer[4096];
  while (head.size() <= kMostOfRequest && head.find("\r\n\r\n") == std::string::npos &&
         ready(connection, POLLIN, end)) {
    const ssize_t read = ::recv(connection, buffer, sizeof buffer, MSG_DONTWAIT);
    if (read <= 0) break;
    head.append(buffer, static_cast<std::size_t>(read));
  }
  const std::size_t blank = head.find("\r\n\r\n");
  return blank == std::string::npos ? head : head.substr(0, blank + 4);
}

void send_all(int connection, std::string_view text, Clock::time_point end) {
  while (!text.empty() && ready(connection, POLLOUT, end)) {
    const ssize_t sent = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// All answers of a page have one end.
session::JudgeOptions options(Clock::time_point end) {
  session::JudgeOptions out;
  out.engines = session::engine_options(kAnswersTime.count());
  out.engines.budget.end = end;
  out.engines.budget.stop = &Interrupt::told();
  return out;
}

std::string page_of(const ExploreRequest& request, Clock::time_point end) {
  ExploreAnswer answer = explore(request, options(end));
  answer.page.form = report::ExplorerForm{request.layout, request.tensor, request.with, std::move(answer.error)};
  return report::explorer_to_html(answer.page);
}

std::string answer_to(const std::string& head, int port, Clock::time_point end) {
  const auto request = parse_explore_request(head, port);
  const auto* status = std::get_if<int>(&request);
  const std::string body =
      status != nullptr ? fmt::format("{}\n", *status) : page_of(std::get<ExploreRequest>(request), end);
  return fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}; charset=utf-8\r\nContent-Length: {}\r\n{}\r\n{}",
                     status != nullptr ? *status : 200, status != nullptr ? "refused" : "OK",
                     status != nullptr ? "text/plain" : "text/html", body.size(), kHeaders, body);
}

// Answers the request of one connection; without the memory for it, the connection is closed unanswered.
void answer(int connection, int port) {
  const auto start = Clock::now();
  try {
    const std::string head = head_of(connection, start + kHeadTime);
    send_all(connection, answer_to(head, port, start + kAnswersTime), start + kWholeTime);
  } catch (const std::bad_alloc&) {
  }
}

// Answers one request after another, until the program is told to end. Several threads do so on one socket.
void serve(int server, int port) {
  while (!Interrupt::told()) {
    if (!ready(server, POLLIN, std::chrono::milliseconds(200))) continue;
    const Socket connection(::accept4(server, nullptr, nullptr, SOCK_CLOEXEC));
    if (connection.descriptor < 0) continue;  // another thread was faster
    answer(connection.descriptor, port);
  }
}

}  // namespace

int run_explore(const ExploreArguments& arguments) {
  const Socket server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(arguments.port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const int yes = 1;
  if (server.descriptor < 0 || ::setsockopt(server.descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(server.descriptor, generic, length) != 0 || ::listen(server.descriptor, 64) != 0 ||
      ::getsockname(server.descriptor, generic, &length) != 0)
    return bad_input(about("--port", std::string("cannot be served: ") + std::strerror(errno)));
  const int port = ntohs(address.sin_port);
  const Interrupt interrupt;
  fmt::print("http://127.0.0.1:{}/  (Ctrl-C ends it)\n", port);
  std::fflush(stdout);
  std::vector<std::thread> others;
  start_threads(others, 1, kAtOnce, [&](std::size_t) { serve(server.descriptor, port); });
  serve(server.descriptor, port);
  std::ranges::for_each(others, &std::thread::join);
  return 0;
}

}  // namespace vl::cli
