// A large record: how long it takes to go on with it, and to look at it.

import { appendFileSync, copyFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { findBrowser, timeInBrowser } from '../browser.mjs'
import { memoryAtWork, timePipe, timeRun } from '../measure.mjs'
import { canMeasureMemory } from '../memory.mjs'
import { openModel } from '../model.mjs'
import { ANSWER_CHARACTERS, bytesIn, makeRecord, writeInputs } from '../record.mjs'

/** A second. */
const REPLAYED_BYTES = 50e6
const MAX_PAGE_MB = 5

/** A record that several families use: its inputs with one more, and the model that is asked for that. */
const recordOf = ({ directory, once }, { name, bytes, words }) =>
  once(`record ${name}`, () => {
    const [record, inputs, more, page] = ['record', 'inputs', 'more', 'page.html'].map((part) => join(directory, `${name}-${part}`))
    let users = 0
    let resumed = 0
    let model
    let made
    const spec = () =>
      `let main : !string -> !string = agent { provider: "anthropic", model: "stub", endpoint: "${model.url}", prompt: "Be brief.", ${words} }`
    const envOf = (checkout) => ({ ...checkout.env, ANTHROPIC_API_KEY: 'none' })
    const make = async (checkout) => {
      writeInputs(inputs, bytes)
      copyFileSync(inputs, more)
      await makeRecord([checkout.bin('plumb'), '--record', record, '-e', spec()], { env: envOf(checkout), data: inputs })
    }
    // Another each time: what was asked once is in the record.
    const addOneMore = () => {
      truncateSync(more, statSync(inputs).size)
      appendFileSync(more, `"one more, ${++resumed}"\n`)
    }
    return {
      directory: record,
      page,
      open: async () => {
        users++
        model ??= await openModel(0, 'long-model.cjs', String(ANSWER_CHARACTERS))
      },
      close: async () => {
        if (--users > 0) return
        for (const path of [record, inputs, more, page]) rmSync(path, { recursive: true, force: true })
        made = undefined
        const { close } = model
        model = undefined
        await close()
      },
      /** Resolves when it is there; made by the first that wants it. */
      ready: (checkout) => {
        made ??= make(checkout)
        return made
      },
      /** Goes on with it by `measure`: { sample, asked }, where asked is how many milliseconds after the start the model was asked. */
      resume: async (checkout, measure) => {
        addOneMore()
        const started = performance.now()
        const asked = model.nextLine().then(() => performance.now() - started)
        const command = [checkout.bin('plumb'), '--resume', record, '-e', spec()]
        const sample = await measure(command, { env: envOf(checkout), data: more })
        return { sample, asked: await asked }
      },
    }
  })

const MEGABYTE = 1e6
const forgetting = (fixtures) =>
  recordOf(fixtures, {
    name: 'forgetting',
    bytes: (fixtures.isQuick ? 100 : 1000) * MEGABYTE,
    words: 'amnesiac: true, concurrency: 100',
  })
/** What it remembers is a part of each question, so that it is short beside the other. */
const remembering = (fixtures, name, bytes) => recordOf(fixtures, { name, bytes, words: 'concurrency: 1' })
const SHORT = 'a record of one message'

export const records = (fixtures) => {
  const { isQuick, once } = fixtures
  const large = forgetting(fixtures)
  const talk = remembering(fixtures, 'remembering', 10 * MEGABYTE)
  const short = remembering(fixtures, 'remembering one', 1)
  const all = [large, talk, short]
  const program = (name, record, measure) => (checkout) =>
    once(`records: ${checkout.label} ${name}`, () => ({
      measure: async () => {
        await record.ready(checkout)
        return measure(checkout, record)
      },
    }))
  const one = (name, about, record, measure, goals) => ({
    name,
    about,
    ours: program(name, record, measure),
    peers: () => ({}),
    goals,
  })
  const firstRequest = async (checkout, record) => {
    const { sample, asked } = await record.resume(checkout, timePipe)
    return { ...sample, value: asked }
  }
  // Known when both were made.
  const replayed = {
    to: SHORT,
    get atMostMore() {
      return Math.round(((bytesIn(talk.directory) - bytesIn(short.directory)) / REPLAYED_BYTES) * 1000)
    },
  }
  const view = async (checkout, { page, directory }) => {
    const sample = await timeRun([checkout.bin('plumb'), 'view', '-o', page, directory], { env: checkout.env })
    const megabytes = statSync(page).size / MEGABYTE
    if (megabytes > MAX_PAGE_MB) throw new Error(`the page has ${megabytes} MB, more than ${MAX_PAGE_MB}`)
    return sample
  }
  const browser = findBrowser()
  const inBrowser = async (checkout, record) => {
    await view(checkout, record)
    return timeInBrowser(browser, record.page)
  }
  return {
    name: 'records',
    about: `A record of ${isQuick ? '100 MB' : '1 GB'}, of an agent that forgets, and one of 10 MB, of one that remembers: messages of 5 kB with answers of 10 kB. It is resumed with its inputs and one more.`,
    unit: 'ms',
    rounds: 3,
    prepare: () => Promise.all(all.map((record) => record.open())),
    close: () => Promise.all(all.map((record) => record.close())),
    cases: [
      one('resume, forgetting', 'to the request for the one more', large, firstRequest, [{ under: isQuick ? 1000 : 4000 }]),
      {
        ...one('resume, remembering', 'the same, at 50 MB a second beyond the starts of plumb and its agent', talk, firstRequest, [
          replayed,
        ]),
        peers: (checkout) => ({ [SHORT]: program(SHORT, short, firstRequest)(checkout) }),
      },
      one('view', `to a page of at most ${MAX_PAGE_MB} MB`, large, view, [{ under: 5000 }]),
      ...(browser
        ? [one('view in a browser', 'from the request for that page to the answer to a search', large, inBrowser, [{ under: 1000 }])]
        : []),
    ],
  }
}

export const recordMemory = (fixtures) => {
  const record = forgetting(fixtures)
  const measure = async (checkout) => {
    await record.ready(checkout)
    return (await record.resume(checkout, memoryAtWork)).sample
  }
  return {
    name: 'record memory',
    about: 'The most that one process has in memory while it goes on with the record of an agent that forgets.',
    unit: 'MB',
    rounds: fixtures.isQuick ? 1 : 3,
    prepare: record.open,
    close: record.close,
    cases: canMeasureMemory
      ? [
          {
            name: 'resume',
            ours: (checkout) => fixtures.once(`record memory: ${checkout.label}`, () => ({ measure: () => measure(checkout) })),
            peers: () => ({}),
            goals: [{ under: 150 }],
          },
        ]
      : [],
  }
}
