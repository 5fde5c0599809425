// MediaInfo over a byte source: which streams there are, how large and how long.
import mediaInfoFactory from "mediainfo.js";
import type { MediaInfo, MediaInfoResult, Track } from "mediainfo.js";
import type { ByteSource } from "./structure/whole.ts";
import type { Tracks } from "./inspection.ts";

/**
 * What one file may make us read. MediaInfo goes through all of a WAV or Matroska file, and finds nothing that the first
 * megabytes did not tell: it is stopped there, and asked what it knows (docs/adr/0021 has the measurements).
 */
const MAX_READ_BYTES = 16 * 1024 * 1024;

/** Undefined: MediaInfo makes nothing of it. */
export type Probe = (bytes: ByteSource) => Promise<Tracks | undefined>;

/** One instance, used one file after the other. It starts in some 30 ms, and takes 1 to 60 ms for most files, 1 s for a large WAV. */
export async function makeProbe(): Promise<Probe> {
  const mediaInfo: MediaInfo = await mediaInfoFactory({ format: "object" });
  return async (bytes) => {
    let budget = MAX_READ_BYTES;
    const read = async (length: number, offset: number): Promise<Uint8Array> => {
      budget -= length;
      return budget < 0 ? Buffer.alloc(0) : bytes.read(offset, length); // no bytes: the end, as MediaInfo takes it
    };
    return tracksOf(await mediaInfo.analyzeData(bytes.size, read));
  };
}

function tracksOf(result: MediaInfoResult): Tracks | undefined {
  const tracks = result.media?.track ?? [];
  const has = (type: Track["@type"]): boolean => tracks.some((track) => track["@type"] === type);
  const found = { hasImage: has("Image"), hasAudio: has("Audio"), hasVideo: has("Video") };
  if (!found.hasImage && !found.hasAudio && !found.hasVideo) return undefined;

  const picture = tracks.find((track) => track["@type"] === "Video" || track["@type"] === "Image");
  const seconds = tracks.find((track) => track["@type"] === "General")?.Duration;
  return {
    ...found,
    width: positive(picture?.Width),
    height: positive(picture?.Height),
    durationMs: positive(seconds === undefined ? undefined : seconds * 1000),
  };
}

function positive(value: number | undefined): number | undefined {
  const whole = Math.round(value ?? 0);
  return Number.isSafeInteger(whole) && whole > 0 ? whole : undefined;
}
