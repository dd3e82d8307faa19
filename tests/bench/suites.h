// The suites of benchmarks, one function per file. Each one registers calls or adds rows, and only does work that a
// selected row needs.
#pragma once

#include <string>

#include "tests/bench/rows.h"

namespace vl::bench {

/// verdict/<claim>/<family>-<layout>[/<engine>]: one decision, also by each engine alone. read/…, synthesise/….
void register_verdicts(Rows& rows);
/// verdict/<claim>/<family>-<layout>/x1, x10, x1000, x1000000: the same decision with one extent so many times larger.
void register_growth(Rows& rows);
/// verdict/accepts/tensormap, verdict/carries/tile: …/decision alone; …/answer: with texts and certificate;
/// …/all-sizes: the same of names.
void register_descriptors(Rows& rows);
/// verdict/<claim>/all-sizes/<rule>/cells: the engine's proof for all sizes; …/cells-of-all-lanes: with a name for the
/// number of lanes; …/checker: the checker's; …/answer: both, and instances that are read and decided.
void register_all_sizes(Rows& rows);
/// verdict/all-sizes/corpus/cells: the engine alone on every claim about all sizes in corpus/; …/answer: with the
/// instances that confirm it.
void add_all_sizes_corpus(Rows& rows);
/// cold-start, cold-start/version: from the start of a process of `program` to its end; cold-start/nothing: of one that
/// does nothing.
void register_processes(Rows& rows, const std::string& program);
/// verdict/<claim>/<family>/corpus, verdict/all/corpus, verdict/by-engine/<engine>: every case of corpus/. Prints the
/// slowest.
void add_corpus(Rows& rows);
/// certificate/make/<claim>/<family>, certificate/check/<form>, certificate/size/<form>, and shares:
/// certificate/checked/… of the proofs that have one, certificate/check-faster-than-found of those that are checked in
/// less time than deciding and making took.
void add_certificates(Rows& rows);
/// peer/<library>/<question>: what other libraries take for a question, and peer/verify-layout/<question> what we do.
void register_peers(Rows& rows);
void add_peers(Rows& rows);

/// scan/<text>: layouts looked for in a log of 200 MB; scan/grep/<text>: `grep -c` of one word over it.
void add_scan(Rows& rows);
/// exec/<work>/…: the executor against copies of as many bytes; exec/small, exec/plan, exec/definition, exec/threads.
/// False if a result was not what a naive loop leaves. What has no plan has no row; why is said on stderr.
[[nodiscard]] bool add_executor(Rows& rows);
/// exec/small/<case>/python, python-many, python-to-numpy, and peer/numpy/small/<case>: the same from Python, through
/// the shared library at this path.
void add_small_calls(Rows& rows, const std::string& library);
/// fuzz/cases-per-second/<family>/definition-…: campaigns of `program`.
void add_fuzz(Rows& rows, const std::string& program);
/// peer/<library>/<work>/…: other libraries at the executor's work.
void add_exec_peers(Rows& rows);

}  // namespace vl::bench
