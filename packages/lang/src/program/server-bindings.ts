// The config values of a file that are MCP servers, each checked as one that an agent names.

import { plainConfig, readConfig } from '../check/config.js'
import { mcpServer } from '../check/server.js'
import type { Program } from '../compile.js'
import { type Diagnostic, hasErrors, type Report } from '../diagnostic/diagnostic.js'
import type { Json } from '../types/type.js'

export interface ServerBinding {
  /** As an entry of `mcp`; the name of the binding is its `prefix`, where it has no other. */
  readonly config: { readonly [key: string]: Json }
  readonly specPath: string
}

/** Of the file that was named: its objects with `command` or `url`, in their order. */
export const serverBindings = ({
  entry,
}: Program): { readonly servers: readonly ServerBinding[]; readonly diagnostics: readonly Diagnostic[] } => {
  const diagnostics: Diagnostic[] = []
  const report: Report = (d) => diagnostics.push(d)
  const servers = [...entry.bindings.values()].flatMap(({ name, binding: { impl }, scope }) => {
    if (impl.kind !== 'object' || !impl.entries.some(({ key }) => key.text === 'command' || key.text === 'url')) return []
    const config = readConfig(mcpServer().what, impl, mcpServer().keys, scope, report)
    mcpServer().check?.(config, impl, report)
    return [{ config: { prefix: name, ...plainConfig(config) }, specPath: scope.module.path }]
  })
  return { servers: hasErrors(diagnostics) ? [] : servers, diagnostics }
}
