// Who may import whom: docs/architecture.md in a form that a machine checks. One line per layer.
const pkg = (...names) => names.map((name) => `node_modules/${name}/`);

const layer = (folder, { may = [], node = false, why }) => ({
  name: folder,
  comment: why,
  severity: "error",
  from: { path: `^${folder}/` },
  to: { pathNot: [folder, ...may].map((path) => `^${path}`), ...(node && { dependencyTypesNot: ["core"] }) },
});

const ports = ["operator/task/", "operator/reconcile/ports\\.ts", "operator/observe/"];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    layer("operator/task", { may: pkg("zod"), why: "The core imports itself and zod. No I/O, no clock, no adapters." }),
    layer("operator/reconcile", {
      may: ["operator/task/"],
      why: "One pass knows the core and its own ports, nothing that talks.",
    }),
    layer("operator/runtime", {
      may: pkg("undici", "@kubernetes/client-node", "prom-client"),
      node: true,
      why: "The runtime knows keys, not tasks.",
    }),
    layer("operator/kube", {
      may: [...ports, "operator/runtime/", ...pkg("zod", "yaml", "@kubernetes/client-node")],
      node: true,
      why: "An adapter knows one driver: the Kubernetes API through the runtime's transport.",
    }),
    layer("operator/postgres", {
      may: [...ports, ...pkg("pg", "@types/pg")],
      node: true,
      why: "An adapter knows one driver: pg.",
    }),
    layer("operator/providers", {
      may: [...ports, "operator/outbound/", ...pkg("undici", "@marcbachmann/cel-js", "zod")],
      node: true,
      why: "An adapter knows one driver: HTTP to the providers.",
    }),
    layer("operator/artifacts", {
      may: [...ports, "operator/outbound/", ...pkg("@aws-sdk", "undici", "mediainfo\\.js")],
      node: true,
      why: "An adapter knows one driver: object storage, fed by guarded downloads.",
    }),
    layer("operator/outbound", {
      may: [...pkg("undici", "ipaddr\\.js"), "operator/observe/"],
      node: true,
      why: "The guarded way out: every connection to a host that a user named.",
    }),
    layer("operator/receiver", {
      may: [
        ...["operator/observe/listen\\.ts", "operator/runtime/environment\\.ts", "operator/runtime/rate\\.ts"],
        ...["operator/variables\\.ts", ...pkg("zod")],
      ],
      node: true,
      why: "Whoever the whole world may call knows a key, a port and how to write down; nothing of tasks and providers.",
    }),
    layer("operator/access", {
      may: [
        ...[
          "operator/task/resource\\.ts",
          "operator/kube/canonical\\.ts",
          "operator/kube/rbac\\.ts",
          "operator/runtime/",
        ],
        ...pkg("zod"),
      ],
      node: true,
      why: "Who asks, and what he may, by the cluster's own word; nothing of what he asks for.",
    }),
    layer("operator/evidence", {
      may: [
        ...[
          "operator/access/",
          "operator/kube/rbac\\.ts",
          "operator/observe/",
          "operator/runtime/",
          "operator/variables\\.ts",
        ],
        ...["operator/task/unreachable\\.ts", ...pkg("zod")],
      ],
      node: true,
      why: "Whoever tells knows questions and callers; the database is read for it, and no object is.",
    }),
    layer("operator/observe", {
      may: pkg("pino", "prom-client"),
      node: true,
      why: "Logs, metrics and health know nothing of tasks.",
    }),
    layer("api-shim", {
      may: [
        ...["resource", "provider-resource", "allowed", "phase", "fields", "rule", "credits"].map(
          (contract) => `operator/task/${contract}\\.ts`,
        ),
        ...["operator/access/", "operator/kube/", "operator/runtime/", "operator/observe/", "operator/variables\\.ts"],
        ...pkg("fastify", "zod", "undici", "prom-client", "@aws-sdk"),
      ],
      node: true,
      why: "The shim speaks HTTP and Kubernetes. It knows the contract, has no policy and no database.",
    }),
    layer("cli", {
      may: [
        ...["attempt", "credits", "phase", "reasons", "resource", "unreachable"].map(
          (one) => `operator/task/${one}\\.ts`,
        ),
        ...["operator/access/bearer\\.ts", "operator/kube/kinds\\.ts", "operator/runtime/"],
        ...pkg("@kubernetes/client-node", "commander", "esbuild", "undici", "yaml", "zod"),
      ],
      node: true,
      why: "The plugin acts by its user's rights: it knows the contract and the API server, and no part of the operator.",
    }),
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    { name: "product-does-not-know-tests", severity: "error", from: { pathNot: "^test/" }, to: { path: "^test/" } },
    {
      name: "product-uses-runtime-packages-only",
      severity: "error",
      from: { path: "^(operator|api-shim)/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], pathNot: "node_modules/@types/" },
    },
    { name: "not-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "default"] },
  },
};
