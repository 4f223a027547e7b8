#!/usr/bin/env bash
# Installs the real MCP servers of the end-to-end tests into target/peers, at
# the versions pinned beside this script. Does nothing when they are there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
into="$root/target/peers"
stamp=$(cat "$here"/install.sh "$here"/node/* "$here"/python/* | sha256sum | cut -c1-64)
[ "$(cat "$into/stamp" 2>/dev/null || true)" = "$stamp" ] && exit 0

echo "installing the test peers into target/peers"
rm -rf "$into"
mkdir -p "$into"
cp -r "$here/node" "$here/python" "$into/"
(cd "$into/node" && npm ci --no-audit --no-fund --ignore-scripts --loglevel=error)
for name in mcp1 mcp2 verify; do
  python3 -m venv "$into/$name"
  "$into/$name/bin/pip" install --quiet --disable-pip-version-check -r "$into/python/$name.txt"
done
echo "$stamp" > "$into/stamp"
