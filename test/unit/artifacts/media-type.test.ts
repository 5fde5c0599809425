import { describe, expect, test } from "@jest/globals";
import { canonical, named, sniff } from "../../../operator/artifacts/media-type.ts";
import { SAMPLES, bytesOf } from "./samples.ts";

describe("the first bytes tell what a file is", () => {
  test.each(SAMPLES)("$file is $mediaType", ({ file, mediaType, container }) => {
    expect(sniff(bytesOf(file))).toEqual({ mediaType, container });
  });

  test.each([
    { what: "a web page", bytes: Buffer.from("<!doctype html><title>Sign in</title>") },
    { what: "an XML error of a bucket", bytes: Buffer.from('<?xml version="1.0"?><Error><Code>AccessDenied</Code>') },
    { what: "JSON", bytes: Buffer.from('{"error":"expired"}') },
    { what: "SVG, which can hold scripts", bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg">') },
    { what: "a gzip stream", bytes: Buffer.from([0x1f, 0x8b, 8, 0]) },
    { what: "a RIFF file of an unknown form", bytes: Buffer.from("RIFF\0\0\0\0AVI LIST") },
    { what: "a frame header with a reserved bit rate", bytes: Buffer.from([0xff, 0xfb, 0xf0, 0x00]) },
    { what: "a UTF-16 byte order mark", bytes: Buffer.from([0xff, 0xfe, 0x3c, 0x00]) },
    { what: "nothing", bytes: Buffer.alloc(0) },
    { what: "the first half of a signature", bytes: Buffer.from("\x89PNG", "latin1") },
  ])("$what is none of the known formats", ({ bytes }) => {
    expect(sniff(bytes)).toBeUndefined();
  });

  test("an MP3 without a tag is known by its first frame", () => {
    expect(sniff(Buffer.from([0xff, 0xfb, 0x90, 0x64]))).toEqual({ mediaType: "audio/mpeg", container: "mpeg-audio" });
  });
});

test.each([
  { given: "Image/JPG; quality=1", is: "image/jpeg" },
  { given: "audio/x-wav", is: "audio/wav" },
  { given: "audio/mp3", is: "audio/mpeg" },
  { given: "video/mp4", is: "video/mp4" },
])("$given is the same type as $is", ({ given, is }) => {
  expect(canonical(given)).toBe(is);
});

test.each([
  { sniffed: "video/mp4", kind: "audio", is: "audio/mp4" },
  { sniffed: "video/webm", kind: "audio", is: "audio/webm" },
  { sniffed: "video/quicktime", kind: "audio", is: "audio/mp4" },
  { sniffed: "audio/ogg", kind: "video", is: "video/ogg" },
  { sniffed: "image/gif", kind: "image", is: "image/gif" },
] as const)("$sniffed that holds $kind is called $is", ({ sniffed, kind, is }) => {
  expect(named(sniffed, kind)).toBe(is);
});
