// Levels, cheapest first. `unit`, `scenarios` and `docs` use no process but their own, `chart` runs Helm; `integration` shares one real
// environment (test/env), each file of `e2e` and `long` has its own, and `soak` wants the machine for itself, as `pods` does,
// which shares one cluster (test/cluster).
const base = {
  rootDir: import.meta.dirname,
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { target: "es2024", parser: { syntax: "typescript" } }, module: { type: "es6" } },
    ],
  },
  transformIgnorePatterns: ["/node_modules/"],
  moduleNameMapper: {},
  // A copy of our package.json lies there, for the image.
  modulePathIgnorePatterns: ["<rootDir>/dist/"],
  testEnvironment: "node",
};

const level = (name, options = {}) => ({
  ...base,
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  ...options,
});

/** One real environment a run; a test that breaks parts of it in ways that others would feel starts its own. */
const shared = {
  globalSetup: "<rootDir>/test/env/jest-setup.ts",
  globalTeardown: "<rootDir>/test/env/jest-teardown.ts",
};

/** One cluster a run. */
const cluster = {
  globalSetup: "<rootDir>/test/pods/jest-setup.ts",
  globalTeardown: "<rootDir>/test/env/jest-teardown.ts",
};

export default {
  // More than there are cores: the longest files of integration and e2e mostly wait for other processes.
  maxWorkers: 6,
  // A worker keeps what the modules of its files held: after a hundred files some gigabyte, which it takes longer to give back at its
  // end than jest waits for it on a busy machine. Past this much it is replaced between two files.
  workerIdleMemoryLimit: "500MB",
  // For tests that say nothing else. A limit, not a wait: what matters is that it never depends on how busy the machine is.
  testTimeout: 30_000,
  testSequencer: "<rootDir>/test/longest-first.js",
  projects: ["unit", "scenarios", "docs", "chart", "e2e", "long", "soak"]
    .map((name) => level(name))
    .concat(level("integration", shared), level("pods", cluster)),
};
