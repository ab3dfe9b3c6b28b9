// The journal of a process whose calls may wait for a person: a file of its own, which is read again when a message is done with. What has to
// last is in the tables.

import { closeSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setCurrentKept } from '@plumb/wire'
import { type ListedCall, readCalls } from '@plumb/wire/approval'
import { openKept } from '@plumb/wire/kept'

export interface CallJournal {
  /** The process has been started: the next one gets another journal. */
  handedOn(): void
  /** Those of one message, as `deliveryOf` names it, as they are now. */
  read(): (delivery: string) => readonly ListedCall[]
  close(): void
}

/** The process that is started next has it. Throws where no file can be made. */
export const openCallJournal = (lines: readonly string[]): CallJournal => {
  const folder = mkdtempSync(join(tmpdir(), 'plumb-'))
  const path = join(folder, 'approvals.jsonl')
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
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}
