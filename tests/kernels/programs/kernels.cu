extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[8][8], tb[8][8];
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    ta[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int j = 0; j < 8; j++) sum += ta[threadIdx.y][j] * tb[j][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
extern "C" __global__ void reduce(const int* data, int* total, int n) {
  extern __shared__ int part[];
  int sum = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) sum += data[i];
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) { for (int w = 1; w < blockDim.x / 32; w++) sum += part[w]; atomicAdd(total, sum); }
}
extern "C" __global__ void histogram(const unsigned char* data, unsigned* bins, int n) {
  __shared__ unsigned mine[16];
  if (threadIdx.x < 16) mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&mine[data[i] & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
extern "C" __global__ void collatz(const unsigned* n, unsigned* steps) {
  unsigned long long x = n[threadIdx.x]; unsigned s = 0;
  while (x != 1) { x = x & 1 ? 3 * x + 1 : x / 2; s++; }
  steps[threadIdx.x] = s;
}
extern "C" __global__ void spin_lock(int* lock, int* count) {
  bool done = false;
  while (!done) if (atomicCAS(lock, 0, 1) == 0) { *(volatile int*)count += 1; __threadfence(); atomicExch(lock, 0); done = true; }
}
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
extern "C" __global__ void fibonacci(int* out) { out[threadIdx.x] = fib(threadIdx.x); }
__constant__ int table[4] = {3, 1, 4, 1};
__device__ int counter = 7;
struct Pair { int first; double second; };
extern "C" __global__ void mixed(Pair p, double* out) {
  int local[4]; for (int i = 0; i < 4; i++) local[(i + p.first) & 3] = table[i];
  double s = 0; for (int i = 0; i < 4; i++) s = s * 10 + local[i];
  out[0] = s + p.second; out[1] = atomicAdd(&counter, 1);
}
extern "C" __global__ void talk(int x) { printf("thread %d of %s says %5.2f %lld\n", threadIdx.x, "block", 1.5 * x, 1ll << 40); }
extern "C" __global__ void check(int x) { if (!(x < 3)) __assertfail("x < 3", "k.cu", 12, "check", (size_t)1); }
__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
extern "C" __global__ void pick(int* out, int which) { int (*f)(int) = which ? twice : thrice; out[threadIdx.x] = f(threadIdx.x);
  switch (threadIdx.x) { case 0: out[0] += 100; break; case 1: out[1] -= 7; break; case 2: out[2] *= 5; break; case 3: out[3] ^= 9; break; case 4: out[4] = 1; break; case 5: out[5] |= 64; break; } }
