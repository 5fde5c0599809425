// Whether a file is whole, by the structure of its container.
import { checkFlac, checkMpegAudio, checkOgg } from "./audio.ts";
import { checkEbml } from "./ebml.ts";
import { checkGif } from "./gif.ts";
import { checkIso } from "./iso.ts";
import { checkJpeg } from "./jpeg.ts";
import { checkPng } from "./png.ts";
import { checkWave, checkWebp } from "./riff.ts";
import type { Container } from "../../media-type.ts";
import type { ByteSource, Wholeness } from "./whole.ts";

const CHECKS: Readonly<Record<Container, (bytes: ByteSource) => Promise<Wholeness>>> = {
  png: checkPng,
  jpeg: checkJpeg,
  gif: checkGif,
  webp: checkWebp,
  wave: checkWave,
  iso: checkIso,
  flac: checkFlac,
  ogg: checkOgg,
  "mpeg-audio": checkMpegAudio,
  ebml: checkEbml,
};

/** Reads as little as the format allows: all of a PNG (its CRCs), a few headers of an MP4. Throws what `bytes` throws. */
export function checkStructure(container: Container, bytes: ByteSource): Promise<Wholeness> {
  return CHECKS[container](bytes);
}
