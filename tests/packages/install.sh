#!/usr/bin/env bash
# install.sh FOLDER: installs each package of ./dev package (FOLDER is build/packages) where nothing else is, and runs it.
# The tarball and the Debian package go into an empty root, which has only glibc and the C++ runtime beside them, and are
# run in it by chroot (this needs root). The wheel goes into a new virtual environment in another folder. A program is
# compiled and linked by find_package. Not a test of ctest: it needs packages, which take a release build.
set -euo pipefail
packages=$(cd "$1" && pwd -P)
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
layout='SpyreTensorLayout((5, 100, 150), torch.float16)'
tensor='f16[5,100,150]'
last='1 case: 6 proved, 0 refuted, 0 unknown'

# expect NAME COMMAND…: the last line that the command prints is that of the six proved claims.
expect() {
  local name=$1 said
  shift
  said=$("$@" | tail -n 1)
  [[ $said == "$last" ]] || {
    echo "$name: $said" >&2
    exit 1
  }
  echo "$name: $said"
}

# an empty root with the libraries that every Linux has
root_for() {
  local root=$1 library
  mkdir -p "$root/lib64" "$root/lib/x86_64-linux-gnu" "$root/proc" "$root/tmp"
  cp /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
  for library in libc.so.6 libm.so.6 libdl.so.2 librt.so.1 libpthread.so.0 libstdc++.so.6 libgcc_s.so.1; do
    cp "$(readlink -f "$(ldconfig -p | awk -v name="$library" '$1 == name { print $NF; exit }')")" \
      "$root/lib/x86_64-linux-gnu/$library"
  done
}

# in_root ROOT PREFIX NAME: checks a layout and a certificate there; the loader finds libraries beside a program by /proc
in_root() {
  local root=$1 prefix=$2 there
  there=(unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root")
  expect "$3" "${there[@]}" "$prefix/bin/verify-layout" check --layout "$layout" --tensor "$tensor" --certificates /tmp/certificates
  [[ $("${there[@]}" "$prefix/bin/verify-layout-cert" /tmp/certificates/layout.3-bijective.json) == accepted* ]] || exit 1
  [[ -s $root$prefix/share/man/man1/verify-layout-check.1 || -s $root$prefix/share/man/man1/verify-layout-check.1.gz ]] || exit 1
}

root_for "$work/tarball"
tar -xzf "$packages"/verify-layout-*.tar.gz -C "$work/tarball" --strip-components=1 --one-top-level="$work/tarball/opt"
in_root "$work/tarball" /opt tarball

root_for "$work/debian"
dpkg-deb -x "$packages"/verify-layout_*.deb "$work/debian"
in_root "$work/debian" /usr 'Debian package'

mkdir "$work/caller"
cat >"$work/caller/CMakeLists.txt" <<'TEXT'
cmake_minimum_required(VERSION 3.16)
project(caller C)
find_package(verify-layout REQUIRED)
add_executable(caller caller.c main.c)
target_include_directories(caller PRIVATE .)
target_link_libraries(caller verify-layout::verify-layout)
TEXT
mkdir -p "$work/caller/oracle/c" "$work/caller/tests/c"
cp "$sources/tests/c/caller.c" "$work/caller/"
cp "$sources/tests/c/caller.h" "$work/caller/tests/c/"
printf '#include <verify_layout.h>\n' >"$work/caller/oracle/c/verify_layout.h"
printf '#include "tests/c/caller.h"\nint main(void) { return caller_round_trip(); }\n' >"$work/caller/main.c"
cmake -S "$work/caller" -B "$work/caller/build" -DCMAKE_PREFIX_PATH="$work/tarball/opt" >/dev/null
cmake --build "$work/caller/build" >/dev/null
"$work/caller/build/caller"
echo 'find_package: a C program packs and unpacks'

for python in ${PYTHONS:-python3}; do
  "$python" -m venv "$work/venv"
  (
    cd "$work"
    venv/bin/pip install --quiet --disable-pip-version-check "$packages"/verify_layout-*.whl
    expect "wheel, $(venv/bin/python --version)" venv/bin/verify-layout check --layout "$layout" --tensor "$tensor"
    printf '%s\n' "buf0: $layout" >build.log
    venv/bin/verify-layout check build.log | tail -n 1
    venv/bin/python -c "
import verify_layout as vl
report = vl.check('$layout', '$tensor')
assert report.ok and report['padding'].value == 21000, report
assert vl.Layout('$layout', '$tensor').physical_shape == (100, 3, 5, 64)
print('wheel, in process:', str(report).splitlines()[-1])"
  )
  rm -rf "$work/venv"
done
echo "all of them work"
