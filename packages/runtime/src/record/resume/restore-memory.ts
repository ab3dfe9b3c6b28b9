// Restores the memory of an agent in a resumed run: it gets its memory before its first message.

import { Writable } from 'node:stream'
import { FDS, type InitialMemory, isRecord, type LineChild, type LineSink, parseJson, preview } from '@plumb/wire'

export interface Restored {
  readonly child: LineChild
  /** Takes the reply of the agent. False: it is for others. */
  readonly takeReply: (buf: Buffer, start: number, end: number) => boolean
}

/** Uses the control channel of the child up. `fail` gets the reason if the child does not accept its memory. */
export const restoreMemory = (child: LineChild, memories: readonly InitialMemory[], fail: (reason: string) => void): Restored => {
  let restored: () => void = () => {}
  const isRestored = new Promise<void>((resolve) => {
    restored = resolve
  })
  const stdin = new Writable({
    write: (chunk: Buffer, _encoding, done) => void isRestored.then(() => child.stdin.write(chunk, done)),
    final: (done) => void isRestored.then(() => child.stdin.end(done)),
  })
  stdin.on('error', () => {})
  child.stdin.on('close', () => stdin.destroy())
  const control = child.fds.get(FDS.ctrl_in) as LineSink
  let left = memories.length
  const takeReply = (buf: Buffer, start: number, end: number): boolean => {
    const reply = left === 0 ? undefined : replyIn(buf, start, end)
    if (!reply) return false
    left--
    if (reply.kind !== 'memory_set') fail(`it does not take the memory that was recorded: ${preview(reply.detail, MAX_DETAIL)}`)
    else if (left === 0) restored()
    return true
  }
  for (const memory of memories) control.write(Buffer.from(`${commandOf(memory)}\n`), () => {})
  control.end(() => {})
  const fds = new Map([...child.fds].filter(([fd]) => fd !== FDS.ctrl_in))
  return { child: { ...child, stdin, fds }, takeReply }
}

const commandOf = ({ messages, conversation }: InitialMemory): string =>
  `{${conversation === undefined ? '' : `"conversation":${conversation},`}"set_memory":${JSON.stringify(messages)}}`

const MAX_DETAIL = 400

const replyIn = (buf: Buffer, start: number, end: number): { readonly kind: string; readonly detail: string } | undefined => {
  const parsed = parseJson(buf, start, end)
  const { kind, detail } = parsed.ok && isRecord(parsed.value) ? parsed.value : {}
  if (kind !== 'memory_set' && kind !== 'error') return undefined
  return { kind, detail: typeof detail === 'string' ? detail : '' }
}
