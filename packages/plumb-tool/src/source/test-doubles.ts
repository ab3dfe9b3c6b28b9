// Tools for tests of other tools: spy, flaky, failing and mock.

import { constants, writeSync } from 'node:fs'
import type { Json } from '@plumb/lang'
import { drawSeed, randomAt } from '@plumb/lang/random'
import { type Category, type Code, fail, scrub, succeed, systemReason } from '@plumb/wire'
import { openOwnFile } from '@plumb/wire/output'
import type { Tool } from '../call/tool.js'
import type { Run } from '../combine/run.js'

const HIDDEN = '***'

/** Writes one line without its end; returns why it cannot be kept. */
export type Recorder = (line: string) => string | undefined

/**
 * spy: the tool itself, and a record of each call as a line of JSON.
 * `{"tool","id","input","ok","result"|"error","ms"}`, where texts are as they were. A call that cannot be recorded is
 * not run. `hidesWords`: the program has secrets, so that what was said is `***`.
 */
export const spyOf =
  (tool: Tool, record: () => Recorder | string, hidesWords = false): Run =>
  async (input, call) => {
    const recorder = record()
    if (typeof recorder === 'string') return fail('write_failed', recorder)
    const started = call.session.nowMs()
    const result = await tool.run(input, call)
    const ms = Math.round(call.session.nowMs() - started)
    const shown = (json: string): string => (hidesWords ? JSON.stringify(HIDDEN) : json)
    const outcome = result.ok
      ? `"ok":true,"result":${shown(result.value)}`
      : `"ok":false,"error":${JSON.stringify(hidesWords ? { ...result.error, detail: HIDDEN } : result.error)}`
    const line = `{"tool":${JSON.stringify(tool.name)},"id":${JSON.stringify(call.id)},"input":${shown(input)},${outcome},"ms":${ms}}`
    const failure = recorder(line)
    return failure === undefined ? result : fail('write_failed', failure)
  }

/** Appends to a file: each line in one write, so that several processes may share it. */
export const fileRecorder = (path: string): (() => Recorder | string) => {
  let recorder: Recorder | undefined
  return () => {
    try {
      recorder ??= appendTo(openOwnFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT), path)
      return recorder
    } catch (error) {
      return cannot(path, error)
    }
  }
}

const appendTo =
  (fd: number, path: string): Recorder =>
  (line) => {
    try {
      writeSync(fd, `${scrub(line)}\n`)
      return undefined
    } catch (error) {
      return cannot(path, error)
    }
  }

const cannot = (path: string, error: unknown): string => `cannot record to '${path}': ${systemReason(error as NodeJS.ErrnoException)}`

interface FlakyOptions {
  /** Part of the calls that fail, from 0 to 1. */
  readonly rate: number
  /** Random if left out; an error contains it, so that the run can be repeated. */
  readonly seed?: number
}

export const DEFAULT_RATE = 0.1

/** flaky: the tool itself, but call number n, from 1 and with retries counted, fails when the n-th number of the seed is below the rate. */
export const flakyOf = (tool: Pick<Tool, 'run'>, { rate, seed = drawSeed() }: FlakyOptions): Run => {
  let count = 0
  return async (input, call) => {
    const number = ++count
    if (randomAt(seed, number) >= rate) return tool.run(input, call)
    return fail('overloaded', `call ${number} of a flaky tool fails by chance (seed ${seed}, rate ${rate})`, { seed, call: number })
  }
}

/** The code that stands for each category. */
const CODES: Readonly<Record<Category, Code>> = {
  config: 'config_invalid',
  invalid: 'evaluation_failed',
  not_found: 'no_such_file',
  denied: 'permission_denied',
  internal: 'tool_crashed',
  unavailable: 'overloaded',
}

/** failing: always an error, of the category that the spec names. */
export const failingOf =
  (category: Category): Run =>
  async () =>
    fail(CODES[category], `this tool fails on purpose, as 'failing: "${category}"' says`)

/** mock: always the same value, whatever its input is. */
export const mockOf = (value: Json): Run => {
  const text = JSON.stringify(value)
  return async () => succeed(text)
}
