// argv in, exit status out.

import { type Fault, fault, openInput, type Result, writeStdout } from '@plumb/wire'
import { CommanderError } from 'commander'
import { readArguments, usageFault } from './main-flags.js'
import type { Options } from './options.js'
import { run } from './run.js'
import { receiveSpec } from './spec-envelope.js'
import { openStderr } from './stderr.js'

const PROGRAM = 'plumb-agent'

const main = async (argv: readonly string[]): Promise<number> => {
  const read = readOptions(argv)
  if (read.kind === 'asked') return print(read.text)
  if (!read.options.ok) return refuse(read.options.error)
  const options = read.options.value
  return options.spec.kind === 'envelope' ? runReceived(argv) : run(options, PROGRAM)
}

// What its sender wants of it stands in the envelope, beside the spec.
const runReceived = async (argv: readonly string[]): Promise<number> => {
  const stdin = openInput(0)
  const received = await receiveSpec(stdin)
  if (!received.ok) return refuse(received.error)
  const { args, ...given } = received.value
  const read = readOptions([...argv, ...args])
  if (read.kind === 'asked') return print(read.text)
  return read.options.ok ? run(read.options.value, PROGRAM, { ...given, stdin }) : refuse(read.options.error)
}

type Read = { readonly kind: 'options'; readonly options: Result<Options> } | { readonly kind: 'asked'; readonly text: string }

const readOptions = (argv: readonly string[]): Read => {
  let text = ''
  try {
    const options = readArguments(PROGRAM, argv, (part) => {
      text += part
    })
    return { kind: 'options', options }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return { kind: 'asked', text }
    return { kind: 'options', options: { ok: false, error: usageFault(error, PROGRAM) } }
  }
}

const print = async (text: string): Promise<number> => {
  const failure = await writeStdout(text)
  return failure ? refuse(failure) : 0
}

const refuse = async (error: Fault): Promise<number> => {
  const stderr = openStderr(PROGRAM)
  stderr.report(error)
  return stderr.end()
}

const crash = (error: unknown): Promise<number> =>
  refuse(fault('internal', error instanceof Error ? (error.stack ?? error.message) : String(error)))

main(process.argv.slice(2))
  .catch(crash)
  .then((status) => {
    process.exitCode = status
  })
