// What `check` is asked: cases of files, layouts and descriptors of texts, or those of the command line.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "verifier/cli/commands.h"

namespace vl::cli {

using Loaded = std::vector<session::Work>;

/// The claims of the command line, without their nests; or the error.
[[nodiscard]] std::variant<std::vector<session::ClaimRequest>, std::string> claims_of(const CheckArguments& arguments);

/// The descriptors of --transfer, and their target.
[[nodiscard]] std::shared_ptr<const session::TransferRequest> transfer_of(const CheckArguments& arguments);

/// All files and folders; `otherwise` is asked of the layouts in texts.
[[nodiscard]] Loaded load_files(const CheckArguments& arguments, const std::vector<use::Definition>& definitions,
                                const session::CaseRequest& otherwise);
/// The layout of the command line; or a diagnostic, if an option or the file of nests cannot be read.
[[nodiscard]] Loaded load_layout(const CheckArguments& arguments, std::variant<session::CaseRequest, Diagnostic> asked,
                                 const std::vector<use::Definition>& definitions,
                                 std::vector<session::ClaimRequest> claims);
/// --transfer alone.
[[nodiscard]] Loaded load_transfers(const CheckArguments& arguments, const std::vector<use::Definition>& definitions,
                                    std::vector<session::ClaimRequest> claims);
/// A case that is nothing but what is wrong with the options.
[[nodiscard]] Loaded failed_to_load(const CheckArguments& arguments, Diagnostic diagnostic);

}  // namespace vl::cli
