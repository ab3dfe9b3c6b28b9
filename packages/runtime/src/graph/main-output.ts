// The output of a run: one line for each message, in an envelope if main has several outputs or the data could be taken for one.

import type { Graph, GraphNode, Sink, Type } from '@plumb/lang'
import { enclose, hasPortKey, type LineWriter, seqLine } from '@plumb/wire'
import { Morphism } from './morphism/morphism.js'
import type { NumberedLines } from './numbered-lines.js'
import type { RunContext } from './run-context.js'

export interface MainOutputOptions {
  readonly name: string
  readonly writer: LineWriter
  /** `always`: several outputs or --mux; `odd`: only data that has a `__port` of its own; `never`. */
  readonly envelopes: 'always' | 'odd' | 'never'
  /** No value of the type has a `__port`. */
  readonly isPlain: boolean
  /** Each is written with the number of its input, if that is one. */
  readonly hasSeq: boolean
  /** Where numbered lines go. */
  readonly lines: Pick<NumberedLines, 'value'> | undefined
  readonly closed: () => void
}

const PORT_KEY = '__port'
const ESCAPE = '\\u'

export class MainOutput extends Morphism {
  readonly #o: MainOutputOptions
  readonly #writer: LineWriter
  /** Messages are written unchanged. */
  readonly #isVerbatim: boolean
  readonly #portKey: Finder
  readonly #escape: Finder

  constructor(
    feeds: readonly number[],
    private readonly context: Pick<RunContext, 'sink' | 'current'>,
    options: MainOutputOptions,
  ) {
    super(feeds, 0)
    this.#o = options
    const { writer, envelopes, isPlain, hasSeq, lines } = options
    this.#writer = writer
    this.#isVerbatim = !hasSeq && !lines && (envelopes === 'never' || (envelopes === 'odd' && isPlain))
    this.#portKey = new Finder(PORT_KEY, context.sink)
    this.#escape = new Finder(ESCAPE, context.sink)
  }

  /** The writer for messages that are written unchanged. */
  get taker(): LineWriter | undefined {
    return this.#isVerbatim ? this.#writer : undefined
  }

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    if (this.#isVerbatim) return this.#writer.write(buf, start, end)
    const { writer, envelopes, isPlain, hasSeq, lines, name } = this.#o
    if (hasSeq) return this.#withSeq(buf, start, end)
    if (lines) return lines.value(name, buf, start, end)
    if (envelopes === 'always') return this.#enclosed(name, buf, start, end)
    if (envelopes === 'odd' && !isPlain && this.#mayHavePort(buf, start, end) && hasPortKey(buf, start, end)) {
      return this.#enclosed('output', buf, start, end)
    }
    writer.write(buf, start, end)
  }

  protected override finish(): void {
    this.#o.closed()
  }

  #withSeq(buf: Buffer, start: number, end: number): void {
    const { writer, envelopes, name } = this.#o
    const line = seqLine(this.context.current.seq, buf, start, end)
    if (envelopes === 'always') this.#enclosed(name, line, 0, line.length)
    else writer.write(line, 0, line.length)
  }

  #enclosed(port: string, buf: Buffer, start: number, end: number): void {
    const line = enclose(port, buf, start, end)
    this.#o.writer.write(line, 0, line.length)
  }

  #mayHavePort(buf: Buffer, start: number, end: number): boolean {
    return this.#portKey.isIn(buf, start, end) || this.#escape.isIn(buf, start, end)
  }
}

/** What it needs of the options of a run. */
interface MainOutputs extends Pick<MainOutputOptions, 'writer' | 'hasSeq' | 'lines'> {
  readonly graph: Graph
  readonly envelopes: 'all' | 'some' | 'none'
  readonly outputClosed: () => void
}

export const openMainOutput = (
  node: GraphNode,
  feeds: readonly number[],
  context: Pick<RunContext, 'sink' | 'current'>,
  { graph, envelopes, hasSeq, lines, writer, outputClosed }: MainOutputs,
): MainOutput => {
  const isOnly = graph.nodes.filter(({ work }) => work.kind === 'output').length === 1
  const form = envelopes === 'all' || !isOnly ? 'always' : envelopes === 'some' ? 'odd' : 'never'
  const own = { name: node.name, isPlain: !mayHoldPortKey(node), envelopes: form } as const
  return new MainOutput(feeds, context, { ...own, writer, hasSeq, lines, closed: outputClosed })
}

/** Only a value with a key `__port` could be taken for an envelope. */
export const mayHoldPortKey = (node: GraphNode): boolean => {
  const seen = new Set<Type>()
  const holds = (t: Type): boolean => {
    if (seen.has(t)) return false
    seen.add(t)
    if (t.kind === 'named') return holds(t.target)
    if (t.kind === 'sum') return t.variants.some(holds)
    if (t.kind === 'record') return t.fields.some((f) => f.name === PORT_KEY)
    return t.kind === 'json' || t.kind === 'map'
  }
  return holds(node.inputs[0]?.type ?? { kind: 'json' })
}

// Searches a text in consecutive messages of one chunk, visiting each byte only once.
class Finder {
  #buf: Buffer | undefined
  #from = 0
  #found = -1

  constructor(
    private readonly text: string,
    private readonly sink: Sink,
  ) {}

  isIn(buf: Buffer, start: number, end: number): boolean {
    // The text after the message still has to be written.
    if (buf === this.sink.buf) return buf.subarray(start, end).includes(this.text, 0, 'latin1')
    if (buf !== this.#buf || start < this.#from || (this.#found >= 0 && this.#found < start)) {
      this.#buf = buf
      this.#from = start
      this.#found = buf.indexOf(this.text, start, 'latin1')
    }
    return this.#found >= 0 && this.#found < end
  }
}
