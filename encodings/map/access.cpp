#include "encodings/map/access.h"

namespace vl::map {

Result<Access> parse_access(std::string_view) { return Error{ErrorCode::Syntax, "accesses are not read yet", 0}; }

}  // namespace vl::map
