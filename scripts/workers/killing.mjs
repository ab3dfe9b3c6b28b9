// A run whose workers are killed, and its server, at random moments until it is over.

import { setTimeout as sleep } from 'node:timers/promises'
import { random as randomOf } from '../bench/random.mjs'

/** Resolves to what came out, how often something was killed, and the seconds that it took. */
export const killing = async ({ submit, serve, end, cluster }, { spec, input, workers: count, kills, crashes = 0, seed }) => {
  const random = randomOf(seed)
  const expected = input.split('\n').length - 1
  const began = performance.now()
  const submitter = submit('--ordered', '--run', 'killed', spec)
  submitter.child.stdin.end(input)
  const workers = Array.from({ length: count }, () => serve(spec))
  let killed = 0
  let crashed = 0
  const done = () => {
    try {
      return Number(cluster.ask('SELECT coalesce(min(taken), 0) FROM (SELECT sum(taken) AS taken FROM plumb.tally GROUP BY part) t'))
    } catch {
      return 0
    }
  }
  // Each at its share of the way, so that they go on from the first message to the last.
  const due = kills + crashes
  while (!submitter.hasEnded && killed + crashed < due) {
    const at = ((killed + crashed + random()) / (due + 1)) * expected
    while (!submitter.hasEnded && done() < at) await sleep(20)
    if (submitter.hasEnded) break
    if (crashed * due < crashes * (killed + crashed + 1) && crashed < crashes) {
      await cluster.crash()
      await sleep(200 * random())
      await cluster.start()
      crashed++
    } else {
      const i = Math.floor(count * random())
      process.kill(workers[i].child.pid, 'SIGKILL')
      killed++
      workers[i] = serve(spec)
    }
  }
  const status = await submitter.ended
  const took = (performance.now() - began) / 1000
  await end(workers)
  if (status !== 0) throw new Error(`the submitter ended with ${status}: ${submitter.errors.slice(0, 2000)}`)
  return { killed, crashed, took, text: submitter.text() }
}
