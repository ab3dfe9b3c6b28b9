// The messages of a run that wait for approval (--park): reported once, at the end.

import { isOpen, type ListedCall, readCalls } from '@plumb/ledger/approval'
import { type Fault, fault, joinRanges } from '@plumb/wire'
import { addTo } from '../graph/input-context.js'

export class ParkedMessages {
  readonly #seqs: [number, number][] = []
  #count = 0

  /** `path`: of the waiting calls; `directory`: the record, as it was named. */
  constructor(
    private readonly path: string,
    private readonly directory: string,
  ) {}

  /** False: the error has another cause. */
  takes(error: Fault): boolean {
    if (error.error !== 'parked') return false
    const { seq, seqs } = error
    const ranges = (seqs as [number, number][] | undefined) ?? (typeof seq === 'number' ? [[seq, seq]] : [])
    for (const [first, last] of ranges) for (let n = first; n <= last; n++) addTo(this.#seqs, n)
    this.#count += Math.max(
      1,
      ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0),
    )
    return true
  }

  /** The report at the end. Undefined: nothing waits. */
  get fault(): Fault | undefined {
    if (this.#count === 0) return undefined
    const open = openCalls(this.path)
    const seqs = joinRanges(this.#seqs)
    const [first] = seqs
    const one = this.#count === 1
    const waiting = open?.length
    const hasQuestions = open?.some(({ kind }) => kind === 'person') === true
    const thing = hasQuestions ? 'question' : 'call'
    const what = waiting === undefined ? 'calls' : `${waiting} ${thing}${waiting === 1 ? '' : 's'}`
    const until = hasQuestions ? `a person answers ${what}: plumb pending` : `a person decides on ${what}: plumb approvals`
    return fault('parked', `${this.#count} message${one ? ' waits' : 's wait'} until ${until} ${this.directory}`, {
      messages: this.#count,
      ...(waiting === undefined ? {} : { calls: waiting }),
      ...(first ? { seq: first[0], seqs } : {}),
    })
  }
}

const openCalls = (path: string): readonly ListedCall[] | undefined => {
  const calls = readCalls(path)
  return calls.ok ? [...calls.value.values()].filter(isOpen) : undefined
}
