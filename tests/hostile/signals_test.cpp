// Signals at random moments: whatever the moment, each file is whole or as before, and the next run goes on.
#include <random>

#include "tests/hostile/table.h"

namespace vl::test::hostile {
namespace signals_test {

constexpr int kMoments = kSanitized ? 2 : 12;  // per signal and command

// Moments within `whole` seconds, and a little behind it; the same in every run.
class Moments {
 public:
  explicit Moments(double whole) : whole_(whole) {}
  double next() { return whole_ * 1.1 * static_cast<double>(random_() >> 11) / 9007199254740992.0; }

 private:
  std::mt19937_64 random_{20261123};
  double whole_;
};

struct Peace {
  Ended ended;
  double seconds = 0;
};

Peace in_peace(const Words& words) {
  const auto start = std::chrono::steady_clock::now();
  Peace out{attacked(words)};
  EXPECT_TRUE(out.ended.well()) << told(words, out.ended);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

auto lines_of(const std::string& text) { return std::ranges::count(text, '\n'); }

// Runs the command with a signal at each moment. `look` is asked after each one.
template <class Words_, class Look>
void tell(const Words_& words, Look look) {
  const Peace peace = in_peace(words(Folder().path()));
  Moments moments(peace.seconds);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGKILL}) {
    for (int i = 0; i < kMoments; ++i) {
      const Folder folder;
      Surroundings where;
      where.signal = signal;
      where.after = moments.next();
      const Ended ended = attacked(words(folder.path()), where);
      EXPECT_TRUE(ended.well() || ended.code == -signal) << told(words(folder.path()), ended);
      const bool is_told = signal == SIGTERM || signal == SIGINT;  // the others end it at once
      const bool whole = ended.out.empty() || lines_of(ended.out) == lines_of(peace.ended.out);
      EXPECT_TRUE(!is_told || ended.code != -signal || whole) << "a report that is cut off\n"
                                                              << told(words(folder.path()), ended);
      look(folder, signal);
    }
  }
}

bool is_leftover(const std::string& name) {
  const std::string file = name.substr(name.rfind('/') + 1);
  return file.starts_with(".verify-layout-") && file.ends_with(".tmp");
}

TEST(HostileSignals, ACampaignGoesOnWithTheSameBytes) {
  const auto words = [](const std::string& out) {
    return Words{"fuzz", "--family", "tirx", "--seed", "22", "--count", kSanitized ? "2000" : "30000", "--out", out};
  };
  const Folder peace;
  ASSERT_EQ(attacked(words(peace.path())).code, 0);
  const Content want = peace.content();
  tell(words, [&](const Folder& folder, int signal) {
    for (const auto& [name, content] : folder.content()) {
      const bool ended_at_once = signal == SIGKILL || signal == SIGHUP;
      if (ended_at_once && (is_leftover(name) || name == "tirx-22.json.lock")) continue;
      EXPECT_EQ(name, "tirx-22.json");
      const Ended merged = attacked({"fuzz", "--merge", folder.at(name)});
      EXPECT_EQ(merged.code, 0) << told({name, content}, merged);
    }
    const Ended again = attacked(words(folder.path()));
    EXPECT_EQ(again.code, 0) << told({}, again);
    EXPECT_TRUE(folder.content() == want) << difference({}, want, folder.content());
  });
}

TEST(HostileSignals, AnOutputOfExecIsWholeOrNotThere) {
  const Folder from;
  const std::string bytes(kSanitized ? 4 << 20 : 32 << 20, '\x33'), size = std::to_string(bytes.size());
  const std::string in = from.file("in.bin", bytes);
  const auto words = [&](const std::string& out) {
    return Words{"exec", "pack", "--layout", "S[" + size + ":1]", "--tensor", "u8[" + size + "]",
                 "--in", in,     "--out",    out + "/out.bin"};
  };
  tell(words, [&](const Folder& folder, int signal) {
    for (const auto& [name, content] : folder.content()) {
      const bool right = is_leftover(name) ? signal == SIGKILL : name == "out.bin" && content == bytes;
      EXPECT_TRUE(right) << name << " of " << content.size() << " bytes after signal " << signal;
    }
  });
}

TEST(HostileSignals, CertificatesAndReportsAreWholeOrNotThere) {
  const std::string cases = std::string(VL_SOURCE_DIR) + "/corpus/seeds/000-transfers.toml";
  const auto words = [&](const std::string& out) {
    return Words{"check",  cases, "--certificates", out + "/proofs", "--output", "jsonl=" + out + "/all.jsonl",
                 "--jobs", "2"};
  };
  tell(words, [&](const Folder& folder, int signal) {
    Words proofs{"cert"};
    for (const auto& [name, content] : folder.content()) {
      if (content == "/" || (signal == SIGKILL && is_leftover(name))) continue;
      if (name.ends_with(".json")) proofs.push_back(folder.at(name));
      const bool whole = content.find("\"kind\":\"summary\"") != std::string::npos;
      const bool is_told = signal == SIGTERM || signal == SIGINT;
      EXPECT_TRUE(whole || name.ends_with(".json") || !is_told) << "a report that is cut off";
    }
    if (proofs.size() == 1) return;
    const Ended ended = attacked(proofs);
    EXPECT_EQ(ended.code, 0) << told({}, ended);
  });
}

}  // namespace signals_test
}  // namespace vl::test::hostile
