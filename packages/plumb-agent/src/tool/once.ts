// What each call was answered: an id that comes again, as when a reply is repeated, gets its answer again and runs nothing.

import type { Json } from '@plumb/lang'
import type { ToolResult, ToolUse } from '../conversation/turn.js'

interface Kept {
  /** Name and input: some servers count their ids from the beginning in each reply, and mean another call. */
  readonly call: string
  readonly result: Promise<ToolResult>
  bytes: number
}

const MAX_KEPT = 1000
const MAX_BYTES = 4 * 1024 * 1024

export class Once {
  readonly #kept = new Map<string, Kept>()
  #bytes = 0
  #renamed = 0

  /** `run` is given an id that no other call of this process had. */
  do(use: ToolUse, run: (id: string) => Promise<ToolResult>): Promise<ToolResult> {
    const call = JSON.stringify([use.name, use.input])
    const known = this.#kept.get(use.id)
    if (known?.call === call) return known.result
    const result = run(known || use.id === '' ? `${use.id}#${++this.#renamed}` : use.id)
    this.#keep(use.id, { call, result, bytes: call.length })
    return result
  }

  #keep(id: string, kept: Kept): void {
    this.#forget(id)
    this.#kept.set(id, kept)
    this.#bytes += kept.bytes
    const weigh = ({ content }: ToolResult): void => {
      const bytes = sizeOf(content)
      kept.bytes += bytes
      if (this.#kept.get(id) === kept) this.#bytes += bytes
      this.#forgetOldest()
    }
    kept.result.then(weigh, () => this.#forget(id))
  }

  #forgetOldest(): void {
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT && this.#bytes <= MAX_BYTES) return
      this.#forget(id)
    }
  }

  #forget(id: string): void {
    this.#bytes -= this.#kept.get(id)?.bytes ?? 0
    this.#kept.delete(id)
  }
}

const sizeOf = (content: Json): number => (typeof content === 'string' ? content.length : JSON.stringify(content).length)
