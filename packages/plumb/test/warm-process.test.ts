// A process that lives between requests, when it ends at a bad moment.

import t from 'tap'
import { openInProcessChild } from '../../runtime/src/child/in-process-child.js'
import { ProcessPool } from '../../runtime/src/service/process-pool.js'
import { WarmProcess } from '../../runtime/src/service/warm-process.js'
import { controlText } from '../../wire/src/numbered/write.js'

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

t.test('a request waits for the one that is being made ready, and starts one where that ends', async (t) => {
  let started = 0
  const opened: ReturnType<typeof openProcess>[] = []
  let answers = true
  const pool = new ProcessPool({
    start: async () => {
      started++
      const one = openProcess((k) => (answers ? settled(k) : ''))
      opened.push(one)
      return { ok: true, value: one.process }
    },
    remembers: false,
    isControlled: true,
    isReusable: true,
  })
  const take = async () => {
    const taken = await pool.take(NO_USE, undefined)
    if (!taken.ok) throw new Error(taken.error.detail)
    return taken.value
  }
  await pool.warm()
  for (let i = 0; i < 5; i++) {
    const lease = await take()
    lease.drop()
    await lease.release(false)
  }
  t.equal(started, 1)
  const last = await take()
  answers = false
  last.drop()
  await last.release(false)
  const next = take()
  await new Promise(setImmediate)
  opened[0]?.ends.exit(null, 'SIGKILL')
  answers = true
  t.ok((await next).spawned)
  t.equal(started, 2)
  await pool.close()
})
