// The labelled roots of a program's tools. Paths are compared as they are written: roots are relative to the docroot, files of a spec to
// that, and both are assumed to be one directory.

import type { Span } from '../diagnostic/source.js'
import type { Bound, Scope } from '../names/names.js'
import { toolOf } from '../program/tool-plan.js'
import type { Json } from '../types/type.js'
import type { Label } from './label.js'

export interface LabelledRoot {
  readonly path: string
  readonly labels: readonly Label[]
  /** The tool that labels it. */
  readonly tool: string
  readonly span: Span
}

/** For all built-in tools of a program. */
export const labelledRoots = (scopes: readonly Scope[]): readonly LabelledRoot[] =>
  scopes.flatMap((scope) =>
    [...scope.bindings.values()].flatMap((bound) => {
      if (bound.binding.impl.kind !== 'tool') return []
      const { body } = toolOf(bound)
      return body.kind === 'tool' && body.source === 'builtin' ? rootsIn(body.config.roots, bound) : []
    }),
  )

const rootsIn = (roots: Json | undefined, { name, binding }: Bound): LabelledRoot[] =>
  Object.values(roots ?? {}).flatMap((root) => {
    const labels = labelsOf(root)
    const { path } = Object(root) as { path?: unknown }
    return labels.length > 0 && typeof path === 'string' ? [{ path, labels, tool: name, span: binding.name.span }] : []
  })

/** The labels of one root: `{ path: "drop", untrusted: true }`. */
export const labelsOf = (root: Json): readonly Label[] => (['untrusted', 'secret'] as const).filter((label) => Object(root)[label] === true)

/** Without resolving links. */
export const isBelow = (file: string, directory: string): boolean => {
  const [inner, outer] = [partsOf(file), partsOf(directory)]
  if (file.startsWith('/') !== directory.startsWith('/') || (inner[0] === '..' && outer[0] !== '..')) return false
  return outer.every((part, i) => inner[i] === part)
}

/**
 * May one be the other, or lie below it? Where the docroot lies is not known here: a path that does not begin in it is taken for one of its
 * own if the names of that are in it.
 */
export const mayOverlap = (one: string, other: string): boolean => {
  if (isBelow(one, other) || isBelow(other, one)) return true
  const [inside, outside] = isOutside(one) ? [other, one] : [one, other]
  if (isOutside(inside) || !isOutside(outside)) return false
  const names = partsOf(inside)
  const around = partsOf(outside).filter((part) => part !== '/' && part !== '..')
  return around.length === 0 || around.some((_, i) => names.every((name, k) => around[i + k] === undefined || around[i + k] === name))
}

const isOutside = (path: string): boolean => path.startsWith('/') || partsOf(path)[0] === '..'

const partsOf = (path: string): readonly string[] => {
  const parts: string[] = path.startsWith('/') ? ['/'] : []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..' && parts.at(-1) !== '/') parts.pop()
    else parts.push(part)
  }
  return parts
}
