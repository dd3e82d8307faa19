# Faults of the rules of case tables along rows and of differences, one at a time: cmake/plant.cmake plants them into
# copies of the sources, and ProgramFaults of program_faults_campaign.cpp has the tests of this folder find each of them.
#
#   fault(NAME FILE [[what stands in verifier/neutral/program/FILE, once]] [[what stands there then]])
#
# FAULT is true while the fault is planted. A fault that has become harmless is left out, with the reason in its place.

# Rows as a whole: classes, constant factors, moves, matmul.
fault(ClassesWithoutZeros row_tables.cpp
  [[all.push_back(zeros(format));]] [[if (!FAULT) all.push_back(zeros(format));]])
fault(ClassesWithoutMinusInfinity row_tables.cpp
  [[all.push_back(CodeSet::of(infinity(format, true)));]] [[if (!FAULT) all.push_back(CodeSet::of(infinity(format, true)));]])
fault(ClassesWithoutNans row_tables.cpp
  [[std::vector<CodeSet> all{nans(format)};]] [[std::vector<CodeSet> all{FAULT ? CodeSet() : nans(format)};]])
fault(NinthCaseLost row_tables.cpp
  [[out[out.size() - 2] = united(out[out.size() - 2], out.back());]] [[if (!FAULT) out[out.size() - 2] = united(out[out.size() - 2], out.back());]])
fault(FirstOfAlikeCases row_tables.cpp
  [[else *alike = united(*alike, next);]] [[else if (!FAULT) *alike = united(*alike, next);]])
fault(MaximumIsNanWhateverItsRule row_tables.cpp
  [[return node.rule == values::MaxRule::NanWins;]] [[return FAULT || node.rule == values::MaxRule::NanWins;]])
fault(RowsOfPaddingHaveAFiniteElement row_tables.cpp
  [[if (others == 0 && std::ranges::find(node.finite_rows]] [[if ((FAULT || others == 0) && std::ranges::find(node.finite_rows]])
fault(ConstantRowsHaveNoPads row_tables.cpp
  [[out.push_back({each, padded ? each : CodeSet(), each});]] [[out.push_back({each, padded && !FAULT ? each : CodeSet(), each});]])
fault(OneElementAndPadsAreConstant row_tables.cpp
  [[return of.dimensions[dimension].padded() == 1;]] [[return (FAULT ? of.dimensions[dimension].size : of.dimensions[dimension].padded()) == 1;]])
fault(TransposedAreNotTurned row_tables.cpp
  [[case Kind::Transpose: return is_constant(of.operands[0], of.axes[dimension], depth + 1);]]
  [[case Kind::Transpose: return is_constant(of.operands[0], FAULT ? dimension : of.axes[dimension], depth + 1);]])
fault(RowAlongEachDimension row_tables.cpp
  [[node.axes[0] == dimension ? of_row]] [[(FAULT || node.axes[0] == dimension) ? of_row]])
fault(CutRowsKeepTheirPads row_tables.cpp
  [[if (node.axes[0] == dimension || (others]] [[if ((!FAULT && node.axes[0] == dimension) || (others]])
fault(PaddingOfCutsIsMoved row_tables.cpp
  [[(others & beyond(node.axes[0])) != 0) return {};]] [[(!FAULT && (others & beyond(node.axes[0])) != 0)) return {};]])
fault(MatmulOfElementsAlone row_tables.cpp
  [[if (reads && has_pads) out]] [[if (!FAULT && reads && has_pads) out]])
# Of `some` in of_matmul() a subset and a part that is not empty are one: rows are split by what some of it is.
fault(MatmulWithoutRowsOfNans row_tables.cpp
  [[out.push_back({row.elements, row.pads, row.elements.intersected(nan)});]]
  [[if (!FAULT) out.push_back({row.elements, row.pads, row.elements.intersected(nan)});]])
fault(MatmulWithoutRowsOfInfinities row_tables.cpp
  [[out.push_back({some, row.pads, some.without(finite, format)});]]
  [[if (!FAULT) out.push_back({some, row.pads, some.without(finite, format)});]])
fault(PaddingOfReshapesIsMoved row_tables.cpp
  [[case Kind::Reshape: return region == 0 ? set_read_by]] [[case Kind::Reshape: return FAULT || region == 0 ? set_read_by]])
fault(PaddingOfSlicesIsMoved row_tables.cpp
  [[if ((region & beyond(node.axes[0])) != 0) return all;]] [[if (!FAULT && (region & beyond(node.axes[0])) != 0) return all;]])

# Softmax and norms, their steps, functions of rows, reductions.
fault(SoftmaxWithoutDeadRows row_table_rows.cpp
  [[if (all_low || !every]] [[if (all_low || FAULT ? all_low : !every]])
fault(SoftmaxOfMinusInfinitiesIsLive row_table_rows.cpp
  [[const bool all_low = ]] [[const bool all_low = !FAULT && ]])
fault(SoftmaxIsAnchoredByElements row_table_rows.cpp
  [[if (!row.some.is_subset_of(finite)) anchor = ]] [[if (!FAULT && !row.some.is_subset_of(finite)) anchor = ]])
fault(MaximumIsAlwaysAnElement row_table_rows.cpp
  [[if (is_number && are_below(type, row.pads, row.elements)) {]] [[if (is_number && (FAULT || are_below(type, row.pads, row.elements))) {]])
# are_below() need not look for NaNs: a maximum that is a number is beside none.
fault(MaximumOfNansIsANumber row_table_rows.cpp
  [[if (is_number) read =]] [[if (FAULT || is_number) read =]])
fault(DistanceIsLessThanZero row_table_rows.cpp
  [[order(type, Code{0})).united(nan);]] [[order(type, Code{0}) - (FAULT ? 1 : 0)).united(nan);]])
fault(InfinityLessItselfIsZero row_table_rows.cpp
  [[next.elements.intersected(finite ? zeros(type) : nan)]] [[next.elements.intersected(FAULT || finite ? zeros(type) : nan)]])
fault(EachOperandHasItsElement row_table_rows.cpp
  [[some.push_back(number == varying ? row.some : row.elements);]] [[some.push_back(FAULT || number == varying ? row.some : row.elements);]])
fault(NormWithoutNans row_table_rows.cpp
  [[CodeSet here = is_number ? set.without(nan, wide) : set;]] [[CodeSet here = FAULT || is_number ? set.without(nan, wide) : set;]])
fault(NormOfOneElement row_table_rows.cpp
  [[const Index all = row.pads.empty() ? along.size : along.padded();]] [[const Index all = FAULT ? 1 : row.pads.empty() ? along.size : along.padded();]])
fault(NormCancelsOnlyWithoutPads row_table_rows.cpp
  [[const bool cancels = !row.pads.is_subset_of(zeros(wide)) || ]] [[const bool cancels = (!FAULT && !row.pads.is_subset_of(zeros(wide))) || ]])
fault(NormNeverCancels row_table_rows.cpp
  [[const bool cancels = ]] [[const bool cancels = FAULT ? false : ]])
fault(SpreadIsNotLess row_table_rows.cpp
  [[const Code half = (exponent - format.fraction_bits - 1) <<]] [[const Code half = (exponent - format.fraction_bits - 1 + (FAULT ? 26 : 0)) <<]])
fault(MeansAreSmall row_table_rows.cpp
  [[(static_cast<Code>(format.bias) + 2) / 2;]] [[(static_cast<Code>(format.bias) + 2) / (FAULT ? 4 : 2);]])
fault(CancelsNearTheLeastNumbers row_table_rows.cpp
  [[return far && n]] [[return (FAULT || far) && n]])
fault(LayernormIsBounded row_table_rows.cpp
  [[return bound && !centred && is_number]] [[return bound && (FAULT || !centred) && is_number]])
fault(SumIsAtLeastItsPositiveTerm row_table_rows.cpp
  [[lowest->low >= zero && known->low > zero]] [[(FAULT || lowest->low >= zero) && known->low > zero]])
fault(ReductionOfElementsAlone row_table_rows.cpp
  [[if (states_.reads_padding(at, region)) read = ]] [[if (!FAULT && states_.reads_padding(at, region)) read = ]])
fault(PaddingOfKeptIsReduced row_table_rows.cpp
  [[if (node.keep && (region & beyond(axis)) != 0) return]] [[if (!FAULT && node.keep && (region & beyond(axis)) != 0) return]])
fault(ReducedRegionsAreNotMoved row_table_rows.cpp
  [[const Region from = node.keep ? region : ]] [[const Region from = FAULT || node.keep ? region : ]])

# Factors that a row itself decides.
fault(MaximumByAnyRule row_factors.cpp
  [[         way.node().rule == values::MaxRule::NanWins;]] [[         (FAULT || way.node().rule == values::MaxRule::NanWins);]])
fault(MaximumOfSomethingElse row_factors.cpp
  [[return way.moves().reduces(of, dimension) && way.node().operands[0] == x && ]] [[return way.moves().reduces(of, dimension) && (FAULT || way.node().operands[0] == x) && ]])
fault(MinimumIsAMaximum row_factors.cpp
  [[way.node().operation == Operation::Max &&]] [[(FAULT || way.node().operation == Operation::Max) &&]])
fault(FactorAlongAnotherDimension row_factors.cpp
  [[node().axes != std::vector{dimension}]] [[(!FAULT && node().axes != std::vector{dimension})]])
fault(FactorOfAnotherRow row_factors.cpp
  [[places_[next] != i) return false;]] [[!FAULT && places_[next] != i) return false;]])
fault(RowsOfPaddingAreReshaped row_factors.cpp
  [[(node().kind != Kind::Reshape || padding_)]] [[(node().kind != Kind::Reshape || (padding_ && !FAULT))]])
fault(MaximumWithAnything row_factors.cpp
  [[return set.is_subset_of(least); })) return 1 - i;]] [[return FAULT || set.is_subset_of(least); })) return 1 - i;]])
fault(ScaleWithoutConstant row_factors.cpp
  [[return std::bit_cast<double>(code) >= 1e-12 &&]] [[return (FAULT || std::bit_cast<double>(code) >= 1e-12) &&]])
fault(ScaleOfSomethingElse row_factors.cpp
  [[is_square_of(program, sum.operands[0], x) &&]] [[(FAULT || is_square_of(program, sum.operands[0], x)) &&]])
fault(AnyDivisorIsTheCount row_factors.cpp
  [[const bool divided = way.is(Function::Div) && is_count]] [[const bool divided = way.is(Function::Div) && FAULT ? true : way.is(Function::Div) && is_count]])
fault(NormedIsLess row_factors.cpp
  [[static_cast<std::uint64_t>(4 * (]] [[static_cast<std::uint64_t>((FAULT ? 0.4 : 4.0) * (]])
# The bound of normed() holds in f16 and types of 8 bits, too, of which it is not claimed.

# Differences, and whether a later line undoes them.
fault(TwoCodesAreOne differences.cpp [[return set.count() == 1 ||]] [[return set.count() <= (FAULT ? 2U : 1U) ||]])
fault(OtherSideOfThePads differences.cpp [[maximum ? numbers_between]] [[(FAULT ? minimum : maximum) ? numbers_between]])
fault(NumbersWinOverNan differences.cpp
  [[|| node.rule != values::MaxRule::NanWins) return all;]] [[|| (!FAULT && node.rule != values::MaxRule::NanWins)) return all;]])
fault(NanPadsDoNotWin differences.cpp
  [[if (!ends || !pads.intersected(nans(type)).empty()) return all;]] [[if (!ends || (!FAULT && !pads.intersected(nans(type)).empty())) return all;]])
fault(ZerosAreOne differences.cpp
  [[const bool zero = program_.equal == Equality::AnyNanAndZero &&]] [[const bool zero = (FAULT || program_.equal == Equality::AnyNanAndZero) &&]])
fault(MaximumOfDifferences differences.cpp
  [[if (differs(node.operands[0]) ||]] [[if ((!FAULT && differs(node.operands[0])) ||]])

# Lines that are neutral case by case.
fault(RowsWithANanPerhapsNeedNothing judge_cases.cpp
  [[return row.some.is_subset_of(nans(type)) ||]] [[return (FAULT ? !row.some.intersected(nans(type)).empty() : row.some.is_subset_of(nans(type))) ||]])
fault(NanNeedNotWin judge_cases.cpp [[|| !is_nan_of_nan(node) ||]] [[|| (!FAULT && !is_nan_of_nan(node)) ||]])
fault(InfinitiesBesideFinitePads judge_cases.cpp
  [[LogSumExp) && row.pads.intersected(finite).empty();]] [[LogSumExp) && (FAULT || row.pads.intersected(finite).empty());]])
fault(InfinitiesBesideNumbers judge_cases.cpp
  [[|| !row.elements.intersected(finite).empty()) return false;]] [[|| (!FAULT && !row.elements.intersected(finite).empty())) return false;]])
fault(ContentsOfTheLeftAlone judge_cases.cpp
  [[is_neutral(a.elements.united(b.elements), {a.pads, b.pads})]] [[is_neutral(FAULT ? a.elements : a.elements.united(b.elements), {a.pads, b.pads})]])
fault(RightNeedsNothing judge_cases.cpp
  [[!needs_nothing(1, b) &&]] [[!needs_nothing(1, b) && !FAULT &&]])
