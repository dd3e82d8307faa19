// placeholder until the form of loop nests is merged
#pragma once
#include "verifier/certificate/checker/questions.h"
namespace vl::certificate::checker {
void check_nests(const std::string& claim, Fields& statement, Fields& evidence);
}
