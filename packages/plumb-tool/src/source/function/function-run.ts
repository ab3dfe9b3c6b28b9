// tool { function: "FILE#NAME" }: an exported function of a module. Each call runs in a child of its own.

import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type { Fit, Json, ToolPlan, Type } from '@plumb/lang'
import { addMissingAccess, stopWhenAborted } from '@plumb/sandbox'
import { type Fault, fail, LineReader, MAX_LINE, type Result, succeed } from '@plumb/wire'
import type { Call } from '../../call/call.js'
import { openFitSchema } from '../../call/fit-schema.js'
import type { Run } from '../../combine/run.js'
import type { JsonText } from '../../json-text.js'
import { deliveryEnv } from '../process/nesting-depth.js'
import { type FunctionTarget, functionTarget, spawnFunctionChild } from './function-child.js'
import { type Parameters, schemaOfParameters } from './parameters.js'
import { isPython } from './python-process.js'
import { pythonRun } from './python-run.js'
import runner from './runner.child.cjs'
import { readDeclared, readReply } from './runner-reply.js'
import { isTypeScript, stripTypes } from './strip-types.js'

interface Target extends FunctionTarget {
  readonly output: Type
}

/** Time for a function to react to its abort signal. */
const ABORT_GRACE_MS = 200

export const functionRun = (plan: ToolPlan, config: { readonly [key: string]: Json }, docroot: string): Result<Run> => {
  const found = functionTarget(plan, config, docroot)
  if (!found.ok) return found
  const target = { ...found.value, output: plan.output }
  if (isPython(target.file)) return succeed(pythonRun(plan, config, target))
  return succeed((input, call) => callFunction(target, input, call))
}

const callFunction = async (target: Target, input: JsonText, call: Call): Promise<Result<JsonText>> => {
  const { tool, file, name } = target
  const modules = isTypeScript(file) ? await stripTypes(file) : undefined
  if (modules?.ok === false) return modules
  const started = await spawnFunctionChild(target, call.session, [process.execPath, '-', `${file}#${name}`], deliveryEnv(call))
  if (!started.ok) return started
  const { child, requests, answers } = started.value
  let refused: Fault | undefined
  const line = replyLine(answers, (parameters) => {
    const fit = fitDeclared(tool, parameters, input)
    if (fit.ok) requests.write(`${JSON.stringify({ input: fit.value.json })}\n`)
    else {
      refused = fit.error
      void child.terminate(ABORT_GRACE_MS)
    }
  })
  child.stdin.end(runner)
  requests.write(`${JSON.stringify({ url: pathToFileURL(file).href, name, modules: modules?.value, input })}\n`)
  const exit = await stopWhenAborted(child, call.signal, { ask: () => void requests.end(), graceMs: ABORT_GRACE_MS })
  if (refused) return { ok: false, error: refused }
  if (exit === 'aborted') return fail('cancelled', `function '${tool}' was stopped before it gave a result`)
  return addMissingAccess(readReply(line(), exit, target), child)
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
