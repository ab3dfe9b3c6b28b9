// Links above `main`: to run the spec and to draw it. The client carries them out, so only a client that supports them gets them.

import { isRecord } from '@plumb/wire'
import type * as protocol from 'vscode-languageserver-protocol/node'
import type { Documents } from './documents.js'
import type { DocumentParams } from './params.js'
import { rangeOf } from './position.js'

const TITLES: Readonly<Record<string, string>> = { 'plumb.run': 'run', 'plumb.render': 'render' }

/** The commands that a client names in `initializationOptions: { commands: [...] }`. */
export const clientCommands = (options: unknown): readonly string[] => {
  const named = isRecord(options) && Array.isArray(options.commands) ? options.commands : []
  return Object.keys(TITLES).filter((command) => named.includes(command))
}

/** Each with the URI as its argument; none where there is no `main`. */
export const runLenses = (
  documents: Documents,
  { textDocument: { uri } }: DocumentParams,
  commands: readonly string[],
): protocol.CodeLens[] => {
  const document = documents.get(uri)
  const main = document && documents.compiled(document).program.entry.bindings.get('main')
  if (!document || !main || main.binding.name.span.source.path !== document.path) return []
  const range = rangeOf(document.text, main.binding.name.span)
  return commands.map((command) => ({ range, command: { title: TITLES[command] ?? command, command, arguments: [uri] } }))
}
