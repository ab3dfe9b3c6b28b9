// The processes of this machine as /proc reports of them: corpses aside, and what watches lifelines.

import { readdirSync, readFileSync } from 'node:fs'
import { scaled } from './patience.js'

export interface Running {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** The command line, its words apart by spaces. */
  readonly args: string
}

export const processes = (): Running[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const [stat = '', args = ''] = ['stat', 'cmdline'].map((file) => read(`/proc/${name}/${file}`))
      const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const isCorpse = state === undefined || /^[ZX]?$/.test(state)
      return isCorpse ? [] : [{ pid: Number(name), parent: Number(parent), group: Number(group), args: args.replaceAll('\0', ' ').trim() }]
    })
    .filter(({ args }) => !args.includes('plumb-lifeline') && args !== 'sleep 1')

// One that has ended meanwhile has nothing to say.
const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Waits until it is so, and says whether it came to be in time. */
export const until = async (isSo: () => boolean, ms = scaled(20_000)): Promise<boolean> => {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    if (isSo()) return true
    await new Promise((done) => setTimeout(done, 20))
  }
  return isSo()
}
