// Runs one target: the inputs that once failed, then so many new ones. What fails is made small and kept, with the words to play it again.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mutate } from './mutate.js'
import { makeRandom } from './random.js'
import { shrink } from './shrink.js'
import type { Target } from './target.js'
import { openWatchdog } from './watchdog.js'

export interface Round {
  readonly seed: number
  /** Of `target.cases`. */
  readonly times: number
  /** Only this one. */
  readonly only: number | undefined
}

const CORPUS = 'test/fuzz/corpus'
const FAILURES = 'test/dist/fuzz-failures'
const MIB = 2 ** 20
/** A case may hold the machine up so long, and make the process grow so much. */
const MOST_CPU_MS = 20_000
const MOST_GROWTH = 1024 * MIB

/** Resolves to how many inputs were tried. Rejects with the first that fails. */
export const runTarget = async (target: Target, { seed, times, only }: Round): Promise<number> => {
  const watchdog = openWatchdog(target.name, join(FAILURES, `${target.name}-${seed}-endless`))
  try {
    const corpus = corpusOf(target)
    for (const [file, input] of corpus) {
      watchdog.begin(file, input)
      await tried(target, input, makeRandom(file)).catch((error: Error) => {
        throw new Error(`${file} fails again: ${error.message}`)
      })
    }
    const seeds = [...target.seeds.map((text) => Buffer.from(text)), ...corpus.map(([, input]) => input)]
    const material = { seeds, words: target.words, maxBytes: target.maxBytes ?? 16_384 }
    const inputOf = (i: number): Buffer => (i < seeds.length ? (seeds[i] as Buffer) : mutate(material, makeRandom(seed, target.name, i)))
    const count = only === undefined ? Math.max(1, Math.ceil(target.cases * times)) : 1
    for (let i = only ?? 0; i < (only ?? 0) + count; i++) {
      const input = inputOf(i)
      watchdog.begin(`case ${i} of seed ${seed}`, input)
      const failed = await tried(target, input, makeRandom(seed, i)).then(
        () => undefined,
        (error: Error) => error,
      )
      if (failed) throw await reported(target, seed, i, input, failed)
    }
    return corpus.length + count
  } finally {
    watchdog.end()
  }
}

const tried = async (target: Target, input: Buffer, random: ReturnType<typeof makeRandom>): Promise<void> => {
  const before = process.memoryUsage.rss()
  const cpu = process.cpuUsage()
  await target.judge(input, random)
  const { user, system } = process.cpuUsage(cpu)
  if ((user + system) / 1000 > MOST_CPU_MS) throw new Error(`it took ${(user + system) / 1000} ms of processor`)
  const growth = process.memoryUsage.rss() - before
  if (growth > MOST_GROWTH) throw new Error(`the process grew by ${Math.round(growth / MIB)} MiB`)
}

const corpusOf = ({ name }: Target): [file: string, input: Buffer][] => {
  const directory = join(CORPUS, name)
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .sort()
    .map((file) => [join(directory, file), readFileSync(join(directory, file))])
}

const reported = async (target: Target, seed: number, i: number, input: Buffer, error: Error): Promise<Error> => {
  const fails = (smaller: Buffer): Promise<string | undefined> =>
    tried(target, smaller, makeRandom(seed, i)).then(
      () => undefined,
      (again: Error) => again.message.slice(0, 20),
    )
  const small = await shrink(input, fails)
  mkdirSync(FAILURES, { recursive: true })
  const file = join(FAILURES, `${target.name}-${seed}-${i}`)
  writeFileSync(file, small)
  return new Error(
    `${target.name}: ${error.stack}\nPLUMB_SEED=${seed} PLUMB_FUZZ='${target.name} ${i}' node scripts/tests.mjs test/fuzz plays it again;\n` +
      `${file} holds what is left of the input, for ${CORPUS}/${target.name}: ${JSON.stringify(small.toString('latin1', 0, 600))}`,
  )
}
