// The state of a trial, which trial.cpp (the layout and its verdict) and trial_levels.cpp (one tensor by all levels)
// share.
#pragma once

#include "oracle/executor/pool.h"
#include "oracle/fuzz/census.h"
#include "oracle/fuzz/data.h"
#include "oracle/fuzz/levels.h"
#include "oracle/fuzz/trial.h"
#include "oracle/levels/levels.h"

namespace vl::oracle {

constexpr std::uint64_t kRefused = 0x7265667573656421U;  // the hash of a tensor that all levels refuse
constexpr std::uint64_t kDiffers = 0x6469666665727321U;  // of an image whose replicas differ

/// The source of one order, and the sizes of the memories in units.
struct Job {
  std::span<const std::byte> data;
  std::span<std::byte> source;
  std::span<const std::byte> fill;
  std::size_t shift = 0;  // of the memories behind a cache line's start
  std::size_t host = 0;
  std::size_t image = 0;
  std::size_t to = 0;
  bool garbled = false;  // one replica was changed
};

struct Trial::State {
  Subject subject;
  std::optional<Subject> companion;
  std::uint64_t companion_seed = 0;
  std::optional<map::Layout> layout;
  std::optional<map::Layout> other;  // the companion's
  std::optional<map::Layout> none;   // of the tensor without elements
  bool view = false;                 // the host's memory can be made
  Answered verdict = Answered::Unknown;
  std::optional<Mismatch> standing;                // about the layout, for all tensors
  std::optional<std::optional<Mismatch>> audited;  // the result of the audit, which runs for some tensors only
  std::optional<Census> census;

  Walks walks;
  Definition definition{walks};
  Levels facade;
  RowTables rows;
  Plans plans;
  Plans plans_of_none;
  std::optional<Pool> pool;  // for large tensors
  Memory from, by_plan, by_rows, by_definition;

  void open();
  void decide();
  const Census& truth();
  Pool* pool_for(std::size_t bytes) {
    if (bytes < (std::size_t{1} << 20)) return nullptr;
    if (!pool) pool.emplace(3);
    return &*pool;
  }
  bool executable() { return truth().missing == 0 && truth().collisions == 0; }
  std::optional<Mismatch> judge();
  void prepare_move();
  bool make_none();
  Outcome run(const Tensor& tensor, const TrialOptions& options);
  Outcome refused(const Tensor& tensor, const TrialOptions& options);
  Order order_of(const Tensor& tensor, const map::Layout& of);
  std::optional<Error> prepare(const Tensor& tensor, const Order& order, Job& job);
  void misplaced(const Order& order, Plans& with, const Error& error, Outcome& out);
  std::optional<Mismatch> by_elements(const Order& order, const Job& job);
  std::optional<Mismatch> by_facade(const Order& order, const Job& job);
  std::optional<Mismatch> by_plans(const Order& order, Plans& with, const Job& job, const Tensor& tensor,
                                   bool all_kernels, Outcome& out);
  Outcome executed(const Tensor& tensor, const TrialOptions& options, const map::Layout& of, Plans& with);
  std::optional<Mismatch> by_kernels(const Order& order, Plans& with, const Job& job, const KernelSet& set,
                                     Outcome& out);
  std::optional<Mismatch> round_trip(const Order& packed, Plans& with, const Job& job, const KernelSet& set,
                                     Outcome& out);
};

}  // namespace vl::oracle
