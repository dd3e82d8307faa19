// Family: one system's notation. A new family is one new folder under encodings/; CMake lists it in the generated
// registry, where all other code finds it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "encodings/map/layout.h"
#include "encodings/map/rule.h"
#include "encodings/map/tensor.h"
#include "encodings/use/cores.h"
#include "encodings/use/rule_boxes.h"

namespace vl::use {

/// One of a family's own rules for well-formed layouts: it holds iff have == want.
struct Rule {
  std::string statement;  // "the last device dimension is one stick of SEN169_FP16"
  Index have = 0;
  Index want = 0;
  /// It compares the tensor that the text itself names with the one that is given: a matter of how the two were put
  /// together, and not of the layout. An allocation may be larger than the operand that lies in it.
  bool of_tensor = false;

  bool operator==(const Rule&) const = default;
};

struct Reading;

/// Two layouts over coordinates of which the same are the same place, and others are others: those of the chips, or the
/// layouts' own. Empty: it is the reading's own layout. Requires: two layouts. Errors: Value, with the reason, where
/// the places of one are not known.
struct InCommon {
  std::optional<map::Layout> a, b;
};
[[nodiscard]] Result<InCommon> in_common(const Reading& a, const Reading& b);
/// Why places in one core's memory are not the same bytes in two layouts in one memory, though their numbers are: the
/// elements have other sizes; or the rows of one are pages, with a gap after each that is not known, and the other has
/// none, or pages of another length. Empty: they are the same. Requires: two layouts. Example: 4 rows of 3 f32 of rule
/// C begin at byte 0 and 16, and of rule B at 0 and 12.
[[nodiscard]] std::string rows_apart(const Reading& a, const Reading& b);

/// An operation that a text performs on a layout, with its result and the law that the result has to obey (see Law).
struct Derivation {
  std::string operation;  // "slice((16,16), ((2,3),(6,10)))"
  map::Layout result;
  map::Layout expected;
};

/// The same of a rule: by its law the text gives the same expressions.
struct RuleDerivation {
  std::string operation;  // "restickify(1)"
  map::Rule result;
  map::Rule expected;
};

/// The reason why nothing can be computed of a legal text: "'M' is a name, not a number".
struct Undecidable {
  std::string reason;
};

/// A tile of a block format in memory: the shared exponents in front, in whole units of 16 bytes, then the elements'
/// own bits. 32x32 of bfp8: 64 + 1024 bytes.
struct BlockTile {
  Index elements = 0;
  Index exponents = 0;  // bytes
  int bits = 0;         // of one element besides the exponent

  [[nodiscard]] constexpr Index bytes() const { return exponents + elements * bits / 8; }
  bool operator==(const BlockTile&) const = default;
};

/// A layout on cores that do not fill the box from core (0, 0), or of which some lie in it and are not named: the same
/// places with other coordinates for cores, such that every slot of the box is one of a named core. What is counted, is
/// counted there. Example: cores (y=1, x=1) to (y=1, x=4): the box 2x5 has six cores that are not named; here it is
/// 1x4.
struct NamedCores {
  map::Layout layout;
  /// The coordinates of each core in the box from (0, 0), in the row-major order of the layout's axes but the memory's.
  std::vector<Point> cores;
};

/// A layout text, read. A rule and an undecidable text have no layout, so that no code can use one by mistake.
struct Reading {
  std::variant<map::Layout, map::Rule, Undecidable> what;
  std::vector<Rule> rules;
  std::string normal;                   // the same layout in the family's raw notation
  std::vector<std::string> warnings;    // for readers: what contradicts the tensor, conventions of an older notation
  int device_bits = 0;                  // bits of one element on the device; 0: not known, or no whole number
  std::vector<Derivation> derived;      // operations in the text; each result is proved before the layout is used
  std::vector<std::string> notes = {};  // for readers: what the text derives, step by step
  std::string rule = {};  // by which of its system's rules the text was read, "C: …"; empty if there is one
  /// The number format of one element on the device: a name of encodings/values, "dl16" of SEN169_FP16, or a block
  /// format's, "bfp8". Empty: no source states it.
  std::string values = {};
  Index lanes = 0;  // elements of one stick, along the last physical dimension; 0: there are no sticks
  /// Why the image takes more memory than its slots, and nobody knows how much; empty: it takes that of its slots.
  std::string unsized = {};
  Index page = 0;  // elements of a page whose bytes are not known (unsized); 0: there are none, or their number is open
  std::string memory = {};  // which one the text names: "l1", "dram" or "system"; empty: another, or none
  /// Why no memory holds what its coordinates say: pages go round the banks; empty: each does.
  std::string spread = {};

  /// The axes whose extents nobody declares: the physical box goes as far there as the layout's own places do.
  std::vector<std::string> own_span = {};

  /// Operations in the text that the family defines, with another rule that gives the same: the layout is used without
  /// a proof of it, and a certificate shows it. `lawless`: some operation has no such rule, and no certificate.
  std::vector<Derivation> defined = {};
  bool lawless = false;
  std::vector<RuleDerivation> derived_rules = {};  // of a rule
  bool counts_first_fastest = false;               // its system numbers elements colexicographically
  ChipPlaces chips = {};  // where its grid's cores are; of systems without such grids nothing is said

  /// The memory that the text names, by a name of kMemorySpaces (memory_space.h); an alias that the text does not
  /// define, with its '#'; empty: none.
  std::string space = {};
  /// What the text itself says that its padding holds: "zero", "one", "inf", "neginf"; empty: nothing, or anything.
  std::string fill = {};
  Index buffers = 1;  // as many images of this size lie in each memory
  /// Of a block format: how a tile is stored.
  std::optional<BlockTile> block_tile = {};
  /// Absent: the text names all cores of the box.
  std::optional<NamedCores> named_cores = {};
  bool skips_cores = false;  // of a rule: its box has cores that the text does not name, so its slots are not counted
  /// Of a rule: the boxes that count its kinds of padding. Absent: there is no array of shards, or none is encoded.
  std::optional<RuleBoxes> boxes = {};
  bool in_turn = false;  // tiles go round the cores one by one, so that there is no array of shards

  /// Null if the text is a rule or undecidable.
  [[nodiscard]] const map::Layout* layout() const { return std::get_if<map::Layout>(&what); }
  /// The layout whose slots are counted: every slot of its box is one that the text names.
  [[nodiscard]] const map::Layout* counted() const { return named_cores ? &named_cores->layout : layout(); }
  /// Only of what `read_rule` read.
  [[nodiscard]] const map::Rule* rule_for_all_sizes() const { return std::get_if<map::Rule>(&what); }
  /// Null if there is a layout or a rule.
  [[nodiscard]] const Undecidable* undecidable() const { return std::get_if<Undecidable>(&what); }
};

struct Operation;  // encodings/use/operation.h
struct Judgement;
struct NestsLog;  // encodings/use/nests_text.h
struct Parts;     // encodings/use/parts.h
struct Campaign;  // encodings/use/campaign.h
struct Scan;      // encodings/use/scan.h
struct Shards;    // encodings/use/shards.h
struct Remap;     // encodings/use/remap.h
struct View;      // encodings/use/view.h

/// A layout in another notation of its family that may have the same meaning for one tensor: the caller has to prove
/// that the two are the same. Empty text: there is no candidate, and `refusal` says why. `complete`: the answer covers
/// every text of that notation with the same physical shape. A refusal is then a proof that there is none, and so is a
/// difference between the candidate and the layout.
struct Conversion {
  std::string text;
  std::string refusal;
  bool complete = false;
};

/// One key of a claim about an operation's result: "region" = "2:3, 6:10"; never "with".
struct LawArgument {
  std::string_view key;
  std::string_view text;
};

/// The result that an operation has to have, made from its definition and not by performing it: a layout over the
/// result's own tensor. A given result is right iff it is the same map and the rules hold.
struct Law {
  map::Layout expected;
  map::Tensor tensor;  // of the result
  std::vector<Rule> rules =
      {};  // of the result's text beyond its map: a group's iters end where its shape's dimensions do
};

/// The operation has no result on this layout, so no given result is right. The rule is about the layout and does not
/// hold: "the stride 3 is a multiple of 2", have 1 (the remainder), want 0.
struct Impossible {
  Rule rule;
};

/// An error in one of the texts of a law. `key` is empty for the layout itself.
struct LawError {
  std::string key;
  Error error;
};

struct Family {
  std::string_view name;
  std::string_view forms;                            // the accepted notations, for `verify-layout families`
  std::span<const std::string_view> default_claims;  // asked if a case names no claim
  bool (*recognises)(std::string_view text);         // looks only at the start of the text
  Result<Reading> (*read)(std::string_view text, const map::Tensor& tensor);
  /// Reads a text in which names stand for sizes, or whose tensor has names: a rule, or why it is none. Errors: those
  /// of read. Null: the family has no rules.
  Result<Reading> (*read_rule)(std::string_view text, const map::RuleTensor& tensor) = nullptr;
  /// The text with numbers in the place of these names (named_sizes.h). Errors: also Value, Overflow. Null: the names
  /// are replaced as they stand (scan.h, bound).
  Result<std::string> (*text_at)(std::string_view text, const map::Sizes& sizes) = nullptr;
  Judgement (*judge)(const Operation& operation) = nullptr;  // its rules for operands; null: it has none
  /// The notations to which `convert` can convert; both are empty if the family has only one notation.
  std::span<const std::string_view> notations = {};
  Result<Conversion> (*convert)(std::string_view text, const map::Tensor& tensor, std::string_view notation) = nullptr;
  /// The law of one of its operations (`slice`, `tile`, …) on the layout `text`; null: it has no operations. A key that
  /// the operation does not have is an error, and so are a missing one and arguments that no layout of this tensor
  /// could satisfy (a region outside of the tensor).
  std::variant<Law, Impossible, LawError> (*law)(std::string_view operation, std::string_view text,
                                                 const map::Tensor& tensor,
                                                 std::span<const LawArgument> arguments) = nullptr;
  /// The number of elements of the layout, if the text alone states it. Null: no text of the family does.
  std::optional<Index> (*elements)(std::string_view text) = nullptr;
  /// The map of a text, read for the one-dimensional tensor of its elements, is right for numbers beyond the last
  /// element as well: its system says there what a layout has, by not reducing the last mode.
  bool goes_on = false;
  /// The same layout without its modes of one number: the same places, and beyond the last element the last mode that
  /// is left goes on. Of (5,1):(1,1) it is (5):(1). Requires: elements(text), goes_on. Null: no text has such modes.
  std::string (*coalesced)(std::string_view text) = nullptr;
  /// The complement of a layout up to a number, by the definition of its system (the claim `complement` judges one).
  /// Errors: those of the reader; Value where there is none, with the reason. Null: the system has no such operation.
  Result<std::string> (*complement)(std::string_view text, Index cotarget) = nullptr;
  /// A normal text (Reading::normal) of one memory, with a swizzle of its addresses added. Null: the notation has no
  /// swizzles.
  std::string (*swizzled)(std::string_view text, const map::Swizzle& swizzle) = nullptr;
  const Parts* parts = nullptr;  // layouts as trees of numbers
  /// The cores' shards side by side. Errors: those of read; Value where there is no such array, with the reason. Null:
  /// the family has no grids of cores.
  Result<Shards> (*shards)(std::string_view text, const map::Tensor& tensor) = nullptr;
  /// A layout change to `result`, by a map's text, or by one that the system makes (remap.h). Errors: those of shards
  /// and of the map's text; Value where there is no such map. Null: the family has no layout changes.
  Result<Remap> (*remap)(std::string_view result, std::string_view source, const map::Tensor& tensor,
                         std::string_view map) = nullptr;
  /// A view of the type `source` as the type `result`, by a map's text (view.h). Errors: those of the texts; Value
  /// where there is no such view. Null: the family has no views.
  Result<View> (*view)(std::string_view result, std::string_view source, std::string_view map) = nullptr;
  /// The names of its system's rules, by which one tensor has different places; empty if there is one rule.
  std::span<const std::string_view> rules = {};
  /// The same tensor on the same cores by another of them, as a text. Errors: those of read; Value where that rule has
  /// no such layout, with the reason.
  Result<std::string> (*by_rule)(std::string_view text, const map::Tensor& tensor, std::string_view rule) = nullptr;
  const NestsLog* nests_log = nullptr;  // the log in which its runtime prints transfers
  const Campaign* campaign = nullptr;   // random layouts
  const Scan* scan = nullptr;           // finds its layouts in longer texts; null: there only whole texts are read
};

/// Every family of this build, by folder and then by name: spyre, tirx, metal, ttnn. Defined by the generated registry.
[[nodiscard]] std::span<const Family* const> families();

/// A family of the program's own, behind those of this build for as long as it lives: every command reads its texts.
/// The last one that joined leaves first. Not while another thread reads. Requires: the family lives as long.
class Joined {
 public:
  explicit Joined(const Family& family);
  ~Joined();
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;
};

/// Whose notation a text is that no family of this build reads, by the text's first letters; empty if it is none that
/// is known. "#ttnn.ttnn_layout<…": TTNN.
[[nodiscard]] inline std::string_view not_built(std::string_view text) {
  struct Notation {
    std::string_view start;
    std::string_view of;
  };
  constexpr Notation kNotations[] = {{"#tt.metal_layout<", "Tenstorrent's metal layouts"},
                                     {"#ttcore.metal_layout<", "Tenstorrent's metal layouts"},
                                     {"#ttnn.ttnn_layout<", "Tenstorrent's TTNN layouts"}};
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  for (const Notation& notation : kNotations)
    if (text.starts_with(notation.start)) return notation.of;
  return {};
}

/// The family of that name, or, if `name` is empty, the first that recognises the text. Null if there is none.
[[nodiscard]] inline const Family* family_of(std::string_view text, std::string_view name) {
  for (const Family* family : families())
    if (name.empty() ? family->recognises(text) : family->name == name) return family;
  return nullptr;
}

}  // namespace vl::use
