// The limits of the code, and the architecture in words. A rule is never switched off without its reason on the same line.
import js from "@eslint/js";
import tseslint from "typescript-eslint";

const ENVIRONMENT = {
  object: "process",
  property: "env",
  message: "Only main.ts hands the environment to readConfig().",
};

const limits = {
  complexity: ["error", 10],
  "max-depth": ["error", 3],
  "max-params": ["error", 4],
  "max-lines": ["error", { max: 200, skipBlankLines: true, skipComments: true }],
  "max-lines-per-function": ["error", { max: 50, skipBlankLines: true, skipComments: true }],
};

const sourceRules = {
  ...limits,
  "no-console": "error",
  "no-restricted-exports": ["error", { restrictDefaultExports: { direct: true } }],
  "no-restricted-properties": ["error", ENVIRONMENT],
  "@typescript-eslint/switch-exhaustiveness-check": [
    "error",
    { requireDefaultForNonUnion: true, considerDefaultExhaustiveForUnions: true },
  ],
  "@typescript-eslint/explicit-module-boundary-types": "error",
  "@typescript-eslint/consistent-type-imports": "error",
  "@typescript-eslint/no-explicit-any": "error",
  "@typescript-eslint/consistent-type-definitions": "off", // `type` for unions, `interface` for ports: a matter of meaning
  "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
  "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
};

const coreRules = {
  "no-restricted-globals": [
    "error",
    { name: "Date", message: "The core is given `now`; it does not read a clock." },
    { name: "fetch", message: "The core does no I/O." },
    { name: "process", message: "The core does not know its process." },
    { name: "setTimeout", message: "The core does not wait." },
  ],
  "no-restricted-syntax": [
    "error",
    {
      selector: "FunctionDeclaration[async=true], ArrowFunctionExpression[async=true], FunctionExpression[async=true]",
      message: "The core is synchronous.",
    },
    { selector: "MemberExpression[object.name='Math'][property.name='random']", message: "Randomness is passed in." },
  ],
};

const pageRules = {
  "no-undef": "off", // tsc knows what a browser has
  "@typescript-eslint/explicit-module-boundary-types": "off", // the types stand in JSDoc, which this rule does not read
  "@typescript-eslint/no-unnecessary-condition": "off",
  "no-restricted-properties": [
    "error",
    ...["innerHTML", "outerHTML", "insertAdjacentHTML", "write", "srcdoc"].map((property) => ({
      property,
      message: "Text becomes text: see dom.js.",
    })),
  ],
};

export default tseslint.config(
  { ignores: ["node_modules", ".cache", "coverage", "dist", "test/integration/api-shim/openapi-types.ts"] }, // the last one is generated
  js.configs.recommended,
  {
    files: ["**/*.js", "**/*.mjs", "**/*.cjs"],
    languageOptions: { globals: { process: "readonly", console: "readonly" } },
  },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: sourceRules,
  },
  {
    // The web page is served as it lies there: JavaScript whose types tsc checks.
    files: ["api-shim/page/*.js"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: { ...sourceRules, ...pageRules },
  },
  { files: ["operator/task/**/*.ts"], rules: coreRules },
  {
    files: ["**/main.ts", "operator/{evidence,import-usage,migrate,receive,verify}.ts"],
    rules: { "no-restricted-properties": "off" },
  }, // the entry points hand the environment on
  {
    // A `describe` block is a list of tests, not a function to read from top to bottom.
    files: ["test/**/*.test.ts"],
    rules: { "max-lines-per-function": "off" },
  },
  {
    // The test environment and the demo are command-line programs: they print, and they find programs by variables.
    files: ["test/**/*.ts", "crds/*.ts", "image/*.ts"],
    rules: { "no-console": "off", "no-restricted-properties": "off" },
  },
);
