import { describe, expect, test } from "@jest/globals";
import { decodeDataUrl } from "../../../operator/artifacts/data-url.ts";
import { judgeAsset } from "../../../operator/artifacts/judge-asset.ts";
import type { Wish } from "../../../operator/artifacts/judge-asset.ts";
import type { Inspection, Tracks } from "../../../operator/artifacts/inspect/inspection.ts";
import { makeKeys, nameOutputs } from "../../../operator/artifacts/keys.ts";
import type { Output } from "../../../operator/task/outcome.ts";

const interrupted = (code: string) => ({ outcome: "interrupted", code, retryAfterMs: undefined });

describe("names of outputs", () => {
  const named = (...names: readonly (string | undefined)[]): readonly string[] =>
    nameOutputs(names.map((name): Output => ({ url: "", name, mediaType: undefined, bytes: undefined })));

  test.each([
    { when: "none is told", given: [undefined, undefined], are: ["output-0", "output-1"] },
    { when: "the provider names them", given: ["front.png", "back.png"], are: ["front.png", "back.png"] },
    { when: "two are the same", given: ["a", "a"], are: ["a", "output-1"] },
    { when: "one takes another's default", given: ["output-1", undefined], are: ["output-1", "output-1-1"] },
    {
      when: "others take its default and what would stand in for it",
      given: ["output-2", "output-2-1", undefined],
      are: ["output-2", "output-2-1", "output-2-2"],
    },
    { when: "a name is a path", given: ["../../etc/passwd"], are: ["etc-passwd"] },
    { when: "a name is all dots", given: [".."], are: ["output-0"] },
    {
      when: "a name has spaces and letters of the world",
      given: ["ein schöner Tag?.png"],
      are: ["ein-sch-ner-Tag-.png"],
    },
    { when: "a name is long", given: ["x".repeat(300)], are: ["x".repeat(64)] },
  ])("$when", ({ given, are }) => {
    expect(named(...given)).toEqual(are);
  });

  test("keys tell the attempt, and the attempt tells the keys", () => {
    const keys = makeKeys("team/");
    expect(keys.staged("A1", 3)).toBe("team/staging/A1/3");
    expect(keys.attemptOf("team/staging/A1/3")).toBe("A1");
    expect(keys.attemptOf("team/assets/studio/order-1/A1/output-0")).toBeUndefined();
    expect(keys.published("studio/order-1", "A1", "output-0")).toBe("team/assets/studio/order-1/A1/output-0");
  });
});

describe("data URLs", () => {
  test("base64 is decoded", () => {
    expect(decodeDataUrl("data:image/png;base64,aGFyYm91cg==", 100)).toEqual({
      outcome: "decoded",
      bytes: Buffer.from("harbour"),
    });
  });

  test.each([
    { url: "data:image/png,harbour", why: "it is a data URL that is not encoded as base64" },
    { url: "data:image/png;base64", why: "it is not a readable data URL" },
    { url: "data:image/png;base64,%%%", why: "it is a data URL that is not base64" },
    { url: `data:image/png;base64,${"A".repeat(200)}`, why: "it is a data URL of more than 100 bytes" },
  ])("$why", ({ url, why }) => {
    expect(decodeDataUrl(url, 100)).toEqual({ outcome: "refused", why });
  });
});

describe("what an inspected output is", () => {
  const none: Tracks = {
    ...{ hasImage: false, hasAudio: false, hasVideo: false },
    ...{ width: undefined, height: undefined, durationMs: undefined },
  };
  const whole = (tracks: Partial<Tracks>, proven = true): Inspection => ({
    outcome: "whole",
    proven,
    tracks: { ...none, ...tracks },
  });
  const wish = (overrides: Partial<Wish>): Wish => ({
    name: "output-0",
    sniffed: "image/png",
    announced: undefined,
    allowed: undefined,
    isLengthKnown: true,
    ...overrides,
  });
  const asset = (mediaType: string) => expect.objectContaining({ outcome: "asset", mediaType });
  const unusable = (check: string) => ({ outcome: "unusable", message: `output-0 is not usable: ${check}` });

  test.each([
    { when: "a picture", wish: wish({}), found: whole({ hasImage: true }), then: asset("image/png") },
    {
      when: "an MP4 with sound alone, announced as sound",
      wish: wish({ sniffed: "video/mp4", announced: "audio/mp4" }),
      found: whole({ hasAudio: true }),
      then: asset("audio/mp4"),
    },
    {
      when: "an MP3 with a cover",
      wish: wish({ sniffed: "audio/mpeg" }),
      found: whole({ hasAudio: true, hasImage: true, width: 600, height: 600, durationMs: 1 }),
      then: { outcome: "asset", mediaType: "audio/mpeg", width: undefined, height: undefined, durationMs: 1 },
    },
    {
      when: "announced as another picture format: what it is counts",
      wish: wish({ sniffed: "image/jpeg", announced: "image/png" }),
      found: whole({ hasImage: true }),
      then: asset("image/jpeg"),
    },
    {
      when: "announced as anything",
      wish: wish({ announced: "application/octet-stream" }),
      found: whole({ hasImage: true }),
      then: asset("image/png"),
    },
    {
      when: "announced as video and is sound",
      wish: wish({ sniffed: "video/mp4", announced: "video/mp4" }),
      found: whole({ hasAudio: true }),
      then: unusable("it is audio/mp4 and was announced as video"),
    },
    {
      when: "a type that was not wished for",
      wish: wish({ allowed: ["image/webp", "image/jpg"] }),
      found: whole({ hasImage: true }),
      then: unusable("it is image/png, which spec.output.mediaTypes does not allow"),
    },
    {
      when: "a type that was wished for under another name",
      wish: wish({ sniffed: "image/jpeg", allowed: ["image/jpg"] }),
      found: whole({ hasImage: true }),
      then: asset("image/jpeg"),
    },
    {
      when: "sound without sound in it",
      wish: wish({ sniffed: "audio/wav" }),
      found: whole({ hasImage: true }),
      then: unusable("it is audio/wav and nothing of that kind can be read from it"),
    },
    {
      when: "broken, though it came whole",
      wish: wish({}),
      found: { outcome: "broken", why: "it has no IDAT chunk" } as const,
      then: unusable("it has no IDAT chunk"),
    },
    {
      when: "broken, and it may have been cut on the way",
      wish: wish({ isLengthKnown: false }),
      found: { outcome: "broken", why: "it has no IDAT chunk" } as const,
      then: interrupted("unverified-length"),
    },
    {
      when: "of a length that nobody tells, in a format that does not either",
      wish: wish({ sniffed: "audio/mpeg", isLengthKnown: false }),
      found: whole({ hasAudio: true }, false),
      then: interrupted("unverified-length"),
    },
    {
      when: "of a length that nobody tells but the file itself",
      wish: wish({ isLengthKnown: false }),
      found: whole({ hasImage: true }),
      then: asset("image/png"),
    },
  ])("$when", ({ wish: wished, found, then }) => {
    expect(judgeAsset(wished, found)).toEqual(then);
  });
});
