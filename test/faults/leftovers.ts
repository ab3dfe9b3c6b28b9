// What a program leaves behind that it should not: processes, temporary files, keys that got out, and stderr that no program can read.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ERRORS } from '../../packages/wire/src/error.js'

/** Part of every key in the environment of a scene. */
export const CANARY = 'sk-CANARY'

export interface Running {
  readonly pid: number
  readonly command: string
}

/** The processes that run below this directory or have it in their environment; zombies are none. */
export const runningIn = (directory: string): Running[] => {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => isAlive(pid) && (link(`/proc/${pid}/cwd`).startsWith(directory) || text(`/proc/${pid}/environ`).includes(directory)))
    .map((pid) => ({ pid: Number(pid), command: text(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }))
}

const isAlive = (pid: string): boolean => {
  const stat = text(`/proc/${pid}/stat`)
  return /^[^ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
}

/** Paths of the files below this directory, devices and pipes too. */
export const filesBelow = (directory: string): string[] => entriesBelow(directory).map(({ path }) => path)

/** Paths of the files below this directory in which a key stands. */
export const keysBelow = (directory: string): string[] =>
  entriesBelow(directory)
    .filter(({ isFile, path }) => isFile && holdsKey(path))
    .map(({ path }) => path)

const entriesBelow = (directory: string): { path: string; isFile: boolean }[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isFile: entry.isFile() }))

// As the files are: a log may be no text at all, and what is deleted meanwhile says nothing.
const holdsKey = (path: string): boolean => {
  try {
    return readFileSync(path).includes(CANARY)
  } catch {
    return false
  }
}

/** The lines of a stderr that are neither an error or warning object of ours, nor words of a child. */
export const badErrorLines = (stderr: string): string[] => {
  const lines = stderr.split('\n')
  const rest = lines.pop()
  return [...lines.filter((line) => !isWellFormed(line)), ...(rest ? [`${rest} (and no line end)`] : [])]
}

const isWellFormed = (line: string): boolean => {
  let reported: Readonly<Record<string, unknown>>
  try {
    reported = JSON.parse(line)
  } catch {
    return false
  }
  if (typeof reported !== 'object' || reported === null) return false
  if ([reported.worker, reported.progress, reported.summary].some((one) => typeof one === 'object')) return true
  if (typeof reported.source === 'string' && typeof reported.text === 'string') return true
  const code = String(reported.error ?? reported.warning)
  const entry = Object.hasOwn(ERRORS, code) ? ERRORS[code as keyof typeof ERRORS] : undefined
  return entry !== undefined && reported.category === entry.category && typeof reported.detail === 'string' && reported.detail !== ''
}

const text = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const link = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
