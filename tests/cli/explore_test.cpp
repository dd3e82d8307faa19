// The requests that `explore` takes, and those that it refuses; and the program, asked through a socket.
#include "verifier/cli/explore_request.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "tests/support/process.h"

namespace vl::cli {
namespace cli_explore_test {

const std::string kHost = "\r\nHost: 127.0.0.1:8000\r\n\r\n";

TEST(ExploreRequest, IsOneGetWithAQuery) {
  const auto asked = [](const std::string& target) {
    return std::get<ExploreRequest>(parse_explore_request("GET " + target + " HTTP/1.1" + kHost, 8000));
  };
  EXPECT_EQ(asked("/"), ExploreRequest{});
  EXPECT_EQ(asked("/?layout=S%5B8%3a1%5D&tensor=u8%5b8%5d"), (ExploreRequest{"S[8:1]", "u8[8]", ""}));
  EXPECT_EQ(asked("/?with=a+b&other=1&with=c%20d"), (ExploreRequest{"", "", "c d"}));
  EXPECT_EQ(asked("/?layout&tensor="), ExploreRequest{});
  const std::string spelled = "GET / HTTP/1.0\r\nAccept: */*\r\nhOsT:localhost:8000\r\n\r\n";
  EXPECT_TRUE(std::holds_alternative<ExploreRequest>(parse_explore_request(spelled, 8000)));
}

// Browsers leave HTTP's own port out.
TEST(ExploreRequest, NeedNotNamePort80) {
  const std::pair<const char*, bool> rows[] = {
      {"127.0.0.1", true},     {"localhost", true},   {"localhost:80", true}, {"localhost:81", false},
      {"evil.example", false}, {"localhost:", false}, {":80", false},         {"", false}};
  for (const auto& [host, is_own] : rows) {
    const auto read = parse_explore_request(fmt::format("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", host), 80);
    EXPECT_EQ(std::holds_alternative<ExploreRequest>(read), is_own) << host;
    EXPECT_TRUE(is_own || std::get<int>(read) == 403) << host;
  }
}

TEST(ExploreRequest, IsRefusedOtherwise) {
  const auto status = [](const std::string& head) {
    const auto read = parse_explore_request(head, 8000);
    return std::holds_alternative<int>(read) ? std::get<int>(read) : 200;
  };
  const std::pair<std::string, int> rows[] = {
      {"", 400},
      {"GET / HTTP/1.1\r\n", 400},                                 // no end
      {"GET /" + kHost, 400},                                      // no version
      {"GET / HTTP/2" + kHost, 400},                               //
      {"GET  / HTTP/1.1" + kHost, 400},                            // two blanks
      {"POST / HTTP/1.1" + kHost, 405},                            //
      {"GET /etc/passwd HTTP/1.1" + kHost, 404},                   //
      {"GET http://other/ HTTP/1.1" + kHost, 404},                 //
      {"GET / HTTP/1.1\r\n\r\n", 403},                             // no host
      {"GET / HTTP/1.1\r\nHost: evil.example:8000\r\n\r\n", 403},  // a name of another site
      {"GET / HTTP/1.1\r\nHost: 127.0.0.1:8001\r\n\r\n", 403},     // another port
      {"GET / HTTP/1.1\r\nHost: 127.0.0.1:8000" + kHost, 403},     // two hosts
      {"GET /?layout=%5 HTTP/1.1" + kHost, 400},                   // broken escapes
      {"GET /?layout=%zz HTTP/1.1" + kHost, 400},                  //
      {"GET /?layout=%00 HTTP/1.1" + kHost, 400},                  //
      {std::string("GET /?layout=\0 HTTP/1.1", 23) + kHost, 400},  //
      {"GET /?layout=" + std::string(kMostOfRequest, 'a') + " HTTP/1.1" + kHost, 400}};
  for (const auto& [head, expected] : rows) EXPECT_EQ(status(head), expected) << head.substr(0, 60);
}

// Browsers name the site of the page that asks (Fetch Metadata, W3C): only a link that a person opens may come from
// another one.
TEST(ExploreRequest, OfAnotherSiteIsRefusedUnlessALinkIsOpened) {
  struct Row {
    const char* headers;
    bool answered;
  };
  const Row rows[] = {{"Sec-Fetch-Site: none", true},
                      {"sec-fetch-site:same-origin", true},
                      {"Sec-Fetch-Site: cross-site", false},
                      {"Sec-Fetch-Site: same-site", false},
                      {"Sec-Fetch-Site: ", false},
                      {"Sec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site", false},
                      {"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: image", false},
                      {"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: iframe", false},
                      {"Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Dest: iframe", false},
                      {"Sec-Fetch-Dest: document\r\nSec-Fetch-Site: cross-site", true}};
  for (const auto& [headers, answered] : rows) {
    const auto read = parse_explore_request(fmt::format("GET / HTTP/1.1\r\n{}{}", headers, kHost), 8000);
    EXPECT_EQ(std::holds_alternative<ExploreRequest>(read), answered) << headers;
    EXPECT_TRUE(answered || std::get<int>(read) == 403) << headers;
  }
}

// A connection to the program's port.
int connected(int port) {
  const int to = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(to, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return to;
}

// What the program answers on its port.
std::string answered(int port, const std::string& request) {
  const int to = connected(port);
  std::string out;
  if (::send(to, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    char buffer[4096];
    for (ssize_t read = 0; (read = ::recv(to, buffer, sizeof buffer, 0)) > 0;)
      out.append(buffer, static_cast<std::size_t>(read));
  }
  ::close(to);
  return out;
}

TEST(Explore, ServesThePageOfALayoutUntilItIsToldToEnd) {
  const test::Folder folder;
  const pid_t child = test::start(test::program("verify-layout"), {"explore"}, folder.at("out"), folder.at("err"));
  std::string said;
  int status = 0;
  while ((said = test::read_text(folder.at("out"))).find('\n') == std::string::npos) {
    ASSERT_EQ(::waitpid(child, &status, WNOHANG), 0) << "it ended: " << test::read_text(folder.at("err"));
    std::this_thread::yield();
  }
  const int port = std::stoi("0" + said.substr(std::min(said.size(), said.find("0.1:") + 4)));
  const std::string host = " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
  const std::string page = answered(port, "GET /?layout=S%5B(2,2):(1,1)%5D&tensor=u8%5B2,2%5D" + host);
  EXPECT_EQ(page.rfind("HTTP/1.1 200 OK\r\n", 0), 0U) << said;
  EXPECT_NE(page.find("refuted     injective"), std::string::npos);
  EXPECT_NE(page.find("id=\"grid0\""), std::string::npos);
  EXPECT_NE(answered(port, "GET /" + host).find("as its own system prints"), std::string::npos);
  EXPECT_NE(answered(port, "GET /?layout=S%5B8&tensor=u8%5B8%5D" + host).find("role=\"alert\""), std::string::npos);
  EXPECT_EQ(answered(port, "nonsense\r\n\r\n").rfind("HTTP/1.1 400 ", 0), 0U);
  for (const char* header : {"frame-ancestors 'none'", "Content-Security-Policy: default-src 'none';", "no-store"})
    EXPECT_NE(page.substr(0, page.find("\r\n\r\n")).find(header), std::string::npos) << header;
  // Clients that send a byte at a time keep no other one waiting, and are refused although they go on.
  std::vector<int> slow;
  for (int i = 0; i < 4; ++i) slow.push_back(connected(port));
  const auto drip = [&] {
    for (const int one : slow) ::send(one, "G", 1, MSG_NOSIGNAL);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  std::atomic<bool> is_answered = false;
  std::thread dripping([&] {
    while (!is_answered) drip();
  });
  EXPECT_EQ(answered(port, "GET /" + host).rfind("HTTP/1.1 200 OK\r\n", 0), 0U);
  is_answered = true;
  dripping.join();
  for (const int one : slow) {
    char byte = 0;
    while (::recv(one, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN) drip();
    ::close(one);
  }
  ::kill(child, SIGTERM);
  ::waitpid(child, &status, 0);
  EXPECT_EQ(test::ended_with(status), 0);
}

}  // namespace cli_explore_test
}  // namespace vl::cli
