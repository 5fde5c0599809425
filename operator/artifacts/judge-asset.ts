// What an inspected output is, and whether it is what was wished for. Pure.
import { unreachable } from "../task/unreachable.ts";
import type { Ending } from "./ending.ts";
import { interrupted, unusable } from "./ending.ts";
import type { Inspection, Tracks } from "./inspect/inspection.ts";
import { canonical, kindOf, named } from "./media-type.ts";
import type { MediaKind } from "./media-type.ts";

export interface AssetFacts {
  readonly outcome: "asset";
  readonly mediaType: string;
  /** Pixels. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly durationMs: number | undefined;
}

export interface Wish {
  readonly name: string;
  /** What the first bytes say. */
  readonly sniffed: string;
  /** What the provider says; its kind is held against what it is, its details are not. */
  readonly announced: string | undefined;
  readonly allowed: readonly string[] | undefined;
  readonly isLengthKnown: boolean;
}

export function judgeAsset(wish: Wish, inspection: Inspection): AssetFacts | Ending {
  switch (inspection.outcome) {
    case "broken":
      // It may be broken because it was cut on its way here.
      return wish.isLengthKnown ? unusable(wish.name, inspection.why) : interrupted("unverified-length");
    case "whole":
      if (!wish.isLengthKnown && !inspection.proven) return interrupted("unverified-length");
      return judgeTracks(wish, inspection.tracks);
    default:
      return unreachable(inspection);
  }
}

function judgeTracks({ name, sniffed, announced, allowed }: Wish, tracks: Tracks): AssetFacts | Ending {
  const kind = kindOfTracks(sniffed, tracks);
  if (!kind) return unusable(name, `it is ${sniffed} and nothing of that kind can be read from it`);
  const mediaType = named(sniffed, kind);
  const announcedKind = kindAnnounced(announced);
  if (announcedKind !== undefined && announcedKind !== kind) return unusable(name, otherThan(mediaType, announcedKind));
  if (allowed && !allowed.some((type) => canonical(type) === mediaType)) {
    return unusable(name, `it is ${mediaType}, which spec.output.mediaTypes does not allow`);
  }
  const isSeen = kind !== "audio";
  return {
    outcome: "asset",
    mediaType,
    width: isSeen ? tracks.width : undefined,
    height: isSeen ? tracks.height : undefined,
    durationMs: kind === "image" ? undefined : tracks.durationMs,
  };
}

/** What can be told from the first bytes: a picture is never sound or video, nor the other way round. */
export function contradiction(sniffed: string, announced: string | undefined): string | undefined {
  const kind = kindAnnounced(announced);
  const isOther = kind !== undefined && (kind === "image") !== (kindOf(sniffed) === "image");
  return isOther ? otherThan(sniffed, kind) : undefined;
}

function kindAnnounced(announced: string | undefined): MediaKind | undefined {
  return announced === undefined ? undefined : kindOf(canonical(announced));
}

function otherThan(mediaType: string, announced: MediaKind): string {
  return `it is ${mediaType} and was announced as ${announced}`;
}

/** An MP4, Ogg or WebM may hold either; pictures inside a sound file are its cover. */
function kindOfTracks(sniffed: string, { hasImage, hasAudio, hasVideo }: Tracks): MediaKind | undefined {
  if (kindOf(sniffed) === "image") return hasImage || hasVideo ? "image" : undefined;
  if (sniffed === "audio/mpeg" || sniffed === "audio/flac" || sniffed === "audio/wav") {
    return hasAudio ? "audio" : undefined;
  }
  if (hasVideo) return "video";
  return hasAudio ? "audio" : undefined;
}
