// Another program in place of the dispatcher (--tool-command, PLUMB_TOOL): requests on its stdin, answers on its stdout, one a line.

import type { ToolAnswer, ToolRequest } from '@plumb/tool'
import { childEnv, type Fault, fault, LineReader, LineWriter, parseJson, preview, type Reporter, spawnChild } from '@plumb/wire'
import { ChildErrors } from './child-errors.js'
import type { Opened } from './dispatch.js'

export interface ToolCommandOptions {
  readonly program: string
  readonly maxLine: number
  readonly reporter: Reporter
  readonly report: (fault: Fault) => void
}

/** It has so long to end after its input has. */
const PATIENCE_MS = 2000
/** Between TERM and KILL. */
const GRACE_MS = 400

type Settle = (answer: ToolAnswer) => void
/** By id; several where one was repeated. */
type Open = Map<string, Settle[]>

export const openToolCommand = ({ program, maxLine, reporter, report }: ToolCommandOptions): Opened => {
  const spawned = spawnChild({ command: [program], env: childEnv('foreign'), isForeign: true })
  if (!spawned.ok) return { faults: [spawned.error] }
  const child = spawned.value
  const tell = (fault: Fault) => report({ ...fault, source: program })
  const errors = new ChildErrors(program, new LineReader(child.stderr, { maxLine }), reporter, tell)
  const writer = new LineWriter(child.stdin)
  const reader = new LineReader(child.stdout, { maxLine })
  const open: Open = new Map()
  let end: Fault | undefined

  reader.onReadable = () => {
    while (reader.next()) {
      const answer = reader.fault ?? readAnswer(reader)
      if ('error' in answer) tell({ ...answer, port: 'tool_resp' })
      else if (!settle(open, answer)) tell(fault('input_type_mismatch', `no call with the id '${preview(answer.id)}' waits for an answer`))
    }
  }
  const ended = child.exited.then(({ status, signal }) => {
    const how = signal === null ? `ended with status ${status}` : `was ended by ${signal}`
    end = fault('child_failed', `'${program}', which answers tool calls, ${how} before it answered`, { source: program })
    for (const [id, settles] of open) for (const settle of settles) settle(refusal(id, end))
    open.clear()
  })

  const answer = ({ id, name, input }: ToolRequest): Promise<ToolAnswer> => {
    if (end) return Promise.resolve(refusal(id, end))
    writer.writeText(`{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${input}}`)
    return new Promise((resolve) => open.set(id, [...(open.get(id) ?? []), resolve]))
  }
  const close = async (): Promise<void> => {
    errors.mute()
    void writer.end()
    const isBusy = open.size > 0
    const timer = setTimeout(() => void child.terminate(GRACE_MS), isBusy ? 0 : PATIENCE_MS)
    await ended
    clearTimeout(timer)
  }
  return { dispatcher: { answer, close } }
}

const settle = (open: Open, answer: ToolAnswer): boolean => {
  const [first, ...rest] = open.get(answer.id) ?? []
  if (rest.length > 0) open.set(answer.id, rest)
  else open.delete(answer.id)
  first?.(answer)
  return first !== undefined
}

const refusal = (id: string, error: Fault): ToolAnswer => ({ id, content: JSON.stringify(error), is_error: true })

// It may say its result itself, and leave is_error out.
const readAnswer = ({ buf, start, end, isLast }: LineReader): ToolAnswer | Fault => {
  const parsed = parseJson(buf, start, end, isLast)
  if (!parsed.ok) return parsed.error
  const { id, content, is_error } = (parsed.value ?? {}) as { readonly [key: string]: unknown }
  if (typeof id !== 'string') {
    return fault(
      'input_type_mismatch',
      `an answer to a tool call is {"id","content","is_error"}, found ${preview(JSON.stringify(parsed.value))}`,
    )
  }
  if (content === undefined) return refusal(id, fault('tool_crashed', "the answer to this call has no 'content'"))
  return { id, content: typeof content === 'string' ? content : JSON.stringify(content), is_error: is_error === true }
}
