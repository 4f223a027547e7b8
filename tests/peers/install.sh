#!/usr/bin/env bash
# Installs into target/peers, at the versions pinned beside this script, the
# real MCP servers of the end-to-end tests, the judge of our own client, and the
# verifiers that others wrote.
# What is there as pinned is left alone; with nothing to do it says nothing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
into="$root/target/peers"

# A registry's bad minute is sat out; its bad hour is not.
attempts=3
attempt_limit_s=900

stamp_of() { sha256sum "$@" | cut -c1-64 | sha256sum | cut -c1-64; }
mapfile -t pinned < <(find "$here" -type f | LC_ALL=C sort)
stamp=$(stamp_of "${pinned[@]}")
is_current() { [ "$(cat "$1" 2>/dev/null || true)" = "$2" ]; }
is_current "$into/stamp" "$stamp" && exit 0

mkdir -p "$into"
exec 9> "$into/lock"
flock 9
is_current "$into/stamp" "$stamp" && exit 0
rm -f "$into/stamp"

attempt() {
  local number
  for ((number = 1; number <= attempts; number++)); do
    if timeout --kill-after=10 "$attempt_limit_s" "$@"; then return 0; fi
    echo "attempt $number of $attempts failed: $*" >&2
  done
  return 1
}

# part NAME INSTALL FILE...: into target/peers/NAME, unless it is there as
# these files say.
part() {
  local name=$1 install=$2 stamp
  shift 2
  stamp=$(stamp_of "${BASH_SOURCE[0]}" "$@")
  is_current "$into/$name.stamp" "$stamp" && return 0
  echo "installing the test peers into target/peers: $name"
  rm -rf "$into/$name" "$into/$name.stamp"
  mkdir -p "$into/$name"
  "$install" "$name" "$@"
  echo "$stamp" > "$into/$name.stamp"
}

from_npm() {
  cp "$2" "$3" "$into/$1/"
  cd "$into/$1"
  attempt npm ci --no-audit --no-fund --ignore-scripts --loglevel=error
}

from_pypi() {
  python3 -m venv "$into/$1"
  attempt "$into/$1/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$2"
}

# The packages themselves are kept, for an installer that is to find them
# without a registry.
from_pypi_kept() {
  python3 -m venv "$into/$1"
  attempt "$into/$1/bin/pip" download --quiet --disable-pip-version-check --no-deps -d "$into/$1/packages" -r "$2"
  "$into/$1/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-index -f "$into/$1/packages" -r "$2"
}

# With a build directory of its own: the program under test shares nothing with it.
from_source() {
  cd "$(dirname "$2")"
  CARGO_TARGET_DIR="$into/$1-build" attempt cargo build --locked --quiet
  cp "$into/$1-build/debug/touchstone-$1-peer" "$into/$1/"
}

at_work=()
(part node from_npm "$here"/node/package{,-lock}.json) & at_work+=($!)
(part judge from_npm "$here"/judge/package{,-lock}.json) & at_work+=($!)
(part sigstore from_npm "$here"/sigstore/package{,-lock}.json) & at_work+=($!)
(part rmcp from_source "$here"/rmcp/{Cargo.toml,Cargo.lock,src/main.rs}) & at_work+=($!)
for name in mcp1 mcp2; do
  (part "$name" from_pypi "$here/python/$name.txt") & at_work+=($!)
done
(part verify from_pypi_kept "$here/python/verify.txt") & at_work+=($!)
failed=0
for work in "${at_work[@]}"; do wait "$work" || failed=1; done
[ "$failed" = 0 ] || { echo "the test peers could not be installed" >&2; exit 1; }

cp "$here"/node/*.mjs "$into/node/"
mkdir -p "$into/python"
cp "$here"/python/*.py "$into/python/"
echo "$stamp" > "$into/stamp"
