// plumb-tool list: lists the tools, as a table for people or as JSON Lines.

import { isatty } from 'node:tty'
import { MAX_WRITTEN, printType } from '@plumb/lang'
import { preview, type Reporter, stdoutColumns, stdoutIsStyled, wrappedTable, writeStdout } from '@plumb/wire'
import type { Registered } from '../registry/registry.js'
import { dependenciesOf } from '../source/dependency.js'
import type { RunCommand } from './command.js'
import { writeLines } from './write-lines.js'

const MAX_DESCRIPTION = 200
const DEFAULT_COLUMNS = 80

export const list: RunCommand = async ({ registry }, { options: { verb }, reporter }) => {
  const tools = registry.list()
  if (isatty(1) && !verb.wantsJson) await writeTable(tools, reporter)
  else
    await writeLines(
      tools.map((tool) => JSON.stringify(rowOf(tool, registry.nameOf))),
      reporter,
    )
  return undefined
}

/** Also used by `find`. */
export const writeTable = async (tools: readonly Registered[], reporter: Reporter): Promise<void> => {
  const failure = await writeStdout(
    tableOf(tools)
      .map((line) => `${line}\n`)
      .join(''),
  )
  if (failure) reporter.report(failure)
}

const tableOf = (tools: readonly Registered[]): string[] =>
  wrappedTable(
    [
      ['name', 'type', 'effects', 'description'],
      ...tools.map(({ plan, effects }) => [
        plan.version === undefined ? plan.name : `${plan.name} (${plan.version})`,
        typeOf(plan),
        effects.length === 0 ? '-' : effects.join(', '),
        preview(plan.description ?? '', MAX_DESCRIPTION),
      ]),
    ],
    { width: stdoutColumns() ?? DEFAULT_COLUMNS, isStyled: stdoutIsStyled() },
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
