// Finds what a program needs and this machine lacks, without starting anything.

import { existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { type Bound, type Need, needsOf, reachedFrom } from '@plumb/lang'
import { preview, resolveProgram } from '@plumb/wire'

export interface Overrides {
  /** From the command line; replaces the value in the spec. */
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly agentProgram?: string | undefined
}

export interface Lack {
  readonly code: 'file_not_found' | 'cannot_run'
  readonly message: string
  readonly need: Need
}

/** For the bindings and everything that they consist of and may call; each thing once. */
export const findMissing = (bounds: readonly Bound[], overrides: Overrides = {}): Lack[] => {
  // Only agents and tools need anything: to look for them in all that is reached is for a program that has some.
  if (!hasNeeds(new Set(bounds.map(({ scope }) => scope)))) return []
  const isOverridden = [overrides.provider, overrides.model, overrides.agentProgram].some((word) => word !== undefined)
  const reached = new Set(bounds.flatMap((bound) => [...reachedFrom(bound)]))
  return [...reached].flatMap((bound) => {
    // Programs that come with plumb exist.
    if (bound.scope.module.path.startsWith('<stdlib>')) return []
    return needsOf(bound).flatMap((need) => {
      if (need.kind === 'eliza model') return isOverridden ? [] : lackingModel(need)
      return need.kind === 'file' ? [...missingFile(need), ...missingPython(need)] : missingProgram(need)
    })
  })
}

/** Whether there is an agent or a tool in these files, or in those that they use. */
const hasNeeds = (scopes: ReadonlySet<Bound['scope']>): boolean => {
  const seen = new Set(scopes)
  for (const { bindings, modules } of seen) {
    for (const { binding } of bindings.values()) if (binding.impl.kind === 'agent' || binding.impl.kind === 'tool') return true
    for (const module of modules.values()) seen.add(module)
  }
  return false
}

const lack = (code: Lack['code'], message: string, need: Need): Lack[] => [{ code, message, need }]

const lackingModel = (need: Need): Lack[] =>
  need.name === 'doctor' ? [] : lack('cannot_run', `provider 'eliza' has only the model 'doctor', not '${preview(need.name)}'`, need)

const missingFile = (need: Need): Lack[] => {
  const { name, key, from } = need
  const why = whyNoFile(isAbsolute(name) ? name : join(dirname(from), name))
  return why === undefined ? [] : lack('file_not_found', `'${key}' names '${preview(name)}': ${why}`, need)
}

const whyNoFile = (path: string): string | undefined => {
  try {
    return statSync(path).isDirectory() ? 'it is a directory' : undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'permission denied' : 'no such file'
  }
}

/** What runs functions of Python: that of a virtual environment beside the file or the spec, that of the environment, or the one on PATH. */
const missingPython = (need: Need): Lack[] => {
  const { name, key, from } = need
  if (key !== 'function' || !name.endsWith('.py')) return []
  const file = isAbsolute(name) ? name : join(dirname(from), name)
  const { VIRTUAL_ENV } = process.env
  const places = [join(dirname(file), '.venv'), join(dirname(from), '.venv'), ...(VIRTUAL_ENV ? [VIRTUAL_ENV] : [])]
  const isThere = places.some((place) => existsSync(join(place, 'bin/python3'))) || resolveProgram('python3', '/', process.env.PATH).ok
  return isThere ? [] : lack('cannot_run', `'${preview(name)}' needs Python 3.10 or later, and there is no 'python3' on PATH`, need)
}

const missingProgram = (need: Need): Lack[] => {
  const { name, from } = need
  const found = resolveProgram(name, directoryOf(from), process.env.PATH)
  return found.ok ? [] : lack('file_not_found', found.error.detail, need)
}

// The working directory may have been removed.
const directoryOf = (path: string): string => {
  try {
    return resolve(dirname(path))
  } catch {
    return dirname(path)
  }
}
