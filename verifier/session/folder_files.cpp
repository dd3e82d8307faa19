#include "verifier/session/folder_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "encodings/base/files.h"
#include "verifier/session/gitignore.h"

namespace vl::session {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestGitignore = std::size_t{4} << 20;

// A .gitignore, and the part of a path that is its own folder: paths beneath it are compared without that.
struct Ignoring {
  Gitignore patterns;
  std::size_t prefix = 0;
};

class FolderWalk {
 public:
  explicit FolderWalk(FolderFiles& out) : out_(out) {}

  void run(const std::string& path) {
    const std::string base = enter_repository(path);
    walk(path == "." ? std::string() : path, base);
    std::ranges::sort(out_.files);
  }

 private:
  // Reads the .gitignore files of the folders around `path`, from the top of its repository down. Returns the path
  // from that top, with a slash at its end unless it is empty.
  std::string enter_repository(const std::string& path) {
    std::error_code code;
    const fs::path whole = fs::weakly_canonical(path, code);
    if (code) return {};
    std::vector<fs::path> around;  // the folder first
    for (fs::path at = whole;; at = at.parent_path()) {
      around.push_back(at);
      if (fs::exists(at / ".git", code)) break;
      if (at == at.parent_path()) return {};
    }
    std::string base;
    for (std::size_t i = around.size(); i-- > 1;) {
      take_gitignore(around[i] / ".gitignore", base.size());
      base += around[i - 1].filename().string() + "/";
    }
    return base;
  }

  void take_gitignore(const fs::path& file, std::size_t prefix) {
    std::error_code code;
    if (!fs::is_regular_file(fs::symlink_status(file, code))) return;
    auto text = read_whole(file.string(), kLargestGitignore);
    if (!text) return fail(file.string(), text.error().message);
    ignoring_.push_back({Gitignore::parse(*text), prefix});
  }

  [[nodiscard]] bool is_ignored(std::string_view path, bool is_folder) const {
    for (auto at = ignoring_.rbegin(); at != ignoring_.rend(); ++at)
      if (const auto said = at->patterns.ignores(path.substr(at->prefix), is_folder)) return *said;
    return false;
  }

  // `folder` as it is named in the output, empty for "."; `base` is its path from the top of the repository.
  void walk(const std::string& folder, const std::string& base) {
    const std::string shown = folder.empty() ? "." : folder;
    const std::size_t outer = ignoring_.size();
    take_gitignore(fs::path(shown) / ".gitignore", base.size());
    std::error_code code;
    std::vector<fs::directory_entry> entries;  // the folder is closed before the next one opens
    fs::directory_iterator entry(shown, code);
    for (; !code && entry != fs::directory_iterator(); entry.increment(code)) entries.push_back(*entry);
    if (code) fail(shown, "cannot be read: " + code.message());
    for (const fs::directory_entry& one : entries) {
      const std::string name = one.path().filename().string();
      if (name != ".git") take(folder.empty() ? name : (fs::path(folder) / name).string(), base + name, one);
    }
    ignoring_.resize(outer);
  }

  void take(const std::string& path, const std::string& from_top, const fs::directory_entry& entry) {
    std::error_code code;
    const fs::file_type type = entry.symlink_status(code).type();
    if (code) return fail(path, "cannot be read: " + code.message());
    const bool is_folder = type == fs::file_type::directory;
    if (is_ignored(from_top, is_folder)) ++out_.ignored;
    else if (is_folder) walk(path, from_top + "/");
    else if (type == fs::file_type::regular) out_.files.push_back(path);
    else if (type == fs::file_type::symlink) ++out_.links;
    else ++out_.special;
  }

  void fail(const std::string& path, std::string message) {
    out_.errors.push_back({path, 0, 0, std::move(message), {}, 0});
  }

  FolderFiles& out_;
  std::vector<Ignoring> ignoring_;  // of the folders around the one that is read, the outermost first
};

}  // namespace

FolderFiles files_beneath(const std::string& path) {
  FolderFiles out;
  std::error_code code;
  std::string clean = path;
  while (clean.size() > 1 && clean.ends_with('/')) clean.pop_back();
  while (clean.starts_with("./") && clean.size() > 2) clean.erase(0, clean.find_first_not_of('/', 1));
  const fs::file_type type = fs::status(clean, code).type();
  if (type == fs::file_type::directory) FolderWalk(out).run(clean);
  else if (type == fs::file_type::regular) out.files.push_back(clean);
  else
    out.errors.push_back({path,
                          0,
                          0,
                          type == fs::file_type::not_found ? "no such file or folder" : "neither a file nor a folder",
                          {},
                          0});
  return out;
}

}  // namespace vl::session
