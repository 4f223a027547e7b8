#!/usr/bin/env python3
"""Whole-process figures of the spine on this machine: how long from `touchstone
up` to the first signed report, how much memory each process holds, and how
much CPU time a run costs each of them.

usage: tests/bench/spine.py [PROGRAM]     (default target/release/touchstone)

Needs the test peers (tests/peers/install.sh). Starts one real MCP server on
loopback, then `touchstone up` three times on a fresh data folder; prints
medians. Bounded: RUNS targets a start, each run once.
"""

import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/touchstone")
STARTS = 3
RUNS = 200
TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_mib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise SystemExit(f"process {pid} is gone")


def events(process):
    for line in process.stdout:
        yield time.monotonic(), json.loads(line)


def up(urls, data):
    command = [PROGRAM, "up", "--json", "--listen", "127.0.0.1:0", "--allow-net", "127.0.0.0/8", "--data", data, *urls]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def first_report(url):
    data = tempfile.mkdtemp()
    began = time.monotonic()
    process = up([url], data)
    try:
        for at, event in events(process):
            if event["event"] == "attested":
                return at - began
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(data)
    raise SystemExit("up ended before a report was signed")


def cost(urls):
    data = tempfile.mkdtemp()
    process = up(urls, data)
    pids, before, done = {}, {}, 0
    began = None
    try:
        for at, event in events(process):
            if event["event"] == "started" and "pid" in event:
                pids[event["role"]] = event["pid"]
            if event["event"] in ("attested", "declined"):
                if event["event"] == "declined":
                    raise SystemExit(f"a run was declined: {event}")
                done += 1
                if done == 10:  # past start-up and first use of everything
                    before, began = {role: cpu_seconds(pid) for role, pid in pids.items()}, at
                if done == len(urls):
                    counted = done - 10
                    spent = {role: (cpu_seconds(pid) - before[role]) / counted * 1000 for role, pid in pids.items()}
                    return spent, {role: memory_mib(pid) for role, pid in pids.items()}, (at - began) / counted
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(data)
    raise SystemExit("up ended before all runs were signed")


peers = ROOT / "target/peers"
port = free_port()
peer = subprocess.Popen(["node", str(peers / "node/ts2.mjs"), str(port)])
try:
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.05)
    url = f"http://127.0.0.1:{port}/mcp"
    first = [first_report(url) for _ in range(STARTS)]
    print(f"up to first signed report, s: median {statistics.median(first):.2f} of {[round(x, 2) for x in first]}")
    spent, memory, apart = cost([f"{url}?target={n}" for n in range(RUNS)])
    for role in spent:
        print(f"{role}: {spent[role]:.2f} ms CPU a run, {memory[role]:.1f} MiB resident after {RUNS} runs")
    print(f"one run every {apart * 1000:.1f} ms (one host: runs follow one another)")
finally:
    peer.terminate()
