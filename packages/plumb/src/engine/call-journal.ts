// The journal of a process whose calls may wait for approval: a file of its own, which is read again when a message is done. Lasting data
// is in the tables.

import { closeSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setCurrentKept } from '@plumb/wire'
import { type ListedCall, readCalls } from '@plumb/wire/approval'
import { openKept } from '@plumb/wire/kept'

export interface CallJournal {
  /** The process was started: the next one gets another journal. */
  handedOn(): void
  /** The calls of one message, as `deliveryOf` names it, in their present state. */
  read(): (delivery: string) => readonly ListedCall[]
  close(): void
}

/** For the process that is started next. Throws if no file can be made. */
export const openCallJournal = (lines: readonly string[]): CallJournal => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-'))
  const path = join(directory, 'approvals.jsonl')
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 })
  const kept = openKept({ stores: [], isOnly: false, approvals: path, places: [] })
  if (!kept.ok) throw new Error(kept.error.detail)
  return {
    handedOn: () => {
      setCurrentKept(undefined)
      closeSync(kept.value.fd)
    },
    read: () => {
      const read = readCalls(path)
      const calls = read.ok ? [...read.value.values()] : []
      return (delivery) => calls.filter(({ process, call }) => process.endsWith(`@${delivery}`) || call.startsWith(`${delivery} `))
    },
    close: () => rmSync(directory, { recursive: true, force: true }),
  }
}
