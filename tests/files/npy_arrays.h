// Arrays in files, read and written through tensor_file.h, and a folder for them.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "oracle/files/npy.h"
#include "oracle/files/tensor_file.h"

namespace vl::oracle {

using Kind = Dtype::Kind;

struct NpyArray {
  Dtype dtype;
  std::vector<Index> shape;
  std::vector<std::byte> data;

  bool operator==(const NpyArray&) const = default;
};

inline NpyArray copy(const ArrayView& view) { return {view.dtype, view.shape, {view.data.begin(), view.data.end()}}; }

inline Result<NpyArray> read_npy(const std::string& path) {
  const auto tensor = open_tensor({Place::Format::Npy, path, {}});
  if (!tensor) return tensor.error();
  return copy({tensor->dtype.value(), tensor->shape, tensor->data});
}

inline std::optional<Error> write_npy(const std::string& path, const NpyArray& array) {
  auto output = TensorOutput::create({Place::Format::Npy, path, {}}, array.dtype, array.shape);
  if (!output) return output.error();
  std::ranges::copy(array.data, output->data().begin());
  return output->commit();
}

inline std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder of its own for each test, removed with all it holds.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "vl-npy-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string operator/(std::string_view name) const { return fmt::format("{}/{}", path_, name); }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::string path_;
};

}  // namespace vl::oracle
