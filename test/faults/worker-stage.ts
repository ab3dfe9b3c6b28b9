// Where runs by workers are tried: a scene, and a PostgreSQL that all tests of a file share.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { scaled } from '../../packages/wire/test/patience.js'
import type { Files } from '../../packages/wire/test/shell.js'
import { type Cluster, noPostgres, openCluster } from './postgres.js'
import { openScene, type Scene, type Started, until } from './scene.js'

export const PATIENCE_MS = scaled(40_000)

/** Programs by name, each a spec as well; every message that one is given is a line of the file `given`, so that a test knows when it is in hand. */
export const programs = (bodies: Readonly<Record<string, string>>): Files =>
  Object.fromEntries(
    Object.entries(bodies).flatMap(([name, body]) => [
      [name, `#!/bin/bash\nwhile read -r x; do echo "$x" >> given; ${body}; done\n`],
      [
        `${name}.plumb`,
        `let part : !int -> !int = agent { command: ["bash", "./${name}"], amnesiac: true, answers: "each", sandbox: false }
let main : !int -> !int = plumb(input, output) { input ; part ; map(value * 10) ; output }`,
      ],
    ]),
  )

/** What several of the tests run: one that waits for the file `go`, one that answers at once, and a state. */
export const HOLDING_FILES: Files = {
  ...programs({ hold: `until [ -e go ]; do sleep 0.05; done; echo "$x"`, other: 'echo "$x"' }),
  'count.plumb': 'let main : !int -> !int = fold(state + value, from: 0)\n',
}

export interface Stage extends Scene {
  readonly cluster: Cluster
  readonly serve: (...words: string[]) => Started
  /** A worker with other variables of the environment. */
  readonly serveWith: (variables: string, ...words: string[]) => Started
  readonly submit: (...words: string[]) => Started
  /** Whether so many messages have come to a program. */
  readonly given: (count: number) => Promise<boolean>
  /** Whether there come to be so many workers, which the submitter sees too. */
  readonly live: (count: number) => Promise<boolean>
}

export const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

let cluster: Cluster | undefined

t.teardown(() => cluster?.remove())

/** A test on a stage with these files, which leaves nothing. */
export const stageOf =
  (files: Files) =>
  (title: string, act: (t: Test, stage: Stage) => Promise<void>, skip: string | false = false): void =>
    void t.test(title, { skip: noPostgres || skip }, async (t) => {
      cluster ??= await openCluster()
      const scene = openScene(files, { env: { PLUMB_ON: cluster.url }, mayLeave: /plumb-/ })
      await scene.bash('plumb engine --init')
      cluster.ask("UPDATE plumb.run SET state = 'cancelled', ended = now(); DELETE FROM plumb.message")
      const words = ['work', '--retry-after', '0.05']
      const stage: Stage = {
        ...scene,
        cluster,
        serve: (...more) => scene.start(['plumb', ...words, ...more]),
        serveWith: (variables, ...more) => scene.start(['bash', '-c', `${variables} exec plumb "$@"`, 'serve', ...words, ...more]),
        submit: (...more) => scene.start(['bash', '-c', `exec plumb run --on "$PLUMB_ON" "$@"`, 'submit', ...more]),
        given: (count) =>
          until(
            () => existsSync(join(scene.work, 'given')) && lines(readFileSync(join(scene.work, 'given'), 'utf8')).length >= count,
            PATIENCE_MS,
          ),
        live: (count) => until(() => Number(cluster?.ask('SELECT count(*) FROM plumb.live_worker')) === count, PATIENCE_MS),
      }
      await act(t, stage)
      t.strictSame(await scene.leftovers(), [], 'nothing is left')
    })

export const numbers = (text: string): number[] =>
  lines(text)
    .map(Number)
    .sort((a, b) => a - b)

export const NINE = Array.from({ length: 9 }, (_, i) => `${i + 1}\n`).join('')
export const TIMES_TEN = Array.from({ length: 9 }, (_, i) => (i + 1) * 10)

export const ENDED = { status: 0, signal: null }

/** Asks them to end, and waits until they have. */
export const end = async (...workers: Started[]): Promise<void> => {
  for (const { child } of workers) child.kill('SIGTERM')
  await Promise.all(workers.map(({ ended }) => ended))
}
