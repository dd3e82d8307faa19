/* The header is C: this is compiled as C99. */
#include "tests/c/caller.h"

#include <string.h>

#include "oracle/c/verify_layout.h"

int caller_round_trip(void) {
  vl_request request = {.size = sizeof request,
                        .direction = VL_PACK,
                        .tensor = "f16[2,8,60]",
                        .layout = "SpyreTensorLayout(device_size=[8, 1, 2, 64], stride_map =[60, 64, 480, 1], "
                                  "device_dtype=DataFormats.SEN169_FP16)"};
  uint16_t host[2 * 8 * 60], image[8 * 2 * 64], back[2 * 8 * 60];
  char why[256];
  vl_plan *pack = NULL, *unpack = NULL;
  int status = vl_prepare(&request, &pack, why, sizeof why);
  for (size_t k = 0; k < sizeof host / sizeof *host; ++k) host[k] = (uint16_t)(k * 7);
  memset(back, 0xEE, sizeof back);
  request.direction = VL_UNPACK;
  if (status == VL_OK) status = vl_prepare(&request, &unpack, why, sizeof why);
  if (status == VL_OK) status = vl_run(pack, host, image);
  if (status == VL_OK) status = vl_run(unpack, image, back);
  if (status == VL_OK && memcmp(host, back, sizeof host) != 0) status = -1;
  vl_free(pack);
  vl_free(unpack);
  return status;
}
