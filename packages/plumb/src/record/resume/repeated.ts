// Whether a resumed run gives recorded answers again without asking its agents, and which: see `repeatablePlaces`. What is not among them
// is asked as ever, and answered from the kept requests.

import { closeSync, constants, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Graph, GraphNode } from '@plumb/lang'
import { currentKept } from '@plumb/wire'
import type { Giving } from '@plumb/wire/kept'
import { openOwnFile } from '@plumb/wire/output'
import { version } from '../../../package.json'
import { placesOf } from '../../event/wires.js'
import type { RunOptions } from '../../options/run-options.js'
import { ANSWERS_FILE, INDEX_FILE, readRunFile } from '../directory.js'
import { describeDifference, type RunIdentity } from '../identity.js'
import type { KnownAnswers, RecordedAnswers, ReplayAnswers } from './answers.js'
import { type EarlyAgent, firstAgent, type HeadStart } from './head-start.js'
import { type ByteRange, IndexedAnswers } from './indexed-answers.js'

export interface RepeatedAnswers {
  /** Undefined: that agent is asked. */
  at(place: string): (ReplayAnswers & KnownAnswers) | undefined
  /** An agent has started that may be asked about a message before its turn. */
  opened(node: GraphNode, agent: EarlyAgent): void
  /** Call it when all have; undefined: none of them gets the inputs of the run as they come. */
  headStart(graph: Graph): HeadStart | undefined
  /** Call it before `at`, once answers are kept. */
  begin(): Promise<void>
  /** Call it at the end of the run; `isWhole`: it was not stopped. */
  end(isWhole: boolean): void
}

export interface RepeatingOptions {
  readonly directory: string
  readonly identity: RunIdentity
  readonly repeatable: ReadonlySet<string>
  /** Answers of agents that are not ours are in the same file. */
  readonly resumed: ReadonlyMap<string, RecordedAnswers> | undefined
  readonly options: RunOptions
}

/** Undefined: every agent is asked. Call it before anything is written to the record; what the run will write anew is blanked there. */
export const openRepeated = ({ directory, identity, repeatable, resumed, options }: RepeatingOptions): RepeatedAnswers | undefined => {
  if (repeatable.size === 0 || (resumed && resumed.size > 0) || showsRequests(options)) return undefined
  const before = readRunFile(directory)
  if (!before.ok || before.value.plumb !== version || describeDifference(before.value, identity) !== undefined) return undefined
  const path = join(directory, ANSWERS_FILE)
  try {
    const answers = new IndexedAnswers(path, join(directory, INDEX_FILE))
    if (isMostlyBlank(answers)) return void answers.close()
    blank(path, answers.gaps)
    let giving: Giving | undefined
    const early = new Map<GraphNode, EarlyAgent>()
    const at = (place: string) => (giving && repeatable.has(place) ? answers.of(place, giving) : undefined)
    return {
      opened: (node, agent) => void early.set(node, agent),
      headStart: (graph) => {
        const first = firstAgent(graph, early)
        const known = first && at(placesOf(graph).get(first.node) ?? '')
        return known && { ...first, answers: known }
      },
      begin: async () => {
        const kept = currentKept()
        if (!kept) return
        const { openGiving } = await import('@plumb/wire/kept')
        giving = openGiving(kept.fd)
      },
      at,
      end: (isWhole) => {
        // Of inputs that have not come again.
        if (isWhole) blank(path, answers.unused)
        answers.close()
      },
    }
  } catch {
    // A record of an older version, or a damaged one.
    return undefined
  }
}

/** A cache gets all answers, and a trace shows each request. */
const showsRequests = ({ kept: { cache }, parent: { eventsFd }, display }: RunOptions): boolean =>
  cache !== undefined ||
  eventsFd !== undefined ||
  display.trace !== undefined ||
  Object.keys(process.env).some((name) => name.startsWith('OTEL_'))

/** Of the whole file. */
const MAX_BLANK = 2 / 3

// When every agent is asked, the file is written anew, without what was blanked.
const isMostlyBlank = ({ gaps, size }: IndexedAnswers): boolean => gaps.reduce((sum, [from, to]) => sum + to - from, 0) > MAX_BLANK * size

const CHUNK_BYTES = 64 * 1024

// Spaces, which count as no line: the agents of these answers are asked, and what they say is written again.
const blank = (path: string, gaps: readonly ByteRange[]): void => {
  if (gaps.length === 0) return
  const spaces = Buffer.alloc(CHUNK_BYTES, ' ')
  const fd = openOwnFile(path, constants.O_RDWR)
  try {
    for (const [from, to] of gaps) {
      for (let at = from; at < to - 1; at += CHUNK_BYTES) writeSync(fd, spaces, 0, Math.min(CHUNK_BYTES, to - 1 - at), at)
      writeSync(fd, '\n', to - 1)
    }
  } finally {
    closeSync(fd)
  }
}
