// A file of Python whose functions are tools: one process, started when its tools are loaded, which stays for all their calls.
//
// Calls of async functions are sent at once; any other waits until the process has answered all that it was sent. One that is no longer
// waited for is cancelled if it is async, else the process is ended with it; what waits goes to the next process.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import type { Json, Type } from '@plumb/lang'
import { addMissingAccess, GRACE_MS, type SandboxedChild } from '@plumb/sandbox'
import { escapeLines, fail, isRecord, LineReader, MAX_LINE, parseJson, preview, type Result, resolveProgram, succeed } from '@plumb/wire'
import type { Session } from '../../call/call.js'
import type { Thrown } from '../../call/thrown.js'
import type { JsonText } from '../../json-text.js'
import { type FunctionTarget, spawnFunctionChild } from './function-child.js'
import runner from './runner.child.py'
import { howItEnded } from './runner-reply.js'
import types from './types.child.py'
import values from './values.child.py'

export const isPython = (file: string): boolean => file.endsWith('.py')

/** What a function of Python says of itself. */
export interface PythonFunction {
  readonly description: string
  readonly parameters: readonly PythonParameter[]
  /** Undefined: it says nothing of its result. */
  readonly output?: Type
  /** A class in that, of which no JSON is made. */
  readonly strange?: string
  readonly isAsync: boolean
}

export interface PythonParameter {
  readonly name: string
  readonly kind: 'POSITIONAL_ONLY' | 'POSITIONAL_OR_KEYWORD' | 'VAR_POSITIONAL' | 'KEYWORD_ONLY' | 'VAR_KEYWORD'
  readonly hasDefault: boolean
  readonly type: Type
  /** A class in that, which is not made of JSON. */
  readonly strange?: string
  readonly description?: string
}

export type PythonFunctions = Readonly<Record<string, PythonFunction>>

/** One of these, as it came. */
export type PythonAnswer = { readonly json: JsonText } | { readonly unfit: string } | { readonly refused: string } | Thrown

export interface PythonCall {
  readonly name: string
  readonly input: JsonText
  /** The fields of the input are parameters. */
  readonly byFields: boolean
  readonly isAsync: boolean
}

/** The interpreter of a virtual environment beside the file or the spec, that of the environment, or the one on PATH. */
const findPython = (file: string, specPath: string): Result<string> => {
  const { VIRTUAL_ENV } = process.env
  const places = [join(dirname(file), '.venv'), join(dirname(specPath), '.venv'), ...(VIRTUAL_ENV ? [VIRTUAL_ENV] : [])]
  const own = places.map((place) => join(place, 'bin/python3')).find((path) => existsSync(path))
  const found = own === undefined ? resolveProgram('python3', '/', process.env.PATH) : succeed(own)
  return found.ok ? found : fail('cannot_run', `'${preview(file, 200)}' needs Python 3.10 or later, and there is no 'python3' on PATH`)
}

const LOAD_TIMEOUT_MS = 30_000

/** One program, in parts. */
const RUNNER = [types, values, runner].join('\n')

/** One for each file and sandbox of a session; ended with its servers. */
export const pythonProcess = (target: FunctionTarget, key: string, specPath: string, session: Session): PythonFile => {
  const known = files.get(session.servers) ?? new Map<string, PythonFile>()
  files.set(session.servers, known)
  const found = known.get(key) ?? new PythonFile(target, specPath, session)
  if (known.size === 0) session.servers.own?.(async () => void (await Promise.all([...known.values()].map((file) => file.close()))))
  known.set(key, found)
  return found
}

const files = new WeakMap<Session['servers'], Map<string, PythonFile>>()

interface Running {
  readonly child: SandboxedChild
  readonly requests: Writable
  readonly functions: PythonFunctions
  /** Calls that it has not answered, by their ids. */
  readonly open: Map<number, (answer: Result<PythonAnswer>) => void>
}

export class PythonFile {
  readonly #target: FunctionTarget
  readonly #specPath: string
  readonly #session: Session
  #running: Promise<Result<Running>> | undefined
  /** The end of the last call that runs alone. */
  #turn: Promise<unknown> = Promise.resolve()
  #count = 0

  constructor(target: FunctionTarget, specPath: string, session: Session) {
    this.#target = target
    this.#specPath = specPath
    this.#session = session
  }

  async functions(): Promise<Result<PythonFunctions>> {
    const running = await this.#open()
    return running.ok ? succeed(running.value.functions) : running
  }

  async call(call: PythonCall, signal: AbortSignal): Promise<Result<PythonAnswer>> {
    if (call.isAsync) return this.#send(call, signal)
    const before = this.#turn
    let end = (): void => {}
    this.#turn = new Promise<void>((resolve) => {
      end = resolve
    })
    await before
    try {
      return signal.aborted ? STOPPED() : await this.#send(call, signal)
    } finally {
      end()
    }
  }

  async close(): Promise<void> {
    const running = await this.#running
    if (running?.ok) await running.value.child.terminate(GRACE_MS)
  }

  async #send({ name, input, byFields, isAsync }: PythonCall, signal: AbortSignal): Promise<Result<PythonAnswer>> {
    const opened = await this.#open()
    if (!opened.ok) return opened
    const running = opened.value
    const id = ++this.#count
    const answered = new Promise<Result<PythonAnswer>>((resolve) => running.open.set(id, resolve))
    running.requests.write(`{"id":${id},"name":${JSON.stringify(name)},"fields":${byFields}}\n${input}\n`)
    const stop = (): void => {
      const end = (): void => void running.child.terminate(GRACE_MS)
      if (!isAsync) return end()
      running.requests.write(`{"cancel":${id}}\n`)
      // One that does not hear it is ended with the process.
      const timer = setTimeout(end, CANCEL_MS)
      void answered.then(() => clearTimeout(timer))
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const answer = await answered
    signal.removeEventListener('abort', stop)
    // The next call must not meet a process that is being ended.
    if (signal.aborted && !isAsync) await running.child.ended
    return signal.aborted ? STOPPED() : answer
  }

  #open(): Promise<Result<Running>> {
    this.#running ??= this.#start()
    return this.#running
  }

  async #start(): Promise<Result<Running>> {
    const { file } = this.#target
    const forget = (): void => {
      this.#running = undefined
    }
    const python = findPython(file, this.#specPath)
    if (!python.ok) return python
    const env = { PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' }
    const started = await spawnFunctionChild(this.#target, this.#session, [python.value, '-c', RUNNER, file], env)
    if (!started.ok) return started
    const { child, requests, answers } = started.value
    child.stdin.end()
    // What the functions print; it is no answer.
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => process.stderr.write(escapeLines(text)))
    requests.on('error', () => {})
    const open: Running['open'] = new Map()
    let settle = (_: Result<PythonFunctions>): void => {}
    const loaded = new Promise<Result<PythonFunctions>>((resolve) => {
      settle = resolve
    })
    const take = (): void => {
      while (reader.next()) this.#take(reader, settle, open)
    }
    // The result is JSON inside a JSON string, where escapes can double its length.
    const reader = new LineReader(answers, { maxLine: 2 * MAX_LINE, onReadable: take })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      void child.terminate(GRACE_MS)
    }, LOAD_TIMEOUT_MS)
    // What can answer nothing more has ended, or is ended.
    answers.on('end', () => {
      const end = setTimeout(() => void child.terminate(GRACE_MS), GRACE_MS)
      void child.ended.then(() => clearTimeout(end))
    })
    void child.ended.then(async () => {
      clearTimeout(timer)
      forget()
      const why = `its process ${howItEnded(await child.exited)}`
      settle(addMissingAccess(cannotLoad(file, isLate ? `it had not been loaded after ${LOAD_TIMEOUT_MS / 1000} s` : why), child))
      const crashed = addMissingAccess(fail('tool_crashed', `it gave no result: ${why}`) as Result<never>, child)
      for (const answer of open.values()) answer(crashed)
    })
    const functions = await loaded
    clearTimeout(timer)
    if (functions.ok) return succeed({ child, requests, functions: functions.value, open })
    void child.terminate(GRACE_MS)
    return functions
  }

  #take(reader: LineReader, settle: (loaded: Result<PythonFunctions>) => void, open: Running['open']): void {
    const { fault, buf, start, end } = reader
    if (fault) for (const answer of open.values()) answer(fail('tool_crashed', `its answer cannot be read: ${fault.detail}`))
    const parsed = fault ? undefined : parseJson(buf, start, end)
    const line = (parsed?.ok && isRecord(parsed.value) ? parsed.value : {}) as { readonly [key: string]: Json }
    if (isRecord(line.functions)) settle(succeed(line.functions as unknown as PythonFunctions))
    else if (typeof line.unloaded === 'string') settle(cannotLoad(this.#target.file, line.unloaded))
    else if (typeof line.id === 'number') {
      open.get(line.id)?.(succeed(line as unknown as PythonAnswer))
      open.delete(line.id)
    }
  }
}

const CANCEL_MS = 1000

const STOPPED = (): Result<never> => fail('cancelled', 'it was stopped before it gave a result')

const cannotLoad = (file: string, why: string): Result<never> =>
  fail('config_invalid', `'${preview(file, 200)}' cannot be loaded: ${preview(why, 400)}`)
