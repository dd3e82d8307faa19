#include "oracle/cli/program.h"

int main(int argc, char** argv) { return vl::cli::program(argc, argv); }
