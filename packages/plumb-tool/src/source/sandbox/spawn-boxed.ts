// A program that is not ours, in its sandbox where it has one.

import { type Child, type ChildOptions, type Result, spawnChild } from '@plumb/wire'
import { enclose, type Place } from './enclose.js'
import type { Sandbox } from './sandbox.js'

/** As `spawnChild`; the program is given by its path. */
export const spawnBoxed = (
  sandbox: Sandbox | undefined,
  options: ChildOptions,
  { visible, programFiles }: Pick<Place, 'visible' | 'programFiles'>,
): Result<Child> => {
  if (!sandbox) return spawnChild(options)
  const { command, cwd = process.cwd(), env } = options
  const enclosure = enclose(sandbox, { program: command, cwd, env, visible, programFiles })
  if (!enclosure.ok) return enclosure
  const { command: before, given, shared, env: inner, close } = enclosure.value
  const child = spawnChild({ ...options, command: [...before, ...command], env: inner, given: given ?? {}, shared: shared ?? {} })
  close()
  return child
}
