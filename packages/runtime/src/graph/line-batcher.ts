// Processes whole runs of lines that have the learned shape, if all their results are lines of the output: from the read buffer to the
// written bytes. It takes no line whose error has to be reported; such lines go one by one (main-input.ts).

import {
  type Evaluate,
  environmentOf,
  fuse,
  type GraphNode,
  type MessageScanner,
  type MessageScanners,
  type Sink,
  type Step,
  stepsOf,
  Verdict,
} from '@plumb/lang'
import type { LineBatcher, LineWriter } from '@plumb/wire'
import type { Edges } from './edges.js'
import { MainOutput } from './main-output.js'
import { typeAt } from './morphism/expression.js'
import type { Morphism } from './morphism/morphism.js'

interface BatcherOptions {
  readonly scanner: MessageScanner
  readonly maxLine: number
  readonly sink: Sink
  readonly writer: LineWriter
}

/** Adjacent messages of a sink are handed over in one piece. */
class WrittenRun {
  #buf: Buffer
  #from: number
  #end: number
  #lines = 0

  constructor(
    private readonly sink: Sink,
    private readonly writer: LineWriter,
  ) {
    this.#buf = sink.buf
    this.#from = this.#end = sink.at
  }

  /** The last message of the sink. */
  add(): void {
    const { buf, start, at } = this.sink
    if (buf !== this.#buf) {
      this.flush()
      this.#buf = buf
      this.#from = start
    }
    this.#end = at
    this.#lines++
  }

  flush(): void {
    if (this.#lines > 0) this.writer.writeLines(this.#buf, this.#from, this.#end, this.#lines)
    this.#from = this.#end
    this.#lines = 0
  }
}

/** Forwards them unchanged. */
class PassBatcher implements LineBatcher {
  taken = 0

  constructor(private readonly o: BatcherOptions) {}

  takeBatch(buf: Buffer, at: number, limit: number, most: number): number {
    const { scanner, maxLine, writer } = this.o
    let place = at
    let taken = 0
    while (taken < most && place < limit) {
      const end = scanner.find(buf, place)
      if (end < 0 || end - place > maxLine) break
      place = end + 1
      taken++
    }
    if (taken > 0) writer.writeLines(buf, at, place, taken)
    this.taken = taken
    return place
  }
}

abstract class FusedBatcher implements LineBatcher {
  taken = 0

  constructor(
    protected readonly o: BatcherOptions,
    protected readonly evaluate: Evaluate,
  ) {}

  abstract takeBatch(buf: Buffer, at: number, limit: number, most: number): number
}

/** Forwards those that pass all filters. */
class FilterBatcher extends FusedBatcher {
  takeBatch(buf: Buffer, at: number, limit: number, most: number): number {
    const { scanner, maxLine, sink, writer } = this.o
    let from = at
    let kept = 0
    let place = at
    let taken = 0
    while (taken < most && place < limit && !writer.isFull) {
      const end = scanner.find(buf, place)
      if (end < 0 || end - place > maxLine) break
      const verdict = this.evaluate(buf, scanner.captures, sink)
      if (verdict < 0) break
      taken++
      if (verdict === Verdict.PASS) kept++
      else {
        if (kept > 0) writer.writeLines(buf, from, place, kept)
        kept = 0
        from = end + 1
      }
      place = end + 1
    }
    if (kept > 0) writer.writeLines(buf, from, place, kept)
    this.taken = taken
    return place
  }
}

/** The results of each. */
class MapBatcher extends FusedBatcher {
  takeBatch(buf: Buffer, at: number, limit: number, most: number): number {
    const { scanner, maxLine, sink, writer } = this.o
    const run = new WrittenRun(sink, writer)
    let place = at
    let taken = 0
    while (taken < most && place < limit && !writer.isFull) {
      const end = scanner.find(buf, place)
      if (end < 0 || end - place > maxLine) break
      const verdict = this.evaluate(buf, scanner.captures, sink)
      if (verdict < 0) break
      place = end + 1
      taken++
      if (verdict === Verdict.WROTE) run.add()
    }
    run.flush()
    this.taken = taken
    return place
  }
}

interface Way extends Omit<BatcherOptions, 'scanner' | 'writer'> {
  readonly edges: Edges
  readonly scanners: MessageScanners
  readonly receiverOf: (node: GraphNode) => Morphism
}

/** Undefined if lines that enter here do not leave in runs. */
export const openLineBatcher = (entrance: GraphNode, { edges, scanners, receiverOf, ...own }: Way): LineBatcher | undefined => {
  const path = pathBehind(entrance, edges, scanners)
  const output = path && receiverOf(path.output)
  if (!path || !(output instanceof MainOutput) || !output.taker) return undefined
  const options = { ...own, scanner: scanners.of(typeAt(entrance)), writer: output.taker }
  if (path.steps.length === 0) return new PassBatcher(options)
  const fused = fuse(path.steps, options.scanner)
  return fused && new (fused.isWritten ? MapBatcher : FilterBatcher)(options, fused.evaluate)
}

interface Path {
  readonly steps: readonly Step[]
  readonly output: GraphNode
}

/** With more nodes it is a cycle, or too long to be worth it. */
const MAX_NODES = 256

// From the entrance to an output of main, if there is one way alone and each node on it is stateless: id, map, filter.
const pathBehind = (entrance: GraphNode, edges: Edges, scanners: MessageScanners): Path | undefined => {
  const scanner = scanners.of(typeAt(entrance))
  const steps: Step[] = []
  let from = entrance
  for (let nodes = 0; nodes < MAX_NODES; nodes++) {
    const [next, another] = edges.outOf(from)
    if (!next || another) return undefined
    const { to, isChecked } = next
    const own = stepsAt(to)
    if (steps.length === 0 && own ? scanners.of(typeAt(to)) !== scanner : isChecked) return undefined
    if (own) steps.push(...own)
    else if (to.work.kind === 'output') return { steps, output: to }
    else if (to.work.kind !== 'pass') return undefined
    from = to
  }
  return undefined
}

const stepsAt = (node: GraphNode): readonly Step[] | undefined => {
  const { work } = node
  if (work.kind === 'map' && work.lifted) return stepsOf(work.lifted)
  return work.kind === 'map' || work.kind === 'filter'
    ? [{ kind: work.kind, expression: work.expression, ...environmentOf(node) }]
    : undefined
}
