// Kernels of clusters and bulk copies in CUDA C++. nvcc 13.0 makes cooperating.ptx of it, by -std=c++17 -arch=compute_90 -ptx.
#include <cooperative_groups.h>
#include <cuda/ptx>
#include <cuda/std/cstdint>

namespace groups = cooperative_groups;
namespace ptx = cuda::ptx;

// Count values in bins, whose parts lie in the blocks of a cluster.
extern "C" __global__ void __cluster_dims__(4) spread(unsigned *bins, const unsigned *values, unsigned many) {
    __shared__ unsigned part[16];
    groups::cluster_group cluster = groups::this_cluster();
    if (threadIdx.x < 16) part[threadIdx.x] = 0;
    cluster.sync();
    for (unsigned at = blockIdx.x * blockDim.x + threadIdx.x; at < many; at += gridDim.x * blockDim.x) {
        unsigned bin = values[at] % 64;
        atomicAdd(cluster.map_shared_rank(part, bin / 16) + bin % 16, 1u);
    }
    cluster.sync();
    if (threadIdx.x < 16) atomicAdd(bins + cluster.block_rank() * 16 + threadIdx.x, part[threadIdx.x]);
}

// Sum values in each block, and then over the blocks of a cluster whose size the launch chooses.
extern "C" __global__ void summed(float *sums, const float *values) {
    __shared__ float own;
    groups::cluster_group cluster = groups::this_cluster();
    if (threadIdx.x == 0) own = 0;
    __syncthreads();
    atomicAdd(&own, values[blockIdx.x * blockDim.x + threadIdx.x]);
    cluster.sync();
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        float all = 0;
        for (unsigned rank = 0; rank < cluster.num_blocks(); ++rank) all += *cluster.map_shared_rank(&own, rank);
        sums[blockIdx.x / cluster.num_blocks()] = all;
    }
    cluster.sync();
}

// Double tiles of 64 words: one thread loads the next tile while all threads change one, and stores it.
extern "C" __global__ void doubled(unsigned *to, const unsigned *from, unsigned tiles) {
    __shared__ alignas(128) unsigned tile[2][64];
    __shared__ alignas(128) unsigned made[64];
    __shared__ alignas(8) cuda::std::uint64_t full[2];
    constexpr unsigned size = sizeof(made);
    const bool leads = threadIdx.x == 0;
    auto load = [&](unsigned number) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[number % 2], size);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[number % 2], from + 64 * number, size, &full[number % 2]);
    };
    if (leads) {
        ptx::mbarrier_init(&full[0], 1);
        ptx::mbarrier_init(&full[1], 1);
        ptx::fence_proxy_async(ptx::space_shared);
        load(0);
    }
    __syncthreads();
    for (unsigned number = 0; number < tiles; ++number) {
        if (leads && number + 1 < tiles) load(number + 1);
        while (!ptx::mbarrier_try_wait_parity(&full[number % 2], number / 2 % 2)) {}
        for (unsigned at = threadIdx.x; at < 64; at += blockDim.x) made[at] = 2 * tile[number % 2][at];
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (leads) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to + 64 * number, made, size);
            ptx::cp_async_bulk_commit_group();
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        }
        __syncthreads();
    }
}
