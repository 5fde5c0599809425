// The command genop-verify without its process: its settings, one run, and what it says.
import { parseArgs } from "node:util";
import { makePool, readOnlyUrl } from "./pool.ts";
import type { Head } from "./seal.ts";
import { verifyLedger } from "./verify-ledger.ts";
import type { Verification } from "./verify-ledger.ts";

export interface VerifyOutcome {
  /** 0: all holds; 1: it does not; 2: it could not be looked at. */
  readonly exitCode: 0 | 1 | 2;
  readonly stdout: string;
  readonly stderr: string;
}

const USAGE = `usage: genop-verify [--json] [--anchor NUMBER:HASH]...

Computes the ledger's hash chain anew and runs the reports that must be empty. Reads only.
  --json    one JSON object instead of a sentence
  --anchor  a block that was noted elsewhere (the log's ledger.sealed): it must still be in the chain

VERIFY_DATABASE_URL       the database, with a login that is a member of genop_reader; TLS by sslmode
VERIFY_DATABASE_PASSWORD  instead of one inside the URL
exit: 0 all holds, 1 it does not, 2 it could not be looked at
`;
const URL_PATTERN = /^postgres(ql)?:\/\//;
const ANCHOR_PATTERN = /^([1-9][0-9]{0,17}):([0-9a-f]{64})$/;
// Counting a large ledger takes its time.
const LONGEST_STATEMENT_MS = 3_600_000;

interface Settings {
  readonly url: string;
  readonly password: string | undefined;
  readonly json: boolean;
  readonly anchors: readonly Head[];
}

/** Never throws: what stands in the way is an outcome. */
export async function runVerify(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<VerifyOutcome> {
  try {
    const settings = readVerifySettings(args, env);
    return settings === "help" ? { exitCode: 0, stdout: USAGE, stderr: "" } : await verify(settings);
  } catch (error) {
    const message = error instanceof Error ? error.message : "cannot verify: unknown fault";
    return { exitCode: 2, stdout: "", stderr: `${message}\n` };
  }
}

/** Throws one message that names what is wrong, without any value. */
export function readVerifySettings(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Settings | "help" {
  const { anchor = [], help, json = false } = optionsOf(args);
  if (help) return "help";
  const { VERIFY_DATABASE_PASSWORD: password, VERIFY_DATABASE_URL: url = "" } = env;
  if (!URL_PATTERN.test(url)) throw new Error("cannot verify: VERIFY_DATABASE_URL must be a postgres:// URL");
  return { url: readOnlyUrl(url), password, json, anchors: anchor.map(anchorOf) };
}

function optionsOf(args: readonly string[]) {
  const options = {
    json: { type: "boolean" },
    help: { type: "boolean" },
    anchor: { type: "string", multiple: true },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch {
    throw new Error(`cannot verify: unknown argument\n${USAGE}`);
  }
}

function anchorOf(text: string): Head {
  const [, number, hash] = ANCHOR_PATTERN.exec(text) ?? [];
  if (number === undefined || hash === undefined)
    throw new Error("cannot verify: --anchor must be NUMBER:HASH, as the log's ledger.sealed has them");
  return { number: BigInt(number), hash };
}

async function verify({ anchors, json, password, url }: Settings): Promise<VerifyOutcome> {
  const pool = makePool({
    url,
    password: password === undefined ? undefined : () => password,
    applicationName: "genop-verify",
    maxConnections: 1,
    statementTimeoutMs: LONGEST_STATEMENT_MS,
  });
  try {
    const found = await verifyLedger(pool, anchors, new AbortController().signal);
    const holds = found.broken === undefined && found.reports.length === 0;
    return { exitCode: holds ? 0 : 1, stdout: json ? asJson(found, holds) : asText(found), stderr: "" };
  } finally {
    await pool.end();
  }
}

function asJson(found: Verification, holds: boolean): string {
  const text = (_: string, value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);
  return `${JSON.stringify({ holds, ...found }, text)}\n`;
}

function asText({ blocks, broken, head, reports, transactions, unsealed }: Verification): string {
  const lines = [
    broken && `broken: ${placeOf(broken.block)}${broken.why}${listOf(broken.transactions)}`,
    ...reports.map(({ report, rows }) => `not empty: report_${report} has ${rows} rows`),
    `${blocks} blocks with ${transactions} transactions hold; ${unsealed} transactions are not sealed yet`,
    head && `head ${head.number}:${head.hash}`,
  ];
  return lines.filter((line) => line !== undefined).join("\n") + "\n";
}

function placeOf(block: bigint | undefined): string {
  return block === undefined ? "" : `block ${block}: `;
}

function listOf(transactions: readonly bigint[]): string {
  return transactions.length === 0 ? "" : ` (transactions ${transactions.join(", ")})`;
}
