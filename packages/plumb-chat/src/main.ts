// argv in, exit status out.

import { endWith, fail, type ProgramForm, type Result, readCommandLine, runProgram, succeed, writeStdout } from '@plumb/wire'
import { Command } from 'commander'
import { version } from '../package.json'
import { CHAT_GROUPS, type Spec } from './options.js'
import { runChat } from './run.js'

const PROGRAM = 'plumb-chat'

const FORM: ProgramForm<typeof CHAT_GROUPS> = {
  name: PROGRAM,
  version,
  description: 'A conversation at a terminal with what a spec holds, or with ELIZA.',
  operands: { '[spec.plumb]': 'the program to talk to' },
  maxOperands: 1,
  groups: CHAT_GROUPS,
  examples: [
    'plumb-chat',
    'plumb-chat bot.plumb',
    'plumb-chat --provider anthropic --model MODEL',
    "echo 'Men are all alike.' | plumb-chat",
  ],
}

const main = async (argv: readonly string[]): Promise<number> => {
  const read = await readCommandLine(FORM, argv, async () => Command)
  if (!read.ok) return endWith(PROGRAM, read.error)
  if (typeof read.value === 'string') return endWith(PROGRAM, await writeStdout(read.value))
  const { values, operands } = read.value
  const spec = specOf(values.chat.eval, operands[0])
  return spec.ok ? runChat({ ...values, spec: spec.value }, PROGRAM) : endWith(PROGRAM, spec.error)
}

const specOf = (text: string | undefined, path: string | undefined): Result<Spec> => {
  if (text !== undefined && path !== undefined) return fail('usage', '--eval takes the place of a file, and a file is given too')
  return succeed(path !== undefined ? { kind: 'file', path } : text !== undefined ? { kind: 'text', text } : { kind: 'none' })
}

runProgram(PROGRAM, version, main)
