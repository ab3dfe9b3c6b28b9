// tool { command: "…" }: the program and its first words come from the spec, the other arguments from the call. No shell is involved.

import { dirname, resolve } from 'node:path'
import { type Json, resolve as resolveType, type ToolPlan, type Type } from '@plumb/lang'
import { addMissingAccess, hostPolicy, readSandbox, type SandboxAtStart, spawnSandboxed, withGitGuard } from '@plumb/sandbox'
import { childEnv, fail, isRecord, preview, type Result, resolveProgram, succeed } from '@plumb/wire'
import type { Call } from '../../call/call.js'
import type { Run } from '../../combine/run.js'
import type { JsonText } from '../../json-text.js'
import { deepenNesting, deliveryEnv } from '../process/nesting-depth.js'
import { whyChanged } from '../program-files/detect-changes.js'
import { protectedProgramFiles } from '../program-files/protected-files.js'
import { splitCommandLine } from '../split-command-line.js'
import { collectOutput } from './collect-output.js'

const DEFAULT_MAX_OUTPUT = 10_000
/** MAX_ARG_STRLEN of Linux, without the final NUL. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1

interface Wrapper {
  readonly name: string
  readonly program: string
  readonly words: readonly string[]
  readonly specDirectory: string
  readonly specPath: string
  readonly output: Type
  readonly maxOutput: number
  readonly sandbox: SandboxAtStart
}

export const commandRun = (
  { name, output, specPath }: ToolPlan,
  config: { readonly [key: string]: Json },
  docroot: string,
): Result<Run> => {
  const [program = '', ...words] = splitCommandLine(String(config.command))
  const sandbox = readSandbox(config.sandbox, { who: `tool '${name}'`, docroot, effects: config.effects, isDefault: true })
  if (!sandbox.ok) return sandbox
  const specDirectory = resolve(dirname(specPath))
  const maxOutput = typeof config.max_output === 'number' ? config.max_output : DEFAULT_MAX_OUTPUT
  const found = findProgram(program, specDirectory)
  if (!found.ok) return fail(found.error.error, `tool '${name}': ${found.error.detail}`)
  const wrapper = { name, program: found.value, words, specDirectory, specPath, output, maxOutput, sandbox: sandbox.value }
  return succeed((text, call) => runCommand(wrapper, text, call))
}

// Resolved once, when the spec is loaded: a program that appears on PATH later is not the one that was meant.
const findProgram = (program: string, specDirectory: string): Result<string> =>
  program.includes('/') ? resolveProgram(resolve(specDirectory, program), '/') : resolveProgram(program, '/', process.env.PATH)

const runCommand = async (wrapper: Wrapper, input: JsonText, call: Call): Promise<Result<JsonText>> => {
  const { session, signal, record } = call
  const { name, program, words, output, maxOutput, specDirectory, specPath } = wrapper
  const args = readArguments(input)
  if (!args.ok) return args
  const depth = deepenNesting()
  if (!depth.ok) return depth
  const changed = await whyChanged(session, [program, ...words.map((word) => resolve(session.docroot, word))])
  if (changed) return { ok: false, error: changed }
  const sandbox = wrapper.sandbox(session.servers)
  if (!sandbox.ok) return sandbox
  const isText = resolveType(output).kind === 'string'
  const programFiles = await protectedProgramFiles(session, sandbox.value, [program])
  const child = spawnSandboxed(
    sandbox.value,
    {
      command: [program, ...words, ...args.value],
      cwd: session.docroot,
      env: withGitGuard({ ...childEnv('foreign'), ...depth.value, ...deliveryEnv(call), ...traceEnv(call) }),
      isForeign: true,
      joinsStderr: isText,
    },
    {
      visible: [specDirectory, specPath],
      words,
      programFiles,
      caller: hostPolicy(name, session.authority),
    },
  )
  if (!child.ok) return child
  const result = await collectOutput({ name, child: child.value, signal, output, maxOutput, record })
  return inWordsOf(specPath, result, addMissingAccess(result, child.value))
}

const traceEnv = ({ traceparent }: Call): Readonly<Record<string, string>> =>
  traceparent === undefined ? {} : { TRACEPARENT: traceparent }

// A prompt file has tags in place of tools with keys.
const inWordsOf = (specPath: string, before: Result<JsonText>, advised: Result<JsonText>): Result<JsonText> => {
  if (advised.ok || before.ok || advised.error.detail === before.error.detail || !/\.(chatmd|md)$/i.test(specPath)) return advised
  const where =
    `'there' is the attribute sandbox of its tool in '${preview(specPath, 200)}', as in sandbox='{"write":["out"]}'; ` +
    `effects="fs.write,net" lets it write and use the network`
  return { ok: false, error: { ...advised.error, detail: `${advised.error.detail} (${where})` } }
}

/** Arguments: a list of strings, one string or nothing, bare or in the field `arguments`. The type may be `json`, so this is checked. */
const readArguments = (input: JsonText): Result<readonly string[]> => {
  const value = JSON.parse(input) as Json
  const given = (isRecord(value) ? value.arguments : value) ?? []
  const args: readonly Json[] = Array.isArray(given) ? given : [given as Json]
  for (const argument of args) {
    const wrong = typeof argument === 'string' ? whyNot(argument) : 'is not a string'
    if (wrong)
      return fail(
        'input_type_mismatch',
        `an argument ${wrong}: ${preview(typeof argument === 'string' ? argument : JSON.stringify(argument))}`,
      )
  }
  return succeed(args as readonly string[])
}

const whyNot = (argument: string): string | undefined => {
  if (Buffer.byteLength(argument) > MAX_ARGUMENT_BYTES) return `is longer than ${MAX_ARGUMENT_BYTES} bytes`
  if (/\p{Cs}/u.test(argument)) return 'holds one half of a surrogate pair, which UTF-8 has no bytes for'
  return argument.includes('\0') ? 'holds a NUL character' : undefined
}
