#!/usr/bin/env node
// Recomputes the three fingerprints of an MCP tool list. Needs Node and nothing else.
//
//   node recompute-fingerprints.mjs page1.json [page2.json ...]
//
// A file holds one answer to tools/list as the server sent it (the JSON-RPC
// response or its result) or an array of tools; all pages of one list, in order.
// Prints JSON. A fingerprint that cannot be computed is null: reason on stderr, exit 1.
// Canonical form (nfc-jcs/v1): strings and keys in Unicode NFC, then RFC 8785.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const refuse = (why) => { throw new Error(why); };
// In a /u pattern only an unpaired surrogate is a surrogate.
const nfc = (text) => (/\p{Surrogate}/u.test(text) ? refuse("unpaired surrogate") : text.normalize("NFC"));

function canonical(value) {
  if (typeof value === "string") return JSON.stringify(nfc(value));
  if (Math.abs(value) === Infinity) refuse("number beyond a double");
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  const members = new Map(Object.entries(value).map(([key, member]) => [nfc(key), member]));
  if (members.size < Object.keys(value).length) refuse("two keys that are equal in NFC");
  // sort() without arguments compares UTF-16 code units.
  return `{${[...members.keys()].sort().map((key) => `${canonical(key)}:${canonical(members.get(key))}`)}}`;
}

// Names are sorted as they were sent, before NFC, duplicates kept.
const toolset = (tools) => canonical(tools.map((tool) => tool.name).sort());

const order = (a, b) => (a < b ? -1 : Number(a > b));
const byName = (rows) => rows.sort((a, b) => order(a.name, b.name) || order(a.text, b.text));

function schemas(tools) {
  const rows = byName(tools.map((tool) => ({
    name: tool.name,
    text: canonical(Object.hasOwn(tool, "inputSchema") ? tool.inputSchema : refuse("a tool has no inputSchema")),
  })));
  return `[${rows.map(({ name, text }) => `{"inputSchema":${text},"name":${canonical(name)}}`)}]`;
}

// All that a client shows to a model; a member that a tool lacks is left out.
const MEMBERS = ["annotations", "description", "inputSchema", "name", "outputSchema", "title"];

function definitions(tools) {
  const define = (tool) => Object.fromEntries(MEMBERS.filter((key) => Object.hasOwn(tool, key)).map((key) => [key, tool[key]]));
  return `[${byName(tools.map((tool) => ({ name: tool.name, text: canonical(define(tool)) }))).map(({ text }) => text)}]`;
}

function fingerprint(project, tools) {
  try {
    return `sha256:${createHash("sha256").update(project(tools)).digest("hex")}`;
  } catch (error) {
    console.error(`${project.name}: ${error.message}`);
    process.exitCode = 1;
    return null;
  }
}

try {
  const answers = process.argv.slice(2).map((file) => JSON.parse(utf8.decode(readFileSync(file))));
  const pages = answers.map((answer) => answer?.result ?? answer);
  if (pages.length === 0) refuse("name the files that hold the pages");
  if (pages.at(-1)?.nextCursor) refuse("incomplete: the last page names a nextCursor");
  const tools = pages.flatMap((page) => (Array.isArray(page) ? page : page?.tools ?? refuse("a file holds no tools")));
  if (!tools.every((tool) => typeof tool?.name === "string")) refuse("a tool has no name");
  const digests = [toolset, schemas, definitions].map((what) => fingerprint(what, tools));
  const [toolset_fingerprint, schema_fingerprint, definition_fingerprint] = digests;
  console.log(JSON.stringify({ tools: tools.length, toolset_fingerprint, schema_fingerprint, definition_fingerprint }));
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
