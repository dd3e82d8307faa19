// placeholder until the form of accesses is merged
#pragma once
#include "verifier/certificate/checker/questions.h"
namespace vl::certificate::checker {
void check_access(const std::string& claim, Fields& statement, Fields& evidence);
}
