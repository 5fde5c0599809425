// Each output fault: what the client saw of it, and that the record names it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { gunzipSync } from "node:zlib";
import { OutputFault } from "../../provider/schema/faultNames.ts";
import { call, shown, type Seen } from "./calling.ts";
import { makeProvider, type Fixture } from "./fixture.ts";
import { answerOf, digestOf, firstOf, makeJob, type Answer, type Made } from "./making.ts";

let fixture: Fixture;

beforeAll(async () => {
  fixture = await makeProvider();
});
afterAll(() => fixture.remove());
beforeEach(() => fixture.provider.admin.reset());

const made = (wishes: readonly unknown[]): Promise<Made> => makeJob(fixture.caller, wishes);

describe("a fetch", () => {
  interface Row {
    readonly fault: OutputFault;
    readonly sees: (seen: Seen, truth: Buffer) => void;
    readonly patienceMs?: number;
  }

  const status =
    (code: number, location?: RegExp): Row["sees"] =>
    (seen) => {
      expect(answerOf(seen).status).toBe(code);
      if (location) expect(answerOf(seen).headers.location).toMatch(location);
    };
  const same: Row["sees"] = (seen, truth) => {
    expect([answerOf(seen).whole, answerOf(seen).body.equals(truth)]).toEqual([true, true]);
  };
  const brokenOff: Row["sees"] = (seen, truth) => {
    const { whole, body } = answerOf(seen);
    expect(whole).toBe(false);
    expect(body.equals(truth.subarray(0, body.length)) && body.length < truth.length).toBe(true);
  };
  const wholeBut =
    (check: (seen: Answer, truth: Buffer) => void): Row["sees"] =>
    (seen, truth) => {
      expect(answerOf(seen).whole).toBe(true);
      check(answerOf(seen), truth);
    };

  const ROWS: readonly Row[] = [
    { fault: "none", sees: same },
    { fault: "expired-url", sees: status(403) },
    { fault: "always-expired", sees: status(403) },
    { fault: "expires-soon", sees: same },
    { fault: "not-found", sees: status(404) },
    { fault: "server-error", sees: status(500) },
    { fault: "truncated-length", sees: brokenOff },
    {
      fault: "truncated-close",
      sees: wholeBut(({ body, headers }, truth) => {
        expect(headers["content-length"]).toBeUndefined();
        expect(body.equals(truth.subarray(0, Math.ceil(truth.length / 2)))).toBe(true);
      }),
    },
    {
      fault: "mislabelled-html",
      sees: wholeBut(({ body, headers }) => {
        expect([headers["content-type"], body.toString("latin1", 0, 15)]).toEqual(["image/png", "<!doctype html>"]);
      }),
    },
    {
      fault: "mislabelled-wav",
      sees: wholeBut(({ body, headers }) => {
        expect([headers["content-type"], body.toString("latin1", 0, 4)]).toEqual(["image/png", "RIFF"]);
      }),
    },
    {
      fault: "wrong-magic",
      sees: wholeBut(({ body }, truth) => {
        expect([body.toString("latin1", 0, 4), body.length]).toEqual(["xxxx", truth.length]);
      }),
    },
    {
      fault: "wrong-type",
      sees: wholeBut(({ body, headers }, truth) => {
        expect([headers["content-type"], body.equals(truth)]).toEqual(["text/plain", true]);
      }),
    },
    {
      fault: "octet-stream",
      sees: wholeBut(({ body, headers }, truth) => {
        expect([headers["content-type"], body.equals(truth)]).toEqual(["application/octet-stream", true]);
      }),
    },
    {
      fault: "oversized",
      sees: wholeBut(({ body }, truth) => {
        expect(body.length).toBeGreaterThanOrEqual(truth.length * 2);
        expect(body.subarray(0, truth.length).equals(truth)).toBe(true);
      }),
    },
    {
      fault: "endless",
      patienceMs: 300,
      sees: (seen, truth) => {
        expect(answerOf(seen).whole).toBe(false);
        expect(answerOf(seen).body.length).toBeGreaterThan(truth.length * 2);
      },
    },
    { fault: "slow", patienceMs: 700, sees: brokenOff },
    { fault: "stall", patienceMs: 500, sees: brokenOff },
    {
      fault: "gzip-bomb",
      sees: wholeBut(({ body, headers }) => {
        expect(headers["content-encoding"]).toBe("gzip");
        expect(() => gunzipSync(body, { maxOutputLength: body.length * 100 })).toThrow(/larger than/);
      }),
    },
    { fault: "redirect-private", sees: status(302, /^http:\/\/10\./) },
    { fault: "redirect-metadata", sees: status(302, /^http:\/\/169\.254\.169\.254\//) },
    { fault: "redirect-other-host", sees: status(302, /^http:\/\/localhost:/) },
    { fault: "redirect-other-port", sees: status(302, /^http:\/\/127\.0\.0\.1:/) },
    { fault: "redirect-loop", sees: status(302, /^\/v1\/outputs\//) },
    { fault: "reset-midway", sees: brokenOff },
    { fault: "reset-once", sees: brokenOff },
    {
      fault: "corrupt-container",
      sees: wholeBut(({ body }, truth) => {
        expect(body.equals(truth.subarray(0, body.length)) && body.length < truth.length).toBe(true);
      }),
    },
  ];

  test("has a row here for every fault there is", () => {
    expect(new Set(ROWS.map(({ fault }) => fault))).toEqual(new Set(OutputFault.options));
  });

  test.each(ROWS)("that meets $fault is seen and recorded as such", async ({ fault, sees, patienceMs }) => {
    const { admin } = fixture.provider;
    const wish = { kind: "image", bytes: 300_000 };
    const job = await made([{ ...wish, faults: [fault] }]);
    const seen = await call({ url: firstOf(job).url, ...(patienceMs !== undefined && { patienceMs }) });
    const again = shown(await fixture.caller.get(`/v1/jobs/${job.id}`)) as { body: Made };
    const truth = await call({ url: firstOf(again.body).url });

    sees(seen, fault === "always-expired" ? Buffer.alloc(0) : answerOf(truth).body);
    const { requests } = await admin.record({ operation: "output" });
    expect(requests.map((request) => request.fault)).toEqual([fault, "none"]);
  });

  test.each(["redirect-other-host", "redirect-other-port"])("that follows %s finds the output there", async (fault) => {
    const { admin } = fixture.provider;
    const job = await made([{ kind: "image", fault }]);
    const response = await fetch(firstOf(job).url);
    const { sha256 } = await admin.expected(job.id, firstOf(job).name);
    expect(digestOf(Buffer.from(await response.arrayBuffer()))).toBe(sha256);

    const { requests } = await admin.record({ operation: "output" });
    expect(requests.map(({ port }) => port)).toEqual(["main", fault === "redirect-other-port" ? "mirror" : "main"]);
  });

  test("that was reset is resumed by a range", async () => {
    const job = await made([{ kind: "image", bytes: 300_000, fault: "reset-once" }]);
    const { url } = firstOf(job);
    const start = answerOf(await call({ url }));
    const rest = answerOf(await call({ url, headers: { range: `bytes=${start.body.length}-` } }));
    const { sha256 } = await fixture.provider.admin.expected(job.id, firstOf(job).name);
    expect(digestOf(Buffer.concat([start.body, rest.body]))).toBe(sha256);
  });

  test("that the client breaks off is recorded as incomplete", async () => {
    const { admin } = fixture.provider;
    const { url } = firstOf(await made([{ kind: "audio", bytes: 100_000_000 }]));
    const leaving = new AbortController();
    const response = await fetch(url, { signal: leaving.signal });
    expect(response.status).toBe(200);
    leaving.abort();

    await admin.waitFor((event) => event.type === "output.served", AbortSignal.timeout(5_000));
    expect((await admin.record()).served).toMatchObject([{ complete: false }]);
  });
});
