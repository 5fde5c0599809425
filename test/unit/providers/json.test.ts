import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { fieldOf, readJson, writeJson } from "../../../operator/providers/json.ts";

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
    expect(read('{"a":-9223372036854775808,"b":9007199254740991,"c":1e30,"d":10000000000000000.0}')).toEqual({
      ...{ a: -9223372036854775808n, b: 9007199254740991, c: 1e30, d: 1e16 },
    });
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
    { what: "a function", value: () => 1 },
    { what: "an object of somebody's class", value: new URL("https://a.example/") },
    { what: "what is nested too deep", value: Array.from({ length: 100 }).reduce<unknown>((inner) => [inner], 1) },
  ])("refuses $what", ({ value }) => {
    expect(() => writeJson(value)).toThrow(/^cannot write JSON/);
  });

  test("goes as deep as 64 levels, and no deeper", () => {
    const nested = (levels: number): unknown =>
      Array.from({ length: levels }).reduce<unknown>((inner, _, level) => (level % 2 ? { a: inner } : [inner]), 1);
    expect(JSON.parse(writeJson(nested(64)))).toEqual(nested(64));
    expect(() => writeJson(nested(65))).toThrow("cannot write JSON: it is nested too deep");
  });

  test("says what it has no form for", () => {
    expect(() => writeJson(undefined)).toThrow("cannot write JSON: it has no form for undefined");
    expect(() => writeJson(new URL("https://a.example/"))).toThrow("cannot write JSON: it has no form for this type");
    expect(() => writeJson({ a: Infinity })).toThrow("cannot write JSON: a number is not finite");
  });

  test("writes each member, with keys as text", () => {
    expect(writeJson([1, "a", true, null, { b: [] }])).toBe('[1,"a",true,null,{"b":[]}]');
    expect(writeJson({ a: 1, b: { c: 2n } })).toBe('{"a":1,"b":{"c":2}}');
    expect(
      writeJson(
        new Map<unknown, unknown>([
          [1n, "x"],
          [true, "y"],
        ]),
      ),
    ).toBe('{"1":"x","true":"y"}');
  });
});

describe("a field", () => {
  test("is one of the value's own, of a map or of an object", () => {
    expect(fieldOf({ a: 1 }, "a")).toBe(1);
    expect(fieldOf(new Map([["a", 1]]), "a")).toBe(1);
    expect(fieldOf({ a: 1 }, "b")).toBeUndefined();
    expect(fieldOf(new Map([["a", 1]]), "size")).toBeUndefined();
    expect(fieldOf({}, "toString")).toBeUndefined();
  });

  test.each([null, undefined, "text", 7, true])("is nothing of %p", (value) => {
    expect(fieldOf(value, "length")).toBeUndefined();
  });
});
