// plumb-tool list: lists the tools, as a table for people or as JSON Lines.

import { isatty } from 'node:tty'
import { MAX_WRITTEN, printType } from '@plumb/lang'
import { preview } from '@plumb/wire'
import type { Registered } from '../registry/registry.js'
import { dependenciesOf } from '../source/dependency.js'
import type { RunCommand } from './command.js'
import { writeLines } from './write-lines.js'

export const list: RunCommand = async ({ registry }, { options: { verb }, reporter }) => {
  const tools = registry.list()
  const text = isatty(1) && !verb.wantsJson ? tableOf(tools) : tools.map((tool) => JSON.stringify(rowOf(tool, registry.nameOf)))
  await writeLines(text, reporter)
  return undefined
}

/** Also used by `find`. */
export const tableOf = (tools: readonly Registered[]): string[] =>
  writeTable(
    ['NAME', 'TYPE', 'EFFECTS', 'DESCRIPTION'],
    tools.map(({ plan, effects }) => [
      plan.version === undefined ? plan.name : `${plan.name} (${plan.version})`,
      preview(typeOf(plan)),
      effects.length === 0 ? '-' : effects.join(','),
      preview(plan.description ?? '', 80),
    ]),
  )

const rowOf = ({ plan, effects }: Registered, nameOf: (bound: Registered['plan']['bound']) => string) => ({
  name: plan.name,
  type: typeOf(plan),
  ...(plan.description === undefined ? {} : { description: plan.description }),
  ...(plan.version === undefined ? {} : { version: plan.version }),
  effects,
  depends_on: [...dependenciesOf(plan)].map(nameOf),
  source: plan.body.kind === 'chain' ? 'inline' : plan.body.source,
  spec: plan.specPath,
})

const typeOf = ({ input, output }: Registered['plan']): string => `${printType(input, MAX_WRITTEN)} -> ${printType(output, MAX_WRITTEN)}`

/** Rows as columns of one width each. */
const writeTable = (head: readonly string[], rows: readonly (readonly string[])[]): string[] => {
  const all = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...all.map((row) => [...(row[column] ?? '')].length)))
  return all.map((row) =>
    row
      .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - [...text].length))
      .join('  ')
      .trimEnd(),
  )
}
