// The command line of plumb-tool.

import { type ProgramForm, type ReadLine, type Result, readCommandLine } from '@plumb/wire'
import { version } from '../../package.json'
import { TOOL_GROUPS } from './options.js'
import { VERBS } from './verbs.js'

export type ToolLine = ReadLine<typeof TOOL_GROUPS>

export const TOOL_FORM: ProgramForm<typeof TOOL_GROUPS> = {
  name: 'plumb-tool',
  version,
  description: 'Lists, calls and serves tools: those of a spec, or else the built-in ones.',
  usage: '[options] [spec.plumb] COMMAND ...',
  operands: { '[words...]': '' },
  maxOperands: Number.POSITIVE_INFINITY,
  groups: TOOL_GROUPS,
  more: `\nCommands:\n${VERBS.map(({ name, words, says }) => `  ${`${name} ${words}`.padEnd(26)}${says}`).join('\n')}`,
  examples: ['plumb-tool call read_file \'{"path":"README.md"}\''],
}

/** The parsed command line, or the text that --help or --version ask for. */
export const readToolArguments = (argv: readonly string[]): Promise<Result<ToolLine | string>> =>
  readCommandLine(TOOL_FORM, argv, async () => (await import('commander')).Command)
