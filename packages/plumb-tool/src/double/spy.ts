// spy: the tool itself, and a record of each call as a line of JSON.

import { openSync, writeSync } from 'node:fs'
import { fail, scrub, systemReason } from '@plumb/wire'
import type { Run } from '../combine/run.js'
import type { Tool } from '../tool.js'

/** Takes one line without its end; says why it cannot be kept. */
export type Recorder = (line: string) => string | undefined

/** `{"tool","id","input","ok","result"|"error","ms"}`, where texts stand as they were. What cannot be recorded is not run. */
export const spyOf =
  (tool: Tool, record: () => Recorder | string): Run =>
  async (input, call) => {
    const recorder = record()
    if (typeof recorder === 'string') return fail('write_failed', recorder)
    const started = call.session.nowMs()
    const result = await tool.run(input, call)
    const ms = Math.round(call.session.nowMs() - started)
    const outcome = result.ok ? `"ok":true,"result":${result.value}` : `"ok":false,"error":${JSON.stringify(result.error)}`
    const line = `{"tool":${JSON.stringify(tool.name)},"id":${JSON.stringify(call.id)},"input":${input},${outcome},"ms":${ms}}`
    const failure = recorder(line)
    return failure === undefined ? result : fail('write_failed', failure)
  }

/** Appends to a file: each line in one write, so that several processes may share it. */
export const fileRecorder = (path: string): (() => Recorder | string) => {
  let recorder: Recorder | undefined
  return () => {
    try {
      recorder ??= appendTo(openSync(path, 'a'), path)
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
