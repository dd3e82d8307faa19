/* verify-layout as a library: verdicts on layouts (vl_check), places of elements (vl_layout_…), and layouts applied to
 * data in memory by plans with a certificate (vl_prepare, vl_run).
 *
 * A plan is made once, from texts: the family reads the layout, a plan is made, and the plan is checked (README.md of
 * oracle/). Then each run costs tens of nanoseconds plus the copying. The library runs only plans that the checker
 * accepted: if `verify-layout exec` would continue without a plan, or ask a solver about a text, vl_prepare refuses.
 *
 * C99, and stable: functions and members are only ever added. The library has no global state, throws no
 * exception, prints nothing, and starts no process. A thread that prepares keeps some scratch memory until it ends. A
 * handle does not change after vl_prepare: any number of threads may run the same one at the same time, on destinations
 * that do not overlap. Call vl_free when no run is in progress.
 *
 * Example: f16[2,8,60] in sticks of 64 elements, 2 x 8 rows of 120 bytes into 2048 bytes.
 *   vl_request request = {.size = sizeof request, .direction = VL_PACK, .tensor = "f16[2,8,60]", .layout =
 *       "SpyreTensorLayout(device_size=[8, 1, 2, 64], stride_map =[60, 64, 480, 1], "
 *       "device_dtype=DataFormats.SEN169_FP16)"};
 *   char why[512];
 *   vl_plan *plan;
 *   if (vl_prepare(&request, &plan, why, sizeof why) == VL_OK) vl_run(plan, host, image);
 */
#ifndef VERIFY_LAYOUT_H
#define VERIFY_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The answers of functions. A number never changes its meaning; new numbers may be added. */
enum {
  VL_OK = 0,
  VL_BAD_ARGUMENT = 1, /* a null pointer, memories that overlap, a request that is not of this version */
  VL_BAD_TEXT = 2,     /* a text is not in its notation */
  VL_BAD_VALUE = 3,    /* a value that the notation, the tensor or the element type does not allow */
  VL_OVERFLOW = 4,     /* a number or a product does not fit 64 bits */
  VL_BAD_SHAPE = 5,    /* ranks or extents differ that must agree */
  VL_NO_PLAN = 6,      /* there is no certified plan: an element has no slot, two packed elements share one, or the
                        * layout is outside of the planner's reach */
  VL_DIFFERS = 7,      /* copies of one element in the source differ; nothing was written */
  VL_NO_MEMORY = 8,
  VL_BUG = 70 /* of this library: please report the text */
};

enum {
  VL_PACK = 0,   /* host tensor -> device image: every replica, and the fill value in all padding */
  VL_UNPACK = 1, /* device image -> host tensor: copies of an element must agree; padding is not read */
  VL_MOVE = 2    /* device image -> device image of another layout of the same tensor */
};

/* Texts are those of the options of `verify-layout exec`, NUL-terminated. A member that is 0 is not given. */
typedef struct vl_request {
  uint64_t size;          /* sizeof(vl_request) when the caller was compiled */
  int64_t direction;      /* VL_PACK, VL_UNPACK, VL_MOVE */
  const char* tensor;     /* "f16[5,100,150]" */
  const char* layout;     /* the image's layout; for VL_MOVE the source's */
  const char* to;         /* only for VL_MOVE: the destination's layout */
  const char* family;     /* "spyre", "tirx": of both layouts; NULL: by their texts */
  const char* box;        /* declared extents of named axes, "laneid=32, m=64" */
  const char* fill;       /* the value in the padding of the destination, "-inf", "bits:0x7e00"; NULL: "0" */
  const int64_t* strides; /* the host's, in elements, `rank` of them; NULL: dense row-major */
  uint64_t rank;          /* of `strides`: the tensor's */
  int64_t offset;         /* of the host's element [0, …, 0] in its memory, in elements */
  int64_t view_offset;    /* the start of a view inside the device allocation, in elements */
} vl_request;

/* A certified plan. */
typedef struct vl_plan vl_plan;

/* Reads the texts, makes a plan, checks it, and puts a handle into *plan. This takes micro- to milliseconds for any
 * extents. After an error *plan is NULL, and up to `room` bytes at `why` state the error and its place, NUL-terminated,
 * cut off if necessary (`why` and `room` may be NULL and 0).
 * With strides or an offset, the host's memory goes from its element 0 to the last element that the tensor reaches.
 * Unpacking does not change units of that memory without an element.
 * Answers: all except VL_DIFFERS. A text with operations (tile, slice, …) is refused with VL_NO_PLAN: their results
 * need a proof first, which `verify-layout` makes; the message has the text of the resulting layout. */
int vl_prepare(const vl_request* request, vl_plan** plan, char* why, size_t room);

/* The sizes of the two memories in bytes. Requires: a handle (also in all functions below). */
uint64_t vl_source_bytes(const vl_plan* plan);
uint64_t vl_destination_bytes(const vl_plan* plan);

/* What a reader must know of the texts, one warning per line: a constructor's dtype that contradicts the tensor's, a
 * convention of an older notation. Writes up to `room` bytes at `text`, NUL-terminated, cut off if necessary (`text`
 * and `room` may be NULL and 0). Returns the number of warnings. */
size_t vl_warnings(const vl_plan* plan, char* text, size_t room);

/* Runs the plan: reads vl_source_bytes at `source`, and writes to vl_destination_bytes at `destination`, at any
 * alignment. Answers: VL_OK; VL_BAD_ARGUMENT for a null pointer (unless that memory has no bytes) and for memories that
 * overlap, and then nothing was written; VL_DIFFERS; VL_BUG. */
int vl_run(const vl_plan* plan, const void* source, void* destination);

/* vl_run for each pair in order, up to the first answer that is not VL_OK; returns that answer, or VL_OK. *done (unless
 * NULL) becomes the number of runs with VL_OK. For languages in which a call costs more than copying 2 KiB. */
int vl_run_many(const vl_plan* plan, size_t count, const void* const* sources, void* const* destinations, size_t* done);

/* After VL_DIFFERS: writes the element whose copies differ in that source to `why`, as above. Slow: element by element.
 * Answers: VL_DIFFERS; VL_OK if no copies differ; VL_BAD_ARGUMENT, VL_NO_MEMORY, VL_BUG. */
int vl_explain(const vl_plan* plan, const void* source, char* why, size_t room);

/* NULL is allowed: then nothing happens. */
void vl_free(vl_plan* plan);

/* ---- Places ---- */

/* A layout of a tensor, read from the texts of a vl_request, of which direction, to and fill are not looked at. */
typedef struct vl_layout vl_layout;

/* Reads the texts. Errors and answers as of vl_prepare. */
int vl_layout_open(const vl_request* request, vl_layout** layout, char* why, size_t room);

enum { VL_LOGICAL = 0, VL_PHYSICAL = 1, VL_REPLICAS = 2 };
/* The extents of the tensor, of the physical box (the image's shape, in memory order), or of the replicas (an element
 * lives in as many slots as the product of these). Writes up to `room` of them and returns their number. f16[5,100,150]
 * in [100,3,5,64]: logical 5 100 150, physical 100 3 5 64, no replicas. */
size_t vl_layout_shape(const vl_layout* layout, int side, int64_t* extents, size_t room);

enum { VL_AXES = 0, VL_TYPE = 1, VL_NORMAL = 2, VL_WARNINGS = 3 };
/* The names of the physical dimensions, separated by blanks ("d0 d1 d2 d3"); the tensor's element type ("f16"); the
 * layout in its family's raw notation; the warnings, as of vl_warnings. Writes up to `room` bytes, NUL-terminated, cut
 * off if necessary, and returns the whole length. */
size_t vl_layout_text(const vl_layout* layout, int what, char* text, size_t room);

/* The bytes of an element in images; 0 where elements are no whole bytes. */
size_t vl_layout_unit(const vl_layout* layout);

/* The slots of `count` elements: reads count x rank coordinates, row-major, and writes count x replicas x physical
 * rank. [2,7,40] of the layout above: [7,0,2,40]. Answers: VL_OK; VL_BAD_VALUE for an element that the tensor does not
 * have; VL_NO_PLAN for one without a slot; VL_BAD_ARGUMENT, VL_NO_MEMORY, VL_BUG. After an error the places are not
 * said. */
int vl_layout_place(const vl_layout* layout, size_t count, const int64_t* elements, int64_t* places, char* why,
                    size_t room);

/* NULL is allowed: then nothing happens. */
void vl_layout_free(vl_layout* layout);

/* ---- Verdicts ---- */

enum { VL_STRICT = 1 }; /* warnings are failures */

/* Texts are those of the options of `verify-layout check`. A member that is 0 is not given. */
typedef struct vl_check_request {
  uint64_t size; /* sizeof(vl_check_request) when the caller was compiled */
  const char* layout;
  const char* tensor; /* NULL: the one that the layout's text states */
  const char* family;
  const char* box;
  const int64_t* strides;
  uint64_t rank;
  int64_t offset;
  int64_t view_offset;
  const char* const* claims; /* as behind --claim: "bijective", "padding=21000", "equal=LAYOUT"; none: the defaults */
  uint64_t claim_count;
  const char* access;             /* of claims about accesses; without claims it asks conflict-free and its numbers */
  const char* hardware;           /* NULL: sm_90 */
  const char* const* definitions; /* "BM=128", in every text; a name that none has makes the report an error */
  uint64_t definition_count;
  double seconds;    /* after which an answer is unknown (timeout); 0: 600 */
  uint64_t flags;    /* VL_STRICT */
  const char* where; /* conditions on names, "N >= 2, M % 64 == 0"; a caller compiled before it was added has none */
} vl_check_request;

/* What `verify-layout check` says of one layout. It does not change. */
typedef struct vl_report vl_report;

/* Judges a layout in this process, and puts a report into *report: also of a layout that cannot be read, whose report
 * has a record of kind "error" with line and column. Solvers run in this process: they are interrupted when their time
 * is over, and their memory has no limit of its own. After an error *report is NULL and `why` states it.
 * Answers: VL_OK; VL_BAD_ARGUMENT for a claim that cannot be asked like this, for an access or hardware that no claim
 * takes, and for members; VL_BAD_TEXT,
 * VL_NO_MEMORY, VL_BUG. */
int vl_check(const vl_check_request* request, vl_report** report, char* why, size_t room);

/* The exit code of `verify-layout check`: 0 proved, 10 refuted, 5 undecided, 2 bad input, 11 engines
 * disagree. */
int vl_report_code(const vl_report* report);
/* The number of verdicts. */
size_t vl_report_verdicts(const vl_report* report);

enum { VL_JSON = 0, VL_TEXT = 1 };
/* Writes the report as --format json or text does; or of one verdict (from 0; -1: all) its record, or its lines under
 * the layout. Writes up to `room` bytes, NUL-terminated, cut off if necessary, and returns the whole length; 0 for a
 * format or a verdict that there is not. The records' fields: verifier/report/README.md. */
size_t vl_report_write(const vl_report* report, int format, int64_t verdict, char* text, size_t room);

/* NULL is allowed: then nothing happens. */
void vl_report_free(vl_report* report);

/* The version of the library, "0.1.0". */
const char* vl_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
