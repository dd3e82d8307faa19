// A table of attacks: each row is a command in surroundings. It ends with one of the row's codes in its time, and the
// folder is as it was; only a row that ends with 0 may make its files, whole: as the same command makes them in peace.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/hostile/inputs.h"

namespace vl::test::hostile {

struct Row {
  std::string name;
  Words words;  // "@x" within a word is the path of the folder's file x
  std::vector<int> codes;
  Surroundings where = {};
  std::string says = {};  // what stands in its errors, if it did not end with 0
  Words makes = {};       // files, or folders of files
  bool keeps = false;     // it may leave them, whole, whatever its code is
};

/// The words with the folder's paths.
inline Words placed(const Folder& folder, Words words) {
  for (std::string& word : words)
    for (std::size_t at = word.find('@'); at != std::string::npos; at = word.find('@', at + 1))
      if (at == 0 || word[at - 1] == '=') word.replace(at, 1, folder.path() + "/");
  return words;
}

inline bool makes(const Row& row, const std::string& file) {
  for (const std::string& made : row.makes)
    if (file == made || file.starts_with(made + "/")) return true;
  return false;
}

/// What differs, but for what the row makes and folders that are new; for messages.
inline std::string difference(const Row& row, const Content& before, const Content& after) {
  std::string out;
  for (const auto& [name, content] : after) {
    const auto old = before.find(name);
    if (makes(row, name) || (content == "/" && old == before.end())) continue;
    if (old == before.end()) out += " new " + name + " of " + std::to_string(content.size()) + " bytes";
    else if (old->second != content) out += " changed " + name;
  }
  for (const auto& [name, content] : before)
    if (!after.contains(name)) out += " gone " + name;
  return out;
}

/// Runs one row. The same files are in every folder that `prepare` fills.
template <class Prepare>
void attack(const Row& row, const Prepare& prepare) {
  const Folder folder;
  prepare(folder);
  const Content before = folder.content();
  Surroundings where = row.where;
  for (std::string* path : {&where.in, &where.out, &where.err}) *path = placed(folder, {*path}).front();
  const Words words = placed(folder, row.words);
  const Ended ended = attacked(words, where);
  const Content after = folder.content();
  EXPECT_TRUE(std::ranges::count(row.codes, ended.code) == 1 && !ended.hung) << row.name << ": " << told(words, ended);
  if (ended.code != 0) {
    EXPECT_NE(ended.err.find(row.says), std::string::npos) << row.name << ": " << told(words, ended);
  }
  Row left = row;
  if (ended.code != 0 && !row.keeps) left.makes.clear();
  EXPECT_EQ(difference(left, before, after), "") << row.name << ": " << told(words, ended);
  if (after == before && ended.code != 0) return;
  const Folder peaceful;
  prepare(peaceful);
  ASSERT_EQ(attacked(placed(peaceful, row.words)).code, 0) << row.name;
  const Content want = peaceful.content();
  if (ended.code == 0) {
    EXPECT_TRUE(after == want) << row.name << ": not what is made in peace" << difference({}, want, after);
  }
  for (const auto& [name, content] : after) {
    if (content == "/") continue;
    const auto whole = want.find(name);
    EXPECT_TRUE(whole != want.end() && whole->second == content)
        << row.name << " left " << name << ", which is not whole";
  }
}

/// Runs the rows at the same time: rows that wait for something. All share one folder, to which none may write.
inline void attack_at_once(const Folder& folder, const std::vector<Row>& rows) {
  const Content before = folder.content();
  std::vector<std::unique_ptr<Attack>> running;
  for (const Row& row : rows)
    running.push_back(std::make_unique<Attack>(program("verify-layout"), placed(folder, row.words), row.where));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Ended ended = running[i]->wait();
    EXPECT_TRUE(std::ranges::count(rows[i].codes, ended.code) == 1 && !ended.hung)
        << rows[i].name << ": " << told(rows[i].words, ended);
    EXPECT_NE(ended.err.find(rows[i].says), std::string::npos) << rows[i].name << ": " << told(rows[i].words, ended);
  }
  EXPECT_EQ(difference({}, before, folder.content()), "");
}

}  // namespace vl::test::hostile
