// The buffers of a kernel of Torch-Spyre: which value lies at which place now. A place is a space and its bytes from an
// offset on; the same offset is another buffer later. What is written over is gone.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "encodings/notation/mlir.h"
#include "encodings/program/opspec_text.h"

namespace vl::program {

class SpecMemory {
 public:
  /// The value that is read there, or why it is not known: then the value is one that no operation makes. A place that
  /// nothing wrote before is an argument of the kernel, which is added to `arguments`.
  [[nodiscard]] std::string read(const SpecTensor& tensor, std::vector<mlir::Argument>& arguments, std::string& why);
  /// A name for what is written there; all else of these bytes is gone.
  [[nodiscard]] std::string write(const SpecTensor& tensor);
  /// Anything may have been written.
  void forget(std::string_view writer);
  /// What lies at the place of a tensor, and when it was written: 0 where it was not. Null where it is not known.
  [[nodiscard]] const SpecTensor* find(const SpecTensor& tensor) const;
  [[nodiscard]] std::size_t written(const SpecTensor& tensor) const;
  [[nodiscard]] std::size_t now() const { return time_; }
  /// Whether two tensors take the same bytes, or some of them.
  [[nodiscard]] static bool meet(const SpecTensor& a, const SpecTensor& b);
  /// The rounds of a loop, which wrote this, are over: of what each of them wrote at the same place only the last part
  /// is left, and of what they wrote one after the other nothing is known where another write meets it.
  void leave(int loop, const std::vector<SpecTensor>& writes);
  /// What the kernel leaves behind, in the order in which it was written: what has a number of an argument, and what is
  /// not read again. What is gone is a value that no operation makes.
  [[nodiscard]] std::vector<std::string> left() const;

 private:
  using Place = std::pair<std::string, Index>;
  struct Buffer {
    SpecTensor tensor;
    std::string value;
    std::size_t written = 0;  // when; 0: it was not
    bool is_read = false;     // since then
  };

  [[nodiscard]] static Place place_of(const SpecTensor& tensor);
  [[nodiscard]] static Index end_of(const SpecTensor& tensor);
  // The first buffer that takes bytes of it.
  [[nodiscard]] std::map<Place, Buffer>::iterator meeting(const SpecTensor& tensor);
  [[nodiscard]] std::string name_of(const SpecTensor& tensor);
  void lose(const Buffer& buffer);
  void add_gone(Place from, Index to);

  std::map<Place, Buffer> buffers_;  // no two of which meet
  std::map<Place, Index> gone_;      // ends of bytes that were buffers which other ones have met: parts may be left
  std::map<std::string, int> taken_;
  std::map<std::size_t, std::string> lost_;  // by when it was written
  std::string writer_;                       // of what may have been written anywhere
  std::size_t time_ = 0;
};

}  // namespace vl::program
