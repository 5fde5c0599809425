// Who may do what: every route of the document, with the tokens of a stranger, of nobody, of a reader; and what the shim's own
// account may not do.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SHIM_RIGHTS } from "../../../api-shim/rights.ts";
import { OPERATOR_RIGHTS } from "../../../operator/kube/rbac.ts";
import { ask, WISH } from "./client.ts";
import { limit, makeWorld, type RunningShim, type World } from "./fixture.ts";

interface Operation {
  readonly method: "DELETE" | "GET" | "POST";
  readonly path: string;
  readonly isOpen: boolean;
}

let world: World;
let shim: RunningShim;
let task: string;
let operations: readonly Operation[];
beforeAll(async () => {
  world = await makeWorld();
  shim = await world.start();
  const made = await ask(shim.url, "POST", "/v1/tasks", { token: world.tokens.tenant, key: "theirs", body: WISH });
  task = String(made.body.id);
  const { paths } = (await ask(shim.url, "GET", "/openapi.json")).body as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly security: readonly unknown[] }>>>>;
  };
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      method: method.toUpperCase() as Operation["method"],
      path,
      isOpen: security.length === 0,
    })),
  );
});
afterAll(() => world.close());

const closed = (): readonly Operation[] => operations.filter(({ isOpen }) => !isOpen);

function call(
  { method, path }: Operation,
  id: string,
  token: string | undefined,
  headers = {},
): ReturnType<typeof ask> {
  const at = path.replace("{id}", id).replace("{name}", "output-0");
  const body = path === "/v1/tasks" ? WISH : { mediaType: "image/png", bytes: 1 };
  return ask(shim.url, method, at, { token, key: "stranger", headers, ...(method === "POST" && { body }) });
}

test("there are routes to be tried, and only the document is for everybody", () => {
  expect(closed().length).toBeGreaterThanOrEqual(11);
  expect(operations.filter(({ isOpen }) => isOpen).map(({ path }) => path)).toEqual(["/openapi.json"]);
});

test("a stranger who names another namespace gets the same answer everywhere, whether something is there or not", async () => {
  const elsewhere = { "x-genop-namespace": world.tenant };
  const nowhere = { "x-genop-namespace": "there-is-no-such-namespace" };
  for (const operation of closed()) {
    const [there, absent, none] = await Promise.all([
      call(operation, task, world.tokens.stranger, elsewhere),
      call(operation, "absent", world.tokens.stranger, elsewhere),
      call(operation, task, world.tokens.stranger, nowhere),
    ]);
    const told = [there, absent, none].map(({ body, status }) => ({ status, body: { ...body, instance: "" } }));
    expect(told.map(({ status }) => status)).toEqual([403, 403, 403]);
    expect(told[1]).toEqual(told[0]);
    expect(told[2]).toEqual(told[0]);
    expect(JSON.stringify(told)).not.toContain(world.tenant);
  }
});

test("a stranger in his own namespace finds nothing of another one", async () => {
  for (const operation of closed().filter(({ path }) => path.includes("{id}"))) {
    const { body, status } = await call(operation, task, world.tokens.stranger);
    expect([operation.path, status, body.code]).toEqual([operation.path, 404, "not-found"]);
  }
  const list = await ask(shim.url, "GET", "/v1/tasks", { token: world.tokens.stranger });
  expect(list.body.tasks).toEqual([]);
  const credits = await ask(shim.url, "GET", "/v1/credits", { token: world.tokens.stranger });
  expect(credits.body.tasks).toBe(0);
});

test.each([
  { who: "nobody", token: undefined },
  { who: "a token that is none", token: "abc.def.ghi" },
])("$who gets no further than the door of any route", async ({ token }) => {
  for (const operation of closed()) {
    const { body, headers, status } = await call(operation, task, token);
    expect([operation.path, status, body.code]).toEqual([operation.path, 401, "unauthenticated"]);
    expect(headers["www-authenticate"]).toContain("Bearer");
  }
});

test("who may only read gets what he may read, and nothing else", async () => {
  const statuses = new Map<string, number>();
  for (const operation of closed().filter(({ path }) => !path.endsWith("/events"))) {
    const { status } = await call(operation, task, world.tokens.reader);
    statuses.set(`${operation.method} ${operation.path}`, status);
  }
  const allowed = [...statuses].filter(([, status]) => status !== 403).map(([name]) => name);
  expect(allowed.sort()).toEqual([
    "GET /v1/providers",
    "GET /v1/tasks",
    "GET /v1/tasks/{id}",
    "GET /v1/tasks/{id}/assets/{name}",
    "GET /v1/tasks/{id}/assets/{name}/link",
    "GET /v1/tasks/{id}/history",
  ]);
  const { body } = await ask(shim.url, "GET", `/v1/tasks/${task}`, { token: world.tokens.reader });
  expect(body).toMatchObject({ id: task, phase: "Pending", cancelRequested: false });
});

describe("the shim's own account", () => {
  test("has none of the operator's powers", async () => {
    const denied = [
      { group: "genop.dev", resource: "generationtasks", subresource: "status", verb: "patch" },
      { group: "genop.dev", resource: "creditgrants", verb: "create" },
      { group: "genop.dev", resource: "creditgrants", verb: "patch" },
      { group: "genop.dev", resource: "generationproviders", verb: "patch" },
      { group: "events.k8s.io", resource: "events", verb: "create" },
      { group: "", resource: "namespaces", verb: "patch" },
      { group: "", resource: "secrets", verb: "get" },
      { group: "", resource: "secrets", verb: "list" },
      { group: "", resource: "configmaps", verb: "get" },
      { group: "coordination.k8s.io", resource: "leases", verb: "update" },
      { group: "rbac.authorization.k8s.io", resource: "clusterroles", verb: "get" },
    ];
    const user = `system:serviceaccount:${world.home}:genop-rest`;
    const answers = await Promise.all(
      denied.map((resourceAttributes) =>
        world.admin.request(
          {
            method: "POST",
            path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
            body: { spec: { user, resourceAttributes: { ...resourceAttributes, namespace: world.tenant } } },
          },
          { signal: limit() },
        ),
      ),
    );
    expect(answers.map((answer) => (answer as { status: { allowed: boolean } }).status.allowed)).toEqual(
      denied.map(() => false),
    );
  });

  test("shares with the operator only the tasks, and reading", () => {
    const operators = new Set(OPERATOR_RIGHTS.map(({ resource }) => resource));
    const shared = SHIM_RIGHTS.filter(
      ({ resource, verbs }) => operators.has(resource) && verbs.some((verb) => verb !== "list" && verb !== "get"),
    );
    expect(new Set(shared.map(({ resource }) => resource))).toEqual(new Set(["generationtasks"]));
  });
});
