#!/usr/bin/env bash
# without_family.sh NAME [FOLDER]: shows that a family can be deleted. It copies the tree without the family's folder,
# corpus and tests into FOLDER (by default a temporary one) and builds the program and the shared library there. It then
# checks the corpus of each remaining family and runs a short campaign of it. FOLDER must be empty, and is kept.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
family=${1:?"expected a family, the name of a folder of encodings/"}
[[ -f $root/encodings/$family/family.cpp ]] || { echo "$family is not a family" >&2; exit 64; }
if [[ $# -ge 2 ]]; then
  copy=$(cd "$2" && pwd)
else
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
fi

cd "$root"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
  if [[ -e $file ]]; then printf '%s\0' "$file"; fi
done | tar --null --files-from=- --create | tar --extract --directory "$copy"
rm -rf "$copy/encodings/$family" "$copy/corpus/$family" "$copy/tests/$family"

cd "$copy"
cmake --preset release -DVL_Z3_ROOT="$root/build/z3" >/dev/null
ninja -C build/release verify-layout vl_shared
program=build/release/verify-layout
if "$program" families | grep "^$family" >/dev/null; then
  echo "$family is still there" >&2
  exit 1
fi
for folder in encodings/*/family.cpp; do
  other=$(basename "$(dirname "$folder")")
  echo "check corpus/$other"
  "$program" check "corpus/$other" | tail -n 1
  grep -q '\.campaign' "$folder" || continue # it has no random layouts
  echo "fuzz --family $other"
  "$program" fuzz --family "$other" --count 20000 | tail -n 1
done
echo "without $family everything else works"
