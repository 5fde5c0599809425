import { describe, expect, test } from "@jest/globals";
import { NotSentFault } from "../../../operator/outbound/fault.ts";
import { matchesHost, readUrl } from "../../../operator/outbound/url.ts";

describe("an entry of a host list", () => {
  test.each([
    { pattern: "cdn.example", url: "https://cdn.example/a", matches: true },
    { pattern: "CDN.example", url: "https://cdn.EXAMPLE/a", matches: true },
    { pattern: "cdn.example", url: "https://cdn.example./a", matches: true },
    { pattern: "cdn.example", url: "https://cdn.example:443/a", matches: true },
    { pattern: "cdn.example", url: "http://cdn.example/a", matches: true },
    { pattern: "cdn.example", url: "https://cdn.example:8443/a", matches: false },
    { pattern: "cdn.example:8443", url: "https://cdn.example:8443/a", matches: true },
    { pattern: "cdn.example:8443", url: "https://cdn.example/a", matches: false },
    { pattern: "cdn.example:443", url: "http://cdn.example/a", matches: false },
    { pattern: "cdn.example", url: "https://a.cdn.example/a", matches: false },
    { pattern: "cdn.example", url: "https://cdn.example.evil/a", matches: false },
    { pattern: "*.example", url: "https://a.example/a", matches: true },
    { pattern: "*.example", url: "https://a.b.example/a", matches: true },
    { pattern: "*.example", url: "https://example/a", matches: false },
    { pattern: "*.example", url: "https://.example/a", matches: false },
    { pattern: "*.example", url: "https://evilexample/a", matches: false },
    { pattern: "*.example:8443", url: "https://a.example:8443/a", matches: true },
    { pattern: "[::1]:8080", url: "http://[::1]:8080/a", matches: true },
    { pattern: "[::1]", url: "https://[::1]/a", matches: true },
  ])("$pattern covers $url: $matches", ({ pattern, url, matches }) => {
    expect(URL.canParse(url) && matchesHost(new URL(url), pattern)).toBe(matches);
  });
});

describe("a URL that somebody else wrote", () => {
  const hosts = ["cdn.example", "cdn.example:8443"];

  test.each([
    { when: "it is no URL", url: "//", code: "guard-url" },
    { when: "it is no web address", url: "file:///etc/passwd", code: "guard-scheme" },
    { when: "it is data", url: "data:text/plain,hello", code: "guard-scheme" },
    { when: "it is plain http", url: "http://cdn.example/", code: "guard-scheme" },
    { when: "it names a user", url: "https://user@cdn.example/", code: "guard-userinfo" },
    { when: "it holds a password", url: "https://:password@cdn.example/", code: "guard-userinfo" },
    { when: "its host is not listed", url: "https://other.example/", code: "guard-host" },
    { when: "its port is not listed", url: "https://cdn.example:22/", code: "guard-host" },
    { when: "its host is hidden behind a user", url: "https://cdn.example@other.example/", code: "guard-userinfo" },
  ])("is refused when $when, without being quoted", ({ url, code }) => {
    const refused = refusalOf(() => readUrl(url, { allowPlainHttp: false, hosts }));
    expect(refused).toMatchObject({ code, isRefusal: true });
    expect(refused?.message).not.toContain("example/");
  });

  test("is taken when it keeps the rules", () => {
    expect(readUrl("https://cdn.example:8443/a?b=c", { allowPlainHttp: false, hosts }).search).toBe("?b=c");
    expect(readUrl("http://cdn.example/", { allowPlainHttp: true, hosts }).protocol).toBe("http:");
  });
});

function refusalOf(act: () => unknown): NotSentFault | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof NotSentFault ? error : undefined;
  }
}
