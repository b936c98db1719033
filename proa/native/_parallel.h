// Work that is shared between the caller and XLA's own threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "xla/ffi/api/ffi.h"

namespace proa {

// One job: `count` pieces, taken one after the other by whoever is free.
class Job {
 public:
  Job(int64_t count, void (*run)(void*, int64_t), void* work)
      : count_(count), run_(run), work_(work) {}

  // Runs pieces until none is left. A thread that comes late finds nothing and leaves.
  void Help() {
    int64_t done = 0;
    for (int64_t piece; (piece = next_.fetch_add(1)) < count_; ++done) run_(work_, piece);
    if (done == 0) return;
    if (finished_.fetch_add(done) + done != count_) return;
    std::lock_guard<std::mutex> lock(mutex_);
    all_.notify_all();
  }

  // Waits for pieces that other threads have begun; nobody waits for one that is queued, so
  // a pool whose threads all wait cannot come about.
  //
  // It looks a while before it sleeps: to be woken takes longer than most pieces do.
  void Wait() {
    for (int look = 0; look < kLooks; ++look) {
      if (finished_.load() == count_) return;
      Pause();
    }
    std::unique_lock<std::mutex> lock(mutex_);
    all_.wait(lock, [this] { return finished_.load() == count_; });
  }

 private:
  // About 30 microseconds.
  static constexpr int kLooks = 1500;

  static void Pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  const int64_t count_;
  void (*const run_)(void*, int64_t);
  void* const work_;
  std::atomic<int64_t> next_{0};
  std::mutex mutex_;
  std::condition_variable all_;
  std::atomic<int64_t> finished_{0};
};

// Calls work(piece) for 0 <= piece < count on the caller and the pool, and returns when all
// is done.
template <typename Work>
void Share(xla::ffi::ThreadPool& pool, int64_t count, Work&& work) {
  const int64_t threads = std::min<int64_t>(std::max<int64_t>(pool.num_threads(), 1), count);
  if (threads <= 1) {
    for (int64_t piece = 0; piece < count; ++piece) work(piece);
    return;
  }
  auto job = std::make_shared<Job>(
      count,
      +[](void* held, int64_t piece) { (*static_cast<std::remove_reference_t<Work>*>(held))(piece); },
      &work);
  for (int64_t thread = 1; thread < threads; ++thread) pool.Schedule([job] { job->Help(); });
  job->Help();
  job->Wait();
}

}  // namespace proa
