// A spec with its files in a directory of their own, and its tools as the sources make them: real children, no stages but those of the parts.

import { join } from 'node:path'
import { bindingNamed, compile, hasErrors, STANDARD_LIBRARY, toolOf, toolsOf, toText } from '@plumb/lang'
import { diskFiles, type Fault, type Result } from '@plumb/wire'
import { processes, until } from '../../wire/test/processes.js'
import { type Files, makeTestDirectory, TEST_PATH } from '../../wire/test/shell.js'
import type { Call, Session } from '../src/call/call.js'
import { type BareTool, makeTool } from '../src/source/make.js'
import { openCall, openSession } from './call-session.js'

// Where the executables of ours are found, as in an installation.
process.env.PATH = TEST_PATH

export interface Answer {
  /** Parsed; undefined for an error. */
  readonly value: unknown
  readonly text: string | undefined
  readonly error: Fault | undefined
  readonly record: Call['record']
}

export { type Files, makeTestDirectory, until }

/** `spec` is laid into the directory as `t.plumb`; the docroot is the directory too. */
export const makeSource = (spec: string, others: Files = {}, parts: Partial<Session> = {}) => {
  const directory = makeTestDirectory({ 't.plumb': spec, ...others })
  const path = join(directory, 't.plumb')
  const files = diskFiles([], STANDARD_LIBRARY)
  files.read(path)
  const { program, diagnostics } = compile({ path, text: spec, files })
  if (hasErrors(diagnostics)) throw new Error(diagnostics.map(toText).join('\n'))
  const session = openSession({ docroot: directory, files, ...parts })

  const tool = (name: string): Result<BareTool> => {
    const bound = bindingNamed(program, name)
    if (!bound) throw new Error(`no binding '${name}'`)
    return makeTool(toolOf(bound), { resolve: (part) => unwrap(tool(part.name)), docroot: directory })
  }

  /** A string is JSON text. */
  const call = async (name: string, input: unknown, signal: Call['signal'] = new AbortController().signal): Promise<Answer> => {
    const made = tool(name)
    const context = openCall(session, { signal })
    const result = made.ok ? await made.value.run(typeof input === 'string' ? input : JSON.stringify(input), context) : made
    const { record } = context
    if (!result.ok) return { value: undefined, text: undefined, error: result.error, record }
    return { value: JSON.parse(result.value), text: result.value, error: undefined, record }
  }
  return { directory, tool, call, session, program }
}

const unwrap = (made: Result<BareTool>): BareTool => {
  if (!made.ok) throw new Error(made.error.detail)
  return made.value
}

/** The plans of all its tools, and the session of their calls. */
export const plansOf = (spec: string, others: Files = {}) => {
  const { session, program } = makeSource(spec, others)
  return { plans: toolsOf(program), session }
}

/** Fires after so many milliseconds. */
export const after = (ms: number): AbortSignal => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), ms)
  return controller.signal
}

/** Fires once it is so. */
export const once = (isSo: () => boolean): AbortSignal => {
  const controller = new AbortController()
  void until(isSo).then(() => controller.abort())
  return controller.signal
}

/** Processes whose command line holds this text. */
export const running = (text: string): string[] =>
  processes()
    .map(({ args }) => args)
    .filter((args) => args.includes(text))
