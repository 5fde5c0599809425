// The bounds of the fetch stage, in one place. Settings of the operator, not of a task.

export interface ArtifactLimits {
  /** Downloads at a time in this process. Memory: so many parts of 8 MiB, and the sockets' buffers. */
  readonly streams: number;
  /** Of all downloads in this process together. */
  readonly bytesPerSecond: number;
  /** Threads that inspect files: each some 60 MiB. */
  readonly inspectors: number;
  /** All outputs of one attempt together. */
  readonly totalBytes: number;
  /** The largest output that may come inside the provider's answer as a `data:` URL. */
  readonly dataUrlBytes: number;
  /** Without a byte for so long, a download is given up. */
  readonly stallMs: number;
  /** A download slower than this over a whole window is given up. */
  readonly minBytesPerSecond: number;
  readonly windowMs: number;
  /** Leftovers of attempts that the books do not know are swept when older than this. */
  readonly leftoverAgeMs: number;
  /** How many leftovers one sweep removes; the next one goes on. */
  readonly leftoversPerSweep: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: ArtifactLimits = {
  streams: 4,
  bytesPerSecond: Infinity,
  inspectors: 1,
  totalBytes: 10 * 1024 * MIB,
  dataUrlBytes: 16 * MIB,
  stallMs: 30_000,
  minBytesPerSecond: 16 * 1024,
  windowMs: 60_000,
  leftoverAgeMs: 3_600_000,
  leftoversPerSweep: 1_000,
};

/** What an asset list of a status can hold. */
export const MAX_OUTPUTS = 64;
