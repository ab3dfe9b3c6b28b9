// tool { function: "FILE#NAME" }: an exported function of a module. It runs in a child without our keys, which can be killed.

import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { Fit, Json, ToolPlan, Type } from '@plumb/lang'
import {
  addMissingAccess,
  hostPolicy,
  readSandbox,
  type SandboxAtStart,
  spawnSandboxed,
  stopWhenAborted,
  withGitGuard,
} from '@plumb/sandbox'
import { childEnv, type Fault, fail, LineReader, MAX_LINE, preview, type Result, succeed } from '@plumb/wire'
import type { Call } from '../../call/call.js'
import { openFitSchema } from '../../call/fit-schema.js'
import type { Run } from '../../combine/run.js'
import type { JsonText } from '../../json-text.js'
import { deepenNesting, deliveryEnv } from '../process/nesting-depth.js'
import { whyChanged } from '../program-files/detect-changes.js'
import { protectedProgramFiles } from '../program-files/protected-files.js'
import { type Parameters, schemaOfParameters } from './parameters.js'
import runner from './runner.child.cjs'
import { readDeclared, readReply } from './runner-reply.js'
import { isTypeScript, stripTypes } from './strip-types.js'

interface Target {
  readonly tool: string
  readonly file: string
  /** Of the export. */
  readonly name: string
  readonly output: Type
  readonly sandbox: SandboxAtStart
}

const [REQUESTS, ANSWERS] = [4, 5] as const
/** Time for a function to react to its abort signal. */
const ABORT_GRACE_MS = 200

export const functionRun = (
  { name: tool, output, specPath }: ToolPlan,
  config: { readonly [key: string]: Json },
  docroot: string,
): Result<Run> => {
  const [, path = '', name = 'default'] = /^(.*?)(?:#(.*))?$/s.exec(String(config.function)) ?? []
  const sandbox = readSandbox(config.sandbox, { who: `tool '${tool}'`, docroot, effects: config.effects, isDefault: true })
  if (!sandbox.ok) return sandbox
  const file = resolve(dirname(specPath), path)
  if (!existsSync(file)) return fail('file_not_found', `tool '${tool}' is a function of '${preview(file, 200)}', which does not exist`)
  const target = { tool, file, name, output, sandbox: sandbox.value }
  return succeed((input, call) => callFunction(target, input, call))
}

const callFunction = async (target: Target, input: JsonText, call: Call): Promise<Result<JsonText>> => {
  const { signal, session } = call
  const { tool, file, name } = target
  const changed = await whyChanged(session, [file])
  if (changed) return { ok: false, error: changed }
  const modules = isTypeScript(file) ? await stripTypes(file) : undefined
  if (modules?.ok === false) return modules
  const depth = deepenNesting()
  if (!depth.ok) return depth
  const sandbox = target.sandbox(session.servers)
  if (!sandbox.ok) return sandbox
  const programFiles = await protectedProgramFiles(session, sandbox.value, [file])
  const child = spawnSandboxed(
    sandbox.value,
    {
      command: [process.execPath, '-', `${file}#${name}`],
      cwd: session.docroot,
      env: withGitGuard({ ...childEnv('foreign'), ...depth.value, ...deliveryEnv(call) }),
      fds: { [REQUESTS]: 'in', [ANSWERS]: 'out' },
      isForeign: false,
    },
    // The module and what it imports must be visible in the sandbox.
    {
      visible: [dirname(file)],
      words: [file],
      programFiles,
      caller: hostPolicy(tool, session.authority),
    },
  )
  if (!child.ok) return child
  const { stdin, fds } = child.value
  const requests = fds.get(REQUESTS) as Writable
  let refused: Fault | undefined
  const line = replyLine(fds.get(ANSWERS) as Readable, (parameters) => {
    const fit = fitDeclared(tool, parameters, input)
    if (fit.ok) requests.write(`${JSON.stringify({ input: fit.value.json })}\n`)
    else {
      refused = fit.error
      void child.value.terminate(ABORT_GRACE_MS)
    }
  })
  stdin.end(runner)
  requests.write(`${JSON.stringify({ url: pathToFileURL(file).href, name, modules: modules?.value, input })}\n`)
  const exit = await stopWhenAborted(child.value, signal, { ask: () => void requests.end(), graceMs: ABORT_GRACE_MS })
  if (refused) return { ok: false, error: refused }
  if (exit === 'aborted') return fail('cancelled', `function '${tool}' was stopped before it gave a result`)
  return addMissingAccess(readReply(line(), exit, target), child.value)
}

/** The first line of the stream that is no declaration, or why it cannot be read; later lines are dropped. */
const replyLine = (stream: Readable, onDeclared: (parameters: Json) => void): (() => Result<string> | undefined) => {
  let line: Result<string> | undefined
  let declared: Json | undefined
  const read = (): void => {
    while (reader.next()) {
      const { fault, buf, start, end } = reader
      const text = fault ? '' : buf.toString('utf8', start, end)
      const parameters = line || declared !== undefined ? undefined : readDeclared(text)
      if (parameters !== undefined) {
        declared = parameters
        onDeclared(parameters)
      } else line ??= fault ? { ok: false, error: fault } : succeed(text)
    }
  }
  // The result is JSON inside a JSON string, where escapes can double its length.
  const reader = new LineReader(stream, { maxLine: 2 * MAX_LINE, onReadable: read })
  return () => line
}

/** What the function itself says of its input holds beside the signature. */
const fitDeclared = (tool: string, parameters: Json, input: JsonText): Result<Fit> => {
  const fit = openFitSchema(schemaOfParameters(parameters as Parameters), 'that the function declares')
  return fit.ok
    ? fit.value(tool, input)
    : fail('config_invalid', `function '${tool}' declares parameters that are not a schema: ${fit.error.detail}`)
}
