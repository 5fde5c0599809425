// Bytes that take the place of an output's true ones.
import { gzipSync } from "node:zlib";
import type { Content } from "../media/content.ts";
import { corruptBytes } from "../outputs/output.ts";
import type { Replacement } from "./outputSending.ts";

const BOMB_MEMBERS = 256;
const BOMB_MEMBER_BYTES = 1_048_576;
const MAGIC_BYTES = 12;

export function signInPage(): Replacement {
  return replacement(Buffer.from("<!doctype html><title>Sign in</title><p>Please sign in.</p>\n"));
}

/** Media of another kind. */
export function impostorBytes(impostor: Content): Replacement {
  return { bytes: impostor.bytes, source: impostor.read(0, impostor.bytes) };
}

/** The true bytes, but for those by which a file is known. */
export function withoutMagic(content: Content): Replacement {
  return { bytes: content.bytes, source: beheaded(content) };
}

/** A container that begins well and breaks off inside. */
export function corruptPart(content: Content): Replacement {
  const bytes = corruptBytes(content);
  return { bytes, source: content.read(0, bytes) };
}

/** Many gzip members one after another are one gzip stream: 256 MiB of zeros in a quarter of a megabyte. */
export function bombBytes(): Replacement {
  const member = gzipSync(Buffer.alloc(BOMB_MEMBER_BYTES));
  return replacement(Buffer.concat(Array.from({ length: BOMB_MEMBERS }, () => member)));
}

function replacement(bytes: Buffer): Replacement {
  return { bytes: bytes.length, source: [bytes] };
}

function* beheaded(content: Content): Generator<Buffer> {
  const magicBytes = Math.min(MAGIC_BYTES, content.bytes);
  yield Buffer.alloc(magicBytes, "x");
  yield* content.read(magicBytes, content.bytes);
}
