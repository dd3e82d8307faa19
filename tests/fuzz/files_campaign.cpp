// Campaigns and their files: one process works on a range's file, and the others say which one. Processes that are
// killed, a disk that is full, and files from which nothing comes leave every file whole, and end with a reason.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "encodings/base/files.h"
#include "oracle/fuzz/campaign.h"
#include "oracle/fuzz/range_lock.h"
#include "tests/support/process.h"

namespace vl::test {
namespace fuzz_files_campaign {

using namespace oracle;
using Files = std::map<std::string, std::string>;

CampaignOptions campaign(std::uint64_t groups, std::string folder = {}) {
  CampaignOptions out;
  out.family = "spyre";
  out.seed = 7;
  out.count = groups * kGroup;
  out.folder = std::move(folder);
  return out;
}

// The arguments of the program for the same.
std::vector<std::string> words_of(const CampaignOptions& options) {
  return {"fuzz",
          "--family",
          options.family,
          "--seed",
          std::to_string(options.seed),
          "--count",
          std::to_string(options.count),
          "--shard",
          fmt::format("{}/{}", options.shard, options.shards),
          "--out",
          options.folder};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// ---- One process per file

TEST(RangeLock, HasOneOwnerWhoseNumberTheNextOneTells) {
  const Folder folder;
  const CampaignOptions options = campaign(2, folder.path());
  {
    const auto lock = RangeLock::take(folder.at(file_name(options)));
    ASSERT_TRUE(lock.has_value()) << lock.error().message;
    const Ran second = verify_layout(words_of(options));
    EXPECT_EQ(second.code, 2);
    EXPECT_EQ(second.out, "");
    EXPECT_TRUE(
        has(second.err, fmt::format("{}: process {} works on this range", folder.at(file_name(options)), ::getpid())))
        << second.err;
    EXPECT_FALSE(run_campaign(options).has_value()) << "nor does a second thread";
    EXPECT_EQ(folder.content().size(), 1U) << "the lock";
    CampaignOptions other = options;
    other.seed = 8;
    EXPECT_TRUE(run_campaign(other).has_value()) << "another range of the folder";
  }
  EXPECT_EQ(verify_layout(words_of(options)).code, 0);
  EXPECT_EQ(folder.content().size(), 2U) << "two results";
}

TEST(RangeLock, OfAKilledProcessIsFreeAndOneThatIsNotNumberedIsHeld) {
  const Folder folder;
  const std::string path = folder.at("a");
  write_text(path + ".lock", "123456789\n");
  { EXPECT_TRUE(RangeLock::take(path).has_value()); }
  EXPECT_TRUE(folder.content().empty());
  const auto lock = RangeLock::take(path);
  ASSERT_TRUE(lock.has_value());
  for (const char* content : {"", "-1\n", "%s", "\x1b[2J"}) {
    write_text(path + ".lock", content);
    const auto second = RangeLock::take(path);
    ASSERT_FALSE(second.has_value());
    EXPECT_TRUE(has(second.error().message, ": another process works")) << second.error().message;
  }
}

TEST(RangeLock, CannotBeTakenWhereNothingCanBeWritten) {
  const Folder folder;
  std::filesystem::create_symlink("/nowhere/a", folder.at("a.lock"));
  const auto lock = RangeLock::take(folder.at("a"));
  ASSERT_FALSE(lock.has_value());
  EXPECT_TRUE(has(lock.error().message, "a.lock: cannot be opened: ")) << lock.error().message;
  folder.file("file", "");
  const auto result = run_campaign(campaign(1, folder.at("file/folder")));
  ASSERT_FALSE(result.has_value());
  EXPECT_TRUE(has(result.error().message, "Not a directory")) << result.error().message;
}

// Threads take it and give it back a hundred times; no two have it at the same time.
TEST(RangeLock, IsNeverHeldTwice) {
  const Folder folder;
  const std::string path = folder.at("a");
  std::atomic<int> owners = 0;
  const auto take_and_give_back = [&] {
    for (int taken = 0; taken < 100; std::this_thread::yield()) {
      const auto lock = RangeLock::take(path);
      if (!lock) continue;
      EXPECT_EQ(++owners, 1);
      ++taken;
      --owners;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < 4; ++k) threads.emplace_back(take_and_give_back);
  }
  EXPECT_TRUE(folder.content().empty());
}

// ---- Files from which nothing comes, and a disk on which nothing stays

TEST(CampaignFiles, ThatNeverEndAreNotWaitedFor) {
  const Folder folder;
  const CampaignOptions options = campaign(2, folder.path());
  const std::string path = folder.at(file_name(options));
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto timed = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"-s", "KILL", "600", program("verify-layout")});
    return run("/usr/bin/timeout", words);
  };
  for (const Ran& ran : {timed({"fuzz", "--merge", path}), timed(words_of(options))}) {
    EXPECT_EQ(ran.code, 2);
    EXPECT_TRUE(has(ran.err, path) && has(ran.err, "nobody writes to this pipe")) << ran.err;
  }
  EXPECT_TRUE(has(timed({"fuzz", "--merge", "/dev/zero"}).err, "/dev/zero: is neither a file nor a pipe"));
  EXPECT_TRUE(has(timed({"fuzz", "--merge", folder.path()}).err, "is a folder"));
  EXPECT_TRUE(has(timed({"fuzz", "--merge", folder.at("none")}).err, "No such file"));
}

TEST(CampaignFiles, AreReadWhileTheyAreReplaced) {
  const Folder folder;
  const std::string path = folder.at("a"), text = to_text(run_campaign(campaign(1))->record);
  ASSERT_FALSE(write_whole(path, text));
  std::atomic<bool> over = false;
  std::jthread writer([&] {
    for (int turn = 0; turn < 3000; ++turn) EXPECT_FALSE(write_whole(path, text, {.sync = false}));
    over = true;
  });
  int read = 0;
  for (; !over || read == 0; ++read) {
    const auto record = read_record(path);
    ASSERT_TRUE(record.has_value()) << record.error().message;
  }
  EXPECT_GT(read, 100);
}

// In a file system of four pages of its own, with so many of them taken.
TEST(CampaignFiles, OnAFullDiskTellTheReason) {
  const Folder folder;
  const auto with_pages = [&](int pages, const std::string& then) {
    const std::string script =
        fmt::format("mount -t tmpfs -o size=16k none {0} && head -c {1} /dev/zero > {0}/taken && {2}", folder.path(),
                    pages * 4096, then);
    return run("/usr/bin/unshare", {"-rm", "/bin/sh", "-c", script});
  };
  if (const Ran ran = with_pages(4, "true"); ran.code != 0) GTEST_SKIP() << "no file system of its own: " << ran.err;
  const std::string fuzz =
      fmt::format("{} {}", program("verify-layout"), fmt::join(words_of(campaign(2, folder.path())), " "));
  for (const int pages : {4, 3}) {  // of which the lock takes one
    const Ran ran = with_pages(pages, fuzz + fmt::format("; code=$?; ls -A {} && exit $code", folder.path()));
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "taken\n") << "nothing else is there";
    EXPECT_TRUE(has(ran.err, "cannot be written: No space left on device")) << ran.err;
  }
  EXPECT_EQ(with_pages(0, fuzz).code, 0);
}

// Without /proc, temporaries have names from the start, and each process removes those that it takes for leftovers.
TEST(CampaignFiles, OfManyRangesOfAFolderAreNoLeftovers) {
  const Folder folder;
  const std::string slow =
      "/usr/bin/strace -D -f --seccomp-bpf -qq -o /dev/null -e trace=flock "
      "-e inject=flock:delay_enter=3000 ";
  if (const Ran ran =
          run("/usr/bin/unshare", {"-rm", "/bin/sh", "-c", "mount -t tmpfs none /proc && " + slow + "true"});
      ran.code != 0)
    GTEST_SKIP() << "no surroundings of its own, or no strace: " << ran.err;
  const std::string each =
      fmt::format("{} {} fuzz --family spyre --seed $seed --count 6400 --out {} >/dev/null || echo $seed", slow,
                  program("verify-layout"), folder.path());
  const std::string program_folder = std::filesystem::path(program("verify-layout")).parent_path();
  const std::string all = "export LD_ORIGIN_PATH='" + program_folder +  // the loader asks /proc for $ORIGIN
                          "'; mount -t tmpfs none /proc; for seed in $(seq 1 30); do (" + each + ") & done; wait";
  const Ran ran = run("/usr/bin/unshare", {"-rm", "/bin/sh", "-c", all});
  EXPECT_EQ(ran.out, "") << ran.err;
  EXPECT_EQ(folder.content().size(), 30U);
}

// ---- A hundred processes

struct Child {
  pid_t process;
  CampaignOptions options;
  std::string err;
};

// Campaigns of the same folder, as processes at the same time, of which many are killed.
class Crowd {
 public:
  static constexpr std::uint64_t kAtOnce = 100;
  static constexpr int kKills = 50;

  Crowd(std::vector<std::string> command, const CampaignOptions& options)
      : command_(std::move(command)), options_(options) {}
  ~Crowd() {
    for (const Child& child : alive_) ::kill(child.process, SIGKILL), ::waitpid(child.process, nullptr, 0);
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // kAtOnce at once. Of those who work on a file kKills are killed, one after the other, and each is replaced.
  void run() {
    for (std::uint64_t k = 0; k < kAtOnce; ++k) start_one(k % options_.shards);
    for (int turn = 0; !alive_.empty(); ++turn) {
      ASSERT_LT(turn, 30'000) << "after ten minutes " << killed_ << " of " << kKills << " were killed";
      if (killed_ < kKills) kill_one();
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % 40000));
      for (Child& child : std::exchange(alive_, {})) {
        int status = 0;
        if (::waitpid(child.process, &status, WNOHANG) == 0) alive_.push_back(std::move(child));
        else look_at(child, ended_with(status));
      }
      look_at_files();
    }
  }
  [[nodiscard]] int refused() const { return refused_; }
  [[nodiscard]] int killed() const { return killed_; }

 private:
  void start_one(std::uint64_t shard) {
    Child child{0, options_, errors_.at(std::to_string(started_++))};
    child.options.shard = shard;
    std::vector<std::string> words{command_.begin() + 1, command_.end()};
    std::ranges::copy(words_of(child.options), std::back_inserter(words));
    child.process = start(command_.front(), words, "/dev/null", child.err);
    alive_.push_back(std::move(child));
  }
  // One whose number is in a lock.
  void kill_one() {
    CampaignOptions options = options_;
    options.shard = random_() % options.shards;
    const std::string number = read_text(options.folder + "/" + file_name(options) + ".lock");
    for (const Child& child : alive_)
      if (number == fmt::format("{}\n", child.process)) ::kill(child.process, SIGKILL);
  }
  void look_at(const Child& child, int code) {
    const std::string err = read_text(child.err);
    if (code == 2 && has(err, "works on this range")) {
      ++refused_;
      return;
    }
    if (code == -SIGKILL) {
      ++killed_;
    } else {
      EXPECT_EQ(code, 0) << err;
      const auto record = read_record(child.options.folder + "/" + file_name(child.options));
      EXPECT_TRUE(record.has_value() && record->to == range_of(child.options).second) << "its file is not complete";
    }
    if (killed_ < kKills) start_one(child.options.shard);
  }
  void look_at_files() {
    CampaignOptions options = options_;
    for (options.shard = 0; options.shard < options.shards; ++options.shard) {
      const std::string path = options.folder + "/" + file_name(options);
      if (!std::filesystem::exists(path)) continue;
      const auto record = read_record(path);
      EXPECT_TRUE(record.has_value()) << record.error().message;
    }
  }

  std::vector<std::string> command_;
  CampaignOptions options_;
  Folder errors_;
  std::vector<Child> alive_;
  std::mt19937_64 random_{2026};
  int started_ = 0, killed_ = 0, refused_ = 0;
};

// The files of all shards, when every process has ended, are those of campaigns that nothing disturbed.
void expect_an_undisturbed_end(CampaignOptions options) {
  const auto want = run_campaign(campaign(options.count / kGroup));
  ASSERT_TRUE(want.has_value());
  std::vector<Record> records;
  std::vector<std::string> names;
  for (options.shard = 0; options.shard < options.shards; ++options.shard) {
    const Ran ran = verify_layout(words_of(options));  // if the last one of its shard was killed
    EXPECT_EQ(ran.code, 0) << ran.err;
    auto record = read_record(options.folder + "/" + file_name(options));
    ASSERT_TRUE(record.has_value()) << record.error().message;
    records.push_back(std::move(*record));
    names.push_back(file_name(options));
  }
  const auto merged = merge(records);
  ASSERT_TRUE(merged.has_value() && merged->size() == 1);
  EXPECT_EQ(to_text(merged->front()), to_text(want->record));
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(options.folder))
    left.push_back(entry.path().filename().string());
  std::ranges::sort(left);
  EXPECT_EQ(left, names) << "nothing else is left";
}

TEST(CampaignFiles, StayWholeWhenAHundredProcessesWriteThemAndFiftyAreKilled) {
  const Folder folder;
  CampaignOptions options = campaign(6000, folder.path());
  options.shards = 3;
  Crowd crowd({program("verify-layout")}, options);
  crowd.run();
  EXPECT_GE(crowd.killed(), Crowd::kKills);
  EXPECT_GT(crowd.refused(), 0);
  expect_an_undisturbed_end(options);
}

// The same with every rename as slow as a turn: so most processes are killed just before one.
TEST(CampaignFiles, StayWholeWhenTheirRenamesAreSlow) {
  const Folder folder;
  const std::string names = "?link,?linkat,?rename,?renameat,?renameat2";
  const std::vector<std::string> slow = {"/usr/bin/strace",
                                         "-D",
                                         "-f",
                                         "--seccomp-bpf",
                                         "-qq",
                                         "-o",
                                         "/dev/null",
                                         "-e",
                                         "trace=" + names,
                                         "-e",
                                         "inject=" + names + ":delay_enter=30000"};
  if (!std::filesystem::exists(slow.front())) GTEST_SKIP() << "there is no " << slow.front();
  std::vector<std::string> probe{slow.begin() + 1, slow.end()};
  probe.emplace_back("/bin/true");
  if (const Ran ran = test::run(slow.front(), probe); ran.code != 0) GTEST_SKIP() << "strace fails here: " << ran.err;
  CampaignOptions options = campaign(3000, folder.path());
  options.shards = 3;
  std::vector<std::string> command = slow;
  command.push_back(program("verify-layout"));
  Crowd crowd(command, options);
  crowd.run();
  EXPECT_GE(crowd.killed(), Crowd::kKills);
  EXPECT_GT(crowd.refused(), 0);
  expect_an_undisturbed_end(options);
}

}  // namespace fuzz_files_campaign
}  // namespace vl::test
