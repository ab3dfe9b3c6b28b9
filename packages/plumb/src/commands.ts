// Every command except run, loaded on demand. The list is a part of main, since each import of main becomes a bundle of its own.

export const COMMANDS = {
  check: async () => (await import('./command/check.js')).check,
  fmt: async () => (await import('./command/fmt.js')).fmt,
  deps: async () => (await import('./command/deps.js')).deps,
  types: async () => (await import('./command/types/types.js')).types,
  render: async () => (await import('./command/render.js')).render,
  view: async () => (await import('./view/view-command.js')).view,
  diff: async () => (await import('./command/diff.js')).diff,
  lsp: async () => (await import('./lsp/lsp.js')).lsp,
  completion: async () => (await import('./command/completion.js')).completion,
  test: async () => (await import('@plumb/spec-test')).test,
  approvals: async () => (await import('@plumb/runtime/record/approvals')).approvals,
  approve: async () => (await import('@plumb/runtime/record/approvals')).approve,
  pending: async () => (await import('@plumb/runtime/record/approvals')).pending,
  answer: async () => (await import('@plumb/runtime/record/approvals')).answer,
  version: async () => (await import('./command/version.js')).printVersion,
  work: async () => (await import('@plumb/engine')).work,
  engine: async () => (await import('@plumb/engine')).engine,
  runs: async () => (await import('@plumb/engine')).runs,
  letters: async () => (await import('@plumb/engine')).letters,
  drain: async () => (await import('@plumb/engine')).drain,
  cancel: async () => (await import('@plumb/engine')).cancel,
  retry: async () => (await import('@plumb/engine')).retry,
  approvalsOn: async () => (await import('@plumb/engine')).approvals,
  approveOn: async () => (await import('@plumb/engine')).approve,
  pendingOn: async () => (await import('@plumb/engine')).pending,
  answerOn: async () => (await import('@plumb/engine')).answer,
  explain: async () => (await import('./command/explain.js')).explain,
  prices: async () => (await import('./command/prices/prices.js')).prices,
}

export type Commands = typeof COMMANDS
