// Every command except run, loaded on demand. The list is a part of main, since each import of main becomes a bundle of its own.

export const COMMANDS = {
  check: async () => (await import('./check.js')).check,
  fmt: async () => (await import('./fmt.js')).fmt,
  deps: async () => (await import('./deps.js')).deps,
  render: async () => (await import('./render.js')).render,
  view: async () => (await import('../view/view-command.js')).view,
  lsp: async () => (await import('../lsp/lsp.js')).lsp,
  completion: async () => (await import('./completion.js')).completion,
  test: async () => (await import('../test/command.js')).test,
  approvals: async () => (await import('./approvals.js')).approvals,
  approve: async () => (await import('./approvals.js')).approve,
  version: async () => (await import('./version.js')).printVersion,
  work: async () => (await import('../engine/index.js')).work,
  engine: async () => (await import('../engine/index.js')).engine,
  runs: async () => (await import('../engine/index.js')).runs,
  letters: async () => (await import('../engine/index.js')).letters,
  drain: async () => (await import('../engine/index.js')).drain,
  cancel: async () => (await import('../engine/index.js')).cancel,
  retry: async () => (await import('../engine/index.js')).retry,
  approvalsOn: async () => (await import('../engine/index.js')).approvals,
  approveOn: async () => (await import('../engine/index.js')).approve,
  explain: async () => (await import('./explain.js')).explain,
  prices: async () => (await import('./prices/prices.js')).prices,
}

export type Commands = typeof COMMANDS
