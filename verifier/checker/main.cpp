// verify-layout-cert-relations: whoever trusts it trusts nothing about values.
#include "verifier/checker/program.h"

int main(int count, char** arguments) {
  return vl::checker::run_program("verify-layout-cert-relations", count, arguments);
}
