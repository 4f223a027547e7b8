#!/usr/bin/env bash
# Installs the other program's RFC 8785 package, pinned beside this script, into
# target/differential. Does nothing when it is there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
into="$here/../../target/differential"
stamp=$(cat "$here"/install.sh "$here"/package*.json "$here"/other.mjs | sha256sum | cut -c1-64)
[ "$(cat "$into/stamp" 2>/dev/null || true)" = "$stamp" ] && exit 0

echo "installing the differential test's other program into target/differential"
rm -rf "$into"
mkdir -p "$into"
cp "$here"/package*.json "$here"/other.mjs "$into/"
(cd "$into" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error)
echo "$stamp" > "$into/stamp"
