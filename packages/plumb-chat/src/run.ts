// From the options to a conversation: what there is to talk to, and on what kind of terminal.

import { isatty } from 'node:tty'
import { dieOf, type Fault, fault, openInput, openOutput, parseJson, Reporter, systemReason } from '@plumb/wire'
import { completions } from './command/table.js'
import { filter } from './filter.js'
import { forgetfulHistory, historyFile, openHistory } from './history.js'
import type { Options } from './options.js'
import { learn, specArgs } from './program/learn.js'
import type { Program } from './program/program.js'
import { specText } from './program/spec-text.js'
import { Talk } from './talk.js'
import { hasColours, makePaint } from './terminal/colour.js'
import { openEditor } from './terminal/editor.js'
import { openPlain } from './terminal/plain.js'
import { openScreen, type Screen } from './terminal/screen.js'
import type { Person, Terminal } from './terminal/terminal.js'
import { isFault } from './words.js'

const PROMPT = '> '

/** Resolves to the exit status; dies of the signal that stopped it. */
export const run = async (options: Options, program: string): Promise<number> => {
  const reporter = new Reporter(program)
  const text = specText(options, process.env.PLUMB_PROVIDER)
  const learned = await learn(options, text)
  let status: number = 2
  if (!learned.ok) reporter.report(learned.error)
  else if ('lines' in learned.value) for (const line of learned.value.lines) refuse(line, reporter)
  else {
    const args = [...options.handedOn, ...specArgs(options.spec, text)]
    const report = (error: Fault) => reporter.report(error)
    status = isatty(0) ? await converse(learned.value, options, text, args) : await filter(learned.value, args, report)
  }
  await reporter.end()
  return Math.max(status, reporter.status)
}

const converse = async (program: Program, options: Options, text: string, args: readonly string[]): Promise<number> => {
  const stdout = isatty(1) ? process.stdout : openOutput(1)
  const stderr = openOutput(2)
  const paint = makePaint(hasColours(isatty(2), process.env), program.agents)
  const screen = openScreen(stdout, stderr, paint)
  const heard = (options.keepsHistory ? keptHistory(screen) : undefined) ?? forgetfulHistory()
  const isPlain = !isatty(1) || process.env.TERM === 'dumb'
  const openTerminal = (person: Person): Terminal =>
    isPlain
      ? openPlain({ input: openInput(0), output: isatty(1) ? stdout : stderr, prompt: PROMPT, person })
      : openEditor({
          input: process.stdin,
          output: process.stdout,
          prompt: PROMPT,
          history: heard.entries,
          complete: completions,
          person,
        })
  screen.notice(greeting(program, options))
  const remember = heard.add
  const talk = new Talk({ program, options, specText: text, args, screen, openTerminal, remember, isStreamed: isatty(1) })
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'EIO') talk.hangUp()
    else talk.giveUp(fault('write_failed', `cannot write: ${systemReason(error)}`))
  })
  stderr.on('error', () => {})
  const { status, signal } = await talk.run()
  if (signal) dieOf(signal)
  return status
}

// Diagnostics are text already.
const refuse = (line: string, reporter: Reporter): void => {
  const parsed = parseJson(Buffer.from(line), 0, Buffer.byteLength(line))
  if (parsed.ok && isFault(parsed.value)) reporter.report(parsed.value)
  else reporter.write(line)
}

const keptHistory = (screen: Screen) => {
  const path = historyFile(process.env)
  if (path === undefined) return undefined
  const history = openHistory(path)
  if (history.ok) return history.value
  screen.notice(history.error.detail)
  return undefined
}

const greeting = ({ binding }: Program, { spec, provider }: Options): string => {
  const whom = spec.kind === 'none' && binding === 'eliza' && !provider ? 'ELIZA, since no spec is given' : `'${binding}'`
  return `talking to ${whom}; /help lists the commands, Ctrl-D leaves`
}
