// What the first bytes of a file say it is. A declared type is only ever compared with this, never believed.
// It names containers; whether one is whole is structure.ts' work.

export type MediaKind = "image" | "audio" | "video";

/** The file formats that are told apart, by how their wholeness is checked. */
export type Container = "png" | "jpeg" | "gif" | "webp" | "iso" | "wave" | "flac" | "ogg" | "mpeg-audio" | "ebml";

export interface SniffedType {
  readonly mediaType: string;
  readonly container: Container;
}

/** How many of the first bytes `sniff` looks at. */
export const SNIFF_BYTES = 64;

interface Signature extends SniffedType {
  readonly matches: (head: Buffer) => boolean;
}

const at =
  (offset: number, text: string) =>
  (head: Buffer): boolean =>
    head.toString("latin1", offset, offset + text.length) === text;
const all =
  (...tests: readonly ((head: Buffer) => boolean)[]) =>
  (head: Buffer): boolean =>
    tests.every((test) => test(head));
const brand = (...brands: readonly string[]): ((head: Buffer) => boolean) =>
  all(at(4, "ftyp"), (head) => brands.includes(head.toString("latin1", 8, 12)));

/** The first that matches wins. */
const SIGNATURES: readonly Signature[] = [
  { mediaType: "image/png", container: "png", matches: at(0, "\x89PNG\r\n\x1a\n") },
  { mediaType: "image/jpeg", container: "jpeg", matches: at(0, "\xff\xd8\xff") },
  { mediaType: "image/gif", container: "gif", matches: at(0, "GIF87a") },
  { mediaType: "image/gif", container: "gif", matches: at(0, "GIF89a") },
  { mediaType: "image/webp", container: "webp", matches: all(at(0, "RIFF"), at(8, "WEBP")) },
  { mediaType: "audio/wav", container: "wave", matches: all(at(0, "RIFF"), at(8, "WAVE")) },
  { mediaType: "image/avif", container: "iso", matches: brand("avif", "avis") },
  { mediaType: "audio/mp4", container: "iso", matches: brand("M4A ", "M4B ") },
  { mediaType: "video/quicktime", container: "iso", matches: brand("qt  ") },
  { mediaType: "video/mp4", container: "iso", matches: at(4, "ftyp") },
  { mediaType: "audio/flac", container: "flac", matches: at(0, "fLaC") },
  { mediaType: "audio/ogg", container: "ogg", matches: at(0, "OggS") },
  { mediaType: "video/webm", container: "ebml", matches: all(at(0, "\x1a\x45\xdf\xa3"), holds("webm")) },
  { mediaType: "video/matroska", container: "ebml", matches: all(at(0, "\x1a\x45\xdf\xa3"), holds("matroska")) },
  { mediaType: "audio/mpeg", container: "mpeg-audio", matches: at(0, "ID3") },
  { mediaType: "audio/mpeg", container: "mpeg-audio", matches: isLayer3Frame },
];

/** What the bytes are, or undefined when they are none of the known formats. */
export function sniff(head: Uint8Array): SniffedType | undefined {
  const first = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, SNIFF_BYTES));
  const found = SIGNATURES.find(({ matches }) => matches(first));
  return found && { mediaType: found.mediaType, container: found.container };
}

/** Whether four bytes are a header of an MPEG audio frame of layer III with no reserved value in it. */
export function isLayer3Frame(head: Buffer): boolean {
  if (head.length < 4) return false;
  const [sync = 0, version = 0, rates = 0] = head;
  if (sync !== 0xff || (version & 0xe0) !== 0xe0) return false;
  const isReservedVersion = (version & 0x18) === 0x08;
  const isLayer3 = (version & 0x06) === 0x02;
  const isReservedRate = (rates & 0xf0) === 0xf0 || (rates & 0x0c) === 0x0c;
  return isLayer3 && !isReservedVersion && !isReservedRate;
}

const SYNONYMS: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/x-png": "image/png",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/vnd.wave": "audio/wav",
  "audio/mp3": "audio/mpeg",
  "audio/x-flac": "audio/flac",
  "audio/m4a": "audio/mp4",
  "audio/x-m4a": "audio/mp4",
  "application/ogg": "audio/ogg",
  "video/x-matroska": "video/matroska",
};

/** One spelling per type, without parameters: `Image/JPG; q=1` → `image/jpeg`. */
export function canonical(mediaType: string): string {
  const bare = (mediaType.split(";")[0] ?? "").trim().toLowerCase();
  return SYNONYMS[bare] ?? bare;
}

/** The kind a media type belongs to; undefined for `application/octet-stream`, `text/html` and the like. */
export function kindOf(mediaType: string): MediaKind | undefined {
  const top = mediaType.split("/")[0];
  return top === "image" || top === "audio" || top === "video" ? top : undefined;
}

/** The same container under the name that fits what is in it: an MP4 without pictures is audio/mp4. */
export function named(mediaType: string, kind: MediaKind): string {
  const from = kindOf(mediaType);
  if (from === kind || from === "image" || kind === "image") return mediaType;
  return mediaType === "video/quicktime" ? "audio/mp4" : `${kind}/${mediaType.slice(mediaType.indexOf("/") + 1)}`;
}

function holds(text: string): (head: Buffer) => boolean {
  return (head) => head.includes(text, 0, "latin1");
}
