/** The module boundaries. `scripts/check.mjs` runs it and proves that it looked at the modules. */
module.exports = {
  forbidden: [
    {
      name: "no-circles",
      severity: "error",
      comment: "Two modules that need each other are one module, or miss a third.",
      from: {},
      to: { circular: true },
    },
    {
      name: "features-through-their-index",
      severity: "error",
      comment: "What a feature offers stands in its index.ts; the rest is its own business.",
      from: { path: "^server/src/features/([^/]+)/" },
      to: {
        path: "^server/src/features/([^/]+)/",
        pathNot: ["^server/src/features/$1/", "^server/src/features/[^/]+/index\\.ts$"],
      },
    },
    {
      name: "features-through-their-index-from-outside",
      severity: "error",
      comment: "Composition, private API and workers use features as other features do.",
      from: {
        path: "^(server/src/(admin|demo|workers|metrics|simulation)/|server/src/[^/]+\\.ts$)",
        pathNot: "\\.test\\.ts$",
      },
      to: { path: "^server/src/features/[^/]+/", pathNot: "^server/src/features/[^/]+/index\\.ts$" },
    },
    {
      name: "foundations-know-no-feature",
      severity: "error",
      from: {
        path: "^server/src/(http|database|events|workers|opt-out-rules|clock|ids|config|domain-error)",
        pathNot: "\\.test\\.ts$",
      },
      to: { path: "^server/src/(features|admin|demo|service|main)" },
    },
    {
      name: "features-know-no-composition",
      severity: "error",
      from: { path: "^server/src/features/", pathNot: "\\.test\\.ts$" },
      to: { path: "^server/src/(admin|demo|service|main|app-deps|public-routes)" },
    },
    {
      name: "only-http-knows-fastify",
      severity: "error",
      from: { path: "^server/src/", pathNot: "^server/src/(http/|service\\.ts|.*\\.test\\.ts$)" },
      to: { path: "node_modules/fastify/" },
    },
    {
      name: "no-tests-in-production",
      severity: "error",
      from: { path: "^(server|cli)/src/", pathNot: "(\\.test\\.ts$|^(server|cli)/src/testing/)" },
      to: { path: "(^(server|cli)/src/testing/|\\.test\\.ts$)" },
    },
    {
      name: "checker-shares-no-code",
      severity: "error",
      comment:
        "The simulation's checker would find nothing that the dialer and the rules, whose code it shared, do wrong.",
      from: { path: "^server/src/simulation/checker/", pathNot: "\\.test\\.ts$" },
      to: { pathNot: "^server/src/simulation/checker/" },
    },
    {
      name: "cli-is-a-client",
      severity: "error",
      comment:
        "The CLI talks to the private API. Only `serve` and `migrate` run the service, and `listen` verifies signatures with its code.",
      from: { path: "^cli/src/", pathNot: "(\\.test\\.ts$|^cli/src/(testing|listen)/)" },
      to: { path: "^server/src/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)dist/" },
    tsPreCompilationDeps: true,
    parser: "swc",
    moduleSystems: ["es6"],
    enhancedResolveOptions: { extensions: [".ts", ".js", ".mjs", ".cjs", ".json"] },
  },
};
