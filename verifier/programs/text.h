// A user's text and the functions that were read of it, which their cases share.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "encodings/base/source.h"
#include "encodings/notation/mlir.h"
#include "encodings/program/function.h"
#include "verifier/checker/certificate.h"
#include "verifier/programs/outputs.h"
#include "verifier/question/record.h"

namespace vl::programs {

struct Text {
  Text(std::string named, std::string at, Document of, program::Options with)
      : file(std::move(named)), path(std::move(at)), document(std::move(of)), options(std::move(with)) {}

  std::string file;
  std::string path;  // of the file that is the text; empty: it is a part of one
  Document document;
  program::Options options;
  std::vector<mlir::Function> functions = {};
  std::optional<program::Modules> modules = {};

  void read_functions() {
    functions = program::functions_of(document.text());
    options.modules = &modules.emplace(functions);
  }
  [[nodiscard]] question::Place place(std::size_t offset) const {
    const Diagnostic found = locate(file, document, {ErrorCode::Value, "", offset});
    return {file, found.line, found.column};
  }
  [[nodiscard]] LineOf lines() const {
    return [this](std::size_t offset) { return place(offset).line; };
  }
  // Once for all functions of the text, which may be judged at the same time.
  [[nodiscard]] const std::string& digest() const {
    std::call_once(digested_, [this] { digest_ = checker::digest_of(document.text()); });
    return digest_;
  }

 private:
  mutable std::once_flag digested_;
  mutable std::string digest_;
};

}  // namespace vl::programs
