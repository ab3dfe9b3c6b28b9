// From the options to a conversation: inspects the spec, and opens the kind of terminal that there is.

import { isatty } from 'node:tty'
import { dieOf, type Fault, fault, hasStyles, openInput, openOutput, parseJson, Reporter, readReported, systemReason } from '@plumb/wire'
import { guardOutputsBelow } from '@plumb/wire/output'
import { completeCommand } from './command/table.js'
import { ChatConversation, type ConversationEnd } from './conversation.js'
import { filter } from './filter.js'
import { greeting } from './greeting.js'
import { historyFile, inMemoryHistory, openHistory } from './history.js'
import { type ChatOptions, programWords } from './options.js'
import { inspectSpec, specArgs, specText } from './program/inspect-spec.js'
import type { ChatProgram } from './program/program.js'
import { makePaint } from './terminal/colour.js'
import { openEditor } from './terminal/editor.js'
import { openPlain } from './terminal/plain.js'
import { openScreen, type Screen } from './terminal/screen.js'
import type { Terminal, TerminalListener } from './terminal/terminal.js'

const PROMPT = '> '
const DEFAULT_COLUMNS = 80

/** Resolves to the exit status. When a signal stopped it, this process dies of the same signal. */
export const runChat = async (options: ChatOptions, program: string): Promise<number> => {
  const reporter = new Reporter(program)
  const text = specText(options.spec, options.program.provider, process.env.PLUMB_PROVIDER)
  const inspected = await inspectSpec(options, text)
  let status: number = 2
  if (!inspected.ok) reporter.report(inspected.error)
  else if ('lines' in inspected.value) for (const line of inspected.value.lines) reportLine(line, reporter)
  else {
    const args = [...programWords(options), ...specArgs(options.spec, text)]
    const report = (error: Fault) => reporter.report(error)
    if (options.chat.servesAcp) {
      const { serveAcp } = await import('./acp/serve-acp.js')
      status = await serveAcp(inspected.value, args, options.program.docroot !== undefined, reporter)
    } else status = isatty(0) ? await converse(inspected.value, options, text, args) : await filter(inspected.value, args, report)
  }
  await reporter.end()
  return Math.max(status, reporter.status)
}

const converse = async (program: ChatProgram, options: ChatOptions, text: string, args: readonly string[]): Promise<number> => {
  guardOutputsBelow(options.program.docroot)
  const stdout = isatty(1) ? process.stdout : openOutput(1)
  const stderr = openOutput(2)
  const paint = makePaint(hasStyles(isatty(2)), program.agents)
  const isPlain = !isatty(1) || process.env.TERM === 'dumb'
  const layout = { columns: () => process.stdout.columns || DEFAULT_COLUMNS, isStyled: hasStyles(isatty(1)) }
  const screen = openScreen(stdout, stderr, paint, isPlain ? undefined : layout)
  const history = (options.chat.keepsHistory ? openUserHistory(screen) : undefined) ?? inMemoryHistory()
  const openTerminal = (listener: TerminalListener): Terminal =>
    isPlain
      ? openPlain({ input: openInput(0), output: isatty(1) ? stdout : stderr, prompt: PROMPT, listener })
      : openEditor({
          input: process.stdin,
          output: process.stdout,
          prompt: PROMPT,
          history: history.entries,
          complete: completeCommand,
          listener,
        })
  for (const line of greeting(program, options)) screen.dimNotice(line)
  const remember = history.add
  const { status, signal } = await new Promise<ConversationEnd>((onEnd) => {
    const conversation = new ChatConversation({
      ...{ program, options, specText: text, args, screen, openTerminal, remember, onEnd },
      isStreamed: isatty(1),
      isForPerson: isatty(2),
    })
    stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'EIO') conversation.hangUp()
      else conversation.abort(fault('write_failed', `cannot write: ${systemReason(error)}`))
    })
    stderr.on('error', () => {})
    conversation.start()
  })
  if (signal) dieOf(signal)
  return status
}

// Diagnostics of plumb are text already.
const reportLine = (line: string, reporter: Reporter): void => {
  const parsed = parseJson(Buffer.from(line), 0, Buffer.byteLength(line))
  const reported = parsed.ok ? readReported(parsed.value) : undefined
  if (reported?.severity === 'error') reporter.report(reported.fault)
  else if (reported) reporter.warn(reported.fault)
  else reporter.write(line)
}

const openUserHistory = (screen: Screen) => {
  const path = historyFile(process.env)
  if (path === undefined) return undefined
  const history = openHistory(path)
  if (history.ok) return history.value
  screen.notice(history.error.detail)
  return undefined
}
