// Replaces `import.meta.url` in bundles; only bundles that use it contain this.

export const importMetaUrl = /* @__PURE__ */ (() => require('node:url').pathToFileURL(__filename).href)()
