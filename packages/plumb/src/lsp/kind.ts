// What is completed, in the protocol's numbers.

import type { Completion } from '@plumb/lang/service'
import type { CompletionItemKind } from 'vscode-languageserver-protocol/node'

const KINDS: Readonly<Record<Completion['kind'], CompletionItemKind>> = {
  function: 3,
  process: 3,
  tool: 3,
  field: 5,
  channel: 6,
  parameter: 6,
  type: 7,
  module: 9,
  key: 10,
  port: 10,
  value: 12,
  keyword: 14,
  annotation: 14,
}

export const kindOf = (kind: Completion['kind']): CompletionItemKind => KINDS[kind]
