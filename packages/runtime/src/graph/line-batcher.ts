// Processes whole runs of lines that have the learned shape, if all their results are lines of the output: from the read buffer to the
// written bytes. It takes no line whose error has to be reported; such lines go one by one (main-input.ts).

import {
  type Evaluate,
  type Fused,
  fuse,
  type GraphNode,
  type MessageScanner,
  type MessageScanners,
  put,
  type Sink,
  type Step,
  Verdict,
} from '@plumb/lang'
import type { LineBatcher, LineWriter } from '@plumb/wire'
import { branchesBehind } from './branches.js'
import type { Edges } from './edges.js'
import { MainOutput } from './main-output.js'
import { typeAt } from './morphism/expression.js'
import type { Morphism } from './morphism/morphism.js'

export interface BatcherOptions {
  readonly scanner: MessageScanner
  readonly maxLine: number
  readonly sink: Sink
  readonly writer: LineWriter
}

/** Adjacent messages of a sink are handed over in one piece. */
class WrittenRun {
  #buf: Buffer
  #from: number
  #behind: number
  #lines = 0

  constructor(
    private readonly sink: Sink,
    private readonly writer: LineWriter,
  ) {
    this.#buf = sink.buf
    this.#from = this.#behind = sink.at
  }

  /** The last message of the sink. */
  add(): void {
    const { buf, start, at } = this.sink
    if (buf !== this.#buf) {
      this.flush()
      this.#buf = buf
      this.#from = start
    }
    this.#behind = at
    this.#lines++
  }

  flush(): void {
    if (this.#lines > 0) this.writer.writeLines(this.#buf, this.#from, this.#behind, this.#lines)
    this.#from = this.#behind
    this.#lines = 0
  }
}

abstract class BranchBatcher implements LineBatcher {
  taken = 0

  constructor(protected readonly o: BatcherOptions) {}

  abstract takeBatch(buf: Buffer, at: number, limit: number, most: number): number
}

/** Forwards them unchanged. */
class PassBatcher extends BranchBatcher {
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

/** Copying a longer line takes longer than handing it over. */
const LONG_LINE = 2048

/** Each is repeated so many times before the next. */
class CopyBatcher extends BranchBatcher {
  constructor(
    options: BatcherOptions,
    private readonly times: number,
  ) {
    super(options)
  }

  takeBatch(buf: Buffer, at: number, limit: number, most: number): number {
    const { scanner, maxLine, sink, writer } = this.o
    const run = new WrittenRun(sink, writer)
    let place = at
    let taken = 0
    while (taken < most && place < limit && !writer.isFull) {
      const end = scanner.find(buf, place)
      if (end < 0 || end - place > maxLine) break
      if (end - place < LONG_LINE) {
        for (let i = 0; i < this.times; i++) {
          sink.commit(put(sink, sink.at, buf, place, end))
          run.add()
        }
      } else {
        run.flush()
        for (let i = 0; i < this.times; i++) writer.writeLines(buf, place, end + 1, 1)
      }
      place = end + 1
      taken++
    }
    run.flush()
    this.taken = taken
    return place
  }
}

/** Those that pass all filters of a branch, once for each branch. */
class FilterBatcher extends BranchBatcher {
  constructor(
    options: BatcherOptions,
    private readonly branches: readonly Evaluate[],
  ) {
    super(options)
  }

  takeBatch(buf: Buffer, at: number, limit: number, most: number): number {
    const { scanner, maxLine, writer } = this.o
    let from = at
    let kept = 0
    let place = at
    let taken = 0
    while (taken < most && place < limit && !writer.isFull) {
      const end = scanner.find(buf, place)
      if (end < 0 || end - place > maxLine) break
      const copies = this.copies(buf)
      if (copies < 0) break
      taken++
      if (copies !== 1) {
        if (kept > 0) writer.writeLines(buf, from, place, kept)
        for (let i = 0; i < copies; i++) writer.writeLines(buf, place, end + 1, 1)
        kept = 0
        from = end + 1
      } else kept++
      place = end + 1
    }
    if (kept > 0) writer.writeLines(buf, from, place, kept)
    this.taken = taken
    return place
  }

  /** The number of branches that keep the line; negative if one of them reports an error. */
  private copies(buf: Buffer): number {
    const { scanner, sink } = this.o
    let copies = 0
    for (const branch of this.branches) {
      const verdict = branch(buf, scanner.captures, sink)
      if (verdict < 0) return verdict
      copies += verdict
    }
    return copies
  }
}

/** The results of each. */
class MapBatcher extends BranchBatcher {
  constructor(
    options: BatcherOptions,
    private readonly evaluate: Evaluate,
  ) {
    super(options)
  }

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

export interface Way extends Omit<BatcherOptions, 'scanner' | 'writer'> {
  readonly edges: Edges
  readonly scanners: MessageScanners
  readonly receiverOf: (node: GraphNode) => Morphism
}

/** Undefined if lines that enter here do not leave in runs. */
export const openLineBatcher = (entrance: GraphNode, { edges, scanners, receiverOf, ...own }: Way): LineBatcher | undefined => {
  const branches = branchesBehind(entrance, edges, scanners)
  const outputs = new Set(branches?.map(({ output }) => receiverOf(output)))
  const [output, another] = outputs
  if (!branches || another || !(output instanceof MainOutput) || !output.taker) return undefined
  const ways = branches.map(({ steps }) => steps)
  return batcherOf(ways, { ...own, scanner: scanners.of(typeAt(entrance)), writer: output.taker })
}

const ALL: Fused = { evaluate: () => Verdict.PASS, isWritten: false }

// Undefined if the steps of a branch cannot be fused.
const batcherOf = (branches: readonly (readonly Step[])[], options: BatcherOptions): LineBatcher | undefined => {
  if (branches.every((steps) => steps.length === 0)) {
    return branches.length === 1 ? new PassBatcher(options) : new CopyBatcher(options, branches.length)
  }
  const chains = branches.flatMap((steps) => (steps.length === 0 ? ALL : (fuse(steps, options.scanner) ?? [])))
  const [first] = chains
  if (!first || chains.length < branches.length) return undefined
  if (chains.every(({ isWritten }) => !isWritten)) {
    return new FilterBatcher(
      options,
      chains.map(({ evaluate }) => evaluate),
    )
  }
  return chains.length === 1 ? new MapBatcher(options, first.evaluate) : undefined
}
