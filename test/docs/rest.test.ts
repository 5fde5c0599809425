// The pages of the REST face: problems, settings, metrics.
import { describe, expect, test } from "@jest/globals";
import { VARIABLES, readConfig } from "../../api-shim/config.ts";
import { SHIM_METRICS } from "../../api-shim/metrics.ts";
import { PROBLEMS } from "../../api-shim/problems.ts";
import { makeRoutes, type RoutesDeps } from "../../api-shim/routes/routes.ts";
import { bare, filesBelow, listed, readText, rowsWith, ROOT } from "./markdown.ts";
import { join } from "node:path";

describe("docs/reference/problems.md", () => {
  const rows = rowsWith(readText("docs/reference/problems.md"), ["problem", "status", "title", "what to do"]);

  test("has a row for every problem, and for no other, with its status and title", () => {
    expect(rows.map(({ problem, status, title }) => [bare(problem), Number(status), title])).toEqual(
      Object.entries(PROBLEMS).map(([code, { status, title }]) => [code, status, title]),
    );
    expect(rows.filter((row) => row["what to do"] === "")).toEqual([]);
  });

  test("has no problem that nothing answers", () => {
    const sources = filesBelow(join(ROOT, "api-shim"), ".ts")
      .filter((path) => !/problems\.ts$|routes\/document\.ts$/.test(path))
      .map(readText)
      .join("\n");
    expect(Object.keys(PROBLEMS).filter((code) => !new RegExp(`Problem\\(\\s*"${code}"`).test(sources))).toEqual([]);
  });
});

describe("docs/reference/rest.md", () => {
  const page = readText("docs/reference/rest.md");
  const settings = rowsWith(page, ["setting", "type", "default", "meaning"]);
  const needed = { S3_BUCKET: "genop" };

  test("has a row for every route with the right that it needs, and for no other", () => {
    const routes = makeRoutes({ uploadMaxBytes: 1 } as RoutesDeps); // routes are data: nothing is called
    const told = routes
      .filter(({ id }) => !id.startsWith("page:"))
      .map(({ access, method, path }) => [`${method} ${path}`, access ? `${access.verb} ${access.resource}` : ""]);
    const rows = rowsWith(page, ["route", "right", "answer"]);
    expect(rows.map(({ right = "", route = "" }) => [bare(route), bare(right)])).toEqual(told);
  });

  test("has a row for every setting, and for no other", () => {
    expect(settings.map(({ setting }) => bare(setting)).sort()).toEqual([...VARIABLES].sort());
  });

  test.each(settings)("says the default of $setting", ({ default: told = "", setting }) => {
    if (told === "required") {
      expect(() => readConfig({})).toThrow(bare(setting));
      return;
    }
    const value = (readConfig(needed) as Readonly<Record<string, unknown>>)[bare(setting)];
    const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
    expect(bare(told)).toBe(text);
  });

  test.each(settings.filter(({ type = "" }) => type.includes(" to ")))(
    "says the limits of $setting",
    ({ setting, type = "" }) => {
      const [least = NaN, most = NaN] = type.split(" to ").map(Number);
      const complaint = (value: number): string => {
        try {
          readConfig({ ...needed, [bare(setting)]: String(value) });
          return "";
        } catch (error) {
          return String(error);
        }
      };
      expect(complaint(least - 0.01)).toMatch(new RegExp(`${bare(setting)}: (Too small|Invalid input)`));
      expect(complaint(most + 1)).toMatch(new RegExp(`${bare(setting)}: Too big`));
      expect(complaint(least) + complaint(most)).not.toMatch(new RegExp(`${bare(setting)}: Too`));
    },
  );

  test("has a row for every metric, with what the code says of it", () => {
    const rows = rowsWith(page, ["metric", "kind", "labels", "meaning"]);
    expect(rows.map(({ kind, labels, meaning, metric }) => [bare(metric), kind, listed(labels), meaning])).toEqual(
      Object.values(SHIM_METRICS).map(({ help, kind, labels, name }) => [name, kind, [...labels], help]),
    );
  });
});
