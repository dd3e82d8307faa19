// verify-layout-cert: certificates of every kind.
#include "verifier/checker/program.h"
#include "verifier/values_kernel/check.h"

int main(int count, char** arguments) {
  return vl::checker::run_program("verify-layout-cert", count, arguments, vl::values_kernel::show_claim);
}
