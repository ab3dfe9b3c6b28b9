// A large record, as a run with a model of long answers leaves it.

import { closeSync, openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { spawnChild } from './child.mjs'

/** Characters of an answer, and about as many bytes of an input and of the record for one message. */
export const ANSWER_CHARACTERS = 10_000
const INPUT_REPEATS = 110
const RECORD_BYTES = 49_000

const sentence = 'the quick brown fox jumps over the lazy dog '.repeat(INPUT_REPEATS)
const line = (i) => `${JSON.stringify(`${i} ${sentence}`)}\n`

/** Writes inputs to a file, whose record will be about so large. */
export const writeInputs = (file, bytes) => {
  const output = openSync(file, 'w')
  for (let i = 0; i < bytes / RECORD_BYTES; i++) writeSync(output, line(i))
  closeSync(output)
}

/** Resolves when a run has answered all inputs and ended. */
export const makeRecord = (command, { env, data }) => {
  const input = openSync(data)
  const { ended } = spawnChild(command, { env, stdio: [input, 'ignore'], isLasting: true })
  return ended.finally(() => closeSync(input))
}

export const bytesIn = (directory) =>
  readdirSync(directory, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(directory, entry.name)
    return sum + (entry.isDirectory() ? bytesIn(path) : entry.isFile() ? statSync(path).size : 0)
  }, 0)
