// The outputs of a job: which there are, and the true bytes of each. They depend on the job's id and the output's name alone.
import type { Job } from "../record/jobs.ts";
import type { OutputFault } from "../schema/faultNames.ts";
import type { MediaFormat, MediaKind, OutputWish } from "../schema/simulate.ts";
import { kindOf } from "../jobs/billing.ts";
import type { Content } from "../media/content.ts";
import { gifOf } from "../media/gif.ts";
import { mp4Of } from "../media/mp4.ts";
import { pngOf } from "../media/png.ts";
import { wavOf } from "../media/wav.ts";

export interface Output {
  readonly name: string;
  readonly format: MediaFormat;
  readonly mediaType: string;
  readonly wish: OutputWish;
}

interface Format {
  readonly mediaType: string;
  readonly make: (key: string, bytes?: number) => Content;
}

const FORMATS: Readonly<Record<MediaFormat, Format>> = {
  png: { mediaType: "image/png", make: pngOf },
  gif: { mediaType: "image/gif", make: gifOf },
  wav: { mediaType: "audio/wav", make: wavOf },
  mp4: { mediaType: "video/mp4", make: mp4Of },
};

const FORMAT_OF: Readonly<Record<MediaKind, MediaFormat>> = { image: "png", audio: "wav", video: "mp4" };

export function outputsOf(job: Pick<Job, "model" | "simulate">): readonly Output[] {
  const wishes = job.simulate.outputs ?? [{ kind: kindOf(job.model), declared: "true" as const }];
  return wishes.map((wish, index) => {
    const format = wish.format ?? FORMAT_OF[wish.kind];
    const name = wish.name ?? `${wish.kind}-${index + 1}.${format}`;
    return { name, format, mediaType: FORMATS[format].mediaType, wish };
  });
}

export function outputNamed(job: Pick<Job, "model" | "simulate">, name: string): Output | undefined {
  return outputsOf(job).find((output) => output.name === name);
}

export function contentOf(jobId: string, output: Output): Content {
  return FORMATS[output.format].make(`${jobId}/${output.name}`, output.wish.bytes);
}

/** Content of another format, for outputs that are not what they say. */
export function impostorOf(jobId: string, output: Output): Content {
  const key = `${jobId}/${output.name}`;
  return output.format === "wav" ? pngOf(key) : wavOf(key);
}

/** How much of a corrupt container is there: its magic and its beginning, not its end. */
export function corruptBytes(content: Content): number {
  return Math.ceil(content.coreBytes / 2);
}

/** What the job says of the output's length. A corrupt container is announced with the length it is served with. */
export function declaredBytes(content: Content, output: Output): number {
  return hasFault(output, "corrupt-container") ? corruptBytes(content) : content.bytes;
}

export function hasFault(output: Output, fault: OutputFault): boolean {
  return output.wish.fault === fault || (output.wish.faults?.includes(fault) ?? false);
}
