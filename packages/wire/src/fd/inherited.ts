// What the process that started this executable left open, at whatever number: none of it is for a child. Node marks what it finds up to the
// first gap, so that a descriptor after one, as of `exec 200<lock`, would reach each child. Linux alone: elsewhere Node starts children with
// what they are given and nothing else.

import { closeSync, constants, openSync, readdirSync, readFileSync } from 'node:fs'

/** Descriptors of our contract, and those that Node always marks, are below. */
const FIRST = 17
/** O_CLOEXEC, which Node has no constant for. What Node itself opens has it; what came through an exec has not. */
const CLOSES_ON_EXEC = 0o2000000
const [ACCESS_MODE, APPEND] = [3, constants.O_APPEND]
/** Bash counts those of `<(…)` down from 63. */
const LAST_NAMED = 255
const NAMED = /\/(?:dev|proc\/self)\/fd\/(\d+)/g

let isExecutable = false
let isDone = false

/** A program that embeds us may need what it was started with, so this is for executables. */
export const ownDescriptors = (): void => {
  isExecutable = process.platform === 'linux'
}

/**
 * Closes what was inherited; call it before any child is started. Not at the start: most of it are files that the command line names, as
 * `<(…)` does, and those are read by then. One of them that may be opened later stays where it is, for us alone.
 */
export const closeInherited = (): void => {
  if (!isExecutable || isDone) return
  isDone = true
  const named = new Set([...process.argv.join('\n').matchAll(NAMED)].map(([, fd]) => Number(fd)))
  for (const { fd, flags } of listInherited()) {
    if (fd === channelFd()) {
      process.disconnect()
      continue
    }
    const copy = named.has(fd) && fd <= LAST_NAMED ? reopen(fd, flags) : undefined
    closeSync(fd)
    if (copy !== undefined) moveTo(fd, copy, flags)
  }
}

/** A channel of `process.send` to a parent that is a Node.js, which Node reads from: nothing here uses it. */
const channelFd = (): number | undefined => (process.channel as { readonly fd?: number } | undefined)?.fd

interface Inherited {
  readonly fd: number
  /** Those of open(2). */
  readonly flags: number
}

const listInherited = (): readonly Inherited[] => {
  try {
    const fds = readdirSync('/proc/self/fd').map(Number)
    return fds
      .filter((fd) => fd >= FIRST)
      .flatMap((fd) => {
        const flags = flagsOf(fd)
        return flags === undefined || flags & CLOSES_ON_EXEC ? [] : [{ fd, flags }]
      })
  } catch {
    // Without /proc there is no way to know them.
    return []
  }
}

// Undefined for that of the listing, which is closed by now.
const flagsOf = (fd: number): number | undefined => {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1]
    return flags === undefined ? undefined : Number.parseInt(flags, 8)
  } catch {
    return undefined
  }
}

// Undefined for a socket, which has no name to open it by.
const reopen = (fd: number, flags: number): number | undefined => {
  try {
    return openSync(`/proc/self/fd/${fd}`, (flags & (ACCESS_MODE | APPEND)) | constants.O_NONBLOCK)
  } catch {
    return undefined
  }
}

// The system gives the lowest number that is free, so those below are taken for a moment.
const moveTo = (fd: number, copy: number, flags: number): void => {
  const taken = [copy]
  try {
    let last: number
    do {
      last = openSync('/dev/null', constants.O_RDONLY)
      taken.push(last)
    } while (last < fd)
    if (last === fd) {
      closeSync(taken.pop() as number)
      const moved = reopen(copy, flags)
      if (moved !== undefined && moved !== fd) taken.push(moved)
    }
  } catch {
    // No more may be open: it is gone, as others are.
  }
  for (const each of taken) closeSync(each)
}
