#include "oracle/executor/pool.h"

namespace vl::oracle {

struct Pool::State {
  std::size_t threads = 1;
};

Pool::Pool(std::size_t threads) : state_(std::make_unique<State>(State{threads})) {}
Pool::~Pool() = default;

std::size_t Pool::threads() const { return state_->threads; }

void Pool::run(std::size_t slices, const std::function<void(std::size_t)>& work) {
  for (std::size_t slice = 0; slice < slices; ++slice) work(slice);
}

}  // namespace vl::oracle
