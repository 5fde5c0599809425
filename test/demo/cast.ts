// The tasks of the demo: what each shows, what is asked of the provider for it, and how it must end. Data only.
import type { Phase } from "../../operator/task/phase.ts";
import type { Wish } from "../operator/tenancy.ts";

export interface Role {
  readonly name: string;
  /** What a person sees in it, in a few words. */
  readonly shows: string;
  /** The tenant, before any suffix. */
  readonly tenant: Tenant;
  /** Before any suffix; default: the provider that can be searched. */
  readonly provider?: ProviderName;
  readonly wish: Pick<Wish, "model" | "simulate" | "spec">;
  readonly end: RoleEnd;
}

export interface RoleEnd {
  readonly phase: Phase;
  readonly attempts: number;
  /** In the provider's own record. */
  readonly jobs: number;
  /** A phase that it must be seen in on its way. */
  readonly through?: Phase;
}

export type Tenant = "studio" | "newcomer";
export type ProviderName = "simulated" | "opaque";

const SUCCEEDS: RoleEnd = { phase: "Succeeded", attempts: 1, jobs: 1 };
const IMAGE = "sim-image";
const VOICE = "sim-voice";
const VIDEO = "sim-video";

const studio = (role: Omit<Role, "tenant">): Role => ({ ...role, tenant: "studio" });

export const CANCELLED = "cancelled-video";
export const LONG_VIDEO = "long-video";
export const KILLED_IN_DOWNLOAD = "killed-in-download";
export const KILLED_IN_SUBMIT = "killed-in-submit";
export const NEEDS_REVIEW = "nobody-can-tell";
export const WAITING = "waiting-for-credits";

/** What goes well. */
const ORDINARY: readonly Role[] = [
  studio({ name: "plain-image", shows: "an image, the plain case", wish: { model: IMAGE }, end: SUCCEEDS }),
  studio({
    name: "big-image",
    shows: "8 MB, streamed and verified",
    wish: { model: IMAGE, simulate: { outputs: [{ kind: "image", bytes: 8_000_000 }] } },
    end: SUCCEEDS,
  }),
  studio({ name: "voice-over", shows: "audio", wish: { model: VOICE }, end: SUCCEEDS }),
  studio({
    name: "short-video",
    shows: "a video",
    wish: { model: VIDEO, simulate: { durationMs: 3000 } },
    end: SUCCEEDS,
  }),
  studio({
    name: "storyboard",
    shows: "one job, five outputs: all published at once",
    wish: {
      model: VIDEO,
      simulate: {
        durationMs: 2000,
        outputs: [
          { kind: "image" },
          { kind: "image", format: "gif" },
          { kind: "image" },
          { kind: "audio" },
          { kind: "video" },
        ],
      },
    },
    end: SUCCEEDS,
  }),
];

/** Faults that cost nothing: of a download, of a busy provider, of a job, of a wish. */
const FAULTY: readonly Role[] = [
  studio({
    name: "torn-download",
    shows: "a download that breaks off is made whole",
    wish: { model: IMAGE, simulate: { outputs: [{ kind: "image", bytes: 3_000_000, faults: ["reset-midway"] }] } },
    end: SUCCEEDS,
  }),
  studio({
    name: "error-page",
    shows: "a page of HTML for an image is not published",
    wish: { model: IMAGE, simulate: { outputs: [{ kind: "image", faults: ["mislabelled-html"] }] } },
    end: SUCCEEDS,
  }),
  studio({
    name: "busy-provider",
    shows: "429, so no job was made: submitted again",
    wish: { model: IMAGE, simulate: { submit: ["rate-limited-header"] } },
    end: { phase: "Succeeded", attempts: 2, jobs: 1 },
  }),
  studio({
    name: "failing-job",
    shows: "the job fails: its credits come back",
    wish: { model: IMAGE, simulate: { end: "failed" } },
    end: { phase: "Failed", attempts: 1, jobs: 1 },
  }),
  studio({
    name: "over-the-ceiling",
    shows: "would cost more than its maxCredits: refused",
    wish: { model: VIDEO, spec: { maxCredits: "0.05" } },
    end: { phase: "Rejected", attempts: 0, jobs: 0 },
  }),
];

/** An answer is lost. */
const UNKNOWN: readonly Role[] = [
  studio({
    name: "lost-answer",
    shows: "answer lost, job made: found, not bought twice",
    // The provider's list lags, so that the first look misses: one miss must prove nothing.
    wish: { model: IMAGE, simulate: { submit: ["close-after"], list: { lagMs: 1500 } } },
    end: { ...SUCCEEDS, through: "SubmitUnknown" },
  }),
  studio({
    name: "never-arrived",
    shows: "no answer, no job: proved, then submitted again",
    wish: { model: IMAGE, simulate: { submit: ["close-before"] } },
    end: { phase: "Succeeded", attempts: 2, jobs: 1, through: "SubmitUnknown" },
  }),
  studio({
    name: NEEDS_REVIEW,
    shows: "no answer, nothing to search by: ask a person",
    provider: "opaque",
    wish: { model: IMAGE, simulate: { submit: ["close-after"] } },
    end: { phase: "NeedsReview", attempts: 1, jobs: 1 },
  }),
];

/** Somebody does something: a user, an accountant, or the axe. */
const ACTED_UPON: readonly Role[] = [
  studio({
    name: CANCELLED,
    shows: "cancelled by its user while the job runs",
    wish: { model: VIDEO, simulate: { durationMs: 120_000 } },
    end: { phase: "Cancelled", attempts: 1, jobs: 1, through: "Polling" },
  }),
  studio({
    name: LONG_VIDEO,
    shows: "its job runs on while the operator is dead",
    wish: { model: VIDEO, simulate: { durationMs: 12_000 } },
    end: { ...SUCCEEDS, through: "Polling" },
  }),
  studio({
    name: KILLED_IN_DOWNLOAD,
    shows: "operator killed while it downloads",
    wish: { model: IMAGE, simulate: { outputs: [{ kind: "image", faults: ["slow"] }] } },
    end: { ...SUCCEEDS, through: "Fetching" },
  }),
  {
    name: WAITING,
    shows: "nothing is submitted before a grant arrives",
    tenant: "newcomer",
    wish: { model: VOICE },
    end: SUCCEEDS,
  },
];

/** Applied together, at the beginning. */
export const FIRST_ACT: readonly Role[] = [...ORDINARY, ...FAULTY, ...UNKNOWN, ...ACTED_UPON];

/** Applied when the axe is ready. */
export const SECOND_ACT: readonly Role[] = [
  studio({
    name: KILLED_IN_SUBMIT,
    shows: "operator killed while the provider accepts",
    wish: { model: IMAGE, simulate: { submit: ["silence-after"] } },
    end: { ...SUCCEEDS, through: "SubmitUnknown" },
  }),
];

export const ROLES: readonly Role[] = [...FIRST_ACT, ...SECOND_ACT];
