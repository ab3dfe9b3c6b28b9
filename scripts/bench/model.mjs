// The model on loopback, in a process of its own so that it takes no processor time from the measuring process.

import { fileURLToPath } from 'node:url'
import { spawnChild } from './child.mjs'

/** Resolves to { url, close }. It answers after so many milliseconds. */
export const openModel = async (delayMs = 0) => {
  const { child, ended } = spawnChild([process.execPath, fileURLToPath(new URL('peer/model.cjs', import.meta.url)), String(delayMs)], {
    isLasting: true,
  })
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(String(line).trim()))
    ended.then(() => reject(new Error('the model ends before it has an address')), reject)
  })
  const close = () => {
    child.stdin.end()
    return ended
  }
  return { url, close }
}
