// The class FakeCudaDriver of Mooncake's nvlink_host_numa_allocation_test.cpp, by the driver.
//
// The test includes this file in place of its own class. Its members are the test's: failures to make, and what was called.
// The test's nodes 0 and 2 are the host's 0 and 1. Sizes of 64 KiB, which no card maps, are rounded up to 2 MiB.

class FakeCudaDriver {
 public:
  enum class Failure { NONE, GRANULARITY, CREATE, RESERVE, MAP, ACCESS };

  NvlinkHostNumaAllocationTestPeer::DriverApi api() {
    NvlinkHostNumaAllocationTestPeer::DriverApi api;
    api.device_get_count = [this](int *count) {
      *count = static_cast<int>(host_nodes.size());
      return CUDA_SUCCESS;
    };
    api.device_get = cuDeviceGet;
    api.device_get_attribute = [this](int *value, CUdevice_attribute attribute, CUdevice device) {
      if (attribute == CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID) {
        if (device == host_numa_id_failure_device) return CUDA_ERROR_INVALID_DEVICE;
        *value = host_nodes.at(device);
        return CUDA_SUCCESS;
      }
      CUresult result = cuDeviceGetAttribute(value, attribute, device);
      if (attribute == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED) *value &= fabric_supported;
      return result;
    };
    api.mem_get_allocation_granularity = [this](size_t *value, const CUmemAllocationProp *prop,
                                                CUmemAllocationGranularity_flags flags) {
      operations.push_back("granularity");
      last_prop = *prop;
      if (failure == Failure::GRANULARITY || prop->location.id == granularity_failure_node) return CUDA_ERROR_INVALID_VALUE;
      CUmemAllocationProp known = on_machine(*prop);
      CUresult result = cuMemGetAllocationGranularity(value, &known, flags);
      *value = granularity;
      return result;
    };
    api.mem_create = [this](CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
                            unsigned long long flags) {
      operations.push_back("create");
      last_prop = *prop;
      created_size = size;
      if (failure == Failure::CREATE) return CUDA_ERROR_INVALID_VALUE;
      CUmemAllocationProp known = on_machine(*prop);
      return counted(handles, 1, cuMemCreate(handle, whole(size), &known, flags));
    };
    api.mem_address_reserve = [this](CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr,
                                     unsigned long long flags) {
      operations.push_back("reserve");
      reserved_alignment = alignment;
      if (failure == Failure::RESERVE) return CUDA_ERROR_INVALID_VALUE;
      CUresult result = cuMemAddressReserve(address, whole(size), whole(alignment), 0, flags);
      kAddress = *address;
      return counted(reservations, 1, result);
    };
    api.mem_map = [this](CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                         unsigned long long flags) {
      operations.push_back("map");
      if (failure == Failure::MAP) return CUDA_ERROR_INVALID_VALUE;
      return counted(mappings, 1, cuMemMap(address, whole(size), offset, handle, flags));
    };
    api.mem_set_access = [this](CUdeviceptr address, size_t size, const CUmemAccessDesc *access, size_t count) {
      operations.push_back("access");
      accesses.assign(access, access + count);
      if (failure == Failure::ACCESS) return CUDA_ERROR_INVALID_VALUE;
      std::vector<CUmemAccessDesc> known = accesses;
      for (CUmemAccessDesc &one : known)
        if (one.location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA) one.location.id /= 2;
      return cuMemSetAccess(address, whole(size), known.data(), count);
    };
    api.mem_unmap = [this](CUdeviceptr address, size_t size) {
      operations.push_back("unmap");
      ++unmap_calls;
      return fails(unmap_failures) ? CUDA_ERROR_INVALID_VALUE : counted(mappings, -1, cuMemUnmap(address, whole(size)));
    };
    api.mem_address_free = [this](CUdeviceptr address, size_t size) {
      operations.push_back("address_free");
      ++address_free_calls;
      return fails(address_free_failures) ? CUDA_ERROR_INVALID_VALUE
                                          : counted(reservations, -1, cuMemAddressFree(address, whole(size)));
    };
    api.mem_release = [this](CUmemGenericAllocationHandle handle) {
      operations.push_back("release");
      ++release_calls;
      return fails(release_failures) ? CUDA_ERROR_INVALID_VALUE : counted(handles, -1, cuMemRelease(handle));
    };
    api.mem_retain_allocation_handle = cuMemRetainAllocationHandle;
    api.mem_export_to_shareable_handle = cuMemExportToShareableHandle;
    return api;
  }

  FakeCudaDriver() { cuInit(0); }

  inline static CUdeviceptr kAddress = 0;
  Failure failure = Failure::NONE;
  std::vector<int> host_nodes{2, 0, 2};
  int fabric_supported = 1, host_numa_id_failure_device = -1, granularity_failure_node = -1;
  size_t granularity = 64 * 1024;
  int unmap_failures = 0, address_free_failures = 0, release_failures = 0;
  int handles = 0, reservations = 0, mappings = 0;
  int unmap_calls = 0, address_free_calls = 0, release_calls = 0;
  size_t created_size = 0, reserved_alignment = 0;
  CUmemAllocationProp last_prop = {};
  std::vector<CUmemAccessDesc> accesses;
  std::vector<std::string> operations;

 private:
  static size_t whole(size_t size) { return (size + (2u << 20) - 1) / (2u << 20) * (2u << 20); }

  static CUmemAllocationProp on_machine(CUmemAllocationProp prop) {
    prop.location.id /= 2;
    return prop;
  }

  static bool fails(int &failures) { return failures > 0 && failures-- > 0; }

  static CUresult counted(int &count, int change, CUresult result) {
    if (result == CUDA_SUCCESS) count += change;
    return result;
  }
};
