// What stands for `import.meta.url` in bundles; only those that ask for it hold this.

export const importMetaUrl = /* @__PURE__ */ (() => require('node:url').pathToFileURL(__filename).href)()
