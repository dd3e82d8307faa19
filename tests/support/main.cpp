// The main() of every test program. A test program is also verify-layout where that starts itself again: as the child
// that runs a solver, or that calls a library.
#include <gtest/gtest.h>

#include <string_view>

#include "encodings/smt/solver.h"
#include "oracle/cli/program.h"
#include "oracle/gate/library_host.h"

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == vl::smt::kWorker || first == vl::gate::kLibraryHost) return vl::cli::program(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
