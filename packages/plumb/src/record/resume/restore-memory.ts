// Restores the memory of an agent in a resumed run: it gets its memory before its first message.

import { Writable } from 'node:stream'
import { FDS, type LineChild, LineReader, type LineSink, type LineSource, parseJson, preview } from '@plumb/wire'

/** Uses the control channel of the child up. `fail` gets the reason if the child does not accept its memory. */
export const restoreMemory = (child: LineChild, memory: readonly unknown[], fail: (reason: string) => void): LineChild => {
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
  let isDone = false
  const read = (): void => {
    while (replies.next()) {
      const reply = isDone ? undefined : replyIn(replies)
      if (!reply) continue
      isDone = true
      if (reply.kind === 'memory_set') restored()
      else fail(`it does not take the memory that was recorded: ${preview(reply.detail ?? '', MAX_DETAIL)}`)
    }
  }
  const replies = new LineReader(child.fds.get(FDS.ctrl_out) as LineSource, { onReadable: read })
  control.write(Buffer.from(`${JSON.stringify({ set_memory: memory })}\n`), () => {})
  control.end(() => {})
  const fds = new Map([...child.fds].filter(([fd]) => fd !== FDS.ctrl_in && fd !== FDS.ctrl_out))
  return { ...child, stdin, fds }
}

const MAX_DETAIL = 400

const replyIn = ({ fault, buf, start, end }: LineReader): { readonly kind: string; readonly detail?: string } | undefined => {
  const parsed = fault ? undefined : parseJson(buf, start, end)
  const reply = (parsed?.ok ? parsed.value : {}) as { readonly kind?: string; readonly detail?: string }
  return reply.kind === 'memory_set' || reply.kind === 'error' ? { kind: reply.kind, detail: reply.detail ?? '' } : undefined
}
