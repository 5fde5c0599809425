// What tests and values name our images by, and those that stand in for others.

/** What the chart's values take; JSON. */
export interface ImageValues {
  readonly repository: string;
  readonly tag: string;
}

const REPOSITORY = "localhost/generation-operator";

export const IMAGES = {
  product: { repository: REPOSITORY, tag: "e2e" },
  /** The version before this one. */
  previous: { repository: REPOSITORY, tag: "e2e-previous" },
  provider: "localhost/genop-provider:e2e",
  postgres: "localhost/genop-postgres:15",
  objectStore: "localhost/genop-versitygw:1",
} as const;

export const referenceOf = ({ repository, tag }: ImageValues): string => `${repository}:${tag}`;
