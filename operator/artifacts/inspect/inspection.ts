// What an inspection may find, and the words in which it is asked for across threads.
import type { Container } from "../media-type.ts";

export interface Tracks {
  readonly hasImage: boolean;
  readonly hasAudio: boolean;
  readonly hasVideo: boolean;
  /** Pixels. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly durationMs: number | undefined;
}

export type Inspection =
  /** `proven`: the file itself tells where it ends, and it ends there. */
  | { readonly outcome: "whole"; readonly proven: boolean; readonly tracks: Tracks }
  /** `why` completes "output-0 is not usable: …" and holds no content. */
  | { readonly outcome: "broken"; readonly why: string };

export type ToWorker =
  | { readonly kind: "begin" }
  | { readonly kind: "inspect"; readonly size: number; readonly container: Container }
  | { readonly kind: "block"; readonly data: Uint8Array };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "need"; readonly offset: number; readonly length: number }
  | { readonly kind: "found"; readonly inspection: Inspection }
  | { readonly kind: "failed" };
