import { describe, expect, test } from "@jest/globals";
import { makeLog, type Level, type Log } from "../../../operator/observe/log.ts";
import { redactFields, redactText } from "../../../operator/observe/redact.ts";

function makeLines(level: Level = "debug"): { log: Log; lines: Record<string, unknown>[]; raw: string[] } {
  const lines: Record<string, unknown>[] = [];
  const raw: string[] = [];
  const destination = {
    write: (line: string) => {
      raw.push(line);
      lines.push(JSON.parse(line) as Record<string, unknown>);
    },
  };
  return { log: makeLog({ level, base: { role: "operator" }, destination }), lines, raw };
}

describe("a line of the log", () => {
  test("it is JSON: level, time, the event, its fields", () => {
    const { log, lines } = makeLines();
    log("warn", "watch.restarted", { kind: "tasks", waitMs: 100 });
    expect(lines).toEqual([
      {
        level: "warn",
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        role: "operator",
        event: "watch.restarted",
        kind: "tasks",
        waitMs: 100,
      },
    ]);
  });

  test("levels below the lowest are dropped", () => {
    const { log, lines } = makeLines("warn");
    log("info", "a");
    log("error", "b");
    expect(lines.map(({ event }) => event)).toEqual(["b"]);
  });

  test("a field can't overwrite what every line has", () => {
    const { log, lines } = makeLines();
    log("info", "a", { event: "forged", level: "fatal", time: "never" });
    expect(lines[0]).toMatchObject({ event: "a", level: "info" });
  });

  test.each([
    {
      what: "a circle",
      value: () => {
        const circle: Record<string, unknown> = {};
        circle.self = circle;
        return circle;
      },
    },
    { what: "a bigint", value: () => 10n },
    { what: "a function", value: () => () => undefined },
    { what: "an invalid date", value: () => new Date(NaN) },
    { what: "a thrown text", value: () => "oops" },
  ])("$what is logged without throwing, on one line", ({ value }) => {
    const { log, raw } = makeLines();
    expect(() => log("error", "a", { error: value() })).not.toThrow();
    expect(raw).toHaveLength(1);
    expect(raw[0]?.trimEnd()).not.toContain("\n");
  });
});

describe("what never appears", () => {
  test.each([
    {
      text: "GET https://cdn.example/a.png?X-Signature=hush&x=1 failed",
      clean: "GET https://cdn.example/a.png failed",
    },
    { text: "https://user:hush@host.example/a", clean: "https://host.example/a" },
    { text: "postgres://genop:hush@db:5432/genop", clean: "postgres://db:5432/genop" },
    { text: "https://a.example/b#hush", clean: "https://a.example/b" },
    { text: "authorization: Bearer hush.hush-hush", clean: "authorization: Bearer [redacted]" },
    { text: "no secret here? no", clean: "no secret here? no" },
  ])("$text", ({ text, clean }) => {
    expect(redactText(text)).toBe(clean);
  });

  test("values of telling names are hidden at every depth", () => {
    const fields = {
      credential: "hush",
      request: { headers: { authorization: "hush" }, body: "hush", prompt: "hush", list: [{ token: "hush" }] },
      taskKey: "studio/sunrise",
    };
    const logged = redactFields(fields);
    expect(JSON.stringify(logged)).not.toContain("hush");
    expect(logged.taskKey).toBe("studio/sunrise");
  });

  test("of an error only name, code, message, frames and cause are kept", () => {
    const cause = Object.assign(new Error("at https://x.example/?k=hush"), { config: "hush" });
    const error = Object.assign(new Error("outer", { cause }), { code: "ECONNRESET", detail: "Key (prompt)=(hush)" });
    const logged = redactFields({ error }) as { error: { code: string; cause: { message: string } } };
    expect(JSON.stringify(logged)).not.toContain("hush");
    expect(logged.error).toMatchObject({
      name: "Error",
      code: "ECONNRESET",
      message: "outer",
      cause: { message: "at https://x.example/" },
    });
  });

  test("whatever is logged, a line is bounded", () => {
    const deep = Array.from({ length: 100 }).reduce<unknown>((inner) => ({ a: inner, b: "x".repeat(10_000) }), "end");
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, index]));
    expect(JSON.stringify(redactFields({ deep, wide })).length).toBeLessThan(20_000);
  });
});
