// The head start of the first agent of a resumed run: it is asked what is not in the record before the recorded messages in front of that are
// given, which may take seconds. All else is as if it was asked in turn: its answers and errors wait for that (replay.ts).

import { agentOf, compileCheck, type Graph, type GraphNode, Sink, type Stage, Verdict } from '@plumb/lang'
import { isEnvelope, LineReader } from '@plumb/wire'
import { typeAt } from '../../graph/morphism/expression.js'
import type { Origin } from '../../graph/origin.js'
import type { RunOptions } from '../../options/run-options.js'
import type { KnownAnswers } from './answers.js'
import type { ReadAhead } from './read-ahead.js'

/** It may be asked about a message before its turn. */
export interface EarlyAgent {
  readonly hasEnded: boolean
  sendEarly(origin: Origin, buf: Buffer, start: number, end: number): void
}

/** Where a head start is possible. */
export interface HeadStart {
  readonly agent: EarlyAgent
  readonly answers: KnownAnswers
  /** The only input of main, all of which goes to the agent as it comes. */
  readonly entrance: GraphNode
  /** Messages that it answers at a time. */
  readonly concurrency: number
}

export interface HeadStartOptions extends HeadStart {
  readonly input: ReadAhead
  readonly lines: RunOptions['lines']
  /** Of an input whose turn comes later; to be released. */
  readonly originOf: (port: string, line: number, seq: number) => Origin
}

/** What is sent early has to fit into the pipe and the writer before it, for the agent may not read more. */
const [MAX_EARLY, MAX_EARLY_BYTES] = [64, 128 * 1024]

/** Origins are parted where these join, and messages of a graph with them are asked in turn. */
const JOINING = new Set(['barrier', 'each', 'gather', 'choice', 'select', 'failures'])

/** The agent behind the input of main, among those that may be asked early. Undefined: it is none of them. */
export const firstAgent = (graph: Graph, agents: ReadonlyMap<GraphNode, EarlyAgent>) => {
  const [entrance, another] = graph.nodes.filter(({ work }) => work.kind === 'input')
  const [edge, more] = graph.edges.filter(({ from }) => from === entrance)
  const agent = edge && agents.get(edge.to)
  if (!entrance || another || !agent || more || edge.isChecked || edge.to.work.kind !== 'agent') return undefined
  if (graph.nodes.some(({ work }) => JOINING.has(work.kind))) return undefined
  const { concurrency = 1, lane } = agentOf(edge.to.work.bound).config
  // What is asked in batches is asked together.
  return lane === undefined ? { entrance, agent, node: edge.to, concurrency: Number(concurrency) } : undefined
}

/** The run reads its input when this is over. */
export const takeHeadStart = (o: HeadStartOptions): void => {
  const { input, lines } = o
  const finder = new NewQuestions(o)
  const read = (): void => {
    if (!finder.read(reader)) reader.stop()
  }
  const source = input.scout(() => finder.finish())
  const reader = new LineReader(source, { maxLine: lines.maxLine, raw: lines.rawInput, onReadable: read })
}

interface Question {
  readonly line: number
  readonly seq: number
  readonly text: Buffer
}

class NewQuestions {
  readonly #o: HeadStartOptions
  readonly #stage: Stage
  readonly #sink = new Sink()
  readonly #most: number
  #found: Question[] = []
  #seq = 0
  #sent = 0
  #bytes = 0

  constructor(options: HeadStartOptions) {
    this.#o = options
    this.#stage = compileCheck(typeAt(options.entrance))
    this.#most = Math.min(options.concurrency, MAX_EARLY)
  }

  /** All lines that are there. False: no more are needed. */
  read(reader: LineReader): boolean {
    let isOver = false
    while (!isOver && reader.next()) isOver = !this.#take(reader) || this.#sent + this.#found.length === this.#most
    this.#ask()
    return !isOver && !reader.hasEnded
  }

  finish(): void {
    this.#o.answers.giveOut()
  }

  // False: what this line is, and so the number of the next one, is for the run to find out; or no more is to be sent.
  #take(reader: LineReader): boolean {
    const { buf, start, end, fault, line } = reader
    if (this.#o.lines.takesEnvelopes && !fault && isEnvelope(buf, start, end)) return false
    const seq = ++this.#seq
    if (fault || this.#o.answers.knows(seq, buf, start, end)) return true
    const sink = this.#sink
    const verdict = this.#stage.run(buf, start, end, sink)
    if (verdict === Verdict.WROTE && this.#o.answers.knows(seq, sink.buf, sink.start, sink.end)) return true
    // The run reports it.
    if (verdict !== Verdict.PASS && verdict !== Verdict.WROTE) return true
    const text = Buffer.from(verdict === Verdict.WROTE ? sink.buf.subarray(sink.start, sink.end) : buf.subarray(start, end))
    this.#bytes += text.length
    if (this.#bytes > MAX_EARLY_BYTES) return false
    this.#found.push({ line, seq, text })
    return true
  }

  // Recorded answers to equal questions in front of them are theirs no more.
  #ask(): void {
    const { agent, answers, entrance, originOf } = this.#o
    if (this.#found.length === 0 || agent.hasEnded) return
    answers.giveOut()
    for (const { line, seq, text } of this.#found) {
      const origin = originOf(entrance.name, line, seq)
      agent.sendEarly(origin, text, 0, text.length)
      origin.release()
    }
    this.#sent += this.#found.length
    this.#found = []
  }
}
