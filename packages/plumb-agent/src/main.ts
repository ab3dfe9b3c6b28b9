// argv in, exit status out.

import { versionAndPrices } from '@plumb/ledger'
import { endWith, openInput, type Result, runProgram, succeed, writeStdout } from '@plumb/wire'
import { version } from '../package.json'
import { receiveSpec } from './config/spec-envelope.js'
import { readAgentArguments } from './main-flags.js'
import type { AgentOptions } from './options.js'
import { type ReceivedInput, runAgent } from './run.js'

const PROGRAM = 'plumb-agent'

const main = async (argv: readonly string[]): Promise<number> => {
  const read = await readAgentArguments(argv)
  const isReceived = read.ok && typeof read.value === 'object' && read.value.spec.kind === 'envelope'
  return isReceived ? runReceived(argv) : obey(read)
}

// The sender's options are in the envelope, beside the spec.
const runReceived = async (argv: readonly string[]): Promise<number> => {
  const stdin = openInput(0)
  const received = await receiveSpec(stdin)
  if (!received.ok) return endWith(PROGRAM, received.error)
  const { args, ...given } = received.value
  const status = await obey(await readAgentArguments([...argv, ...args]), { ...given, stdin })
  // Its sender may hold it open; if nothing was started, nothing else closes it.
  stdin.destroy()
  return status
}

const obey = async (read: Result<AgentOptions | string>, received?: ReceivedInput): Promise<number> => {
  if (!read.ok) return endWith(PROGRAM, read.error)
  if (typeof read.value === 'string') return endWith(PROGRAM, await writeStdout(read.value))
  const options = await withPrompt(read.value)
  return options.ok ? runAgent(options.value, PROGRAM, received) : endWith(PROGRAM, options.error)
}

// A prompt file is converted to a spec.
const withPrompt = async (options: AgentOptions): Promise<Result<AgentOptions>> => {
  const { spec, program, tools } = options
  if (spec.kind !== 'file' || program.sourcesFd !== undefined || !PROMPT.test(spec.path)) return succeed(options)
  const { promptAsSpec } = await import('@plumb/tool/source/agent/prompt-program')
  const { reachOf } = await import('@plumb/tool/source/agent/prompt-reach')
  const text = promptAsSpec(spec.path, reachOf({ grants: tools.grant, docroot: tools.docroot }))
  if (!text?.ok) return text ?? succeed(options)
  return succeed({ ...options, spec: { kind: 'text', text: text.value, path: spec.path } })
}

const PROMPT = /\.(chatmd|md)$/i

runProgram(PROGRAM, versionAndPrices(version), main)
