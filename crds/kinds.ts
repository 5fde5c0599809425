// The three kinds: their names, columns and rules. Fields stand in operator/task/*-resource.ts.
import { GrantSpec, GrantStatus } from "../operator/task/grant-resource.ts";
import { ProviderSpec, ProviderStatus } from "../operator/task/provider-resource.ts";
import { TaskSpec, TaskStatus } from "../operator/task/resource.ts";
import type { Kind } from "./definition.ts";
import { GRANT_TRANSITIONS, SPEC_TRANSITIONS, TASK_TRANSITIONS } from "./transitions.ts";

const TASK: Kind = {
  kind: "GenerationTask",
  plural: "generationtasks",
  shortName: "gt",
  scope: "Namespaced",
  description: "One wish for paid generation. It is never paid for twice, unless its own spec allows that.",
  spec: TaskSpec,
  status: TaskStatus,
  columns: [
    { name: "Provider", type: "string", jsonPath: ".spec.providerRef.name", description: "The provider account." },
    { name: "Model", type: "string", jsonPath: ".spec.model", description: "The provider's own name for the model." },
    { name: "Phase", type: "string", jsonPath: ".status.phase", description: "Where the task is in its life." },
    { name: "Attempt", type: "integer", jsonPath: ".status.attempt", description: "The newest attempt." },
    { name: "Credits", type: "string", jsonPath: ".status.credits.settled", description: "Credits paid so far." },
    { name: "Reason", type: "string", jsonPath: ".status.reason", description: "Why it is there.", priority: 1 },
    { name: "Job", type: "string", jsonPath: ".status.providerJobID", description: "The provider's job.", priority: 1 },
    { name: "Progress", type: "integer", jsonPath: ".status.progress", description: "Percent.", priority: 1 },
  ],
  selectable: [".status.phase", ".spec.providerRef.name"],
  specTransitions: SPEC_TRANSITIONS,
  transitions: TASK_TRANSITIONS,
};

const PROVIDER: Kind = {
  kind: "GenerationProvider",
  plural: "generationproviders",
  shortName: "gp",
  scope: "Cluster",
  description: "One account at a provider of paid generation: what it can do, and how to talk to it.",
  spec: ProviderSpec,
  status: ProviderStatus,
  columns: [
    { name: "Adapter", type: "string", jsonPath: ".spec.adapter", description: "What speaks to the provider." },
    {
      name: "Ready",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: "Whether tasks can use it.",
    },
    { name: "In-Flight", type: "integer", jsonPath: ".status.inFlight", description: "Jobs that may be running." },
    { name: "Waiting", type: "integer", jsonPath: ".status.waiting", description: "Tasks that wait for quota." },
    {
      name: "Reason",
      type: "string",
      jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
      description: "Why it is ready, or not.",
      priority: 1,
    },
    { name: "Base-URL", type: "string", jsonPath: ".spec.baseURL", description: "Where the API is.", priority: 1 },
  ],
  selectable: [],
  specTransitions: [],
  transitions: [],
};

const GRANT: Kind = {
  kind: "CreditGrant",
  plural: "creditgrants",
  shortName: "cg",
  scope: "Namespaced",
  description: "Adds credits to its namespace's account, once.",
  spec: GrantSpec,
  status: GrantStatus,
  columns: [
    { name: "Credits", type: "string", jsonPath: ".spec.credits", description: "The amount." },
    { name: "Applied", type: "string", jsonPath: ".status.applied", description: "Whether it is in the account." },
    { name: "Reason", type: "string", jsonPath: ".spec.reason", description: "Why it was granted.", priority: 1 },
  ],
  selectable: [],
  specTransitions: GRANT_TRANSITIONS,
  transitions: [],
};

export const KINDS: readonly Kind[] = [TASK, PROVIDER, GRANT];
