// verify-layout: what it does is in program.h, which a test can call, too.
#include "oracle/cli/program.h"

int main(int argc, char** argv) { return vl::cli::program(argc, argv); }
