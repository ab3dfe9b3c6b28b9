// The file descriptors of a process (plumb-wire(5), FILE DESCRIPTORS): their names, and which of them the parent opened.

import { fstatSync } from 'node:fs'
import { preview } from '../preview.js'
import { fail, type Result } from '../result.js'
import { launcherFds } from './launcher.js'
import { procFds } from './proc-fds.js'

export const FDS = { input: 0, output: 1, telemetry: 3, tool_req: 4, tool_resp: 5, ctrl_in: 6, ctrl_out: 7 } as const

export type FdName = keyof typeof FDS

/** As the process itself numbers them. */
export const DIRECTIONS: Readonly<Record<FdName, 'in' | 'out'>> = {
  input: 'in',
  output: 'out',
  telemetry: 'out',
  tool_req: 'out',
  tool_resp: 'in',
  ctrl_in: 'in',
  ctrl_out: 'out',
}

/**
 * Those from 3 to 7 that the parent opened. `option` is the value of `--fds`: `4,5` or `none`. Without it, the launcher's report is used,
 * else /proc on Linux, else none. Call it before anything is opened.
 */
export const inheritedFds = (option?: string): Result<ReadonlySet<number>> => {
  const found = launcherFds()?.open ?? procFds()
  if (option === undefined) return { ok: true, value: found ?? new Set() }
  const list = parseFds(option)
  if (!list.ok) return list
  const asked = list.value
  // Without the launcher's report, a descriptor may be one of Node's own: the option decides.
  const missing = [...asked].find((fd) => (found ? !found.has(fd) : !isOpen(fd)))
  if (missing === undefined) return { ok: true, value: asked }
  return fail(
    'fd_invalid',
    `--fds names ${missing}, but ${missing} is not open; redirect it, as in '${missing}${isInput(missing) ? '<' : '>'} file'`,
  )
}

/** Whether the parent opened it; true where nobody knows, as without the launcher. */
export const mayBeInherited = (fd: number): boolean => launcherFds()?.open.has(fd) ?? true

/** The value of `--fds`: `4,5` or `none`. */
export const parseFds = (option: string): Result<ReadonlySet<number>> => {
  if (option === 'none') return { ok: true, value: new Set() }
  if (/^[3-7](,[3-7])*$/.test(option)) return { ok: true, value: new Set(option.split(',').map(Number)) }
  return fail('fd_invalid', `--fds takes 'none' or numbers from 3 to 7 such as '4,5', not '${preview(option)}'`)
}

const isOpen = (fd: number): boolean => {
  try {
    fstatSync(fd)
    return true
  } catch {
    return false
  }
}

const isInput = (fd: number): boolean => fd === FDS.tool_resp || fd === FDS.ctrl_in
