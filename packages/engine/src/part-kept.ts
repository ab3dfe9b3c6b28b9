// What the process of a part has of the kept answers of its run, and the journal of its calls that may wait for approval: a file of its own,
// which is read again when a message is done. Lasting data is in the tables.

import { closeSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ListedCall, readCalls } from '@plumb/ledger/approval'
import { openKept, type SharedPlace } from '@plumb/ledger/kept'
import { setCurrentKept } from '@plumb/wire'

export interface PartKept {
  /** The process was started: the next one gets other files. */
  handedOn(): void
  /** The calls of one message, as `deliveryOf` names it, in their present state. */
  read(): (delivery: string) => readonly ListedCall[]
  close(): void
}

export interface PartKeptOptions {
  /** Lines of a journal. Undefined: no call waits. */
  readonly journal: readonly string[] | undefined
  /** Where its answers are kept. Undefined: nowhere. */
  readonly shared: SharedPlace | undefined
  /** Nothing is requested that is not kept. */
  readonly isOnly: boolean
}

/** For the process that is started next. Throws if no file can be made. */
export const openPartKept = ({ journal, shared, isOnly }: PartKeptOptions): PartKept => {
  const directory = journal && mkdtempSync(join(tmpdir(), 'plumb-'))
  const path = directory && join(directory, 'approvals.jsonl')
  if (path !== undefined) writeFileSync(path, (journal ?? []).map((line) => `${line}\n`).join(''), { mode: 0o600 })
  const kept = openKept({ stores: [], isOnly, approvals: path, places: [], shared })
  if (!kept.ok) throw new Error(kept.error.detail)
  return {
    handedOn: () => {
      setCurrentKept(undefined)
      closeSync(kept.value.fd)
    },
    read: () => {
      const read = path === undefined ? undefined : readCalls(path)
      const calls = read?.ok ? [...read.value.values()] : []
      return (delivery) => calls.filter(({ process, call }) => process.endsWith(`@${delivery}`) || call.startsWith(`${delivery} `))
    },
    close: () => {
      if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
    },
  }
}
