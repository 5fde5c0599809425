// Levels, cheapest first. `unit` and `scenarios` use no process but their own; the others share one real environment (test/env).
const base = {
  rootDir: import.meta.dirname,
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": ["@swc/jest", { jsc: { target: "es2024", parser: { syntax: "typescript" } }, module: { type: "es6" } }],
  },
  transformIgnorePatterns: ["/node_modules/"],
  moduleNameMapper: {},
  testEnvironment: "node",
};

const level = (name, options = {}) => ({
  ...base,
  displayName: name,
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  ...options,
});

export default {
  projects: [level("unit"), level("scenarios"), level("docs"), level("integration"), level("e2e")],
};
