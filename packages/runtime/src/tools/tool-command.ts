// Another program instead of the dispatcher (--tool-command, PLUMB_TOOL): requests on its stdin, answers on its stdout, one a line.

import {
  childEnv,
  type Dispatcher,
  errorAnswer,
  type Fault,
  fault,
  LineReader,
  LineWriter,
  parseJson,
  preview,
  type Reporter,
  type Result,
  readCallAnswer,
  spawnChild,
  succeed,
  type ToolAnswer,
  type ToolRequest,
  writeRequest,
} from '@plumb/wire'
import { ChildErrors } from '../child/errors.js'

export interface ToolCommandOptions {
  readonly program: string
  readonly maxLine: number
  readonly reporter: Reporter
  readonly report: (fault: Fault) => void
}

/** How long it may take to end after its input has ended. */
const END_TIMEOUT_MS = 2000
/** Between TERM and KILL. */
const GRACE_MS = 400

type Settle = (answer: ToolAnswer) => void
/** By id; several where one was repeated. */
type Open = Map<string, Settle[]>

export const openToolCommand = ({ program, maxLine, reporter, report }: ToolCommandOptions): Result<Dispatcher> => {
  const spawned = spawnChild({ command: [program], env: childEnv('foreign'), isForeign: true })
  if (!spawned.ok) return spawned
  const child = spawned.value
  const reportFault = (fault: Fault) => report({ ...fault, source: program })
  const errors = new ChildErrors(child.stderr, { process: program, reporter, report: reportFault, isHidden: false })
  const writer = new LineWriter(child.stdin)
  const open: Open = new Map()
  let end: Fault | undefined

  const read = (): void => {
    while (reader.next()) {
      const answer = readLine(reader)
      if (!answer.ok) reportFault({ ...answer.error, port: 'tool_resp' })
      else if (!settle(open, answer.value))
        reportFault(fault('input_type_mismatch', `no call with the id '${preview(answer.value.id)}' waits for an answer`))
    }
  }
  const reader = new LineReader(child.stdout, { maxLine, onReadable: read })
  const ended = child.exited.then(({ status, signal }) => {
    const how = signal === null ? `ended with status ${status}` : `was ended by ${signal}`
    end = fault('child_failed', `'${program}', which answers tool calls, ${how} before it answered`, { source: program })
    for (const [id, settles] of open) for (const settle of settles) settle(errorAnswer(id, end))
    open.clear()
  })

  const answer = (request: ToolRequest): Promise<ToolAnswer> => {
    const { id } = request
    if (end) return Promise.resolve(errorAnswer(id, end))
    writer.writeText(writeRequest(request))
    return new Promise((resolve) => open.set(id, [...(open.get(id) ?? []), resolve]))
  }
  const close = async (): Promise<void> => {
    errors.mute()
    void writer.end()
    const isBusy = open.size > 0
    const timer = setTimeout(() => void child.terminate(GRACE_MS), isBusy ? 0 : END_TIMEOUT_MS)
    await ended
    clearTimeout(timer)
  }
  return succeed({ answer, close })
}

const settle = (open: Open, answer: ToolAnswer): boolean => {
  const [first, ...rest] = open.get(answer.id) ?? []
  if (rest.length > 0) open.set(answer.id, rest)
  else open.delete(answer.id)
  first?.(answer)
  return first !== undefined
}

const readLine = ({ fault, buf, start, end, isLast }: LineReader): Result<ToolAnswer> => {
  const parsed = fault ? { ok: false as const, error: fault } : parseJson(buf, start, end, isLast)
  return parsed.ok ? readCallAnswer(parsed.value) : parsed
}
