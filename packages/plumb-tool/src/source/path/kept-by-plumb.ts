// What earlier runs of plumb have left below directories, and will believe: records, kept answers, and answers that are recorded for tests.

import { join } from 'node:path'
import { listEntries } from './look-up.js'
import { isKept, isRecordedAnswers } from './protected-paths.js'

/** As for repositories of git: what lies deeper, or after so many directories, is not found. */
const MAX_DEPTH = 6
const MAX_DIRECTORIES = 400

/** Their paths, without those inside another. */
export const findKeptByPlumb = (directories: readonly string[]): readonly string[] => {
  const found: string[] = []
  let waiting = [...new Set(directories)]
  let looked = 0
  for (let depth = 0; depth <= MAX_DEPTH && waiting.length > 0; depth++) {
    const next: string[] = []
    for (const directory of waiting) {
      if (++looked > MAX_DIRECTORIES) return found
      if (isKept(directory)) {
        found.push(directory)
        continue
      }
      for (const entry of listEntries(directory)) {
        if (isRecordedAnswers(entry.name)) found.push(join(directory, entry.name))
        else if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git') next.push(join(directory, entry.name))
      }
    }
    waiting = next
  }
  return found
}
