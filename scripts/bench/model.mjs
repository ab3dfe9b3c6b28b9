// The model on loopback, in a process of its own so that it takes no processor time from the measuring process.

import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { spawnChild } from './child.mjs'

/**
 * Resolves to { url, nextLine, close }. It answers after so many milliseconds. `file`: in the directory of peers. `nextLine` resolves to what it
 * writes next, which those write that say when they are asked.
 */
export const openModel = async (delayMs = 0, file = 'model.cjs', ...words) => {
  const command = [process.execPath, fileURLToPath(new URL(`peer/${file}`, import.meta.url)), String(delayMs), ...words]
  const { child, ended } = spawnChild(command, { isLasting: true })
  const lines = createInterface({ input: child.stdout })
  const nextLine = () => new Promise((resolve) => lines.once('line', resolve))
  const url = await Promise.race([
    nextLine(),
    ended.then(() => {
      throw new Error('the model ends before it has an address')
    }),
  ])
  const close = () => {
    child.stdin.end()
    return ended
  }
  return { url, nextLine, close }
}
