// A process that lives between requests, when it ends at a bad moment.

import t from 'tap'
import { openInProcessChild } from '../../runtime/src/child/in-process-child.js'
import { ProcessPool } from '../../runtime/src/service/process-pool.js'
import { WarmProcess } from '../../runtime/src/service/warm-process.js'
import { controlText, doneText } from '../../wire/src/numbered/write.js'

const NO_USE = { emitter: undefined, report: () => {}, approve: async () => false }

/** One that writes what `says` gives for its k-th control message. */
const openProcess = (says: (k: number) => string) => {
  const { child, ends } = openInProcessChild([6])
  const spawned = { child, kind: 'agent', isEnveloped: false, isCounting: true, controls: 0 } as const
  const process = new WarmProcess({ spawned, form: 'numbered', maxLine: 1000, tools: undefined, tellStderr: () => {}, ended: () => {} })
  let k = 0
  ends.fds.get(6)?.on('data', () => void ends.stdout.write(says(++k)))
  return { process, ends }
}

const settled = (k: number): string => `${controlText(k)}\n`

t.test('one that has ended is given to no request as if it lived', async (t) => {
  const { process, ends } = openProcess(settled)
  ends.exit(null, 'SIGKILL')
  while (!process.isOver) await new Promise(setImmediate)
  const lease = process.lease(NO_USE)
  t.match(await lease.spawned.child.exited, { signal: 'SIGKILL' })
  t.equal(await lease.ended, false)
})

t.test('a request that is stopped by what it reads leaves a process that answers', async (t) => {
  const { process, ends } = openProcess(settled)
  for (const n of [1, 2]) {
    const lease = process.lease(NO_USE)
    const { child } = lease.spawned
    // As a graph that is stopped does.
    child.stdout.on('data', () => {
      child.kill('SIGKILL')
      child.stdout.destroy()
    })
    child.stdin.write(Buffer.from('"a"\n'), () => {})
    await new Promise(setImmediate)
    ends.stdout.write(`{"telemetry":{"kind":"usage"}}\n${doneText(n)}\n`)
    t.equal(await lease.ended, true)
    t.strictSame(await process.control({ get_memory: true }), [])
  }
})

t.test('a process is free as soon as its request has left it, and told that the next is another', async (t) => {
  let started = 0
  const came: string[] = []
  const pool = new ProcessPool({
    start: async () => {
      started++
      const { process, ends } = openProcess(settled)
      ends.stdin.on('data', (chunk: Buffer) => {
        came.push(String(chunk))
        ends.stdout.write(`${doneText(came.length)}\n`)
      })
      return { ok: true, value: process }
    },
    remembers: true,
    isControlled: true,
    isReusable: true,
  })
  await pool.warm()
  for (const memory of [undefined, undefined, [{ role: 'user', content: 'x' }], undefined]) {
    const taken = await pool.take(NO_USE, memory)
    if (!taken.ok) throw new Error(taken.error.detail)
    const { child } = taken.value.spawned
    child.stdin.write(Buffer.from('"a"\n'), () => {})
    child.stdin.end(() => {})
    await taken.value.release(false)
  }
  t.equal(started, 1)
  t.strictSame(came, ['\n"a"\n', '\n"a"\n', '"a"\n', '\n"a"\n'])
  await pool.close()
})

t.test('an agent that ends before its memory is read says so', async (t) => {
  const { process, ends } = openProcess(settled)
  const options = { start: async () => ({ ok: true, value: process }) as const, remembers: true, isControlled: true, isReusable: true }
  const pool = new ProcessPool(options)
  t.teardown(() => pool.close())
  const taken = await pool.take(NO_USE, [{ role: 'user', content: 'x' }])
  if (!taken.ok) return void t.fail(taken.error.detail)
  const { child } = taken.value.spawned
  child.stdin.write(Buffer.from('"a"\n'), () => {})
  child.stdin.end(() => {})
  const released = taken.value.release(true)
  await new Promise(setImmediate)
  ends.stdout.write(`${doneText(1)}\n`)
  ends.exit(null, 'SIGKILL')
  t.match(await released, { ok: false, error: { error: 'child_failed', detail: /not remembered/ } })
})
