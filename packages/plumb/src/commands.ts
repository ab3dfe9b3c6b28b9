// Each command that is no run, loaded when it is asked for. The list is a part of main, for of what main imports so each becomes a bundle of its own.

export const COMMANDS = {
  check: async () => (await import('./check-command.js')).check,
  fmt: async () => (await import('./fmt-command.js')).fmt,
  deps: async () => (await import('./deps-command.js')).deps,
  render: async () => (await import('./render-command.js')).render,
  view: async () => (await import('./view/view-command.js')).view,
  lsp: async () => (await import('./lsp.js')).lsp,
  completion: async () => (await import('./completion-command.js')).completion,
  explain: async () => (await import('./explain-command.js')).explain,
}

export type Commands = typeof COMMANDS
