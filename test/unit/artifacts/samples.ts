// Small real media files, made with ffmpeg, and what is true of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Container } from "../../../operator/artifacts/media-type.ts";
import type { ByteSource } from "../../../operator/artifacts/inspect/structure/whole.ts";

export interface Sample {
  readonly file: string;
  readonly mediaType: string;
  readonly container: Container;
  /** Whether the file itself tells where it ends. */
  readonly proven: boolean;
  readonly width?: number;
  readonly height?: number;
  readonly durationMs?: number;
}

const PICTURE = { width: 32, height: 24, proven: true };
const CLIP = { ...PICTURE, durationMs: 1000, container: "iso", mediaType: "video/mp4" } as const;

export const SAMPLES: readonly Sample[] = [
  { file: "image.png", mediaType: "image/png", container: "png", ...PICTURE },
  { file: "image.jpg", mediaType: "image/jpeg", container: "jpeg", ...PICTURE },
  { file: "image.gif", mediaType: "image/gif", container: "gif", ...PICTURE },
  { file: "image.webp", mediaType: "image/webp", container: "webp", ...PICTURE },
  { file: "image.avif", mediaType: "image/avif", container: "iso", ...PICTURE },
  { file: "clip.mp4", ...CLIP },
  { file: "clip-fragmented.mp4", ...CLIP },
  { file: "clip-quicktime.mov", ...CLIP, mediaType: "video/quicktime" },
  { file: "clip.webm", ...CLIP, mediaType: "video/webm", container: "ebml" },
  { file: "sound.wav", mediaType: "audio/wav", container: "wave", proven: true, durationMs: 100 },
  { file: "sound.ogg", mediaType: "audio/ogg", container: "ogg", proven: true, durationMs: 500 },
  { file: "sound.m4a", mediaType: "audio/mp4", container: "iso", proven: true, durationMs: 500 },
  { file: "sound.flac", mediaType: "audio/flac", container: "flac", proven: false, durationMs: 200 },
  { file: "sound.mp3", mediaType: "audio/mpeg", container: "mpeg-audio", proven: false, durationMs: 648 },
];

export function bytesOf(file: string): Buffer {
  return readFileSync(join(import.meta.dirname, "samples", file));
}

export function inMemory(bytes: Buffer): ByteSource {
  return {
    size: bytes.length,
    read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
  };
}
