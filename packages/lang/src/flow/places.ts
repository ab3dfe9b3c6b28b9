// The directories in which tools keep labelled data: those that a root labels, and those that a tool writes labelled data to. What reads
// there has the label. Paths are compared as they are written.

import type { Json } from '../types/type.js'
import { begin, extend, NO_TAGS, type Tags, type TrailStep, uniteTags } from './label.js'
import { type LabelledRoot, mayOverlap } from './labelled-roots.js'

export class Places {
  readonly #tags = new Map<string, Tags>()
  /** Since it was last asked for: what has been read before may be labelled now. */
  #isNew = false
  /** How often a label has come to a place. */
  changes = 0

  constructor(roots: readonly LabelledRoot[]) {
    for (const { path, labels, tool, span } of roots) {
      const trail = begin({ text: `from '${path}', a root of '${tool}'`, span })
      this.write([path], Object.fromEntries(labels.map((label) => [label, trail])))
    }
    this.#isNew = false
  }

  write(paths: readonly string[], { untrusted, secret }: Tags): void {
    for (const path of paths) {
      const known = this.#tags.get(path) ?? NO_TAGS
      if ((!untrusted || known.untrusted) && (!secret || known.secret)) continue
      this.#tags.set(path, uniteTags(known, { untrusted, secret }))
      this.#isNew = true
      this.changes++
    }
  }

  read(paths: readonly string[], step: TrailStep): Tags {
    const found = [...this.#tags].filter(([path]) => paths.some((own) => mayOverlap(own, path)))
    return extend(found.map(([, tags]) => tags).reduce(uniteTags, NO_TAGS), step)
  }

  takeNews(): boolean {
    const isNew = this.#isNew
    this.#isNew = false
    return isNew
  }
}

/** Of a built-in tool: all of the docroot unless it says otherwise. */
export const rootPaths = (roots: Json | undefined): readonly string[] =>
  roots === undefined
    ? ['.']
    : Object.values(Object(roots)).flatMap((root) => (typeof root === 'string' ? root : (Object(root).path ?? [])))

/** Of a program: what its sandbox lets it write. */
export const writtenPaths = ({ sandbox, effects }: { readonly [key: string]: Json }): readonly string[] => {
  if (sandbox === false || (Array.isArray(effects) && effects.includes('fs.write'))) return ['.']
  const { write } = Object(sandbox)
  return Array.isArray(write) ? write.map(String) : []
}
