// Tells an agent what was said before: over its control channel, and before its first input.

import type { Readable, Writable } from 'node:stream'
import { type Child, fail, LineReader, parseJson, type Result, succeed } from '@plumb/wire'

export interface Remark {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

export const CONTROL_FDS = { 6: 'in', 7: 'out' } as const

/** `done` is called once; never where the child ends before it has answered. */
export const remember = ({ fds }: Child, history: readonly Remark[], done: (result: Result<undefined>) => void): void => {
  const control = fds.get(6) as Writable
  const reader = new LineReader(fds.get(7) as Readable)
  let isDone = false
  reader.onReadable = () => {
    while (reader.next()) {
      const reply = isDone ? undefined : replyIn(reader)
      if (!reply) continue
      isDone = true
      done(reply)
    }
  }
  control.end(`${JSON.stringify({ set_memory: history })}\n`)
}

const replyIn = ({ fault, buf, start, end }: LineReader): Result<undefined> | undefined => {
  const parsed = fault ? undefined : parseJson(buf, start, end)
  const { kind, detail } = (parsed?.ok ? parsed.value : {}) as { readonly kind?: string; readonly detail?: string }
  if (kind === 'memory_set') return succeed(undefined)
  return kind === 'error' ? fail('child_failed', `the conversation so far was not accepted: ${detail ?? ''}`) : undefined
}
