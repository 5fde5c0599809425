import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { readJson, writeJson } from "../../../operator/providers/json.ts";

const read = (text: string): unknown => readJson(Buffer.from(text));

describe("reading JSON", () => {
  test("keeps integers that a double cannot hold", () => {
    expect(read('{"id":9223372036854775807,"small":7,"half":0.5}')).toEqual({
      id: 9223372036854775807n,
      small: 7,
      half: 0.5,
    });
    expect(read('{"id":"9223372036854775807"}')).toEqual({ id: "9223372036854775807" });
    expect(read("1234567890123456.5")).toBe(1234567890123456.5);
  });

  test.each(["", "<html>", '{"id":', "undefined", '{"a":1} trailing'])("gives nothing for %j", (text) => {
    expect(read(text)).toBeUndefined();
  });

  test("makes no object that pretends to have what it has not", () => {
    expect(Object.getPrototypeOf(read('{"__proto__":{"id":"x"}}'))).toBe(Object.prototype);
  });
});

describe("writing JSON", () => {
  test("agrees with JSON.stringify on every JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(JSON.parse(writeJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test.each([
    { what: "CEL's integers", value: { count: 2n }, text: '{"count":2}' },
    { what: "integers beyond a double", value: [9223372036854775807n], text: "[9223372036854775807]" },
    { what: "maps", value: new Map<unknown, unknown>([["a", 1n]]), text: '{"a":1}' },
    { what: "times", value: new Date("2026-11-30T12:00:00Z"), text: '"2026-11-30T12:00:00.000Z"' },
    {
      what: "objects without a prototype",
      value: Object.assign(Object.create(null) as object, { a: 1 }),
      text: '{"a":1}',
    },
  ])("knows $what", ({ value, text }) => {
    expect(writeJson(value)).toBe(text);
  });

  test.each([
    { what: "a number that is not finite", value: Number.NaN },
    { what: "bytes", value: Buffer.from("a") },
    { what: "nothing at all", value: undefined },
    { what: "what is nested too deep", value: Array.from({ length: 100 }).reduce<unknown>((inner) => [inner], 1) },
  ])("refuses $what", ({ value }) => {
    expect(() => writeJson(value)).toThrow(/^cannot write JSON/);
  });
});
